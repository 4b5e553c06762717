import { CypherError } from "../../../errors.js";
import type { GraphRow } from "../../../types/graph.js";
import { calls, commaRanges, isWord } from "./calls.js";
import { type Loop, loopsIn, type Range, readsIn } from "./loops.js";
import { checkPatterns } from "./regex.js";
import type { Token } from "./tokens.js";

/** What one range() may hold, and one call of a vector index return. */
const MOST_ELEMENTS = 1_000;
/** How often a value that the query worked out may be taken up again, multiplied over all of its clauses. */
const MOST_COPIES = 1_000;
/** How often a loop's element may go into its result. */
const MOST_IN_LOOP = 8;
const LONGEST_TEXT_IN_LOOP = 100;

/**
 * Refuses what a few words make endless inside of one expression. The server's time limit counts between rows only, and
 * its memory limit does not see expressions: `reduce(s = "a", i IN range(1, 40) | s + s)` ends the whole server.
 * @throws CypherError with what to write instead.
 */
export function checkGrowth(tokens: readonly Token[], parameters: GraphRow): void {
  checkRanges(tokens, parameters);
  checkPatterns(tokens, parameters);
  const loops = loopsIn(tokens);
  checkNesting(tokens, loops);
  for (const loop of loops) (loop.accumulator === undefined ? checkValue : checkReduce)(tokens, loop);
  const outer = loops.filter((loop) => readsOutside(tokens, loop, loops));
  if (outer.length > 1)
    throw refused("Only one list comprehension may put a variable from outside into its result. Use UNWIND.");
  if (copies(tokens) > MOST_COPIES) throw refused("The query copies its own values too often. Return them once each.");
}

const refused = (message: string) => new CypherError(message, true);

/** The bounds are whole numbers, or the sizes of something: a variable could hold any number. */
function checkRanges(tokens: readonly Token[], parameters: GraphRow): void {
  for (const { name, open } of calls(tokens)) {
    const close = open === undefined ? undefined : tokens[open]?.partner;
    if (open === undefined || close === undefined) continue;
    const numbers = commaRanges(tokens, open + 1, close).map((range) => bound(tokens, range, parameters));
    if (name.toLowerCase() === "range") {
      const [first, last, step = 1] = numbers;
      const many = Math.abs((last ?? Number.NaN) - (first ?? Number.NaN)) / Math.max(1, Math.abs(step));
      if (!(many < MOST_ELEMENTS))
        throw refused(`range() takes whole numbers, size() and length(), and at most ${MOST_ELEMENTS} elements.`);
    }
    if (/^db\.index\.vector\.query/.test(name) && !((numbers[1] ?? Number.NaN) <= MOST_ELEMENTS))
      throw refused(
        `A vector index is asked for at most ${MOST_ELEMENTS} neighbours, as a whole number or a parameter.`,
      );
  }
}

/** A number's value; 0 for sizes, which the data limits; NaN for what may be any number. */
function bound(tokens: readonly Token[], { from, to }: Range, parameters: GraphRow): number {
  let sum = 0;
  let sign = 1;
  for (let at = from; at < to; at += 1) {
    const token = tokens[at];
    const open = tokens[at + 1];
    if (token?.text === "-") sign = -1;
    else if (token?.text === "+") sign = 1;
    else if (token?.kind === "number") sum += sign * Number(token.text.replaceAll("_", ""));
    else if (token?.kind === "parameter") sum += sign * Number(parameters[token.value] ?? Number.NaN);
    else if (isWord(token, "SIZE", "LENGTH") && open?.text === "(" && open.partner) at = open.partner;
    else return Number.NaN;
  }
  return sum;
}

/** At most a loop in a loop, and the inner one over something of the outer one's element: not each with each. */
function checkNesting(tokens: readonly Token[], loops: readonly Loop[]): void {
  for (const inner of loops) {
    const around = loops.filter(({ body }) => body.from <= inner.list.from && inner.list.to <= body.to);
    if (around.length === 0) continue;
    const reads = readsIn(tokens, inner.list);
    const own = reads.some(({ name }) => around.some(({ variable }) => variable === name));
    if (around.length > 1 || (reads.length > 0 && !own))
      throw refused("Loops over lists are nested too deep. Use UNWIND or MATCH for the inner list.");
  }
}

function checkValue(tokens: readonly Token[], { variable, value }: Loop): void {
  const reads = readsIn(tokens, value).filter(({ name }) => name === variable);
  if (reads.length > MOST_IN_LOOP || longestText(tokens, value) > LONGEST_TEXT_IN_LOOP)
    throw refused("A list comprehension makes too much of each element. Return fewer values for each.");
}

