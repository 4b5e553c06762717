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

/**
 * Refuses expressions whose cost or value grows without bound. The server checks its time limit only between rows, and its
 * memory limit does not cover expressions: `WITH s + s AS s` thirty times ends the whole server.
 * @throws CypherError with what to write instead.
 */
export function checkGrowth(tokens: readonly CypherToken[], parameters: GraphRow): void {
  checkLists(tokens, parameters);
  const [loops, made] = [loopsIn(tokens), madeIn(tokens)];
  const copies = copiesIn(tokens, parameters, new Set([...made, ...loops.map(({ variable }) => variable)]));
  const query = { tokens, parameters, loops, made, sizes: sizesIn(tokens, parameters, made, copies) };
  for (const loop of loops) checkNesting(query, loop);
  if (copies > MOST_COPIES) throw refused("The query copies its own values too often. Return them once each.");
  checkSearches(query);
  checkWork(query);
  for (const loop of loops) checkValue(query, loop);
}

/** A query, with what is worked out once for all checks. */
interface Query {
  tokens: readonly CypherToken[];
  parameters: GraphRow;
  loops: readonly Loop[];
  /** The variables after AS. Their values are computed and may have any size. */
  made: ReadonlySet<string>;
  sizes: Sizes;
}

const refused = (message: string) => new CypherError(message, true);

// Set by hand, so that accepted queries end within seconds. docs/cypher-guard.md says what each rule stops.
/** The most elements of one range(), and the most results of one call of a vector index. */
const MOST_ELEMENTS = 1_000;
/** The most rows from combining all ranges and all literal lists after UNWIND. */
const MOST_COMBINED = 10_000;
/** The most uses of a computed value, multiplied over all clauses. */
const MOST_COPIES = 64;
/** The most uses of a loop's element in its result. */
const MOST_IN_LOOP = 8;
/** The most characters of a text in the result of a loop. */
const LONGEST_TEXT = 20;

