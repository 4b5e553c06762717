import { names } from "../../text/names.js";
import { type Quantity, quantities } from "../../text/numbers.js";
import { contentTerms, plain, terms } from "../../text/tokens.js";
import { runsOf } from "./ground.js";

/** A claim as it is held against its sources. */
export interface Claim {
  text: string;
  tokens: readonly Token[];
  /** Parts between commas, conjunctions and relative pronouns: the tokens of each. At least one. */
  clauses: readonly (readonly Token[])[];
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
const MOST_CHARACTERS = 6_000;

export function readClaim(whole: string): Claim {
  const text = whole.slice(0, MOST_CHARACTERS);
  const clauses = text
    .split(CLAUSE)
    .map(tokensOf)
    .filter((tokens) => tokens.length > 0);
  const tokens = clauses.flat();
  return {
    text,
    tokens,
    clauses: joined(clauses),
    names: names(text),
    quantities: quantities(text),
    runs: runsOf(terms(text)),
  };
}

const CLAUSE =
  /[,;:，；：、。！？!?()（）—–\n]|\.\s|\b(?:and|but|while|which|who|where|when|because|although|after|before|since|as well as)\b|(?:并且|而且|但是|以及|因为|所以|之后|之前|其中)/iu;

/** A clause of one or two terms is no statement: it goes with the one before it. */
function joined(clauses: readonly (readonly Token[])[]): readonly (readonly Token[])[] {
  const out: Token[][] = [];
  for (const clause of clauses) {
    const last = out.at(-1);
    if (last && (clause.length < LEAST || last.length < LEAST)) last.push(...clause);
    else out.push([...clause]);
  }
  return out.length > 0 ? out : [[]];
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
