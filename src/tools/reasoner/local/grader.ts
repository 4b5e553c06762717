import { names } from "../../../language/names.js";
import { strips } from "../../../language/sentences.js";
import { contentTerms } from "../../../language/tokens.js";
import type { Grader } from "../port.js";
import { missingFrom } from "./missing.js";
import type { Reader, Reading } from "./reading.js";

/** Grades by what a reader finds: a strip is as relevant as its best sentence answers. Makes no model call. */
export function localGrader(reader: Reader): Grader {
  return {
    async grade(task, call) {
      const found = await reader.read(task, call);
      const relevance = task.evidence.map((piece, i) =>
        strips(piece.text).map(({ start, end }) =>
          Math.max(0, ...found.filter((one) => one.piece === i && one.start >= start && one.end <= end).map(bearing)),
        ),
      );
      const best = found.reduce<Reading | undefined>((a, b) => (a && a.answers >= b.answers ? a : b), undefined);
      const most = Math.max(0, ...relevance.flat());
      const answerability = (best?.answers ?? 0) >= ENOUGH ? "full" : most >= SOMETHING ? "partial" : "none";
      return {
        relevance,
        answerability,
        ...(reader.isCalibrated && { probability: best?.answers ?? 0 }),
        missing: answerability === "full" ? "" : missingFrom(task),
        entities: names(task.question),
        clarification: contentTerms(task.question).length > 0 ? "" : ASK[task.language],
        reason: best
          ? `The best sentence answers with a probability of ${Math.round(100 * best.answers)}%.`
          : "There is no evidence.",
      };
    },
  };
}

/** Even odds are a relevance of 0.6, from which an answer is drafted. What is only about the question is never enough. */
const bearing = ({ answers, relevance }: Reading) =>
  Math.max(answers / (answers + ((1 - answers) * (1 - AT_EVEN_ODDS)) / AT_EVEN_ODDS), ABOUT * relevance);
const AT_EVEN_ODDS = 0.6;
const ABOUT = 0.45;

const ENOUGH = 0.5;
const SOMETHING = 0.3;

const ASK = { en: "What is your question about? Please name it.", zh: "您想问的是什么？请说出具体的对象或名称。" };
