import { contentTerms, plain, terms } from "../../language/tokens.js";
import { namesIn } from "./names.js";
import type { Fact } from "./port.js";

/** What a fact is judged by. */
export interface Rankable extends Pick<Fact, "id" | "entity" | "predicate" | "others"> {
  /** 1: of an entity that was named. 2: of one that such an entity is related to. */
  hops: 1 | 2;
}

/** A fact before it is judged. */
export type FoundFact = Omit<Fact, "score"> & Rankable;

/**
 * Facts by how well they meet a question, best first, each with a score from 0 to 1: whether the relation says what the
 * question asks, whether a name at the other end stands in it, and whether the fact is of an entity that was named. A
 * farther fact with the relation asked for comes before a nearer one without; but only ten do, since a neighbour may have
 * thousands of that relation. Of equals the one that tells more comes first, then by id, so that a result is the same twice.
 */
export function rankFacts<F extends Rankable>(
  question: string,
  facts: readonly F[],
): (Omit<F, "hops"> & Pick<Fact, "score">)[] {
  const asks = asksFor(question);
  const standing = new Set(
    namesIn(
      question,
      facts.flatMap(({ others }) => others),
    ),
  );
  let farther = 0;
  return facts
    .map(({ hops, ...fact }) => {
      const other = fact.others.some((name) => standing.has(name)) ? 1 : 0;
      const near = hops === 1 ? 1 : 0;
      return {
        fact: { ...fact, score: RELATION * asks(fact.predicate, fact.entity) + NEAR * near + OTHER * other },
        hops,
      };
    })
    .sort((a, b) => bestFirst(a.fact, b.fact))
    .map(({ fact, hops }) => {
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
/** The best farther fact then scores less than any that is near. */
const BEHIND = (NEAR / (RELATION + OTHER)) * 0.9;

/**
 * How far a question asks for a relation, 0 to 1. Words that stand in it only as part of the entity's name do not count.
 */
export function asksFor(question: string): (predicate: string, entity?: string) => number {
  const asked = contentTerms(question);
  // Facts of a much-mentioned entity are hundreds, with few relations.
  const judged = new Map<string, number>();
  return (predicate, entity = "") => {
    const key = JSON.stringify([entity, predicate]);
    const known = judged.get(key) ?? relationMet(question, withoutOnce(asked, terms(entity)), predicate);
    judged.set(key, known);
    return known;
  };
}

/** The words of a relation: "ACTED_IN", "reportsTo" and "reports to" alike. */
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
  // Pairs of characters miss a relation of one, and one whose neighbour in the question is another word.
  const stands = /^\p{Script=Han}+$/u.test(words) && plain(question).includes(plain(words));
  return stands ? 1 : met / wanted.length;
}

/** Forms of one word: "act" and "actor". Endings are short; what is longer is another word. */
function alike(a: string, b: string): number {
  if (a === b) return 1;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  const isForm = /^[a-z]{3,}$/.test(short) && long.startsWith(short) && long.length - short.length <= 4;
  return isForm ? 0.8 : 0;
}

/** What is left of the question's terms when those of a name, said once, are taken out. */
function withoutOnce(all: readonly string[], name: readonly string[]): string[] {
  const left = [...all];
  for (const term of name) {
    const at = left.indexOf(term);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}
