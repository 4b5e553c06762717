import { expect, test } from "vitest";
import { UsageError } from "../../../src/errors.js";
import type { Triple } from "../../../src/tools/knowledge/port.js";
import { checkedGiven, schemaOfTriples } from "../../../src/tools/knowledge/triples.js";

const source = (id: string) => ({ id, documentId: "d", title: "", uri: "", section: "", reviewedAt: "", hash: "" });
const entity = (name: string, aliases: readonly string[] = []) => ({ name, type: "", aliases });
const triple = (subject: string, predicate = "knows", object = "Bob", quote = ""): Triple => ({
  subject: entity(subject),
  predicate,
  object: entity(object),
  quote,
});

test("names lose control characters and surrounding spaces, and are otherwise unchanged", () => {
  const [given] = checkedGiven([
    { source: source("s"), triples: [triple(" 张\u0007三\n", "`knows` $x", "O'Bob \ud800")] },
  ]);
  expect(given?.triples[0]).toMatchObject({
    subject: { name: "张 三" },
    predicate: "`knows` $x",
    object: { name: "O'Bob \ufffd" },
  });
});

test("the later of two sources with one id counts, and equal triples count once unless their quotes differ", () => {
  const given = checkedGiven([
    { source: source("s"), triples: [triple("old")] },
    { source: source("s"), triples: [triple("Ann"), triple("ANN"), triple("Ann", "knows", "Bob", "Ann knows Bob.")] },
  ]);
  expect(given.map(({ triples }) => triples.map(({ subject, quote }) => [subject.name, quote]))).toEqual([
    [
      ["Ann", ""],
      ["Ann", "Ann knows Bob."],
    ],
  ]);
});

test("an alias with the same key as the name is left out", () => {
  const aliased = {
    ...triple("The Matrix"),
    subject: entity("The Matrix", ["matrix", "", " ", "黑客帝国", "《黑客帝国》"]),
  };
  expect(checkedGiven([{ source: source("s"), triples: [aliased] }])[0]?.triples[0]?.subject.aliases).toEqual([
    "《黑客帝国》",
  ]);
});

test.each([
  [triple(" "), /Triple 1 of "s" has no subject/],
  [triple("Ann", "\u0000"), /has no relation/],
  [triple("Ann", "knows", ""), /has no object/],
])("an incomplete triple is refused", (wrong, message) => {
  const check = () => checkedGiven([{ source: source("s"), triples: [wrong] }]);
  expect(check).toThrow(UsageError);
  expect(check).toThrow(message);
});

test("a source without an id is refused", () => {
  expect(() => checkedGiven([{ source: source(" "), triples: [] }])).toThrow(UsageError);
});

const pattern = (from: string, predicate: string, to: string) => ({
  subject: { type: from },
  predicate,
  object: { type: to },
});

test("a schema names each type once, with relations to plain values as its properties", () => {
  const schema = schemaOfTriples([
    pattern("Person", "reports to", "Person"),
    pattern("Person", "started on", ""),
    pattern("Person", "started on", ""),
    pattern("部门", "预算", ""),
    pattern("", "likes", ""),
  ]);
  expect(schema.nodes).toEqual([
    { label: "Person", properties: [{ name: "started on", type: "String" }] },
    { label: "部门", properties: [{ name: "预算", type: "String" }] },
  ]);
  expect(schema.relations).toEqual([
    { type: "likes", from: "", to: "", properties: [] },
    { type: "reports to", from: "Person", to: "Person", properties: [] },
    { type: "started on", from: "Person", to: "", properties: [] },
    { type: "预算", from: "部门", to: "", properties: [] },
  ]);
});
