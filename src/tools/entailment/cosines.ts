import type { Embeddings } from "../embeddings/port.js";
import type { Claim } from "./claim.js";
import { sentencesWith } from "./coverage.js";
import type { Ground } from "./ground.js";

/** How near the claim, and each of its parts, comes to a sentence of the sources in meaning: cosines, -1 to 1. */
export interface Cosines {
  whole: number;
  /** Over the parts, each with the sentence nearest to it. */
  mean: number;
  least: number;
}

/** One a claim. Only the sentences that share most with a claim are compared, so that a long source costs no more than a short one. */
export async function cosines(
  read: readonly { claim: Claim; ground: Ground }[],
  embeddings: Embeddings,
  options?: { signal?: AbortSignal },
): Promise<Cosines[]> {
  const wanted = read.map(({ claim, ground }) => ({
    parts: claim.parts.length > 1 ? [claim.text, ...claim.parts] : [claim.text],
    near: nearest(claim, ground).map((i) => ground.sentences[i]?.text ?? ""),
  }));
  const texts = [...new Set(wanted.flatMap(({ parts, near }) => [...parts, ...near]))];
  const vectors = await embeddings.embed(texts, { as: "passage", ...options });
  const vectorOf = new Map(texts.map((text, i) => [text, vectors[i] ?? []]));
  return wanted.map(({ parts, near }) => {
    const best = parts.map((part) =>
      near.reduce((top, text) => Math.max(top, dot(vectorOf.get(part) ?? [], vectorOf.get(text) ?? [])), -1),
    );
    const [whole = -1, ...each] = best;
    const some = each.length > 0 ? each : [whole];
    return { whole, mean: some.reduce((sum, value) => sum + value, 0) / some.length, least: Math.min(...some) };
  });
}

/** The sentences with most of the claim's terms by weight; where few have any, the first ones as well. */
function nearest(claim: Claim, ground: Ground): number[] {
  const sums = new Float64Array(ground.sentences.length);
  for (const term of new Set(claim.tokens.map((token) => token.term)))
    for (const sentence of sentencesWith(ground, term)) sums[sentence] = (sums[sentence] ?? 0) + ground.weight(term);
  return [...sums.keys()].toSorted((a, b) => (sums[b] ?? 0) - (sums[a] ?? 0) || a - b).slice(0, COMPARED);
}
const COMPARED = 12;

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
