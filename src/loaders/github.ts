import { z } from "zod";
import { check, exactly, type OptionsOf } from "../options.js";
import type { Connector, Listed } from "./port.js";
import { entries, requests } from "./requests.js";
import { type Said, threadText } from "./thread-text.js";

export interface GithubOptions {
  /** Such as `owner/name`. */
  repository: string;
  /** Default: issues and pull requests. Discussions need a token. */
  kinds?: readonly ("issues" | "pulls" | "discussions")[];
  /** May read the repository's metadata and these kinds. Default: none, which is for public repositories. */
  token?: string;
  /** The address of the API of another server, such as `https://github.example.org/api/v3`. */
  url?: string;
}

const options = exactly({
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/, "must be the repository as owner/name"),
  kinds: z.array(z.enum(["issues", "pulls", "discussions"])).optional(),
  token: z.string().min(1).optional(),
  url: z.string().min(1).optional(),
} satisfies OptionsOf<GithubOptions>);

/**
 * The issues, pull requests and discussions of a repository on GitHub, each with its comments. `git` has its files.
 * Everyone may read what is in a public repository; of others the API does not say who may.
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

  async function* issues(readers: Readers, signal: AbortSignal): AsyncGenerator<Listed> {
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
        ...readers,
        metadata: {
          repository,
          state,
          author: loginOf(user),
          labels: labels.map((label) => (typeof label === "string" ? label : (label.name ?? ""))),
        },
      };
    }
  }

  async function issueText(number: string, signal: AbortSignal) {
    const reply = await api.reply(`${at}/issues/${number}`, { signal });
    if (!reply.bytes) return undefined;
    const issue = reply.as(Issue);
    const said = [
      ...(await comments(`${at}/issues/${number}`, signal)),
      ...(issue.pull_request ? await comments(`${at}/pulls/${number}`, signal) : []),
    ];
    return textOf(
      `${issue.title} (#${number})`,
      asSaid(issue),
      said.map(asSaid).sort((one, other) => (one.at < other.at ? -1 : 1)),
    );
  }

  /** Discussions are only in GitHub's GraphQL API. */
  async function asked(query: string, variables: object, signal: AbortSignal) {
    const [owner, name] = repository.split("/");
    const body = JSON.stringify({ query, variables: { owner, name, ...variables } });
    const path = `${url.replace(/(?:\/v3)?\/*$/, "")}/graphql`;
    const { data, errors = [] } = (await api.reply(path, { method: "POST", body, signal })).as(Graph);
    if (errors.some(({ type }) => type !== "NOT_FOUND") || !data?.repository)
      throw new Error(`GitHub does not show the discussions of ${repository}. Check what the token may read.`);
    return data.repository;
  }

  async function* discussions(readers: Readers, signal: AbortSignal): AsyncGenerator<Listed> {
    for (let after: string | null | undefined = null; after !== undefined; ) {
      const page: z.infer<typeof Discussions> | undefined = (await asked(ALL, { after }, signal)).discussions;
      for (const { number, title, url, updatedAt, closed, author, category, labels } of page?.nodes ?? [])
        yield {
          id: `discussions/${number}`,
          version: updatedAt,
          title: `${title} (#${number})`,
          url,
          changedAt: updatedAt,
          ...readers,
          metadata: {
            repository,
            state: closed ? "closed" : "open",
            author: loginOf(author),
            category: category.name,
            labels: labels?.nodes.map((label) => label.name) ?? [],
          },
        };
      after = next(page?.pageInfo, after);
    }
  }

  async function discussionText(number: string, signal: AbortSignal) {
    const said: Said[] = [];
    for (let after: string | null | undefined = null; after !== undefined; ) {
      const variables = { number: Number(number), after };
      const found: z.infer<typeof Discussion> | null | undefined = (await asked(ONE, variables, signal)).discussion;
      if (!found) return undefined;
      if (after === null) said.push(asWritten(found));
      for (const comment of found.comments.nodes) said.push(...[comment, ...comment.replies.nodes].map(asWritten));
      after = next(found.comments.pageInfo, after);
      const [first, ...rest] = said;
      if (after === undefined && first) return textOf(`${found.title} (#${number})`, first, rest);
    }
    return undefined;
  }

  return {
    async *list({ signal }) {
      signal.throwIfAborted();
      const { visibility } = (await api.reply(at, { signal })).as(Repository);
      const readers: Readers = visibility === "public" ? { readers: ["everyone"] } : {};
      if (kinds.includes("issues") || kinds.includes("pulls")) yield* issues(readers, signal);
      if (kinds.includes("discussions")) yield* discussions(readers, signal);
    },
    async read({ id }, { signal }) {
      signal.throwIfAborted();
      const [, kind, number] = /^(issues|pulls|discussions)\/(\d+)$/.exec(id) ?? [];
      if (number === undefined) return undefined;
      return kind === "discussions" ? discussionText(number, signal) : issueText(number, signal);
    },
  };
}

type Readers = Pick<Listed, "readers">;

const textOf = (title: string, first: Said, rest: readonly Said[]) => ({ text: threadText(title, [first, ...rest]) });

const asSaid = ({ user, created_at, body }: z.infer<typeof Comment>): Said => ({
  by: loginOf(user),
  at: created_at,
  text: body ?? "",
});
const asWritten = ({ author, createdAt, body }: z.infer<typeof Written>): Said => ({
  by: loginOf(author),
  at: createdAt,
  text: body,
});

/** Returns the cursor of the next page, or undefined after the last one. */
function next(info: z.infer<typeof PageInfo> | undefined, after: string | null): string | undefined {
  if (!info || (info.hasNextPage && (!info.endCursor || info.endCursor === after)))
    throw new Error("GitHub ended the list of its discussions early. Try again later.");
  return info.hasNextPage ? (info.endCursor ?? undefined) : undefined;
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

const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });
const Nodes = <Node extends z.ZodType>(node: Node) => z.object({ nodes: z.array(node) });
const Written = z.object({ author: User, createdAt: z.string(), body: z.string() });
const Discussions = Nodes(
  z.object({
    number: z.int(),
    title: z.string(),
    url: z.string(),
    updatedAt: z.string(),
    closed: z.boolean(),
    author: User,
    category: z.object({ name: z.string() }),
    labels: Nodes(z.object({ name: z.string() })).nullish(),
  }),
).extend({ pageInfo: PageInfo });
const Discussion = Written.extend({
  title: z.string(),
  comments: Nodes(Written.extend({ replies: Nodes(Written) })).extend({ pageInfo: PageInfo }),
});
const Graph = z.object({
  data: z
    .object({
      repository: z.object({ discussions: Discussions.optional(), discussion: Discussion.nullish() }).nullable(),
    })
    .nullish(),
  errors: z.array(z.object({ type: z.string().optional() })).optional(),
});

const ALL = `query($owner: String!, $name: String!, $after: String) { repository(owner: $owner, name: $name) {
  discussions(first: 100, after: $after, orderBy: {field: CREATED_AT, direction: ASC}) {
    pageInfo { hasNextPage endCursor }
    nodes { number title url updatedAt closed author { login } category { name } labels(first: 20) { nodes { name } } }
  } } }`;
const WRITTEN = "author { login } createdAt body";
const ONE = `query($owner: String!, $name: String!, $number: Int!, $after: String) { repository(owner: $owner, name: $name) {
  discussion(number: $number) { title ${WRITTEN}
    comments(first: 50, after: $after) {
      pageInfo { hasNextPage endCursor }
      nodes { ${WRITTEN} replies(first: 100) { nodes { ${WRITTEN} } } }
    } } } }`;
