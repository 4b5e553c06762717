import { languageOf } from "../text/language.js";
import { HOPELESS_STRIP } from "../tools/models/with-judge.js";
import type { Evidence } from "../types/evidence.js";
import type { Context } from "./context.js";
import type { State } from "./state.js";

/** A piece of evidence before it is graded; what is left out is filled in. Its text is what an answer may quote. */
export const asEvidence = (given: Pick<Evidence, "id" | "title" | "uri" | "text"> & Partial<Evidence>): Evidence => ({
  source: "document",
  section: "",
  language: languageOf(given.text),
  score: 1,
  relevance: 0,
  strips: [],
  retrievedAt: new Date().toISOString(),
  reviewedAt: "",
  ...given,
});

/**
 * Drops evidence that was graded irrelevant or misled an answer, to make room for a new source. Excluded evidence is not
 * retrieved again for this question.
 */
export function makeRoom(state: Pick<State, "attempts" | "evidence" | "excluded">, { rewriteBelow }: Context) {
  const graded = new Set(state.attempts.flatMap((attempt) => attempt.evidenceIds));
  const irrelevant = state.evidence.filter((piece) => graded.has(piece.id) && piece.relevance < rewriteBelow);
  const excluded = [...new Set([...state.excluded, ...irrelevant.map((piece) => piece.id)])];
  return { kept: state.evidence.filter((piece) => !excluded.includes(piece.id)), excluded };
}

/** Returns what a draft is made from and checked against: the best of the evidence, in order of retrieval. */
export function evidenceToRead(state: Pick<State, "evidence" | "verdict" | "understood">): Evidence[] {
  const read = worthReading(state);
  const best = read.toSorted((a, b) => b.relevance - a.relevance).slice(0, state.understood?.passages);
  return read.filter((piece) => best.includes(piece));
}

/**
 * Returns the evidence without the pieces that the judge considers hopeless, which would only lengthen prompts. Without
 * a judge, returns all of it.
 */
export const worthReading = ({ evidence, verdict }: Pick<State, "evidence" | "verdict">) =>
  verdict?.probability === undefined ? evidence : evidence.filter(({ relevance }) => relevance >= HOPELESS_STRIP);
