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
      const relevance = relevanceOf(task, reply);
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

/**
 * Labels before words, and no numbers to invent: a small model that reasons first judges what it said, not the sources.
 * The keys are few, since every token of a reply is waited for.
 */
const Reply = z.object({
  states: list(words(8), 8),
  helps: list(words(8), 8),
  reason: words(120),
  answerable: z.enum(["full", "partial", "none"]),
  missing: words(120),
  entities: list(words(60), 4),
  clarification: words(120),
});

const STATES = 1;
const HELPS = 0.5;

/**
 * Relevance in the shape of the strips. A label of a whole source counts for all its strips; a label of nothing is
 * ignored. What is said to state an answer that is said not to be there can only help.
 */
function relevanceOf(task: Task, { states, helps, answerable }: z.infer<typeof Reply>): number[][] {
  const relevance = task.evidence.map(({ text }) => strips(text).map(() => 0));
  const mark = (labels: readonly string[], value: number) => {
    for (const label of labels) {
      const [, source, strip] = /^\D{0,3}(\d+)(?:\.(\d+))?\D{0,3}$/.exec(label) ?? [];
      const row = relevance[Number(source) - 1];
      if (strip === undefined) row?.fill(value);
      else if (row?.[Number(strip) - 1] !== undefined) row[Number(strip) - 1] = value;
    }
  };
  mark(helps, HELPS);
  mark(states, answerable === "none" ? HELPS : STATES);
  return relevance;
}

/** The text where it is in the language; people are not shown the other. */
const inLanguage = (text: string, language: Language) => (languageOf(text) === language ? text : "");
