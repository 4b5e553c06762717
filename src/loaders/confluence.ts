import { z } from "zod";
import { EndpointError } from "../errors.js";
import { isPicture, isReadable } from "../ingest/formats/registry.js";
import { check, exactly, type OptionsOf } from "../options.js";
import { aReader, type Reader } from "../types/reader.js";
import { confluenceRights, everyPage, Named } from "./confluence-rights.js";
import type { Connector, Listed } from "./port.js";
import { requests } from "./requests.js";

export interface ConfluenceOptions {
  /** The address of the wiki, such as `https://example.atlassian.net/wiki` or `https://wiki.example.org`. */
  url: string;
  /** The keys of the spaces. */
  spaces: readonly string[];
  /** An API token of Confluence Cloud, or a personal access token of Data Center. It must be able to read the spaces. */
  token: string;
  /** The address of the account that an API token of Confluence Cloud belongs to. Without it, the wiki is a Data Center. */
  email?: string;
  /** Who may read these spaces, for a token that may not see their permissions. Default: their permissions. */
  spaceReaders?: readonly Reader[];
}

const text = z.string().min(1);
const options = exactly({
  url: text,
  spaces: z.array(z.string().regex(/^~?[\w.-]+$/, "must be the key of a space")).min(1),
  token: text,
  email: text.optional(),
  spaceReaders: z.array(aReader).optional(),
} satisfies OptionsOf<ConfluenceOptions>);

/**
 * The pages and posts of spaces of Confluence, Cloud or Data Center, and the files attached to them, without pictures. Who
 * may read one is who may read its space, and is named by each restriction on it and on the pages above it.
 * @throws UsageError for wrong options.
 */
export function confluence(given: ConfluenceOptions): Connector {
  check(options, given);
  const { url, spaces, token, email, spaceReaders } = given;
  const base = url.replace(/\/+$/, "");
  const basic = Buffer.from(`${email}:${token}`).toString("base64");
  const api = requests({
    source: "Confluence",
    baseURL: base,
    headers: { accept: "application/json", authorization: email ? `Basic ${basic}` : `Bearer ${token}` },
  });

  /** The address of the wiki for people: tokens with scopes have another one for the API. */
  let site = base;

  /** Every result of a query, from all pages of results. */
  async function* found<Found>(
    cql: string,
    expand: string,
    schema: z.ZodType<Found>,
    signal: AbortSignal,
  ): AsyncGenerator<Found> {
    const path = `/rest/api/content/search?${new URLSearchParams({ cql, expand, limit: "100" })}`;
    for await (const page of everyPage(api, path, schema, pathOf, signal)) {
      if (/^https?:/.test(page.base ?? "")) site = page.base ?? base;
      yield* page.results;
    }
  }

  /** Links of the API begin with the path of the wiki or its last part, or after it. */
  const pathOf = (link: string) => {
    const { pathname } = new URL(base);
    const contexts = [pathname, pathname.slice(pathname.lastIndexOf("/"))].filter((context) => context.length > 1);
    return link.slice(contexts.find((context) => link.startsWith(`${context}/`))?.length ?? 0);
  };

  async function* space(key: string, signal: AbortSignal): AsyncGenerator<Listed> {
    const rights = confluenceRights(api, { isCloud: email !== undefined, spaceReaders, pathOf });
    const ofSpace = await rights.ofSpace(key, signal);
    const pages = new Map<string, z.infer<typeof Page>>();
    const expand = `version,ancestors,metadata.labels,${RESTRICTIONS}`;
    for await (const page of found(`space="${key}" and type in (page,blogpost)`, expand, Page, signal))
      pages.set(page.id, page);

    /** The restrictions of a page that is not among the listed ones, such as a folder or a draft of somebody. */
    const others = new Map<string, readonly Named[] | undefined>();
    async function restrictionsOf(id: string): Promise<readonly Named[] | undefined> {
      const page = pages.get(id);
      if (page) return named(page.restrictions);
      if (!others.has(id)) {
        const path = `/rest/api/content/${id}/restriction/byOperation?expand=${EACH}`;
        const reply = await api.reply(path, { signal }).catch((error: unknown) => {
          if (error instanceof EndpointError && error.status === 403) return undefined;
          throw error;
        });
        // What the token cannot see is open to nobody.
        others.set(id, reply?.bytes ? named(reply.as(Restrictions)) : []);
      }
      return others.get(id);
    }

    const readers = new Map<string, Reader[]>();
    for (const { id, title, version, ancestors, metadata, _links } of pages.values()) {
      const lists = [ofSpace];
      for (const each of [...(ancestors ?? []).map((above) => above.id), id]) {
        const restriction = await restrictionsOf(each);
        if (restriction) lists.push(restriction);
      }
      const mayRead = await rights.readers(lists, signal);
      readers.set(id, mayRead);
      yield {
        id,
        version: `${version.number}`,
        title,
        url: _links.webui && `${site}${pathOf(_links.webui)}`,
        changedAt: version.when,
        readers: mayRead,
        metadata: { space: key, labels: (metadata?.labels?.results ?? []).map(({ name }) => name) },
      };
    }
    for await (const file of found(`space="${key}" and type=attachment`, "version,container", Attached, signal)) {
      const page = `${file.container?.id ?? ""}`;
      const mayRead = readers.get(page);
      if (!mayRead || !isReadable(file.title) || isPicture(file.title)) continue;
      yield {
        id: `${page}/${file.title}`,
        version: `${file.version.number}`,
        title: file.title,
        url: `${site}${downloadOf(page, file.title)}`,
        changedAt: file.version.when,
        readers: mayRead,
        metadata: { space: key, page: pages.get(page)?.title },
      };
    }
  }

  return {
    async *list({ signal }) {
      signal.throwIfAborted();
      for (const key of new Set(spaces)) yield* space(key, signal);
    },
    async read({ id }, { signal }) {
      signal.throwIfAborted();
      const [, page = "", file] = /^(\d+)(?:\/(.+))?$/s.exec(id) ?? [];
      if (page === "") return undefined;
      if (file !== undefined) {
        const bytes = await api.bytes(downloadOf(page, file), { signal });
        return bytes && { name: file, bytes };
      }
      const [one] = await Array.fromAsync(found(`id=${page}`, "body.storage", Written, signal));
      const storage = one?.body.storage.value;
      return storage === undefined
        ? undefined
        : { name: "page.html", bytes: Buffer.from(asHtml(one?.title ?? "", storage)) };
    },
  };
}

