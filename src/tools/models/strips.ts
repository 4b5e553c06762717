import { strips } from "../../text/sentences.js";
import type { Evidence, Span } from "../../types/evidence.js";

/**
 * Returns the parts of a piece of evidence that an answer may use: its relevant strips with one neighbour on each side,
 * in order, adjacent ones joined (CRAG's refinement, arXiv 2401.15884). Before grading, that is all of it.
 */
export function keptStrips({ text, strips: graded }: Pick<Evidence, "text" | "strips">): Span[] {
  const all: readonly Span[] = graded.length > 0 ? graded : strips(text);
  const isRelevant = all.map((_, i) => (graded[i]?.relevance ?? 1) >= KEEP_AT);
  const runs: Span[] = [];
  let previous = -2;
  all.forEach(({ start, end }, i) => {
    if (!isRelevant[i - 1] && !isRelevant[i] && !isRelevant[i + 1]) return;
    const last = runs.at(-1);
    if (last && previous === i - 1) last.end = end;
    else runs.push({ start, end });
    previous = i;
  });
  return runs;
}

/** True if a span lies within a part that an answer may use. */
export const isKept = (evidence: Pick<Evidence, "text" | "strips">, { start, end }: Span) =>
  keptStrips(evidence).some((kept) => kept.start <= start && end <= kept.end);

/** The relevance from which a strip is kept. */
export const KEEP_AT = 0.3;
