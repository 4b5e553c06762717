import type { OpenAI } from "openai";
import { z } from "zod";
import { type ModelSettings, withoutPassword } from "../../config.js";
import { EndpointError, MalformedReplyError, toError } from "../../errors.js";
import { boundedFetch } from "../web/fetch/bounded-fetch.js";
import type { Embeddings } from "./port.js";
import { unitLengths } from "./unit-lengths.js";

/**
 * Embeds texts with any OpenAI-compatible endpoint, by default OpenAI itself. Truncates a text that is too long for the
 * model. Retries a busy or failing endpoint twice.
 * @param timeoutMs the time limit for one request, in milliseconds.
 */
export function openaiEmbeddings(
  // Local servers accept any key.
  { model, baseURL = "https://api.openai.com/v1", apiKey = "none" }: ModelSettings,
  timeoutMs = 120_000,
): Embeddings {
  let client: Promise<OpenAI> | undefined;
  const open = async () => {
    const { OpenAI } = await import("openai");
    return new OpenAI({ apiKey, baseURL, timeout: timeoutMs, maxRetries: 2, fetch: fetchOnce });
  };

  async function request(texts: readonly string[], signal: AbortSignal | undefined): Promise<number[][]> {
    // Some endpoints refuse empty texts.
    const input = texts.map((text) => text.toWellFormed().trim() || ".");
    client ??= open();
    const { embeddings } = await client;
    const reply = Reply.safeParse(
      await embeddings.create({ model, input, encoding_format: "float" }, signal && { signal }),
    );
    if (!reply.success) throw new MalformedReplyError("not embeddings", { cause: reply.error });
    return reply.data.data.toSorted((a, b) => a.index - b.index).map(({ embedding }) => embedding);
  }

  /** Halves a refused request and tries again: first the number of texts, then the one text that is too long. */
  async function embedded(texts: readonly string[], signal: AbortSignal | undefined, cuts = 0): Promise<number[][]> {
    try {
      return await request(texts, signal);
    } catch (error) {
      const [first = ""] = texts;
      const isHopeless = texts.length === 1 && (cuts === MOST_CUTS || first.length < 2);
      if (signal?.aborted || !isRefusal(error) || isHopeless) throw error;
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
        if (signal?.aborted) throw signal.reason;
        throw await endpointError(error, { model, baseURL, apiKey });
      }
      return vectors;
    },
  };
}

/** Texts in one request. */
const BATCH = 32;
/** Enough for a text that is a thousand times too long. */
const MOST_CUTS = 10;

const Reply = z.object({ data: z.array(z.object({ index: z.number(), embedding: z.array(z.number()) })) });

/** True if the content of the request was refused, such as for its length. */
const isRefusal = (error: unknown) =>
  error instanceof Error && "status" in error && [400, 413, 422].includes(Number(error.status));

/** In bytes: enough for hundreds of vectors with thousands of dimensions. */
const bounded = boundedFetch(100_000_000);

/** llama.cpp reports a text that is too long with status 500, which the client would retry unchanged. */
async function fetchOnce(...request: Parameters<typeof fetch>): Promise<Response> {
  const response = await bounded(...request);
  if (response.status !== 500) return response;
  const body = await response.text();
  const isTooLong = /too (?:large|long)|token/i.test(body);
  return new Response(body, { status: isTooLong ? 413 : 500, headers: response.headers });
}

/** Explains an error in one sentence that says what to do. Never contains the key. */
async function endpointError(
  error: unknown,
  { model, baseURL, apiKey }: Required<ModelSettings>,
): Promise<EndpointError> {
  const { APIConnectionError, APIConnectionTimeoutError } = await import("openai");
  const where = withoutPassword(baseURL);
  const status = error instanceof Error && "status" in error ? Number(error.status ?? 0) : 0;
  const said = toError(error).message.split("\n")[0]?.slice(0, 200) ?? "";
  const detail = said.replaceAll(apiKey, "…").replace(/[.\s]+$/, "");
  const sentence = () => {
    if (status === 401 || status === 403)
      return `The embeddings endpoint at ${where} refused the key. Set OPENAI_API_KEY to one that may use ${model}.`;
    if (status === 404)
      return `The embeddings endpoint at ${where} has no model ${model}. Check EMEND_EMBEDDINGS_MODEL, and that the address ends with its version, such as /v1.`;
    if (status === 429) return `The embeddings endpoint at ${where} is over its limit of requests. Try again later.`;
    if (status > 0) return `The embeddings endpoint at ${where} failed: ${detail}. Try again, or set another one.`;
    if (error instanceof APIConnectionTimeoutError)
      return `The embeddings endpoint at ${where} did not answer in time. Is it overloaded?`;
    if (error instanceof APIConnectionError)
      return `No embeddings endpoint answers at ${where}. Is it running? Check EMEND_EMBEDDINGS_BASE_URL.`;
    return `The model ${model} at ${where} did not return one vector a text. Is it a model for embeddings?`;
  };
  return new EndpointError(sentence(), status);
}
