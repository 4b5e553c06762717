import { EndpointError } from "../../../errors.js";
import type { WebSearch } from "./port.js";
import { asResult } from "./request.js";

/** Any LangChain search tool, as far as it is needed here. */
export interface SearchTool {
  name: string;
  /** What it takes: zod or JSON Schema, an object with a field for the query; anything else, or none, for a text. */
  schema?: unknown;
  /** `never`: each tool has a type of its own for what its schema takes. */
  invoke(input: never, config?: { signal?: AbortSignal }): Promise<unknown>;
}

/**
 * A LangChain search tool as a WebSearch: one that gives its results as JSON, a list or an object with one (`results`,
 * `organic_results`, `items`), each result with an address (`url` or `link`). The tool is given the query alone:
 * language, country and age are left to how it was made.
 */
export function langchainSearch(tool: SearchTool): WebSearch {
  return {
    async search({ text }, limit, { signal } = {}) {
      signal?.throwIfAborted();
      let reply: unknown;
      try {
        reply = await tool.invoke(inputOf(tool.schema, text) as never, signal ? { signal } : {});
      } catch (error) {
        signal?.throwIfAborted();
        const why = error instanceof Error ? error.message.slice(0, 200) : "";
        throw new EndpointError(`The search tool ${tool.name} fails. ${why}`.trim(), 0, { cause: error });
      }
      const said = typeof reply === "string" ? reply : fieldOf(reply, "error");
      // Tools for models say it in words that they found nothing.
      if (/^\s*no\b[^{[]*$/i.test(said)) return [];
      if (said && said !== reply) throw new EndpointError(`The search tool ${tool.name} fails. ${said.slice(0, 200)}`);
      const list = listIn(typeof reply === "string" ? parsed(reply) : reply);
      if (!list) throw new EndpointError(`The search tool ${tool.name} does not give its results as JSON.`);
      if (list.length > 0 && !list.some(addressOf))
        throw new EndpointError(
          `The search tool ${tool.name} gives results without addresses. Take one that gives links.`,
        );
      return list.flatMap((entry) => resultOf(entry) ?? []).slice(0, limit);
    },
  };
}

/** Tools of more than a text take an object. */
function inputOf(schema: unknown, query: string): string | Record<string, string> {
  const fields = Object.keys(Object(propertyOf(schema, "shape") ?? propertyOf(schema, "properties")));
  const field = ["query", "input"].find((name) => fields.includes(name)) ?? fields[0];
  return field === undefined ? query : { [field]: query };
}

const resultOf = (entry: unknown) =>
  asResult({
    url: addressOf(entry),
    title: fieldOf(entry, "title", "name"),
    snippet: fieldOf(entry, "snippet", "content", "description", "body"),
    published: fieldOf(entry, "published", "publishedDate", "published_date", "date"),
  });

const addressOf = (entry: unknown) => fieldOf(entry, "url", "link", "href");

/** The first of these fields that holds a text, or an empty one. */
const fieldOf = (entry: unknown, ...names: string[]) =>
  names.map((name) => propertyOf(entry, name)).find((value) => typeof value === "string") ?? "";

const propertyOf = (entry: unknown, name: string): unknown =>
  (typeof entry === "object" || typeof entry === "function") && entry !== null ? Reflect.get(entry, name) : undefined;

function parsed(text: string): unknown {
  // Some tools join their results with commas and leave the brackets out.
  for (const candidate of [text, `[${text}]`]) {
    try {
      return JSON.parse(candidate);
    } catch {}
  }
  return undefined;
}

/**
 * The results themselves, the list under a name that search engines use, or the only one with titles: beside the results
 * there may be pictures, and questions to ask next.
 */
function listIn(reply: unknown): unknown[] | undefined {
  if (Array.isArray(reply)) return reply;
  if (typeof reply !== "object" || reply === null) return undefined;
  for (const name of NAMES) {
    const list = listIn(propertyOf(reply, name));
    if (list) return list;
  }
  const titled = Object.values(reply).filter(
    (list) => Array.isArray(list) && list.some((entry) => fieldOf(entry, "title")),
  );
  // Where a tool leaves the brackets out, one result looks like this.
  return titled.length === 1 ? titled[0] : addressOf(reply) ? [reply] : undefined;
}

const NAMES = ["results", "organic_results", "organic", "items", "web", "webPages", "value", "data"];
