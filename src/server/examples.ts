import { toError } from "../errors.js";
import { asEvidence } from "../reading/evidence.js";
import { type Examples, examplesFrom } from "../reading/examples.js";
import type { Tools } from "../state/tools.js";
import { languageOf } from "../text/language.js";
import type { Call } from "../types/call.js";
import type { Language } from "../types/evidence.js";

/**
 * Names some documents, and questions that they answer, as far as the grader can tell. Makes no model call. A question that
 * cannot be tried is not suggested.
 * @throws what the documents' `list` and `get` throw.
 */
export const examplesThatAnswer = (
  { documents, grader }: Pick<Tools, "documents" | "grader">,
  language: Language,
  { signal, fault }: Pick<Call, "signal" | "fault">,
): Promise<Examples> =>
  examplesFrom(documents, language, async (question) => {
    try {
      const found = await documents.search({ text: question }, PASSAGES, { signal });
      const task = { question, language: languageOf(question), evidence: found.map(asEvidence) };
      const { answerability } = await grader.grade(task, { signal, fault, calls: 0, spent: () => {} });
      return answerability === "full";
    } catch (error) {
      signal.throwIfAborted();
      fault(toError(error));
      return false;
    }
  });

/** As many as an answer may rest on. */
const PASSAGES = 8;
