import { z } from "zod";
import { check, exactly, type OptionsOf } from "../options.js";
import type { Connector } from "./port.js";
import { entries, requests } from "./requests.js";
import { threadText } from "./thread-text.js";

export interface GithubOptions {
  /** Such as `owner/name`. */
  repository: string;
  /** Default: both. */
  kinds?: readonly ("issues" | "pulls")[];
  /** May read the repository's metadata, issues and pull requests. Default: none, which is for public repositories. */
  token?: string;
  /** The address of the API of another server, such as `https://github.example.org/api/v3`. */
  url?: string;
}

const options = exactly({
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/, "must be the repository as owner/name"),
  kinds: z.array(z.enum(["issues", "pulls"])).optional(),
  token: z.string().min(1).optional(),
  url: z.string().min(1).optional(),
} satisfies OptionsOf<GithubOptions>);

/**
 * The issues and pull requests of a repository on GitHub, each with its comments. `git` has its files. Everyone may read
 * what is in a public repository; of others the API does not say who may.
 * @throws UsageError for wrong options.
 */
export function github(given: GithubOptions): Connector {
  check(options, given);
  const { repository, kinds = ["issues", "pulls"], token, url = "https://api.github.com" } = given;
  const api = requests({
    source: "GitHub",
    baseURL: url,
    headers: {
      accept: "application/vnd.github+json",
      "user-agent": "emend",
      "x-github-api-version": "2022-11-28",
      ...(token && { authorization: `Bearer ${token}` }),
    },
  });
  const at = `/repos/${repository}`;

  const comments = (path: string, signal: AbortSignal) =>
    Array.fromAsync(entries(api, `${path}/comments?per_page=100`, Comment, signal));

  return {
    async *list({ signal }) {
      signal.throwIfAborted();
      const { visibility } = (await api.reply(at, { signal })).as(Repository);
      // The oldest first, so that what is new while the list is read does not move the rest.
      const all = `${at}/issues?state=all&sort=created&direction=asc&per_page=100`;
      for await (const issue of entries(api, all, Issue, signal)) {
        const { number, title, state, html_url, updated_at, user, labels, pull_request } = issue;
        if (!kinds.includes(pull_request ? "pulls" : "issues")) continue;
        yield {
          id: `${pull_request ? "pulls" : "issues"}/${number}`,
          version: updated_at,
          title: `${title} (#${number})`,
          url: html_url,
          changedAt: updated_at,
          ...(visibility === "public" && { readers: ["everyone"] as const }),
          metadata: {
            repository,
            state,
            author: loginOf(user),
            labels: labels.map((label) => (typeof label === "string" ? label : (label.name ?? ""))),
          },
        };
      }
    },
    async read({ id }, { signal }) {
      signal.throwIfAborted();
      const number = /^(?:issues|pulls)\/(\d+)$/.exec(id)?.[1];
      const reply = number === undefined ? undefined : await api.reply(`${at}/issues/${number}`, { signal });
      if (!reply?.bytes) return undefined;
      const issue = reply.as(Issue);
      const said = [
        ...(await comments(`${at}/issues/${number}`, signal)),
        ...(issue.pull_request ? await comments(`${at}/pulls/${number}`, signal) : []),
      ];
      const [first, ...rest] = [issue, ...said].map(({ user, created_at, body }) => ({
        by: loginOf(user),
        at: created_at,
        text: body ?? "",
      }));
      const byDate = rest.sort((one, other) => (one.at < other.at ? -1 : 1));
      return first && { text: threadText(`${issue.title} (#${number})`, [first, ...byDate]) };
    },
  };
}

const User = z.object({ login: z.string() }).nullable();
const loginOf = (user: z.infer<typeof User>) => user?.login ?? "ghost";
const Repository = z.object({ visibility: z.string().optional() });
const Comment = z.object({ user: User, created_at: z.string(), body: z.string().nullish() });
const Issue = Comment.extend({
  number: z.int(),
  title: z.string(),
  state: z.string(),
  html_url: z.string(),
  updated_at: z.string(),
  labels: z.array(z.union([z.string(), z.object({ name: z.string().nullish() })])),
  pull_request: z.unknown().optional(),
});
