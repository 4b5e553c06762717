import { describe, expect, test } from "vitest";
import { restricted } from "../../src/graph/scope.js";
import { lookedUp } from "../../src/nodes/look-up.js";
import { asEvidence } from "../../src/reading/evidence.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import { tokensIn } from "../../src/text/token-count.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { Finding, LookUp } from "../../src/types/answer.js";
import type { Passage } from "../../src/types/evidence.js";

const page = (documentId: string, title: string, sections: readonly (readonly [string, string])[], department = "hr") =>
  sections.map(([section, text], position) =>
    fakePassage(`${documentId}#${position}`, text, {
      ...{ documentId, title, section, position, uri: `docs/${documentId}.md` },
      metadata: { department },
    }),
  );

const HANDBOOK = page("handbook", "Handbook", [
  ["Hours", "The office opens at eight."],
  ["Leave", "Everybody has 25 days of leave. Ask Jürgen Maß."],
  ["Fees", "A new badge costs 15 euros, form A-12/b."],
]);
const RULES = page("规定", "办公室规定", [
  ["时间", "办公室八点开门。"],
  ["费用", "补办工牌收费十五元。"],
]);
const SECRET = page("secret", "Salaries", [["Pay", "Ann earns 15 euros more, form A-12/b."]], "board");

async function place(passages: readonly Passage[] = [...HANDBOOK, ...RULES, ...SECRET], given: Partial<Place> = {}) {
  const stored = sqlDocuments(openDatabase(":memory:"));
  await stored.upsert(passages);
  const tools = restricted(fakeTools({ documents: stored }), [{ key: "department", values: ["hr"] }]);
  const { documents } = given.documents ? given : tools;
  if (!documents) throw new Error("no documents");
  return {
    documents,
    evidence: [],
    search: (text: string, limit: number) => documents.search({ text }, limit),
    isHolding: () => true,
    signal: new AbortController().signal,
    fault: () => {},
    ...given,
  };
}
type Place = Parameters<typeof lookedUp>[1];

const evidenceOf = (passages: readonly Passage[]) => passages.map((passage) => asEvidence({ ...passage }));

/** Looks for one thing. */
async function look(by: LookUp["by"], words: string, given: Partial<Place> = {}) {
  const { fresh, findings } = await lookedUp([{ by, words }], await place(undefined, given));
  return { fresh: fresh.map(({ id }) => id), ids: findings[0]?.evidenceIds, said: findings[0]?.said };
}

describe("a search", () => {
  test.each([
    ["days of leave", "handbook#1"],
    ["工牌收费", "规定#1"],
  ])("finds the best passages for a query: %s", async (words, id) => {
    const found = await look("search", words);
    expect(found.fresh[0]).toBe(id);
    expect(found.said).toBe("");
  });

  test("finds nothing for other words", async () => {
    expect(await look("search", "zebra")).toEqual({ fresh: [], ids: [], said: "" });
  });
});

describe("exact words", () => {
  test.each([
    ["a code", "A-12/b", ["handbook#2"]],
    ["a number", "15", ["handbook#2"]],
    ["a name in another case", "jürgen MASS", []],
    ["a name as it is written", "Jürgen Maß", ["handbook#1"]],
    ["a part of a name", "J*rgen", ["handbook#1"]],
    ["one of two", "opens|badge", ["handbook#0", "handbook#2"]],
    ["in quotation marks", "“八点开门”", ["规定#0"]],
    ["with marks of patterns", "(office) [a-z]+ .* $^", []],
    ["a part of a word", "ffic", []],
    ["only marks", "*|*", []],
  ])("are found: %s", async (_, words, ids) => {
    expect((await look("find", words)).fresh).toEqual(ids);
  });

  test("with many gaps are compared without hanging", async () => {
    const long = page("long", "Long", [["", "a ".repeat(60)]]);
    const given = await place(long);
    const started = performance.now();
    await lookedUp([{ by: "find", words: `${"a*".repeat(6)}zz` }], given);
    expect(performance.now() - started).toBeLessThan(500);
  });

  test("are searched for in a store that cannot find them", async () => {
    const { find: _, ...documents } = (await place()).documents;
    expect((await look("find", "days of leave", { documents })).fresh[0]).toBe("handbook#1");
  });

  test("that many passages have are shown in part, with the places of the others", async () => {
    const many = page(
      "many",
      "Many",
      Array.from({ length: 12 }, (_, i) => [`Part ${i}`, `Badge number ${i}.`] as const),
    );
    const { findings, fresh } = await lookedUp([{ by: "find", words: "badge" }], await place(many));
    expect(fresh).toHaveLength(8);
    expect(findings[0]?.said).toBe(
      "4 more parts have it: Many › Part 8; Many › Part 9; Many › Part 10; Many › Part 11.",
    );
  });
});

