import type { Entailment } from "../tools/entailment/port.js";

/** A score that leaves nothing in doubt: for where nobody else is there to decide. */
export function decisive(entailment: Entailment): Entailment {
  const { decideAt } = entailment.thresholds;
  return { ...entailment, thresholds: { acceptAt: decideAt, rejectBelow: decideAt, decideAt } };
}
