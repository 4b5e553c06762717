import { inert } from "../citing/inert.js";
import type { State } from "../state/state.js";
import type { SmallTalk } from "../text/small-talk.js";
import type { Examples } from "../tools/documents/examples.js";
import type { Answer } from "../types/answer.js";
import { answerOf } from "./answer.js";
import { phrases } from "./phrases.js";

/** Answers small talk: in a few words, and unless it is a thanks or a farewell with what can be asked. */
export function smallTalkAnswer(state: State, kind: SmallTalk, examples: Examples | undefined): Answer {
  const answer = answerOf(state, "small_talk");
  const { small, about } = phrases(answer.language);
  const isBrief = kind === "thanks" || kind === "farewell";
  const { documents = 0, titles = [], questions = [] } = (!isBrief && examples) || {};
  const told = documents > 0 ? about(documents, titles.map(inert)) : [];
  const asked = questions.length > 0 ? [questions.map((question) => `- ${inert(question)}`).join("\n")] : [];
  const text = [small[kind], ...told.slice(0, asked.length + 1), ...asked].join("\n\n");
  return { ...answer, status: "answered", text, missing: "", failures: [] };
}
