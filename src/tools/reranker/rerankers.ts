import { z } from "zod";
import { EndpointError, toError } from "../../errors.js";
import { measureTokens } from "../../text/token-count.js";
import { unlessAborted } from "../../waiting.js";
import { logistic } from "../encoder/math.js";
import { endpointClient, isContentRefused, type ModelSettings } from "../endpoint/endpoint.js";
import type { Reranker } from "./port.js";

/**
 * Ranks with any endpoint that offers `/rerank` in the form of Cohere, Jina, Voyage, TEI, vLLM, Infinity or llama.cpp.
 * Retries once if the endpoint is busy or fails, and once with shorter passages if it refuses a request.
 * @param settings.baseURL includes the version, if there is one: `https://api.cohere.com/v2`,
 * `http://127.0.0.1:8080/v1`.
 * @param timeoutMs the time limit for one request, in milliseconds. Answers wait for it.
 */
export function httpReranker(
  // Local servers accept any key.
  { model, baseURL, apiKey = "none", ...added }: ModelSettings & { baseURL: string },
  timeoutMs = 10_000,
): Reranker {
  const endpoint = endpointClient({ model, baseURL, apiKey, ...added }, { timeoutMs, retries: 1 }, NAMES);
  /** TEI has another name for the passages. Its refusal of the first request reveals it. */
  let isTei = false;

  async function request(question: string, passages: readonly string[], signal: AbortSignal | undefined) {
    const texts = passages.map((text) => text.toWellFormed().trim() || ".");
    const query = question.toWellFormed();
    const body = isTei ? { query, texts, truncate: true } : { model, query, documents: texts };
    const reply = Reply.safeParse(await endpoint.post("/rerank", body, signal));
    const scores = new Map(reply.data?.map(({ index, score }) => [index, score]));
    return texts.map((_, i) => {
      const score = scores.get(i);
      if (score === undefined) throw endpoint.malformed();
      return score;
    });
  }

  async function scored(question: string, passages: readonly string[], signal: AbortSignal | undefined) {
    try {
      return await request(question, passages, signal);
    } catch (error) {
      if (!isContentRefused(error)) throw error;
      if (!isTei && /\btexts\b/.test(error.message)) {
        isTei = true;
        return request(question, passages, signal);
      }
      return request(question, passages.map(shortened), signal);
    }
  }

  return {
    identity: model,
    async rank(question, passages, { signal } = {}) {
      const scores: number[] = [];
      for (let start = 0; start < passages.length; start += BATCH) {
        signal?.throwIfAborted();
        scores.push(...(await scored(question, passages.slice(start, start + BATCH), signal)));
      }
      return normalised(scores);
    },
  };
}

/** Passages in one request: the most that TEI accepts by default. */
const BATCH = 32;

/** In estimated tokens: what a model with 512 tokens can read beside a question. */
const MAX_PASSAGE = 300;

const shortened = (text: string) => text.slice(0, measureTokens(text, 0, text.length, MAX_PASSAGE).at);

/** llama.cpp, and some models on other servers, return log odds of any size; the rest return probabilities. */
const normalised = (scores: readonly number[]) =>
  scores.every((score) => score >= 0 && score <= 1) ? [...scores] : scores.map(logistic);

const Index = z.number().int().min(0);
const Named = z
  .object({ index: Index, relevance_score: z.number() })
  .transform(({ index, relevance_score: score }) => ({ index, score }));

/** In this order: Cohere, Jina, vLLM, Infinity and llama.cpp; Voyage; TEI. */
const Reply = z.union([
  z.object({ results: z.array(Named) }).transform(({ results }) => results),
  z.object({ data: z.array(Named) }).transform(({ data }) => data),
  z.array(z.object({ index: Index, score: z.number() })),
]);

const NAMES = {
  kind: "reranker",
  keyVariable: "EMEND_RERANKER_API_KEY",
  modelVariable: "EMEND_RERANKER_MODEL",
  addressVariable: "EMEND_RERANKER_BASE_URL",
  expected: "one score a passage. Is it a model for reranking?",
};

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
