import { CypherError } from "../../../errors.js";
import type { GraphRow } from "../../../types/graph.js";
import { calls, commaRanges, isName, isWord, nameOf, type Range, readsIn, type Token } from "./tokens.js";

/**
 * Refuses what a few words make endless inside of one expression. The server's time limit counts between rows only, and
 * its memory limit does not see expressions: `WITH s + s AS s` thirty times ends the whole server.
 * @throws CypherError with what to write instead.
 */
export function checkGrowth(tokens: readonly Token[], parameters: GraphRow): void {
  checkLists(tokens, parameters);
  const loops = loopsIn(tokens);
  for (const loop of loops) checkNesting(tokens, loop, loops);
  for (const loop of loops) checkValue(tokens, loop, loops);
  const copies = copiesIn(tokens, loops, parameters);
  if (copies > MOST_COPIES) throw refused("The query copies its own values too often. Return them once each.");
  checkSearches(tokens, parameters, loops, copies);
}

const refused = (message: string) => new CypherError(message, true);

/** What one range() may hold, and one call of a vector index return. */
const MOST_ELEMENTS = 1_000;
/** What all ranges, and lists written out after UNWIND, may come to when each is combined with each. */
const MOST_COMBINED = 10_000;
/** How often a value that the query worked out may be taken up again, multiplied over all of its clauses. */
const MOST_COPIES = 64;
/** How often a loop's element may go into its result, and how long a text in it may be. */
const MOST_IN_LOOP = 8;
const LONGEST_TEXT = 20;

/** What range() makes is no part of the graph, and not counted by the server as it is made: so its bounds must be known. */
function checkLists(tokens: readonly Token[], parameters: GraphRow): void {
  let combined = 1;
  for (const { name, open } of calls(tokens)) {
    if (open === undefined) continue;
    const numbers = argumentsAt(tokens, open).map((range) => numberIn(tokens, range, parameters));
    if (name.toLowerCase() === "range") {
      const [first = Number.NaN, last = Number.NaN, step = 1] = numbers;
      const many = Math.abs(last - first) / Math.max(1, Math.abs(step));
      if (!(many < MOST_ELEMENTS))
        throw refused(`range() takes whole numbers and makes at most ${MOST_ELEMENTS} elements. Or use UNWIND.`);
      combined *= Math.max(1, many);
    }
    if (/^db\.index\.vector\.query/.test(name) && !((numbers[1] ?? Number.NaN) <= MOST_ELEMENTS))
      throw refused(
        `A vector index is asked for at most ${MOST_ELEMENTS} neighbours, as a whole number or a parameter.`,
      );
  }
  for (const [at, token] of tokens.entries())
    if (token.text === "[" && isWord(tokens[at - 1], "UNWIND")) combined *= Math.max(1, argumentsAt(tokens, at).length);
  if (combined > MOST_COMBINED)
    throw refused(`Lists that are combined with each other may come to ${MOST_COMBINED} rows. Write shorter ones.`);
}

const argumentsAt = (tokens: readonly Token[], open: number) =>
  commaRanges(tokens, open + 1, tokens[open]?.partner ?? open);

/** NaN for what may be any number. */
function numberIn(tokens: readonly Token[], { from, to }: Range, parameters: GraphRow): number {
  const isNegative = tokens[from]?.text === "-";
  const [token, ...more] = tokens.slice(isNegative ? from + 1 : from, to);
  const value =
    token?.kind === "parameter"
      ? parameters[token.value]
      : token?.kind === "number"
        ? Number(token.text.replaceAll("_", ""))
        : undefined;
  if (typeof value !== "number" || more.length > 0) return Number.NaN;
  return isNegative ? -value : value;
}

/** `[x IN list WHERE test | value]`, `all(x IN list WHERE test)`. */
interface Loop {
  variable: string;
  list: Range;
  /** The test and the value: what is worked out once for each element. */
  body: Range;
  /** The part of the body after `|`, which ends up in the result. */
  value: Range;
}

