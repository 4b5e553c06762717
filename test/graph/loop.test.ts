import { MemorySaver } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { EndpointError, StoreUnavailableError } from "../../src/errors.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { Context, type ContextInput } from "../../src/state/context.js";
import type { State } from "../../src/state/state.js";
import type { Tools } from "../../src/state/tools.js";
import { fakeChecker, fakeGrader, fakePassage, fakeTools, inMemoryDocuments } from "../../src/testing/index.js";
import type { AgentEvent } from "../../src/types/events.js";
import { trusting } from "../trusting.js";

const passages = [
  fakePassage("hours", "The Lisbon office opens at eight. It closes at six."),
  fakePassage("leave", "Everybody has twenty-two days of leave. Leave is planned in March."),
  fakePassage("时间", "上海办公室早上九点开门。晚上六点关门。", { language: "zh" }),
];

/** Runs a question and returns its answer and events. */
async function run(question: string, parts: Partial<Tools> = {}, context: ContextInput = {}) {
  const events: AgentEvent[] = [];
  for await (const event of createAgent({ tools: fakeTools({ passages, ...parts }) }).stream(question, { context }))
    events.push(event);
  const decisions = events.flatMap((event) => (event.type === "decision" ? [event.decision] : []));
  const answer = events.flatMap((event) => (event.type === "answer" ? [event.answer] : []))[0];
  if (!answer) throw new Error("no answer");
  return { events, answer, decisions, steps: decisions.map((decision) => decision.step) };
}

const withCalls = (calls: number) => Context.parse({ budget: { calls } });

describe("a question that the documents answer", () => {
  test("takes the shortest path and quotes its sources", async () => {
    const { answer, steps } = await run("When does the Lisbon office open?");
    expect(steps).toEqual(["understand", "retrieve", "grade", "generate", "checkAnswer", "respond"]);
    expect(answer.status).toBe("answered");
    expect(answer.stopReason).toBe("supported");
    expect(answer.text).toContain("The Lisbon office opens at eight [1].");
    for (const claim of answer.claims)
      for (const { reference, quote, start, end } of claim.citations) {
        const { evidenceId } = answer.references.find((r) => r.number === reference) ?? {};
        expect(passages.find((p) => p.id === evidenceId)?.text.slice(start, end)).toBe(quote);
      }
  });

  test("is answered in Chinese when it is asked in Chinese", async () => {
    const { answer } = await run("上海办公室几点开门？");
    expect(answer).toMatchObject({ status: "answered", language: "zh", text: "上海办公室早上九点开门[1]。" });
  });

  test("streams each claim once, before the answer", async () => {
    const { events, answer } = await run("When does the Lisbon office open?");
    const sent = events.flatMap((event) => (event.type === "claim" ? [event.claim.text] : []));
    expect(sent).toEqual(answer.claims.map((claim) => claim.text));
    expect(events.at(-1)?.type).toBe("answer");
  });
});

test("a wider second search adds the neighbours of a relevant passage, which no search finds", async () => {
  const [hours, leave] = passages;
  if (!hours || !leave) throw new Error("no passages");
  const documents = inMemoryDocuments(passages);
  let looks = 0;
  const { answer } = await run("When does the Lisbon office open?", {
    documents: {
      ...documents,
      search: async (query) => (query.exclude?.includes(hours.id) ? [] : [{ ...hours, score: 1 }]),
      neighbours: async (id) => (id === hours.id ? [leave] : []),
    },
    grader: {
      grade: (task, call) =>
        fakeGrader(looks++ === 0 ? { relevance: 0.5, answerability: "none" } : {}).grade(task, call),
    },
  });
  expect(answer.text).toContain("twenty-two days");
});

test("a second look fetches what stands beside the two most relevant passages", async () => {
  const lines = ["one", "two", "three"].map((id) => fakePassage(id, `The Lisbon office, part ${id}.`));
  const looked: string[] = [];
  let looks = 0;
  const relevance: Record<string, number> = { one: 0.4, two: 0.45, three: 0.5 };
  await run("When does the Lisbon office open?", {
    documents: {
      ...inMemoryDocuments(lines),
      search: async (query) =>
        lines.filter(({ id }) => !query.exclude?.includes(id)).map((one) => ({ ...one, score: 1 })),
      neighbours: async (id) => {
        looked.push(id);
        return [];
      },
    },
    grader: {
      grade: async (task, call) => ({
        ...(await fakeGrader(looks++ === 0 ? { answerability: "none" } : {}).grade(task, call)),
        relevance: task.evidence.map(({ id }) => [relevance[id] ?? 0]),
      }),
    },
  });
  expect(looked).toEqual(["three", "two"]);
});

