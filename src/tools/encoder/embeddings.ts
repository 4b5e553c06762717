import { z } from "zod";
import { EndpointError, MalformedReplyError, toError } from "../../errors.js";
import { endpointClient, isContentRefused, type ModelSettings } from "../endpoint/endpoint.js";
import { unitLengths } from "./math.js";
import type { Embeddings } from "./port.js";

/**
 * Embeds texts with any OpenAI-compatible endpoint, by default OpenAI itself. Truncates a text that is too long for the
 * model. Retries a busy or failing endpoint twice.
 * @param timeoutMs the time limit for one request, in milliseconds.
 */
export function openaiEmbeddings(
  // Local servers accept any key.
  { model, baseURL = "https://api.openai.com/v1", apiKey = "none", ...added }: ModelSettings,
  timeoutMs = 120_000,
): Embeddings {
  const endpoint = endpointClient({ model, baseURL, apiKey, ...added }, { timeoutMs, retries: 2 }, NAMES);

  async function request(texts: readonly string[], signal: AbortSignal | undefined): Promise<number[][]> {
    // Some endpoints refuse empty texts.
    const input = texts.map((text) => text.toWellFormed().trim() || ".");
    const body = { model, input, encoding_format: "float" };
    const reply = Reply.safeParse(await endpoint.post("/embeddings", body, signal));
    if (!reply.success) throw endpoint.malformed();
    return reply.data.data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  }

  /** Halves a refused request and tries again: first the number of texts, then the one text that is too long. */
  async function embedded(texts: readonly string[], signal: AbortSignal | undefined, cuts = 0): Promise<number[][]> {
    try {
      return await request(texts, signal);
    } catch (error) {
      const [first = ""] = texts;
      const isHopeless = texts.length === 1 && (cuts === MAX_CUTS || first.length < 2);
      if (!isContentRefused(error) || isHopeless) throw error;
      if (texts.length === 1) return embedded([first.slice(0, first.length / 2)], signal, cuts + 1);
      const half = Math.ceil(texts.length / 2);
      const front = await embedded(texts.slice(0, half), signal);
      return [...front, ...(await embedded(texts.slice(half), signal))];
    }
  }

  return {
    identity: model,
    async embed(texts, { signal }) {
      const vectors: number[][] = [];
      try {
        for (let start = 0; start < texts.length; start += BATCH) {
          signal?.throwIfAborted();
          const some = texts.slice(start, start + BATCH);
          const found = await embedded(some, signal);
          vectors.push(...unitLengths(found, some.length, vectors[0]?.length));
        }
      } catch (error) {
        throw error instanceof MalformedReplyError ? endpoint.malformed() : error;
      }
      return vectors;
    },
  };
}

const NAMES = {
  kind: "embeddings",
  keyVariable: "OPENAI_API_KEY",
  modelVariable: "EMEND_EMBEDDINGS_MODEL",
  addressVariable: "EMEND_EMBEDDINGS_BASE_URL",
  expected: "one vector per text. Is it a model for embeddings?",
};

/** Texts in one request. */
const BATCH = 32;

/** Enough for a text that is a thousand times too long. */
const MAX_CUTS = 10;

const Reply = z.object({ data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()) })) });

/** LangChain embeddings. Structural, since they may come from another copy of LangChain. */
export interface LangchainEmbeddings {
  embedDocuments(texts: string[]): Promise<number[][]>;
  embedQuery(text: string): Promise<number[]>;
}

/**
 * Adapts LangChain embeddings.
 * @param identity see `Embeddings`. Default: the name of the model, or else of the class.
 */
export function langchainEmbeddings(embeddings: LangchainEmbeddings, identity = nameOf(embeddings)): Embeddings {
  let dimensions: number | undefined;
  return {
    identity,
    async embed(texts, { as, signal }) {
      signal?.throwIfAborted();
      try {
        const vectors =
          as === "question"
            ? await Promise.all(texts.map((text) => embeddings.embedQuery(text)))
            : await embeddings.embedDocuments([...texts]);
        signal?.throwIfAborted();
        const units = unitLengths(vectors, texts.length, dimensions);
        dimensions ??= units[0]?.length;
        return units;
      } catch (error) {
        signal?.throwIfAborted();
        const why = toError(error).message.slice(0, 200);
        throw new EndpointError(`The embeddings ${identity} fail. ${why}`.trim(), 0, { cause: error });
      }
    },
  };
}

function nameOf(embeddings: LangchainEmbeddings): string {
  const named = [Reflect.get(embeddings, "model"), Reflect.get(embeddings, "modelName"), embeddings.constructor.name];
  return named.find((name) => typeof name === "string" && name !== "") ?? "embeddings";
}