/** A sum, a joined text, a maximum: what is kept may grow by an element in each round, and never by itself. */
function checkReduce(tokens: readonly Token[], loop: Loop): void {
  const { accumulator, variable, value } = loop;
  const depth = tokens[value.from]?.depth;
  const whole = isWord(tokens[value.from], "CASE") && isWord(tokens[value.to - 1], "END");
  let growing = 0;
  let branch = 0;
  const reads = readsIn(tokens, value);
  for (let at = value.from; at < value.to; at += 1) {
    const token = tokens[at];
    if (whole && isWord(token, "WHEN", "THEN", "ELSE") && token?.depth === depth) branch = 0;
    const read = reads.find((other) => other.at === at);
    if (!read || read.name === variable) continue;
    const [before, after] = [tokens[at - 1], tokens[at + 1]];
    const isAdded = [before, after].some((next) => next?.text === "+" || next?.text === "||");
    const isCompared = [before, after].some((next) => /^[<>=]$/.test(next?.text ?? "")) && !isAdded;
    const isInPlace = isAmongNumbers(tokens, value.from, at);
    if (read.name !== accumulator) {
      if (isAdded || !isInPlace) growing = Number.POSITIVE_INFINITY;
    } else if (!isCompared) {
      branch += isInPlace ? 1 : Number.POSITIVE_INFINITY;
      growing = Math.max(growing, branch);
    }
  }
  if (growing > 1 || longestText(tokens, value) > LONGEST_TEXT_IN_LOOP)
    throw refused(
      "reduce() may add an element to what it keeps in each round, and nothing else: write sum + x.n, or use sum(), collect(), max().",
    );
}

/** In no bracket of the body but plain ones and those of functions that return a number. */
const isAmongNumbers = (tokens: readonly Token[], from: number, at: number) =>
  tokens.slice(from, at).every(({ text, partner = 0 }, offset) => {
    const before = tokens[from + offset - 1];
    const isAround = partner > at;
    return !isAround || (text === "(" && (offset === 0 || before?.kind !== "word" || isWord(before, ...NUMERIC)));
  });

const NUMERIC = "ROUND FLOOR CEIL ABS SIGN SQRT TOINTEGER TOFLOAT COALESCE WHEN THEN ELSE AND OR NOT".split(" ");

const longestText = (tokens: readonly Token[], { from, to }: Range) =>
  Math.max(0, ...tokens.slice(from, to).map(({ kind, text }) => (kind === "text" ? text.length : 0)));

function readsOutside(tokens: readonly Token[], loop: Loop, loops: readonly Loop[]): boolean {
  if (loop.kind !== "list") return false;
  const own = new Set(loops.flatMap(({ variable, accumulator }) => [variable, accumulator]));
  return readsIn(tokens, loop.value).some(({ name }) => !own.has(name));
}

/** How many times larger than its parts the largest value can become from clause to clause. */
function copies(tokens: readonly Token[]): number {
  const made = new Set(
    tokens
      .filter((_, index) => isWord(tokens[index - 1], "AS"))
      .map(({ kind, value, text }) => (kind === "quoted" ? value : text)),
  );
  let product = 1;
  for (const [index, token] of tokens.entries()) {
    if (isWord(token, "REPLACE") && tokens[index + 1]?.text === "(") product *= replaced(tokens, index + 1);
    if (!isWord(token, "WITH", "RETURN", "UNWIND") || isWord(tokens[index - 1], "STARTS", "ENDS")) continue;
    const next = tokens.findIndex(
      (other, at) =>
        at > index && (other.depth < token.depth || (other.depth === token.depth && isNextClause(tokens, at))),
    );
    const counts = new Map<string, number>();
    for (const { name } of readsIn(tokens, { from: index + 1, to: next < 0 ? tokens.length : next }))
      if (made.has(name)) counts.set(name, (counts.get(name) ?? 0) + 1);
    product *= Math.max(1, ...counts.values());
  }
  return product;
}

const isNextClause = (tokens: readonly Token[], at: number) =>
  isWord(tokens[at], ..."MATCH OPTIONAL WHERE UNWIND CALL ORDER SKIP OFFSET LIMIT RETURN UNION".split(" ")) ||
  (isWord(tokens[at], "WITH") && !isWord(tokens[at - 1], "STARTS", "ENDS"));

/** replace() can put a long text in the place of every letter. */
function replaced(tokens: readonly Token[], open: number): number {
  const third = commaRanges(tokens, open + 1, tokens[open]?.partner ?? open)[2];
  const by = third && third.to - third.from === 1 ? tokens[third.from] : undefined;
  return by?.kind === "text" ? Math.max(1, by.value.length) : MOST_COPIES;
}
