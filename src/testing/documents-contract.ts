import assert from "node:assert/strict";
import { UsageError } from "../errors.js";
import type { Documents } from "../tools/documents/port.js";
import type { Passage } from "../types/evidence.js";
import type { Filter } from "../types/filter.js";
import { type ContractTest, contractOf, type Promises, stops } from "./contract.js";
import {
  byMeaning,
  conceptEmbeddings,
  type EmptyStore,
  embedded,
  findsFirst,
  HANDBOOK,
  idsOf,
  type OpenDocuments,
  pagesOf,
  stated,
  textsOf,
  twoDocuments,
} from "./documents-sample.js";
import { fakePassage } from "./passage.js";

/**
 * What every adapter of Documents promises. `newStore` prepares a separate empty store for each test. A store
 * without `embed` passes the tests of vectors.
 */
export const documentsContract = (newStore: () => Promise<OpenDocuments>): ContractTest[] =>
  documentsTests(newStore, PROMISES, EMBEDDING);

/** Tests of promises, each over a store of its own. Those of embedding hold for any store that does not embed. */
export const documentsTests = (
  newStore: () => Promise<OpenDocuments>,
  promises: Promises<EmptyStore>,
  ofEmbedding: Promises<EmptyStore> = {},
): ContractTest[] => {
  const ifItEmbeds = Object.entries(ofEmbedding).map(([name, promise]) => [
    name,
    async (store: EmptyStore) => {
      if (store.documents.embed) await promise(store);
    },
  ]);
  return contractOf({ ...promises, ...Object.fromEntries(ifItEmbeds) }, async (promise) => {
    const store = await newStore();
    const opened: Documents[] = [];
    const open: OpenDocuments = (options) => {
      const one = store(options);
      opened.push(one);
      return one;
    };
    try {
      await promise({ open, documents: open() });
    } finally {
      for (const one of opened) await one.close();
    }
  });
};

