import { expect, test } from "vitest";
import { notion } from "../../src/loaders/notion.js";
import { markdownOf } from "../../src/loaders/notion-markdown.js";
import { connectorContract, listed, textOf, type World } from "./contract.js";
import { type Replied, smallServer } from "./server.js";

const TOKEN = "ntn_s3cret";

interface Thing {
  object: string;
  id: string;
  last_edited_time: string;
  parent?: { data_source_id: string };
  in_trash?: boolean;
  title?: { plain_text: string }[];
  properties: Record<string, { type: string; [value: string]: unknown }>;
}

/** The part of Notion's API that the connector uses, with two results a page. */
interface Workspace extends World {
  things: Thing[];
  markdown: Record<string, { markdown: string; truncated?: boolean; unknown_block_ids?: string[] }>;
  first: Replied[];
}

async function workspace(): Promise<Workspace> {
  let token = TOKEN;
  const server = await smallServer(({ method, url, headers, body }) => {
    const early = world.first.shift();
    if (early) return early;
    if (headers.authorization !== `Bearer ${token}`) return { status: 401 };
    const id = /^\/v1\/pages\/(\w+)\/markdown$/.exec(url.pathname)?.[1];
    if (id) {
      const isThere = world.things.some((thing) => thing.id === id) || id.startsWith("block");
      const content = world.markdown[id] ?? { markdown: `Content of ${id}.` };
      return isThere
        ? { json: { object: "page_markdown", id, truncated: false, unknown_block_ids: [], ...content } }
        : undefined;
    }
    const database = /^\/v1\/data_sources\/(\w+)\/query$/.exec(url.pathname)?.[1];
    if (method !== "POST" || !(database || url.pathname === "/v1/search")) return undefined;
    const all = world.things.filter((thing) => !database || thing.parent?.data_source_id === database);
    const start = Number(JSON.parse(body).start_cursor ?? 0);
    const has_more = start + 2 < all.length;
    return {
      json: {
        object: "list",
        results: all.slice(start, start + 2),
        has_more,
        next_cursor: has_more ? `${start + 2}` : null,
        request_status: { type: "complete" },
      },
    };
  });
  const row = (id: string, name: string, properties: Thing["properties"]): Thing => ({
    ...page(id, name, properties),
    parent: { data_source_id: "d1" },
  });
  const world: Workspace = {
    things: [
      page("p1", "Leave policy"),
      {
        object: "data_source",
        id: "d1",
        last_edited_time: "2024-01-01T10:00:00.000Z",
        title: [{ plain_text: "Tickets" }],
        properties: { Name: { type: "title", title: {} } },
      },
      row("r1", "Printer | second floor", {
        Status: { type: "status", status: { name: "Open" } },
        Cost: { type: "number", number: 120.5 },
        Due: { type: "date", date: { start: "2024-03-01", end: null } },
      }),
      row("r2", "Door", { Status: { type: "status", status: null }, Paid: { type: "checkbox", checkbox: true } }),
      page("p2", "Travel"),
    ],
    markdown: {},
    first: [],
    connect: () => notion({ token: TOKEN, url: server.address }),
    id: "pages/p1",
    change: () => Object.assign(world.things[0] as Thing, { last_edited_time: "2024-02-02T10:00:00.000Z" }),
    remove: () => Object.assign(world.things[0] as Thing, { in_trash: true }),
    refuse() {
      token = "another";
    },
    secrets: [TOKEN],
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
  return world;
}

const page = (id: string, name: string, properties: Thing["properties"] = {}): Thing => ({
  object: "page",
  id,
  last_edited_time: "2024-01-01T10:00:00.000Z",
  properties: { Name: { type: "title", title: [{ plain_text: name }] }, ...properties },
  ...{ url: `https://www.notion.so/${id}`, in_trash: false },
});

connectorContract("notion", workspace);

test("a page has its title, address and properties, and nobody is said to be a reader", async () => {
  await using world = await workspace();
  Object.assign((world.things[0] as Thing).properties, {
    Tags: { type: "multi_select", multi_select: [{ name: "HR" }, { name: "2024" }] },
    Owner: { type: "people", people: [{ object: "user", id: "u1", name: "Ada" }] },
    Note: { type: "rich_text", rich_text: [{ plain_text: "for " }, { plain_text: "all" }] },
    Days: { type: "formula", formula: { type: "number", number: 28 } },
    Key: { type: "unique_id", unique_id: { prefix: "HR", number: 7 } },
    Term: { type: "date", date: { start: "2024-01-01", end: "2024-12-31" } },
    Web: { type: "url", url: null },
    readers: { type: "rich_text", rich_text: [{ plain_text: "everyone" }] },
  });
  const [first] = await listed(world.connect());
  expect(first).toEqual({
    id: "pages/p1",
    version: "2024-01-01T10:00:00.000Z",
    title: "Leave policy",
    url: "https://www.notion.so/p1",
    changedAt: "2024-01-01T10:00:00.000Z",
    metadata: {
      Tags: ["HR", "2024"],
      Owner: ["Ada"],
      Note: "for all",
      Days: 28,
      Key: "HR-7",
      Term: "2024-01-01 – 2024-12-31",
    },
  });
});

test("a database is a table of its rows, and changes as they do", async () => {
  await using world = await workspace();
  const database = async () => (await listed(world.connect())).find(({ id }) => id === "databases/d1");
  const before = await database();
  expect(await textOf(world.connect(), "databases/d1")).toBe(
    [
      "# Tickets",
      "",
      "| Name | Status | Cost | Due | Paid |",
      "| --- | --- | --- | --- | --- |",
      "| Printer \\| second floor | Open | 120.5 | 2024-03-01 |  |",
      "| Door |  |  |  | yes |",
      "",
    ].join("\n"),
  );
  Object.assign(world.things[2] as Thing, { last_edited_time: "2024-02-05T10:00:00.000Z" });
  const after = await database();
  expect(after?.changedAt).toBe("2024-02-05T10:00:00.000Z");
  expect(after?.version).not.toBe(before?.version);
});

test("what changed in these minutes has no version yet, since another change may have the same time", async () => {
  await using world = await workspace();
  Object.assign(world.things[0] as Thing, { last_edited_time: new Date().toISOString() });
  const [first, ...others] = await listed(world.connect());
  expect(first?.version).toBeUndefined();
  expect(others.every(({ version }) => version)).toBe(true);
});

test("a long page is read to its end, without what the integration may not see", async () => {
  await using world = await workspace();
  world.markdown = {
    p1: { markdown: 'Begin.\n<unknown url="x" alt="y"/>', truncated: true, unknown_block_ids: ["block1", "hidden"] },
    block1: { markdown: "Middle.", truncated: true, unknown_block_ids: ["block1", "block2"] },
    block2: { markdown: "End." },
  };
  expect(await textOf(world.connect(), "pages/p1")).toBe("Begin.\n\nMiddle.\n\nEnd.");
});

test("a list that ends early makes the whole list fail, and a limit is waited for", async () => {
  await using world = await workspace();
  world.first = [{ status: 429, headers: { "retry-after": "0" } }];
  expect(await listed(world.connect())).toHaveLength(5);
  const early = { results: [], has_more: false, request_status: { type: "incomplete" } };
  world.first = [{ json: early }];
  await expect(listed(world.connect())).rejects.toThrow("ended a list early");
  world.first = [{ json: { results: [], has_more: true, next_cursor: null } }];
  await expect(listed(world.connect())).rejects.toThrow("ended a list early");
  world.first = [{ json: { results: [], has_more: true, next_cursor: "2" } }, { status: 400 }];
  await expect(listed(world.connect())).rejects.toThrow("refused the request (400)");
});

test("what is gone since it was listed is undefined", async () => {
  await using world = await workspace();
  const connector = world.connect();
  const [first] = await listed(connector);
  world.things = [];
  expect(first && (await connector.read(first, { signal: new AbortController().signal }))).toBeUndefined();
});

test("Notion's Markdown loses its tags, colours and tabs, but not its lists, tables and code", () => {
  expect(
    markdownOf(`# Leave {color="blue"}
::: callout {icon="💡" color="gray_bg"}
Ask <mention-user url="u1">Ada</mention-user> by <mention-date start="2024-03-01"/>.
	Indented in it.
:::
<columns>
	<column>
		- one {color="red"}
			- two
				Details of two.
		1. first
	</column>
</columns>
<details>
<summary>More</summary>
	\`\`\`js
	if (a <b> c) {x="1"}
		nested
	\`\`\`
</details>
<table header-row="true">
<tr>
<td>Year</td>
</tr>
</table>
2 \\<b> 3<br>4`),
  ).toBe(`# Leave

Ask Ada by 2024-03-01.
Indented in it.

- one
    - two
        Details of two.
1. first

More
\`\`\`js
if (a <b> c) {x="1"}
	nested
\`\`\`

<table header-row="true">
<tr>
<td>Year</td>
</tr>
</table>
2 \\<b> 3<br>4`);
});
