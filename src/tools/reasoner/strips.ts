import { strips } from "../../language/sentences.js";
import type { Evidence, Span } from "../../types/evidence.js";

/**
 * The parts of a piece of evidence that an answer may rest on: its relevant strips with one neighbour on each side, in
 * order, those that touch as one (CRAG's refinement, arXiv 2401.15884). All of it before grading.
 * @param keepAt relevance at or above which a strip is kept, 0 to 1.
 */
export function keptStrips(evidence: Pick<Evidence, "text" | "strips">, keepAt = 0.3): Span[] {
  if (evidence.strips.length === 0) return joined(strips(evidence.text), () => true);
  const kept = evidence.strips.map(({ relevance }) => relevance >= keepAt);
  return joined(evidence.strips, (i) => kept[i - 1] || kept[i] || kept[i + 1] || false);
}

function joined(spans: readonly Span[], keep: (index: number) => boolean): Span[] {
  const runs: Span[] = [];
  let previous = -2;
  spans.forEach(({ start, end }, i) => {
    if (!keep(i)) return;
    const last = runs.at(-1);
    if (last && previous === i - 1) last.end = end;
    else runs.push({ start, end });
    previous = i;
  });
  return runs;
}
