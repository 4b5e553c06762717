import { CypherError } from "../../errors.js";
import { type CypherToken, isName, isWord } from "./cypher-tokens.js";

/**
 * Refuses queries that the server plans slowly, which neither its time limit nor its memory limit stops. One line may
 * take a minute. Twenty times `(A|B)` joined by `&` took all memory, since the server lists all combinations.
 * @throws CypherError that names what the query has too much of.
 */
export function checkSize(tokens: readonly CypherToken[]): void {
  for (const { what, most, count } of SIZES)
    if (count(tokens) > most) throw new CypherError(`At most ${most} ${what}. Write a simpler query.`, true);
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
