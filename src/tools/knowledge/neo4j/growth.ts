import { CypherError } from "../../../errors.js";
import type { GraphRow } from "../../../types/graph.js";
import { isWord } from "./calls.js";
import { checkCopies, madeIn, numbersIn } from "./copies.js";
import { isElement, type Loop, loopsIn, type Range, readsIn } from "./loops.js";
import { checkRanges } from "./ranges.js";
import { checkSearches } from "./searches.js";
import type { Token } from "./tokens.js";

/** How often a loop's element may go into its result. */
const MOST_IN_LOOP = 8;
const LONGEST_TEXT_IN_LOOP = 20;

/**
 * Refuses what a few words make endless inside of one expression. The server's time limit counts between rows only, and
 * its memory limit does not see expressions: `reduce(s = "a", i IN range(1, 40) | s + s)` ends the whole server.
 * @throws CypherError with what to write instead.
 */
export function checkGrowth(tokens: readonly Token[], parameters: GraphRow): void {
  checkRanges(tokens, parameters);
  const loops = loopsIn(tokens);
  checkNesting(tokens, loops);
  for (const loop of loops) (loop.accumulator === undefined ? checkValue : checkReduce)(tokens, loop);
  if (loops.filter(({ kind }) => kind === "reduce").length > 1)
    throw refused("Only one reduce(). Use sum(), collect() or max().");
  if (loops.some((loop) => readsOutside(tokens, loop, loops)))
    throw refused(
      "A list comprehension may return its own element and the properties of nodes, nothing else. Use UNWIND.",
    );
  checkCopies(tokens);
  checkSearches(tokens, parameters);
}

const refused = (message: string) => new CypherError(message, true);

/** At most a loop in a loop, and one of the two over a list that is small: not every collected value with each other. */
function checkNesting(tokens: readonly Token[], loops: readonly Loop[]): void {
  for (const inner of loops) {
    const [outer, ...further] = loops.filter(({ body }) => body.from <= inner.list.from && inner.list.to <= body.to);
    if (!outer || (further.length === 0 && (isSmall(tokens, inner.list, outer) || isSmall(tokens, outer.list))))
      continue;
    throw refused("Loops over lists are nested too deep. Use UNWIND or MATCH for the inner list.");
  }
}

/** Written out, a property, a part of a path, or a part of the outer loop's element. */
const isSmall = (tokens: readonly Token[], list: Range, outer?: Loop) =>
  readsIn(tokens, list).every(
    ({ name, at }) =>
      name === outer?.variable ||
      name.startsWith("$") ||
      tokens[at + 1]?.text === "." ||
      (tokens[at - 1]?.text === "(" && isWord(tokens[at - 2], "NODES", "RELATIONSHIPS", "LABELS", "KEYS")),
  );

function checkValue(tokens: readonly Token[], { variable, value }: Loop): void {
  const reads = readsIn(tokens, value).filter(({ name }) => name === variable);
  if (reads.length > MOST_IN_LOOP || longestText(tokens, value) > LONGEST_TEXT_IN_LOOP)
    throw refused("A list comprehension makes too much of each element. Return fewer values for each.");
}

/** A sum, a joined text, a maximum: what is kept may grow by an element in each round, and never by itself. */
function checkReduce(tokens: readonly Token[], loop: Loop): void {
  const { accumulator, variable, value, initial } = loop;
  if (initial && !isSmall(tokens, loop.list) && (!isPlainValue(tokens, initial) || addsLists(tokens, value)))
    throw refused(
      "reduce() may make a list of a property or of a path, not of what was collected. Use UNWIND and collect().",
    );
  const depth = tokens[value.from]?.depth;
  const whole = isWord(tokens[value.from], "CASE") && isWord(tokens[value.to - 1], "END");
  let growing = 0;
  let branch = 0;
  const reads = readsIn(tokens, value);
  for (let at = value.from; at < value.to; at += 1) {
    const token = tokens[at];
    if (whole && isWord(token, "WHEN", "THEN", "ELSE") && token?.depth === depth) branch = 0;
    const read = reads.find((other) => other.at === at);
    if (!read || read.name === variable || isElement(tokens, loop, at)) continue;
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

/** A number or a text: what begins with a list becomes one, and the server goes through such a list in quadratic time. */
const isPlainValue = (tokens: readonly Token[], { from, to }: Range) =>
  tokens
    .slice(from, to)
    .every(({ kind, text }, at) => kind === "number" || kind === "text" || (at === 0 && text === "-")) ||
  isWord(tokens[from], "DURATION", "TOFLOAT", "TOINTEGER");

const addsLists = (tokens: readonly Token[], { from, to }: Range) =>
  tokens
    .slice(from, to)
    .some(({ text }, at) => text === "[" && /^(?:\+|\|\|)$/.test(tokens[from + at - 1]?.text ?? ""));

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

/** Whether a value of any size, from outside, comes once for each element. */
function readsOutside(tokens: readonly Token[], loop: Loop, loops: readonly Loop[]): boolean {
  if (loop.kind !== "list") return false;
  const own = new Set(loops.flatMap(({ variable, accumulator }) => [variable, accumulator]));
  const made = madeIn(tokens);
  const numbers = numbersIn(tokens);
  const isInside = loops.some(({ body }) => body.from <= loop.list.from && loop.list.to <= body.to);
  return readsIn(tokens, loop.value).some(
    ({ name, at }) =>
      !own.has(name) &&
      !numbers.has(name) &&
      (tokens[at + 1]?.text !== "." || name.startsWith("$") || made.has(name)) &&
      !isCounted(tokens, at) &&
      (isInside || !isElement(tokens, loop, at)),
  );
}

/** `size(l)`: a number, however long it is; not where it makes a list so long again. */
const isCounted = (tokens: readonly Token[], at: number) =>
  tokens[at - 1]?.text === "(" &&
  tokens[at + 1]?.text === ")" &&
  isWord(tokens[at - 2], "SIZE", "LENGTH") &&
  !tokens.some(({ partner = 0 }, open) => open < at && partner > at && isWord(tokens[open - 1], "RANGE"));
