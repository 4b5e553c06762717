import { EndpointError, isModelFailure, JudgeBusyError } from "../errors.js";
import { type Draft, holds, type Report } from "../types/answer.js";
import type { Call } from "../types/call.js";
import { isUnsure } from "../types/evidence.js";
import type { Grader, Reasoners } from "../types/reasoners.js";
import { deadline, isTimeUp } from "../waiting.js";
import type { ModelReasoners } from "./model-reasoners.js";
import type { Trust } from "./trial.js";

/**
 * The two ways to answer. A chat model that is trusted with answers reads, writes and says whether the evidence answers,
 * and its verdicts on claims count if it is trusted with those too. Otherwise, and if the model fails (its endpoint does
 * not answer, its reply is unusable, no calls are left, or the time is up), sentences of the evidence are quoted. Failures
 * are reported by `call.fault`. The caller's own abort, which ends the run, and programming errors are thrown. Claims
 * streamed before a failure are not retracted; only the returned draft counts.
 * @param hurried grades for a model that leads: its encoder does not wait long. Default: as `local`.
 * @param byWords grades for it while the encoder is busy with other questions.
 */
export function twoWays(
  model: ModelReasoners,
  local: Reasoners,
  { hurried = local.grader, byWords }: { hurried?: Grader; byWords: Grader },
  trustIn: (call: Call) => Promise<Trust>,
): Reasoners {
  const leads = async (call: Call) => (await trustIn(call)).answers;
  return {
    grader: {
      async grade(task, call) {
        // A model that cannot be tried has been reported by now.
        if (!(await leads(call).catch(() => false))) return local.grader.grade(task, call);
        try {
          return await hurried.grade(task, call);
        } catch (error) {
          if (!(error instanceof JudgeBusyError)) throw error;
          call.fault(error);
          return byWords.grade(task, call);
        }
      },
    },
    rewriter: {
      standalone: (question, history, call) =>
        either(
          call,
          async (rest) =>
            (await leads(rest))
              ? model.standalone(question, history, rest)
              : local.rewriter.standalone(question, history, rest),
          (rest) => local.rewriter.standalone(question, history, rest),
        ),
      rewrite: (task, call) => local.rewriter.rewrite(task, call),
    },
    generator: {
      leads,
      // A task of a run that the model does not lead names no place to look.
      generate: (task, call, onClaim) =>
        task.lookUps
          ? either(
              call,
              (rest) => model.generator.generate(task, rest, onClaim),
              // What held before is worth more than quotes, and quotes that may not answer are not streamed.
              async (rest) => {
                if (task.repair) return heldIn(task.repair);
                return local.generator.generate(task, rest, isUnsure(task.verdict) ? undefined : onClaim);
              },
            )
          : local.generator.generate(task, call, onClaim),
    },
    checker: { ...model.checker, leads: async (call) => (await trustIn(call)).checks },
  };
}

/** The draft again, without what did not hold. */
const heldIn = ({ claims, missing }: Report): Draft => ({
  claims: claims.filter(holds).map(({ text, form, quotes }) => ({
    text,
    ...(form && { form }),
    citations: quotes.map(({ evidenceId, quote, start }) => ({ evidenceId, quote, start })),
  })),
  missing,
});

async function either<T>(
  call: Call,
  ask: (call: Call) => Promise<T>,
  fallBack: (call: Call) => Promise<T>,
): Promise<T> {
  try {
    return await ask(call);
  } catch (error) {
    if (isTimeUp(call.signal)) {
      call.fault(new EndpointError("The time was up before the model answered.", 0, { cause: error }));
      const extra = deadline(LOCAL_MS);
      return fallBack({ ...call, signal: extra.signal }).finally(extra.clear);
    }
    if (call.signal.aborted || !isModelFailure(error)) throw error;
    call.fault(error);
    return fallBack(call);
  }
}

/** How long quoting may take after the time of the run is over, in milliseconds. */
const LOCAL_MS = 500;
