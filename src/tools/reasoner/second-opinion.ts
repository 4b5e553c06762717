import type { Grade, Grader } from "./port.js";

/**
 * Combines a model's grade with that of a deterministic grader that costs no call. The model is not asked where that
 * grader is certain. Evidence that it thinks hopeless counts as partial at most, so that the run searches on before it
 * answers, and a strip that it thinks hopeless is no more relevant than it says.
 * @param own a grader that returns a probability. One that returns none only costs its own time.
 */
export function withSecondOpinion(model: Grader, own: Grader): Grader {
  return {
    async grade(task, call) {
      const first = await own.grade(task, call);
      const { probability } = first;
      if (probability === undefined) return model.grade(task, call);
      const isSureYes = probability >= SURE_YES && first.answerability === "full";
      if (isSureYes || probability <= SURE_NO) return first;
      const said = await model.grade(task, call);
      const answerability = said.answerability === "full" && probability < HOPELESS ? "partial" : said.answerability;
      return { ...said, answerability, probability, relevance: combined(said.relevance, first.relevance) };
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

/** The larger relevance of each strip, but the deterministic one where that is below the threshold. */
const combined = (said: Grade["relevance"], own: Grade["relevance"]) =>
  said.map((row, i) =>
    row.map((value, j) => {
      const first = own[i]?.[j] ?? 0;
      return first < HOPELESS_STRIP ? first : Math.max(value, first);
    }),
  );

/** Of 184 strips that hold the answer to a question, one was below. */
const HOPELESS_STRIP = 0.05;
