import { CypherError } from "../../../errors.js";
import type { GraphRow } from "../../../types/graph.js";
import { calls, commaRanges, isWord } from "./calls.js";
import { longestText } from "./copies.js";
import { LIST, loopsIn, type Range } from "./loops.js";
import type { Token } from "./tokens.js";

/** Letters compared, of what is searched times of what is searched for. */
const MOST_STEPS = 10_000_000_000;

/**
 * Refuses to look for a long text in a long one, which Java does letter by letter at every letter: CONTAINS, replace()
 * and split(). Two texts of the graph are no trouble, two that a query added up are.
 * @throws CypherError with what to write instead.
 */
export function checkSearches(tokens: readonly Token[], parameters: GraphRow): void {
  const longest = longestText(tokens);
  const loops = loopsIn(tokens);
  const searches = [
    ...tokens.flatMap((token, at) => (isWord(token, "CONTAINS") ? [operand(tokens, at + 1)] : [])),
    ...calls(tokens).flatMap(({ name, open }) => {
      if (open === undefined || !/^(?:replace|split)$/i.test(name)) return [];
      return commaRanges(tokens, open + 1, tokens[open]?.partner ?? open).slice(1, 2);
    }),
  ];
  const steps = searches.map((range) => {
    const around = loops.filter(({ body }) => body.from <= range.from && range.to <= body.to).length;
    return longest * lengthOf(tokens, range, parameters, longest) * LIST ** around;
  });
  if (steps.reduce((sum, each) => sum + each, 0) > MOST_STEPS)
    throw new CypherError("The texts that are looked for or looked through are too long. Add fewer texts up.", true);
}

/** A text, a parameter, a property, a call: as far as the next sign or word of another kind. */
function operand(tokens: readonly Token[], from: number): Range {
  const open = tokens[from]?.text === "(" ? from : from + 1;
  const close = tokens[open]?.text === "(" ? tokens[open]?.partner : undefined;
  return { from, to: (close ?? from) + 1 };
}

/** Of texts and parameters, and what is called on them, their own; of all else the longest there is. */
function lengthOf(tokens: readonly Token[], { from, to }: Range, parameters: GraphRow, longest: number): number {
  let length = 0;
  const isLonger = /^(?:\+|\|\||\.|\[)$/.test(tokens[to]?.text ?? "");
  for (const [offset, token] of tokens.slice(from, to).entries()) {
    const value =
      token.kind === "parameter" ? parameters[token.value] : token.kind === "text" ? token.value : undefined;
    if (typeof value === "string") length += value.length;
    else if (token.kind !== "symbol" && token.kind !== "number" && tokens[from + offset + 1]?.text !== "(")
      return longest;
  }
  return isLonger ? longest : length;
}
