import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import type { ContextInput } from "../../src/state/context.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import type { Chat } from "../../src/tools/models/chat.js";
import { withFallback } from "../../src/tools/models/fallback.js";
import { localReasoners } from "../../src/tools/models/local-reasoners.js";
import { modelReasoners } from "../../src/tools/models/model-reasoners.js";
import { withJudge } from "../../src/tools/models/with-judge.js";
import type { Decision } from "../../src/types/events.js";
import { fakeEncoder } from "../encoder.js";

const QUESTION = "When does the Lisbon office open?";
const OPENS = "The Lisbon office opens at eight.";
const passages = [
  fakePassage("hours", `${OPENS} Its doors are blue.`),
  fakePassage("leave", "Leave is paid in March."),
];

interface Given {
  /** The replies of the model, in order; the last one repeats. */
  replies: (string | object)[];
  /** The judge's probability that the evidence answers. */
  probability?: number;
  /** The quote of the judge; empty for none. */
  quote?: string;
  /** The judge's probabilities that a quote supports its claim and that a passage answers. */
  supported?: number;
  answers?: (text: string) => number;
  context?: ContextInput;
}

/** Asks a question with a scripted model and a scripted judge. */
async function asked({ replies, probability = 0.9, quote = OPENS, supported = 0.95, answers, ...given }: Given) {
  const names: string[] = [];
  const chat: Chat = {
    name: "scripted",
    identity: crypto.randomUUID(),
    formats: ["prompt"],
    timeoutMs: 1000,
    send: async ({ schemaName, onText }) => {
      const reply = replies[Math.min(names.length, replies.length - 1)] ?? "";
      names.push(schemaName);
      const text = typeof reply === "string" ? reply : JSON.stringify(reply);
      onText?.(text);
      return { text, cut: false, usage: { inputTokens: 10, cachedTokens: 0, outputTokens: 5 } };
    },
  };
  const encoder = fakeEncoder({
    judge: ({ passage }) => ({ supported, answerability: answers?.(passage) ?? 0.9 }),
  });
  const own = {
    grader: {
      grade: async ({ evidence }: { evidence: readonly { id: string }[] }) => ({
        relevance: evidence.map(({ id }) => [id === "hours" ? 0.9 : 0.2]),
        answerability:
          probability >= 0.5 ? ("full" as const) : probability >= 0.3 ? ("unknown" as const) : ("none" as const),
        probability,
        missing: "",
        entities: [],
        clarification: "",
      }),
    },
    generator: {
      generate: async () => ({
        claims: quote ? [{ text: quote, citations: [{ evidenceId: "hours", quote }] }] : [],
        missing: "",
      }),
    },
  };
  const model = modelReasoners({ chat });
  const tools = fakeTools({
    passages,
    encoder,
    ...withFallback({ ...model, ...withJudge(model, own, localReasoners().grader) }, localReasoners()),
  });
  const decisions: Decision[] = [];
  for await (const event of createAgent({ tools }).stream(QUESTION, { context: given.context ?? {} })) {
    if (event.type === "decision") decisions.push(event.decision);
    if (event.type === "answer") {
      const faults = decisions.flatMap((decision) => decision.faults.map(({ name, message }) => `${name}: ${message}`));
      return { answer: event.answer, names, faults, steps: decisions.map(({ step }) => step) };
    }
  }
  throw new Error("no answer");
}

describe("a question that the first search answers", () => {
  test("takes one call", async () => {
    const { answer, names, steps } = await asked({ replies: ["The Lisbon office opens at eight [1]."] });
    expect(names).toEqual(["answer"]);
    expect(steps).toEqual(["understand", "retrieve", "grade", "generate", "checkAnswer", "respond"]);
    expect(answer).toMatchObject({ status: "answered", text: "The Lisbon office opens at eight [1]." });
  });

  test.each([
    ["in JSON", { answer: `${OPENS} [1]` }],
    ["in a fence", `\`\`\`\n${OPENS} [1]\n\`\`\``],
    ["with a clarifying question", `${OPENS} [1]\nAsk: Which Lisbon office?`],
    ["without a marker", OPENS],
  ])("takes one call if the reply comes %s", async (_, reply) => {
    const { answer, names } = await asked({ replies: [reply] });
    expect(names).toEqual(["answer"]);
    expect(answer).toMatchObject({ status: "answered", text: "The Lisbon office opens at eight [1]." });
  });

  test("takes a second call in the thorough form if the judge is unsure", async () => {
    const grade = { found: "eight", answerable: "full", states: ["1.1"] };
    const { names, answer } = await asked({
      replies: [grade, OPENS],
      probability: 0.6,
      context: { thorough: true },
    });
    expect(names).toEqual(["grade", "answer"]);
    expect(answer.status).toBe("answered");
  });
});

