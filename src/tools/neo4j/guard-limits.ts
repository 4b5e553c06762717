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

const refused = (message: string) => new CypherError(message, true);

/**
 * Refuses queries that the server plans slowly, which neither its time limit nor its memory limit stops. One line may
 * take a minute. Twenty times `(A|B)` joined by `&` took all memory, since the server lists all combinations.
 * @throws CypherError that names what the query has too much of.
 */
export function checkSize(tokens: readonly CypherToken[]): void {
  for (const { what, most, count } of SIZES)
    if (count(tokens) > most) throw refused(`At most ${most} ${what}. Write a simpler query.`);
}

type Count = (tokens: readonly CypherToken[]) => number;
type Is = (token: CypherToken, at: number, tokens: readonly CypherToken[]) => boolean;

const all =
  (is: Is): Count =>
  (tokens) =>
    tokens.filter(is).length;
const words = (...values: string[]) => all((token) => isWord(token, ...values));
const signs = (pattern: RegExp) => all(({ kind, text }) => kind === "symbol" && pattern.test(text));

/** `A&B`, `!A`, `A:B`. */
const isLabelSign: Is = ({ text }, at, tokens) => /^[&!]$/.test(text) || (text === ":" && tokens[at - 2]?.text === ":");

/** `A|B` outside `[:A|B]`, and OR or XOR next to a label. */
const isLabelChoice: Is = (token, at, tokens) => {
  if (isWord(token, "OR", "XOR")) return tokens.slice(Math.max(0, at - 4), at + 4).some(isLabelTest);
  if (token.text !== "|") return false;
  let start = at;
  while (isName(tokens[start]) || /^[|:]$/.test(tokens[start]?.text ?? "")) start--;
  return tokens[start]?.text !== "[";
};

const isLabelTest: Is = (token, at, near) =>
  token.text === ":" || (isWord(token, "IS") && !isWord(near[at + 1], "NULL", "NOT"));

