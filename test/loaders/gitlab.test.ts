import { expect, test } from "vitest";
import { type GitlabOptions, gitlab } from "../../src/loaders/gitlab.js";
import { connectorContract, listed, textOf, type World } from "./contract.js";
import { type Replied, smallServer } from "./server.js";

const TOKEN = "glpat-s3cret";

/** The part of GitLab's API that the connector uses, with one issue a page. */
interface Lab extends World {
  about: Record<string, string>;
  issues: { iid: number; updated_at: string; confidential?: boolean }[];
  pages: { slug: string; format: string; content: string }[];
  first: Replied[];
  connect(options?: Partial<GitlabOptions>): ReturnType<typeof gitlab>;
}

async function lab(): Promise<Lab> {
  let token = TOKEN;
  const server = await smallServer(({ url, headers }) => {
    const early = world.first.shift();
    if (early) return early;
    if (headers["private-token"] !== token) return { status: 401 };
    const path = url.pathname.replace("/api/v4/projects/team%2Fapp", "");
    const issue = /^\/issues\/(\d+)(\/notes)?$/.exec(path);
    if (path === "") return { json: world.about };
    if (path === "/issues") {
      const page = Number(url.searchParams.get("page") ?? 1);
      const next = `<${server.address}${url.pathname}?page=${page + 1}>; rel="next"`;
      return {
        json: world.issues.slice(page - 1, page).map(asSent),
        headers: page < world.issues.length ? { link: next } : {},
      };
    }
    if (issue?.[2]) return { json: NOTES };
    if (issue)
      return one(
        world.issues.find(({ iid }) => `${iid}` === issue[1]),
        asSent,
      );
    if (path === "/wikis") return { json: world.pages.map(pageAsSent) };
    return one(
      world.pages.find(({ slug }) => path === `/wikis/${encodeURIComponent(slug)}`),
      pageAsSent,
    );
  });
  const world: Lab = {
    about: {
      path_with_namespace: "team/app",
      web_url: "https://gitlab.example.org/team/app",
      visibility: "public",
      issues_access_level: "enabled",
      wiki_access_level: "private",
    },
    issues: [1, 2, 3].map((iid) => ({ iid, updated_at: `2024-02-0${iid}T10:00:00Z`, confidential: iid === 3 })),
    pages: [
      { slug: "home", format: "markdown", content: "Welcome." },
      { slug: "guides/旅行", format: "asciidoc", content: "= Travel\n\nSecond class." },
    ],
    first: [],
    connect: (options = {}) => gitlab({ project: "team/app", token: TOKEN, url: server.address, ...options }),
    id: "wiki/home",
    change: () => Object.assign(world.pages[0] as object, { content: "Hello." }),
    remove: () => world.pages.splice(0, 1),
    refuse() {
      token = "another";
    },
    secrets: [TOKEN],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return world;
}

const one = <One>(found: One | undefined, sent: (found: One) => object) => found && { json: sent(found) };
const asSent = ({ iid, ...issue }: Lab["issues"][number]) => ({
  ...issue,
  iid,
  title: `Issue ${iid}`,
  description: `It fails in case ${iid}.`,
  state: "opened",
  web_url: `https://gitlab.example.org/team/app/-/issues/${iid}`,
  created_at: "2024-01-01T10:00:00Z",
  author: { username: "ada" },
  labels: ["bug"],
});
const pageAsSent = (page: Lab["pages"][number]) => ({ ...page, title: page.slug.split("/").at(-1) });
const note = (username: string, body: string, more: object = {}) => ({
  author: { username },
  body,
  created_at: "2024-01-02T10:00:00Z",
  ...more,
});
const NOTES = [
  note("bo", "Confirmed."),
  note("ada", "changed the description", { system: true }),
  note("cy", "Their contract ends.", { internal: true }),
];

connectorContract("gitlab", lab);

test("issues and wiki pages are listed, without confidential ones, and read by everyone where they are public", async () => {
  await using world = await lab();
  const documents = await listed(world.connect());
  expect(documents.map(({ id, readers }) => [id, readers])).toEqual([
    ["issues/1", ["everyone"]],
    ["issues/2", ["everyone"]],
    ["wiki/home", undefined],
    ["wiki/guides/旅行", undefined],
  ]);
  expect(documents[0]).toMatchObject({
    title: "Issue 1 (#1)",
    url: "https://gitlab.example.org/team/app/-/issues/1",
    changedAt: "2024-02-01T10:00:00Z",
    metadata: { project: "team/app", state: "opened", author: "ada", labels: ["bug"] },
  });
  expect(documents[3]?.url).toBe("https://gitlab.example.org/team/app/-/wikis/guides/%E6%97%85%E8%A1%8C");
});

test("in an internal project nobody is said to be a reader", async () => {
  await using world = await lab();
  world.about.visibility = "internal";
  expect((await listed(world.connect())).every(({ readers }) => readers === undefined)).toBe(true);
});

test("an issue is read with its comments, without internal ones and those of the system", async () => {
  await using world = await lab();
  expect(await textOf(world.connect(), "issues/2")).toBe(
    "# Issue 2 (#2)\n\nada, 2024-01-01\n\nIt fails in case 2.\n\n## bo, 2024-01-02\n\nConfirmed.\n",
  );
});

test("an issue that became confidential since it was listed is not read", async () => {
  await using world = await lab();
  const connector = world.connect();
  const [first] = await listed(connector);
  Object.assign(world.issues[0] as object, { confidential: true });
  expect(first && (await connector.read(first, { signal: new AbortController().signal }))).toBeUndefined();
});

test("a page of the wiki is read in its own format", async () => {
  await using world = await lab();
  const connector = world.connect({ kinds: ["wiki"] });
  const [, travel] = await listed(connector);
  expect(travel && (await connector.read(travel, { signal: new AbortController().signal }))).toEqual({
    name: "page.adoc",
    bytes: new TextEncoder().encode("= Travel\n\nSecond class."),
  });
});

test("a page of the list that fails makes the whole list fail, and a limit is waited for", async () => {
  await using world = await lab();
  world.first = [{ status: 429, headers: { "retry-after": "0" } }];
  expect(await listed(world.connect())).toHaveLength(4);
  world.first = [{ json: world.about }, { json: [], headers: { link: "</nowhere>; rel=next" } }, { status: 404 }];
  await expect(listed(world.connect())).rejects.toThrow();
});
