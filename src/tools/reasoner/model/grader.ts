import { z } from "zod";
import { languageOf } from "../../../text/language.js";
import { strips } from "../../../text/sentences.js";
import type { Language } from "../../../types/evidence.js";
import type { Grader, Task } from "../port.js";
import { ask } from "./ask.js";
import type { Chat } from "./chat.js";
import { gradePrompt } from "./prompts.js";
import { list, words } from "./schema.js";

/** Grades by one call to a model. Strips that the model does not list have relevance 0. */
export function modelGrader(chat: Chat): Grader {
  return {
    async grade(task, call) {
      const reply = await ask(chat, { name: "grade", prompt: gradePrompt(task), schema: Reply }, call);
      const relevance = relevanceOf(task, reply.parts);
      const found = relevance.flat().some((value) => value > 0);
      return {
        relevance,
        // Who says that the sources answer and cannot say where has not found out.
        answerability: reply.answerable !== "none" && !found ? "unknown" : reply.answerable,
        missing: reply.answerable === "full" ? "" : inLanguage(reply.missing, task.language),
        entities: reply.entities.filter((entity) => entity !== "" && task.question.includes(entity)),
        clarification: reply.answerable === "none" ? inLanguage(reply.clarification, task.language) : "",
        reason: reply.reason,
      };
    },
  };
}

const Reply = z.object({
  reason: words(200),
  answerable: z.enum(["full", "partial", "none"]),
  missing: words(160),
  entities: list(words(60), 5),
  clarification: words(160),
  parts: list(z.object({ part: words(7), score: z.coerce.number() }), 12),
});

/** Scores of 0 to 10 as relevance, in the shape of the strips. A label of a whole source counts for all its strips. */
function relevanceOf(task: Task, parts: z.infer<typeof Reply>["parts"]): number[][] {
  const relevance = task.evidence.map(({ text }) => strips(text).map(() => 0));
  for (const { part, score } of parts) {
    const [, source, strip] = /(\d+)(?:\.(\d+))?/.exec(part) ?? [];
    const row = relevance[Number(source) - 1];
    if (!row || !(score > 0)) continue;
    const value = Math.min(1, score / 10);
    row.forEach((old, i) => {
      if (strip === undefined || i === Number(strip) - 1) row[i] = Math.max(old, value);
    });
  }
  return relevance;
}

/** The text where it is in the language; people are not shown the other. */
const inLanguage = (text: string, language: Language) => (languageOf(text) === language ? text : "");
