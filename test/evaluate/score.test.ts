import { describe, expect, test } from "vitest";
import type { Reply } from "../../src/evaluate/ask.js";
import type { Question } from "../../src/evaluate/questions.js";
import { scoreReply } from "../../src/evaluate/score.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";

const documents = inMemoryDocuments([
  fakePassage("hours", "The Lisbon office opens at eight."),
  fakePassage("bread", "Bread is baked daily."),
]);

const asked = (given: Partial<Question> = {}): Question => ({
  ...{ id: "q", question: "When does the Lisbon office open?", answers: ["eight"], also: [], answerable: true },
  ...{ passages: [], tags: [], history: [], ...given },
});
const none = asked({ answers: [], answerable: false });

const HOURS = { source: "docs/hours.md", title: "Hours", text: "The Lisbon office opens at eight. It closes at six." };
const BREAD = { source: "docs/bread.md", title: "Bread", text: "Bread is baked daily in Porto." };

function reply(text: string, given: Partial<Reply> = {}): Reply {
  return {
    ...{ text, failed: false, refused: false, firstStatementSeconds: null, confidence: 0.8, notes: {} },
    statements: [
      {
        text,
        citations: [{ quote: "The Lisbon office opens at eight.", source: HOURS.source }],
        sources: [HOURS.source],
      },
    ],
    contexts: [HOURS, BREAD],
    cost: { usage: { calls: 1, inputTokens: 1000, cachedTokens: 0, outputTokens: 100 }, faults: [], seconds: 1 },
    ...given,
  };
}
const refusal = reply("I do not know.", { refused: true, statements: [] });
const score = (question: Question, said: Reply) => scoreReply("emend", question, said, { documents });

test("a right answer gets full scores", async () => {
  const { outcome, why, scores } = await score(asked(), reply("The Lisbon office opens at eight."));
  expect({ outcome, why }).toEqual({ outcome: "right", why: "" });
  expect(scores).toEqual({
    ...{ answer_correctness: 1, answer_correctness_by_model: null, faithfulness: 1, context_precision: 1 },
    ...{ context_recall: 1, citation_precision: 1 },
    ...{ citation_recall: 1, answerability: 1, refused_rightly: null, refused_wrongly: 0, answered_wrongly: 0 },
  });
});

test("an outage is no right abstention", async () => {
  const { outcome, scores } = await score(asked({ answerable: false, answers: [] }), reply("", { failed: true }));
  expect(outcome).toBe("failed");
  expect(scores).toMatchObject({ answerability: 0, refused_rightly: 0, answered_wrongly: 0 });
});

test("an answer that its sources do not support is wrong, unfaithful and badly cited", async () => {
  const { outcome, scores } = await score(asked(), reply("The Lisbon office opens at nine."));
  expect(outcome).toBe("wrong");
  expect(scores).toMatchObject({
    answer_correctness: 0,
    faithfulness: 0,
    citation_precision: 0,
    citation_recall: 0,
    answered_wrongly: 1,
  });
});

test("a quote that is in no retrieved passage of its source lowers the precision of citations", async () => {
  const text = "The Lisbon office opens at eight.";
  const citations = [{ quote: text, source: BREAD.source }];
  const { scores } = await score(asked(), reply(text, { statements: [{ text, citations, sources: [] }] }));
  expect(scores).toMatchObject({ citation_precision: 0, citation_recall: 1 });
});

test("a redundant second quote lowers precision", async () => {
  const text = "The Lisbon office opens at eight.";
  const citations = [
    { quote: text, source: HOURS.source },
    { quote: BREAD.text, source: BREAD.source },
  ];
  const { scores } = await score(asked(), reply(text, { statements: [{ text, citations, sources: [] }] }));
  expect(scores.citation_precision).toBe(0.5);
});

test("a table row with its header counts as one citation, in Chinese too", async () => {
  const text = "产品：苍鹭 H40；保修期：36个月";
  const quotes = ["| 苍鹭 H40 | 36个月 |", "| 产品 | 保修期 |"];
  const table = {
    source: "保修.md",
    title: "保修",
    text: `${quotes[1]}\n| --- | --- |\n${quotes[0]}\n| 鹡鸰 W3 | 12个月 |`,
  };
  const citations = quotes.map((quote) => ({ quote, source: table.source }));
  const said = reply(text, { statements: [{ text, citations, sources: [table.source] }], contexts: [BREAD, table] });
  const { scores } = await score(asked({ question: "苍鹭 H40 保修多久？", answers: ["36个月"] }), said);
  expect(scores).toMatchObject({ answer_correctness: 1, faithfulness: 1, citation_precision: 1, citation_recall: 1 });
  const other = { ...said, statements: [{ text: "产品：鹡鸰 W3；保修期：36个月", citations, sources: [] }] };
  expect((await score(asked(), other)).scores).toMatchObject({
    faithfulness: 0,
    citation_precision: 0,
    citation_recall: 0,
  });
});