/** The loops inside of expressions. Unlike rows, the server cannot stop them. */
function loopsIn(tokens: readonly Token[]): Loop[] {
  return tokens.flatMap((bracket, open) => {
    const isLoop = bracket.text === "[" || (bracket.text === "(" && isWord(tokens[open - 1], ...QUANTIFIERS));
    const [variable, to] = [tokens[open + 1], bracket.partner];
    if (!isLoop || to === undefined || !isName(variable) || !isWord(tokens[open + 2], "IN")) return [];
    const first = (isIt: (token: Token, at: number) => boolean) => {
      const at = tokens.findIndex((token, at) => at > open && token.depth === variable.depth && isIt(token, at));
      return at < 0 || at > to ? to : at;
    };
    const bar = first(({ text }, at) => text === "|" && tokens[at - 1]?.text !== ":");
    const where = Math.min(
      bar,
      first((token) => isWord(token, "WHERE")),
    );
    return [
      {
        variable: nameOf(variable),
        list: { from: open + 3, to: where },
        body: { from: where, to },
        value: { from: Math.min(bar + 1, to), to },
      },
    ];
  });
}

const QUANTIFIERS = ["ALL", "ANY", "NONE", "SINGLE"];

/** At most a loop in a loop, and one of the two over a list that is small: not every collected value with each other. */
function checkNesting(tokens: readonly Token[], { list }: Loop, loops: readonly Loop[]): void {
  const [outer, ...further] = loops.filter(({ body }) => body.from <= list.from && list.to <= body.to);
  if (outer && (further.length > 0 || !(isSmall(tokens, list, outer.variable) || isSmall(tokens, outer.list))))
    throw refused("Loops over lists are nested too deep. Use UNWIND or MATCH for the inner list.");
}

/** Little is made of each element, and no value of any size comes once for each. */
function checkValue(tokens: readonly Token[], { variable, body, value }: Loop, loops: readonly Loop[]): void {
  if (callsOf(tokens, "range").some((open) => isIn(body, open)))
    throw refused("A list comprehension takes no range() for each element. Use UNWIND.");
  const reads = readsIn(tokens, value);
  const isLong = ({ kind, text }: Token) => kind === "text" && text.length > LONGEST_TEXT;
  if (
    reads.filter(({ name }) => name === variable).length > MOST_IN_LOOP ||
    tokens.slice(value.from, value.to).some(isLong)
  )
    throw refused("A list comprehension makes too much of each element. Return fewer values for each.");
  const made = madeIn(tokens);
  const isOutside = ({ name, at }: { name: string; at: number }) =>
    !loops.some((loop) => loop.variable === name && isIn(loop.body, at)) &&
    !isWord(tokens[at + 1], "IN") &&
    (tokens[at + 1]?.text !== "." || name.startsWith("$") || made.has(name));
  if (reads.some(isOutside))
    throw refused(
      "A list comprehension may return its own element and the properties of nodes, nothing else. Use UNWIND.",
    );
}

const isIn = ({ from, to }: Range, at: number) => from <= at && at < to;

/** The brackets that open the arguments of a function, however its name is written. */
const callsOf = (tokens: readonly Token[], ...names: string[]): number[] =>
  calls(tokens).flatMap(({ name, open }) => (open !== undefined && names.includes(name.toLowerCase()) ? [open] : []));

/** Written out, a property, a part of a path, or a part of the outer loop's element. */
const isSmall = (tokens: readonly Token[], list: Range, outer?: string) =>
  readsIn(tokens, list).every(
    ({ name, at }) =>
      name === outer ||
      name.startsWith("$") ||
      tokens[at + 1]?.text === "." ||
      (tokens[at - 1]?.text === "(" && isWord(tokens[at - 2], "NODES", "RELATIONSHIPS", "LABELS", "KEYS")),
  );

/** The variables that the query gave a value of its own, which may be anything. */
const madeIn = (tokens: readonly Token[]): ReadonlySet<string> =>
  new Set(tokens.filter((_, at) => isWord(tokens[at - 1], "AS")).map(nameOf));

