import type { Grade, Grader, Task } from "./port.js";

/**
 * A grader whose "it answers" counts in full only where a second one finds the evidence to bear on the question too.
 * Small models say yes to any passage on the topic; words alone tell many of those apart, at no cost.
 * Evidence in another language than the question's is not held against it: words cannot be compared there.
 * @param floor the second grader's best relevance from which the two agree, 0 to 1.
 */
export function secondOpinion(first: Grader, second: Grader, floor = 0.3): Grader {
  return {
    async grade(task, call) {
      const grade = await first.grade(task, call);
      if (grade.answerability === "none" || !isComparable(task)) return grade;
      const other = await second.grade(task, call);
      return best(other) >= floor ? grade : doubted(grade);
    },
  };
}

const isComparable = ({ evidence, language }: Task) =>
  evidence.length > 0 && evidence.every((piece) => piece.language === language);

const best = ({ relevance }: Grade) => Math.max(0, ...relevance.flat());

const doubted = (grade: Grade): Grade => ({
  ...grade,
  answerability: "partial",
  relevance: grade.relevance.map((row) => row.map((value) => Math.min(value, DOUBTED))),
  reason: `${grade.reason} But its words have little to do with the question.`,
});

/** Worth keeping, not enough to answer from. */
const DOUBTED = 0.5;
