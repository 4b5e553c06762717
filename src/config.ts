import { existsSync } from "node:fs";
import { z } from "zod";
import { UsageError } from "./errors.js";

/** Everything that comes from outside the program. An option left out takes the environment's value, then the default. */
export interface Settings {
  /** The folder of the embedded store. Default `.emend`. */
  store: string;
  /** The chat model that generates; without one the local, extractive form does. */
  model?: ModelSettings;
  /** The chat model that grades and rewrites; the one that generates and checks unless set. */
  graderModel?: ModelSettings;
  embeddings?: ModelSettings;
  /** A folder that keeps model replies, for evaluations. Off unless set. */
  replyCache?: string;
}

/** A model behind an OpenAI-compatible endpoint. */
export interface ModelSettings {
  model: string;
  apiKey?: string;
  /** Default: OpenAI's own. */
  baseURL?: string;
}

const Environment = z.object({
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: url(),
  EMEND_MODEL: z.string().optional(),
  EMEND_GRADER_MODEL: z.string().optional(),
  EMEND_EMBEDDINGS_MODEL: z.string().optional(),
  EMEND_EMBEDDINGS_BASE_URL: url(),
  EMEND_STORE: z.string().optional(),
  EMEND_REPLY_CACHE: z.string().optional(),
});

/**
 * The settings from options and the environment, a `.env` file in the working directory included. The only place that
 * reads either.
 * @throws UsageError when a value cannot be right, naming the variable.
 */
export function loadSettings(options: Partial<Settings> = {}, environment = readEnvironment()): Settings {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const parsed = Environment.safeParse(given);
  if (!parsed.success)
    throw new UsageError(parsed.error.issues.map((i) => `${i.path.join(".")}: ${i.message}`).join("; "));
  const env = parsed.data;
  const endpoint = (model: string | undefined, baseURL = env.OPENAI_BASE_URL): ModelSettings | undefined =>
    model
      ? { model, ...(env.OPENAI_API_KEY && { apiKey: env.OPENAI_API_KEY }), ...(baseURL && { baseURL }) }
      : undefined;

  const settings: Settings = { store: options.store ?? env.EMEND_STORE ?? ".emend" };
  const model = options.model ?? endpoint(env.EMEND_MODEL);
  const graderModel = options.graderModel ?? endpoint(env.EMEND_GRADER_MODEL);
  const embeddings = options.embeddings ?? endpoint(env.EMEND_EMBEDDINGS_MODEL, env.EMEND_EMBEDDINGS_BASE_URL);
  const replyCache = options.replyCache ?? env.EMEND_REPLY_CACHE;
  for (const [name, given] of [
    ["EMEND_MODEL", model],
    ["EMEND_GRADER_MODEL", graderModel],
  ] as const)
    if (given && !given.apiKey && !given.baseURL)
      throw new UsageError(
        `${name} is set to "${given.model}", but OPENAI_API_KEY is not. Set it, or OPENAI_BASE_URL for a local server.`,
      );
  if (graderModel && !model) throw new UsageError("EMEND_GRADER_MODEL is set, but EMEND_MODEL is not. Set both.");
  return {
    ...settings,
    ...(model && { model }),
    ...(graderModel && { graderModel }),
    ...(embeddings && { embeddings }),
    ...(replyCache && { replyCache }),
  };
}

/** `process.env` wins over `.env`, as everywhere. */
function readEnvironment(): Record<string, string | undefined> {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return process.env;
}

function url() {
  return z.url({ protocol: /^https?$/, error: "must be an address that begins with http:// or https://" }).optional();
}
