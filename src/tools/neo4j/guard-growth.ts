import { CypherError } from "../../errors.js";
import type { GraphRow, GraphValue } from "../../types/knowledge.js";
import {
  type CypherToken,
  calls,
  commaRanges,
  isName,
  isWord,
  type Range,
  readsIn,
  tokenName,
} from "./cypher-tokens.js";

// Set by hand. docs/cypher-guard.md says what the server does without each limit.
/** The most elements of one range(), and the most results of one call of a vector index. */
const MOST_ELEMENTS = 1_000;
/** The most uses of a loop's element in its result. */
const MOST_IN_LOOP = 8;
/** The most characters of a text in the result of a loop, of those to trim, and of a text that is found fast. */
const LONGEST_TEXT = 20;
/** The most elements of a parameter over which a loop may run inside another. */
const FEW = 20;
/** The assumed length of a text or a list in the graph. */
const USUAL = 1_000;
/** The most times that a value may be copied into itself. */
const MOST_COPIES = 64;
/** The most characters or elements that the query can concatenate of what it is given. */
const LONGEST = 10_000_000;
/** The assumed number of elements that rows were collected into. */
const COLLECTED = 100_000;
/** The most steps of all loops and searches in one row: characters compared. Reading one takes as long as five of them. */
const MOST_STEPS = 1_000_000_000;
const READING = 5;

/**
 * Refuses expressions whose value or cost grows without bound. The server checks its limits on time and memory between
 * rows alone: `WITH s + s AS s` thirty times ends the whole server.
 * @throws CypherError with what to write instead.
 */
export function checkGrowth(tokens: readonly CypherToken[], parameters: GraphRow): void {
  checkCalls(tokens, parameters);
  const loops = loopsIn(tokens);
  const made = new Set(tokens.filter((_, at) => isWord(tokens[at - 1], "AS")).map(tokenName));
  for (const loop of loops) checkNesting(tokens, parameters, loops, loop);
  const copies = copiesIn(tokens, parameters, new Set([...made, ...loops.map(({ variable }) => variable)]));
  for (const loop of loops) checkValue(tokens, loops, made, loop);
  if (copies > MOST_COPIES) throw refused("The query copies its own values too often. Return them once each.");
  const sums = tokens.filter(({ text }) => text === "+" || text === "||").length;
  if (stepsIn(tokens, parameters, loops, made, copies * (1 + sums)) > MOST_STEPS)
    throw refused("What is searched, looked for or looped over is too long. Concatenate fewer texts or lists.");
}

/**
 * Estimates the most steps of all loops and searches in one row. A search may take the square of a text. A loop takes
 * what its body reads and searches, for each element of its list; one of two loops in each other is short.
 * @param grown how many times larger than what is given a value may be.
 */
function stepsIn(
  tokens: readonly CypherToken[],
  parameters: GraphRow,
  loops: readonly Loop[],
  made: ReadonlySet<string>,
  grown: number,
): number {
  const given = tokens.flatMap((token) => givenBy(token, parameters));
  const longest = (isOne: (value: GraphValue) => boolean) => Math.max(1, ...given.filter(isOne).map(lengthOf)) * grown;
  const [text, list] = [longest((value) => typeof value === "string"), longest(Array.isArray)];
  if (Math.max(text, list) > LONGEST) return Number.POSITIVE_INFINITY;
  const usual = Math.max(text, USUAL * grown);
  const searches = [...tokens.keys()].filter((at) => isSearch(tokens, at));
  const work = loops.map((loop) => {
    const isMade = readsIn(tokens, loop.list).some(({ name }) => made.has(name));
    const isNested = loops.some((other) => isIn(other.body, loop.list.from) || isIn(loop.body, other.list.from));
    const turns = (isMade ? COLLECTED : Math.max(list, usual)) * (isNested ? Math.max(FEW, list) : 1);
    const sought = searches.filter((at) => isIn(loop.body, at)).length;
    const read = READING * readsIn(tokens, loop.body).length * (isMade ? text : usual);
    return turns * (read + sought * text ** 2);
  });
  return work.reduce((total, one) => total + one, searches.length * usual ** 2);
}

