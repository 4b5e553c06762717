import { describe, expect, test } from "vitest";
import { contentOf } from "../../src/ingest/formats/registry.js";
import { type ConfluenceOptions, confluence } from "../../src/loaders/confluence.js";
import { connectorContract, listed, type World } from "./contract.js";
import { type Asked, type Replied, smallServer } from "./server.js";

const TOKEN = "atl-s3cret";
const EMAIL = "sync@example.org";
/** The address for people, which may be another one than that of the API. */
const SITE = "https://wiki.example.org/wiki";
const signal = new AbortController().signal;

interface Page {
  id: string;
  type: "page" | "blogpost" | "attachment";
  title: string;
  number: number;
  ancestors: string[];
  /** User and group names that a restriction names. */
  users: string[];
  groups: string[];
  container?: string;
  storage?: string;
}

/** The part of Confluence's API that the connector uses, of Cloud or Data Center, with two results a page. */
interface Wiki extends World {
  pages: Page[];
  /** Who may read the space. */
  spaceUsers: string[];
  spaceGroups: string[];
  isAnonymous: boolean;
  members: Record<string, string[]>;
  first: Replied[];
  asked: string[];
  connect(options?: Partial<ConfluenceOptions>): ReturnType<typeof confluence>;
}

async function wiki(isCloud: boolean): Promise<Wiki> {
  let token = TOKEN;
  const context = isCloud ? "/wiki" : "";
  const user = (name: string) =>
    isCloud
      ? { type: "known", accountId: `5b-${name}`, email: name === "shy" ? "" : `${name}@example.org` }
      : { type: "known", username: name, userKey: `key-${name}` };
  const group = (name: string) => (isCloud ? { type: "group", name, id: `g-${name}` } : { type: "group", name });
  const restrictions = ({ users, groups }: Pick<Page, "users" | "groups">) => ({
    read: { restrictions: { user: { results: users.map(user) }, group: { results: groups.map(group) } } },
  });
  const sent = (page: Page) => ({
    id: page.id,
    type: page.type,
    title: page.title,
    version: { number: page.number, when: `2024-05-0${page.number}T10:00:00.000Z` },
    ancestors: page.ancestors.map((id) => ({ id, type: "page" })),
    metadata: { labels: { results: page.type === "page" ? [{ name: "policy" }] : [] } },
    restrictions: restrictions(page),
    ...(page.container && { container: { id: page.container } }),
    body: { storage: { value: page.storage ?? "" } },
    _links: { webui: `/spaces/HR/pages/${page.id}` },
  });

  function reply({ url, headers }: Asked): Replied | undefined {
    const early = world.first.shift();
    if (early) return early;
    const expected = isCloud ? `Basic ${Buffer.from(`${EMAIL}:${token}`).toString("base64")}` : `Bearer ${token}`;
    if (headers.authorization !== expected) return { status: 401 };
    const path = url.pathname.slice(context.length);
    const [, at = "", name = ""] = /^\/rest\/api\/(group|user|space)\/?([^/]*)/.exec(path) ?? [];
    const asked = (key: string) => url.searchParams.get(key) ?? "";
    if (path === "/rest/api/content/search") {
      const cql = asked("cql");
      const id = /^id=(\d+)$/.exec(cql)?.[1];
      const wanted = world.pages.filter((page) =>
        id ? page.id === id : cql.startsWith('space="HR" and type') && cql.includes(page.type),
      );
      const start = Number(asked("start"));
      url.searchParams.set("start", `${start + 2}`);
      const next = start + 2 < wanted.length ? { next: `/rest/api/content/search${url.search}` } : {};
      return { json: { results: wanted.slice(start, start + 2).map(sent), _links: { base: SITE, ...next } } };
    }
    const restricted = /^\/rest\/api\/content\/(\w+)\/restriction\/byOperation$/.exec(path)?.[1];
    if (restricted)
      return restricted === "90" ? { json: restrictions({ users: [], groups: ["hr"] }) } : { status: 403 };
    if (path.startsWith("/download/")) return { body: "%PDF-1.4 of leave" };
    if (isCloud && path === "/api/v2/spaces")
      return { json: { results: asked("keys") === "HR" ? [{ id: 7, key: "HR" }] : [] } };
    if (isCloud && path === "/api/v2/spaces/7/permissions") {
      const granted = [
        ...world.spaceUsers.map((one) => ({ type: "user", id: `5b-${one}` })),
        ...world.spaceGroups.map((one) => ({ type: "group", id: `g-${one}` })),
        ...(world.isAnonymous ? [{ type: "role", id: "anonymous-users" }] : []),
      ].map((principal) => ({ principal, operation: { key: "read", targetType: "space" } }));
      const second = asked("cursor") === "2";
      const other = { principal: { type: "group", id: "g-writers" }, operation: { key: "create", targetType: "page" } };
      const next = second ? {} : { next: `${context}/api/v2/spaces/7/permissions?cursor=2` };
      return { json: { results: second ? granted : [other], _links: next } };
    }
    if (!isCloud && path === "/rest/api/space/HR") return { json: { key: "HR" } };
    if (!isCloud && path === "/rest/api/space/HR/permissions") {
      const subjects = [
        ...world.spaceUsers.map((one) => ({ type: "user", userKey: `key-${one}` })),
        ...world.spaceGroups.map(group),
        ...(world.isAnonymous ? [undefined] : []),
      ];
      return {
        json: subjects.map((subject) => ({ operation: { operationKey: "read", targetType: "space" }, subject })),
      };
    }
    if (at === "group" && /member/.test(path))
      return {
        json: {
          results: (world.members[name.replace(/^g-/, "")] ?? [])
            .slice(Number(asked("start")))
            .slice(0, 2)
            .map(user),
        },
      };
    if (at === "group" && name === "by-id") return { json: group(asked("id").slice(2)) };
    if (at === "group" && name === "by-name") return { json: group(asked("name")) };
    if (at === "user" && isCloud) {
      return { json: user(asked("accountId").slice(3)) };
    }
    return at === "user" ? { json: user(asked("key").slice(4)) } : undefined;
  }

  const server = await smallServer(reply);
  const page = (id: string, title: string, more: Partial<Page> = {}): Page => ({
    id,
    type: "page",
    title,
    number: 1,
    ancestors: [],
    users: [],
    groups: [],
    storage: `<p>All about ${title}.</p>`,
    ...more,
  });
  const world: Wiki = {
    pages: [
      page("1", "Home"),
      page("2", "Leave", { ancestors: ["1"] }),
      page("3", "Salaries", { ancestors: ["1"] }),
      page("4", "Raises", { ancestors: ["1", "3"] }),
      page("5", "News", { type: "blogpost" }),
      page("att6", "leave.pdf", { type: "attachment", container: "2", number: 2 }),
      page("att7", "team.png", { type: "attachment", container: "2" }),
      page("att8", "draft.pdf", { type: "attachment", container: "99" }),
    ],
    spaceUsers: [],
    spaceGroups: ["staff"],
    isAnonymous: false,
    members: { staff: ["ada", "bo", "cy"], hr: ["ada", "di"], board: ["cy"] },
    first: [],
    asked: server.asked,
    connect: (more = {}) =>
      confluence({
        url: `${server.address}${context}`,
        spaces: ["HR"],
        token: TOKEN,
        ...(isCloud && { email: EMAIL }),
        ...more,
      }),
    id: "2",
    change: () => Object.assign(world.pages[1] as Page, { number: 2 }),
    remove: () => {
      world.pages = world.pages.filter(({ id }) => !["2", "att6"].includes(id));
    },
    refuse() {
      token = "another";
    },
    secrets: [TOKEN, Buffer.from(`${EMAIL}:${TOKEN}`).toString("base64")],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return world;
}

describe.each([
  ["Cloud", true],
  ["Data Center", false],
])("Confluence %s", (_, isCloud) => {
  const named = (user: string) => (isCloud ? [`user:${user}@example.org`, `user:5b-${user}`] : [`user:${user}`]);
  const readersOf = async (world: Wiki, options?: Partial<ConfluenceOptions>) =>
    Object.fromEntries((await listed(world.connect(options))).map(({ id, readers }) => [id, readers]));

  connectorContract("confluence", async () => {
    const world = await wiki(isCloud);
    // A page without attachments, so that nothing else goes with it.
    world.pages = world.pages.filter(({ type }) => type !== "attachment");
    return world;
  });

  test("lists pages, posts and files that can be read, with their versions, labels and addresses", async () => {
    await using world = await wiki(isCloud);
    const documents = await listed(world.connect());
    expect(documents.map(({ id }) => id)).toEqual(["1", "2", "3", "4", "5", "2/leave.pdf"]);
    expect(documents[1]).toEqual({
      id: "2",
      version: "1",
      title: "Leave",
      url: `${SITE}/spaces/HR/pages/2`,
      changedAt: "2024-05-01T10:00:00.000Z",
      readers: ["group:staff"],
      metadata: { space: "HR", labels: ["policy"] },
    });
    expect(documents[5]).toEqual({
      id: "2/leave.pdf",
      version: "2",
      title: "leave.pdf",
      url: `${SITE}/download/attachments/2/leave.pdf`,
      changedAt: "2024-05-02T10:00:00.000Z",
      readers: ["group:staff"],
      metadata: { space: "HR", page: "Leave" },
    });
  });

  test("a restriction holds for a page, the pages below it and its files, and changes nothing else", async () => {
    await using world = await wiki(isCloud);
    const before = await listed(world.connect());
    const [, leave, salaries] = world.pages;
    Object.assign(salaries as Page, { users: ["ada"], groups: ["board"] });
    Object.assign(leave as Page, { users: ["bo"] });
    const after = await listed(world.connect());
    expect(after.map(({ readers: _, ...rest }) => rest)).toEqual(before.map(({ readers: _, ...rest }) => rest));
    expect(await readersOf(world)).toEqual({
      "1": ["group:staff"],
      "2": named("bo"),
      "2/leave.pdf": named("bo"),
      "3": [...named("ada"), "group:board"],
      "4": [...named("ada"), "group:board"],
      "5": ["group:staff"],
    });
  });

  test("somebody who hides their e-mail address is named by their account alone", async () => {
    await using world = await wiki(isCloud);
    world.spaceUsers = ["shy", "ada"];
    world.spaceGroups = [];
    const shy = isCloud ? "user:5b-shy" : "user:shy";
    expect(await readersOf(world)).toMatchObject({ "1": [shy, ...named("ada")] });
  });

  test("who is named by a restriction but may not read the space or a page above may not read the page", async () => {
    await using world = await wiki(isCloud);
    const [, leave, salaries, raises] = world.pages;
    Object.assign(leave as Page, { users: ["stranger"] });
    Object.assign(salaries as Page, { groups: ["hr"] });
    Object.assign(raises as Page, { users: ["di", "bo", "ada"] });
    expect(await readersOf(world)).toMatchObject({ "2": [], "2/leave.pdf": [], "3": named("ada"), "4": named("ada") });
  });

  test("a folder above that is no page restricts what is in it, and one that cannot be seen closes it", async () => {
    await using world = await wiki(isCloud);
    world.spaceGroups = ["staff", "hr"];
    Object.assign(world.pages[1] as Page, { ancestors: ["90"] });
    Object.assign(world.pages[2] as Page, { ancestors: ["91"] });
    expect(await readersOf(world)).toMatchObject({ "2": ["group:hr"], "3": [] });
  });

  test("everyone may read a space that is open to the public, but not its restricted pages", async () => {
    await using world = await wiki(isCloud);
    world.isAnonymous = true;
    Object.assign(world.pages[1] as Page, { users: ["stranger"] });
    expect(await readersOf(world)).toMatchObject({ "1": ["group:staff", "everyone"], "2": named("stranger") });
  });

  test("who may read a space can be stated, and is not asked for then", async () => {
    await using world = await wiki(isCloud);
    Object.assign(world.pages[1] as Page, { users: ["ada"] });
    expect(await readersOf(world, { spaceReaders: ["group:hr"] })).toMatchObject({
      "1": ["group:hr"],
      "2": named("ada"),
    });
    expect(world.asked.filter((path) => path.includes("permissions"))).toEqual([]);
  });

  test("a space whose permissions are refused is an error that says what else to do, and so is an unknown space", async () => {
    await using world = await wiki(isCloud);
    world.first = [{ json: isCloud ? { results: [{ id: 7 }] } : {} }, { status: 403 }];
    await expect(listed(world.connect())).rejects.toThrow("can also be stated as `spaceReaders`");
    await expect(listed(world.connect({ spaces: ["IT"] }))).rejects.toThrow("has no space IT");
  });

  if (isCloud)
    test("permissions whose pages repeat are an error", async () => {
      await using world = await wiki(isCloud);
      const granted = { principal: { type: "group", id: "g-hr" }, operation: { key: "read", targetType: "space" } };
      const again = { results: [granted], _links: { next: "/api/v2/spaces/7/permissions?limit=250" } };
      world.first = [{ json: { results: [{ id: 7 }] } }, { json: again }];
      await expect(listed(world.connect())).rejects.toThrow("repeats a page");
    });

  test("a reply that does not tell the restrictions of a page, or what is above it, is an error", async () => {
    await using world = await wiki(isCloud);
    const space = { json: isCloud ? { results: [{ id: 7 }] } : {} };
    const about = { id: "1", type: "page", title: "Home", version: { number: 1 } };
    const none = { read: { restrictions: { user: { results: [] }, group: { results: [] } } } };
    const connector = world.connect({ spaceReaders: ["everyone"] });
    world.first = [space, { json: { results: [{ ...about, ancestors: [] }] } }];
    await expect(listed(connector)).rejects.toThrow("unexpected reply (results[0].restrictions)");
    world.first = [space, { json: { results: [{ ...about, restrictions: none }] } }];
    await expect(listed(connector)).rejects.toThrow("unexpected reply (results[0].ancestors)");
  });

  test("a page of results that fails makes the whole list fail, and a limit is waited for", async () => {
    await using world = await wiki(isCloud);
    world.first = [{ status: 429, headers: { "retry-after": "0" } }];
    expect(await listed(world.connect())).toHaveLength(6);
    const connector = world.connect({ spaceReaders: ["everyone"] });
    world.first = [
      { json: isCloud ? { results: [{ id: 7 }] } : {} },
      { json: { results: [], _links: { next: "/gone" } } },
    ];
    await expect(listed(connector)).rejects.toThrow("has nothing at /gone");
  });

  test("a page is read as HTML, with its code and tasks and without what belongs to macros and other pages", async () => {
    await using world = await wiki(isCloud);
    Object.assign(world.pages[0] as Page, { title: "A & B", storage: STORAGE });
    const connector = world.connect();
    const [home] = await listed(connector);
    const content = home && (await connector.read(home, { signal }));
    if (!content || "text" in content) throw new Error("It has no bytes.");
    const { text } = await contentOf(content.bytes, content.name);
    expect(text).toContain("Take 28 days, see Travel rules.");
    expect(text).toContain('if (days < 28 && paid) print("ok");');
    expect(text).toContain("Ask HR");
    expect(text).toContain("| 2024 | 28 |");
    expect(text).not.toMatch(/javascript|incomplete|Secret page|ac:|ri:/);
  });

  test("a file is read by its address, and what is gone is undefined", async () => {
    await using world = await wiki(isCloud);
    const connector = world.connect();
    const documents = await listed(connector);
    const read = (id: string) => connector.read(documents.find((one) => one.id === id) ?? { id }, { signal });
    expect(await read("2/leave.pdf")).toEqual({ name: "leave.pdf", bytes: Buffer.from("%PDF-1.4 of leave") });
    world.pages = [];
    expect(await read("2")).toBeUndefined();
  });
});

const STORAGE = `<p>Take 28&nbsp;days, see <ac:link><ri:page ri:content-title="Travel rules" /></ac:link>.</p>
<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">javascript</ac:parameter><ac:plain-text-body><![CDATA[if (days < 28 && paid) print("ok");]]></ac:plain-text-body></ac:structured-macro>
<ac:structured-macro ac:name="include"><ac:parameter ac:name=""><ac:link><ri:page ri:content-title="Secret page" /></ac:link></ac:parameter></ac:structured-macro>
<ac:task-list><ac:task><ac:task-id>1</ac:task-id><ac:task-status>incomplete</ac:task-status><ac:task-body>Ask HR</ac:task-body></ac:task></ac:task-list>
<table><tbody><tr><th>Year</th><th>Days</th></tr><tr><td>2024</td><td>28</td></tr></tbody></table>`;
