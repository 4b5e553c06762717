import { JudgeBusyError } from "../../errors.js";
import { holds } from "../../types/answer.js";
import type { Evidence, Verdict } from "../../types/evidence.js";
import type { Reasoners } from "./fallback.js";
import type { Call, Generator, Grade, Grader } from "./port.js";

type Judging = Pick<Reasoners, "grader" | "generator">;

/**
 * Combines a model's grades and drafts with those of deterministic reasoners that cost no call.
 * @param own its grader returns a probability. One that returns none only costs its own time.
 */
export const withSecondOpinion = (model: Judging, own: Judging): Judging => ({
  grader: gradedByBoth(model.grader, own.grader),
  generator: draftedByEither(model.generator, own),
});

/**
 * The model is not asked where the other grader is certain, and does not read the pieces of evidence that it thinks
 * hopeless. If it has read the others before, its grade of them stands. Where the other grader thinks all of the evidence
 * hopeless, it counts as partial at most, so that the run searches on before it answers. Where it has no time, the model alone
 * grades.
 */
const gradedByBoth = (model: Grader, own: Grader): Grader => ({
  async grade(task, call) {
    const first = await unlessBusy(call, () => own.grade(task, call));
    const { probability } = first ?? {};
    if (!first || probability === undefined) return model.grade(task, call);
    const isSureYes = probability >= SURE_YES && first.answerability === "full";
    const isRead = first.relevance.map((row) => row.some((value) => value >= HOPELESS_STRIP));
    if (isSureYes || probability <= SURE_NO || !isRead.includes(true)) return first;
    const read = task.evidence.filter((_, i) => isRead[i]);
    const said = gradeBefore(task.before, read) ?? (await model.grade({ ...task, evidence: read }, call));
    const answerability = said.answerability === "full" && probability < HOPELESS ? "partial" : said.answerability;
    const rows = said.relevance.values();
    const relevance = first.relevance.map((row, i) => (isRead[i] ? larger(row, rows.next().value ?? []) : row));
    return { ...said, answerability, probability, relevance };
  },
});

/** Returns what the other reasoner finds; undefined if its judge is busy, which `call.fault` reports. */
async function unlessBusy<T>(call: Call, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof JudgeBusyError)) throw error;
    call.fault(error);
    return undefined;
  }
}

/** Returns the earlier grade of this evidence, if it covers all of it. */
function gradeBefore(before: Verdict | undefined, evidence: readonly Evidence[]): Grade | undefined {
  if (!before || evidence.some(({ strips }) => strips.length === 0)) return undefined;
  const { answerability, missing, entities, clarification, reason } = before;
  const relevance = evidence.map(({ strips }) => strips.map((strip) => strip.relevance));
  return { relevance, answerability, missing, entities, clarification, reason };
}

/**
 * Where the model finds nothing to say, or no claim of its draft held, the evidence is quoted instead, if the other grader
 * finds that it answers. The model is asked to repair a draft only if something of it held: of 17 other repairs by a small
 * model, one gave a right answer and five a wrong one (docs/evaluation.md). In languages that the other grader was not
 * trained on, its doubt says less.
 */
const draftedByEither = (model: Generator, own: Judging): Generator => ({
  async generate(task, call, onClaim) {
    const ownDraft = async () => {
      const { probability, answerability } = await own.grader.grade(task, call);
      if (probability === undefined || answerability !== "full") return undefined;
      const draft = await own.generator.generate(task, call, onClaim);
      return draft.claims.length > 0 ? draft : undefined;
    };
    const quoted = () => unlessBusy(call, ownDraft);
    const isRejected = task.repair !== undefined && !task.repair.claims.some(holds);
    if (isRejected && task.language !== "other") return (await quoted()) ?? { claims: [], missing: "" };
    const draft = await model.generate(task, call, onClaim);
    return draft.claims.length === 0 ? ((await quoted()) ?? draft) : draft;
  },
});

/**
 * Thresholds on the calibrated probability that the evidence answers the question. A small model thinks that nearly all
 * evidence answers. Of 144 questions that can be answered and 85 that cannot, 3 and 18 are below "no", 12 and 54 below
 * "hopeless" (docs/evaluation.md).
 */
export const SURE_YES = 0.85;
const SURE_NO = 0.1;
const HOPELESS = 0.3;

/** Of 184 strips that hold the answer to a question, the judge found one less relevant (docs/evaluation.md). */
export const HOPELESS_STRIP = 0.05;

/** The larger relevance of each strip, but the deterministic one where that is hopeless. */
const larger = (own: readonly number[], said: readonly number[]) =>
  own.map((value, i) => (value < HOPELESS_STRIP ? value : Math.max(value, said[i] ?? 0)));