test.each([
  ["finds no other query", async () => ""],
  ["fails", () => Promise.reject(new Error("no"))],
])("a question that is half answered gets a partial answer if the rewriter %s", async (_, rewrite) => {
  const parts: Partial<Tools> = {
    documents: inMemoryDocuments(passages.slice(0, 1)),
    grader: fakeGrader({ answerability: "partial", missing: "who runs it" }),
    rewriter: { standalone: async (question) => question, rewrite },
  };
  const { answer } = await run("When does the Lisbon office open and who runs it?", parts, { sources: { web: false } });
  expect(answer.claims[0]?.text).toContain("The Lisbon office opens at eight");
});

test("evidence that the judge is unsure of is quoted as such with low confidence, after the ladder is exhausted", async () => {
  const grader = fakeGrader({ relevance: 0.5, answerability: "unknown", probability: 0.4 });
  const { answer, steps, events } = await run(
    "When does the Lisbon office open?",
    { grader },
    { sources: { web: false } },
  );
  expect(answer).toMatchObject({ status: "unsure", stopReason: "unsure", failures: [] });
  expect(answer.text).toMatch(/^This may answer it:\n\n.*\[1\]/s);
  expect(answer.claims.length).toBeLessThanOrEqual(2);
  expect(answer.confidence.score).toBeLessThan(0.5);
  expect(steps.lastIndexOf("rewriteQuery")).toBeLessThan(steps.indexOf("generate"));
  expect(events.filter(({ type }) => type === "claim")).toEqual([]);
});

describe("a loop without progress ends within its budget with an answer and a stop reason, given", () => {
  test("a grader that always finds the evidence insufficient", async () => {
    const grader = fakeGrader({ relevance: 0.5, answerability: "none", missing: "the year" });
    const { answer, steps } = await run("When was the Lisbon office built?", { grader });
    expect(answer).toMatchObject({ status: "refused", missing: "the year" });
    expect(steps.filter((step) => step === "retrieve").length).toBeLessThanOrEqual(3);
    expect(steps.filter((step) => step === "grade").length).toBeLessThanOrEqual(4);
  });

  test("a checker that rejects every draft", async () => {
    const generator: Tools["generator"] = {
      generate: async ({ evidence }) => ({
        claims: evidence.slice(0, 1).map(({ id }) => ({
          text: "Visitors find the doors of Portugal's branch unlocked from early morning.",
          citations: [{ evidenceId: id, quote: "The Lisbon office opens at eight." }],
        })),
        missing: "",
      }),
    };
    const { answer, steps } = await run("When does the Lisbon office open?", {
      generator,
      checker: fakeChecker("unsupported"),
    });
    expect(answer).toMatchObject({ status: "refused", claims: [] });
    expect(answer.text).not.toContain("unlocked");
    expect(steps.filter((step) => step === "generate").length).toBeGreaterThan(1);
  });

  test("a model that fails at every call", async () => {
    const fail = async () => {
      throw new EndpointError("The model does not answer.");
    };
    const { answer, decisions } = await run("When does the Lisbon office open?", {
      grader: { grade: fail },
      rewriter: { rewrite: fail, standalone: fail },
      generator: { generate: fail },
      checker: { check: fail },
    });
    expect(answer.status).toBe("unavailable");
    expect(decisions.find((decision) => decision.step === "grade")?.faults[0]?.message).toContain("does not answer");
  });

  test("a grader that never answers and ignores its signal", async () => {
    const grader: Tools["grader"] = { grade: () => new Promise(() => {}) };
    const { answer } = await run("When does the Lisbon office open?", { grader }, { budget: { seconds: 0.05 } });
    expect(answer).toMatchObject({ status: "unavailable", stopReason: "time_spent" });
  });

  test("a model that never answers, with time left to answer without it", async () => {
    const local = localReasoners();
    const silent: Tools["generator"] = {
      generate: (_task, { modelSignal }) =>
        new Promise((_, reject) => modelSignal?.addEventListener("abort", () => reject(new EndpointError("late")))),
    };
    let isOver: boolean | undefined;
    const quoting: Tools["generator"] = {
      generate: (task, call) => {
        isOver = call.signal.aborted;
        return local.generator.generate(task, call);
      },
    };
    const model = { standalone: async (q: string) => q, generator: silent, checker: fakeChecker("supported") };
    const { generator } = trusting(model, { ...local, generator: quoting });
    const { answer } = await run("When does the Lisbon office open?", { generator }, { budget: { seconds: 1 } });
    expect(isOver).toBe(false);
    expect(answer).toMatchObject({ status: "answered", stopReason: "supported" });
  });

  test("a budget of model calls", async () => {
    const costly = fakeGrader({ relevance: 0.5, answerability: "none" });
    const grader: Tools["grader"] = {
      grade: (task, call) => {
        call.spent({ calls: 1, inputTokens: 10, cachedTokens: 0, outputTokens: 1 });
        return costly.grade(task, call);
      },
    };
    const { answer } = await run("When was the Lisbon office built?", { grader }, { budget: { calls: 1 } });
    expect(answer).toMatchObject({ stopReason: "calls_spent", spend: { calls: 1, inputTokens: 10 } });
    const { graph } = createAgent({ tools: fakeTools({ passages, grader }) });
    const { messages } = await graph.invoke(
      { question: "When was the Lisbon office built?" },
      { context: withCalls(1) },
    );
    expect(messages.at(-1)).toMatchObject({ usage_metadata: { input_tokens: 10, output_tokens: 1, total_tokens: 11 } });
  });

  test("a rewriter that repeats the question", async () => {
    const rewriter: Tools["rewriter"] = { standalone: async (q) => q, rewrite: async ({ question }) => `${question}?` };
    const grader = fakeGrader({ relevance: 0.1, answerability: "none" });
    const { answer } = await run("When was the Lisbon office built?", { grader, rewriter });
    expect(answer.stopReason).toBe("query_stagnation");
  });

  test("a search that returns the same passages again", async () => {
    const grader = fakeGrader({ relevance: 0.5, answerability: "none" });
    const { answer } = await run("office leave", { grader });
    expect(answer.stopReason).toBe("evidence_stagnation");
  });

  test("a small recursion limit of the caller", async () => {
    const { graph } = createAgent({
      tools: fakeTools({ passages, grader: fakeGrader({ relevance: 0.1, answerability: "none" }) }),
    });
    const { answer } = await graph.invoke({ question: "When?" }, { recursionLimit: 12 });
    expect(answer?.stopReason).toBe("steps_spent");
  });
});

