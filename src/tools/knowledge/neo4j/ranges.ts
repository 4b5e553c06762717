import { CypherError } from "../../../errors.js";
import type { GraphRow } from "../../../types/graph.js";
import { calls, commaRanges, isWord } from "./calls.js";
import type { Range } from "./loops.js";
import type { Token } from "./tokens.js";

/** What one range() may hold, and one call of a vector index return. */
const MOST_ELEMENTS = 1_000;
/** What all ranges, and lists written out after UNWIND, may come to when each is combined with each. */
const MOST_COMBINED = 10_000;

/**
 * What range() makes is no part of the graph, and not counted by the server as it is made: so its bounds must be known.
 * They are whole numbers, or the sizes of something; a variable could hold any number.
 * @throws CypherError with what to write instead.
 */
export function checkRanges(tokens: readonly Token[], parameters: GraphRow): void {
  const sizes: number[] = [];
  for (const { name, open } of calls(tokens)) {
    const close = open === undefined ? undefined : tokens[open]?.partner;
    if (open === undefined || close === undefined) continue;
    const numbers = commaRanges(tokens, open + 1, close).map((range) => bound(tokens, range, parameters));
    if (name.toLowerCase() === "range") {
      const [first, last, step = 1] = numbers;
      const many = Math.abs((last ?? Number.NaN) - (first ?? Number.NaN)) / Math.max(1, Math.abs(step));
      if (!(many < MOST_ELEMENTS))
        throw new CypherError(
          `range() takes whole numbers, size() and length(), and at most ${MOST_ELEMENTS} elements.`,
          true,
        );
      sizes.push(many);
    }
    if (/^db\.index\.vector\.query/.test(name) && !((numbers[1] ?? Number.NaN) <= MOST_ELEMENTS))
      throw new CypherError(
        `A vector index is asked for at most ${MOST_ELEMENTS} neighbours, as a whole number or a parameter.`,
        true,
      );
  }
  if (combined(tokens, sizes) > MOST_COMBINED)
    throw new CypherError(
      `Lists that are combined with each other may come to ${MOST_COMBINED} rows. Write shorter ones.`,
      true,
    );
}

function combined(tokens: readonly Token[], ranges: readonly number[]): number {
  const written = tokens.flatMap(({ text, partner }, index) =>
    text === "[" && partner !== undefined && isWord(tokens[index - 1], "UNWIND")
      ? [commaRanges(tokens, index + 1, partner).length]
      : [],
  );
  return [...ranges, ...written].reduce((product, size) => product * Math.max(1, size), 1);
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