describe("a document", () => {
  const evidence = evidenceOf([RULES[1], HANDBOOK[1]].flatMap((one) => one ?? []));

  test.each(["2", "[2]", "source 2", "资料2", "Handbook", "“Handbook”", "handbook.md", "docs/handbook.md", "HANDBOOK"])(
    "is opened whole, with the passages that were read already: %s",
    async (words) => {
      expect(await look("open", words, { evidence })).toEqual({
        fresh: ["handbook#0", "handbook#2"],
        ids: ["handbook#0", "handbook#1", "handbook#2"],
        said: "",
      });
    },
  );

  test.each([
    "2, Fees",
    "2: fees",
    "2 › Fees",
    "Handbook, Fees",
    "Handbook › Fees",
    "handbook.md, “Fees”",
    "2, a new badge",
  ])("is opened at a place: %s", async (words) => {
    expect((await look("open", words, { evidence })).ids).toEqual(["handbook#2"]);
  });

  test("is opened in Chinese", async () => {
    for (const words of ["1，费用", "《办公室规定》，费用", "办公室规定，费用"])
      expect((await look("open", words, { evidence })).ids).toEqual(["规定#1"]);
  });

  test("without the place begins at its beginning, and says so", async () => {
    expect(await look("open", "2, Parking", { evidence })).toMatchObject({
      ids: ["handbook#0", "handbook#1", "handbook#2"],
      said: "It has no “Parking”, so it begins at its beginning.",
    });
  });

  test("with a title that no document has is the one that a search finds, if any", async () => {
    expect((await look("open", "the days of leave")).ids).toContain("handbook#1");
    expect(await look("open", "Zebras")).toEqual({ fresh: [], ids: [], said: "" });
  });

  test("that is long is shown in part, and it says where it goes on", async () => {
    const text = "Every word of this takes some room. ".repeat(120);
    const long = page(
      "long",
      "Long",
      Array.from({ length: 20 }, (_, i) => [`Part ${i}`, `${i}. ${text}`] as const),
    );
    const { fresh, findings } = await lookedUp([{ by: "open", words: "Long" }], await place(long));
    const size = fresh.reduce((sum, passage) => sum + tokensIn(passage.text), 0);
    expect(size).toBeLessThanOrEqual(6_000);
    expect(fresh.length).toBeGreaterThan(3);
    const { length } = fresh;
    expect(findings[0]?.said).toBe(`It goes on at “Part ${length}” (${20 - length} more parts).`);
  });
});

describe("an outline", () => {
  test.each(["", "all", "All documents", "全部"])("of everything lists the documents: %j", async (words) => {
    const { ids, said } = await look("outline", words);
    expect(ids).toEqual([]);
    expect(said).toBe("Documents: Handbook (docs/handbook.md); 办公室规定 (docs/规定.md).");
  });

  test.each(["1", "Handbook", "docs/handbook.md"])("of a document lists its headings: %s", async (words) => {
    expect(await look("outline", words, { evidence: evidenceOf(HANDBOOK) })).toEqual({
      fresh: [],
      ids: [],
      said: "“Handbook” has: Hours; Leave; Fees.",
    });
  });

  test("of an unknown document says nothing", async () => {
    expect((await look("outline", "Zebras")).said).toBe("");
  });

  test("of many documents is cut, and says how many are left", async () => {
    const many = Array.from({ length: 280 }, (_, i) => page(`d${1000 + i}`, `Document ${i}`, [["", "Text."]])).flat();
    const { findings } = await lookedUp([{ by: "outline", words: "all" }], await place(many));
    expect(findings[0]?.said).toMatch(/^Documents: Document 0 .*; and \d+ more\.$/);
    expect(findings[0]?.said.length).toBeLessThan(6_100);
  });
});

describe("several requests", () => {
  test("share the room, find no passage twice, and are told apart", async () => {
    const text = "The badge takes some room in here. ".repeat(150);
    const long = page(
      "long",
      "Long",
      Array.from({ length: 12 }, (_, i) => [`Part ${i}`, `${i}. ${text}`] as const),
    );
    const wanted: LookUp[] = [
      { by: "open", words: "Long" },
      { by: "find", words: "eight" },
      { by: "find", words: "badge" },
    ];
    const { fresh, findings } = await lookedUp(wanted, await place([...long, ...HANDBOOK]));
    expect(findings.map(({ by, words }) => ({ by, words }))).toEqual(wanted);
    expect(new Set(fresh.map(({ id }) => id)).size).toBe(fresh.length);
    const idsOf = (finding: Finding | undefined) => finding?.evidenceIds ?? [];
    expect(idsOf(findings[0]).length).toBeGreaterThan(0);
    expect(idsOf(findings[1])).toEqual(["handbook#0"]);
    expect(idsOf(findings[2]).length).toBeGreaterThan(0);
    const size = fresh.reduce((sum, passage) => sum + tokensIn(passage.text), 0);
    expect(size).toBeLessThanOrEqual(6_000 + 2 * 1_300);
  });

  test("of nothing find nothing", async () => {
    expect(await lookedUp([], await place())).toEqual({ fresh: [], findings: [] });
  });
});

describe("a document that the user may not see", () => {
  test.each([
    ["search", "Ann earns 15 euros more"],
    ["find", "earns"],
    ["open", "Salaries"],
    ["open", "secret"],
    ["open", "docs/secret.md"],
    ["outline", "Salaries"],
    ["outline", "all"],
  ] as const)("is never found: %s %s", async (by, words) => {
    const { fresh, ids, said } = await look(by, words);
    expect([...fresh, ...(ids ?? [])].filter((id) => id.startsWith("secret"))).toEqual([]);
    expect(said).not.toMatch(/Salaries|Pay|secret/);
  });

  test("is not opened by the number of a source either", async () => {
    const evidence = evidenceOf(SECRET.map((passage) => ({ ...passage, text: "" })));
    for (const by of ["open", "outline"] as const)
      expect(await look(by, "1", { evidence })).toEqual({ fresh: [], ids: [], said: "" });
  });
});

describe("a document that no longer holds", () => {
  test.each([
    ["find", "badge"],
    ["open", "Handbook"],
    ["outline", "Handbook"],
    ["outline", "all"],
  ] as const)("is not found: %s %s", async (by, words) => {
    const isHolding = (id: string) => id !== "handbook";
    const { fresh, said } = await look(by, words, { isHolding, search: async () => [] });
    expect(fresh).toEqual([]);
    expect(said).not.toContain("Handbook");
  });
});
