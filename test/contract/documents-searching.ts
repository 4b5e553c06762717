import assert from "node:assert/strict";
import { type Promises, stops } from "../../src/testing/contract.js";
import type { EmptyStore } from "../../src/testing/documents-sample.js";
import { conceptEmbeddings, findsFirst, HANDBOOK, pagesOf, stated } from "../../src/testing/documents-sample.js";

export const SEARCHING: Promises<EmptyStore> = {
  "empty lists are accepted": async ({ documents }) => {
    await documents.upsert([]);
    assert.equal(await documents.remove([]), 0);
    assert.deepEqual(await documents.get([]), []);
    assert.deepEqual(await documents.list(), []);
  },

  "a search in Traditional Chinese finds Simplified Chinese": ({ documents }) =>
    findsFirst(documents, { 報銷單由誰簽字: "expenses-zh#0", "七天內可以退貨嗎？": "refunds-zh#0" }),

  "a search finds words that only the title or the section has": ({ documents }) =>
    findsFirst(documents, {
      severance: "title-only#0",
      遣散费: "title-only-zh#0",
      appendix: "section-only#0",
      附录: "section-only-zh#0",
    }),

  "a search takes odd and long texts as plain words": ({ documents }) =>
    findsFirst(documents, Object.fromEntries(LIKE_SYNTAX.map((text) => [text, "refunds#0"]))),

  "a search returns its full number of passages even if many are excluded": async ({ documents }) => {
    const chapters = Array.from({ length: 90 }, (_, i) => `chapter ${i} 第${i}章`);
    await documents.upsert(pagesOf("long", chapters));
    const exclude = Array.from({ length: 70 }, (_, i) => `long#${i}`);
    const rest = await documents.search({ text: "chapter 章", exclude }, 15);
    assert.equal(rest.length, 15);
    assert.ok(rest.every(({ position }) => position >= 70));
  },

  "a search is full-text search in every mode without embeddings": async ({ documents }) => {
    await documents.upsert(HANDBOOK);
    const byWords = await documents.search({ text: "expense report", mode: "fullText" }, 10);
    assert.ok(byWords.length > 0);
    assert.deepEqual(await documents.search({ text: "expense report", mode: "vector" }, 10), byWords);
    assert.deepEqual(await documents.search({ text: "expense report", mode: "hybrid" }, 10), byWords);
    assert.deepEqual(await documents.search({ text: "expense report" }, 10), byWords);
  },

  "a search finds a passage that meets the filter even if many others fit the query better": async ({ open }) => {
    const documents = open({ embeddings: conceptEmbeddings });
    const others = Array.from({ length: 150 }, (_, i) =>
      stated("much", "expense report 报销", { department: i % 2 ? "it" : "" }, i),
    );
    await documents.upsert([...others, stated("one", `expense ${"word ".repeat(50)}`, { department: "hr" })]);
    await documents.embed?.();
    const filter = [{ key: "department", values: ["hr"] }];
    for (const mode of ["fullText", "vector", "hybrid"] as const) {
      const found = await documents.search({ text: "expense report 报销", mode, filter }, 3);
      assert.deepEqual(
        found.map(({ id }) => id),
        ["one#0"],
        mode,
      );
    }
  },

  "find returns the passages with exact words, whatever their case, in order, with all their fields": async (store) => {
    const { documents } = store;
    await documents.upsert(HANDBOOK);
    const all = [...HANDBOOK].sort((a, b) => (a.id < b.id ? -1 : 1));
    for (const [words, ids] of Object.entries(EXACT)) {
      const found = await documents.find?.(words, 10);
      if (found)
        assert.deepEqual(
          found,
          all.filter(({ id }) => ids.includes(id)),
          words,
        );
    }
  },

  "find takes everything but * and | as it is written": async ({ documents }) => {
    await documents.upsert(pagesOf("marks", MARKED));
    for (const [words, at] of Object.entries(LITERAL)) {
      const found = await documents.find?.(words, 10);
      if (found)
        assert.deepEqual(
          found.map(({ position }) => position),
          at,
          words,
        );
    }
  },

  "find finds words of any alphabet, whatever their case, and across the end of a line": async ({ documents }) => {
    await documents.upsert(pagesOf("words", ["Über Ångström", "Привет, мир", "first line\nsecond line"]));
    for (const [words, at] of [
      ["Über", 0],
      ["über ångström", 0],
      ["ПРИВЕТ", 1],
      ["line second", 2],
    ] as const) {
      const found = await documents.find?.(words, 10);
      if (found)
        assert.deepEqual(
          found.map(({ position }) => position),
          [at],
          words,
        );
    }
  },

  "contents returns the first passage of each document, in order of their ids, by the filter and the limit": async (
    store,
  ) => {
    const { documents } = store;
    await documents.upsert([
      ...["c", "a", "b"].flatMap((id) => [
        stated(id, "First.", { department: id === "b" ? "it" : "hr" }),
        stated(id, "Second.", { department: "hr" }, 1),
      ]),
    ]);
    if (!documents.contents) return;
    const ids = async (...given: Parameters<typeof documents.contents>) =>
      (await documents.contents?.(...given))?.map(({ id }) => id).join(" ");
    assert.equal(await ids(10), "a#0 b#0 c#0");
    assert.equal(await ids(2), "a#0 b#0");
    assert.equal(await ids(10, { filter: [{ key: "department", values: ["hr"] }] }), "a#0 c#0");
    assert.equal(await ids(10, { filter: NOBODY }), "");
  },

  "find, open and contents find nothing in an empty store": async ({ documents }) => {
    for (const found of [documents.find?.("x", 10), documents.open?.("x"), documents.contents?.(10)])
      assert.deepEqual((await found) ?? [], []);
  },

  "find throws the reason of an earlier abort": async ({ documents }) => {
    await documents.upsert(pagesOf("a", ["before"]));
    if (documents.find) await stops(async (signal) => documents.find?.("before", 5, { signal }));
  },
};

