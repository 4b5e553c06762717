import { z } from "zod";
import { UsageError } from "../../errors.js";
import { exactly, type OptionsOf, part } from "../../options.js";
import { webAddress } from "../endpoint/endpoint.js";
import { allowedHosts } from "./fetch-policy.js";
import type { SearchTool } from "./search-langchain.js";

export interface WebSettings {
  /** A web search engine. Default: none. */
  web?: EngineSettings | undefined;
  /** A LangChain search tool that replaces `web`. */
  searchTool?: SearchTool | undefined;
  /** Private hosts whose pages may be read, each as host:port, see docs/web.md. Default: none. */
  allowPrivateHosts?: readonly string[] | undefined;
  /** Obey robots.txt. Default true. */
  robots?: boolean | undefined;
  /** A contact address for site owners, sent with every page request. Default: none. */
  contact?: string | undefined;
  /** Size of the HTTP page cache in megabytes; 0 turns it off. Default 100. */
  pageCache?: number | undefined;
}

/** A search engine. */
export type EngineSettings =
  | { engine: "searxng"; url: string }
  | { engine: "tavily" | "brave"; apiKey: string }
  | { engine: "duckduckgo" };

const Key = z.string().min(1);

export const webOptions = {
  web: z.discriminatedUnion(
    "engine",
    [
      exactly({ engine: z.literal("searxng"), url: z.string().min(1) }),
      exactly({ engine: z.literal("tavily"), apiKey: Key }),
      exactly({ engine: z.literal("brave"), apiKey: Key }),
      exactly({ engine: z.literal("duckduckgo") }),
    ],
    { error: 'must be a search engine such as { engine: "searxng", url }: searxng, tavily, brave or duckduckgo' },
  ),
  searchTool: part<SearchTool>("invoke"),
  allowPrivateHosts: z.array(z.string()),
  robots: z.boolean(),
  contact: z.string(),
  pageCache: z.number().min(0),
} satisfies OptionsOf<WebSettings>;

export const webVariables = {
  EMEND_WEB: z
    .enum(["off", "searxng", "tavily", "brave", "duckduckgo"], {
      error: "must be off, searxng, tavily, brave or duckduckgo",
    })
    .optional(),
  SEARXNG_URL: webAddress,
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
};

type WebVariables = z.infer<z.ZodObject<typeof webVariables>>;

/** @throws UsageError if an engine lacks its address or key, or an entry of the private hosts is not a host. */
export const webSettings = (options: WebSettings, env: WebVariables): WebSettings => ({
  web: options.web ?? engineOf(env),
  searchTool: options.searchTool,
  allowPrivateHosts: options.allowPrivateHosts ?? privateHosts(env.EMEND_ALLOW_PRIVATE_HOSTS),
  robots: options.robots ?? (env.EMEND_ROBOTS_TXT && env.EMEND_ROBOTS_TXT === "honour"),
  contact: options.contact ?? env.EMEND_CONTACT,
  pageCache: options.pageCache ?? (env.EMEND_PAGE_CACHE_MB ? Number(env.EMEND_PAGE_CACHE_MB) : undefined),
});

function engineOf(env: WebVariables): EngineSettings | undefined {
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

function privateHosts(named: string | undefined): string[] | undefined {
  const hosts = named?.split(",").map((host) => host.trim());
  try {
    allowedHosts(hosts ?? []);
  } catch (error) {
    throw new UsageError(`EMEND_ALLOW_PRIVATE_HOSTS: ${error instanceof Error ? error.message : ""}`, { cause: error });
  }
  return hosts;
}
