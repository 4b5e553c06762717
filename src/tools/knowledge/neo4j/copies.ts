import { CypherError } from "../../../errors.js";
import { commaRanges, isName, isWord } from "./calls.js";
import { LIST, readsIn } from "./loops.js";
import type { Token } from "./tokens.js";

/** How often a value that the query worked out may be taken up again, multiplied over all of its clauses. */
const MOST_COPIES = 64;

/**
 * Refuses a query that makes its own values larger from clause to clause: `WITH s + s AS s`, thirty times.
 * @throws CypherError with what to write instead.
 */
export function checkCopies(tokens: readonly Token[]): void {
  if (copies(tokens) > MOST_COPIES)
    throw new CypherError("The query copies its own values too often. Return them once each.", true);
}

/** The variables that the query gave a value of its own, which may be anything. */
export const madeIn = (tokens: readonly Token[]): ReadonlySet<string> =>
  new Set(tokens.filter((_, index) => isWord(tokens[index - 1], "AS")).map(nameOf));

/** Those of them that are always numbers: `count(*) AS n`, `avg(x.age) AS mean`, `UNWIND range(0, 9) AS i`. */
export function numbersIn(tokens: readonly Token[]): ReadonlySet<string> {
  const isNumber = (as: number) => {
    const name = (tokens[as - 1]?.partner ?? 0) - 1;
    return isWord(tokens[name - 1], "UNWIND")
      ? isWord(tokens[name], "RANGE")
      : isWord(tokens[name], "COUNT", "SUM", "AVG", "STDEV", "STDEVP", "SIZE", "LENGTH") &&
          (tokens[name - 1]?.text === "," || isWord(tokens[name - 1], "WITH", "RETURN", "DISTINCT"));
  };
  const given = tokens.flatMap((token, at) =>
    isWord(tokens[at - 1], "AS") ? [{ token, isNumber: isNumber(at - 1) }] : [],
  );
  const others = new Set(given.filter((each) => !each.isNumber).map(({ token }) => nameOf(token)));
  for (const [at, token] of tokens.entries()) if (isNamed(tokens, at)) others.add(nameOf(token));
  return new Set(given.map(({ token }) => nameOf(token)).filter((name) => !others.has(name)));
}

/** Whether a name may be given here to something in the graph: `(n`, `[r`, `MATCH p =`, `YIELD node`. */
function isNamed(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (before?.text === "," || isWord(before, "MATCH", "YIELD"))
    return tokens.some((token) => isWord(token, "YIELD")) || tokens[at + 1]?.text === "=";
  return /^[([]$/.test(before?.text ?? "") && (!isName(tokens[at - 2]) || isWord(tokens[at - 2], "MATCH"));
}

const nameOf = ({ kind, value, text }: Token) => (kind === "quoted" ? value : text);

/** How many times larger than its parts the largest value can become. */
function copies(tokens: readonly Token[]): number {
  const made = madeIn(tokens);
  let product = 1;
  for (const [index, token] of tokens.entries()) {
    if (isWord(token, "REPLACE") && tokens[index + 1]?.text === "(") product *= replaced(tokens, index + 1);
    if (!isWord(token, "WITH", "RETURN", "UNWIND") || isWord(tokens[index - 1], "STARTS", "ENDS")) continue;
    const next = tokens.findIndex(
      (other, at) =>
        at > index && (other.depth < token.depth || (other.depth === token.depth && isNextClause(tokens, at))),
    );
    const counts = new Map<string, number>();
    for (const { name, at } of readsIn(tokens, { from: index + 1, to: next < 0 ? tokens.length : next }))
      if (made.has(name) && !isWord(tokens[at - 1], "AS")) counts.set(name, (counts.get(name) ?? 0) + 1);
    product *= Math.max(1, ...counts.values());
  }
  return product;
}

const isNextClause = (tokens: readonly Token[], at: number) =>
  isWord(tokens[at], ..."MATCH OPTIONAL WHERE UNWIND CALL ORDER SKIP OFFSET LIMIT RETURN UNION".split(" ")) ||
  (isWord(tokens[at], "WITH") && !isWord(tokens[at - 1], "STARTS", "ENDS"));

/** replace() can put a longer text in the place of every letter, and an empty one is found between all of them. */
function replaced(tokens: readonly Token[], open: number): number {
  const [, old, by] = commaRanges(tokens, open + 1, tokens[open]?.partner ?? open).map(({ from, to }) =>
    to - from === 1 && tokens[from]?.kind === "text" ? tokens[from].value.length : undefined,
  );
  if (by === undefined) return MOST_COPIES;
  return old ? Math.max(1, Math.ceil(by / old)) : by + 1;
}

/** Characters of the longest text of a graph that is thought of. */
const LENGTH = 10_000;

/** How many characters a text can have that the query makes, by sums, copies and reduce(). */
export function longestText(tokens: readonly Token[]): number {
  const sums = tokens.filter(({ text }) => text === "+" || text === "||").length;
  return LENGTH * copies(tokens) * (1 + sums) * (tokens.some((token) => isWord(token, "REDUCE")) ? LIST : 1);
}
