import { expect, test } from "vitest";
import { type GithubOptions, github } from "../../src/loaders/github.js";
import { connectorContract, listed, textOf, type World } from "./contract.js";
import { type Replied, smallServer } from "./server.js";

const TOKEN = "ghp_s3cret";

interface Issue {
  number: number;
  title: string;
  body: string | null;
  updated_at: string;
  pull_request?: object;
  comments: { user: { login: string } | null; created_at: string; body: string }[];
}

/** The part of GitHub's API that the connector uses, with two issues a page. */
interface Hub extends World {
  issues: Issue[];
  visibility: string;
  asked: string[];
  /** Replies that come first, in order. */
  first: Replied[];
  connect(options?: Partial<GithubOptions>): ReturnType<typeof github>;
}

async function hub(): Promise<Hub> {
  let token = TOKEN;
  const server = await smallServer(({ url, headers, body }) => {
    const early = world.first.shift();
    if (early) return early;
    if (headers.authorization !== `Bearer ${token}`) return { status: 401 };
    if (url.pathname === "/repos/team/app") return { json: { visibility: world.visibility } };
    if (url.pathname === "/graphql") return { json: answered(JSON.parse(body).variables) };
    const [, kind, number, comments] =
      /^\/repos\/team\/app\/(issues|pulls)(?:\/(\d+)(\/comments)?)?$/.exec(url.pathname) ?? [];
    if (kind === "issues" && !number) {
      const page = Number(url.searchParams.get("page") ?? 1);
      const next = `<${server.address}${url.pathname}?page=${page + 1}>; rel="next", <x>; rel="last"`;
      return {
        json: world.issues.slice(page * 2 - 2, page * 2).map(asSent),
        headers: page * 2 < world.issues.length ? { link: next } : {},
      };
    }
    const issue = world.issues.find((one) => `${one.number}` === number);
    if (!issue) return undefined;
    if (kind === "pulls") return { json: [comment("cy", "2024-01-03", "Line 3 is wrong.")] };
    return { json: comments ? issue.comments : asSent(issue) };
  });
  const world: Hub = {
    issues: [1, 2, 3].map((number) => ({
      number,
      title: `Issue ${number}`,
      body: number === 2 ? null : `It fails in case ${number}.`,
      updated_at: `2024-02-0${number}T10:00:00Z`,
      ...(number === 3 && { pull_request: {} }),
      comments: [comment("bo", "2024-01-02", "Confirmed."), comment("di", "2024-01-04", "Fixed.")],
    })),
    visibility: "private",
    asked: server.asked,
    first: [],
    connect: (options = {}) => github({ repository: "team/app", token: TOKEN, url: server.address, ...options }),
    id: "issues/2",
    change: () => Object.assign(world.issues[1] as Issue, { updated_at: "2024-03-01T10:00:00Z" }),
    remove: () => world.issues.splice(1, 1),
    refuse() {
      token = "another";
    },
    secrets: [TOKEN],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return world;
}

/** What GitHub's GraphQL says of two discussions, one a page, of which the second has two pages of comments. */
function answered({ number, after }: { number?: number; after: string | null }): object {
  const written = (login: string | null, day: string, body: string) => ({
    author: login === null ? null : { login },
    createdAt: `${day}T10:00:00Z`,
    body,
  });
  const isFirst = after === null;
  const pageInfo = { hasNextPage: isFirst, endCursor: isFirst ? "c1" : null };
  if (number === undefined) {
    const about = { title: "How to?", url: "https://github.com/x", updatedAt: "2024-02-01T10:00:00Z", closed: false };
    const more = { author: { login: "ada" }, category: { name: "Q&A" }, labels: { nodes: [{ name: "help" }] } };
    return {
      data: { repository: { discussions: { pageInfo, nodes: [{ number: isFirst ? 7 : 8, ...about, ...more }] } } },
    };
  }
  if (number !== 8) return { data: { repository: { discussion: null } }, errors: [{ type: "NOT_FOUND" }] };
  const reply = written("ada", "2024-01-03", "Thanks.");
  const first = { ...written("bo", "2024-01-02", "Like this."), replies: { nodes: [reply] } };
  const second = { ...written(null, "2024-01-04", "Or so."), replies: { nodes: [] } };
  const comments = { pageInfo, nodes: [isFirst ? first : second] };
  return {
    data: { repository: { discussion: { title: "How to?", ...written("ada", "2024-01-01", "I ask."), comments } } },
  };
}

const comment = (login: string, day: string, body: string) => ({
  user: { login },
  created_at: `${day}T10:00:00Z`,
  body,
});
const asSent = ({ number, comments: _, ...issue }: Issue) => ({
  ...issue,
  number,
  state: "open",
  html_url: `https://github.com/team/app/issues/${number}`,
  user: { login: "ada" },
  created_at: "2024-01-01T10:00:00Z",
  labels: [{ name: "bug" }, "p1"],
});

connectorContract("github", hub);

test("an issue has its number, state, author and labels, and everyone may read it if the repository is public", async () => {
  await using world = await hub();
  const [first] = await listed(world.connect());
  expect(first).toEqual({
    id: "issues/1",
    version: "2024-02-01T10:00:00Z",
    title: "Issue 1 (#1)",
    url: "https://github.com/team/app/issues/1",
    changedAt: "2024-02-01T10:00:00Z",
    metadata: { repository: "team/app", state: "open", author: "ada", labels: ["bug", "p1"] },
  });
  world.visibility = "public";
  const after = await listed(world.connect());
  expect(after[0]).toEqual({ ...first, readers: ["everyone"] });
});

test("a pull request is read with its comments and those on its lines, in order", async () => {
  await using world = await hub();
  expect(await textOf(world.connect(), "pulls/3")).toBe(
    [
      "# Issue 3 (#3)",
      "ada, 2024-01-01",
      "It fails in case 3.",
      "## bo, 2024-01-02",
      "Confirmed.",
      "## cy, 2024-01-03",
      "Line 3 is wrong.",
      "## di, 2024-01-04",
      "Fixed.\n",
    ].join("\n\n"),
  );
});

test("issues and pull requests can be had alone", async () => {
  await using world = await hub();
  const ids = async (kinds: GithubOptions["kinds"] & object) =>
    (await listed(world.connect({ kinds }))).map(({ id }) => id);
  expect(await ids(["issues"])).toEqual(["issues/1", "issues/2"]);
  expect(await ids(["pulls"])).toEqual(["pulls/3"]);
});

test("discussions are read with their comments and replies, page by page", async () => {
  await using world = await hub();
  const connector = world.connect({ kinds: ["discussions"] });
  const [first, second] = await listed(connector);
  expect(first).toEqual({
    id: "discussions/7",
    version: "2024-02-01T10:00:00Z",
    title: "How to? (#7)",
    url: "https://github.com/x",
    changedAt: "2024-02-01T10:00:00Z",
    metadata: { repository: "team/app", state: "open", author: "ada", category: "Q&A", labels: ["help"] },
  });
  expect(second?.id).toBe("discussions/8");
  expect(await textOf(connector, "discussions/8")).toBe(
    [
      "# How to? (#8)",
      "ada, 2024-01-01",
      "I ask.",
      "## bo, 2024-01-02",
      "Like this.",
      "## ada, 2024-01-03",
      "Thanks.",
      "## ghost, 2024-01-04",
      "Or so.\n",
    ].join("\n\n"),
  );
  expect(await textOf(connector, "discussions/7")).toBeUndefined();
});

test("discussions that the token may not read, or that end early, make the whole list fail", async () => {
  await using world = await hub();
  const connector = world.connect({ kinds: ["discussions"] });
  const repository = { json: { visibility: "public" } };
  world.first = [repository, { json: { data: { repository: null }, errors: [{ type: "FORBIDDEN" }] } }];
  await expect(listed(connector)).rejects.toThrow("Check what the token may read");
  const pageInfo = { hasNextPage: true, endCursor: null };
  world.first = [repository, { json: { data: { repository: { discussions: { pageInfo, nodes: [] } } } } }];
  await expect(listed(connector)).rejects.toThrow("ended the list of its discussions early");
});

test("what is gone since it was listed is undefined", async () => {
  await using world = await hub();
  const connector = world.connect();
  const [, second] = await listed(connector);
  world.remove();
  expect(second && (await connector.read(second, { signal: new AbortController().signal }))).toBeUndefined();
});

test("a page of the list that fails makes the whole list fail", async () => {
  await using world = await hub();
  world.first = [
    { json: { visibility: "public" } },
    { json: [asSent(world.issues[0] as Issue)], headers: { link: "</404>; rel=next" } },
  ];
  await expect(listed(world.connect())).rejects.toThrow();
  world.first = [{ json: { visibility: "public" } }, { json: { message: "odd" } }];
  await expect(listed(world.connect())).rejects.toThrow("sent an unexpected reply");
});

test("a reached limit is waited for", async () => {
  await using world = await hub();
  world.first = [{ status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1500000000" } }];
  expect(await listed(world.connect())).toHaveLength(3);
});

test("a repository that is not there is an error that says so", async () => {
  await using world = await hub();
  await expect(listed(world.connect({ repository: "team/other" }))).rejects.toThrow("has nothing at /repos/team/other");
  expect(() => world.connect({ repository: "app" })).toThrow("must be the repository as owner/name");
});
