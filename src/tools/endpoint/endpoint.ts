import { z } from "zod";
import { EndpointError } from "../../errors.js";
import { exactly, hasMethod, unless } from "../../options.js";
import { withoutPassword } from "../../text/address.js";
import { parsedJson } from "../../text/decode.js";
import { deadline, sleep } from "../../waiting.js";
import { unlessSilent } from "./silence.js";

/** A model behind an OpenAI-compatible endpoint. */
export interface ModelSettings {
  model: string;
  apiKey?: string;
  /** Default: OpenAI's own. */
  baseURL?: string;
  /** Sent with every request, such as the key of a gateway. Their values are secrets, and never shown. */
  headers?: Readonly<Record<string, string>>;
  /** Added to the body of every request, such as `{ reasoning_effort: "none" }`. It wins over what emend sets. */
  body?: Readonly<Record<string, unknown>>;
}

/** True for the settings of an endpoint, false for a LangChain model, which has methods. */
export const isEndpoint = <Part>(model: ModelSettings | Part): model is ModelSettings =>
  !["invoke", "embedQuery", "compressDocuments"].some((method) => hasMethod(model, method));

const headers = z
  .record(z.string(), z.string())
  .refine(areHeaders, 'must be HTTP headers such as { "x-api-key": "…" }');
const body = z.record(z.string(), z.unknown());

/** The settings of an endpoint as schemas. */
export const endpoint = {
  model: z.string().min(1),
  apiKey: z.string().optional(),
  baseURL: z.string().optional(),
  headers: headers.optional(),
  body: body.optional(),
};

function areHeaders(given: Record<string, string>): boolean {
  try {
    return new Headers(given) !== undefined;
  } catch {
    return false;
  }
}

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

/** An environment variable with a JSON object. The error for another value does not repeat it. */
const inJson = <T>(shape: z.ZodType<T>, example: string) =>
  z
    .string()
    .transform((text, { addIssue }): T => {
      const { data, success } = shape.safeParse(parsedJson(text));
      if (success) return data;
      addIssue(`must be a JSON object such as ${example}`);
      return z.NEVER;
    })
    .optional();

export const endpointVariables = {
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: webAddress,
  EMEND_MODEL_HEADERS: inJson(headers, '{"x-api-key": "…"}'),
  EMEND_MODEL_BODY: inJson(body, '{"reasoning_effort": "none"}'),
};
type EndpointVariables = z.infer<z.ZodObject<typeof endpointVariables>>;

/**
 * Returns the endpoint of a model from the environment, by default OpenAI's. Undefined without a model. The headers of
 * the chat models go to no other address.
 */
export const endpointOf = (
  { OPENAI_API_KEY: apiKey, OPENAI_BASE_URL, EMEND_MODEL_HEADERS: headers }: EndpointVariables,
  model: string | undefined,
  baseURL = OPENAI_BASE_URL,
): ModelSettings | undefined =>
  model
    ? {
        model,
        ...(apiKey && { apiKey }),
        ...(baseURL && { baseURL }),
        ...(headers && baseURL === OPENAI_BASE_URL && { headers }),
      }
    : undefined;

/** Returns a text of an endpoint with “…” for its secrets. One as short as "none", which stands for no key, is a word. */
export const withoutSecrets = (text: string, { apiKey = "", headers = {} }: Omit<ModelSettings, "model">): string =>
  [apiKey, ...Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)])]
    .filter((secret) => secret.length > 4)
    .reduce((said, secret) => said.replaceAll(secret, "…"), text);

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

/** An endpoint that is asked by single requests. */
export interface EndpointClient {
  /**
   * Posts JSON, and again if the endpoint is busy or fails. Returns the JSON of the reply, or undefined if it is none.
   * @throws EndpointError in one sentence that says what to do, without the key; or the signal's reason.
   */
  post(path: string, body: object, signal: AbortSignal | undefined): Promise<unknown>;
  /** The error for a reply of another shape. */
  malformed(): EndpointError;
}

/**
 * @param limits.timeoutMs the time limit for one request, in milliseconds.
 * @param limits.retries how often a request is repeated at most.
 */
