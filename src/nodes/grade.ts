import { nearestOf } from "../answer/nearest.js";
import { UntrustedTextError } from "../errors.js";
import type { Context } from "../state/context.js";
import type { Node } from "../state/node.js";
import type { State } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import { orders } from "../text/orders.js";
import { strips } from "../text/sentences.js";
import { overlap } from "../text/spans.js";
import type { Grade } from "../tools/models/port.js";
import { wasSearched } from "../types/events.js";
import type { Evidence, Span, Verdict } from "../types/evidence.js";

/**
 * Judges every strip and the evidence as a whole in one call, always against the user's own question (CRAG, arXiv
 * 2401.15884; sufficiency of the context: arXiv 2411.06037). Evidence that did not change keeps its grade, and where a
 * further source brought nothing the run goes on as if it had not been asked.
 */
export const grade =
  ({ grader }: Pick<Tools, "grader">): Node =>
  async (state, { context, call }) => {
    const { understood, evidence, verdict } = state;
    if (!understood) return {};
    const ids = evidence.map((e) => e.id);
    const last = state.attempts.at(-1);
    if (verdict && last && ids.length === last.evidenceIds.length && ids.every((id) => last.evidenceIds.includes(id)))
      return wasSearched(state.decisions) ? attempted(state, evidence, verdict) : {};

    const { question, language } = understood;
    const graded = await grader.grade({ question, language, evidence }, call);
    const judged = evidence.map((piece, i) => withStrips(piece, graded.relevance[i] ?? []));
    for (const { id, title, uri, text } of evidence)
      if (!state.attempts.some((attempt) => attempt.evidenceIds.includes(id)) && orders(text).length > 0)
        call.fault(new UntrustedTextError(title, uri));
    return attempted(state, judged, verdictOf(graded, judged, context));
  };

const attempted = (state: State, evidence: Evidence[], verdict: Verdict) => ({
  evidence,
  verdict,
  nearest: nearestOf(state.nearest ?? [], evidence),
  draft: undefined,
  report: undefined,
  attempts: [
    ...state.attempts,
    {
      query: state.queries.at(-1)?.text ?? "",
      evidenceIds: evidence.map((e) => e.id),
      verdict,
      repair: false,
      spend: state.spend,
    },
  ],
});

/** A strip that gives orders to its reader is worth nothing, whatever else it says. */
function withStrips(piece: Evidence, relevance: readonly number[]): Evidence {
  const ordered = orders(piece.text);
  const isOrdered = (span: Span) => ordered.some((order) => overlap(order, span));
  const judged = strips(piece.text).map((span, i) => ({
    ...span,
    relevance: isOrdered(span) ? 0 : unit(relevance[i]),
  }));
  return { ...piece, strips: judged, relevance: Math.max(0, ...judged.map((strip) => strip.relevance)) };
}

/** CRAG's three verdicts, from relevance and answerability together: relevant passages that do not answer are not enough. */
function verdictOf(graded: Grade, evidence: readonly Evidence[], context: Context): Verdict {
  const { relevance: _, ...rest } = graded;
  const relevance = Math.max(0, ...evidence.map((e) => e.relevance));
  const relevant = evidence.filter((e) => e.relevance >= context.generateAt).length;
  const answers =
    graded.answerability === "full" || (graded.answerability === "unknown" && relevant >= context.minRelevant);
  const ambiguous = relevance >= context.rewriteBelow ? "ambiguous" : "incorrect";
  return { ...rest, relevance, relevant, grade: answers && relevance >= context.generateAt ? "correct" : ambiguous };
}

const unit = (value: number | undefined) => (value && value > 0 ? Math.min(1, value) : 0);
