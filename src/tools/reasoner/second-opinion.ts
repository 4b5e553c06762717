import type { Grader } from "./port.js";

/**
 * Combines a model's grade with that of a deterministic grader that costs no call. The model is not asked where that
 * grader is certain, and does not read the pieces of evidence that it thinks hopeless. Where it thinks all of it hopeless,
 * the evidence counts as partial at most, so that the run searches on before it answers.
 * @param own a grader that returns a probability. One that returns none only costs its own time.
 */
export function withSecondOpinion(model: Grader, own: Grader): Grader {
  return {
    async grade(task, call) {
      const first = await own.grade(task, call);
      const { probability } = first;
      if (probability === undefined) return model.grade(task, call);
      const isSureYes = probability >= SURE_YES && first.answerability === "full";
      const isRead = first.relevance.map((row) => row.some((value) => value >= HOPELESS_STRIP));
      if (isSureYes || probability <= SURE_NO || !isRead.includes(true)) return first;
      const said = await model.grade({ ...task, evidence: task.evidence.filter((_, i) => isRead[i]) }, call);
      const answerability = said.answerability === "full" && probability < HOPELESS ? "partial" : said.answerability;
      const rows = said.relevance.values();
      const relevance = first.relevance.map((row, i) => (isRead[i] ? larger(row, rows.next().value ?? []) : row));
      return { ...said, answerability, probability, relevance };
    },
  };
}

/**
 * Thresholds on the calibrated probability that the evidence answers the question. A small model thinks that nearly all
 * evidence answers; below "hopeless" are 12 of 144 questions that can be answered and 54 of 85 that cannot
 * (docs/evaluation.md).
 */
const SURE_YES = 0.85;
const SURE_NO = 0.03;
const HOPELESS = 0.3;

/** Of 184 strips that hold the answer to a question, the judge found one less relevant (docs/evaluation.md). */
export const HOPELESS_STRIP = 0.05;

/** The larger relevance of each strip, but the deterministic one where that is hopeless. */
const larger = (own: readonly number[], said: readonly number[]) =>
  own.map((value, i) => (value < HOPELESS_STRIP ? value : Math.max(value, said[i] ?? 0)));