export function endpointClient(
  settings: ModelSettings & { baseURL: string; apiKey: string },
  { timeoutMs, retries }: { timeoutMs: number; retries: number },
  { kind, keyVariable, modelVariable, addressVariable, expected }: EndpointNames,
): EndpointClient {
  const { model, baseURL, apiKey } = settings;
  const where = withoutPassword(baseURL);
  const headers = new Headers({ "content-type": "application/json", authorization: `Bearer ${apiKey}` });
  for (const [name, value] of Object.entries(settings.headers ?? {})) headers.set(name, value);

  async function once(path: string, body: object, signal: AbortSignal | undefined): Promise<unknown> {
    const time = deadline(timeoutMs, signal);
    try {
      const request = {
        method: "POST",
        headers,
        body: JSON.stringify({ ...body, ...settings.body }),
        signal: time.signal,
      };
      const response = await bounded(`${baseURL.replace(/\/+$/, "")}${path}`, request);
      const text = await response.text();
      if (response.ok) return parsedJson(text);
      throw new RefusedRequest(response, text);
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof RefusedRequest) throw error;
      // The cause may repeat the address with its password.
      const message = time.isOver()
        ? `The ${kind} endpoint at ${where} did not answer in time. Is it overloaded?`
        : `No ${kind} endpoint answers at ${where}. Is it running? Check ${addressVariable}.`;
      throw new EndpointError(message);
    } finally {
      time.clear();
    }
  }

  function sentence({ status, message }: RefusedRequest): string {
    if (status === 401 || status === 403)
      return `The ${kind} endpoint at ${where} refused the key. Set ${keyVariable} to one that may use ${model}.`;
    if (status === 404)
      return `The ${kind} endpoint at ${where} has no model ${model}. Check ${modelVariable}, and that the address ends with its version, such as /v1.`;
    if (status === 429) return `The ${kind} endpoint at ${where} has reached its request limit. Try again later.`;
    const detail = withoutSecrets(message, settings)
      .slice(0, 200)
      .replace(/[.\s]+$/, "");
    return `The ${kind} endpoint at ${where} failed: ${status} ${detail}. Try again, or set another one.`;
  }

  const sending = unlessSilent(`The ${kind} endpoint at ${where}`, timeoutMs);

  return {
    post: (path, body, signal) =>
      sending(async (heard) => {
        for (let left = retries; ; left--) {
          try {
            return await once(path, body, signal);
          } catch (error) {
            if (error instanceof RefusedRequest) heard();
            signal?.throwIfAborted();
            const wait = error instanceof RefusedRequest ? error.retryAfterMs : FIRST_WAIT_MS;
            if (left > 0 && wait !== undefined) await sleep(wait * 2 ** (retries - left), signal ?? NEVER);
            else throw error instanceof RefusedRequest ? new EndpointError(sentence(error), error.status) : error;
          }
        }
      }),
    malformed: () => new EndpointError(`The model ${model} at ${where} did not return ${expected}`),
  };
}

class RefusedRequest extends Error {
  /** llama.cpp reports a text that is too long with status 500. */
  readonly status: number;
  /** How long to wait before a retry, in milliseconds; undefined if a retry makes no sense. */
  readonly retryAfterMs: number | undefined;
  constructor({ status, headers }: Response, text: string) {
    const said = property(property(parsedJson(text), "error"), "message");
    super(typeof said === "string" ? said : text);
    this.status = status === 500 && /too (?:large|long)|token/i.test(text) ? 413 : status;
    const isPassing = [408, 409, 429].includes(this.status) || this.status >= 500;
    const wait =
      Number(headers.get("retry-after-ms") ?? Number.NaN) || waitIn(headers.get("retry-after")) || FIRST_WAIT_MS;
    this.retryAfterMs = isPassing && wait <= MAX_WAIT_MS ? wait : undefined;
  }
}

const FIRST_WAIT_MS = 500;
/** A longer wait than this counts as a refusal. */
const MAX_WAIT_MS = 20_000;
const NEVER = new AbortController().signal;

/** Returns the wait that a `retry-after` header asks for, in milliseconds. It is in seconds or a date. */
export function waitIn(header: unknown): number | undefined {
  if (typeof header !== "string") return undefined;
  const seconds = Number(header);
  const wait = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(wait) ? undefined : Math.max(0, wait);
}

/** Reads a property of a value of any shape. */
export const property = (value: unknown, key: string | number): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;

/** True if the endpoint refused the content of a request, such as for its length. */
export const isContentRefused = (error: unknown): error is EndpointError =>
  error instanceof EndpointError && [400, 413, 422].includes(error.status);

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
