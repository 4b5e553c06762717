import { EndpointError } from "../../errors.js";
import { parsedJson } from "../../text/decode.js";
import type { WebSearch } from "./port.js";
import { resultsOf } from "./search-engines.js";

/** The part of a LangChain search tool that is used here. */
export interface SearchTool {
  name: string;
  /** A zod or JSON schema of an object with a field for the query. Without such a schema the tool is given a string. */
  schema?: unknown;
  /** `never`, since each tool types its input by its own schema. */
  invoke(input: never, config?: { signal?: AbortSignal }): Promise<unknown>;
}

/**
 * Adapts a LangChain search tool. It must return its results as JSON, a list or an object with one (`results`,
 * `organic_results`, `items`), each result with an address (`url` or `link`). It is given only the text of the query:
 * language, country and age depend on the tool's own settings.
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
      const message = typeof reply === "string" ? reply : fieldOf(reply, "error");
      // Tools made for models say in words that they found nothing.
      if (/^\s*no\b[^{[]*$/i.test(message)) return [];
      if (message && message !== reply)
        throw new EndpointError(`The search tool ${tool.name} fails. ${message.slice(0, 200)}`);
      const list = listIn(typeof reply === "string" ? parsed(reply) : reply);
      if (!list) throw new EndpointError(`The search tool ${tool.name} does not give its results as JSON.`);
      if (list.length > 0 && !list.some(addressOf))
        throw new EndpointError(
          `The search tool ${tool.name} gives results without addresses. Take one that gives links.`,
        );
      return resultsOf(list.map(resultOf), limit);
    },
  };
}

function inputOf(schema: unknown, query: string): string | Record<string, string> {
  const fields = Object.keys(Object(propertyOf(schema, "shape") ?? propertyOf(schema, "properties")));
  const field = ["query", "input"].find((name) => fields.includes(name)) ?? fields[0];
  return field === undefined ? query : { [field]: query };
}

const resultOf = (entry: unknown) => ({
  url: addressOf(entry),
  title: fieldOf(entry, "title", "name"),
  snippet: fieldOf(entry, "snippet", "content", "description", "body"),
  published: fieldOf(entry, "published", "publishedDate", "published_date", "date"),
});

const addressOf = (entry: unknown) => fieldOf(entry, "url", "link", "href");

/** Returns the first of these fields that is a string, or an empty string. */
const fieldOf = (entry: unknown, ...names: string[]) =>
  names.map((name) => propertyOf(entry, name)).find((value) => typeof value === "string") ?? "";

const propertyOf = (entry: unknown, name: string): unknown =>
  (typeof entry === "object" || typeof entry === "function") && entry !== null ? Reflect.get(entry, name) : undefined;

/** Some tools join their results with commas, without brackets. */
const parsed = (text: string): unknown => parsedJson(text) ?? parsedJson(`[${text}]`);

/**
 * Finds the results in a reply: the reply itself, a list under a usual name, or else the only list whose entries have
 * titles, since there may be lists of images or related questions.
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
  // A single result of a tool that leaves out the brackets.
  return titled.length === 1 ? titled[0] : addressOf(reply) ? [reply] : undefined;
}

const NAMES = ["results", "organic_results", "organic", "items", "web", "webPages", "value", "data"];
