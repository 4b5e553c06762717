import { existsSync, readFileSync } from "node:fs";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { z } from "zod";
import { isDatabase, withoutPassword } from "./address.js";
import { readAliases } from "./aliases.js";
import { UsageError } from "./errors.js";
import type { Retriever, VectorStore } from "./tools/documents/langchain.js";
import type { LangchainEmbeddings } from "./tools/encoder/langchain.js";
import type { DocumentCompressor } from "./tools/reranker/langchain.js";
import { allowedHosts } from "./tools/web/fetch-policy.js";
import type { SearchTool } from "./tools/web/search-langchain.js";

/** The settings of the program. An option left out takes the environment's value, then the default. */
export interface Settings {
  /**
   * The store of documents, facts and conversations: a folder, or the address of a Postgres database such as
   * `postgres://user:password@host:5432/database`. Default `.emend`.
   */
  store: string;
  /** The chat model that generates and checks: an endpoint, or a LangChain model. Without one, answers are extractive. */
  model?: ModelSettings | BaseChatModel;
  /** The chat model that grades and rewrites. Default: `model`. */
  graderModel?: ModelSettings | BaseChatModel;
  /** The embeddings: an endpoint, or LangChain embeddings. Default: the encoder. */
  embeddings?: ModelSettings | LangchainEmbeddings;
  /** A bigger model that ranks what the documents find: an endpoint, or a LangChain document compressor. Default: none. */
  reranker?: (ModelSettings & { baseURL: string }) | DocumentCompressor;
  /** A LangChain retriever or vector store that replaces emend's own store. */
  retriever?: Retriever | VectorStore;
  /** A LangChain search tool that replaces `web`. */
  searchTool?: SearchTool;
  /** The judge: a folder of an ONNX model in place of emend's own, or "off" to use words alone. */
  encoder?: string;
  /** A Neo4j server with the knowledge graph. Default: a graph in the store's folder. */
  neo4j?: Neo4jSettings;
  /** A web search engine. Default: none. */
  web?: WebSettings;
  /** Private hosts whose pages may be read, each as host:port, see docs/web.md. Default: none. */
  allowPrivateHosts?: readonly string[];
  /** Obey robots.txt. Default true. */
  robots?: boolean;
  /** A contact address for site owners, sent with every page request. Default: none. */
  contact?: string;
  /** Size of the HTTP page cache in megabytes; 0 turns it off. Default 100. */
  pageCache?: number;
  /** Groups of names that mean the same. Default: none. */
  aliases?: readonly (readonly string[])[];
  /** A folder that caches model replies, for evaluations. Off unless set. */
  replyCache?: string;
  /** The bearer tokens of those who may ask `emend serve`. Default: none, and then it serves this machine alone. */
  tokens?: readonly string[];
  /** Days after which `emend serve` deletes a conversation that nobody has gone on with. Default: never. */
  threadDays?: number;
}

/** The store for people to read: without a password. */
export const nameOf = ({ store }: Pick<Settings, "store">) => (isDatabase(store) ? withoutPassword(store) : store);

/** The folder for what lies beside the store in files: its own, or `.emend` where the store is no folder. */
export const folderOf = ({ store }: Pick<Settings, "store">) => (isDatabase(store) ? ".emend" : store);

/** A model behind an OpenAI-compatible endpoint. */
export interface ModelSettings {
  model: string;
  apiKey?: string;
  /** Default: OpenAI's own. */
  baseURL?: string;
}

/** True for the settings of an endpoint, false for a LangChain model, which has methods. */
export const isEndpoint = <Part>(model: ModelSettings | Part): model is ModelSettings =>
  !["invoke", "embedQuery", "compressDocuments"].some(
    (method) => typeof Reflect.get(Object(model), method) === "function",
  );

/** A search engine. */
export type WebSettings =
  | { engine: "searxng"; url: string }
  | { engine: "tavily" | "brave"; apiKey: string }
  | { engine: "duckduckgo" };

/** A Neo4j server. */
export interface Neo4jSettings {
  /** Such as `neo4j://localhost:7687` or `neo4j+s://…`. */
  uri: string;
  username: string;
  password: string;
  /** Default: the server's own. */
  database?: string;
  /** Runs every query as this user (Neo4j Enterprise). */
  impersonatedUser?: string;
  /** Questions with the query that answers each, to show a model how this graph is asked. */
  examples?: readonly CypherExample[];
}

const Example = z.object({ question: z.string().min(1), cypher: z.string().min(1) });
export type CypherExample = z.infer<typeof Example>;

/** The address itself is not repeated, since there may be a password in it. */
const ADDRESS =
  "must be a folder or an address such as postgres://user:password@host:5432/database; special characters of the password are written as %23 and so on";

