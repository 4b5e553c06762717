import { AIMessage } from "@langchain/core/messages";
import { answerOf } from "../answer/answer.js";
import { composeAnswer, composeSources } from "../answer/compose.js";
import type { State } from "../graph/state.js";
import type { Node, Run } from "../graph/step.js";
import type { Answer } from "../types/answer.js";

/** Writes the answer. Uses no model, so what is shown is what was checked. */
export const respond = (): Node => (state, run) => {
  const answer = inStyle(answerOf(state, state.decisions.at(-1)?.stop ?? "unanswerable"), state, run);
  sendRest(state, answer, run);
  run.emit({ type: "answer", answer });
  const message = new AIMessage(answer.text + composeSources(answer.references, answer.language));
  return { answer, messages: [message] };
};

/** Where sources are only listed, the text has no markers; the claims keep their citations. */
function inStyle(answer: Answer, { understood }: State, { context: { citing } }: Run): Answer {
  if (citing !== "sources" || answer.claims.length === 0) return answer;
  return { ...answer, text: composeAnswer(answer, understood?.intent ?? "other", answer.language, citing) };
}

/** Claims that only the checker could settle arrive now; claims that were sent and did not hold are taken back aloud. */
function sendRest({ streamed, report }: State, answer: Answer, { emit }: Run) {
  const shown = answer.claims.map((claim) => claim.text);
  for (const claim of answer.claims) {
    if (streamed.includes(claim.text)) continue;
    const numbers = new Set(claim.citations.map((citation) => citation.reference));
    emit({ type: "claim", claim, references: answer.references.filter((r) => numbers.has(r.number)) });
  }
  for (const text of streamed.filter((text) => !shown.includes(text))) {
    const reason = report?.claims.find((claim) => claim.text === text)?.reason ?? "A better draft does without it.";
    emit({ type: "retracted", text, reason });
  }
}
