import { z } from "zod";
import { check, exactly, type OptionsOf } from "../options.js";
import { digestOf } from "../text/digest.js";
import { markdownOf } from "./notion-markdown.js";
import type { Connector } from "./port.js";
import { requests } from "./requests.js";

export interface NotionOptions {
  /** The secret of an integration that may read content. It sees the pages that it was added to, and those below. */
  token: string;
  /** Default `https://api.notion.com`. */
  url?: string;
}

const options = exactly({
  token: z.string().min(1),
  url: z.string().min(1).optional(),
} satisfies OptionsOf<NotionOptions>);

/**
 * The pages and databases of Notion that an integration sees. A page has its properties as metadata, and a database is a
 * table of the properties of its rows, which are pages as well. The API does not say who may read.
 * @throws UsageError for wrong options.
 */
export function notion(given: NotionOptions): Connector {
  check(options, given);
  const { token, url = "https://api.notion.com" } = given;
  const headers = { authorization: `Bearer ${token}`, "notion-version": "2025-09-03" };
  const api = requests({ source: "Notion", baseURL: url, headers, perSecond: 3 });

  /** Every result of a query, from all pages of results; undefined if there is nothing to ask. */
  async function found<Result>(path: string, result: z.ZodType<Result>, signal: AbortSignal) {
    const all: Result[] = [];
    const page = Page.extend({ results: z.array(result) });
    for (let cursor: string | undefined, isMore = true; isMore; ) {
      const body = JSON.stringify({ page_size: 100, start_cursor: cursor });
      const request = { method: "POST", body, headers: { "content-type": "application/json" }, signal };
      const reply = await api.reply(path, request);
      if (!reply.bytes) return undefined;
      const { results, has_more, next_cursor, request_status } = reply.as(page);
      all.push(...results);
      if (request_status?.type === "incomplete" || (has_more && (!next_cursor || next_cursor === cursor)))
        throw new Error("Notion ended a list early. Try again later, or add the integration to fewer pages.");
      isMore = has_more;
      cursor = next_cursor ?? undefined;
    }
    return all;
  }

  async function pageText(id: string, signal: AbortSignal) {
    const reply = await api.reply(`/v1/pages/${id}/markdown`, { signal });
    if (!reply.bytes) return undefined;
    const texts: string[] = [];
    const asked = new Set([id]);
    const left = [reply];
    for (let next = left.shift(); next; next = left.shift()) {
      const { markdown, truncated, unknown_block_ids } = next.as(Text);
      texts.push(markdownOf(markdown));
      // The rest of a long page. What the integration may not see is among it, and not found.
      for (const more of truncated ? unknown_block_ids : []) {
        if (asked.has(more)) continue;
        asked.add(more);
        const part = await api.reply(`/v1/pages/${more}/markdown`, { signal });
        if (part.bytes) left.push(part);
      }
    }
    return { text: texts.join("\n\n") };
  }

  async function tableText(id: string, title: string, signal: AbortSignal) {
    const rows = await found(`/v1/data_sources/${id}/query`, Thing, signal);
    if (!rows) return undefined;
    const values = rows.filter(isThere).map((row) => ({ [titleNameOf(row)]: titleOf(row), ...propertiesOf(row) }));
    const columns = [...new Set(values.flatMap((row) => Object.keys(row)))];
    const line = (cells: readonly unknown[]) => `| ${cells.map(cell).join(" | ")} |`;
    const lines = values.map((row) => line(columns.map((column) => row[column])));
    return { text: [`# ${title}`, "", line(columns), line(columns.map(() => "---")), ...lines, ""].join("\n") };
  }

  return {
    async *list({ signal }) {
      signal.throwIfAborted();
      const things = ((await found("/v1/search", Thing, signal)) ?? []).filter(isThere);
      const rows = Map.groupBy(things, ({ parent }) => parent?.data_source_id);
      for (const thing of things) {
        const isDatabase = thing.object === "data_source";
        const times = [thing, ...(isDatabase ? (rows.get(thing.id) ?? []) : [])]
          .map(({ id, last_edited_time }) => `${last_edited_time} ${id}`)
          .sort();
        const changedAt = times.at(-1)?.split(" ")[0] ?? thing.last_edited_time;
        const version = isDatabase ? digestOf(times) : changedAt;
        yield {
          id: `${isDatabase ? "databases" : "pages"}/${thing.id}`,
          // Times are in minutes, so that another change may follow in the same one.
          version: Date.parse(changedAt) < Date.now() - SETTLED_MS ? version : undefined,
          title: titleOf(thing) || undefined,
          url: thing.url,
          changedAt,
          metadata: isDatabase ? {} : propertiesOf(thing),
        };
      }
    },
    async read({ id, title = "" }, { signal }) {
      signal.throwIfAborted();
      const [, kind, name = ""] = /^(pages|databases)\/([\w-]+)$/.exec(id) ?? [];
      if (kind === "databases") return tableText(name, title, signal);
      return kind ? pageText(name, signal) : undefined;
    },
  };
}

