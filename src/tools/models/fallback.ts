import { BudgetSpentError, EndpointError, MalformedReplyError } from "../../errors.js";
import type { Call } from "../../types/call.js";
import { deadline, isTimeUp } from "../../waiting.js";
import type { Checker, Generator, Grader, Rewriter } from "./port.js";

export interface Reasoners {
  grader: Grader;
  rewriter: Rewriter;
  generator: Generator;
  /** Asked last about claims in doubt. Without it, or if it fails, the verdicts of the earlier stages stand. */
  checker?: Checker;
}

/**
 * Falls back to the local reasoners if the first ones fail: the endpoint does not answer, its reply is unusable, no
 * calls are left, or the time is up. Each failure is reported by `call.fault`. The caller's own abort, which ends the
 * run, and programming errors are thrown. Claims streamed before a failure are not retracted; only the returned draft
 * counts.
 */
export function withFallback(first: Reasoners, local: Reasoners): Reasoners {
  async function either<T>(call: Call, ask: (one: Reasoners, call: Call) => Promise<T>): Promise<T> {
    try {
      return await ask(first, call);
    } catch (error) {
      if (isTimeUp(call.signal)) {
        call.fault(new EndpointError("The time was up before the model answered.", 0, { cause: error }));
        const extra = deadline(LOCAL_MS);
        return ask(local, { ...call, signal: extra.signal }).finally(extra.clear);
      }
      if (call.signal.aborted || !isModelFailure(error)) throw error;
      call.fault(error);
      return ask(local, call);
    }
  }
  return {
    grader: { grade: (task, call) => either(call, ({ grader }, rest) => grader.grade(task, rest)) },
    rewriter: {
      standalone: (question, history, call) =>
        either(call, ({ rewriter }, rest) => rewriter.standalone(question, history, rest)),
      rewrite: (task, call) => either(call, ({ rewriter }, rest) => rewriter.rewrite(task, rest)),
    },
    generator: {
      generate: (task, call, onClaim) => either(call, ({ generator }, rest) => generator.generate(task, rest, onClaim)),
    },
    ...(first.checker && { checker: first.checker }),
  };
}

/** The local reasoners take milliseconds; they get this long after the run's own time is over. */
const LOCAL_MS = 500;

/** True if the model or its endpoint failed, not the program, so that a fallback makes sense. */
export const isModelFailure = (error: unknown): error is Error =>
  error instanceof EndpointError || error instanceof MalformedReplyError || error instanceof BudgetSpentError;
