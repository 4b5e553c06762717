import type { Agent } from "../src/agent.js";
import type { ContextInput } from "../src/graph/context.js";
import type { Answer } from "../src/types/answer.js";
import type { Decision } from "../src/types/events.js";
import type { Ask } from "./qa.js";

/** The whole graph. It always answers something, so it never fails. A `partial` answer counts as an answer; a question back to the user as a refusal. */
export const askEmend =
  (agent: Agent, context: ContextInput): Ask =>
  async ({ question, history }) => {
    const started = performance.now();
    const decisions: Decision[] = [];
    let answer: Answer | undefined;
    let first: number | null = null;
    for await (const event of agent.stream(question, { history, context })) {
      if (event.type === "decision") decisions.push(event.decision);
      if (event.type === "claim") first ??= (performance.now() - started) / 1000;
      if (event.type === "answer") answer = event.answer;
    }
    if (!answer) throw new Error(`The run ended without an answer: ${question}`);
    const seconds = (performance.now() - started) / 1000;
    const faults = decisions.flatMap((decision) => decision.faults);
    const cost = { usage: answer.spend, faults, seconds };
    return { ...judgeable(answer), firstStatementSeconds: first, cost, notes: notes(answer, decisions) };
  };

function judgeable({ status, stopReason, text, claims, references, confidence }: Answer) {
  const sourceOf = (number: number) => references.find((reference) => reference.number === number)?.uri ?? "";
  return {
    text: text.replace(/\s*\[\d+\]/g, ""),
    failed: false,
    refused: status === "refused" || status === "needs_clarification",
    unsure: stopReason === "unsure",
    statements: claims.map((claim) => ({
      text: claim.text,
      citations: claim.citations.map(({ quote, reference }) => ({ quote, source: sourceOf(reference) })),
      sources: claim.citations.map(({ reference }) => sourceOf(reference)),
    })),
    confidence: confidence.score,
  };
}

const notes = ({ status, stopReason, missing, queries, report }: Answer, decisions: readonly Decision[]) => ({
  status,
  stopReason,
  missing,
  queries: queries.map((query) => query.text),
  rejected: report.claims
    .filter((claim) => claim.verdict !== "supported")
    .map(({ text, reason }) => ({ text, reason })),
  path: decisions.map(({ step, calls, tokens, milliseconds }) => ({ step, calls, tokens, milliseconds })),
});
