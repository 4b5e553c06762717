import type { Reply } from "../../src/evaluate/ask.js";
import { containsAnswer, overlapF1 } from "../../src/evaluate/match.js";
import { type Outcome, outcomeOf } from "../../src/evaluate/score.js";
import { calibrationError, mean, quantile } from "../../src/evaluate/statistics.js";
import { carried } from "./carried.js";
import type { Corpus } from "./corpus.js";
import type { QaItem } from "./data.js";
import { costs } from "./meter.js";
import type { Measured, Metrics } from "./result.js";

/**
 * Asks every question and judges the answers.
 * @param progress called with the number of questions done.
 */
export async function qa(
  items: readonly QaItem[],
  ask: (item: QaItem) => Promise<Reply>,
  corpus: Corpus,
  progress: (done: number) => void = () => {},
): Promise<Measured> {
  const judged: Judged[] = [];
  for (const item of items) {
    judged.push(judge(item, await ask(item), corpus));
    progress(judged.length);
  }
  return { n: items.length, metrics: measures(judged), baselines: {}, items: judged.map(shown) };
}

interface Judged {
  item: QaItem;
  reply: Reply;
  outcome: Outcome;
  f1: number;
  /** For each citation, in order: whether its source has the quote. */
  found: boolean[];
  /** For each statement, in order: whether its sources support it, and whether its quotes do. */
  carried: { bySources: boolean; byQuotes: boolean }[];
}

function judge(item: QaItem, reply: Reply, { holds, textOf }: Corpus): Judged {
  const found = citationsOf(reply).map(holds);
  const statements = reply.refused || reply.failed ? [] : reply.statements;
  const held = statements.map(({ text, citations, sources }) => ({
    bySources: carried(text, sources.map(textOf).join("\n")),
    byQuotes: carried(text, citations.map(({ quote }) => quote).join("\n")),
  }));
  const f1 = reply.refused || reply.failed ? 0 : overlapF1(reply.text, item.answers);
  return { item, reply, outcome: outcomeOf(item, reply, isRight(item, reply)), f1, found, carried: held };
}

const citationsOf = ({ statements }: Reply) => statements.flatMap(({ citations }) => citations);

function isRight({ answers, also }: QaItem, { text }: Reply): boolean {
  return containsAnswer(text, answers) && also.every((one) => containsAnswer(text, [one]));
}

function measures(judged: readonly Judged[]): Metrics {
  const count = (outcome: Outcome) => judged.filter((one) => one.outcome === outcome).length;
  const answerable = judged.filter((one) => one.item.answerable);
  const answered = judged.filter(({ reply }) => !reply.refused && !reply.failed && !reply.unsure);
  const found = judged.flatMap((one) => one.found);
  const sure = answered.flatMap(({ reply, outcome }) =>
    reply.confidence === null ? [] : [{ score: reply.confidence, positive: outcome === "right" }],
  );
  const statements = judged.flatMap((one) => one.carried);
  const first = answered.flatMap(({ reply }) => reply.firstStatementSeconds ?? []);
  return {
    answerable: answerable.length,
    unanswerable: judged.length - answerable.length,
    right: count("right"),
    wrong: count("wrong"),
    wrongButClose: judged.filter((one) => one.outcome === "wrong" && one.f1 >= CLOSE).length,
    refusedWrongly: count("refusedWrongly"),
    refusedRightly: count("refusedRightly"),
    answeredUnanswerable: count("answeredUnanswerable"),
    unsureRightly: count("unsureRightly"),
    unsureWrongly: count("unsureWrongly"),
    unsureOfUnanswerable: count("unsureOfUnanswerable"),
    failed: count("failed"),
    rightOfAll: (count("right") + count("refusedRightly")) / judged.length,
    wrongOfAnswered: mean(answered.map((one) => Number(one.outcome !== "right"))),
    f1: mean(answerable.map((one) => one.f1)),
    citations: found.length,
    citationPrecision: mean(found.map(Number)),
    citationRecall: mean(statements.map(({ byQuotes }) => Number(byQuotes))),
    statements: statements.length,
    unsupportedStatements: statements.filter(({ bySources }) => !bySources).length,
    firstStatementP50: quantile(first, 0.5),
    calibrationError: calibrationError(sure),
    ...costs(judged.map((one) => one.reply.cost)),
  };
}

/** Expected answers of some sets are whole sentences, which an answer in other words does not repeat in full. */
const CLOSE = 0.5;

const shown = ({ item, reply, outcome, f1, found, carried: held }: Judged) => ({
  id: item.id,
  question: item.question,
  answerable: item.answerable,
  expected: item.answers,
  outcome,
  answer: reply.text,
  f1,
  citations: citationsOf(reply).map((citation, i) => ({ ...citation, found: found[i] ?? false })),
  unsupported: reply.statements.filter((_, i) => held[i]?.bySources === false).map(({ text }) => text),
  confidence: reply.confidence,
  ...reply.notes,
  ...reply.cost.usage,
  seconds: reply.cost.seconds,
  faults: reply.cost.faults,
});
