import type { OpenAI } from "openai";
import { z } from "zod";
import { EndpointError, toError } from "../../errors.js";
import { exactly, hasMethod, unless } from "../../options.js";
import { withoutPassword } from "../../text/address.js";

/** A model behind an OpenAI-compatible endpoint. */
export interface ModelSettings {
  model: string;
  apiKey?: string;
  /** Default: OpenAI's own. */
  baseURL?: string;
}

/** True for the settings of an endpoint, false for a LangChain model, which has methods. */
export const isEndpoint = <Part>(model: ModelSettings | Part): model is ModelSettings =>
  !["invoke", "embedQuery", "compressDocuments"].some((method) => hasMethod(model, method));

/** The settings of an endpoint as schemas. */
export const endpoint = { model: z.string().min(1), apiKey: z.string().optional(), baseURL: z.string().optional() };

/** A schema of an option that takes the settings of an endpoint, or a LangChain part with this method. */
export const endpointOr = (kind: string, method: string, settings: z.ZodRawShape = endpoint) =>
  unless(
    (given) => hasMethod(given, method),
    exactly(settings, `must be an endpoint such as { model, apiKey, baseURL }, or ${kind} of LangChain`),
  );

/** An environment variable with the address of a web server. */
export const webAddress = z
  .url({ protocol: /^https?$/, error: "must be an address that begins with http:// or https://" })
  .optional();

export const endpointVariables = { OPENAI_API_KEY: z.string().optional(), OPENAI_BASE_URL: webAddress };
type EndpointVariables = z.infer<z.ZodObject<typeof endpointVariables>>;

/** Returns the endpoint of a model from the environment, by default OpenAI's. Undefined without a model. */
export const endpointOf = (
  { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL }: EndpointVariables,
  model: string | undefined,
  baseURL = OPENAI_BASE_URL,
): ModelSettings | undefined => (model ? { model, ...(apiKey && { apiKey }), ...(baseURL && { baseURL }) } : undefined);

/** How errors name an endpoint and the settings for it. */
export interface EndpointNames {
  /** Such as "embeddings". */
  kind: string;
  keyVariable: string;
  modelVariable: string;
  addressVariable: string;
  /** The expected reply, as the end of a sentence. */
  expected: string;
}

/**
 * Returns a function that opens a client once. The library loads on the first call, which takes a tenth of a second.
 */
export function lazyClient(
  { baseURL, apiKey }: Required<Pick<ModelSettings, "baseURL" | "apiKey">>,
  { timeoutMs, retries }: { timeoutMs: number; retries: number },
): () => Promise<OpenAI> {
  let client: Promise<OpenAI> | undefined;
  const open = async () => {
    const { OpenAI } = await import("openai");
    return new OpenAI({ apiKey, baseURL, timeout: timeoutMs, maxRetries: retries, fetch: fetchOnce, logLevel: "off" });
  };
  return () => {
    client ??= open();
    return client;
  };
}

/** True if the endpoint refused the content of a request, such as for its length. */
export const isContentRefused = (error: unknown) =>
  error instanceof Error && "status" in error && [400, 413, 422].includes(Number(error.status));

/**
 * `fetch` for endpoints that the user configured. A response longer than `bytes`, counted after decompression, fails
 * with an error instead of filling the memory.
 */
export const boundedFetch =
  (bytes: number): typeof fetch =>
  async (...request) => {
    const response = await fetch(...request);
    let read = 0;
    const bound = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(piece, sink) {
        read += piece.length;
        if (read <= bytes) sink.enqueue(piece);
        else sink.error(new Error(`the reply has more than ${bytes} bytes`));
      },
    });
    return response.body ? new Response(response.body.pipeThrough(bound), response) : response;
  };

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
export async function endpointError(
  error: unknown,
  { model, baseURL, apiKey }: Required<ModelSettings>,
  { kind, keyVariable, modelVariable, addressVariable, expected }: EndpointNames,
): Promise<EndpointError> {
  const { APIConnectionError, APIConnectionTimeoutError } = await import("openai");
  const where = withoutPassword(baseURL);
  const status = error instanceof Error && "status" in error ? Number(error.status ?? 0) : 0;
  const said = toError(error).message.split("\n")[0] ?? "";
  // A key as short as "none", which stands for no key, is a word of other messages.
  const detail = (apiKey.length > 4 ? said.replaceAll(apiKey, "…") : said).slice(0, 200).replace(/[.\s]+$/, "");
  const sentence = () => {
    if (status === 401 || status === 403)
      return `The ${kind} endpoint at ${where} refused the key. Set ${keyVariable} to one that may use ${model}.`;
    if (status === 404)
      return `The ${kind} endpoint at ${where} has no model ${model}. Check ${modelVariable}, and that the address ends with its version, such as /v1.`;
    if (status === 429) return `The ${kind} endpoint at ${where} has reached its request limit. Try again later.`;
    if (status > 0) return `The ${kind} endpoint at ${where} failed: ${detail}. Try again, or set another one.`;
    if (error instanceof APIConnectionTimeoutError)
      return `The ${kind} endpoint at ${where} did not answer in time. Is it overloaded?`;
    if (error instanceof APIConnectionError)
      return `No ${kind} endpoint answers at ${where}. Is it running? Check ${addressVariable}.`;
    return `The model ${model} at ${where} did not return ${expected}`;
  };
  return new EndpointError(sentence(), status);
}