test("a run whose grader fails in every round ends after three searches, and nothing is said of the documents", async () => {
  const grader: Tools["grader"] = {
    grade: async () => {
      throw new Error("broken");
    },
  };
  const { answer, steps } = await run("When does the Lisbon office open?", { grader });
  expect(answer).toMatchObject({ status: "unavailable", stopReason: "part_failed" });
  expect(steps.filter((step) => step === "retrieve")).toHaveLength(3);
});

describe("a source that fails", () => {
  const broken = {
    ...inMemoryDocuments(),
    search: async () => {
      throw new StoreUnavailableError("The store is gone.");
    },
  };

  test("is a fault in the log, and the answer says so", async () => {
    const { answer, decisions } = await run("When does the office open?", { documents: broken });
    expect(decisions.find((decision) => decision.step === "retrieve")?.faults).toEqual([
      { part: "retriever", name: "StoreUnavailableError", message: "The store is gone." },
    ]);
    expect(answer).toMatchObject({ status: "unavailable", stopReason: "sources_failed" });
  });
});

test("search by words still answers if the embeddings endpoint fails", async () => {
  const documents = inMemoryDocuments(passages);
  const { answer, decisions } = await run("When does the Lisbon office open?", {
    documents: {
      ...documents,
      search: async (query, limit) => {
        if (query.mode !== "fullText") throw new EndpointError("The embeddings do not answer.");
        return documents.search(query, limit);
      },
    },
  });
  expect(decisions.find(({ step }) => step === "retrieve")?.faults[0]?.message).toContain("embeddings do not answer");
  expect(answer.status).toBe("answered");
});

test("a question to an empty store is answered with how to fill it", async () => {
  const { answer } = await run("When does the office open?", { documents: inMemoryDocuments() });
  expect(answer).toMatchObject({ status: "unavailable", stopReason: "sources_failed" });
  expect(answer.text).toContain("emend ingest");
});

