import type { Grade, Grader } from "./port.js";

/**
 * Combines a model's grade with that of a deterministic grader that costs no call. The model is not asked where that
 * grader is certain. Evidence that it thinks hopeless counts as partial at most, so that the run searches on before it
 * answers.
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
      return { ...said, answerability, probability, relevance: larger(said.relevance, first.relevance) };
    },
  };
}

/** Thresholds on the calibrated probability that the evidence answers the question. */
const SURE_YES = 0.85;
const SURE_NO = 0.03;
const HOPELESS = 0.1;

const larger = (a: Grade["relevance"], b: Grade["relevance"]) =>
  a.map((row, i) => row.map((value, j) => Math.max(value, b[i]?.[j] ?? 0)));
