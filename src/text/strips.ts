import { READING } from "../thresholds.js";
import type { Evidence, Span } from "../types/evidence.js";
import { memoize } from "./memoize.js";
import { type OutlineUnit, outlineOf } from "./outline.js";

/**
 * Groups consecutive sentences into strips that are judged one by one: about 3 sentences, 60 words or 120 Chinese
 * characters. A heading opens a strip. Together the strips hold every sentence, in order.
 */
export const strips: (text: string) => readonly Span[] = memoize((text) => {
  const groups: (Span & { sentences: number; size: number; headed: boolean })[] = [];
  for (const unit of outlineOf(text)) {
    const { start, end, size } = unit;
    const headed = unit.kind === "heading";
    const last = groups.at(-1);
    const fits = last && (last.size + size <= STRIP_WORDS || last.sentences === 0) && last.sentences < STRIP_SENTENCES;
    if (!fits || (headed && !last.headed)) groups.push({ start, end, sentences: weightOf(unit), size, headed });
    else {
      last.end = end;
      last.sentences += weightOf(unit);
      last.size += size;
      last.headed &&= headed;
    }
  }
  return groups.map(({ start, end }) => ({ start, end }));
}, 1_000_000);

const STRIP_SENTENCES = 3;
const STRIP_WORDS = 60;

/** Rows and items count half, since they are shorter; a heading only names what follows. */
const weightOf = ({ kind }: OutlineUnit) => (kind === "heading" ? 0 : kind === "row" || kind === "item" ? 0.5 : 1);

/**
 * Returns the parts of a piece of evidence that an answer may use: its relevant strips with one neighbour on each side,
 * in order, adjacent ones joined (CRAG's refinement, arXiv 2401.15884). Before grading, that is the whole text.
 */
export function keptStrips({ text, strips: graded }: Pick<Evidence, "text" | "strips">): Span[] {
  const all: readonly Span[] = graded.length > 0 ? graded : strips(text);
  const isRelevant = all.map((_, i) => (graded[i]?.relevance ?? 1) >= READING.keepStrip);
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
