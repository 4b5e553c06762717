import { HumanMessage } from "@langchain/core/messages";
import type { Agent } from "../agent.js";
import { faultInWords } from "../answer/messages/terms.js";
import { withoutCitations } from "../answer/segments.js";
import { assistantMessage } from "../conversation/messages.js";
import type { Context, ContextInput } from "../state/context.js";
import type { State } from "../state/state.js";
import { type Answer, holds } from "../types/answer.js";
import type { AgentEvent } from "../types/events.js";
import type { Ask, RetrievedContext } from "./ask.js";

/**
 * The whole graph. It fails only if a part of it does, so that it is unknown whether the documents answer. A `partial` answer counts as an answer; a question back
 * to the user as a refusal.
 */
export const askEmend =
  ({ graph }: Pick<Agent, "graph">, context: ContextInput, signal?: AbortSignal): Ask =>
  async ({ question, history }) => {
    const started = performance.now();
    const passed = () => (performance.now() - started) / 1000;
    const earlier = history.flatMap((turn) => [new HumanMessage(turn.question), assistantMessage(turn.answer, "")]);
    const contexts = new Map<string, RetrievedContext>();
    let last: State | undefined;
    let first: number | null = null;
    const chunks = await graph.stream(
      { messages: earlier, question },
      // The graph fills in the defaults of the context.
      { streamMode: ["custom", "values"], context: context as Context, ...(signal && { signal }) },
    );
    for await (const [mode, chunk] of chunks) {
      if (mode === "values") last = chunk as State;
      else if ((chunk as AgentEvent).type === "claim") first ??= passed();
      for (const { id, uri, title, text } of last?.evidence ?? []) contexts.set(id, { source: uri, title, text });
    }
    if (!last?.answer) throw new Error(`The run ended without an answer: ${question}`);
    const cost = {
      usage: last.answer.spend,
      faults: last.decisions.flatMap(({ faults }) => faults.map(faultInWords)),
      seconds: passed(),
    };
    return {
      ...judgeable(last.answer),
      contexts: [...contexts.values()],
      firstStatementSeconds: first,
      notes: notes(last.answer, last),
      cost,
    };
  };

function judgeable({ status, stopReason, segments, claims, references, confidence }: Answer) {
  const sourceOf = (number: number) => references.find((reference) => reference.number === number)?.uri ?? "";
  return {
    text: withoutCitations(segments),
    failed: status === "unavailable",
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

const notes = ({ status, stopReason, missing, queries, report, failures }: Answer, { decisions }: State) => ({
  status,
  stopReason,
  missing,
  queries: queries.map((query) => query.text),
  rejected: report.claims.filter((claim) => !holds(claim)).map(({ text, reason }) => ({ text, reason })),
  failures,
  path: decisions.map(({ step, to, reason, calls, tokens, milliseconds }) => ({
    step,
    to,
    reason,
    calls,
    tokens,
    milliseconds,
  })),
});
