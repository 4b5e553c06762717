import { strips } from "../../../text/sentences.js";
import { coverage } from "../../../text/similarity.js";
import { hasWords } from "../../../text/tokens.js";
import type { Grader } from "../port.js";
import { matches } from "./match.js";
import { missingFrom } from "./missing.js";
import { readQuestion } from "./question.js";
import { relevanceOf } from "./weights.js";

/** Grades by words alone: no model, no network. */
export function localGrader(): Grader {
  return {
    async grade(task) {
      const question = readQuestion(task.question);
      const met = matches(question, task.evidence).map((match) => ({
        ...match,
        relevance: relevanceOf(match.features),
      }));
      const relevance = task.evidence.map((piece, index) =>
        strips(piece.text).map(({ start, end }) =>
          Math.max(
            0,
            ...met.filter((m) => m.piece === index && m.start >= start && m.end <= end).map((m) => m.relevance),
          ),
        ),
      );
      const best = met.reduce((a, b) => (a && a.relevance >= b.relevance ? a : b), met[0]);
      const sure = best?.relevance ?? 0;
      const answerability = sure >= 0.6 ? "full" : sure >= 0.3 ? "partial" : "none";
      return {
        relevance,
        answerability,
        missing: answerability === "full" ? "" : missingFrom(question, task.evidence, best),
        entities: question.names,
        clarification: clarify(question),
        reason: `best sentence ${sure.toFixed(2)}, covering ${Math.round(100 * coverage(question.terms, best?.near ?? new Set()))}% of the question's words`,
      };
    },
  };
}

/** A question that holds nothing to look for. */
function clarify(question: ReturnType<typeof readQuestion>): string {
  if (question.terms.length > 0 && hasWords(question.text)) return "";
  return question.language === "zh"
    ? "您想问的是什么？请说出具体的对象或名称。"
    : "What is your question about? Please name it.";
}
