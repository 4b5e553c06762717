import type { Decision } from "../types/events.js";
import { plain } from "./screen.js";

/**
 * One line for what failed in a run that ended all the same; none where nothing did. A budget that is spent is no fault.
 */
export function faults(decisions: readonly Decision[]): string[] {
  const all = decisions.flatMap(({ step, faults }) =>
    faults.map((fault) => ({ step, fault: plain(fault).replace(/\s+/g, " ") })),
  );
  const told = all.filter(
    ({ fault }, i) => !fault.startsWith("BudgetSpent") && all.findIndex((one) => one.fault === fault) === i,
  );
  const [first, ...more] = told;
  if (first === undefined) return [];
  const [, name = "", message = first.fault] = /^(\w+Error): (.*)$/u.exec(first.fault) ?? [];
  const lead = WITHOUT[first.step] ?? (MODEL_FAILURES.includes(name) ? "without the model" : "after a fault");
  return [`went on ${lead}: ${message}${more.length > 0 ? ` (and ${more.length} more: see --trace)` : ""}`];
}

const MODEL_FAILURES = ["EndpointError", "MalformedReplyError"];

/** What steps that ask no model do without. */
const WITHOUT: Readonly<Record<string, string>> = { searchWeb: "without the web", readPages: "without a page" };
