import { commaRanges, isName, isWord } from "./calls.js";
import type { Token } from "./tokens.js";

/** A half-open range of tokens. */
export interface Range {
  from: number;
  to: number;
}

/** How many long texts a list counts as, the one that a loop goes over and the one that reduce() adds up. */
export const LIST = 20;

/** `[x IN list WHERE test | value]`, `all(x IN list WHERE test)`, `reduce(sum = 0, x IN list | value)`. */
export interface Loop {
  kind: "list" | "quantifier" | "reduce";
  variable: string;
  /** Of a reduce, with what it begins with. */
  accumulator?: string;
  initial?: Range;
  list: Range;
  /** The test and the value: what is worked out once for each element. */
  body: Range;
  /** The part of the body after `|`, which ends up in the result. */
  value: Range;
}

/** The loops inside of expressions, in the order in which they begin. Unlike rows, the server cannot stop them. */
export function loopsIn(tokens: readonly Token[]): Loop[] {
  const found: Loop[] = [];
  for (const [open, bracket] of tokens.entries()) {
    if (bracket.partner === undefined || bracket.partner < open) continue;
    const before = tokens[open - 1];
    if (bracket.text === "[") add(loop("list", open + 1, bracket.partner));
    if (bracket.text !== "(") continue;
    if (isWord(before, "ALL", "ANY", "NONE", "SINGLE")) add(loop("quantifier", open + 1, bracket.partner));
    if (isWord(before, "REDUCE")) {
      const [start, rest] = commaRanges(tokens, open + 1, bracket.partner);
      const accumulator = tokens[open + 1];
      const inner = start && rest && loop("reduce", rest.from, bracket.partner);
      if (inner && isName(accumulator))
        add({ ...inner, accumulator: nameOf(accumulator), initial: { from: open + 3, to: start.to } });
    }
  }
  return found;

  function add(found_: Loop | undefined) {
    if (found_) found.push(found_);
  }

  function loop(kind: Loop["kind"], from: number, to: number): Loop | undefined {
    const variable = tokens[from];
    if (!isName(variable) || !isWord(tokens[from + 1], "IN")) return undefined;
    const atDepth = (test: (token: Token, index: number) => boolean) => {
      const at = tokens.findIndex(
        (token, index) => index > from && index < to && token.depth === variable.depth && test(token, index),
      );
      return at < 0 ? to : at;
    };
    const bar = atDepth((token, index) => token.text === "|" && tokens[index - 1]?.text !== ":");
    const where = Math.min(
      atDepth((token) => isWord(token, "WHERE")),
      bar,
    );
    return {
      kind,
      variable: nameOf(variable),
      list: { from: from + 2, to: where },
      body: { from: where, to },
      value: { from: Math.min(bar + 1, to), to },
    };
  }
}

const nameOf = (token: Token) => (token.kind === "quoted" ? token.value : token.text);

/** The variables and parameters that a range of tokens reads, one entry for each time. */
export function readsIn(tokens: readonly Token[], { from, to }: Range): { name: string; at: number }[] {
  const found: { name: string; at: number }[] = [];
  for (let at = from; at < to; at += 1) {
    const token = tokens[at];
    if (!token) continue;
    if (token.kind === "parameter") found.push({ name: token.text, at });
    if (!isName(token) || (token.kind === "word" && WORDS.has(token.value))) continue;
    const before = tokens[at - 1];
    const after = tokens[at + 1]?.text;
    const isProperty = before?.text === ".";
    const isKeyOrCall = after === "(" || (after === ":" && /^[{,]$/.test(before?.text ?? ""));
    const isType = before?.text === ":" && tokens[at - 2]?.text !== "{" && isInPattern(tokens, at);
    if (!isProperty && !isKeyOrCall && !isType) found.push({ name: nameOf(token), at });
  }
  return found;
}

/** `(a:Label)`, `-[:TYPE]-`: after a name or an opening bracket and a colon; `{key: value}` is none. */
function isInPattern(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 2];
  return before?.text === "(" || before?.text === "[" || (isName(before) && !/^[{,]$/.test(tokens[at - 3]?.text ?? ""));
}

const WORDS = new Set(
  `CASE WHEN THEN ELSE END AND OR XOR NOT IN IS NULL TRUE FALSE STARTS ENDS WITH CONTAINS DISTINCT AS WHERE MATCH OPTIONAL
  RETURN UNWIND CALL YIELD ORDER BY ASC DESC ASCENDING DESCENDING SKIP LIMIT UNION ALL ANY NONE SINGLE COUNT EXISTS
  COLLECT`.split(/\s+/),
);

/**
 * Whether the variable that is read there is a list of which the loop takes another element each time it goes round, or
 * one beside it: `l[i]`, `nodes(p)[i + 1]`, where `i` counts through a range. All of them come to the list once.
 */
export function isElement(tokens: readonly Token[], { variable, list }: Loop, at: number): boolean {
  const isInside = tokens[at + 1]?.text === ")" && isWord(tokens[at - 2], "NODES", "RELATIONSHIPS");
  const open = isInside ? at + 2 : at + 1;
  const [first, sign, number, ...more] = tokens.slice(open + 1, tokens[open]?.partner);
  const isCounting = isWord(tokens[list.from], "RANGE") && tokens[list.from + 1]?.partner === list.to - 1;
  return (
    isCounting &&
    tokens[open]?.text === "[" &&
    isName(first) &&
    nameOf(first) === variable &&
    (sign === undefined || (/^[+-]$/.test(sign.text) && number?.kind === "number" && more.length === 0))
  );
}
