import { existsSync } from "node:fs";
import { z } from "zod";
import { readAliases } from "./aliases.js";
import { UsageError } from "./errors.js";
import { aRetriever, type Retriever, type VectorStore } from "./ingest/langchain.js";
import { aCount, anAddress, anOrigin, check, exactly, faultsIn, type OptionsOf } from "./options.js";
import { Context, type ContextInput, merged } from "./state/context.js";
import { type ChatSettings, chatOptions, chatSettings, chatVariables } from "./tools/chat/settings.js";
import { type EncoderSettings, encoderOptions, encoderSettings, encoderVariables } from "./tools/encoder/settings.js";
import { endpointVariables } from "./tools/endpoint/endpoint.js";
import { Neo4jServer, type Neo4jSettings, neo4jServer, neo4jVariables } from "./tools/neo4j/settings.js";
import {
  type RerankerSettings,
  rerankerOptions,
  rerankerSettings,
  rerankerVariables,
} from "./tools/reranker/settings.js";
import { type RunsSettings, runsOptions, runsSettings, runsVariables } from "./tools/runs/settings.js";
import { type UserSettings, userOptions, userSettings, userVariables } from "./tools/sign-in/settings.js";
import { type StoreSettings, storeOptions, storeSettings, storeVariables } from "./tools/store/settings.js";
import { type WebSettings, webOptions, webSettings, webVariables } from "./tools/web/settings.js";

/**
 * The settings of the program, each declared by the part that it belongs to. An option left out takes the environment's
 * value, then the default.
 */
export interface Settings
  extends StoreSettings,
    ChatSettings,
    EncoderSettings,
    RerankerSettings,
    RunsSettings,
    UserSettings,
    WebSettings {
  /** A LangChain retriever or vector store that replaces emend's own store. */
  retriever?: Retriever | VectorStore | undefined;
  /** A Neo4j server with the knowledge graph. Default: a graph in the store's folder. */
  neo4j?: Neo4jSettings | undefined;
  /**
   * The default context of runs. It overrides the environment's, and a call may override it. A reply to a waiting run
   * can only narrow it.
   */
  context?: ContextInput | undefined;
  /** Groups of names that mean the same. Default: none. */
  aliases?: readonly (readonly string[])[] | undefined;
  /** The bearer tokens that `emend serve` accepts. Default: none, and then it serves this machine only. */
  tokens?: readonly string[] | undefined;
  /** The bearer tokens of those who may also see how all questions were answered. Default: none. */
  operatorTokens?: readonly string[] | undefined;
  /** The bearer tokens of those who may also add and delete documents by uploads. Default: none. */
  uploadTokens?: readonly string[] | undefined;
  /**
   * Origins whose pages may embed the widget of `emend serve`, such as `https://www.example.org`. They may not call its
   * API. Default: none, and then there is no widget.
   */
  widgetOrigins?: readonly string[] | undefined;
  /** The folder where `emend serve` keeps uploaded files, so that citations open them. Default: none is kept. */
  uploads?: string | undefined;
  /**
   * The address at which people reach the server, such as `https://emend.example.org`: links into it begin with it.
   * Default: links begin with the address that a request was sent to.
   */
  url?: string | undefined;
  /** Days without a new question after which `emend serve` deletes a conversation. Default: never. */
  threadDays?: number | undefined;
}

/** The settings that a program may give, each of which may be left out. */
export const settingsOptions = {
  ...storeOptions,
  ...chatOptions,
  ...encoderOptions,
  ...rerankerOptions,
  ...runsOptions,
  ...userOptions,
  ...webOptions,
  retriever: aRetriever,
  neo4j: Neo4jServer,
  context: Context,
  aliases: z.array(z.array(z.string())),
  tokens: z.array(z.string()),
  operatorTokens: z.array(z.string()),
  uploadTokens: z.array(z.string()),
  widgetOrigins: z.array(anOrigin),
  uploads: z.string().min(1),
  url: anAddress,
  threadDays: aCount(1),
} satisfies OptionsOf<Settings>;
const Given = exactly(settingsOptions).partial();

const Tokens = z
  .string()
  .regex(/^\s*[\x21-\x2b\x2d-\x7e]{16,}(?:\s*,\s*[\x21-\x2b\x2d-\x7e]{16,})*\s*$/, {
    error: "must be tokens of at least 16 characters, separated by commas",
  })
  .transform((text) => text.split(",").map((token) => token.trim()));

