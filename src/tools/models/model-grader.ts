import { z } from "zod";
import { languageOf } from "../../text/language.js";
import { findQuote } from "../../text/quotes.js";
import { strips } from "../../text/strips.js";
import { terms } from "../../text/tokens.js";
import type { Language } from "../../types/evidence.js";
import { askModel } from "./ask.js";
import type { Chat } from "./chat.js";
import { missingOf } from "./missing.js";
import type { Grade, Grader, Task } from "./port.js";
import { gradePrompt } from "./prompts.js";
import { listOf, words } from "./reply-json.js";

/** Grades in one call to a model. Strips that the model does not name have relevance 0. */
export function modelGrader(chat: Chat): Grader {
  return {
    async grade(task, call) {
      const reply = await askModel(
        chat,
        { name: "grade", prompt: gradePrompt(task, call.prompts), schema: Reply },
        call,
      );
      const found = isAnswer(reply.found, task) ? reply.found : "";
      const relevance = relevanceOf(task, { ...reply, found });
      const answerability = answerabilityOf(reply.answerable, found, relevance);
      return {
        relevance,
        answerability,
        missing: answerability === "full" ? "" : missingOf(reply.missing, task),
        entities: reply.entities.filter((entity) => entity !== "" && task.question.includes(entity)),
        clarification: answerability === "none" ? questionBack(reply.clarification, task.language) : "",
      };
    },
  };
}

/**
 * `found` precedes the verdict, so that the verdict is based on it. Strips are named by label only, since every output
 * token costs time. "none" comes first, since small models prefer the first option.
 */
const Reply = z.object({
  found: words(160),
  answerable: z.enum(["none", "full", "partial"]),
  states: listOf(words(8), 6),
  helps: listOf(words(8), 6),
  missing: words(120),
  entities: listOf(words(60), 4),
  clarification: words(120),
});
type Reply = z.infer<typeof Reply>;

/** True if the text is a quote from a source, or at least says something that the question does not. */
function isAnswer(found: string, { question, evidence }: Task): boolean {
  if (NOTHING.test(found)) return false;
  const asked = new Set(terms(question));
  return evidence.some(({ text }) => findQuote(text, found)) || terms(found).some((term) => !asked.has(term));
}

const NOTHING = /^\W*(?:nothing|none|no answer|not (?:found|stated|given|mentioned)|n\/a|无|没有|未提及|未说明)\W*$/i;

/** Corrects the model's verdict: without the words of an answer or a relevant strip it is not "full". */
function answerabilityOf(said: Reply["answerable"], found: string, relevance: number[][]): Grade["answerability"] {
  if (said === "none") return "none";
  if (relevance.flat().every((value) => value === 0)) return "unknown";
  return found === "" ? "partial" : said;
}

const STATES = 1;
const HELPS = 0.5;

/**
 * Returns the relevance of each strip. The label of a source counts for all its strips; unknown labels are ignored. The
 * strip that contains `found` states the answer, whatever labels the model gave. If `found` is empty, no strip does.
 */
function relevanceOf(task: Task, { found, answerable, states, helps }: Reply): number[][] {
  const most = answerable === "none" || found === "" ? HELPS : STATES;
  const isNamed = (labels: readonly string[], i: number, j: number) =>
    labels.some((label) => {
      const [, source, strip = j + 1] = LABEL.exec(label) ?? [];
      return Number(source) === i + 1 && Number(strip) === j + 1;
    });
  return task.evidence.map(({ text }, i) => {
    const spans = strips(text);
    const at = findQuote(text, found);
    const holder = at ? spans.findIndex(({ end }) => at.start < end) : -1;
    return spans.map((_, j) => (j === holder || isNamed(states, i, j) ? most : isNamed(helps, i, j) ? HELPS : 0));
  });
}

const LABEL = /^\D{0,3}(\d+)(?:\.(\d+))?\D{0,3}$/;

/** Keeps a clarification only if it is a question: small models use this field to explain that they found nothing. */
const questionBack = (text: string, language: Language) =>
  /[?？]$/.test(text) && languageOf(text) === language ? text : "";