const PROMISES: Promises<EmptyStore> = {
  "an empty store finds, lists and removes nothing without an error": async ({ documents }) => {
    assert.deepEqual(await documents.search({ text: "refund 退款" }, 10), []);
    assert.deepEqual(await documents.get(["a#0"]), []);
    assert.deepEqual(await documents.neighbours("a#0"), []);
    assert.deepEqual(await documents.list(), []);
    assert.equal(await documents.isEmpty(), true);
    assert.equal(await documents.remove(["a"]), 0);
  },

  "a search finds the passage that has the words of a question": ({ documents }) =>
    findsFirst(documents, {
      "refund within thirty days": "refunds#0",
      "Who signs the expense report?": "expenses#0",
      "七天内可以退货吗？": "refunds-zh#0",
      报销单由谁签字: "expenses-zh#0",
      "Kubernetes 集群": "cluster-zh#0",
    }),

  "a search takes what looks like query syntax as plain words": ({ documents }) =>
    findsFirst(documents, Object.fromEntries(LIKE_SYNTAX.map((text) => [text, "refunds#0"]))),

  "a search without words finds nothing": async ({ documents }) => {
    await documents.upsert(HANDBOOK);
    for (const text of ["", "   \n\t", "?!", "。！？…", "()[]{}\"'*~^:\\/+-&|", "🙂👍"])
      assert.deepEqual(await idsOf(documents, text), [], JSON.stringify(text));
  },

  "a search returns the best passage first, each with all its stored fields": async ({ documents }) => {
    await documents.upsert(HANDBOOK);
    const results = await documents.search({ text: "expense report manager signs 报销单" }, 10);
    const scores = results.map(({ score }) => score);
    assert.ok(results.length > 1);
    assert.ok(scores.every(Number.isFinite));
    assert.deepEqual(
      scores,
      scores.toSorted((a, b) => b - a),
    );
    const { score: _, ...best } = results[0] ?? {};
    assert.deepEqual(
      best,
      HANDBOOK.find(({ id }) => id === "expenses#0"),
    );
  },

  "a search returns at most as many as asked, the best ones": async ({ documents }) => {
    await documents.upsert(HANDBOOK);
    const all = await idsOf(documents, "report days manager");
    assert.ok(all.length > 2);
    assert.deepEqual(await idsOf(documents, "report days manager", 2), all.slice(0, 2));
  },

  "a search refuses a limit that is no whole number from 1 to 200": async ({ documents }) => {
    for (const limit of [0, -1, 201, 1.5, Number.NaN])
      await assert.rejects(async () => documents.search({ text: "report" }, limit), UsageError, `${limit}`);
  },

  "a search leaves out excluded passages and fills their places with the next ones": async ({ documents }) => {
    await documents.upsert(HANDBOOK);
    const all = await idsOf(documents, "report days manager");
    const [best = "", ...rest] = all;
    const without = await documents.search({ text: "report days manager", exclude: [best, "no such passage"] }, 2);
    assert.deepEqual(
      without.map(({ id }) => id),
      rest.slice(0, 2),
    );
    assert.deepEqual(await documents.search({ text: "report days manager", exclude: all }, 10), []);
  },

  "a search throws the reason of an earlier abort": async ({ documents }) => {
    await documents.upsert(pagesOf("a", ["before"]));
    await stops((signal) => documents.search({ text: "before" }, 5, { signal }));
  },

  "search, get and neighbours return only passages that meet the filter, in every mode": async ({ open }) => {
    const documents = open({ embeddings: conceptEmbeddings });
    await documents.upsert([
      stated("hr", "Expense report of the year. 报销", { department: "hr", tags: "a\nb, c" }),
      stated("hr", "What follows it.", { department: "it" }, 1),
      stated("it", "Expense report of the month. 报销", { department: "it", status: "draft" }),
      stated("none", "Expense report of nobody. 报销", {}),
    ]);
    await documents.embed?.();
    const expects = async (expected: string, ...filter: Filter) => {
      const said = JSON.stringify(filter);
      for (const mode of ["fullText", "vector", "hybrid"] as const) {
        const found = await documents.search({ text: "expense report 报销", mode, filter }, 10);
        const ids = found.map(({ id }) => id).filter((id) => id !== "hr#1");
        assert.equal(ids.sort().join(" "), expected, `${mode} ${said}`);
      }
      const given = await documents.get(["hr#0", "it#0", "none#0"], { filter });
      assert.equal(given.map(({ id }) => id).join(" "), expected, said);
    };
    const is = (key: string, ...values: string[]) => ({ key, values });
    const isNot = (key: string, ...values: string[]) => ({ key, values, not: true });
    await expects("hr#0 it#0 none#0");
    await expects("hr#0", is("department", "hr"));
    await expects("hr#0 it#0", is("Department", "hr", "it"));
    await expects("hr#0", is("department", "hr", "it"), isNot("status", "draft"));
    await expects("", is("department", "hr"), is("department", "it"));
    await expects("it#0 none#0", isNot("department", "hr"));
    await expects("hr#0", is("tags", "a"), is("tags", "b, c"));
    await expects("", is("department"));
    await expects("hr#0 it#0 none#0", isNot("department"));
    for (const value of NO_VALUES) await expects("", is("department", value));
    for (const key of ["", "__proto__", "constructor", "department' OR ''='", "department=hr\n"])
      await expects("", is(key, "hr"));
    assert.deepEqual(await documents.neighbours("hr#0", 1, { filter: [is("department", "hr")] }), []);
    assert.equal((await documents.neighbours("hr#0", 1, { filter: [is("department", "it")] })).length, 1);
  },

  "a restatement replaces keys of whole documents at once, for every reader, and leaves everything else": async ({
    documents,
    open,
  }) => {
    if (!documents.restate) return;
    const reader = open({ embeddings: conceptEmbeddings });
    const writer = open({ embeddings: conceptEmbeddings });
    await writer.upsert([
      stated("a", "Holiday is agreed with the manager.", { readers: "everyone", team: "hr" }),
      stated("a", "Holiday is entered into the calendar.", { readers: "everyone" }, 1),
      stated("b", "Holiday is paid.", { readers: "everyone" }),
    ]);
    await writer.embed?.();
    const seen = async (value: string, mode: "fullText" | "vector") => {
      const query = { text: "holiday", mode, filter: [{ key: "readers", values: [value] }] };
      return (await reader.search(query, 10)).map(({ id }) => id).sort();
    };
    assert.deepEqual(await seen("everyone", "vector"), ["a#0", "a#1", "b#0"]);
    await writer.restate?.([
      { documentId: "a", hash: "2", metadata: { readers: "group:hr\nuser:ada", draft: "" } },
      { documentId: "gone", hash: "2", metadata: { readers: "everyone" } },
    ]);
    for (const mode of ["fullText", "vector"] as const) {
      assert.deepEqual(await seen("everyone", mode), ["b#0"], mode);
      assert.deepEqual(await seen("user:ada", mode), ["a#0", "a#1"], mode);
    }
    const [first] = await reader.get(["a#0"]);
    assert.deepEqual(
      [first?.text, first?.hash, first?.metadata],
      ["Holiday is agreed with the manager.", "2", { readers: "group:hr\nuser:ada", team: "hr" }],
    );
    assert.deepEqual((await reader.list()).map(({ documentId, hash }) => [documentId, hash])[0], ["a", "2"]);
    const all = ["a#0", "a#1", "b#0"];
    if (writer.embed) assert.deepEqual((await reader.embedded?.(all)) ?? all, all);
    await writer.restate?.([{ documentId: "a", hash: "3", metadata: { readers: "" } }]);
    assert.deepEqual((await reader.get(["a#0"]))[0]?.metadata, { team: "hr" });
    assert.deepEqual((await reader.damaged?.()) ?? [], []);
  },

  "find and open return only passages that meet the filter, and find at most as many as asked": async (store) => {
    const { documents } = store;
    await documents.upsert([
      stated("a", "Expense report.", { department: "it" }),
      stated("a", "Expense report, continued.", { department: "hr" }, 1),
      stated("b", "Expense report.", { department: "hr" }),
    ]);
    const filter = [{ key: "department", values: ["hr"] }];
    const ids = (found: readonly Passage[] | undefined) => found?.map(({ id }) => id).join(" ");
    assert.ok([undefined, "a#0 a#1 b#0"].includes(ids(await documents.find?.("expense", 10))));
    assert.ok([undefined, "a#0 a#1"].includes(ids(await documents.find?.("expense", 2))));
    assert.ok([undefined, "a#1 b#0"].includes(ids(await documents.find?.("expense", 10, { filter }))));
    assert.ok([undefined, "a#1"].includes(ids(await documents.find?.("expense", 1, { filter }))));
    assert.ok([undefined, "a#1"].includes(ids(await documents.open?.("a", { filter }))));
    assert.ok([undefined, ""].includes(ids(await documents.find?.("expense", 10, { filter: NOBODY }))));
  },

  "open returns all passages of a document in order, and none for an unknown id": async ({ documents }) => {
    const pages = pagesOf(
      "long",
      Array.from({ length: 12 }, (_, i) => `Page ${i}.`),
    );
    await documents.upsert([...pages, ...HANDBOOK]);
    if (!documents.open) return;
    assert.deepEqual(await documents.open("long"), pages);
    for (const id of ["lon", "long#0", "", "%", "lon_", "long' OR '1'='1"])
      assert.deepEqual(await documents.open(id), [], id);
  },

  "a write replaces a whole document, including added and removed passages, and no other document": async ({
    documents,
  }) => {
    await documents.upsert([...pagesOf("guide", ["old one", "old two", "old three"]), ...pagesOf("other", ["old"])]);
    await documents.upsert(pagesOf("guide", ["new one", "old two"]));
    const ids = ["guide#0", "guide#1", "guide#2", "other#0"];
    assert.deepEqual(await textsOf(documents, ids), ["new one", "old two", "old"]);
    assert.deepEqual(await idsOf(documents, "three"), []);
    assert.deepEqual((await idsOf(documents, "old")).sort(), ["guide#1", "other#0"]);
  },

  "a write keeps every character of a text": async ({ documents }) => {
    const text =
      "first line\r\n\tsecond $& $1 \\n 'quoted' \"twice\" \u0000 | 表格 ｆｕｌｌ 🙂👩‍👩‍👧 e\u0301 \u200b end ";
    const odd = { ...fakePassage("odd", text), title: text, section: text, uri: text, hash: text };
    await documents.upsert([odd]);
    assert.deepEqual(await documents.get(["odd"]), [odd]);
  },

  "an aborted write throws the reason and writes nothing": async ({ documents }) => {
    await documents.upsert(pagesOf("a", ["before"]));
    await stops((signal) => documents.upsert(pagesOf("a", ["after"]), { signal }));
    assert.deepEqual(await textsOf(documents, ["a#0"]), ["before"]);
  },

  "the list has each document with its hash and its number of passages": async ({ documents }) => {
    await documents.upsert([...pagesOf("b", ["1", "2"], "hash b"), ...pagesOf("a", ["3"], "hash a")]);
    await documents.upsert(pagesOf("b", ["1"], "hash b2"));
    assert.deepEqual(
      (await documents.list()).toSorted((x, y) => (x.documentId < y.documentId ? -1 : 1)),
      [
        { documentId: "a", hash: "hash a", passages: 1 },
        { documentId: "b", hash: "hash b2", passages: 1 },
      ],
    );
  },

  "remove removes whole documents, returns how many passages went, and ignores unknown documents": async ({
    documents,
  }) => {
    await documents.upsert([...pagesOf("a", ["apple", "apple pie"]), ...pagesOf("b", ["apple juice"])]);
    assert.equal(await documents.remove(["a", "unknown", "a"]), 2);
    assert.equal(await documents.remove(["a"]), 0);
    assert.deepEqual((await idsOf(documents, "apple")).sort(), ["b#0"]);
    assert.deepEqual(
      (await documents.list()).map(({ documentId }) => documentId),
      ["b"],
    );
  },

  "get returns passages in the requested order and leaves out unknown ones": async ({ documents }) => {
    await documents.upsert(twoDocuments());
    const got = await documents.get(["b#1", "a#3", "nothing", "a#0"]);
    assert.deepEqual(
      got.map(({ id }) => id),
      ["b#1", "a#3", "a#0"],
    );
  },

  "neighbours are in order, without the passage itself and never from another document": async ({ documents }) => {
    await documents.upsert(twoDocuments());
    const neighbours = async (id: string, distance?: number) =>
      (await documents.neighbours(id, distance)).map((passage) => passage.id);
    assert.deepEqual(await neighbours("a#2"), ["a#1", "a#3"]);
    assert.deepEqual(await neighbours("a#2", 2), ["a#0", "a#1", "a#3", "a#4"]);
    assert.deepEqual(await neighbours("a#0"), ["a#1"]);
    assert.deepEqual(await neighbours("b#1", 10), ["b#0"]);
    assert.deepEqual(await neighbours("nothing"), []);
  },

  "an instance finds what another one wrote, without being reopened": async ({ documents, open }) => {
    const other = open();
    await documents.upsert(pagesOf("a", ["first"]));
    assert.deepEqual(
      (await other.search({ text: "first" }, 10)).map(({ id }) => id),
      ["a#0"],
    );
    await documents.upsert(pagesOf("a", ["second"]));
    assert.deepEqual(await other.search({ text: "first" }, 10), []);
    assert.deepEqual(
      (await other.get(["a#0"])).map(({ text }) => text),
      ["second"],
    );
  },

  "what was written is kept after closing and reopening": async ({ documents, open }) => {
    await documents.upsert(pagesOf("a", ["lasting", "持久"]));
    await documents.close();
    const again = open();
    assert.equal((await again.search({ text: "lasting 持久" }, 10)).length, 2);
    assert.deepEqual(await again.list(), [{ documentId: "a", hash: "", passages: 2 }]);
  },

  "all concurrent writes are stored, and two versions of a document are never mixed": async ({ documents, open }) => {
    const writers = [documents, open()];
    await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const own = pagesOf(`own ${n}`, ["a", "b"]);
        const shared = pagesOf("shared", Array(n + 1).fill(`by ${n}`), `${n}`);
        await writers[n % 2]?.upsert([...own, ...shared]);
      }),
    );
    const listed = await documents.list();
    assert.equal(listed.filter(({ documentId }) => documentId.startsWith("own")).length, 8);
    const shared = listed.find(({ documentId }) => documentId === "shared");
    assert.equal(shared?.passages, Number(shared?.hash) + 1);
  },
};

