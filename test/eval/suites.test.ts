import { describe, expect, test } from "vitest";
import { answerability } from "../../research/eval/answerability.js";
import type { Corpus } from "../../research/eval/corpus.js";
import type { AnswerabilityItem, QaItem, RelevanceItem } from "../../research/eval/data.js";
import { qa } from "../../research/eval/qa.js";
import { standsIn } from "../../research/eval/quotes.js";
import { relevance } from "../../research/eval/relevance.js";
import { retrieval } from "../../research/eval/retrieval.js";
import { support } from "../../research/eval/support.js";
import type { Reply } from "../../src/evaluate/ask.js";
import { strips } from "../../src/text/strips.js";
import type { Documents } from "../../src/tools/documents/port.js";
import type { Passage } from "../../src/types/evidence.js";
import type { Checker, Grade, Grader } from "../../src/types/reasoners.js";
import { fakeEncoder } from "../encoder.js";

describe("retrieval", () => {
  const corpus = [
    { id: "en", title: "", text: "The office opens at eight." },
    { id: "zh", title: "", text: "办公室八点开门。" },
    { id: "other", title: "", text: "Bread is baked daily." },
  ];
  const queries = [
    { id: "1", question: "When does the office open?", relevant: ["en"] },
    { id: "2", question: "办公室几点开门？", relevant: ["zh"] },
  ];

  test("scores the order of the store by corpus ids, and BM25 as a baseline", async () => {
    const result = await retrieval(corpus, queries, storeThatReturns(["other", "en", "zh"]));
    expect(result).toMatchObject({
      n: 2,
      metrics: { recallAt1: 0, recallAt5: 1, mrr: (1 / 2 + 1 / 3) / 2, passages: 3 },
      baselines: { bm25: { recallAt1: 1, mrr: 1, ndcgAt10: 1 } },
    });
    expect(result.items).toMatchObject([
      { id: "1", rank: 2, bm25Rank: 1 },
      { id: "2", rank: 3, bm25Rank: 1 },
    ]);
  });

  test("counts a passage that is not found as zero", async () => {
    const result = await retrieval(corpus, queries, storeThatReturns([]));
    expect(result.metrics).toMatchObject({ recallAt10: 0, mrr: 0, ndcgAt10: 0 });
    expect(result.items[0]).toMatchObject({ rank: null });
  });
});

describe("relevance", () => {
  const item = (id: string, question: string, ...passages: [text: string, relevant: boolean][]): RelevanceItem => ({
    id,
    question,
    passages: passages.map(([text, relevant], i) => ({ id: String(i), text, relevant })),
  });
  const items = [
    item("1", "When?", ["good .9", true], ["weak .5", true], ["bad .6", false]),
    item("2", "何时？", ["好 .8", true], ["差 .2", false]),
  ];

  test("ranks by the best strip and decides at the product's threshold", async () => {
    const { n, metrics } = await relevance(items, graderThatReads());
    expect(n).toBe(2);
    // At the threshold of .6: .9 and .8 are found, .5 is missed, .6 is a false positive, .2 is a true negative.
    expect(metrics).toMatchObject({ threshold: 0.6, balancedAccuracy: (2 / 3 + 1 / 2) / 2, f1: 4 / 6, passages: 5 });
    // Question 1: ranks 1 and 3. Question 2: rank 1.
    expect(metrics.map).toBeCloseTo((5 / 6 + 1) / 2, 10);
    expect(metrics.auc).toBeCloseTo(5 / 6, 10);
  });

  test("grades at most as many passages at a time as an answer uses", async () => {
    const sizes: number[] = [];
    const long = item("1", "When?", ...Array.from({ length: 10 }, (_, i): [string, boolean] => [`text .${i}`, i > 8]));
    const { items: judged } = await relevance(
      [long],
      graderThatReads((count) => sizes.push(count)),
    );
    expect(sizes).toEqual([8, 2]);
    expect(judged[0]).toMatchObject({ passages: Array.from({ length: 10 }, (_, i) => ({ score: i / 10 })) });
  });
});

