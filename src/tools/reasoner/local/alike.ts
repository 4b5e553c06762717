import type { Span } from "../../../types/evidence.js";
import type { Embeddings } from "../../embeddings/port.js";
import type { Call, Task } from "../port.js";

/**
 * By how much embeddings shift the log odds of each strip, -1 to 1: how far its similarity to the question stands out
 * among the strips of this evidence. Similarities of different models lie on different scales, so only the order and the
 * distances within one question count. Undefined when the endpoint fails, which is told.
 */
export async function alike(
  { question, evidence }: Task,
  cut: readonly (readonly Span[])[],
  embeddings: Embeddings,
  call: Call,
): Promise<number[][] | undefined> {
  const texts = cut.flatMap((spans, i) => spans.map(({ start, end }) => evidence[i]?.text.slice(start, end) ?? ""));
  if (texts.length < 2) return undefined;
  try {
    const [asked = [], ...found] = await embeddings.embed([question, ...texts], { as: "passage", signal: call.signal });
    const similarities = found.map((vector) => dot(asked, vector));
    const mean = similarities.reduce((sum, value) => sum + value, 0) / similarities.length;
    const spread = Math.sqrt(similarities.reduce((sum, value) => sum + (value - mean) ** 2, 0) / similarities.length);
    const shifts = similarities.map((value) =>
      spread === 0 ? 0 : Math.max(-1, Math.min(1, (value - mean) / spread / 2)),
    );
    const ends = cut.map((_, i) => cut.slice(0, i + 1).reduce((sum, spans) => sum + spans.length, 0));
    return cut.map((spans, i) => shifts.slice((ends[i] ?? 0) - spans.length, ends[i]));
  } catch (error) {
    if (call.signal.aborted) throw error;
    call.fault(error instanceof Error ? error : new Error(String(error)));
    return undefined;
  }
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
