import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { factSentence, rowTable, standsInRows } from "../../../src/tools/knowledge/facts.js";

const fact = (entity: string, predicate: string, others: string[], rest = {}) => ({
  entity,
  predicate,
  direction: "out" as const,
  others,
  total: others.length,
  ...rest,
});

describe("a fact as a sentence", () => {
  test.each([
    [fact("Tom Hanks", "ACTED_IN", ["Big", "Cast Away"]), "Tom Hanks acted in Big and Cast Away (2 in all)."],
    [fact("The Matrix", "DIRECTED", ["A", "B"], { direction: "in" }), "A and B directed The Matrix (2 in all)."],
    [fact("The Matrix", "released", ["1999"]), "The Matrix: released 1999."],
    [fact("Procurement", "manager", ["Li Lei"]), "The manager of Procurement is Li Lei."],
    [fact("Chai", "unitPrice", ["18"]), "The unit price of Chai is 18."],
    [fact("Nancy", "reports to", ["Andrew"]), "Nancy reports to Andrew."],
    [fact("Nancy", "REPORTS_TO", ["Andrew"]), "Nancy reports to Andrew."],
    [fact("K2", "is part of", ["Kingfisher"]), "K2 is part of Kingfisher."],
    [fact("K2", "PART_OF", ["Kingfisher"]), "K2 is part of Kingfisher."],
    [fact("K2", "made by", ["Heron"]), "K2 is made by Heron."],
    [fact("K2", "sign off", ["Ann"]), "The sign off of K2 is Ann."],
    [fact("Ann", "lead", ["Sales", "Water"], { direction: "in" }), "Ann is the lead of Sales and Water (2 in all)."],
    [fact("Ann", "At work", ["mornings"]), "Ann: at work mornings."],
    [fact("Ann", "address", ["1 Quay"]), "The address of Ann is 1 Quay."],
    [fact("X", "KNOWS", ["A", "B"], { total: 90 }), "X knows A, B and others (90 in all)."],
  ])("in English: %j reads %j", (given, sentence) => {
    expect(factSentence(given, "en")).toBe(sentence);
  });

  test.each([
    [fact("采购部", "负责人", ["李雷"]), "采购部的负责人：李雷。"],
    [fact("李雷", "负责人", ["采购部", "行政部"], { direction: "in" }), "负责人为李雷的：采购部、行政部（共2项）。"],
    [fact("Tom Hanks", "ACTED_IN", ["Big"]), "Tom Hanks 的 acted in：Big。"],
    [fact("太阳能板 P-20", "供应商", ["晴岚光伏"]), "太阳能板 P-20 的供应商：晴岚光伏。"],
    [fact("黑客帝国", "上映年份", ["1999"]), "黑客帝国的上映年份：1999。"],
  ])("in Chinese: %j reads %j", (given, sentence) => {
    expect(factSentence(given, "zh")).toBe(sentence);
  });
});

const provenance = {
  cypher: "MATCH (p:Person {name: $name})-[:ACTED_IN]->(m) RETURN count(m) AS movies, min(m.released) AS first",
  parameters: { name: "Tom Hanks" },
  rows: [{ movies: 12, first: 1990 }],
};

test.each([
  ["What is done there", "en"],
  ["Who leads it", "en"],
  ["People on 1 January 2026", "en"],
  ["做什么", "zh"],
] as const)("is not made from a column with the header %s", (predicate, language) => {
  expect(factSentence(fact("Lisbon", predicate, ["customer support"]), language)).toBe("");
});

describe("the rows of a query", () => {
  test("become a table with the words of the columns", () => {
    expect(rowTable(provenance)).toBe("| movies | first |\n|-|-|\n| 12 | 1990 |");
    expect(rowTable({ rows: [{ "m.released": 1988 }, { 名字: ["李雷", "王芳"] }] })).toBe(
      "| released | 名字 |\n|-|-|\n| 1988 |  |\n|  | 李雷, 王芳 |",
    );
  });
  test("keep each value in its cell", () => {
    expect(rowTable({ rows: [{ "a|b": "x | y\n| z" }] })).toBe("| a/b |\n|-|\n| x / y / z |");
  });
  test("are nothing without rows", () => {
    expect(rowTable({ rows: [] })).toBe("");
  });
});

describe("a quote of a fact is in its rows", () => {
  test("if each of its words is in a row, a parameter or the query", () => {
    expect(standsInRows("Tom Hanks: movies is 12", provenance)).toBe(true);
    const rows = [{ entity: "Tom Hanks", predicate: "ACTED_IN", others: ["Big", "Cast Away"] }];
    expect(standsInRows("Tom Hanks acted in Big and Cast Away (2 in all).", { cypher: "", parameters: {}, rows })).toBe(
      true,
    );
    const zh = [{ subject: "采购部", predicate: "负责人", object: "李雷" }];
    expect(standsInRows("采购部的负责人：李雷。", { cypher: "", parameters: {}, rows: zh })).toBe(true);
  });
  test("but not if a name or a number is invented", () => {
    expect(standsInRows("Tom Hanks: movies is 13", provenance)).toBe(false);
    expect(standsInRows("Meg Ryan: movies is 12", provenance)).toBe(false);
  });

  test("every sentence that is made from a random fact is in the rows of the fact", () => {
    const name = fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom(..."abcXYZ 李雷采购部12-_'\"`$&.") });
    fc.assert(
      fc.property(
        name,
        name,
        fc.array(name, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        (entity, predicate, others, zh) => {
          const sentence = factSentence(fact(entity, predicate, others), zh ? "zh" : "en");
          expect(standsInRows(sentence, { cypher: "", parameters: {}, rows: [{ entity, predicate, others }] })).toBe(
            true,
          );
        },
      ),
    );
  });
});
