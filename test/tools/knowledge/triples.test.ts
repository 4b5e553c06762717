import { expect, test } from "vitest";
import { schemaOfTriples } from "../../../src/tools/knowledge/triples.js";

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
