import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { CypherError, StoreUnavailableError } from "../../src/errors.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import type { ContextInput } from "../../src/state/context.js";
import type { Tools } from "../../src/state/tools.js";
import { fakeChecker, fakePassage, fakeTools, inMemoryDocuments } from "../../src/testing/index.js";
import type { CypherTask, CypherWriter, Fact, KnowledgeGraph, QueryResult } from "../../src/tools/knowledge/port.js";
import type { Decision } from "../../src/types/events.js";

const passages = [
  fakePassage("hours", "The Lisbon office opens at eight."),
  fakePassage("时间", "上海办公室早上九点开门。"),
];

const fact = (entity: string, predicate: string, others: string[], rest: Partial<Fact> = {}): Fact => ({
  id: `${entity} ${predicate}`,
  entity,
  predicate,
  direction: "out",
  others,
  total: others.length,
  score: 1,
  provenance: { cypher: "MATCH …", parameters: { name: entity }, rows: [{ entity, predicate, others }] },
  ...rest,
});

/** A graph that returns these facts for every question, and answers queries with `query`. */
const graphOf = (facts: Fact[], query?: KnowledgeGraph["query"]): KnowledgeGraph => ({
  schema: async () => ({ nodes: [{ label: "Person", properties: [] }], relations: [] }),
  facts: async () => facts,
  ...(query && { query }),
  upsert: async () => {},
  remove: async () => 0,
  sources: async () => [],
  close: async () => {},
});

const result = (rest: Partial<QueryResult>): QueryResult => ({
  cypher: "MATCH (p:Person {name: $name})-[:LEADS]->(d) RETURN count(d) AS departments LIMIT 100",
  parameters: { name: "Rita Vale" },
  columns: ["departments"],
  rows: [{ departments: 3 }],
  truncated: false,
  ...rest,
});

async function run(question: string, parts: Partial<Tools>, context: ContextInput = {}) {
  const agent = createAgent({ tools: { ...fakeTools({ passages }), ...localReasoners(), ...parts } });
  const decisions: Decision[] = [];
  for await (const event of agent.stream(question, { context })) {
    if (event.type === "decision") decisions.push(event.decision);
    if (event.type === "answer") return { answer: event.answer, decisions, steps: decisions.map(({ step }) => step) };
  }
  throw new Error("no answer");
}

describe("a question that only the graph answers", () => {
  test.each([
    ["Who is the manager of Procurement?", fact("Procurement", "manager", ["Rita Vale"]), "Rita Vale [1]"],
    ["采购部的负责人是谁？", fact("采购部", "负责人", ["李雷"]), "李雷[1]"],
  ])("%s is answered with the fact, its query and its rows", async (question, said, words) => {
    const { answer, steps } = await run(question, { knowledge: graphOf([said]) });
    expect(steps).toContain("queryGraph");
    expect(answer.status).toBe("answered");
    expect(answer.text).toContain(words);
    expect(answer.references[0]).toMatchObject({ source: "graph", provenance: said.provenance });
  });

  test.each([
    [
      "What is the country of the manufacturer of Geitost?",
      [
        fact("Geitost", "manufacturer", ["Norske Meierier"]),
        fact("Norske Meierier", "country", ["Norway"], { entityType: "Supplier" }),
      ],
      "The country of Norske Meierier is Norway (The manufacturer of Geitost is Norske Meierier) [1].",
    ],
    [
      "外壳的供应商的联系人是谁？",
      [fact("外壳", "供应商", ["顺达塑胶"]), fact("顺达塑胶", "联系人", ["周敏"])],
      "顺达塑胶的联系人：周敏（外壳的供应商：顺达塑胶）[1]。",
    ],
  ])("%s is answered over two relations, with the connecting fact", async (question, facts, words) => {
    const { answer } = await run(question, { knowledge: graphOf(facts) });
    expect(answer.text).toContain(words);
  });

  test("is refused if the context turns the graph off", async () => {
    const knowledge = graphOf([fact("Procurement", "manager", ["Rita Vale"])]);
    const { answer, steps } = await run(
      "Who is the manager of Procurement?",
      { knowledge },
      { sources: { graph: false } },
    );
    expect(steps).not.toContain("queryGraph");
    expect(answer.status).toBe("refused");
  });

  test("cites the document that a fact was read from, with its date", async () => {
    const source = {
      id: "s",
      documentId: "a.md",
      title: "Who leads what",
      uri: "a.md",
      section: "",
      reviewedAt: "2026-02-03",
      hash: "",
      quotes: [],
    };
    const knowledge = graphOf([fact("Procurement", "manager", ["Rita Vale"], { source })]);
    const { answer } = await run("Who is the manager of Procurement?", { knowledge });
    expect(answer.references[0]).toMatchObject({
      source: "graph",
      title: "Who leads what",
      uri: "a.md",
      date: "2026-02-03",
    });
  });
});

