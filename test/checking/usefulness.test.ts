import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { isCopied, withoutGuesses } from "../../src/checking/usefulness.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import { aliasesOf } from "../../src/text/aliases.js";
import { localRewriter } from "../../src/tools/models/local-reasoners.js";
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
  }),
};
test("the judge reads the question with the names that the claims use", async () => {
  const encoder = fakeEncoder({ judge: () => ({ answerability: 0.9 }) });
  const aliases = aliasesOf([["HQ", "Lisbon office", "里斯本办公室"]]);
  const tools = { ...fakeTools({ passages }), generator: draft, encoder, aliases };
  await createAgent({ tools }).ask("Does the HQ have a garden?");
  expect(encoder.asked.map(({ text }) => text)).toContain("Does the Lisbon office have a garden?");
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

test("many claims count as copied unless the judge is sure that the evidence answers", () => {
  const claims = ["one", "two", "three", "four"].map((id) => claimOf(id, "supported"));
  const unsure = { probability: 0.6, answerability: "unknown" as const };
  expect(isCopied(claims, unsure)).toBe(true);
  expect(isCopied(claims.slice(1), unsure)).toBe(false);
  expect(isCopied([...claims.slice(1), claimOf("five", "unsupported")], unsure)).toBe(false);
  expect(isCopied(claims, { probability: 0.7, answerability: "full" })).toBe(false);
  expect(isCopied(claims, { answerability: "partial" })).toBe(false);
});

describe("the sentences that the judge would quote", () => {
  const [garden] = passages;
  const hours = fakePassage("hours", "The Lisbon office opens at eight.");
  const answered = async (
    ofDraft: number,
    ofQuotes: number,
    { probability = 0.9, words = "", language = "en" } = {},
  ) => {
    const fakes = fakeTools({ passages: [...passages, { ...hours, language: language as typeof hours.language }] });
    const claimed = (passage: typeof hours | undefined) =>
      passage ? [{ text: passage.text, citations: [{ evidenceId: passage.id, quote: passage.text }] }] : [];
    const grade: typeof fakes.grader.grade = async (task, call) => ({
      ...(await fakes.grader.grade(task, call)),
      answerability: "full",
      probability,
    });
    const encoder = fakeEncoder({
      judge: ({ passage }) => {
        const start = passage.includes("garden") ? -1 : passage.indexOf(words);
        const span = { start, end: start + words.length, probability: 0.9 };
        return { answerability: passage.includes("garden") ? ofDraft : ofQuotes, ...(words && start >= 0 && { span }) };
      },
    });
    const generator = { generate: async () => ({ claims: claimed(garden), quotes: claimed(hours), missing: "" }) };
    return (await createAgent({ tools: { ...fakes, grader: { grade }, generator, encoder } }).ask(question)).text;
  };
  const question = "When does the Lisbon office open?";

  test("replace a draft that probably does not answer if they do", async () => {
    expect(await answered(0.4, 0.6)).toContain("opens at eight");
  });

  test("do not replace a draft that answers", async () => {
    expect(await answered(0.6, 0.9)).not.toContain("opens at eight");
  });

  test("replace a draft without the words of an answer that the judge is sure of", async () => {
    expect(await answered(0.6, 0.9, { words: "opens at eight" })).toContain("opens at eight");
  });

  test("do not replace one that has them, or if the judge is less sure, or in another language than the question", async () => {
    expect(await answered(0.6, 0.9, { words: "Lisbon office" })).not.toContain("opens at eight");
    expect(await answered(0.6, 0.9, { words: "opens at eight", probability: 0.8 })).not.toContain("opens at eight");
    expect(await answered(0.6, 0.9, { words: "opens at eight", language: "zh" })).not.toContain("opens at eight");
  });
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

describe("the missing part that a draft names", () => {
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

describe("in an answer to a question that one section answers", () => {
  const [opens, garden, bridge] = ["The Lisbon office opens at nine.", "The garden is open.", "The bridge is closed."];
  // Three strips.
  const text = `# Hours\n\n${opens}\n\n# Garden\n\n${garden}\n\n# Bridge\n\n${bridge}\n`;
  const said = async (sentences: readonly string[], relevance: readonly number[], hasModel = true) => {
    const found = [fakePassage("house", text)];
    let drafts = 0;
    const generate = async () => {
      drafts++;
      const claims = sentences.map((quote) => ({
        text: quote,
        citations: [{ evidenceId: found[0]?.id ?? "", quote }],
      }));
      return { claims, missing: "" };
    };
    const grade = async () => ({
      relevance: [[...relevance]],
      answerability: "full" as const,
      missing: "",
      entities: [],
      clarification: "",
      reason: { code: "stated" },
    });
    const { checker, ...fakes } = fakeTools({ passages: found });
    const tools = { ...fakes, ...(hasModel && checker && { checker }), generator: { generate }, grader: { grade } };
    const { claims, status } = await createAgent({ tools }).ask("When does the Lisbon office open?");
    return { shown: claims.map((claim) => claim.text), status, drafts };
  };

  test("claims from irrelevant parts are left out without a repair", async () => {
    expect(await said([opens, bridge], [1, 0, 0])).toEqual({ shown: [opens], status: "answered", drafts: 1 });
  });

  test("all claims are shown without a model, since they are a list that goes on", async () => {
    expect(await said([opens, bridge], [1, 0, 0], false)).toMatchObject({ shown: [opens, bridge] });
  });

  test("claims from a part next to a relevant one are shown", async () => {
    expect(await said([opens, garden], [1, 0, 0])).toMatchObject({ shown: [opens, garden] });
  });

  test("claims from irrelevant parts are shown if no claim is from a relevant part", async () => {
    expect(await said([bridge], [1, 0, 0])).toMatchObject({ shown: [bridge] });
  });
});
