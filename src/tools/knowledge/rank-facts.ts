import { contentTerms, plain, terms } from "../../text/tokens.js";
import { namesIn } from "./names.js";
import type { Fact } from "./port.js";

/** The features by which facts are ranked. */
export interface Rankable extends Pick<Fact, "id" | "entity" | "predicate" | "others"> {
  /** 1 for a fact about a named entity, 2 for one about its neighbour. */
  hops: 1 | 2;
}

/** A fact without a score. */
export type FoundFact = Omit<Fact, "score"> & Rankable;

/**
 * Ranks facts by relevance to a question, best first, with scores from 0 to 1. Features: the question asks for the
 * relation, it contains a name at the other end, and the fact is about a named entity. A neighbour's fact with the
 * right relation outranks a nearer fact without it, but at most ten do, since a neighbour may have thousands of them.
 * Ties go to the fact with more at the other end, then to the smaller id, so that results are reproducible.
 */
export function rankFacts<F extends Rankable>(
  question: string,
  facts: readonly F[],
): (Omit<F, "hops"> & Pick<Fact, "score">)[] {
  const asks = asksFor(question);
  const others = facts.flatMap((fact) => fact.others);
  const named = new Set(namesIn(question, others));
  let farther = 0;
  return facts
    .map((fact) => {
      const relation = RELATION * asks(fact.predicate, fact.entity);
      const near = fact.hops === 1 ? NEAR : 0;
      const other = fact.others.some((name) => named.has(name)) ? OTHER : 0;
      return { ...fact, score: relation + near + other };
    })
    .sort(bestFirst)
    .map(({ hops, ...fact }) => {
      if (hops === 2) farther++;
      return hops === 2 && farther > FARTHER_IN_FRONT ? { ...fact, score: fact.score * BEHIND } : fact;
    })
    .sort(bestFirst);
}

type Judged = Pick<Fact, "id" | "score" | "others">;

const bestFirst = (a: Judged, b: Judged) =>
  b.score - a.score || b.others.length - a.others.length || (a.id < b.id ? -1 : 1);

const FARTHER_IN_FRONT = 10;

const RELATION = 0.5;
const NEAR = 0.3;
const OTHER = 0.2;
/** Lowers the score of a neighbour's fact below that of any nearer fact. */
const BEHIND = (NEAR / (RELATION + OTHER)) * 0.9;

/** Scores how well a relation matches what a question asks for, 0 to 1. Words of the entity's name do not count. */
export function asksFor(question: string): (predicate: string, entity?: string) => number {
  const asked = contentTerms(question);
  // Cached, since an entity may have hundreds of facts with few relations.
  const judged = new Map<string, number>();
  return (predicate, entity = "") => {
    const key = JSON.stringify([entity, predicate]);
    const known = judged.get(key) ?? relationMet(question, withoutOnce(asked, terms(entity)), predicate);
    judged.set(key, known);
    return known;
  };
}

/** Splits the name of a relation into words: "ACTED_IN", "reportsTo". */
export function predicateWords(predicate: string): string {
  return predicate
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .replace(/[_\s:./-]+/g, " ")
    .trim();
}

function relationMet(question: string, asked: readonly string[], predicate: string): number {
  const words = predicateWords(predicate);
  const telling = contentTerms(words);
  const wanted = telling.length > 0 ? telling : terms(words);
  if (wanted.length === 0) return 0;
  const met = wanted.reduce((sum, term) => sum + Math.max(0, ...asked.map((other) => alike(term, other))), 0);
  // Chinese terms are bigrams. They miss relations of one character, and may differ where words run together.
  const stands = /^\p{Script=Han}+$/u.test(words) && plain(question).includes(plain(words));
  return stands ? 1 : met / wanted.length;
}

/** Compares two terms: 1 if equal, 0.8 for forms of one word with short endings, such as "act" and "actor", else 0. */
function alike(a: string, b: string): number {
  if (a === b) return 1;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const isForm = /^[a-z]{3,}$/.test(short) && long.startsWith(short) && long.length - short.length <= 4;
  return isForm ? 0.8 : 0;
}

/** Removes one occurrence of each of a name's terms from the question's terms. */
function withoutOnce(all: readonly string[], name: readonly string[]): string[] {
  const left = [...all];
  for (const term of name) {
    const at = left.indexOf(term);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}
