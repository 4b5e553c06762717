import { localGrader } from "../../src/reading/local-grader.js";
import { wordReader } from "../../src/reading/reading.js";
import { languageOf } from "../../src/text/language.js";
import { strips } from "../../src/text/strips.js";
import type { Call } from "../../src/types/call.js";
import type { Evidence } from "../../src/types/evidence.js";
import type { Task } from "../../src/types/reasoners.js";

const evidence = (id: string, text: string, title = ""): Evidence => ({
  id,
  source: "document",
  title,
  uri: id,
  section: "",
  text,
  language: languageOf(text),
  score: 0,
  relevance: 0,
  strips: [],
  retrievedAt: "",
  reviewedAt: "",
});

/** A task over these texts, named "0", "1" and so on. */
export const task = (question: string, ...texts: string[]): Task => ({
  question,
  language: languageOf(question),
  evidence: texts.map((text, i) => evidence(String(i), text)),
});

/** The task with its evidence graded by the local grader, as the graph passes it to the generator. */
export async function graded(given: Task): Promise<Task> {
  const { relevance } = await localGrader(wordReader()).grade(given, call());
  return {
    ...given,
    evidence: given.evidence.map((piece, i) => ({
      ...piece,
      strips: strips(piece.text).map((span, j) => ({ ...span, relevance: relevance[i]?.[j] ?? 0 })),
    })),
  };
}

export const call = (faults: Error[] = [], signal = new AbortController().signal): Call => ({
  signal,
  calls: 0,
  spent: () => {
    throw new Error("The local form calls no model.");
  },
  fault: (error) => faults.push(error),
});