/**
 * True for what may take the square of a text's characters: Java copies a text anew for each letter that it makes longer,
 * as toUpper('ß') does. A search for a short text takes no more steps than the text has characters.
 */
const isSearch = (tokens: readonly CypherToken[], at: number) =>
  (isWord(tokens[at], "CONTAINS") && !isShortText(tokens, at + 1)) || isCallOf(tokens, at, SLOW);

const SLOW = ["REPLACE", "SPLIT", "TOUPPER", "TOLOWER", "UPPER", "LOWER", "NORMALIZE"];

/** True for a short quoted text to which nothing is concatenated. */
const isShortText = (tokens: readonly CypherToken[], at: number) =>
  tokens[at]?.kind === "text" &&
  tokens[at].value.length <= LONGEST_TEXT &&
  !/^(?:\+|\|\|)$/.test(tokens[at + 1]?.text ?? "");

const refused = (message: string) => new CypherError(message, true);

/** Checks the calls whose cost their arguments decide. */
function checkCalls(tokens: readonly CypherToken[], parameters: GraphRow): void {
  for (const { name, open } of calls(tokens)) {
    if (open === undefined) continue;
    const given = argumentsAt(tokens, open);
    const numbers = given.map((range) => numberIn(tokens, range, parameters));
    if (name.toLowerCase() === "range") {
      const [first = Number.NaN, last = Number.NaN, step = 1] = numbers;
      if (!(Math.abs(last - first) / Math.max(1, Math.abs(step)) < MOST_ELEMENTS))
        throw refused(`range() needs whole numbers and returns at most ${MOST_ELEMENTS} elements. Or use UNWIND.`);
    }
    if (/^db\.index\.vector\.query/.test(name) && !((numbers[1] ?? Number.NaN) <= MOST_ELEMENTS))
      throw refused(`Ask a vector index for at most ${MOST_ELEMENTS} neighbours, as a whole number or a parameter.`);
    if (/^[blr]trim$/i.test(name) && given[1] && !isShortText(tokens, given[1].from))
      throw refused(`${name}() takes the characters as a quoted text of at most ${LONGEST_TEXT}.`);
  }
}

const argumentsAt = (tokens: readonly CypherToken[], open: number) =>
  commaRanges(tokens, open + 1, tokens[open]?.partner ?? open);

/** Returns the number that a range of tokens stands for; NaN if it is unknown. */
function numberIn(tokens: readonly CypherToken[], { from, to }: Range, parameters: GraphRow): number {
  const isNegative = tokens[from]?.text === "-";
  const [token, ...more] = tokens.slice(isNegative ? from + 1 : from, to);
  const written = token?.kind === "number" ? Number(token.text.replaceAll("_", "")) : undefined;
  const value = token?.kind === "parameter" ? parameters[token.value] : written;
  if (typeof value !== "number" || more.length > 0) return Number.NaN;
  return isNegative ? -value : value;
}

/** A loop in an expression: `[x IN list WHERE test | value]`, `all(x IN list WHERE test)`. */
interface Loop {
  variable: string;
  list: Range;
  /** The test and the value, which are computed for each element. */
  body: Range;
  /** The part of the body after `|`, which goes into the result. */
  value: Range;
}

/** Finds the loops inside expressions, which the server cannot stop. */
function loopsIn(tokens: readonly CypherToken[]): Loop[] {
  return tokens.flatMap((bracket, open) => {
    const isLoop =
      bracket.text === "[" || (bracket.text === "(" && isWord(tokens[open - 1], "ALL", "ANY", "NONE", "SINGLE"));
    const [variable, to] = [tokens[open + 1], bracket.partner];
    if (!isLoop || to === undefined || !isName(variable) || !isWord(tokens[open + 2], "IN")) return [];
    const first = (isIt: (token: CypherToken, at: number) => boolean) => {
      const at = tokens.findIndex((token, at) => at > open && token.depth === variable.depth && isIt(token, at));
      return at < 0 || at > to ? to : at;
    };
    const bar = first(({ text }, at) => text === "|" && tokens[at - 1]?.text !== ":");
    const where = first((token) => isWord(token, "WHERE"));
    const body = { from: Math.min(bar, where), to };
    const value = { from: Math.min(bar + 1, to), to };
    return [{ variable: tokenName(variable), list: { from: open + 3, to: body.from }, body, value }];
  });
}