describe("answerability", () => {
  const item = (id: string, text: string, answerable: boolean): AnswerabilityItem => ({
    id,
    question: id.startsWith("z") ? "何时？" : "When?",
    passages: [{ id: "p", text }],
    answerable,
  });
  const items = [
    item("e1", "full .9", true),
    item("e2", "none .9", false),
    item("z1", "full 答 .7", true),
    item("z2", "full .2", false),
    item("z3", "partial .9", true),
  ];

  test("is the decision of the graph from grade and relevance together", async () => {
    const { metrics, baselines, items: judged } = await answerability(items, graderThatReads());
    expect(judged.map((one) => one.predicted)).toEqual([true, false, true, false, false]);
    expect(metrics).toMatchObject({
      answeredRightly: 2,
      answeredWrongly: 0,
      refusedRightly: 2,
      refusedWrongly: 1,
      balancedAccuracy: (2 / 3 + 1) / 2,
      noAnswerF1: 4 / 5,
    });
    expect(baselines.alwaysAnswer).toMatchObject({ balancedAccuracy: 0.5, noAnswerF1: 0 });
  });

  test("reports how the decision changes with the threshold, without grading again", async () => {
    let asked = 0;
    const { metrics } = await answerability(
      items,
      graderThatReads(() => asked++),
    );
    expect(asked).toBe(items.length);
    const rows = Array.isArray(metrics.sweep) ? metrics.sweep : [];
    const at = (generateAt: number) => rows.find((row) => row.generateAt === generateAt);
    expect(at(0.1)).toMatchObject({ answerableRecall: 2 / 3, unanswerableRecall: 0.5 });
    expect(at(0.8)).toMatchObject({ answerableRecall: 1 / 3, unanswerableRecall: 1 });
  });
});

const verdicts = ({ claims }: Readonly<Record<string, unknown>>) =>
  (claims as { verdict: string }[]).map(({ verdict }) => verdict);

describe("support", () => {
  const sources = ["The office opens at eight. Anna Berg leads it.", "办公室八点开门。"];
  const items = [
    { id: "verbatim", claim: "The office opens at eight.", sources, supported: true },
    { id: "原文", claim: "办公室八点开门。", sources, supported: true },
    { id: "number", claim: "The office opens at 9:30.", sources, supported: false },
    { id: "words", claim: "Anna Berg is in charge of the office.", sources, supported: true },
  ];

  test("is settled by code if possible, and otherwise by the checker", async () => {
    const asked: string[] = [];
    const checker: Checker = {
      check: async ({ claims }) => {
        asked.push(...claims.map((claim) => claim.text));
        return claims.map(({ text }) => ({
          verdict: text.includes("9:30") ? "contradicted" : "supported",
          reason: { code: "own", words: "It says so." },
        }));
      },
    };
    const { metrics, items: judged } = await support(items, { checker });
    expect(asked.sort()).toEqual(["Anna Berg is in charge of the office.", "The office opens at 9:30."]);
    expect(judged.map(verdicts)).toEqual([["supported"], ["supported"], ["contradicted"], ["supported"]]);
    expect(metrics).toMatchObject({
      balancedAccuracy: 1,
      auc: 1,
      stages: [
        { stage: 1, asked: 4, settled: 0 },
        { stage: 2, asked: 4, settled: 2, held: 2, heldRightly: 2 },
        { stage: 5, asked: 2, settled: 2, heldRightly: 1, rejectedRightly: 1 },
      ],
    });
  });

  test("is settled by the checker, and without one by the judge, at a probability above .75", async () => {
    const never: Checker = {
      check: async ({ claims }) => claims.map(() => ({ verdict: "unsupported", reason: { code: "own", words: "" } })),
    };
    const settledBy = async (supported: number, tools: Parameters<typeof support>[1] = {}) => {
      const encoder = fakeEncoder({ judge: () => ({ supported }) });
      const { items: judged, baselines } = await support(items, { ...tools, encoder });
      expect(baselines.judgeAlone).toMatchObject({ auc: 0.5 });
      return judged.at(-1)?.claims;
    };
    expect(await settledBy(0.95)).toMatchObject([{ settledBy: "entailment", verdict: "supported" }]);
    expect(await settledBy(0.8)).toMatchObject([{ settledBy: "entailment", verdict: "likely", window: 1 }]);
    expect(await settledBy(0.95, { checker: never })).toMatchObject([{ settledBy: "checker", verdict: "unsupported" }]);
  });

  test("of a claim is as probable as its least probable sentence", async () => {
    const encoder = fakeEncoder({ judge: ({ text }) => ({ supported: text.includes("runs") ? 0.2 : 0.95 }) });
    const claim = "Anna Berg is the head of it. She runs a bakery.";
    const { items: judged } = await support([{ id: "two", claim, sources, supported: false }], { encoder });
    expect(judged).toMatchObject([{ judge: 0.2, claims: [{ verdict: "supported" }, { verdict: "unsupported" }] }]);
  });

  test("is unsupported if no stage could settle it, and the fault is counted", async () => {
    const failing: Checker = { check: () => Promise.reject(new Error("no model")) };
    const { metrics, items: judged } = await support(items, { checker: failing });
    expect(judged.at(-1)?.claims).toMatchObject([{ verdict: "unsupported" }]);
    expect(metrics).toMatchObject({ supportedRecall: 2 / 3, unsupportedRecall: 1, faults: 2 });
  });
});

