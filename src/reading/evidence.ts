import type { Context } from "../state/context.js";
import type { State } from "../state/state.js";
import { languageOf } from "../text/language.js";
import { READING } from "../thresholds.js";
import type { Evidence } from "../types/evidence.js";

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
export function makeRoom(
  state: Pick<State, "attempts" | "evidence" | "excluded" | "understood">,
  { rewriteBelow }: Context,
) {
  // A model that leads refers to what it has read by its number.
  if (state.understood?.modelLeads) return { kept: state.evidence, excluded: state.excluded };
  const graded = new Set(state.attempts.flatMap((attempt) => attempt.evidenceIds));
  const irrelevant = state.evidence.filter((piece) => graded.has(piece.id) && piece.relevance < rewriteBelow);
  const excluded = [...new Set([...state.excluded, ...irrelevant.map((piece) => piece.id)])];
  return { kept: state.evidence.filter((piece) => !excluded.includes(piece.id)), excluded };
}

/**
 * How many pieces of the evidence were read: those that the grader judged, which reads until it is sure; all graded ones
 * for a model that leads, or if the grader does not say what it has read.
 */
export function readIn({ evidence, understood }: Pick<State, "evidence" | "understood">): number {
  const read = evidence.filter((piece) => piece.read?.length).length;
  return read === 0 || understood?.modelLeads ? evidence.filter(({ strips }) => strips.length > 0).length : read;
}

/**
 * Returns what a draft is made from and checked against, in order of retrieval: all of the evidence for a model that
 * leads; else the best of it, without the pieces that the judge considers hopeless.
 */
export function evidenceToRead(state: Pick<State, "evidence" | "verdict" | "understood">): Evidence[] {
  if (state.understood?.modelLeads) return state.evidence;
  const read =
    state.verdict?.probability === undefined
      ? state.evidence
      : state.evidence.filter(({ relevance }) => relevance >= READING.hopeless);
  const best = read.toSorted((a, b) => b.relevance - a.relevance).slice(0, state.understood?.passages);
  return read.filter((piece) => best.includes(piece));
}
