import { z } from "zod";
import { sample } from "../../../src/evaluate/statistics.js";
import { type Choices, type Files, readJsonLines } from "./files.js";

const Squad2 = z.array(
  z.object({
    id: z.string(),
    context: z.string(),
    question: z.string(),
    answers: z.array(z.string()),
    unanswerable: z.boolean(),
  }),
);

/**
 * SQuAD 2.0, a paragraph and a question per line: can the paragraph answer the question, and can a corpus of all
 * paragraphs?
 */
export function squad2(input: string, { questions, seed }: Choices): Files {
  const lines = readJsonLines(input, Squad2);
  const paragraphs = [...new Set(lines.map((line) => line.context))];
  const asked = lines.map(({ id, question, answers, unanswerable }) => ({
    id,
    question: question.trim(),
    answers: distinct(answers),
    answerable: !unanswerable,
    language: "en",
  }));
  const half = questions && questions / 2;
  return {
    "answerability.jsonl": lines.map((line) => ({
      id: line.id,
      question: line.question.trim(),
      passages: [{ id: `p${paragraphs.indexOf(line.context)}`, text: line.context }],
      answerable: !line.unanswerable,
      answers: distinct(line.answers),
    })),
    "qa/corpus.jsonl": paragraphs.map((text, i) => ({ id: `p${i}`, text })),
    "qa/qa.jsonl": [true, false].flatMap((answerable) =>
      sample(
        asked.filter((item) => item.answerable === answerable),
        half,
        seed,
      ),
    ),
  };
}

/** In some versions of the set, an unanswerable question has one empty answer. */
const distinct = (answers: readonly string[]) => [...new Set(answers)].filter((answer) => answer !== "");