const Environment = z.object({
  ...endpointVariables,
  ...chatVariables,
  ...encoderVariables,
  ...rerankerVariables,
  ...storeVariables,
  ...runsVariables,
  ...userVariables,
  ...webVariables,
  ...neo4jVariables,
  /** A file of names that mean the same, see docs/documents.md. */
  EMEND_ALIASES: z.string().optional(),
  EMEND_CONTEXT: z.string().transform(contextIn).optional(),
  EMEND_TOKENS: Tokens.optional(),
  EMEND_OPERATOR_TOKENS: Tokens.optional(),
  EMEND_UPLOAD_TOKENS: Tokens.optional(),
  EMEND_WIDGET_ORIGINS: z
    .string()
    .transform((text) => text.split(",").map((origin) => origin.trim()))
    .pipe(z.array(anOrigin))
    .optional(),
  EMEND_UPLOADS: z.string().optional(),
  EMEND_URL: anAddress.optional(),
  EMEND_THREAD_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, { error: "must be a whole number of days from 1" })
    .optional(),
});

/**
 * The settings from options and the environment, a `.env` file in the working directory included. The only place that
 * reads either.
 * @throws UsageError for an invalid value or an unknown option, naming the option or the variable.
 */
export function loadSettings(options: Partial<Settings> = {}, environment = readEnvironment()): Settings {
  check(Given, options);
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value?.trim()));
  const parsed = Environment.safeParse(given);
  if (!parsed.success) throw new UsageError(faultsIn(parsed.error));
  const env = parsed.data;
  const url = (options.url ?? env.EMEND_URL)?.replace(/\/+$/, "");
  return {
    ...storeSettings(options, env),
    ...runsSettings(options, env),
    ...userSettings(options, env, url),
    ...chatSettings(options, env),
    ...encoderSettings(options, env),
    ...rerankerSettings(options, env),
    ...webSettings(options, env),
    retriever: options.retriever,
    neo4j: options.neo4j ?? neo4jServer(env),
    context: env.EMEND_CONTEXT ? merged(env.EMEND_CONTEXT, options.context) : options.context,
    aliases: options.aliases ?? (env.EMEND_ALIASES ? readAliases(env.EMEND_ALIASES) : undefined),
    tokens: options.tokens ?? env.EMEND_TOKENS,
    operatorTokens: options.operatorTokens ?? env.EMEND_OPERATOR_TOKENS,
    uploadTokens: options.uploadTokens ?? env.EMEND_UPLOAD_TOKENS,
    widgetOrigins: options.widgetOrigins ?? env.EMEND_WIDGET_ORIGINS,
    uploads: options.uploads ?? env.EMEND_UPLOADS,
    url,
    threadDays: options.threadDays ?? (env.EMEND_THREAD_DAYS ? Number(env.EMEND_THREAD_DAYS) : undefined),
  };
}

/** Reads settings per question from JSON. An unknown name is an error. */
function contextIn(text: string, { addIssue }: z.RefinementCtx): ContextInput {
  const value = parsedJson(text);
  const { error } = Context.safeParse(value);
  if (error) addIssue(`${faultsIn(error)} It looks like {"generateAt": 0.7}, see docs/configuration.md`);
  return value as ContextInput;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Returns the names of the variables that are set and begin with EMEND_, and of all that are known. */
export const variables = (environment = readEnvironment()) => ({
  set: Object.keys(environment).filter((name) => name.startsWith("EMEND_")),
  known: Object.keys(Environment.shape),
});

/**
 * Puts the variables of the environment into options, in place of their names: `$NAME` anywhere in a text; `$$` is a
 * dollar.
 * @returns also the values of these variables, which must not be shown.
 * @throws UsageError that names a variable that is not set.
 */
export function withVariables(
  given: unknown,
  environment = readEnvironment(),
): { options: unknown; secrets: readonly string[] } {
  const secrets = new Set<string>();
  const filled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(filled);
    if (typeof value === "object" && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, own]) => [key, filled(own)]));
    if (typeof value !== "string") return value;
    return value.replace(/\$(?:\$|([A-Za-z_]\w*))/g, (_, name?: string) => {
      if (name === undefined) return "$";
      const set = environment[name];
      if (!set) throw new UsageError(`The variable ${name} is not set. Set it, or write $$ for a dollar.`);
      secrets.add(set);
      return set;
    });
  };
  return { options: filled(given), secrets: [...secrets] };
}

/** Returns the environment for a program that is started, with these variables; undefined takes one away. */
export const environmentWith = (variables: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv => ({
  ...process.env,
  ...variables,
});

/** `process.env` wins over `.env`, as everywhere. */
function readEnvironment(): Record<string, string | undefined> {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return process.env;
}