/** Checks that range() has known bounds, since the server does not limit its elements. */
function checkLists(tokens: readonly CypherToken[], parameters: GraphRow): void {
  let combined = 1;
  for (const { name, open } of calls(tokens)) {
    if (open === undefined) continue;
    const numbers = argumentsAt(tokens, open).map((range) => numberIn(tokens, range, parameters));
    if (name.toLowerCase() === "range") {
      const [first = Number.NaN, last = Number.NaN, step = 1] = numbers;
      const many = Math.abs(last - first) / Math.max(1, Math.abs(step));
      if (!(many < MOST_ELEMENTS))
        throw refused(`range() needs whole numbers and returns at most ${MOST_ELEMENTS} elements. Or use UNWIND.`);
      combined *= Math.max(1, many);
    }
    if (/^db\.index\.vector\.query/.test(name) && !((numbers[1] ?? Number.NaN) <= MOST_ELEMENTS))
      throw refused(`Ask a vector index for at most ${MOST_ELEMENTS} neighbours, as a whole number or a parameter.`);
  }
  for (const [at, token] of tokens.entries())
    if (token.text === "[" && isWord(tokens[at - 1], "UNWIND")) combined *= Math.max(1, argumentsAt(tokens, at).length);
  if (combined > MOST_COMBINED)
    throw refused(`Lists that are combined may make at most ${MOST_COMBINED} rows. Write shorter ones.`);
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
    const isLoop = bracket.text === "[" || (bracket.text === "(" && isWord(tokens[open - 1], ...QUANTIFIERS));
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

const QUANTIFIERS = ["ALL", "ANY", "NONE", "SINGLE"];

/** Allows one loop inside another if one of the two lists is small, so that large lists are not combined. */
function checkNesting(query: Query, { list }: Loop): void {
  const [outer, ...further] = query.loops.filter(({ body }) => body.from <= list.from && list.to <= body.to);
  if (outer && (further.length > 0 || !(isSmall(query, list, outer.variable) || isSmall(query, outer.list))))
    throw refused("Loops over lists are nested too deep. Use UNWIND or MATCH for the inner list.");
}

/** Checks that the result for each element stays small. */
function checkValue({ tokens, loops, made }: Query, { variable, body, value }: Loop): void {
  if (callsOf(tokens, "range").some((open) => isIn(body, open)))
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

/** Finds the brackets that open the arguments of these functions, in any spelling of the names. */
const callsOf = (tokens: readonly CypherToken[], ...names: string[]): number[] =>
  calls(tokens).flatMap(({ name, open }) => (open !== undefined && names.includes(name.toLowerCase()) ? [open] : []));

/** True for a literal list, a property, a part of a path, a short parameter, or a part of the outer loop's element. */
const isSmall = ({ tokens, sizes }: Query, list: Range, outer?: string) =>
  readsIn(tokens, list).every(
    ({ name, at }) =>
      name === outer ||
      (name.startsWith("$") && sizes.at(at) <= LOOP) ||
      tokens[at + 1]?.text === "." ||
      (tokens[at - 1]?.text === "(" && isWord(tokens[at - 2], "NODES", "RELATIONSHIPS", "LABELS", "KEYS")),
  );

/** The lengths of values, in characters or elements. */
interface Sizes {
  /** Returns the length of the value that a token stands for, as far as the query itself gives it; 0 for other tokens. */
  at(index: number): number;
  /** Returns the sum of these lengths in a range. */
  within(range: Range): number;
  /** Returns the most elements of a loop's list. */
  elementsIn(loop: Loop): number;
  /** The length of the longest text that the query can make of its own texts and those of the graph. */
  longest: number;
}

/**
 * Estimates how long values are. A computed variable may hold all that is given, as often as the query can copy and
 * concatenate it. Of a list in the graph, the assumed length counts.
 */
function sizesIn(tokens: readonly CypherToken[], parameters: GraphRow, made: Query["made"], copies: number): Sizes {
  const reads = new Set(readsIn(tokens, { from: 0, to: tokens.length }).map(({ at }) => at));
  const sums = tokens.filter(({ text }) => text === "+" || text === "||").length;
  const given = tokens.reduce((most, token) => Math.max(most, lengthOf(token, parameters)), 0);
  const grown = copies * (1 + sums);
  const at = (index: number) => {
    const token = tokens[index];
    if (token?.kind === "parameter") return lengthOf(token, parameters);
    return token && reads.has(index) && made.has(tokenName(token)) ? given * grown : 0;
  };
  const within = ({ from, to }: Range) => sum(tokens.slice(from, to).map((_, i) => at(from + i)));
  const elementsIn = ({ list }: Loop) => LOOP + within(list);
  return { at, within, elementsIn, longest: Math.max(LENGTH, given) * grown };
}

/** Returns the length of a text or a parameter; 0 for other tokens. */
function lengthOf(token: CypherToken, parameters: GraphRow): number {
  if (token.kind === "text") return token.value.length;
  return token.kind === "parameter" ? longestIn(parameters[token.value]) : 0;
}

/** Returns the most characters or elements of a value or of one inside it; 1 for numbers and the like. */
function longestIn(value: GraphValue | undefined): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 1;
  const inside = Object.values(value).map(longestIn);
  return Math.max(1, Array.isArray(value) ? value.length : 0, ...inside);
}

/**
 * Limits the work of all loops together, and of those over the parts of a text. The work of a loop is the number of its
 * elements, multiplied by those of the loops around it, times the length of what it reads for each: parameters and
 * computed values. The parts of a text may be as many as its letters, and any value read for them as long as the longest.
 */
function checkWork(query: Query): void {
  const { tokens, loops, sizes } = query;
  const turns = (loop: Loop, elements: (loop: Loop) => number) =>
    loops
      .filter((other) => other === loop || isIn(other.body, loop.list.from))
      .reduce((product, one) => product * elements(one), 1);
  const overParts = loops.filter((loop) => isOverParts(query, loop));
  const parts = overParts.map((loop) => {
    const readsMore = readsIn(tokens, loop.body).some(({ name }) => name !== loop.variable);
    return turns(loop, (one) => partsIn(query, one)) * (readsMore ? sizes.longest : 1);
  });
  if (sum(parts) > MOST_STEPS)
    throw refused("The loops over the parts of texts do too much work. Use UNWIND for them.");
  const work = loops.map((loop) => turns(loop, sizes.elementsIn) * (1 + sizes.within(loop.body)));
  if (sum(work) > MOST_WORK) throw refused("The loops do too much work. Use fewer of them, or shorter parameters.");
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** True if the elements of a loop may be the parts of a text: from split(), called there or for a computed list. */
const isOverParts = ({ tokens, made }: Query, { list }: Loop): boolean => {
  const splits = callsOf(tokens, "split");
  return (
    splits.some((open) => isIn(list, open)) ||
    (splits.length > 0 && readsIn(tokens, list).some(({ name }) => made.has(name)))
  );
};

const partsIn = (query: Query, loop: Loop) =>
  isOverParts(query, loop) ? query.sizes.longest : query.sizes.elementsIn(loop);

/** In elements times characters. */
const MOST_WORK = 1_000_000;

const madeIn = (tokens: readonly CypherToken[]): ReadonlySet<string> =>
  new Set(tokens.filter((_, at) => isWord(tokens[at - 1], "AS")).map(tokenName));

/** Estimates how many times larger than its parts the largest value can become. */
function copiesIn(tokens: readonly CypherToken[], parameters: GraphRow, made: ReadonlySet<string>): number {
  let product = 1;
  for (const open of callsOf(tokens, "replace")) {
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

/** Returns the value of a quoted text, or of a parameter that is a text. */
export const textValue = (token: CypherToken | undefined, parameters: GraphRow): string | undefined => {
  const value =
    token?.kind === "text" ? token.value : token?.kind === "parameter" ? parameters[token.value] : undefined;
  return typeof value === "string" ? value : undefined;
};

const isNextClause = (tokens: readonly CypherToken[], at: number) =>
  isWord(tokens[at], ..."MATCH OPTIONAL WHERE UNWIND CALL ORDER SKIP OFFSET LIMIT RETURN UNION".split(" ")) ||
  (isWord(tokens[at], "WITH") && !isWord(tokens[at - 1], "STARTS", "ENDS"));

/** The assumed length of the longest text in a graph, in characters. */
const LENGTH = 10_000;
/** The assumed length of a list in a graph, in elements. */
const LOOP = 20;
/** The most comparisons of characters: the length of the searched text times the length of the text to find. */
const MOST_STEPS = 10_000_000_000;
/** How many comparisons one step of a trim function costs: it compares code points and never stops early. */
const TRIM = 50;

/**
 * Refuses searches for a long text in a long one with CONTAINS, replace(), split() or the trim functions, which compare
 * every character with all those to trim. Java's algorithms for these are naive, and the server cannot stop them. Two
 * texts of the graph are short enough, and so is a short literal; two texts that the query concatenated are not.
 */
function checkSearches(query: Query): void {
  const { tokens, parameters, loops, sizes } = query;
  const trimmed = [
    ...callsOf(tokens, "btrim", "ltrim", "rtrim").flatMap((open) => argumentsAt(tokens, open)[1]?.from ?? []),
    ...callsOf(tokens, "trim").flatMap((open) => trimmedAt(tokens, open)),
  ];
  const searches = [
    ...tokens.flatMap((token, at) => (isWord(token, "CONTAINS") ? [at + 1] : [])),
    ...callsOf(tokens, "replace", "split").flatMap((open) => argumentsAt(tokens, open)[1]?.from ?? []),
    ...trimmed,
  ];
  const steps = searches.map((at) => {
    const around = loops.filter(({ body }) => isIn(body, at));
    // The parts of a text that are looked for are together no longer than the text.
    const turns = around
      .filter((loop) => !(isOverParts(query, loop) && isNamed(aloneAt(tokens, at), loop.variable)))
      .reduce((product, loop) => product * partsIn(query, loop), 1);
    const each = trimmed.includes(at) ? TRIM : 1;
    return sizes.longest * (textValue(aloneAt(tokens, at), parameters)?.length ?? sizes.longest) * turns * each;
  });
  if (sum(steps) > MOST_STEPS)
    throw refused("The texts that are searched or looked for are too long. Concatenate fewer texts.");
}

/** Returns the index of the characters in `trim(BOTH characters FROM text)`. */
function trimmedAt(tokens: readonly CypherToken[], open: number): number[] {
  const to = tokens[open]?.partner ?? open;
  const from = tokens.findIndex((token, at) => at > open && at < to && isWord(token, "FROM"));
  if (from < 0) return [];
  const first = isWord(tokens[open + 1], "BOTH", "LEADING", "TRAILING") ? open + 2 : open + 1;
  return first < from ? [first] : [];
}

const isNamed = (token: CypherToken | undefined, name: string) => isName(token) && tokenName(token) === name;

/** Returns the token of `'ada'`, `$name`, `x` or `toLower(x)`, if nothing is concatenated to it. */
function aloneAt(tokens: readonly CypherToken[], at: number): CypherToken | undefined {
  const isCalled = isWord(tokens[at], "TOLOWER", "TOUPPER", "LOWER", "UPPER", "TRIM") && tokens[at + 1]?.text === "(";
  const text = isCalled ? at + 2 : at;
  const next = tokens[isCalled ? at + 4 : at + 1]?.text ?? "";
  const isAlone = (!isCalled || tokens[at + 3]?.text === ")") && !/^(?:\+|\|\||\.|\[)$/.test(next);
  return isAlone ? tokens[text] : undefined;
}
