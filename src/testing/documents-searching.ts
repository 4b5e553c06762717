import assert from "node:assert/strict";
import { UsageError } from "../errors.js";
import type { Documents } from "../tools/documents/port.js";
import type { Passage } from "../types/evidence.js";
import type { Filter } from "../types/filter.js";
import { type Promises, stops } from "./contract.js";
import type { EmptyStore } from "./documents-sample.js";
import { conceptEmbeddings, HANDBOOK, pagesOf } from "./documents-sample.js";
import { fakePassage } from "./passage.js";

const idsOf = async (documents: Documents, text: string, limit = 10) =>
  (await documents.search({ text }, limit)).map(({ id }) => id);

/** Each of these words or questions finds the passage with this id first. */
async function findsFirst(documents: Documents, expected: Readonly<Record<string, string>>) {
  await documents.upsert(HANDBOOK);
  for (const [text, id] of Object.entries(expected)) {
    const [best] = await idsOf(documents, text);
    assert.equal(best, id, `${JSON.stringify(text.slice(0, 80))} found ${best} first`);
  }
}

/** How any store searches. */
export const SEARCHING: Promises<EmptyStore> = {
  "an empty store finds, lists and removes nothing without an error": async ({ documents }) => {
    assert.deepEqual(await documents.search({ text: "refund 退款" }, 10), []);
    assert.deepEqual(await documents.get(["a#0"]), []);
    assert.deepEqual(await documents.neighbours("a#0"), []);
    assert.deepEqual(await documents.list(), []);
    assert.equal(await documents.isEmpty(), true);
    assert.equal(await documents.remove(["a"]), 0);
  },

  "empty lists are accepted": async ({ documents }) => {
    await documents.upsert([]);
    assert.equal(await documents.remove([]), 0);
    assert.deepEqual(await documents.get([]), []);
    assert.deepEqual(await documents.list(), []);
  },

  "a search finds the passage that has the words of a question": ({ documents }) =>
    findsFirst(documents, {
      "refund within thirty days": "refunds#0",
      "Who signs the expense report?": "expenses#0",
      "七天内可以退货吗？": "refunds-zh#0",
      报销单由谁签字: "expenses-zh#0",
      "Kubernetes 集群": "cluster-zh#0",
    }),

  "a search in Traditional Chinese finds Simplified Chinese": ({ documents }) =>
    findsFirst(documents, { 報銷單由誰簽字: "expenses-zh#0", "七天內可以退貨嗎？": "refunds-zh#0" }),

  "a search finds words that only the title or the section has": ({ documents }) =>
    findsFirst(documents, {
      severance: "title-only#0",
      遣散费: "title-only-zh#0",
      appendix: "section-only#0",
      附录: "section-only-zh#0",
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

  "a search gives the same result twice": async ({ documents }) => {
    await documents.upsert(HANDBOOK);
    const once = await documents.search({ text: "report 经理 签字 days" }, 10);
    assert.deepEqual(await documents.search({ text: "report 经理 签字 days" }, 10), once);
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

const stated = (documentId: string, text: string, metadata: Record<string, string>, position = 0) =>
  fakePassage(`${documentId}#${position}`, text, { documentId, position, metadata });

const LIKE_SYNTAX = [
  'refund" OR "1"="1',
  "refund'); DROP TABLE passages; --",
  "title:refund AND (thirty~2 OR days^5) NOT [* TO *]",
  "+refund -thirty \\ / {!q.op=AND} *refund* ?efund refund*",
  "refund\u0000\u0007\u202e days",
  "refund \ud800 days",
  "refund 🙂 days ﷽ ̷̛̖",
  `refund ${"x".repeat(10_000)} days`,
  `refund days ${"长".repeat(5_000)}`,
  `refund days ${Array.from({ length: 2_000 }, (_, i) => `w${i}`).join(" ")}`,
];

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