describe("queries that a model writes", () => {
  const question = "How many departments does Rita Vale have?";
  const writerOf = (tasks: CypherTask[]): CypherWriter => ({
    write: async (task) => {
      tasks.push(task);
      return { cypher: `MATCH ${tasks.length}`, parameters: { name: "Rita Vale" } };
    },
  });

  test("add their rows to the evidence, as a table", async () => {
    const rows = [{ name: "Rita Vale", departments: 3 }];
    const { answer } = await run(question, {
      knowledge: graphOf([], async () => result({ rows })),
      cypherWriter: writerOf([]),
    });
    expect(answer.text).toMatch(/Rita Vale.*3.* \[1\]/);
    expect(answer.references[0]?.provenance).toMatchObject({ cypher: expect.stringContaining("count(d)"), rows });
  });

  test("are read by a model that leads, whatever words they have", async () => {
    const read: string[] = [];
    const generator: Tools["generator"] = {
      leads: async () => true,
      generate: async ({ evidence }) => {
        read.push(...evidence.map(({ text }) => text));
        const id = evidence.find(({ source }) => source === "graph")?.id ?? "";
        return { claims: [{ text: "She has three.", citations: [{ evidenceId: id, quote: "| 3 |" }] }], missing: "" };
      },
    };
    const { answer } = await run(question, {
      documents: inMemoryDocuments([fakePassage("x", "Something else.")]),
      knowledge: graphOf([], async () => result({})),
      cypherWriter: writerOf([]),
      generator,
      checker: fakeChecker("supported"),
    });
    expect(read).toEqual(["| departments |\n|-|\n| 3 |"]);
    expect(answer.text).toBe("She has three [1].");
  });

  test("are returned to the model with the server's error, at most twice", async () => {
    const tasks: CypherTask[] = [];
    const knowledge = graphOf([fact("Rita Vale", "manager", ["Ann"])], async (cypher) => {
      throw new CypherError(`no such label in ${cypher}`, true);
    });
    const { decisions } = await run(question, { knowledge, cypherWriter: writerOf(tasks) });
    expect(tasks.map(({ tried }) => tried.map(({ error }) => error))).toEqual([
      [],
      ["no such label in MATCH 1"],
      ["no such label in MATCH 1", "no such label in MATCH 2"],
    ]);
    expect(decisions.find(({ step }) => step === "queryGraph")).toMatchObject({ to: "grade", faults: { length: 3 } });
  });

  test("are not tried again if they took too long", async () => {
    const tasks: CypherTask[] = [];
    const knowledge = graphOf([], async () => {
      throw new CypherError("The query took too long.", false);
    });
    await run(question, { knowledge, cypherWriter: writerOf(tasks) });
    expect(tasks).toHaveLength(1);
  });

  test("do not affect the facts of the look-up if the writer fails", async () => {
    const knowledge = graphOf([fact("Procurement", "manager", ["Rita Vale"])], async () => result({}));
    const cypherWriter: CypherWriter = {
      write: async () => {
        throw new Error("the model broke");
      },
    };
    const { answer, decisions } = await run("Who is the manager of Procurement?", { knowledge, cypherWriter });
    expect(answer.status).toBe("answered");
    expect(decisions.find(({ step }) => step === "queryGraph")?.faults).toEqual([
      { part: "knowledge_graph", name: "Error", message: "the model broke" },
    ]);
  });
});

describe("a graph that cannot be reached", () => {
  test("is a fault in the log, and the run takes the next rung", async () => {
    const knowledge = {
      ...graphOf([]),
      facts: async () => {
        throw new StoreUnavailableError("No Neo4j answers at bolt://localhost:7687.");
      },
    };
    const { answer, decisions } = await run("Who is the manager of Procurement?", { knowledge });
    const asked = decisions.findIndex(({ step }) => step === "queryGraph");
    expect(decisions[asked + 1]).toMatchObject({ step: "grade", to: "rewriteQuery" });
    expect(decisions[asked]).toMatchObject({
      to: "grade",
      faults: [{ message: expect.stringContaining("No Neo4j answers") }],
    });
    expect(answer.status).toBe("refused");
  });
});

test("a fact is valid as long as the document that it was read from", async () => {
  const from = (documentId: string, name: string) =>
    fact("Procurement", "manager", [name], {
      id: documentId,
      source: {
        ...{ id: `${documentId}#0`, documentId, title: "", uri: documentId, section: "", reviewedAt: "" },
        hash: "",
        quotes: [],
      },
    });
  const knowledge = graphOf([from("leads-2022.md", "Rita Vale"), from("leads-2024.md", "Ann Lee")]);
  const heads = async () =>
    ["leads-2022.md", "leads-2024.md"].map((documentId) => ({ documentId, title: "Leads", metadata: {} }));
  const documents = { ...fakeTools({ passages }).documents, heads };
  const { answer } = await run("Who is the manager of Procurement?", { documents, knowledge });
  expect(answer.claims.map(({ text }) => text)).toEqual(["The manager of Procurement is Ann Lee."]);
});