const isRelationship: Is = ({ text }, at, tokens) => text === "-" && /^[[-]$/.test(tokens[at + 1]?.text ?? "");

/** The length of the longest chain such as `a.b.c.d` or `a[0][0]`. */
const longestChain: Count = (tokens) => {
  let longest = 0;
  let chain = 0;
  for (const [at, { text }] of tokens.entries()) {
    if (text === "." || (text === "[" && tokens[at - 1]?.text === "]")) chain++;
    else if (tokens[at - 1]?.text !== "." && text !== "]") chain = 0;
    longest = Math.max(longest, chain);
  }
  return longest;
};

const deepestBraces: Count = (tokens) => {
  const braces = tokens.flatMap(({ text, partner = 0 }, at) => (text === "{" ? [{ at, partner }] : []));
  return Math.max(0, ...braces.map(({ at }) => braces.filter((one) => one.at <= at && at < one.partner).length));
};

const SIZES: readonly { what: string; most: number; count: Count }[] = [
  {
    what: "words and signs, values in lists not counted",
    most: 1_000,
    count: all(({ kind, text }) => kind !== "text" && kind !== "number" && text !== ","),
  },
  { what: "relationships in patterns", most: 20, count: all(isRelationship) },
  { what: "MATCH", most: 20, count: words("MATCH") },
  { what: "UNION", most: 10, count: words("UNION") },
  { what: "XOR", most: 5, count: words("XOR") },
  { what: "AND, OR and NOT", most: 60, count: words("AND", "OR", "NOT") },
  { what: "sums, products and comparisons", most: 100, count: signs(/^(?:[+*/%^<>=]|\|\|)$/) },
  { what: "alternatives with |", most: 50, count: signs(/^\|$/) },
  { what: "labels with & or ! or : between", most: 20, count: all(isLabelSign) },
  { what: "labels to choose from", most: 12, count: all(isLabelChoice) },
  { what: "properties in a chain", most: 10, count: longestChain },
  { what: "braces inside each other", most: 8, count: deepestBraces },
];

// Set by hand. docs/cypher-guard.md says what the server does without each limit.
/** The most elements of one range(), and the most results of one call of a vector index. */
const MAX_ELEMENTS = 1_000;
/** The most uses of a loop's element in its result. */
const MAX_USES_IN_LOOP = 8;
/** The most characters of a text in the result of a loop, of those to trim, and of a text that is found fast. */
const MAX_TEXT_LENGTH = 20;
/** The most elements of a parameter over which a loop may run inside another. */
const FEW = 20;
/** The assumed length of a text or a list in the graph. */
const ASSUMED_LENGTH = 1_000;
/** The most times that a value may be copied into itself. */
const MAX_COPIES = 64;
/** The most characters or elements that the query can concatenate of what it is given. */
const MAX_CONCATENATED = 10_000_000;
/** The assumed number of elements that rows were collected into. */
const COLLECTED = 100_000;
/** The most steps of all loops and searches in one row: characters compared. Reading one takes as long as five of them. */
const MAX_STEPS = 1_000_000_000;
const STEPS_TO_READ = 5;

/**
 * Refuses expressions whose value or cost grows without bound. The server checks its limits on time and memory between
 * rows alone: `WITH s + s AS s` thirty times ends the whole server.
 * @throws CypherError with what to write instead.
 */
export function checkGrowth(tokens: readonly CypherToken[], parameters: GraphRow): void {
  checkCalls(tokens, parameters);
  const loops = loopsIn(tokens);
  const made = new Set(tokens.filter((_, at) => isWord(tokens[at - 1], "AS")).map(tokenName));
  const query = { tokens, parameters, loops, made };
  for (const loop of loops) checkNesting(query, loop);
  for (const loop of loops) checkValue(query, loop);
  const copies = copiesIn(query);
  if (copies > MAX_COPIES) throw refused("The query copies its own values too often. Return them once each.");
  const sums = tokens.filter(({ text }) => text === "+" || text === "||").length;
  if (stepsIn(query, copies * (1 + sums)) > MAX_STEPS)
    throw refused("What is searched, looked for or looped over is too long. Concatenate fewer texts or lists.");
}

/** A query with its loops and the names that it gives to values. */
interface Query {
  tokens: readonly CypherToken[];
  parameters: GraphRow;
  loops: readonly Loop[];
  made: ReadonlySet<string>;
}

/**
 * Estimates the most steps of all loops and searches in one row. A search may take the square of a text. A loop takes
 * what its body reads and searches, for each element of its list; one of two loops in each other is short.
 * @param grown how many times larger than what is given a value may be.
 */
function stepsIn({ tokens, parameters, loops, made }: Query, grown: number): number {
  const given = tokens.flatMap((token) => givenBy(token, parameters));
  const longest = (isOne: (value: GraphValue) => boolean) => Math.max(1, ...given.filter(isOne).map(lengthOf)) * grown;
  const [text, list] = [longest((value) => typeof value === "string"), longest(Array.isArray)];
  if (Math.max(text, list) > MAX_CONCATENATED) return Number.POSITIVE_INFINITY;
  const usual = Math.max(text, ASSUMED_LENGTH * grown);
  const searches = [...tokens.keys()].filter((at) => isSearch(tokens, at));
  const work = loops.map((loop) => {
    const isMade = readsIn(tokens, loop.list).some(({ name }) => made.has(name));
    const isNested = loops.some((other) => isIn(other.body, loop.list.from) || isIn(loop.body, other.list.from));
    const turns = (isMade ? COLLECTED : Math.max(list, usual)) * (isNested ? Math.max(FEW, list) : 1);
    const sought = searches.filter((at) => isIn(loop.body, at)).length;
    const read = STEPS_TO_READ * readsIn(tokens, loop.body).length * (isMade ? text : usual);
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
  tokens[at].value.length <= MAX_TEXT_LENGTH &&
  !/^(?:\+|\|\|)$/.test(tokens[at + 1]?.text ?? "");

/** Checks the calls whose cost their arguments decide. */
function checkCalls(tokens: readonly CypherToken[], parameters: GraphRow): void {
  for (const { name, open } of calls(tokens)) {
    if (open === undefined) continue;
    const given = argumentsAt(tokens, open);
    const numbers = given.map((range) => numberIn(tokens, range, parameters));
    if (name.toLowerCase() === "range") {
      const [first = Number.NaN, last = Number.NaN, step = 1] = numbers;
      if (!(Math.abs(last - first) / Math.max(1, Math.abs(step)) < MAX_ELEMENTS))
        throw refused(`range() needs whole numbers and returns at most ${MAX_ELEMENTS} elements. Or use UNWIND.`);
    }
    if (/^db\.index\.vector\.query/.test(name) && !((numbers[1] ?? Number.NaN) <= MAX_ELEMENTS))
      throw refused(`Ask a vector index for at most ${MAX_ELEMENTS} neighbours, as a whole number or a parameter.`);
    if (/^[blr]trim$/i.test(name) && given[1] && !isShortText(tokens, given[1].from))
      throw refused(`${name}() takes the characters as a quoted text of at most ${MAX_TEXT_LENGTH}.`);
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
function checkNesting({ tokens, parameters, loops }: Query, { list }: Loop) {
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
function checkValue({ tokens, loops, made }: Query, { variable, body, value }: Loop) {
  if (tokens.some((_, at) => isIn(body, at) && isCallOf(tokens, at, ["RANGE"])))
    throw refused("A list comprehension must not call range() for each element. Use UNWIND.");
  const reads = readsIn(tokens, value);
  const isLong = ({ kind, text }: CypherToken) => kind === "text" && text.length > MAX_TEXT_LENGTH;
  if (
    reads.filter(({ name }) => name === variable).length > MAX_USES_IN_LOOP ||
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
function copiesIn({ tokens, parameters, loops, made }: Query): number {
  const own = new Set([...made, ...loops.map(({ variable }) => variable)]);
  let product = 1;
  for (const { name, open } of calls(tokens)) {
    if (name.toLowerCase() !== "replace" || open === undefined) continue;
    // It can replace every letter with a longer text.
    const by = argumentsAt(tokens, open)[2];
    const text = by && by.to - by.from === 1 ? textValue(tokens[by.from], parameters) : undefined;
    product *= text === undefined ? MAX_COPIES : text.length + 1;
  }
  for (const [index, token] of tokens.entries()) {
    if (!isWord(token, "WITH", "RETURN", "UNWIND") || isWord(tokens[index - 1], "STARTS", "ENDS")) continue;
    const next = tokens.findIndex(
      (other, at) =>
        at > index && (other.depth < token.depth || (other.depth === token.depth && isNextClause(tokens, at))),
    );
    const reads = readsIn(tokens, { from: index + 1, to: next < 0 ? tokens.length : next });
    const taken = reads.filter(
      ({ name, at }) => own.has(name) && !isWord(tokens[at - 1], "AS") && !isWord(tokens[at + 1], "IN"),
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
  token?.kind === "text" ? [token.value] : token?.kind === "parameter" ? valuesIn(parameters[token.value] ?? null) : [];

const valuesIn = (value: GraphValue): GraphValue[] =>
  typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(valuesIn)] : [value];

const lengthOf = (value: GraphValue) => (typeof value === "string" || Array.isArray(value) ? value.length : 1);

/** Returns the value of a quoted text, or of a parameter that is a text. */
export const textValue = (token: CypherToken | undefined, parameters: GraphRow): string | undefined => {
  const value =
    token?.kind === "text" ? token.value : token?.kind === "parameter" ? parameters[token.value] : undefined;
  return typeof value === "string" ? value : undefined;
};