describe("qa", () => {
  const item = (id: string, answerable: boolean, ...answers: string[]): QaItem => ({
    id,
    question: id,
    answerable,
    answers,
    also: [],
    history: [],
  });
  const items = [
    item("right", true, "eight"),
    item("wrong", true, "nine"),
    item("shy", true, "八点"),
    item("honest", false),
    item("bold", false),
    item("broken", true, "ten"),
  ];
  const replies: Record<string, Reply> = {
    right: reply("The office opens at eight.", { quote: "opens at eight", source: "office" }),
    wrong: reply("It opens at eight.", { quote: "opens at nine", source: "office" }),
    shy: { ...reply(""), refused: true },
    honest: { ...reply(""), refused: true },
    broken: { ...reply(""), failed: true },
    bold: reply("八点。", { quote: "八点", source: "nowhere" }),
  };

  test("counts answers that the system is unsure of separately", async () => {
    const ask = async () => ({ ...reply("The office opens at eight."), unsure: true });
    const three = [item("right", true, "eight"), item("wrong", true, "nine"), item("honest", false)];
    expect((await qa(three, ask, { holds: () => true, textOf: () => "" })).metrics).toMatchObject({
      ...{ right: 0, wrong: 0, answeredUnanswerable: 0, wrongOfAnswered: null },
      ...{ unsureRightly: 1, unsureWrongly: 1, unsureOfUnanswerable: 1 },
    });
  });

  test("counts an answer with half of the expected parts as wrong", async () => {
    const corpus: Corpus = { holds: () => true, textOf: () => "" };
    const ask = async () => reply("The office opens at eight.");
    const both = [
      { ...item("whole", true, "eight"), also: ["office"] },
      { ...item("half", true, "eight"), also: ["Monday"] },
    ];
    expect((await qa(both, ask, corpus)).metrics).toMatchObject({ right: 1, wrong: 1 });
  });

  test("counts right, wrong and refused answers, and looks up the quotes itself", async () => {
    const textOf = (source: string) => (source === "office" ? "The office\nopens at eight." : "");
    const holds: Corpus["holds"] = ({ source, quote }) => standsIn(textOf(source), quote);
    const result = await qa(items, async ({ id }) => replies[id] ?? reply(""), { holds, textOf });
    expect(result.items.map((one) => one.outcome)).toEqual([
      "right",
      "wrong",
      "refusedWrongly",
      "refusedRightly",
      "answeredUnanswerable",
      "failed",
    ]);
    expect(result.metrics).toMatchObject({
      answerable: 4,
      unanswerable: 2,
      failed: 1,
      right: 1,
      wrong: 1,
      refusedWrongly: 1,
      refusedRightly: 1,
      answeredUnanswerable: 1,
      rightOfAll: 2 / 6,
      wrongOfAnswered: 2 / 3,
      citations: 3,
      citationPrecision: 1 / 3,
      // "opens at eight" supports its statement, "opens at nine" is not in its source, and "八点" has no source.
      statements: 3,
      citationRecall: 2 / 3,
      unsupportedStatements: 1,
      firstStatementP50: 0.5,
      callsPerItem: 2,
      freshTokensPerItem: 60,
      cachedTokensPerItem: 40,
      secondsP50: 1,
    });
    // Three answers with confidence .9, one of them right.
    expect(result.metrics.calibrationError).toBeCloseTo(0.9 - 1 / 3, 10);
  });
});

/** A store that returns its passages in this order for every query. */
function storeThatReturns(ids: readonly string[]): Documents {
  const stored = new Map<string, Passage>();
  return {
    upsert: async (passages) => {
      for (const passage of passages) stored.set(passage.documentId, passage);
    },
    search: async () => ids.flatMap((id) => stored.get(id) ?? []).map((passage) => ({ ...passage, score: 1 })),
    isEmpty: async () => stored.size === 0,
    remove: async () => 0,
    get: async () => [],
    neighbours: async () => [],
    list: async () => [],
    close: async () => {},
  };
}

/** A grader that reads its grade from the texts: ".7" is the relevance; "full", "partial" or "none" is the verdict. */
function graderThatReads(asked: (passages: number) => void = () => {}): Grader {
  return {
    grade: async ({ evidence }): Promise<Grade> => {
      asked(evidence.length);
      const said = evidence.map((piece) => piece.text).join(" ");
      return {
        relevance: evidence.map(({ text }) => strips(text).map(() => Number(/\.\d/.exec(text)?.[0] ?? 0))),
        answerability: said.includes("none") ? "none" : said.includes("partial") ? "partial" : "full",
        missing: "",
        entities: [],
        clarification: "",
      };
    },
  };
}

function reply(text: string, ...citations: Reply["statements"][number]["citations"]): Reply {
  return {
    text,
    failed: false,
    refused: false,
    statements: [{ text, citations, sources: citations.map(({ source }) => source) }],
    contexts: [],
    firstStatementSeconds: 0.5,
    confidence: 0.9,
    notes: {},
    cost: {
      usage: { calls: 2, inputTokens: 100, cachedTokens: 40, outputTokens: 10 },
      faults: [],
      seconds: 1,
    },
  };
}
