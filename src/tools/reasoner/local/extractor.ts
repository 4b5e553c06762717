import type { TripleExtractor } from "../port.js";
import { stated } from "./extractor-outline.js";
import { pairTriples } from "./extractor-pairs.js";
import { sentenceTriples } from "./extractor-sentences.js";
import { tableTriples } from "./extractor-tables.js";

/**
 * Reads triples without a model, from what is written in a form that leaves no doubt: tables, "Key: value" under the name
 * of a thing, and a few plain sentences, in English and Chinese. Better too little than something wrong: most of what a
 * passage says is left to the passage.
 */
export function localExtractor(): TripleExtractor {
  return {
    identity: `local.${VERSION}`,
    atOnce: 100,
    async extract(passage, { signal }) {
      signal.throwIfAborted();
      const all = stated(passage);
      return [...tableTriples(passage, all), ...pairTriples(passage, all), ...sentenceTriples(all)];
    },
  };
}

/** Raise it when the same passage is read differently: what was read before is then read anew. */
const VERSION = 1;
