import { hasWords } from "../../text/tokens.js";
import type { Embeddings } from "../embeddings/port.js";
import { readClaim } from "./claim.js";
import { cosines } from "./cosines.js";
import { type Ground, readGround } from "./ground.js";
import { localEntailment } from "./local.js";
import type { Entailment, Thresholds } from "./port.js";

export interface EmbeddingsEntailmentOptions {
  embeddings: Embeddings;
  /** Default: those of the local form. Cosines of another model than all-MiniLM-L6-v2 lie elsewhere: measure it. */
  thresholds?: Thresholds;
}

/**
 * The local form, moved by how near each part of the claim comes in meaning to a sentence of its sources. All texts of a
 * call are embedded together: a claim's parts, and the twelve sentences that share most with it.
 * @throws EndpointError as the embeddings do.
 */
export function embeddingsEntailment({ embeddings, thresholds }: EmbeddingsEntailmentOptions): Entailment {
  const local = localEntailment();
  return {
    identity: `embeddings:${embeddings.identity}+${local.identity}`,
    thresholds: thresholds ?? local.thresholds,
    async score(pairs, options) {
      const counted = await local.score(pairs, options);
      const grounds = new Map<string, Ground>();
      const read = pairs.flatMap(({ claim, sources }, pair) => {
        if (!hasWords(claim) || !sources.some(hasWords)) return [];
        const key = JSON.stringify(sources);
        const ground = grounds.get(key) ?? readGround(sources);
        grounds.set(key, ground);
        return [{ pair, claim: readClaim(claim), ground }];
      });
      const near = read.length > 0 ? await cosines(read, embeddings, options) : [];
      const scores = pairs.map(() => 0);
      for (const [i, { pair }] of read.entries()) scores[pair] = moved(counted[pair] ?? 0, near[i]?.least ?? 0);
      return scores;
    },
  };
}

/** The odds of a count, moved by the cosine of the claim's worst part, at most by `STEP` either way. */
function moved(score: number, least: number): number {
  const bounded = Math.min(1 - 1e-9, Math.max(1e-9, score));
  const by = Math.max(-1, Math.min(1, (least - MIDDLE) / (1 - MIDDLE)));
  return 1 / (1 + Math.exp(-(Math.log(bounded / (1 - bounded)) + STEP * by)));
}
const STEP = 1;
const MIDDLE = 0.6;