const SETTLED_MS = 120_000;

const isThere = ({ in_trash, archived }: Thing) => !in_trash && !archived;

const titleNameOf = ({ properties }: Thing) =>
  Object.keys(properties).find((name) => properties[name]?.type === "title") ?? "Title";

/** The title of a page is among its properties, and a database has one of its own. */
function titleOf({ title, properties }: Thing): string {
  return plain(title ?? Object.values(properties).find(({ type }) => type === "title")?.title);
}

/** The values of the properties by their names, without the title and what is empty. */
function propertiesOf({ properties }: Thing): Record<string, string | number | string[]> {
  const named = Object.entries(properties).flatMap(([name, property]) => {
    const value = property.type === "title" || RIGHTS.has(name) ? undefined : valueIn(property);
    return value === undefined || value === "" || (Array.isArray(value) && value.length === 0) ? [] : [[name, value]];
  });
  return Object.fromEntries(named);
}

/** Properties of these names would look like rights. */
const RIGHTS: ReadonlySet<string> = new Set(["readers", "collection"]);

function valueIn({ type, ...all }: Property): string | number | string[] | undefined {
  const value = all[type];
  if (typeof value === "string" || typeof value === "number") return value;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (type === "rich_text") return plain(value);
  if (Array.isArray(value)) return value.flatMap((one) => nameOf(one) ?? []);
  const inner = Nested.safeParse(value).data;
  if (inner) return valueIn(inner);
  const { start, end, number, prefix } = Part.safeParse(value).data ?? {};
  if (start) return end ? `${start} – ${end}` : start;
  return number === undefined ? nameOf(value) : `${prefix ? `${prefix}-` : ""}${number}`;
}

const nameOf = (value: unknown) => Part.safeParse(value).data?.name ?? undefined;
const plain = (value: unknown) =>
  (RichText.safeParse(value).data ?? [])
    .map(({ plain_text }) => plain_text)
    .join("")
    .trim();

const cell = (value: unknown) =>
  String(value ?? "")
    .replace(/\s+/g, " ")
    .replaceAll("|", "\\|");

const RichText = z.array(z.object({ plain_text: z.string() }));
const Property = z.looseObject({ type: z.string() });
type Property = z.infer<typeof Property>;
/** A formula or a rollup. */
const Nested = z.looseObject({ type: z.enum(["string", "number", "boolean", "date"]) });
const Part = z.object({
  name: z.string().nullish(),
  start: z.string().nullish(),
  end: z.string().nullish(),
  number: z.number().optional(),
  prefix: z.string().nullish(),
});
const Thing = z.object({
  object: z.string(),
  id: z.string(),
  last_edited_time: z.string(),
  url: z.string().optional(),
  in_trash: z.boolean().optional(),
  archived: z.boolean().optional(),
  parent: z.object({ data_source_id: z.string().optional() }).optional(),
  title: RichText.optional(),
  properties: z.record(z.string(), Property).default({}),
});
type Thing = z.infer<typeof Thing>;
const Page = z.object({
  has_more: z.boolean(),
  next_cursor: z.string().nullish(),
  request_status: z.object({ type: z.string() }).optional(),
});
const Text = z.object({
  markdown: z.string(),
  truncated: z.boolean().default(false),
  unknown_block_ids: z.array(z.string()).default([]),
});