test("a context out of range is refused by name", async () => {
  await expect(run("When?", {}, { budget: { rounds: 0 } })).rejects.toThrow(/context\.budget\.rounds/);
});

describe("an ambiguous question", () => {
  const grader: Tools["grader"] = {
    grade: (task, call) =>
      fakeGrader(/Lisbon/.test(task.question) ? {} : { answerability: "none", clarification: "Which office?" }).grade(
        task,
        call,
      ),
  };

  test("ends with the clarifying question if there is no thread to wait in", async () => {
    const { answer } = await run("When does the office open?", { grader });
    expect(answer).toMatchObject({ status: "needs_clarification", text: "Which office?", claims: [] });
  });

  test("waits for the reply in a thread and then answers the original question", async () => {
    const agent = createAgent({ tools: fakeTools({ passages, grader }), checkpointer: new MemorySaver() });
    const first = await agent.ask("When does the office open?", { threadId: "1" });
    expect(first).toMatchObject({ status: "needs_clarification", text: "Which office?" });
    const second = await agent.ask("The one in Lisbon.", { threadId: "1" });
    expect(second.status).toBe("answered");
    const state = await agent.graph.getState({ configurable: { thread_id: "1" } });
    expect(state.values).toMatchObject({ question: "When does the office open?", clarification: "The one in Lisbon." });
  });
});

describe("a thread", () => {
  test("rewrites a follow-up as a standalone question, and starts each question with a clean state", async () => {
    const agent = createAgent({ tools: fakeTools({ passages }), checkpointer: new MemorySaver() });
    await agent.ask("When does the Lisbon office open?", { threadId: "1" });
    const answer = await agent.ask("And when does it close?", { threadId: "1" });
    expect(answer.queries.map((query) => query.text)).toEqual([
      "When does the Lisbon office open? And when does it close?",
    ]);
    const { values } = await agent.graph.getState({ configurable: { thread_id: "1" } });
    expect(values.attempts).toHaveLength(1);
    expect(values.messages).toHaveLength(4);
  });

  test.each([
    ["Is there leave?", "as it stands", ["Is there leave?"]],
    ["When is leave?", "as it stands", ["When is leave (When does the office open)?", "When is leave?"]],
    ["When is leave?", "with the one before", ["When is leave (When does the office open)?"]],
    ["Is there leave?", "with the one before", ["Is there leave?", "Is there leave (When does the office open)?"]],
    ["Can it be closed?", "as it stands", ["Can it be closed (When does the office open)?"]],
  ])("asks “%s”, which is answered %s, in the likelier way first", async (question, way, asked) => {
    const { rewriter } = localReasoners();
    const grader: Tools["grader"] = {
      grade: (task, call) =>
        fakeGrader(
          task.question.includes("(") === (way === "with the one before")
            ? {}
            : { answerability: "none", relevance: 0.1, clarification: "Which one?" },
        ).grade(task, call),
    };
    const agent = createAgent({ tools: fakeTools({ passages, grader, rewriter }) });
    const history = [{ question: "When does the office open?", answer: "At eight." }];
    const answer = await agent.ask(question, { history });
    expect(answer.queries.map(({ text }) => text)).toEqual(asked);
    expect(answer.status).toBe(question === "Can it be closed?" ? "needs_clarification" : "answered");
  });

  test("asks a follow-up as it stands if what a model made of it is refused", async () => {
    const rewriter: Tools["rewriter"] = {
      standalone: async () => "Does the office that opens at eight have parking?",
      rewrite: async ({ question }) => question,
    };
    const generator: Tools["generator"] = {
      leads: async () => true,
      generate: (task, call) =>
        task.question === "Is there leave?"
          ? fakeTools().generator.generate(task, call)
          : Promise.resolve({ claims: [], missing: "Parking." }),
    };
    const agent = createAgent({ tools: fakeTools({ passages, rewriter, generator }) });
    const history = [{ question: "When does the office open?", answer: "At eight." }];
    expect((await agent.ask("Is there leave?", { history })).status).toBe("answered");
  });

  test("holds the evidence in the steps of a question, and at its end only the answer", async () => {
    const agent = createAgent({ tools: fakeTools({ passages }), checkpointer: new MemorySaver() });
    const answer = await agent.ask("When does the Lisbon office open?", { threadId: "1" });
    const at = { configurable: { thread_id: "1" } };
    const [last, ...before] = await Array.fromAsync(agent.graph.getStateHistory(at), ({ values }) => values as State);
    expect(last).toMatchObject({ answer, evidence: [], attempts: [{ evidenceIds: ["hours"] }] });
    expect([last?.draft, last?.report, last?.nearest]).toEqual([undefined, undefined, undefined]);
    expect(before[0]).toMatchObject({ evidence: [{ id: "hours" }], report: { claims: [{}] } });
  });

  test("keeps the newest complete turns of a conversation of any length", async () => {
    const agent = createAgent({ tools: fakeTools({ passages }), checkpointer: new MemorySaver() });
    const history = Array.from({ length: 30 }, (_, i) => ({ question: `第${i}个问题？`, answer: `${i}.` }));
    const { queries } = await agent.ask("When does the Lisbon office open?", { threadId: "1", history });
    expect(queries[0]?.text).toBe("第29个问题？ When does the Lisbon office open?");
    const { values } = await agent.graph.getState({ configurable: { thread_id: "1" } });
    const said = values.messages.map(({ text }: { text: string }) => text);
    expect(said).toHaveLength(40);
    expect(said.slice(0, 2)).toEqual(["第11个问题？", "11."]);
    expect(said.at(-1)).toContain("The Lisbon office opens");
  });

  test("does not carry the verdict of one question over to the next", async () => {
    let asked = 0;
    const grader: Tools["grader"] = {
      grade: (task, call) => {
        if (asked++ > 0) throw new Error("broken");
        return fakeGrader({}).grade(task, call);
      },
    };
    const agent = createAgent({ tools: fakeTools({ passages, grader }), checkpointer: new MemorySaver() });
    expect((await agent.ask("When does the Lisbon office open?", { threadId: "1" })).status).toBe("answered");
    expect((await agent.ask("When does the Shanghai office open?", { threadId: "1" })).status).toBe("unavailable");
  });
});

