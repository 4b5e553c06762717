import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../../src/agent.js";
import { buildGraph, type GraphOptions } from "../../src/graph/build.js";
import { asEvidence, grade, type NodeOf } from "../../src/graph/index.js";
import type { Tools } from "../../src/state/tools.js";
import { fakeGrader, fakePassage, fakeTools } from "../../src/testing/index.js";

const QUESTION = "When does the Lisbon office open?";
const passages = [
  fakePassage("office", "The Lisbon office opens at eight."),
  fakePassage("old", "The Lisbon office opens at nine.", { reviewedAt: "2001-01-01" }),
];
/** A grader that finds the evidence sufficient only if it includes the custom source. */
const onlyOrders = fakeGrader({ answerability: "none", relevance: 0.1 });
const grader: Tools["grader"] = {
  grade: (task, call) =>
    (task.evidence.some(({ id }) => id.startsWith("order:")) ? fakeGrader({}) : onlyOrders).grade(task, call),
};
const orders: NodeOf =
  () =>
  ({ evidence }) => ({
    evidence: [
      ...evidence,
      asEvidence({ id: "order:1", title: "Order 1", uri: "orders/1", text: "Order 1 was shipped on 2 March." }),
    ],
  });
const asked = async (options: GraphOptions, tools: Tools = fakeTools({ passages }), question = QUESTION) => {
  const { decisions, answer } = await buildGraph(tools, options).compile().invoke({ question });
  return { steps: decisions.map(({ step }) => step), decisions, answer };
};
const drawn = async (options: GraphOptions, tools = fakeTools({ passages })) => {
  const { nodes, edges } = await buildGraph(tools, options).compile().getGraphAsync();
  return { nodes: Object.keys(nodes), edges: edges.map(({ source, target, data }) => [source, target, data ?? ""]) };
};
const nothing: NodeOf = () => () => ({});

describe("a node inserted between two others", () => {
  const newest: NodeOf =
    () =>
    ({ evidence }) => ({ evidence: evidence.filter(({ reviewedAt }) => reviewedAt === "") });

  test("changes the input of the next one, and appears in the log and the drawing", async () => {
    const options = { after: { retrieve: { newest } } };
    const { steps, answer } = await asked(options);
    expect(steps.slice(0, 4)).toEqual(["understand", "retrieve", "newest", "grade"]);
    expect(answer?.references.map(({ uri }) => uri)).toEqual(["office.md"]);
    const { edges } = await drawn(options);
    expect(edges).toContainEqual(["retrieve", "newest", ""]);
    expect(edges).toContainEqual(["newest", "grade", ""]);
    expect(edges).not.toContainEqual(["retrieve", "grade", ""]);
  });

  test("before a given node runs on every path to it, and the run keeps its stop reason", async () => {
    const { edges } = await drawn({ before: { respond: { sign: nothing } } });
    expect(edges.filter(([, target]) => target === "respond")).toEqual([["sign", "respond", ""]]);
    expect(edges).toContainEqual(["grade", "sign", "nothing answers"]);
    const { steps, answer } = await asked({ before: { respond: { first: nothing, second: nothing } } });
    expect(steps.slice(-3)).toEqual(["first", "second", "respond"]);
    expect(answer).toMatchObject({ status: "answered", stopReason: "supported" });
  });

  test("that fails is a fault in the log, and the run continues without it", async () => {
    const broken: NodeOf = () => () => {
      throw new Error("The ranker is gone.");
    };
    const { decisions, answer } = await asked({ after: { retrieve: { broken } } });
    expect(decisions.find(({ step }) => step === "broken")?.faults).toEqual([
      { part: "broken", name: "Error", message: "The ranker is gone." },
    ]);
    expect(answer?.status).toBe("answered");
  });

  test("lets a run end within any recursion limit that allows one pass", async () => {
    const chain = Object.fromEntries("abcdef".split("").map((name) => [name, nothing]));
    const graph = buildGraph(fakeTools({ passages, grader: onlyOrders }), { before: { respond: chain } }).compile();
    for (let recursionLimit = 13; recursionLimit <= 30; recursionLimit++) {
      const { answer } = await graph.invoke({ question: QUESTION }, { recursionLimit });
      expect(answer?.status).toBe("refused");
    }
  });

  test("does not change the path of a run when it returns the evidence unchanged", async () => {
    const { steps } = await asked(
      { after: { retrieve: { again: nothing } } },
      fakeTools({ passages, grader: onlyOrders }),
    );
    const { steps: usual } = await asked({}, fakeTools({ passages, grader: onlyOrders }));
    expect(steps.filter((step) => step !== "again")).toEqual(usual);
  });
});

