import { setImmediate } from "node:timers/promises";
import { hasWords } from "../../text/tokens.js";
import { sumOf, treesOf } from "../trees.js";
import { readClaim } from "./claim.js";
import { type Ground, readGround } from "./ground.js";
import type { Entailment } from "./port.js";
import { signsOf } from "./signs.js";
import { THRESHOLDS, WEIGHTS } from "./weights.js";

/**
 * Entailment by counting: how much of a claim the sources have, in which sentences and order, which names, amounts,
 * denials and words it has that they lack; weighed by trees that were fitted on public claims in English and on made ones
 * in English and Chinese (`eval/fit-support.ts`). No network, no model; the same pair always scores the same.
 */
export function localEntailment(): Entailment {
  return {
    identity: "local:1",
    thresholds: THRESHOLDS,
    async score(pairs, { signal } = {}) {
      const trees = treesOf(WEIGHTS);
      // Claims of one answer mostly share their sources.
      const read = new Map<string, Ground>();
      const scores: number[] = [];
      for (const { claim, sources } of pairs) {
        signal?.throwIfAborted();
        if (scores.length % AT_ONCE === AT_ONCE - 1) await setImmediate();
        if (!hasWords(claim) || !sources.some(hasWords)) {
          scores.push(0);
          continue;
        }
        const key = sources.length === 1 ? (sources[0] ?? "") : JSON.stringify(sources);
        const ground = read.get(key) ?? readGround(sources);
        read.set(key, ground);
        scores.push(1 / (1 + Math.exp(-sumOf(trees, rowOf(signsOf(readClaim(claim), ground))))));
      }
      return scores;
    },
  };
}

/** How many claims are scored before others get their turn. */
const AT_ONCE = 8;

/** The signs as the trees number them. */
export const rowOf = (signs: Record<string, Record<string, number>>): Float64Array =>
  Float64Array.from(Object.values(signs).flatMap((group) => Object.values(group)));
