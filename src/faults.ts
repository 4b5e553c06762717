import {
  BudgetSpentError,
  CypherError,
  codeOf,
  FetchRefusedError,
  JudgeBusyError,
  ModelNotTrustedError,
  toError,
  UntrustedTextError,
} from "./errors.js";
import { redacted } from "./redacted.js";
import type { Fault } from "./types/fault.js";

/** Describes an error for anyone to read, see `Fault`. Never throws, whatever was thrown. */
export function faultFrom(thrown: unknown, part: string): Fault {
  const error = toError(thrown);
  try {
    const name = error.name === "Error" ? error.constructor.name : error.name;
    const { cause, errors } = error as { cause?: unknown; errors?: readonly unknown[] };
    // A failed connection names its reason only in what caused it.
    const deeper = [error, cause, errors?.[0]].map(codeOf).find((code) => code !== "unknown");
    const said = redacted(`${error.message}`) || deeper || "It gives no reason.";
    const reason = deeper && !said.includes(deeper) ? ` (${redacted(deeper)})` : "";
    return { part, name: NAME.test(name) ? name : "Error", message: said + reason };
  } catch {
    return { part, name: "Error", message: "It gives no reason." };
  }
}

const NAME = /^[\p{L}_$][\p{L}\p{N}_$]{0,60}$/u;

/**
 * True if an error reports no failure of a part: a limit was reached, a rule was applied, or the work was done in another
 * way that is as good.
 */
export const isNote = (error: Error): boolean =>
  error instanceof BudgetSpentError ||
  error instanceof JudgeBusyError ||
  error instanceof ModelNotTrustedError ||
  error instanceof UntrustedTextError ||
  error instanceof FetchRefusedError ||
  error instanceof CypherError;