test("a statement of several sentences is supported if each of them is", async () => {
  const of = async (text: string) => {
    const citations = [{ quote: HOURS.text, source: HOURS.source }];
    return (await score(asked(), reply(text, { statements: [{ text, citations, sources: [] }] }))).scores;
  };
  expect(await of(HOURS.text)).toMatchObject({ faithfulness: 1, citation_recall: 1, citation_precision: 1 });
  expect(await of("The Lisbon office opens at eight. It closes at nine.")).toMatchObject({ faithfulness: 0 });
});

test("an answer without citations has no citation recall", async () => {
  const text = "The Lisbon office opens at eight.";
  const { scores } = await score(asked(), reply(text, { statements: [{ text, citations: [], sources: [] }] }));
  expect(scores).toMatchObject({ faithfulness: 1, citation_precision: null, citation_recall: 0 });
});

describe("abstention", () => {
  test.each([
    [
      "a refusal where there is no answer",
      none,
      refusal,
      "refusedRightly",
      { answerability: 1, refused_rightly: 1, answer_correctness: null },
    ],
    [
      "a refusal where there is one",
      asked(),
      refusal,
      "refusedWrongly",
      { answerability: 0, refused_wrongly: 1, answer_correctness: 0 },
    ],
    [
      "an answer where there is none",
      none,
      reply("At eight."),
      "answeredUnanswerable",
      { answerability: 0, refused_rightly: 0, answered_wrongly: 1 },
    ],
    [
      "quotes that may answer",
      asked(),
      reply("It opens at eight.", { unsure: true }),
      "unsureRightly",
      { answerability: 0, refused_wrongly: 1, answer_correctness: 0 },
    ],
    [
      "such quotes where there is no answer",
      none,
      reply("At eight.", { unsure: true }),
      "unsureOfUnanswerable",
      { refused_rightly: 1, answered_wrongly: 0 },
    ],
    [
      "a system that broke",
      asked(),
      reply("", { failed: true }),
      "failed",
      { answerability: 0, refused_wrongly: 0, answer_correctness: 0, faithfulness: null },
    ],
  ] as const)("%s", async (_name, question, said, outcome, scores) => {
    expect(await score(question, said)).toMatchObject({ outcome, scores });
  });
});

describe("retrieval", () => {
  const retrieved = (question: Question, ...contexts: Reply["contexts"]) =>
    score(question, reply("The Lisbon office opens at eight.", { contexts }));

  test("a passage at a lower rank counts less, by the precision at its rank", async () => {
    expect((await retrieved(asked(), BREAD, HOURS)).scores).toMatchObject({
      context_precision: 0.5,
      context_recall: 1,
    });
    const twice = asked({ passages: ["hours.md", "Bread is baked daily"] });
    // Ranks 1 and 3: (1/1 + 2/3) / 2.
    const other = { ...BREAD, source: "docs/other.md", text: "Nothing of it." };
    expect((await retrieved(twice, HOURS, other, BREAD)).scores.context_precision).toBeCloseTo(5 / 6, 10);
  });

  test("an expected document that is not retrieved lowers recall", async () => {
    const named = asked({ passages: ["hours.md", "leave.md"] });
    expect((await retrieved(named, HOURS, BREAD)).scores.context_recall).toBe(0.5);
    expect((await retrieved(asked({ also: ["six"] }), BREAD)).scores).toMatchObject({
      context_precision: 0,
      context_recall: 0,
    });
  });

  test("the end of a document name does not match as a name", async () => {
    expect((await retrieved(asked({ passages: ["ours.md"] }), HOURS)).scores.context_recall).toBe(0);
  });
});

describe("the reason for a wrong answer is reported:", () => {
  test("the expected answer is in no document", async () => {
    const { why } = await score(asked({ answers: ["half past seven"] }), refusal);
    expect(why).toContain("“half past seven”");
    expect(why).toContain("is the expected answer right");
  });

  test("the answer was stored but not retrieved, or retrieved but refused", async () => {
    expect((await score(asked(), { ...refusal, contexts: [BREAD] })).why).toBe(
      "What was retrieved does not say the answer.",
    );
    expect((await score(asked({ passages: ["leave.md"] }), refusal)).why).toBe("Not retrieved: leave.md.");
    expect((await score(asked(), refusal)).why).toBe("The answer was retrieved, but not recognised as one.");
  });
});

test("an expected sentence may be paraphrased, but expected words may not", async () => {
  const said = reply("Opens at eight: the office in Lisbon.");
  expect((await score(asked({ answers: ["The office in Lisbon opens at eight."] }), said)).outcome).toBe("right");
  expect((await score(asked({ answers: ["The office in Lisbon opens at nine."] }), said)).outcome).toBe("wrong");
  expect((await score(asked({ answers: ["office in Lisbon opens at eight"] }), said)).outcome).toBe("wrong");
});

test("the cost of tokens follows the configured price", async () => {
  const price = { input: 1, output: 10 };
  expect(await scoreReply("emend", asked(), refusal, { documents, price })).toMatchObject({ cost: 0.002 });
  expect(await score(asked(), refusal)).toMatchObject({ cost: null });
});
