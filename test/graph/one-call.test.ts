import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { EndpointError } from "../../src/errors.js";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import type { ContextInput } from "../../src/state/context.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import type { AgentEvent } from "../../src/types/events.js";
import { fakeEncoder } from "../encoder.js";
import { scriptedChat } from "../scripted-chat.js";
import { trusting } from "../trusting.js";

const QUESTION = "When does the Lisbon office open?";
const OPENS = "The Lisbon office opens at eight.";
const passages = [
  fakePassage("hours", `${OPENS} Its doors are blue.`),
  fakePassage("leave", "Leave is paid in March."),
];
const CLAIM = "People can come to the Lisbon office from eight on";
const check = (verdict: string, reason = "") => ({ 1: { words: [OPENS], verdict, reason } });

interface Given {
  /** The replies of the model, in order; the last one repeats. */
  replies: (string | object)[];
  /** The judge's probabilities that a source supports a claim, and that a passage answers. */
  supported?: number;
  answers?: number;
  context?: ContextInput;
}

/** Asks a question with a scripted model and a scripted judge. */
async function asked({ replies, supported = 0.1, answers = 0.9, context = {} }: Given) {
  const { chat, names, prompts } = scriptedChat(...replies);
  const encoder = fakeEncoder({ judge: () => ({ supported, answerability: answers, relevance: answers }) });
  const tools = fakeTools({
    passages,
    encoder,
    ...trusting(modelReasoners({ chat }), localReasoners({ encoder })),
  });
  const events: AgentEvent[] = await Array.fromAsync(createAgent({ tools }).stream(QUESTION, { context }));
  const decisions = events.flatMap((event) => (event.type === "decision" ? event.decision : []));
  const [answer] = events.flatMap((event) => (event.type === "answer" ? event.answer : []));
  if (!answer) throw new Error("no answer");
  const faults = decisions.flatMap((decision) => decision.faults.map(({ name, message }) => `${name}: ${message}`));
  return { answer, names, prompts, faults, events, steps: decisions.map(({ step }) => step) };
}

describe("a question that the first search answers", () => {
  test("takes one call if exact code finds the draft in its source", async () => {
    const { answer, names, steps, faults } = await asked({ replies: [`${OPENS.slice(0, -1)} [1].`] });
    expect(names).toEqual(["answer"]);
    expect(steps).toEqual(["understand", "retrieve", "grade", "generate", "checkAnswer", "respond"]);
    expect(answer).toMatchObject({ status: "answered", text: "The Lisbon office opens at eight [1]." });
    expect(faults).toEqual([]);
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

  test("takes a second call that checks what is said in other words", async () => {
    const { answer, names, prompts } = await asked({ replies: [`${CLAIM} [1].`, check("supported")] });
    expect(names).toEqual(["answer", "check"]);
    expect(prompts[1]).toContain(`1. ${CLAIM}. [source 1]`);
    expect(answer).toMatchObject({ status: "answered", text: `${CLAIM} [1].` });
  });

  test("is read by the model even if the judge finds no answer", async () => {
    const { answer, names } = await asked({ replies: [`${OPENS} [1]`], answers: 0.01 });
    expect(names).toEqual(["answer"]);
    expect(answer.status).toBe("answered");
  });
});

describe("a claim in other words", () => {
  test("holds if the checker says so, even if the judge is sure that it is not stated", async () => {
    const { answer } = await asked({ replies: [`${CLAIM} [1].`, check("supported")], supported: 0.01 });
    expect(answer.claims).toMatchObject([{ support: "supported", citations: [{ quote: OPENS }] }]);
  });

  test("falls if the checker says so, even if the judge is sure that it is stated, and is repaired", async () => {
    const replies = [`${CLAIM} [1].`, check("unsupported", "nobody is let in"), `${OPENS} [1]`];
    const { answer, names, prompts } = await asked({ replies, supported: 0.99 });
    expect(names).toEqual(["answer", "check", "answer"]);
    expect(prompts[2]).toContain("nobody is let in");
    expect(answer).toMatchObject({ status: "answered", text: "The Lisbon office opens at eight [1]." });
  });

  test("is left to the judge if the checker fails", async () => {
    const replies = [`${CLAIM} [1].`, new EndpointError("The endpoint is down.")];
    const { answer, faults } = await asked({ replies, supported: 0.95 });
    expect(answer).toMatchObject({ status: "answered", text: `${CLAIM} [1].` });
    expect(faults).toEqual(["EndpointError: The endpoint is down."]);
  });

  test("is announced as pending, with what follows it, and never sent before its check", async () => {
    const { events } = await asked({
      replies: [`${OPENS} [1] ${CLAIM} [1]. Its doors are blue [1].`, check("supported")],
    });
    const told = events.flatMap((event) =>
      event.type === "claim" ? `claim: ${event.claim.text}` : event.type === "pending" ? `pending: ${event.text}` : [],
    );
    expect(told).toEqual([
      `claim: ${OPENS}`,
      `pending: ${CLAIM}.`,
      "pending: Its doors are blue.",
      `claim: ${CLAIM}.`,
      "claim: Its doors are blue.",
    ]);
  });
});

describe("a model that cannot answer", () => {
  test.each(["I don't know.\nMissing: the hour.", "不知道。"])(
    "refuses with %j, and nothing is quoted",
    async (reply) => {
      const { answer } = await asked({ replies: [reply] });
      expect(answer).toMatchObject({ status: "refused", claims: [] });
    },
  );

  test("of which nothing holds refuses too", async () => {
    const replies = ["The Lisbon office opens at nine [1].", check("contradicted", "eight")];
    const { answer } = await asked({ replies });
    expect(answer).toMatchObject({ status: "refused", claims: [] });
    expect(answer.text).not.toContain("nine");
  });

  test.each([
    ["fails", new EndpointError("The endpoint is down."), "EndpointError"],
    ["gives an unreadable reply", " ", "MalformedReplyError"],
  ])("because it %s leaves it to quotes, and the log says why", async (_, reply, fault) => {
    const { answer, faults } = await asked({ replies: [reply] });
    expect(answer).toMatchObject({ status: "answered", text: expect.stringContaining(OPENS.slice(0, -1)) });
    expect(faults.join()).toContain(fault);
  });

  test("may ask the user back, though not with the same question", async () => {
    const back = await asked({ replies: ["I don't know.\nAsk: Which Lisbon office?"] });
    expect(back.answer).toMatchObject({ status: "needs_clarification", text: "Which Lisbon office?" });
    const same = await asked({ replies: [`I don't know.\nAsk: ${QUESTION}`] });
    expect(same.answer.status).toBe("refused");
  });
});

test("a reply in the wrong language is requested again, once", async () => {
  const { answer, names } = await asked({ replies: ["里斯本办公室八点开门[1]。", `${OPENS} [1]`] });
  expect(names).toEqual(["answer", "answer"]);
  expect(answer.text).toBe("The Lisbon office opens at eight [1].");
});

test("an answer keeps the lists of the model, whose introduction is checked like the rest and has no markers", async () => {
  const list = "Of the Lisbon office:\n\n- The Lisbon office opens at eight [1].\n- Its doors are blue [1].";
  const { answer, prompts } = await asked({ replies: [list, check("supported")] });
  expect(prompts[1]).toContain("1. Of the Lisbon office: [source 1]");
  expect(answer.text).toBe(list.replace("\n\n", "\n"));
});