/** Allows one loop inside another if one of the two lists is small. */
function checkNesting(tokens: readonly CypherToken[], parameters: GraphRow, loops: readonly Loop[], { list }: Loop) {
  const isSmall = (range: Range, element?: string) =>
    range.to - range.from <= 3 * FEW &&
    !tokens.some((_, at) => isIn(range, at) && isCallOf(tokens, at, ["SPLIT"])) &&
    readsIn(tokens, range).every(
      ({ name, at }) =>
        name === element ||
        (name.startsWith("$") && givenBy(tokens[at], parameters).every((value) => lengthOf(value) <= FEW)) ||
        (tokens[at + 1]?.text === "." && !name.startsWith("$")) ||
        isCallOf(tokens, at - 2, ["NODES", "RELATIONSHIPS", "LABELS", "KEYS"]),
    );
  const [outer, ...further] = loops.filter(({ body }) => isIn(body, list.from));
  if (outer && (further.length > 0 || !(isSmall(list, outer.variable) || isSmall(outer.list))))
    throw refused("Loops over lists are nested too deep. Use UNWIND or MATCH for the inner list.");
}

/** Checks that the result for each element stays small. */
function checkValue(
  tokens: readonly CypherToken[],
  loops: readonly Loop[],
  made: ReadonlySet<string>,
  { variable, body, value }: Loop,
) {
  if (tokens.some((_, at) => isIn(body, at) && isCallOf(tokens, at, ["RANGE"])))
    throw refused("A list comprehension must not call range() for each element. Use UNWIND.");
  const reads = readsIn(tokens, value);
  const isLong = ({ kind, text }: CypherToken) => kind === "text" && text.length > LONGEST_TEXT;
  if (
    reads.filter(({ name }) => name === variable).length > MOST_IN_LOOP ||
    tokens.slice(value.from, value.to).some(isLong)
  )
    throw refused("A list comprehension returns too much for each element. Return fewer values for each.");
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

/** True for the name of one of these functions, in upper case, before its arguments. */
const isCallOf = (tokens: readonly CypherToken[], at: number, names: readonly string[]) => {
  const name = tokens[at];
  return isName(name) && tokens[at + 1]?.text === "(" && names.includes(tokenName(name).toUpperCase());
};

/** Estimates how many times larger than its parts the largest value can become. */
function copiesIn(tokens: readonly CypherToken[], parameters: GraphRow, made: ReadonlySet<string>): number {
  let product = 1;
  for (const { name, open } of calls(tokens)) {
    if (name.toLowerCase() !== "replace" || open === undefined) continue;
    // It can replace every letter with a longer text.
    const by = argumentsAt(tokens, open)[2];
    const text = by && by.to - by.from === 1 ? textValue(tokens[by.from], parameters) : undefined;
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

const isNextClause = (tokens: readonly CypherToken[], at: number) =>
  isWord(tokens[at], ..."MATCH OPTIONAL WHERE UNWIND CALL ORDER SKIP OFFSET LIMIT RETURN UNION".split(" ")) ||
  (isWord(tokens[at], "WITH") && !isWord(tokens[at - 1], "STARTS", "ENDS"));

/** Lists the value of a quoted text or a parameter, and all values inside it. */
const givenBy = (token: CypherToken | undefined, parameters: GraphRow): GraphValue[] =>
  token?.kind === "text" ? [token.value] : token?.kind === "parameter" ? within(parameters[token.value] ?? null) : [];

const within = (value: GraphValue): GraphValue[] =>
  typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(within)] : [value];

const lengthOf = (value: GraphValue) => (typeof value === "string" || Array.isArray(value) ? value.length : 1);

/** Returns the value of a quoted text, or of a parameter that is a text. */
export const textValue = (token: CypherToken | undefined, parameters: GraphRow): string | undefined => {
  const value =
    token?.kind === "text" ? token.value : token?.kind === "parameter" ? parameters[token.value] : undefined;
  return typeof value === "string" ? value : undefined;
};
