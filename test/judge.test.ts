import { describe, expect, test } from "vitest";
import { judgeClaim, judgePassages } from "../src/index.js";
import { fakeEncoder } from "./encoder.js";

const SOURCE = "The office in Ghent opens at eight. The manager of the office likes tea.";

describe("a claim", () => {
  test("of several sentences is as probable as its least probable sentence, and quotes the evidence for that one", async () => {
    const encoder = fakeEncoder({
      judge: ({ text }) => (text.includes("opens") ? { supported: 0.95 } : { supported: 0.05, contradicted: 0.9 }),
    });
    const judged = await judgeClaim("The office opens at eight. The manager of the office prefers coffee.", [SOURCE], {
      encoder,
    });
    expect(judged).toMatchObject({
      verdict: "contradicted",
      supported: 0.05,
      contradicted: 0.9,
      quote: "The manager of the office likes tea.",
    });
    expect(judged.neither).toBeCloseTo(0.05, 10);
  });

  test("is judged against the relevant part of a long source, with few judgements", async () => {
    const filler = Array.from({ length: 400 }, (_, n) => `Paragraph ${n} speaks of something else altogether.`).join(
      "\n\n",
    );
    const encoder = fakeEncoder({ judge: ({ passage }) => ({ supported: passage.includes("Ghent") ? 0.97 : 0.01 }) });
    const { verdict, quote } = await judgeClaim("The Ghent office opens at eight.", [`${filler}\n\n${SOURCE}`], {
      encoder,
    });
    expect([verdict, quote]).toEqual(["supported", "The office in Ghent opens at eight."]);
    expect(encoder.asked.length).toBeLessThanOrEqual(4);
  });

  test.each([
    [0.95, 0, "supported"],
    [0.8, 0.1, "likely"],
    [0.6, 0.1, "unsupported"],
    [0.2, 0.1, "unsupported"],
    [0.1, 0.89, "unsupported"],
    [0.1, 0.9, "contradicted"],
  ])("of probability %f, contradicted with %f, is %s", async (supported, contradicted, verdict) => {
    const encoder = fakeEncoder({ judge: () => ({ supported, contradicted }) });
    expect(await judgeClaim("It opens at eight.", [SOURCE], { encoder })).toMatchObject({ verdict, supported });
  });

  test("with no sources or empty sources is unsupported and has no quote", async () => {
    const encoder = fakeEncoder();
    for (const sources of [[], [""]])
      expect(await judgeClaim("It opens at eight.", sources, { encoder })).toMatchObject({
        verdict: "unsupported",
        quote: "",
      });
  });
});

describe("passages", () => {
  test("are graded one by one, the best grade is the answerability, and an empty passage has no span", async () => {
    const span = { start: 25, end: 34, probability: 0.9 };
    const encoder = fakeEncoder({
      judge: ({ passage }) => (passage ? { relevance: 0.8, answerability: 0.9, span } : { relevance: 0.1 }),
    });
    expect(await judgePassages("When does it open?", [SOURCE, ""], { encoder })).toEqual({
      answerable: 0.9,
      relevance: [0.8, 0.1],
      answerability: [0.9, 0],
      spans: [{ passage: 0, ...span, text: SOURCE.slice(25, 34) }, null],
    });
  });

  test("if there are none, nothing is answerable", async () => {
    expect(await judgePassages("When?", [], { encoder: fakeEncoder() })).toMatchObject({ answerable: 0, spans: [] });
  });
});