const Environment = z.object({
  OPENAI_API_KEY: z.string().optional(),
  OPENAI_BASE_URL: url(),
  EMEND_MODEL: z.string().optional(),
  EMEND_GRADER_MODEL: z.string().optional(),
  EMEND_EMBEDDINGS_MODEL: z.string().optional(),
  EMEND_EMBEDDINGS_BASE_URL: url(),
  EMEND_RERANKER_MODEL: z.string().optional(),
  EMEND_RERANKER_BASE_URL: url(),
  /** Apart from OpenAI's, which has no business with another company. */
  EMEND_RERANKER_API_KEY: z.string().optional(),
  EMEND_ENCODER: z.string().optional(),
  EMEND_STORE: z.string().optional(),
  /** A file of names that mean the same, see docs/documents.md. */
  EMEND_ALIASES: z.string().optional(),
  EMEND_REPLY_CACHE: z.string().optional(),
  EMEND_TOKENS: z
    .string()
    .regex(/^\s*[\x21-\x2b\x2d-\x7e]{16,}(?:\s*,\s*[\x21-\x2b\x2d-\x7e]{16,})*\s*$/, {
      error: "must be tokens of at least 16 characters, separated by commas",
    })
    .optional(),
  EMEND_THREAD_DAYS: z
    .string()
    .regex(/^[1-9]\d{0,4}$/, { error: "must be a whole number of days from 1" })
    .optional(),
  EMEND_WEB: z
    .enum(["off", "searxng", "tavily", "brave", "duckduckgo"], {
      error: "must be off, searxng, tavily, brave or duckduckgo",
    })
    .optional(),
  SEARXNG_URL: url(),
  TAVILY_API_KEY: z.string().optional(),
  BRAVE_API_KEY: z.string().optional(),
  EMEND_ALLOW_PRIVATE_HOSTS: z.string().optional(),
  EMEND_ROBOTS_TXT: z.enum(["honour", "ignore"], { error: 'must be "honour" or "ignore"' }).optional(),
  EMEND_CONTACT: z
    .string()
    .regex(/^[\x20-\x27\x2a-\x7e]{1,200}$/, {
      error: "must be plain ASCII without brackets, such as https://example.org/bot",
    })
    .optional(),
  EMEND_PAGE_CACHE_MB: z
    .string()
    .regex(/^\d{1,6}$/, { error: "must be a whole number of megabytes, 0 for none" })
    .optional(),
  NEO4J_URI: z
    .string()
    .regex(/^(?:neo4j|bolt)(?:\+s|\+ssc)?:\/\/[^@/?#]+\/?$/, {
      error: "must be an address such as neo4j://localhost:7687, without user name, path or query",
    })
    .optional(),
  NEO4J_USERNAME: z.string().optional(),
  NEO4J_PASSWORD: z.string().optional(),
  NEO4J_DATABASE: z.string().optional(),
  /** A file of JSON Lines: {"question": …, "cypher": …}. */
  NEO4J_EXAMPLES: z.string().optional(),
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

  const store = options.store ?? env.EMEND_STORE ?? ".emend";
  if (isDatabase(store) ? !URL.canParse(store) : /^[a-z][\w+.-]+:\/\//i.test(store))
    throw new UsageError(`The store ${ADDRESS}.`);
  const threadDays = options.threadDays ?? (env.EMEND_THREAD_DAYS ? Number(env.EMEND_THREAD_DAYS) : undefined);
  const model = options.model ?? endpoint(env.EMEND_MODEL);
  const graderModel = options.graderModel ?? endpoint(env.EMEND_GRADER_MODEL);
  const embeddings = options.embeddings ?? endpoint(env.EMEND_EMBEDDINGS_MODEL, env.EMEND_EMBEDDINGS_BASE_URL);
  const reranker = options.reranker ?? rerankerOf(env);
  const encoder = options.encoder ?? env.EMEND_ENCODER;
  const replyCache = options.replyCache ?? env.EMEND_REPLY_CACHE;
  const tokens = options.tokens ?? env.EMEND_TOKENS?.split(",").map((token) => token.trim());
  for (const [name, given] of [
    ["EMEND_MODEL", model],
    ["EMEND_GRADER_MODEL", graderModel],
  ] as const)
    if (given && isEndpoint(given) && !given.apiKey && !given.baseURL)
      throw new UsageError(
        `${name} is set to "${given.model}", but OPENAI_API_KEY is not. Set it, or OPENAI_BASE_URL for a local server.`,
      );
  const neo4j = options.neo4j ?? neo4jOf(env);
  const web = options.web ?? webOf(env);
  const allowPrivateHosts = options.allowPrivateHosts ?? privateHosts(env.EMEND_ALLOW_PRIVATE_HOSTS);
  const robots = options.robots ?? (env.EMEND_ROBOTS_TXT ? env.EMEND_ROBOTS_TXT === "honour" : undefined);
  const contact = options.contact ?? env.EMEND_CONTACT;
  const pageCache = options.pageCache ?? (env.EMEND_PAGE_CACHE_MB ? Number(env.EMEND_PAGE_CACHE_MB) : undefined);
  const aliases = options.aliases ?? (env.EMEND_ALIASES ? readAliases(env.EMEND_ALIASES) : undefined);
  if (graderModel && !model) throw new UsageError("EMEND_GRADER_MODEL is set, but EMEND_MODEL is not. Set both.");
  return {
    store,
    ...(threadDays !== undefined && { threadDays }),
    ...(model && { model }),
    ...(graderModel && { graderModel }),
    ...(embeddings && { embeddings }),
    ...(reranker && { reranker }),
    ...(encoder && { encoder }),
    ...(options.retriever && { retriever: options.retriever }),
    ...(options.searchTool && { searchTool: options.searchTool }),
    ...(neo4j && { neo4j }),
    ...(web && { web }),
    ...(allowPrivateHosts && { allowPrivateHosts }),
    ...(robots !== undefined && { robots }),
    ...(contact && { contact }),
    ...(pageCache !== undefined && { pageCache }),
    ...(aliases && { aliases }),
    ...(replyCache && { replyCache }),
    ...(tokens && { tokens }),
  };
}

/** Returns the names of the variables that are set and begin with EMEND_, and of all that are known. */
export const variables = (environment = readEnvironment()) => ({
  set: Object.keys(environment).filter((name) => name.startsWith("EMEND_")),
  known: Object.keys(Environment.shape),
});

function rerankerOf(env: z.infer<typeof Environment>): Settings["reranker"] {
  const { EMEND_RERANKER_MODEL: model, EMEND_RERANKER_BASE_URL: baseURL, EMEND_RERANKER_API_KEY: apiKey } = env;
  if (!model && !baseURL) return undefined;
  if (!model) throw new UsageError("EMEND_RERANKER_BASE_URL is set, but EMEND_RERANKER_MODEL is not. Set both.");
  if (!baseURL)
    throw new UsageError(
      "EMEND_RERANKER_MODEL is set, but EMEND_RERANKER_BASE_URL is not. Set it, such as https://api.jina.ai/v1.",
    );
  return { model, baseURL, ...(apiKey && { apiKey }) };
}

function neo4jOf(env: z.infer<typeof Environment>): Neo4jSettings | undefined {
  if (!env.NEO4J_URI) return undefined;
  if (!env.NEO4J_PASSWORD) throw new UsageError("NEO4J_URI is set, but NEO4J_PASSWORD is not. Set both.");
  return {
    uri: env.NEO4J_URI,
    username: env.NEO4J_USERNAME ?? "neo4j",
    password: env.NEO4J_PASSWORD,
    ...(env.NEO4J_DATABASE && { database: env.NEO4J_DATABASE }),
    ...(env.NEO4J_EXAMPLES && { examples: readExamples(env.NEO4J_EXAMPLES) }),
  };
}

function readExamples(path: string): CypherExample[] {
  try {
    const lines = readFileSync(path, "utf8").split("\n");
    return lines.filter((line) => line.trim() !== "").map((line) => Example.parse(JSON.parse(line)));
  } catch (error) {
    throw new UsageError(`NEO4J_EXAMPLES: ${path} is not a file of lines like {"question": "…", "cypher": "…"}.`, {
      cause: error,
    });
  }
}

function privateHosts(named: string | undefined): string[] | undefined {
  const hosts = named?.split(",").map((host) => host.trim());
  try {
    allowedHosts(hosts ?? []);
  } catch (error) {
    throw new UsageError(`EMEND_ALLOW_PRIVATE_HOSTS: ${error instanceof Error ? error.message : ""}`, { cause: error });
  }
  return hosts;
}

function webOf(env: z.infer<typeof Environment>): WebSettings | undefined {
  const { EMEND_WEB: engine } = env;
  const needed = (name: "SEARXNG_URL" | "TAVILY_API_KEY" | "BRAVE_API_KEY") => {
    const value = env[name];
    if (!value) throw new UsageError(`EMEND_WEB is "${engine}", but ${name} is not set. Set both.`);
    return value;
  };
  if (engine === "searxng") return { engine, url: needed("SEARXNG_URL") };
  if (engine === "tavily") return { engine, apiKey: needed("TAVILY_API_KEY") };
  if (engine === "brave") return { engine, apiKey: needed("BRAVE_API_KEY") };
  return engine === "duckduckgo" ? { engine } : undefined;
}

/** `process.env` wins over `.env`, as everywhere. */
function readEnvironment(): Record<string, string | undefined> {
  if (existsSync(".env")) process.loadEnvFile(".env");
  return process.env;
}

function url() {
  return z.url({ protocol: /^https?$/, error: "must be an address that begins with http:// or https://" }).optional();
}
