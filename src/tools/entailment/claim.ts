import { names } from "../../text/names.js";
import { type Quantity, quantities } from "../../text/numbers.js";
import { contentTerms, plain } from "../../text/tokens.js";
import { runsOf } from "./ground.js";

/** A claim as it is held against its sources. */
export interface Claim {
  text: string;
  tokens: readonly Token[];
  /** Parts between commas, conjunctions and relative pronouns: the tokens of each. At least one. */
  clauses: readonly (readonly Token[])[];
  /** The same parts as text. */
  parts: readonly string[];
  names: readonly string[];
  quantities: readonly Quantity[];
  runs: readonly string[];
}

export interface Token {
  /** As `contentTerms` cuts and stems it. */
  term: string;
  /** The word it comes from, folded; for Chinese the pair of characters. */
  word: string;
  kind: "name" | "number" | "word";
}

/** What is behind is not read: no claim is this long, and what is made to be slow may be. */
const MOST_CHARACTERS = 3_000;
const MOST_CLAUSES = 30;
const MOST_AMOUNTS = 60;

export function readClaim(whole: string): Claim {
  const text = whole.slice(0, MOST_CHARACTERS);
  const clauses = joined(
    text
      .split(CLAUSE)
      .map((part) => ({ text: part.trim(), tokens: tokensOf(part) }))
      .filter(({ tokens }) => tokens.length > 0),
  );
  const tokens = clauses.flatMap((clause) => clause.tokens);
  return {
    text,
    tokens,
    clauses: clauses.map((clause) => clause.tokens),
    parts: clauses.map((clause) => clause.text),
    names: names(text),
    quantities: quantities(text).slice(0, MOST_AMOUNTS),
    runs: runsOf(tokens.map(({ term }) => term)),
  };
}

const CLAUSE =
  /[,;:，；：、。！？!?()（）—–\n]|\.\s|\b(?:and|but|while|which|who|where|when|because|although|after|before|since|as well as)\b|(?:并且|而且|但是|以及|因为|所以|之后|之前|其中)/iu;

interface Clause {
  text: string;
  tokens: readonly Token[];
}

/** A clause of one or two terms is no statement: it goes with the one before it. */
function joined(clauses: readonly Clause[]): readonly Clause[] {
  const out: Clause[] = [];
  for (const clause of clauses) {
    const last = out.at(-1);
    const isShort = last && (Math.min(clause.tokens.length, last.tokens.length) < LEAST || out.length === MOST_CLAUSES);
    if (!isShort) out.push(clause);
    else out[out.length - 1] = { text: `${last.text}, ${clause.text}`, tokens: [...last.tokens, ...clause.tokens] };
  }
  return out.length > 0 ? out : [{ text: "", tokens: [] }];
}
const LEAST = 3;

function tokensOf(text: string): Token[] {
  return [...text.matchAll(/\p{Script=Han}+|[^\s\p{Script=Han}]+/gu)].flatMap(([piece]) => {
    const word = plain(piece).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "");
    const han = /\p{Script=Han}/u.test(piece);
    const named = /^[^\p{L}\p{N}]*\p{Lu}/u.test(piece);
    return contentTerms(piece).map((term): Token => {
      const kind = /^\p{N}/u.test(term) ? "number" : named ? "name" : "word";
      return { term, word: han ? term : word, kind };
    });
  });
}
