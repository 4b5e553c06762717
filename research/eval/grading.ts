import { grade } from "../../src/nodes/grade.js";
import type { Context } from "../../src/state/context.js";
import type { Call } from "../../src/types/call.js";
import type { Evidence, Verdict } from "../../src/types/evidence.js";
import type { Grade, Grader } from "../../src/types/reasoners.js";
import { asEvidence } from "./passages.js";
import { DEFAULTS, runWith, stateWith } from "./state.js";

export interface Graded {
  evidence: Evidence[];
  verdict: Verdict;
  /** Returns the verdict for another threshold, without asking the grader again. */
  at(generateAt: number): Promise<Verdict>;
}

/** Grades passages as the graph does: through the graph's own node, so that the code measured is the code used. */
export async function graded(
  question: string,
  passages: readonly { id: string; text: string }[],
  grader: Grader,
  call: Call,
): Promise<Graded> {
  const state = stateWith(question, passages.map(asEvidence));
  let said: Grade | undefined;
  const remembering: Grader = {
    grade: async (task, run) => {
      said ??= await grader.grade(task, run);
      return said;
    },
  };
  const judge = async (context: Context) => {
    const { evidence = [], verdict } = await grade({ grader: remembering })(state, runWith(call, context));
    if (!verdict) throw new Error("The grading node gave no verdict.");
    return { evidence, verdict };
  };
  return {
    ...(await judge(DEFAULTS)),
    at: async (generateAt) => (await judge({ ...DEFAULTS, generateAt })).verdict,
  };
}