test("an abort by the caller stops the run with an error", async () => {
  const grader: Tools["grader"] = { grade: () => new Promise(() => {}) };
  const agent = createAgent({ tools: fakeTools({ passages, grader }) });
  const signal = AbortSignal.timeout(30);
  await expect(agent.ask("When does the office open?", { signal })).rejects.toThrow();
});

const from = (evidenceId: string, text: string, quote = text) => ({ text, citations: [{ evidenceId, quote }] });

test("a claim that only the checker can settle is streamed before the answer, with its source", async () => {
  const text = "Doors in Lisbon are unlocked from eight.";
  const generator: Tools["generator"] = {
    generate: async () => ({ claims: [from("hours", text, "The Lisbon office opens at eight.")], missing: "" }),
  };
  const { events } = await run("When does the Lisbon office open?", { generator });
  const told = events.flatMap((event) => (event.type === "claim" ? [event] : []));
  expect(told).toMatchObject([{ claim: { text }, references: [{ number: 1, evidenceId: "hours" }] }]);
});

test("a streamed claim that the final draft does not support is withdrawn with the reason of the check", async () => {
  const told = from("hours", "The Lisbon office opens at eight.");
  const drafts = [
    [told, from("hours", "The Lisbon office opens at nine.", "The Lisbon office opens at eight.")],
    [
      from("leave", told.text, "Everybody has twenty-two days of leave."),
      from("leave", "Everybody has twenty-two days of leave."),
      from("leave", "Leave is planned in March."),
    ],
  ];
  let drafted = 0;
  const generator: Tools["generator"] = {
    generate: async (_task, _call, onClaim) => {
      const claims = drafts[drafted++] ?? [];
      for (const claim of claims) onClaim?.(claim);
      return { claims, missing: "" };
    },
  };
  const checker: Tools["checker"] = {
    check: async ({ claims }) =>
      claims.map(() => ({ verdict: "unsupported", reason: { code: "own", words: "No word of it." } })),
  };
  const question = "When does the Lisbon office open, and how many days of leave has everybody?";
  const { events } = await run(question, { generator, checker });
  expect(events.filter(({ type }) => type === "retracted")).toMatchObject([
    { text: told.text, reason: { code: expect.not.stringContaining("left_out") } },
  ]);
});