const downloadOf = (page: string, file: string) => `/download/attachments/${page}/${encodeURIComponent(file)}`;

/**
 * Confluence's storage format as HTML: code and other plain text of macros is kept, and their parameters are left out.
 * What a page includes from another one stays out as well: it has readers of its own.
 */
function asHtml(title: string, storage: string): string {
  const body = storage
    .replace(/<ac:(parameter|placeholder|task-id|task-uuid|task-status)\b[^>]*>[\s\S]*?<\/ac:\1>/g, "")
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, (_, plain: string) => escaped(plain))
    .replace(/<ac:plain-text-body>([\s\S]*?)<\/ac:plain-text-body>/g, "<pre>$1</pre>")
    .replace(/<ac:link\b[^>]*>\s*<ri:page\b[^>]*\bri:content-title="([^"]*)"[^>]*\/>\s*<\/ac:link>/g, "$1")
    .replace(/<(\/?)ac:task-list\b[^>]*>/g, "<$1ul>")
    .replace(/<(\/?)ac:task\b[^>]*>/g, "<$1li>")
    .replace(/<\/?(?:ac|ri):[^>]*>/g, "");
  return `<!doctype html><html><head><title>${escaped(title)}</title></head><body>${body}</body></html>`;
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Everybody whom a page's own restriction names. Undefined without a restriction. */
function named({ read }: z.infer<typeof Restrictions>): readonly Named[] | undefined {
  const all = [...read.restrictions.user.results, ...read.restrictions.group.results];
  return all.length > 0 ? all : undefined;
}

const Results = <Result extends z.ZodType>(result: Result) => z.object({ results: z.array(result) });
const EACH = "read.restrictions.user,read.restrictions.group";
const RESTRICTIONS = EACH.split(",")
  .map((part) => `restrictions.${part}`)
  .join(",");

/** Nothing here is optional that could restrict a page: what lacks it is no reply to go by. */
const Restrictions = z.object({
  read: z.object({ restrictions: z.object({ user: Results(Named), group: Results(Named) }) }),
});
const Id = z.union([z.string(), z.int()]).transform(String);
const Versioned = z.object({
  id: Id,
  title: z.string(),
  version: z.object({ number: z.int(), when: z.string().optional() }),
});
const Page = Versioned.extend({
  type: z.string(),
  ancestors: z.array(z.object({ id: Id })).optional(),
  metadata: z.object({ labels: Results(z.object({ name: z.string() })).optional() }).optional(),
  restrictions: Restrictions,
  _links: z.object({ webui: z.string().optional() }).default({}),
}).refine(({ type, ancestors }) => ancestors !== undefined || type === "blogpost", { path: ["ancestors"] });
const Attached = Versioned.extend({ container: z.object({ id: Id.optional() }).optional() });
const Written = z.object({ title: z.string(), body: z.object({ storage: z.object({ value: z.string() }) }) });
