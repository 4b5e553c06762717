import { afterEach, describe, expect, test, vi } from "vitest";
import { UsageError } from "../../src/errors.js";
import type { LangchainDocument } from "../../src/ingest/langchain.js";
import { fromLoader } from "../../src/sync/from-loader.js";
import type { Mapping } from "../../src/sync/loader-source.js";

afterEach(() => {
  vi.useRealTimers();
});

const doc = (metadata: Record<string, unknown>, pageContent = "Text."): LangchainDocument => ({
  pageContent,
  metadata,
});
const call = () => ({ signal: new AbortController().signal });
const listed = async (documents: LangchainDocument[], mapping: Mapping = {}) =>
  Array.fromAsync(fromLoader(async () => ({ load: async () => documents }), mapping).list(call()));

// What the loaders of @langchain/community and @langchain/classic write.
test.each<[string, Record<string, unknown>, object]>([
  [
    "Confluence",
    { id: "17", title: "Leave", url: "https://wiki.example/17", updated_at: "2024-05-02T08:00:00.000Z" },
    { id: "17", title: "Leave", url: "https://wiki.example/17", changedAt: "2024-05-02" },
  ],
  [
    "Notion",
    {
      notionId: "ab-12",
      url: "https://notion.so/Leave-ab12",
      last_edited_time: "2024-05-02T08:00:00.000Z",
      properties: { _title: "Leave" },
    },
    { id: "ab-12", title: "Leave", url: "https://notion.so/Leave-ab12", changedAt: "2024-05-02" },
  ],
  [
    "GitHub",
    { source: "docs/README.md", repository: "https://github.com/a/b", branch: "main" },
    { id: "https://github.com/a/b/docs/README.md", url: undefined, changedAt: undefined },
  ],
  [
    "Obsidian",
    { source: "a.md", path: "/v/a.md", lastModified: 1714636800000, lastAccessed: 3 },
    { id: "a.md", changedAt: "2024-05-02" },
  ],
  ["a page of the web", { source: "https://a.org/b", title: "B" }, { id: "https://a.org/b", url: "https://a.org/b" }],
  [
    "PDF",
    { source: "/d/a.pdf", pdf: { info: { ModDate: "D:20240502101500Z", Title: "Leave" } }, loc: { pageNumber: 1 } },
    { id: "/d/a.pdf", title: "Leave", changedAt: "2024-05-02" },
  ],
])("the keys of %s are known", async (_, metadata, expected) => {
  expect(await listed([doc(metadata)])).toMatchObject([expected]);
});

test("a mapping names other keys, nested ones and those in lists", async () => {
  const metadata = {
    page: { key: 17, when: new Date("2024-05-02T08:00:00Z") },
    names: [{ text: "Leave" }],
    web: "https://a.org",
    viewers: [{ mail: "ada@example.org" }, { mail: "bo@example.org" }],
    teams: "hr",
  };
  const mapping = {
    id: "metadata.page.key",
    title: "metadata.names.text",
    url: "metadata.web",
    date: "metadata.page.when",
    users: "metadata.viewers.mail",
    groups: "metadata.teams",
  };
  expect(await listed([doc(metadata)], mapping)).toMatchObject([
    {
      id: "17",
      title: "Leave",
      url: "https://a.org",
      changedAt: "2024-05-02",
      readers: ["user:ada@example.org", "user:bo@example.org", "group:hr"],
    },
  ]);
});

test.each([
  ["missing", {}],
  ["an empty list", { groups: [] }],
  ["no text", { groups: { everyone: true } }],
  ["in a prototype", JSON.parse('{"__proto__": {"groups": "hr"}}')],
])("rights that are mapped and %s are nobody's", async (_, metadata) => {
  expect(await listed([doc({ source: "a", ...metadata })], { groups: "metadata.groups" })).toMatchObject([
    { readers: [] },
  ]);
  expect((await listed([doc({ source: "a", ...metadata })]))[0]?.readers).toBeUndefined();
});

test("a group is never everyone, whatever it is called, and a document is for those who may read all its parts", async () => {
  const parts = [doc({ source: "a", groups: ["everyone", "hr"] }), doc({ source: "a", groups: ["hr"] })];
  expect(await listed(parts, { groups: "metadata.groups" })).toMatchObject([{ readers: ["group:hr"] }]);
});

test("the pages of a document are its places, and its parts without pages are one text", async () => {
  const on = (pageNumber: number, text: string) => doc({ source: "a.pdf", loc: { pageNumber } }, text);
  const source = fromLoader(
    async () => ({
      load: async () => [
        on(1, "First."),
        on(1, "Still first."),
        on(2, "Second."),
        doc({ source: "b" }, "One."),
        doc({ source: "b" }, "Two."),
      ],
    }),
    {},
  );
  const all = await Array.fromAsync(source.list(call()));
  expect(await Promise.all(all.map((one) => source.read(one, call())))).toEqual([
    {
      text: "First.\n\nStill first.\n\nSecond.",
      places: [
        { start: 0, name: "p. 1" },
        { start: 22, name: "p. 2" },
      ],
    },
    { text: "One.\n\nTwo." },
  ]);
});

test("the version changes with the content and not with what changes by itself", async () => {
  const version = async (metadata: object, text: string) =>
    (await listed([doc({ source: "a", ...metadata }, text)]))[0];
  const first = await version({ lastAccessed: 1 }, "One.");
  expect(await version({ lastAccessed: 2 }, "One.")).toEqual(first);
  expect((await version({}, "Two."))?.version).not.toBe(first?.version);
});

describe("a load", () => {
  test("that fails is tried twice more, each time with a new loader", async () => {
    vi.useFakeTimers();
    let opened = 0;
    const open = async () => {
      opened += 1;
      const isLast = opened === 3;
      return { load: async () => (isLast ? [doc({ source: "a" })] : Promise.reject(new Error("503"))) };
    };
    const all = Array.fromAsync(fromLoader(open, {}).list(call()));
    await vi.runAllTimersAsync();
    expect(await all).toHaveLength(1);
    expect(opened).toBe(3);
  });

  test("that fails three times fails with its own message", async () => {
    vi.useFakeTimers();
    const load = vi.fn(() => Promise.reject(new Error("The token has expired.")));
    const all = Array.fromAsync(fromLoader(async () => ({ load }), {}).list(call()));
    all.catch(() => {});
    await vi.runAllTimersAsync();
    await expect(all).rejects.toThrow("The token has expired.");
    expect(load).toHaveBeenCalledTimes(3);
  });

  test("that says what is to be done is not tried again", async () => {
    const load = vi.fn(() => Promise.reject(new UsageError("The package x is not installed here.")));
    const all = Array.fromAsync(fromLoader(async () => ({ load }), {}).list(call()));
    await expect(all).rejects.toThrow("is not installed");
    expect(load).toHaveBeenCalledTimes(1);
  });

  test.each([[undefined], [null], ["text"], [[{ text: "x" }]], [[null]], [{ length: 1 }]])(
    "that delivers %j is a fault, and is not tried again",
    async (given) => {
      const load = vi.fn(async () => given as never);
      const all = Array.fromAsync(fromLoader(async () => ({ load }), {}).list(call()));
      await expect(all).rejects.toThrow("does not deliver LangChain documents");
      expect(load).toHaveBeenCalledTimes(1);
    },
  );
});
