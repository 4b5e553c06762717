import type { Decision } from "../types/events.js";
import { plain } from "./screen.js";

/**
 * One line for what failed in a run that ended all the same; none where nothing did. A budget that is spent is no fault.
 */
export function faults(decisions: readonly Decision[]): string[] {
  const all = [...new Set(decisions.flatMap((decision) => decision.faults))].filter(
    (f) => !f.startsWith("BudgetSpent"),
  );
  const [first, ...more] = all.map((fault) => plain(fault).replace(/\s+/g, " "));
  if (first === undefined) return [];
  const [, name = "", message = first] = /^(\w+Error): (.*)$/u.exec(first) ?? [];
  const lead = MODEL_FAILURES.includes(name) ? "went on without the model" : "went on after a fault";
  return [`${lead}: ${message}${more.length > 0 ? ` (and ${more.length} more: see --trace)` : ""}`];
}

const MODEL_FAILURES = ["EndpointError", "MalformedReplyError"];
