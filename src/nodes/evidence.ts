import type { Context } from "../graph/context.js";
import type { State } from "../graph/state.js";

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
