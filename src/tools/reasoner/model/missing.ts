import { languageOf } from "../../../language/language.js";
import { coverage } from "../../../language/similarity.js";
import { contentTerms } from "../../../language/tokens.js";
import type { Task } from "../port.js";

/**
 * What a model says is missing, where it says so in the question's language and for the most part in its words. It is
 * shown to people and nothing checks it against a source, so it may name what was asked and tell nothing else.
 */
export function missingOf(said: string, { question, language }: Pick<Task, "question" | "language">): string {
  if (languageOf(said) !== language) return "";
  return coverage(contentTerms(said), new Set(contentTerms(question))) >= MOSTLY ? said : "";
}

const MOSTLY = 0.5;
