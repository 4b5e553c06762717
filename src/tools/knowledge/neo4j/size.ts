import { CypherError } from "../../../errors.js";
import { isWord } from "./calls.js";
import { labelChoices, labelSigns } from "./labels.js";
import type { Token } from "./tokens.js";

/**
 * Refuses queries that take the server long to plan, which its time limit does not stop: some need a minute for a line
 * of text. Of 14,000 public read queries one comes to more than half of any of these numbers, and none to more.
 * @throws CypherError that names what there is too much of.
 */
export function checkSize(tokens: readonly Token[]): void {
  for (const { what, most, count } of SIZES)
    if (count(tokens) > most) throw new CypherError(`At most ${most} ${what}. Write a simpler query.`, true);
}

type Count = (tokens: readonly Token[]) => number;

const words =
  (...values: string[]): Count =>
  (tokens) =>
    tokens.filter((token) => isWord(token, ...values)).length;

const signs =
  (pattern: RegExp): Count =>
  (tokens) =>
    tokens.filter(({ kind, text }) => kind === "symbol" && pattern.test(text)).length;

/** The longest `a.b.c.d` or `a[0][0]`. */
const longestChain: Count = (tokens) => {
  let longest = 0;
  let chain = 0;
  for (const [index, { text }] of tokens.entries()) {
    if (text === "." || (text === "[" && tokens[index - 1]?.text === "]")) chain++;
    else if (tokens[index - 1]?.text !== "." && text !== "]") chain = 0;
    longest = Math.max(longest, chain);
  }
  return longest;
};

const deepestBraces: Count = (tokens) => {
  let open = 0;
  let deepest = 0;
  for (const { text } of tokens) {
    if (text === "{") open++;
    if (text === "}") open--;
    deepest = Math.max(deepest, open);
  }
  return deepest;
};

const relationships: Count = (tokens) =>
  tokens.filter(({ text }, index) => text === "-" && /^[[-]$/.test(tokens[index + 1]?.text ?? "")).length;

const SIZES: readonly { what: string; most: number; count: Count }[] = [
  {
    what: "words and signs, values in lists not counted",
    most: 1_000,
    count: (tokens) => tokens.filter(({ kind, text }) => kind !== "text" && kind !== "number" && text !== ",").length,
  },
  { what: "relationships in patterns", most: 20, count: relationships },
  { what: "MATCH", most: 20, count: words("MATCH") },
  { what: "UNION", most: 10, count: words("UNION") },
  { what: "XOR", most: 5, count: words("XOR") },
  { what: "AND, OR and NOT", most: 60, count: words("AND", "OR", "NOT") },
  { what: "sums and products", most: 100, count: signs(/^(?:[+*/%^]|\|\|)$/) },
  { what: "comparisons", most: 100, count: signs(/^[<>=]$/) },
  { what: "alternatives with |", most: 50, count: signs(/^\|$/) },
  { what: "labels and types with & or ! or : between", most: 20, count: labelSigns },
  { what: "ways to choose from labels", most: 5_000, count: labelChoices },
  { what: "properties in a chain", most: 10, count: longestChain },
  { what: "braces inside of each other", most: 8, count: deepestBraces },
];
