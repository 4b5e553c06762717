import { describe, expect, test } from "vitest";
import { UsageError } from "../../../src/errors.js";
import { applyOntology, parseOntology } from "../../../src/ingest/facts/build.js";

const ONTOLOGY = parseOntology(
  JSON.stringify({
    entities: [{ name: "Person", aliases: ["人员"] }, "Team"],
    relations: [{ name: "reports to", from: "Person", to: "Person", aliases: ["汇报对象"] }, "knows"],
  }),
  "o.json",
);

const triple = (predicate: string, from = "", to = "") => ({
  subject: { name: "Ana", type: from, aliases: [] },
  predicate,
  object: { name: "方可", type: to, aliases: [] },
  quote: "",
});

describe("an ontology", () => {
  test.each(["reports to", "REPORTS_TO", "Reports-To", "汇报对象"])("knows its relation by %s", (predicate) => {
    expect(applyOntology([triple(predicate)], ONTOLOGY)).toEqual([triple("reports to", "Person", "Person")]);
  });

  test("leaves out triples with an unknown relation or with other types at its ends", () => {
    expect(
      applyOntology([triple("likes"), triple("reports to", "Team"), triple("reports to", "", "Team")], ONTOLOGY),
    ).toEqual([]);
  });

  test("removes unknown types", () => {
    expect(applyOntology([triple("knows", "人员", "Planet")], ONTOLOGY)).toEqual([triple("knows", "Person", "")]);
  });

  test.each([
    ["{", /not JSON/],
    ["[]", /not an ontology/],
    ['{"relations": []}', /relations/],
    ['{"relations": [{"from": "A"}]}', /name/],
    ['{"relations": [{"name": "r", "from": "Planet"}]}', /"Planet".*not an entity type/],
  ])("that is invalid is refused with a reason: %s", (text, reason) => {
    expect(() => parseOntology(text, "o.json")).toThrow(UsageError);
    expect(() => parseOntology(text, "o.json")).toThrow(reason);
  });
});
