import type { Grade, Grader } from "./port.js";

/**
 * A model's grade beside one that costs no call and does not change from run to run. What that one is sure of is settled
 * without the model. Where the model calls sufficient what it thinks hopeless, the evidence counts as no more than partial,
 * so that the run looks further before it answers.
 * @param own a grader that gives a probability; one that gives none is never asked instead of the model.
 */
export function withSecondOpinion(model: Grader, own: Grader): Grader {
  return {
    async grade(task, call) {
      const first = await own.grade(task, call);
      const { probability } = first;
      if (probability === undefined) return model.grade(task, call);
      if (probability >= SURE_YES || probability <= SURE_NO) return first;
      const said = await model.grade(task, call);
      const answerability = said.answerability === "full" && probability < HOPELESS ? "partial" : said.answerability;
      return { ...said, answerability, probability, relevance: larger(said.relevance, first.relevance) };
    },
  };
}

/** Calibrated probabilities that the evidence answers. */
const SURE_YES = 0.85;
const SURE_NO = 0.03;
const HOPELESS = 0.1;

const larger = (a: Grade["relevance"], b: Grade["relevance"]) =>
  a.map((row, i) => row.map((value, j) => Math.max(value, b[i]?.[j] ?? 0)));