describe("the quote of the judge", () => {
  test.each([
    ["says that it does not know", "I don't know."],
    ["says something that no source says", "The Lisbon office opens at nine [1]."],
    ["says something that does not answer", "Its doors are blue [1]."],
    ["gives an unreadable reply", '{"answer": 7}'],
  ])("is the answer if the model %s", async (_, reply) => {
    const answers = (text: string) => (text.includes("eight") ? 0.9 : 0.2);
    const { answer, names } = await asked({ replies: [reply], answers, supported: 0.2 });
    expect(new Set(names)).toEqual(new Set(["answer"]));
    expect(answer).toMatchObject({ status: "answered", text: "The Lisbon office opens at eight [1]." });
  });

  test("is shown as a possible answer if the judge is unsure and nothing else helps", async () => {
    const { answer, names } = await asked({ replies: ["I don't know."], probability: 0.4 });
    expect(names).toEqual(["answer"]);
    expect(answer).toMatchObject({ status: "partial", stopReason: "unsure" });
  });

  test("is not shown if the judge finds almost no answer, and no draft is made", async () => {
    const { answer, names } = await asked({ replies: [{ query: "" }], probability: 0.05, quote: "" });
    expect(names).not.toContain("answer");
    expect(answer.status).toBe("refused");
  });
});

describe("evidence that the judge cannot decide on", () => {
  test("is sufficient if a claim is supported and answers the question", async () => {
    const { answer, names } = await asked({ replies: [OPENS], probability: 0.2, quote: "" });
    expect(names).toEqual(["answer"]);
    expect(answer.status).toBe("answered");
  });

  test("is insufficient if a supported claim does not answer the question", async () => {
    const { answer } = await asked({
      replies: ["Its doors are blue [1]."],
      probability: 0.2,
      quote: "",
      answers: () => 0.1,
    });
    expect(answer.status).toBe("refused");
  });

  test("leads to another search with the query that the draft proposes, without a call to rewrite", async () => {
    const reply = "I don't know.\nMissing: the hour\nSearch: opening hours of the Lisbon office\nNames: Lisbon";
    const { answer, names } = await asked({ replies: [reply, OPENS], probability: 0.2, quote: "" });
    expect(answer.queries.map(({ text }) => text)).toEqual([QUESTION, "opening hours of the Lisbon office"]);
    expect(names).not.toContain("rewrite");
  });

  test.each([
    ["is the question again", QUESTION.toUpperCase()],
    ["loses its name", "opening hours of the office"],
    ["is in another language", "里斯本办公室几点开门"],
  ])("leads to no other search if the proposed query %s", async (_, search) => {
    const { answer, names } = await asked({
      replies: [`I don't know.\nSearch: ${search}`],
      probability: 0.2,
      quote: "",
    });
    expect(answer.queries).toHaveLength(1);
    expect(names).toEqual(["answer"]);
    expect(answer.status).toBe("refused");
  });

  test("leads to the clarifying question that the draft proposes", async () => {
    const { answer } = await asked({
      replies: ["I don't know.\nAsk: Which Lisbon office?"],
      probability: 0.2,
      quote: "",
    });
    expect(answer).toMatchObject({ status: "needs_clarification", text: "Which Lisbon office?" });
  });

  test("leads to no clarifying question if that repeats the question", async () => {
    const { answer } = await asked({ replies: [`I don't know.\nAsk: ${QUESTION}`], probability: 0.2, quote: "" });
    expect(answer.status).toBe("refused");
  });
});

describe("a claim that neither code nor the judge settles", () => {
  const claim = "People can come to the Lisbon office from eight on [1].";

  test("costs a call if the answer rests on it, and can be rejected by that call", async () => {
    const check = { 1: { reason: "no", verdict: "unsupported" } };
    const { answer, names } = await asked({ replies: [claim, check], supported: 0.7 });
    expect(names).toEqual(["answer", "check"]);
    expect(answer.text).toBe("The Lisbon office opens at eight [1].");
  });

  test("is not upgraded by the model", async () => {
    const check = { 1: { reason: "yes", verdict: "supported" } };
    const likely = await asked({ replies: [claim, check], supported: 0.7 });
    expect(likely.answer.claims).toMatchObject([{ support: "likely" }]);
    const rejected = await asked({ replies: [claim, check], supported: 0.4, quote: "" });
    expect(rejected.answer.claims).toEqual([]);
    expect(rejected.names).not.toContain("check");
  });

  test("is judged once for what it answers if the model leaves it as it is", async () => {
    const judged: string[] = [];
    const answers = (text: string) => {
      judged.push(text);
      return 0.9;
    };
    const check = { 1: { reason: "yes", verdict: "supported" } };
    const { names } = await asked({ replies: [claim, check], supported: 0.7, answers });
    expect(names).toEqual(["answer", "check"]);
    expect(judged.filter((text) => text.includes("People can come"))).toHaveLength(1);
  });

  test("costs no call if a certain claim answers", async () => {
    const { answer, names } = await asked({ replies: [`${OPENS} ${claim}`], supported: 0.7 });
    expect(names).toEqual(["answer"]);
    expect(answer.claims).toMatchObject([{ support: "supported" }, { support: "likely" }]);
  });
});

test("a run takes at most four calls by default", async () => {
  const replies = [1, 2, 3, 4, 5, 6].map(
    (n) => `I don't know.\nSearch: opening hours ${"x".repeat(n)} of the Lisbon office`,
  );
  const { names } = await asked({ replies, probability: 0.2, quote: "", context: { budget: { rounds: 10 } } });
  expect(names.length).toBeLessThanOrEqual(4);
});

test("a reply in the wrong language is requested again, once", async () => {
  const { answer, names } = await asked({ replies: ["里斯本办公室八点开门[1]。", `${OPENS} [1]`] });
  expect(names).toEqual(["answer", "answer"]);
  expect(answer.text).toBe("The Lisbon office opens at eight [1].");
});
