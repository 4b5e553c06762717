import type { Verify } from "./corpus.js";
import type { QaItem } from "./data.js";
import { overlapF1, says } from "./match.js";
import { type Cost, costs } from "./meter.js";
import { calibrationError, mean } from "./metrics.js";
import type { Measured, Metrics } from "./result.js";

/** What a system said to a question, as far as it is judged. */
export interface Reply {
  text: string;
  /** The system broke and said nothing. */
  failed: boolean;
  refused: boolean;
  /** Every quote shown, with the name of the source it is said to stand in. */
  citations: { quote: string; source: string }[];
  /** How many sentences the answer makes, and how many of them carry no quote; null where a system does not say. */
  claims: number | null;
  uncited: number | null;
  /** 0 to 1; null where a system does not say. */
  confidence: number | null;
  /** Anything else worth reading beside the item. */
  notes: Readonly<Record<string, unknown>>;
  cost: Cost;
}

export type Ask = (item: QaItem) => Promise<Reply>;

/**
 * Asks every question and judges what comes back.
 * @param progress is told how many questions are done.
 */
export async function qa(
  items: readonly QaItem[],
  ask: Ask,
  verify: Verify,
  progress: (done: number) => void = () => {},
): Promise<Measured> {
  const judged: Judged[] = [];
  for (const item of items) {
    judged.push(judge(item, await ask(item), verify));
    progress(judged.length);
  }
  return { n: items.length, metrics: measures(judged), baselines: {}, items: judged.map(shown) };
}

type Outcome = "right" | "wrong" | "refusedWrongly" | "refusedRightly" | "answeredUnanswerable" | "failed";

interface Judged {
  item: QaItem;
  reply: Reply;
  outcome: Outcome;
  f1: number;
  /** One a citation, in order. */
  found: boolean[];
}

function judge(item: QaItem, reply: Reply, verify: Verify): Judged {
  const found = reply.citations.map(verify);
  const f1 = reply.refused || reply.failed ? 0 : overlapF1(reply.text, item.answers);
  return { item, reply, outcome: outcomeOf(item, reply), f1, found };
}

function outcomeOf(item: QaItem, reply: Reply): Outcome {
  if (reply.failed) return "failed";
  if (!item.answerable) return reply.refused ? "refusedRightly" : "answeredUnanswerable";
  if (reply.refused) return "refusedWrongly";
  return says(reply.text, item.answers) ? "right" : "wrong";
}

function measures(judged: readonly Judged[]): Metrics {
  const count = (outcome: Outcome) => judged.filter((one) => one.outcome === outcome).length;
  const answerable = judged.filter((one) => one.item.answerable);
  const answered = judged.filter((one) => !one.reply.refused && !one.reply.failed);
  const found = judged.flatMap((one) => one.found);
  const sure = answered.flatMap(({ reply, outcome }) =>
    reply.confidence === null ? [] : [{ score: reply.confidence, positive: outcome === "right" }],
  );
  const total = (of: (reply: Reply) => number | null) =>
    judged.some(({ reply }) => of(reply) !== null)
      ? judged.reduce((sum, { reply }) => sum + (of(reply) ?? 0), 0)
      : null;
  return {
    answerable: answerable.length,
    unanswerable: judged.length - answerable.length,
    right: count("right"),
    wrong: count("wrong"),
    wrongButClose: judged.filter((one) => one.outcome === "wrong" && one.f1 >= CLOSE).length,
    refusedWrongly: count("refusedWrongly"),
    refusedRightly: count("refusedRightly"),
    answeredUnanswerable: count("answeredUnanswerable"),
    failed: count("failed"),
    rightOfAll: (count("right") + count("refusedRightly")) / judged.length,
    wrongOfAnswered: mean(answered.map((one) => Number(one.outcome !== "right"))),
    f1: mean(answerable.map((one) => one.f1)),
    citations: found.length,
    citationPrecision: mean(found.map(Number)),
    claims: total((reply) => reply.claims),
    uncitedClaims: total((reply) => reply.uncited),
    calibrationError: calibrationError(sure),
    ...costs(judged.map((one) => one.reply.cost)),
  };
}

/** Expected answers of some sets are whole sentences, which an answer in other words does not repeat in full. */
const CLOSE = 0.5;

const shown = ({ item, reply, outcome, f1, found }: Judged) => ({
  id: item.id,
  question: item.question,
  answerable: item.answerable,
  expected: item.answers,
  outcome,
  answer: reply.text,
  f1,
  citations: reply.citations.map((citation, i) => ({ ...citation, found: found[i] ?? false })),
  confidence: reply.confidence,
  ...reply.notes,
  ...reply.cost.usage,
  seconds: reply.cost.seconds,
  faults: reply.cost.faults,
});
