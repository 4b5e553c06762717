import { z } from "zod";
import { check, exactly, type OptionsOf } from "../options.js";
import { digestOf } from "../text/digest.js";
import type { Connector, Listed } from "./port.js";
import { entries, requests } from "./requests.js";
import { threadText } from "./thread-text.js";

export interface GitlabOptions {
  /** Its path such as `group/name`, or its number. */
  project: string | number;
  /** Default: both. */
  kinds?: readonly ("issues" | "wiki")[];
  /** An access token with the scope `read_api`. Default: none, which is for public projects. */
  token?: string;
  /** Default `https://gitlab.com`. */
  url?: string;
}

const options = exactly({
  project: z.union([z.string().regex(/^[\w.-]+(?:\/[\w.-]+)*$/, "must be its path, such as group/name"), z.int()]),
  kinds: z.array(z.enum(["issues", "wiki"])).optional(),
  token: z.string().min(1).optional(),
  url: z.string().min(1).optional(),
} satisfies OptionsOf<GitlabOptions>);

/**
 * The issues of a project on GitLab with their comments, and the pages of its wiki. `git` has its files. Confidential
 * issues and internal comments are left out. Everyone may read what is open to everyone in a public project; of others the
 * API does not say who may.
 * @throws UsageError for wrong options.
 */
export function gitlab(given: GitlabOptions): Connector {
  check(options, given);
  const { project, kinds = ["issues", "wiki"], token, url = "https://gitlab.com" } = given;
  const api = requests({ source: "GitLab", baseURL: url, headers: token ? { "private-token": token } : {} });
  const at = `/api/v4/projects/${encodeURIComponent(project)}`;

  async function* issues(about: z.infer<typeof Project>, signal: AbortSignal): AsyncGenerator<Listed> {
    // The oldest first, so that what is new while the list is read does not move the rest.
    const all = `${at}/issues?scope=all&confidential=false&order_by=created_at&sort=asc&per_page=100`;
    for await (const issue of entries(api, all, Issue, signal)) {
      const { iid, title, state, web_url, updated_at, author, labels, confidential } = issue;
      if (confidential) continue;
      yield {
        id: `issues/${iid}`,
        version: updated_at,
        title: `${title} (#${iid})`,
        url: web_url,
        changedAt: updated_at,
        ...readersOf(about.visibility, about.issues_access_level),
        metadata: { project: about.path_with_namespace, state, author: author.username, labels },
      };
    }
  }

  async function* wiki(about: z.infer<typeof Project>, signal: AbortSignal): AsyncGenerator<Listed> {
    // The list has neither dates nor versions, so the content is the version.
    const pages = (await api.reply(`${at}/wikis?with_content=1`, { signal })).as(z.array(Page));
    for (const { slug, title, content } of pages)
      yield {
        id: `wiki/${slug}`,
        version: digestOf(content),
        title,
        url: `${about.web_url}/-/wikis/${slug.split("/").map(encodeURIComponent).join("/")}`,
        ...readersOf(about.visibility, about.wiki_access_level),
        metadata: { project: about.path_with_namespace },
      };
  }

  async function issueText(iid: string, signal: AbortSignal) {
    const reply = await api.reply(`${at}/issues/${iid}`, { signal });
    if (!reply.bytes) return undefined;
    const issue = reply.as(Issue);
    if (issue.confidential) return undefined;
    const path = `${at}/issues/${iid}/notes?sort=asc&order_by=created_at&per_page=100`;
    const notes = await Array.fromAsync(entries(api, path, Note, signal));
    const seen = notes.filter((note) => !note.system && !note.internal && !note.confidential);
    const first = { by: issue.author.username, at: issue.created_at, text: issue.description ?? "" };
    const rest = seen.map(({ author, created_at, body }) => ({ by: author.username, at: created_at, text: body }));
    return { text: threadText(`${issue.title} (#${iid})`, [first, ...rest]) };
  }

  async function pageText(slug: string, signal: AbortSignal) {
    const reply = await api.reply(`${at}/wikis/${encodeURIComponent(slug)}`, { signal });
    if (!reply.bytes) return undefined;
    const { content, format } = reply.as(Page);
    return { name: `page.${EXTENSIONS[format] ?? "md"}`, bytes: new TextEncoder().encode(content) };
  }

  return {
    async *list({ signal }) {
      signal.throwIfAborted();
      const about = (await api.reply(at, { signal })).as(Project);
      if (kinds.includes("issues")) yield* issues(about, signal);
      if (kinds.includes("wiki")) yield* wiki(about, signal);
    },
    async read({ id }, { signal }) {
      signal.throwIfAborted();
      const [, kind, name = ""] = /^(issues|wiki)\/(.+)$/.exec(id) ?? [];
      if (kind === "issues") return /^\d+$/.test(name) ? issueText(name, signal) : undefined;
      return kind ? pageText(name, signal) : undefined;
    },
  };
}

/** Who may read a part of a project, if it is open to everyone. */
const readersOf = (visibility: string | undefined, level: string | undefined) =>
  visibility === "public" && (level === "enabled" || level === "public") ? { readers: ["everyone"] as const } : {};

const EXTENSIONS: Readonly<Record<string, string>> = { markdown: "md", asciidoc: "adoc", org: "org", rdoc: "txt" };

const Project = z.object({
  path_with_namespace: z.string(),
  web_url: z.string(),
  visibility: z.string().optional(),
  issues_access_level: z.string().optional(),
  wiki_access_level: z.string().optional(),
});
const Author = z.object({ username: z.string() });
const Issue = z.object({
  iid: z.int(),
  title: z.string(),
  description: z.string().nullish(),
  state: z.string(),
  web_url: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  author: Author,
  labels: z.array(z.string()),
  confidential: z.boolean().optional(),
});
const Note = z.object({
  author: Author,
  body: z.string(),
  created_at: z.string(),
  system: z.boolean().optional(),
  internal: z.boolean().optional(),
  confidential: z.boolean().nullish(),
});
const Page = z.object({ slug: z.string(), title: z.string(), format: z.string(), content: z.string().default("") });