test("a correction never makes the answer worse", async () => {
  const good = {
    text: "The Lisbon office opens at eight.",
    citations: [{ evidenceId: "hours", quote: "The Lisbon office opens at eight." }],
  };
  const bad = {
    text: "The Lisbon office opens at nine.",
    citations: [{ evidenceId: "hours", quote: "The Lisbon office opens at eight." }],
  };
  const worse = { text: "It opens at ten.", citations: [{ evidenceId: "hours", quote: "It opens at ten." }] };
  let drafts = 0;
  const generator: Tools["generator"] = {
    generate: async () => ({ claims: drafts++ === 0 ? [good, bad] : [worse], missing: "" }),
  };
  const checker = fakeChecker("unsupported");
  const { answer } = await run("When does the Lisbon office open?", { generator, checker });
  expect(answer).toMatchObject({ status: "partial", claims: [{ text: good.text }] });
  expect(answer.text).not.toMatch(/nine|ten/);
});

test("after an unsupported draft, the next retrieval adds passages of other documents", async () => {
  const manual = ["eight", "nine", "ten", "eleven"].map((hour, position) =>
    fakePassage(`manual#${position}`, `The Lisbon office opens at ${hour}, the manual says.`, {
      documentId: "manual",
      position,
    }),
  );
  const others = [fakePassage("note", "The office in Lisbon."), fakePassage("memo", "Lisbon has an office.")];
  const generator: Tools["generator"] = {
    generate: async ({ evidence }) => ({
      claims: [
        { text: "The Lisbon office opens at noon.", citations: [{ evidenceId: evidence[0]?.id ?? "", quote: "x" }] },
      ],
      missing: "when it opens",
    }),
  };
  const grader = fakeGrader({ relevance: 0.7 });
  const tools = fakeTools({ passages: [...manual, ...others], generator, grader });
  const agent = createAgent({ tools, checkpointer: new MemorySaver(), context: { passages: 2, repairs: 0 } });
  await agent.ask("When does the Lisbon office open, as the manual says?", { threadId: "1" });
  const { values } = await agent.graph.getState({ configurable: { thread_id: "1" } });
  const documentsOf = (ids: readonly string[]) => ids.map((id) => id.split("#")[0]);
  const [before, after] = (values as State).attempts.map(({ evidenceIds }) => evidenceIds);
  expect(documentsOf(before ?? [])).toEqual(["manual", "manual"]);
  expect(documentsOf(after?.filter((id) => !before?.includes(id)) ?? [])).toEqual([
    "manual",
    expect.stringMatching(/note|memo/),
  ]);
});

test("a supported claim that depends on an unsupported one is withdrawn with that as the reason", async () => {
  const wrong = {
    text: "The Lisbon office opens at nine.",
    citations: [{ evidenceId: "hours", quote: "The Lisbon office opens at eight." }],
  };
  const leaning = { text: "It closes at six.", citations: [{ evidenceId: "hours", quote: "It closes at six." }] };
  const generator: Tools["generator"] = {
    generate: async (_task, _call, onClaim) => {
      onClaim?.(leaning);
      return { claims: [wrong, leaning], missing: "" };
    },
  };
  const checker = fakeChecker("unsupported");
  const { events, answer } = await run("When does the Lisbon office open?", { generator, checker });
  expect(answer.claims).toEqual([]);
  const [taken] = events.filter((event) => event.type === "retracted");
  expect(taken).toMatchObject({ text: leaning.text, reason: { code: "left_out" } });
});

test.each([
  ["except what the judge finds irrelevant", { probability: 0.6 }, ["hours"]],
  ["all of it without a judge", {}, ["hours", "leave"]],
])("models read the graded evidence, %s", async (_, judged, expected) => {
  const read: string[][] = [];
  const given = fakeTools();
  const grader: Tools["grader"] = {
    grade: async (task, call) => {
      const found = await given.grader.grade(task, call);
      const relevance = task.evidence.map(({ id }) => [id === "hours" ? 0.9 : 0.01]);
      return { ...found, ...judged, relevance };
    },
  };
  const generator: Tools["generator"] = {
    generate: async ({ evidence }) => {
      read.push(evidence.map(({ id }) => id).sort());
      return { claims: [], missing: "" };
    },
  };
  const rewriter: Tools["rewriter"] = {
    ...given.rewriter,
    rewrite: async ({ evidence }) => {
      read.push(evidence.map(({ id }) => id).sort());
      return "";
    },
  };
  const context = { thorough: true };
  await run("When is the leave of those who open the Lisbon office?", { grader, generator, rewriter }, context);
  expect(read.length).toBeGreaterThan(1);
  for (const ids of read) expect(ids).toEqual(expected);
});