test("a node that replaces another one decides in its place", async () => {
  const usual = fakeTools({ passages });
  const { answer } = await asked({ nodes: { grade: () => grade({ grader: onlyOrders }) } }, usual);
  expect(answer?.status).toBe("refused");
});

describe("a custom source", () => {
  const rungs = { askOrders: { node: orders, label: "ask the order system" } };

  test("is asked once if the documents do not answer, and its evidence is graded and cited", async () => {
    const { decisions, answer } = await asked({ rungs }, fakeTools({ passages, grader }));
    expect(decisions.filter(({ to }) => to === "askOrders")).toMatchObject([
      { reason: { code: "documents_silent", label: "ask the order system" } },
    ]);
    expect(answer?.references.map(({ uri }) => uri)).toContain("orders/1");
  });

  test("is not asked if the documents answer", async () => {
    expect((await asked({ rungs })).steps).not.toContain("askOrders");
  });

  test("is asked at its place on the ladder, and only if it may help", async () => {
    const tools = fakeTools({ passages, grader: onlyOrders });
    const order = async (more: object) =>
      (await asked({ rungs: { askOrders: { ...rungs.askOrders, ...more } } }, tools)).steps.filter((step) =>
        ["queryGraph", "rewriteQuery", "askOrders"].includes(step),
      );
    expect((await order({ before: "queryGraph" }))[0]).toBe("askOrders");
    expect((await order({ before: "rewriteQuery" })).slice(0, 3)).toEqual(["queryGraph", "askOrders", "rewriteQuery"]);
    const usually = await order({});
    expect(usually.at(-1)).toBe("askOrders");
    expect(usually.filter((step) => step === "askOrders")).toHaveLength(1);
    expect(await order({ helps: () => false })).not.toContain("askOrders");
  });

  test("is not asked once the budget is spent", async () => {
    const graph = buildGraph(fakeTools({ passages, grader: onlyOrders }), { rungs }).compile();
    const { decisions } = await graph.invoke({ question: QUESTION }, { context: { budget: { seconds: 0 } } });
    expect(decisions.map(({ step }) => step)).not.toContain("askOrders");
  });

  test("may answer if the documents cannot be searched", async () => {
    const documents = { ...fakeTools().documents, search: () => Promise.reject(new Error("The disk is gone.")) };
    const { answer } = await asked({ rungs }, fakeTools({ documents, grader }));
    expect(answer?.references.map(({ uri }) => uri)).toEqual(["orders/1"]);
  });

  test("shows callers nothing outside of their scope", async () => {
    const scope = () => [{ key: "team", values: ["sales"] }];
    const from =
      (metadata: Record<string, string> | undefined): NodeOf =>
      () =>
      ({ evidence }) => ({
        evidence: [
          ...evidence,
          asEvidence({
            ...{ id: "order:1", title: "Order 1", uri: "orders/1", text: "Order 1 was shipped on 2 March." },
            ...(metadata && { metadata }),
          }),
        ],
      });
    const uris = async (node: NodeOf) =>
      (
        await asked({ scope, rungs: { askOrders: { ...rungs.askOrders, node } } }, fakeTools({ grader }))
      ).answer?.references.map(({ uri }) => uri);
    expect(await uris(from({ team: "sales" }))).toEqual(["orders/1"]);
    expect(await uris(from({ team: "legal" }))).toEqual([]);
    expect(await uris(from(undefined))).toEqual([]);
  });
});

