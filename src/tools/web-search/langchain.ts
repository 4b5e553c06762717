import { EndpointError } from "../../errors.js";
import type { WebSearch } from "./port.js";
import { asResult } from "./request.js";

/** Any LangChain search tool, as far as it is needed here. */
export interface SearchTool {
  name: string;
  invoke(query: string, config?: { signal?: AbortSignal }): Promise<unknown>;
}

/**
 * A LangChain search tool as a WebSearch: one that gives its results as JSON, a list or an object with one, each result
 * with an address (`url` or `link`). Such tools take the query alone: language, country and age are left to how the tool
 * was made.
 */
export function langchainSearch(tool: SearchTool): WebSearch {
  return {
    async search({ text }, limit, { signal } = {}) {
      signal?.throwIfAborted();
      let reply: unknown;
      try {
        reply = await tool.invoke(text, signal ? { signal } : {});
      } catch (error) {
        signal?.throwIfAborted();
        const why = error instanceof Error ? error.message.slice(0, 200) : "";
        throw new EndpointError(`The search tool ${tool.name} fails. ${why}`.trim(), 0, { cause: error });
      }
      // Tools for models say it in words that they found nothing.
      if (typeof reply === "string" && /^\s*no\b[^{[]*$/i.test(reply)) return [];
      const list = listIn(typeof reply === "string" ? parsed(reply) : reply);
      if (!list) throw new EndpointError(`The search tool ${tool.name} does not give its results as JSON.`);
      return list.flatMap((entry) => resultOf(entry) ?? []).slice(0, limit);
    },
  };
}

function resultOf(entry: unknown) {
  const field = (...names: string[]) => {
    const values = names.map((name) => (typeof entry === "object" && entry !== null ? Reflect.get(entry, name) : ""));
    return values.find((value): value is string => typeof value === "string") ?? "";
  };
  return asResult({
    url: field("url", "link", "href"),
    title: field("title", "name"),
    snippet: field("snippet", "content", "description", "body"),
    published: field("published", "publishedDate", "published_date", "date"),
  });
}

function parsed(text: string): unknown {
  // Some tools join their results with commas and leave the brackets out.
  for (const candidate of [text, `[${text}]`]) {
    try {
      return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}

/** The results themselves, or the first list that an object holds. */
function listIn(reply: unknown): unknown[] | undefined {
  if (Array.isArray(reply)) return reply;
  if (typeof reply !== "object" || reply === null) return undefined;
  return Object.values(reply).find(Array.isArray);
}
