import { expect, test } from "vitest";
import { checkDocuments, inStore } from "../../src/ingest/check-documents.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";

const passages = (document: string, ...texts: string[]) =>
  texts.map((text, position) => fakePassage(`${document}#${position}`, text, { documentId: document, position }));

test("the share of a document that repeats an earlier one is counted in both languages, in any layout", () => {
  const seen = new Map<string, string>();
  const said = (document: string, ...texts: string[]) =>
    inStore(document, passages(document, ...texts), seen, "2026-01-01").map((one) => `${one.kind}: ${one.said}`);
  expect(said("a", "The office opens at eight.", "出国差旅由部门负责人审批。")).toEqual([]);
  expect(said("b", "The office\nopens at eight.", "Something else.")).toEqual([
    "duplicate: 1 of its 2 passages stand word for word in a.",
  ]);
  expect(said("c", "出国差旅由部门负责人审批。")).toEqual(["duplicate: All of it stands word for word in a."]);
  expect(said("d", "Twice.", "Twice.")).toEqual([
    "duplicate: 1 of its 2 passages stand word for word in another part of it.",
  ]);
  expect(said("e", "One. Two. Three. Four. **Five**.")).toEqual([]);
  expect(said("f", "Four. Five. One!\n\nThree. Six.")).toEqual([
    "duplicate: All of it stands nearly word for word in e.",
  ]);
  expect(said("g", "One. Two. Three. Seven. Eight.")).toEqual([]);
  expect(said("h", "一号楼关闭。二号楼开放。三号楼装修。四号楼停用。五号楼出租。")).toEqual([]);
  expect(said("i", "五号楼出租。\n四号楼停用。二号樓開放。三号楼装修。六号楼出售。")).toEqual([
    "duplicate: All of it stands nearly word for word in h.",
  ]);
});

test.each([
  ["2025-12-31", ["stale"]],
  ["2026-01-01", []],
  ["", []],
])("a review on %j is compared with the date", (reviewedAt, kinds) => {
  const [one] = passages("a", "Text.");
  const found = one ? inStore("a", [{ ...one, reviewedAt }], new Map(), "2026-01-01") : [];
  expect(found.map(({ kind }) => kind)).toEqual(kinds);
});

test("a document without words is empty", () => {
  expect(inStore("a", passages("a", "***", "--"), new Map(), "")).toEqual([
    { kind: "empty", document: "a", said: "There is no text in it." },
  ]);
});

test("documents that were never files are not looked for on disk", async () => {
  const documents = inMemoryDocuments([
    ...passages("https://example.org/page.md", "A page."),
    ...passages("crm:17", "A record."),
    ...passages("a name", "A text that a program gave."),
    ...passages("nowhere.md", "A file."),
  ]);
  const found = await checkDocuments({ documents, cwd: "/nowhere", staleBefore: "" });
  expect(found).toEqual([{ kind: "orphaned", document: "nowhere.md", said: "Its file is gone." }]);
});

test("a document is damaged if the store returns fewer passages than it lists", async () => {
  const whole = inMemoryDocuments(passages("crm:17", "The fee is 30 pounds.", "The fee is due in May."));
  const documents = { ...whole, get: async (ids: string[]) => (await whole.get(ids)).slice(1) };
  expect(await checkDocuments({ documents, cwd: "/nowhere", staleBefore: "" })).toEqual([
    { kind: "damaged", document: "crm:17", said: expect.stringContaining("1 of its 2 passages") },
  ]);
});