describe("a custom field", () => {
  const state = { seen: z.array(z.string()).default([]), note: z.string().optional() };
  const look: NodeOf<typeof state> =
    () =>
    ({ seen, question }) => ({ seen: [...seen, question], note: question });

  test("is in the state and in the result, and is reset for each question of a thread", async () => {
    const graph = buildGraph(fakeTools({ passages }), { state, after: { retrieve: { look } } }).compile({
      checkpointer: new MemorySaver(),
    });
    const thread = { configurable: { thread_id: "t" } };
    expect(await graph.invoke({ question: QUESTION }, thread)).toMatchObject({ seen: [QUESTION], note: QUESTION });
    const second = "When does the old Lisbon office open?";
    expect(await graph.invoke({ question: second }, thread)).toMatchObject({ seen: [second], note: second });
  });

  test("may not have the name of an existing field", () => {
    expect(() => buildGraph(fakeTools(), { state: { evidence: z.string() } })).toThrow(/"evidence" already/);
  });
});

test("nodes of sources that are off, and edges to them, are not drawn", async () => {
  const { knowledge: _, ...tools } = fakeTools({ passages });
  const { nodes, edges } = await drawn({}, tools);
  for (const name of ["queryGraph", "searchWeb", "readPages"]) {
    expect(nodes).not.toContain(name);
    expect(edges.flat()).not.toContain(name);
  }
  const search: NodeOf = () => () => ({ webResults: [] });
  expect((await drawn({ nodes: { searchWeb: search, readPages: nothing } }, tools)).nodes).toContain("searchWeb");
});

test("a custom router decides, and the labels of its edges are in the drawing", async () => {
  const edges = {
    generate: {
      router: () => ({
        to: "respond",
        reason: { code: "own" as const, words: "Trust it." },
        stop: "supported" as const,
      }),
      labels: { respond: "" },
    },
  };
  expect((await asked({ edges })).steps).not.toContain("checkAnswer");
  const { edges: shown, nodes } = await drawn({ edges });
  expect(shown).toContainEqual(["generate", "respond", ""]);
  // No edge leads there any more.
  expect(nodes).not.toContain("checkAnswer");
});

describe("an invalid extension is refused with a message that says what to change:", () => {
  const tools = fakeTools();
  test.each<[string, GraphOptions, RegExp]>([
    ["a name that is taken", { after: { retrieve: { grade: nothing } } }, /"grade" already.*replace it under `nodes`/],
    ["a node that leads nowhere", { nodes: { look: nothing } }, /"look" leads nowhere/],
    ["an edge to a node that is not there", { edges: { retrieve: "grad" } }, /"retrieve" to "grad", which is no node/],
    ["an edge from a node that is not there", { edges: { retreive: "grade" } }, /no node "retreive"/],
    [
      "a place that is not there",
      { after: { retreive: { look: nothing } } } as GraphOptions,
      /"retreive" to put "look" after/,
    ],
    [
      "two edges with one label",
      {
        edges: {
          grade: {
            router: () => ({ to: "generate", reason: { code: "done" } }),
            labels: { generate: "a", respond: "a" },
          },
        },
      },
      /same label/,
    ],
  ])("%s", (_, options, message) => {
    expect(() => buildGraph(tools, options)).toThrow(message);
  });

  test("a router that chooses a node without a label", async () => {
    const edges = {
      generate: { router: () => ({ to: "nowhere", reason: { code: "done" as const } }), labels: { respond: "trust" } },
    };
    await expect(asked({ edges })).rejects.toThrow('"generate" chose "nowhere"');
  });
});

test("an agent accepts extensions as the graph does", async () => {
  const agent = createAgent({
    tools: fakeTools({ passages, grader }),
    graph: { rungs: { askOrders: { node: orders, label: "ask" } } },
  });
  expect((await agent.ask(QUESTION)).references.map(({ uri }) => uri)).toContain("orders/1");
});
