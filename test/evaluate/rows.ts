import type { ScoredRow, Scores } from "../../src/evaluate/score.js";

const NONE: Scores = {
  ...{ answer_correctness: null, answer_correctness_by_model: null, faithfulness: null },
  ...{ context_precision: null, context_recall: null },
  ...{ citation_precision: null, citation_recall: null, answerability: null },
  ...{ refused_rightly: null, refused_wrongly: null, answered_wrongly: null },
};

/** A row of an evaluation with only these scores. */
export const answered = ({
  scores,
  ...given
}: Partial<Omit<ScoredRow, "scores">> & { scores?: Partial<Scores> }): ScoredRow => ({
  ...{ system: "emend", id: "q", question: "When?", expected: ["eight"], answerable: true, tags: [], outcome: "right" },
  ...{ why: "", text: "At eight.", confidence: null, statements: [], contexts: [], notes: {}, cost: null, faults: [] },
  ...{ usage: { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0 }, byModel: null, seconds: 1 },
  ...given,
  scores: { ...NONE, ...scores },
});