const EMBEDDING: Promises<EmptyStore> = {
  "with vectors, a search finds by meaning a passage without the words": async ({ open }) => {
    const documents = await embedded(open);
    for (const [text, id] of [
      ["vacation", "holiday#0"],
      ["旅游", "holiday-zh#0"],
    ] as const) {
      const ids = async (mode: "fullText" | "vector" | "hybrid") =>
        (await documents.search({ text, mode }, 2)).map((passage) => passage.id);
      assert.deepEqual(await ids("fullText"), []);
      assert.ok((await ids("vector")).includes(id), text);
      assert.ok((await ids("hybrid")).includes(id), text);
    }
  },

  "embedding happens after writing, and a written passage is found by words at once": async ({ open }) => {
    const documents = open({ embeddings: conceptEmbeddings });
    await documents.upsert(HANDBOOK);
    assert.equal(await byMeaning(documents), false);
    assert.equal((await documents.search({ text: "refund within thirty days" }, 10))[0]?.id, "refunds#0");
    await documents.embed?.();
    assert.equal(await byMeaning(documents), true);
  },

  "embedding stops when aborted": async ({ open }) => {
    const documents = open({ embeddings: conceptEmbeddings });
    await documents.upsert(HANDBOOK);
    await stops(async (signal) => documents.embed?.({ signal }));
  },
};

const LIKE_SYNTAX = [
  'refund" OR "1"="1',
  "refund'); DROP TABLE passages; --",
  "title:refund AND (thirty~2 OR days^5) NOT [* TO *]",
  "refund\u0000\u0007\u202e days",
];

const NOBODY = [{ key: "department", values: ["nobody"] }];

/** Values that match no department, even if they look like query syntax. */
const NO_VALUES = [
  "",
  "HR",
  "hr ",
  "ｈｒ",
  "hr\0",
  "h",
  "%",
  "*",
  "hr\nit",
  "hr' OR '1'='1",
  "hr'] ) OR true --",
  "x'), ('hr",
  "\\' OR 1=1 //",
  "$filter",
  "\ud800",
];
