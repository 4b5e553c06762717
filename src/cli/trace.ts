import { inert } from "../citing/inert.js";
import type { Answer } from "../types/answer.js";
import type { Decision } from "../types/events.js";
import { type Screen, wrap } from "./screen.js";

/**
 * The decision log as a table: the step, the edge taken after it, what it took, and why. Faults stand under their step;
 * below it the queries, which stages of checking settled how many claims, and what kept the run from ending well.
 */
export function trace(
  decisions: readonly Decision[],
  answer: Answer | undefined,
  { width, paint }: Pick<Screen, "width" | "paint">,
) {
  const rows = decisions.flatMap(({ step, to, calls, tokens, milliseconds, reason, stop, faults }) => [
    row(step, to, calls, tokens, milliseconds, stop ? `${reason} (${stop})` : reason),
    ...faults.map((fault) => paint("yellow", row("", "", "", "", "", `fault: ${fault}`))),
  ]);
  const { calls = 0, inputTokens = 0, outputTokens = 0, milliseconds = 0 } = answer?.spend ?? {};
  const queries = answer?.queries.map(({ text, reason }) => under("query", `${text} (${reason})`)) ?? [];
  const stages = answer?.report.stages.map(({ stage, asked, settled }) => `${stage} ${settled} of ${asked}`) ?? [];
  const failures = answer?.failures.map(({ tag, evidence, remedy }) => under(tag, `${evidence} ${remedy}`)) ?? [];
  return [
    paint("bold", row("step", "next", "calls", "tokens", "ms", "why")),
    ...rows,
    paint("bold", row("in all", "", calls, inputTokens + outputTokens, milliseconds, answer?.stopReason ?? "")),
    ...queries,
    ...(stages.length > 0 ? [under("settled by", stages.join(", "))] : []),
    ...(answer && answer.claims.length > 0 ? [under("confidence", answer.confidence.score.toFixed(2))] : []),
    ...failures,
  ].join("\n");

  function row(step: string, to: string, calls: Cell, tokens: Cell, ms: Cell, why: string): string {
    const numbers = `${cell(calls, 5)}  ${cell(tokens, 6)}  ${cell(ms, 6)}`;
    return under(`${step.padEnd(12)}  ${to.padEnd(12)}  ${numbers}`, why);
  }

  /** Text beside its head, its further lines below its first. */
  function under(head: string, text: string): string {
    const left = head.padEnd(12).length + 2;
    const lines = wrap(inert(text), Math.max(width - left, NARROWEST)).split("\n");
    return lines.map((line, i) => `${i === 0 ? head.padEnd(left) : " ".repeat(left)}${line}`.trimEnd()).join("\n");
  }
}

type Cell = number | string;

const cell = (value: Cell, width: number) =>
  (typeof value === "number" ? String(Math.round(value)) : value).padStart(width);

/** Columns left for the reason on a narrow terminal. */
const NARROWEST = 24;