const NOBODY = [{ key: "department", values: ["nobody"] }];

/** Exact words, and the passages of the handbook that have them. */
const EXACT: Readonly<Record<string, readonly string[]>> = {
  "EXPENSE report": ["expenses#0"],
  "the manager": ["expenses#0", "holiday#0"],
  severance: ["title-only#0"],
  appendix: ["section-only#0"],
  部门经理: ["expenses-zh#0"],
  "kubernetes 集群": ["cluster-zh#0"],
  "report expense": [],
  "lost*badges*desk": ["security#0"],
  "lost*manager": [],
  "refund | 退货": ["refunds#0", "refunds-zh#0"],
  "holiday | manager": ["expenses#0", "holiday#0", "holiday-zh#0"],
  "": [],
  " * | ** ": [],
  "？！": [],
};

const MARKED = ["100% of it", "100 of it", "snake_case", "snakeXcase", 'it\'s "so"', "its so", "wow! a\\b", "a.b [c]"];

/** Words with marks, and the positions of the passages that have them. */
const LITERAL: Readonly<Record<string, readonly number[]>> = {
  "100%": [0],
  "0% o": [0],
  snake_case: [2],
  "it's": [4],
  'it\'s "so"': [4],
  "wow!": [6],
  "a\\b": [6],
  "a.b": [7],
  "[c]": [7],
  "' OR '1'='1": [],
  "x'); DROP TABLE passages; --": [],
  "100%|snake_case": [0, 2],
  "s*k*_*e": [2],
  "\u0000": [],
  "so \ud800": [],
};

const LIKE_SYNTAX = [
  "+refund -thirty \\ / {!q.op=AND} *refund* ?efund refund*",
  "refund \ud800 days",
  "refund 🙂 days ﷽ ̷̛̖",
  `refund ${"x".repeat(10_000)} days`,
  `refund days ${"长".repeat(5_000)}`,
  `refund days ${Array.from({ length: 2_000 }, (_, i) => `w${i}`).join(" ")}`,
];
