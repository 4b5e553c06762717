import { messagesIn, reasonInWords } from "../answer/messages/index.js";
import { faultInWords } from "../answer/messages/terms.js";
import { sanitizeMarkdown } from "../citing/sanitize-markdown.js";
import type { Answer } from "../types/answer.js";
import type { Decision } from "../types/events.js";
import { type Look, validInWords, wrap } from "./screen.js";

/**
 * Formats the decision log as a table of the steps, the edges taken, their cost and their reasons, in the language of
 * the question, with faults below their step. Then come the queries, the documents left out, the number of claims
 * settled by each stage of checking, and the failures.
 */
export function trace(decisions: readonly Decision[], answer: Ended | undefined, { width, paint }: Look) {
  const rows = decisions.flatMap((decision) => {
    const { step, to, calls, tokens, milliseconds, stop, faults } = decision;
    const why = reasonInWords(decision, answer?.language ?? "en");
    return [
      row(step, to, calls, tokens, milliseconds, stop ? `${why} (${stop})` : why),
      ...faults.map((fault) => paint("yellow", row("", "", "", "", "", `fault: ${faultInWords(fault)}`))),
    ];
  });
  const { calls = 0, inputTokens = 0, outputTokens = 0, milliseconds = 0 } = answer?.spend ?? {};
  const { queryReason } = messagesIn(answer?.language ?? "en");
  const queries = answer?.queries?.map(({ text, reason }) => under("query", `${text} (${queryReason(reason)})`)) ?? [];
  const leftOut = answer?.leftOut?.map((one) => under("left out", `${one.uri}: ${validInWords(one)}`)) ?? [];
  const stages = answer?.report?.stages.map(({ stage, asked, settled }) => `${stage} ${settled} of ${asked}`) ?? [];
  const failures = answer?.failures?.map(({ tag, evidence, remedy }) => under(tag, `${evidence} ${remedy}`)) ?? [];
  return [
    paint("bold", row("step", "next", "calls", "tokens", "ms", "why")),
    ...rows,
    paint("bold", row("in all", "", calls, inputTokens + outputTokens, milliseconds, answer?.stopReason ?? "")),
    ...queries,
    ...leftOut,
    ...(stages.length > 0 ? [under("settled by", stages.join(", "))] : []),
    ...(answer?.claims?.length && answer.confidence ? [under("confidence", answer.confidence.score.toFixed(2))] : []),
    ...failures,
  ].join("\n");

  function row(step: string, to: string, calls: Cell, tokens: Cell, ms: Cell, why: string): string {
    const numbers = `${cell(calls, 5)}  ${cell(tokens, 6)}  ${cell(ms, 6)}`;
    return under(`${step.padEnd(12)}  ${to.padEnd(12)}  ${numbers}`, why);
  }

  /** Puts text beside its head, with a hanging indent. */
  function under(head: string, text: string): string {
    const left = head.padEnd(12).length + 2;
    const lines = wrap(sanitizeMarkdown(text), Math.max(width - left, MIN_REASON_WIDTH)).split("\n");
    return lines.map((line, i) => `${i === 0 ? head.padEnd(left) : " ".repeat(left)}${line}`.trimEnd()).join("\n");
  }
}

/** What is known of the answer, which is little for a recorded run. */
type Ended = Pick<Answer, "spend" | "stopReason" | "language"> &
  Partial<Pick<Answer, "queries" | "leftOut" | "report" | "failures" | "claims" | "confidence">>;

type Cell = number | string;

const cell = (value: Cell, width: number) =>
  (typeof value === "number" ? String(Math.round(value)) : value).padStart(width);

/** The least width of the reason, in columns, even on a narrow terminal. */
const MIN_REASON_WIDTH = 24;
