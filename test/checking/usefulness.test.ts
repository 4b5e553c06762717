import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { withoutGuesses } from "../../src/checking/usefulness.js";
import { localRewriter } from "../../src/reading/local-reasoners.js";
import { fakeGrader, fakePassage, fakeTools } from "../../src/testing/index.js";
import { aliasesOf } from "../../src/text/aliases.js";
import type { CheckedClaim } from "../../src/types/answer.js";
import { fakeEncoder } from "../encoder.js";

const claimOf = (id: string, verdict: CheckedClaim["verdict"]): CheckedClaim => ({
  text: id,
  quotes: [{ evidenceId: id, quote: id, start: 0, end: id.length }],
  verdict,
  reason: { code: "stated" },
});

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

test("the judge reads the question with the names that the claims use", async () => {
  const encoder = fakeEncoder({ judge: () => ({ answerability: 0.9 }) });
  const aliases = aliasesOf([["HQ", "Lisbon office", "里斯本办公室"]]);
  const tools = { ...fakeTools({ passages }), generator: draft, encoder, aliases };
  await createAgent({ tools }).ask("Does the HQ have a garden?");
  expect(encoder.asked.map(({ text }) => text)).toContain("Does the Lisbon office have a garden?");
});

test("the judge reads a quote under the headings above it, also those within its passage", async () => {
  const encoder = fakeEncoder({ judge: () => ({ answerability: 0.9 }) });
  const quote = "On the 24th of every month.";
  const text = `## Where is the canteen?\n\nDownstairs.\n\n## When is the salary paid?\n\n${quote}`;
  const faq = fakePassage("faq", text, { title: "Questions", section: "Questions" });
  const generate = async () => ({
    claims: [{ text: quote, citations: [{ evidenceId: faq.id, quote }] }],
    missing: "",
    quoted: true,
  });
  await createAgent({ tools: { ...fakeTools({ passages: [faq] }), generator: { generate }, encoder } }).ask(
    "When is the salary paid?",
  );
  expect(encoder.asked.map(({ passage }) => passage)).toContain(`Questions - When is the salary paid?\n${quote}`);
});

const asked = (answerability: number) =>
  createAgent({
    tools: { ...fakeTools({ passages }), generator: draft, encoder: fakeEncoder({ judge: () => ({ answerability }) }) },
  }).ask("When does the Lisbon office open?");

test("a supported claim that does not answer the question is not shown", async () => {
  const answer = await asked(0.01);
  expect(answer).toMatchObject({ status: "refused", claims: [] });
  expect(answer.failures.map(({ tag }) => tag)).toContain("OVERGEN");
});

describe("if the judge doubts that the evidence answers", () => {
  const from = async (answerability: number, probability: number, question = "When does the Lisbon office open?") => {
    const fakes = fakeTools({ passages });
    const grade: typeof fakes.grader.grade = async (task, call) => ({
      ...(await fakes.grader.grade(task, call)),
      answerability: "partial",
      probability,
    });
    const encoder = fakeEncoder({ judge: () => ({ answerability }) });
    const tools = { ...fakes, grader: { grade }, generator: draft, encoder };
    return (await createAgent({ tools }).ask(question)).status;
  };

  test("claims are shown if they or the evidence probably answer", async () => {
    expect(await from(0.6, 0.2)).not.toBe("refused");
    expect(await from(0.4, 0.2)).toBe("refused");
    expect(await from(0.4, 0.6)).not.toBe("refused");
  });

  test("claims are held to a lower threshold if the question is in a language that the judge was not trained on", async () => {
    const question = "Wann öffnet das Lisbon office am Morgen für die Besucher?";
    expect(await from(0.4, 0.2, question)).not.toBe("refused");
    expect(await from(0.01, 0.2, question)).toBe("refused");
  });
});

test("a claim that is only likely is not shown if the judge doubts that the evidence answers", () => {
  const claims = [claimOf("house", "supported"), claimOf("house", "likely")];
  const verdicts = (probability: number | undefined) =>
    withoutGuesses(claims, probability === undefined ? undefined : { probability }).map(({ verdict }) => verdict);
  expect(verdicts(0.29)).toEqual(["supported", "unsupported"]);
  expect(verdicts(0.3)).toEqual(["supported", "likely"]);
  expect(verdicts(undefined)).toEqual(["supported", "likely"]);
});

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

test("a claim that answers the question is shown", async () => {
  const { claims, report } = await asked(0.9);
  expect(claims.map(({ text }) => text)).toEqual(["The Lisbon office has a garden."]);
  expect(report.usefulness).toBe(0.9);
});

describe("the missing part that a quoted draft names", () => {
  const lacking = { generate: async () => ({ ...(await draft.generate()), missing: "When the Lisbon office opens" }) };
  const said = async (answerability: (part: string) => number, question: string) => {
    const encoder = fakeEncoder({ judge: ({ text }) => ({ answerability: answerability(text) }) });
    const { status, missing } = await createAgent({
      tools: { ...fakeTools({ passages }), generator: lacking, encoder },
    }).ask(question);
    return { status, missing };
  };

  test("is not shown if the judge is sure that the claims answer", async () => {
    expect(await said(() => 0.9, "When does the Lisbon office open?")).toEqual({ status: "answered", missing: "" });
    expect(await said(() => 0.8, "When does the Lisbon office open?")).toMatchObject({ status: "partial" });
  });

  test("is shown if the claims answer only one part of the question", async () => {
    const ofGarden = (part: string) => (part.includes("when") ? 0.3 : 0.9);
    const question = "Has the Lisbon office a garden, and when does it open?";
    expect(await said(ofGarden, question)).toEqual({ status: "partial", missing: "When the Lisbon office opens" });
  });
});

describe("a draft of a model", () => {
  const [text = ""] = passages.map((one) => one.text);
  const written = async (answerability: number, missing = "") => {
    const generate = async () => ({ claims: (await draft.generate()).claims, missing });
    const encoder = fakeEncoder({ judge: () => ({ answerability }) });
    const fakes = fakeTools({ passages, grader: fakeGrader({ answerability: "unknown", probability: 0.2 }) });
    const generator = { generate, leads: async () => true };
    const context = { sources: { graph: false, web: false } };
    return createAgent({ tools: { ...fakes, generator, encoder }, context }).ask("When does the Lisbon office open?");
  };

  test("is shown if it holds, whatever the judge says of its use", async () => {
    const { status, claims, report } = await written(0.01);
    expect(status).toBe("answered");
    expect(claims.map((claim) => claim.text)).toEqual([text]);
    expect(report).not.toHaveProperty("usefulness");
  });

  test("is incomplete if the model says so, even if the judge is sure that it answers", async () => {
    expect(await written(0.99, "When the Lisbon office opens")).toMatchObject({
      status: "partial",
      missing: "When the Lisbon office opens",
    });
  });
});
