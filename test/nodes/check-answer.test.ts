import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { localRewriter } from "../../src/reading/local-reasoners.js";
import { fakeGrader, fakePassage, fakeTools } from "../../src/testing/index.js";
import { fakeEncoder } from "../encoder.js";

const passages = [fakePassage("house", "The Lisbon office has a garden.")];
const draft = {
  generate: async () => ({
    claims: [
      {
        text: "The Lisbon office has a garden.",
        citations: [{ evidenceId: passages[0]?.id ?? "", quote: "The Lisbon office has a garden." }],
      },
    ],
    missing: "",
    quoted: true,
  }),
};

describe("the question before a follow-up", () => {
  const followedUp = async (answersNew: number, answersBefore: number) => {
    const encoder = fakeEncoder({
      judge: ({ text }) => ({
        answerability: { "How large is it?": answersNew, "Does the office have a garden?": answersBefore }[text] ?? 0.9,
      }),
    });
    const fakes = fakeTools({ passages });
    const rewriter = { ...fakes.rewriter, standalone: localRewriter().standalone };
    const history = [{ question: "Does the office have a garden?", answer: "Yes." }];
    const agent = createAgent({ tools: { ...fakes, generator: draft, rewriter, encoder } });
    return (await agent.ask("How large is it?", { history })).status;
  };

  test("is not answered again", async () => {
    expect(await followedUp(0.2, 0.9)).toBe("refused");
  });

  test("may be what the answer refers to", async () => {
    expect(await followedUp(0.4, 0.9)).toBe("answered");
    expect(await followedUp(0.2, 0.4)).toBe("answered");
  });
});

describe("a draft of a model", () => {
  const [text = ""] = passages.map((one) => one.text);
  const written = async (answerability: number, missing = "") => {
    const generate = async () => ({ claims: (await draft.generate()).claims, missing });
    const encoder = fakeEncoder({ judge: () => ({ answerability }) });
    const fakes = fakeTools({ passages, grader: fakeGrader({ answerability: "unknown", probability: 0.2 }) });
    const generator = { generate, leads: async () => true };
    const context = { sources: { tables: false, graph: false, web: false } };
    return createAgent({ tools: { ...fakes, generator, encoder }, context }).ask("When does the Lisbon office open?");
  };

  test("is shown if it holds, whatever the judge says of its use", async () => {
    const { status, claims } = await written(0.01);
    expect(status).toBe("answered");
    expect(claims.map((claim) => claim.text)).toEqual([text]);
  });

  test("is incomplete if the model says so, even if the judge is sure that it answers", async () => {
    expect(await written(0.99, "When the Lisbon office opens")).toMatchObject({
      status: "partial",
      missing: "When the Lisbon office opens",
    });
  });
});