/** How many times larger than its parts the largest value can become. */
function copiesIn(tokens: readonly Token[], loops: readonly Loop[], parameters: GraphRow): number {
  const made = new Set([...madeIn(tokens), ...loops.map(({ variable }) => variable)]);
  let product = 1;
  for (const open of callsOf(tokens, "replace")) {
    // It can put a longer text in the place of every letter.
    const by = argumentsAt(tokens, open)[2];
    const text = by && by.to - by.from === 1 ? textOf(tokens[by.from], parameters) : undefined;
    product *= text === undefined ? MOST_COPIES : text.length + 1;
  }
  for (const [index, token] of tokens.entries()) {
    if (!isWord(token, "WITH", "RETURN", "UNWIND") || isWord(tokens[index - 1], "STARTS", "ENDS")) continue;
    const next = tokens.findIndex(
      (other, at) =>
        at > index && (other.depth < token.depth || (other.depth === token.depth && isNextClause(tokens, at))),
    );
    const reads = readsIn(tokens, { from: index + 1, to: next < 0 ? tokens.length : next });
    const taken = reads.filter(
      ({ name, at }) => made.has(name) && !isWord(tokens[at - 1], "AS") && !isWord(tokens[at + 1], "IN"),
    );
    product *= Math.max(1, ...[...Map.groupBy(taken, ({ name }) => name).values()].map(({ length }) => length));
  }
  return product;
}

/** What a text in quotes or a parameter stands for. */
export const textOf = (token: Token | undefined, parameters: GraphRow): string | undefined => {
  const value =
    token?.kind === "text" ? token.value : token?.kind === "parameter" ? parameters[token.value] : undefined;
  return typeof value === "string" ? value : undefined;
};

const isNextClause = (tokens: readonly Token[], at: number) =>
  isWord(tokens[at], ..."MATCH OPTIONAL WHERE UNWIND CALL ORDER SKIP OFFSET LIMIT RETURN UNION".split(" ")) ||
  (isWord(tokens[at], "WITH") && !isWord(tokens[at - 1], "STARTS", "ENDS"));

/** Characters of the longest text of a graph that is thought of, and how many elements a list that is looped over has. */
const LENGTH = 10_000;
const LOOP = 20;
/** Letters compared, of what is searched times of what is searched for. */
const MOST_STEPS = 10_000_000_000;

/**
 * Refuses to look for a long text in a long one, which Java does letter by letter at every letter: CONTAINS, replace()
 * and split(). Two texts of the graph are no trouble, nor is a short one that is written out; two that a query added up are.
 */
function checkSearches(tokens: readonly Token[], parameters: GraphRow, loops: readonly Loop[], copies: number): void {
  const sums = tokens.filter(({ text }) => text === "+" || text === "||").length;
  const longest = LENGTH * copies * (1 + sums);
  const searches = [
    ...tokens.flatMap((token, at) => (isWord(token, "CONTAINS") ? [at + 1] : [])),
    ...callsOf(tokens, "replace", "split").flatMap((open) =>
      argumentsAt(tokens, open)
        .slice(1, 2)
        .map(({ from }) => from),
    ),
  ];
  const steps = searches.map((at) => {
    const around = loops.filter(({ body }) => isIn(body, at)).length;
    return longest * (writtenAt(tokens, at, parameters)?.length ?? longest) * LOOP ** around;
  });
  if (steps.reduce((sum, each) => sum + each, 0) > MOST_STEPS)
    throw refused("The texts that are looked for or looked through are too long. Add fewer texts up.");
}

/** `'ada'`, `$name`, `toLower($name)`, with nothing added. */
function writtenAt(tokens: readonly Token[], at: number, parameters: GraphRow): string | undefined {
  const isCalled = isWord(tokens[at], "TOLOWER", "TOUPPER", "LOWER", "UPPER", "TRIM") && tokens[at + 1]?.text === "(";
  const text = isCalled ? at + 2 : at;
  const next = tokens[isCalled ? at + 4 : at + 1]?.text ?? "";
  const isAlone = (!isCalled || tokens[at + 3]?.text === ")") && !/^(?:\+|\|\||\.|\[)$/.test(next);
  return isAlone ? textOf(tokens[text], parameters) : undefined;
}
