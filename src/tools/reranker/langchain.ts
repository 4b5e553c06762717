import { EndpointError, toError } from "../../errors.js";
import { unlessAborted } from "../../waiting.js";
import type { Reranker } from "./port.js";

interface CompressorDocument {
  pageContent: string;
  metadata: Record<string, unknown>;
}

/** A LangChain `BaseDocumentCompressor`. The type is structural, since it may come from another copy of LangChain. */
export interface DocumentCompressor {
  compressDocuments(documents: CompressorDocument[], query: string): Promise<CompressorDocument[]>;
}

/**
 * Adapts a LangChain document compressor. Only the order of its results is used, since not all compressors return
 * scores. Passages that it leaves out score 0, and its changes to texts are ignored.
 * @param identity default: the name of its class.
 * @throws EndpointError if the compressor fails or returns documents that it was not given.
 */
export function langchainReranker(compressor: DocumentCompressor, identity = compressor.constructor.name): Reranker {
  return {
    identity,
    async rank(question, passages, { signal } = {}) {
      signal?.throwIfAborted();
      if (passages.length === 0) return [];
      const documents = passages.map((pageContent, at) => ({ pageContent, metadata: { [PLACE]: at } }));
      const work = compressor.compressDocuments(documents, question);
      const ranked = await (signal ? unlessAborted(work, signal) : work).catch((error: unknown) => {
        signal?.throwIfAborted();
        const why = toError(error).message.slice(0, 200);
        throw new EndpointError(`The reranker ${identity} fails. ${why}`.trim(), 0, { cause: error });
      });
      const scores = passages.map(() => 0);
      for (const [rank, { metadata }] of ranked.entries()) {
        const at = metadata?.[PLACE];
        if (typeof at !== "number" || scores[at] === undefined)
          throw new EndpointError(`The reranker ${identity} returns other documents than it got.`);
        scores[at] = Math.max(scores[at], 1 - rank / Math.max(ranked.length, passages.length));
      }
      return scores;
    },
  };
}

/** The key in a document's metadata that holds the position of its passage. */
const PLACE = "emend_place";
