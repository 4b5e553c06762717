import { HumanMessage } from "@langchain/core/messages";
import { questionBack } from "../answer/answer.js";
import { decisionsIn } from "../conversation/review.js";
import type { Node } from "../state/node.js";

/** Asks the user what was meant and, if the run can be resumed, waits. Otherwise the question back is the answer. */
export const clarify =
  (): Node =>
  (state, { ask }) => {
    const reply = ask({ question: questionBack(state), reason: state.decisions.at(-1)?.reason });
    const said = decisionsIn(reply)?.[0] ?? reply;
    const clarification = typeof said === "string" ? said.trim() : "";
    if (!clarification) return {};
    return { clarification, answering: crypto.randomUUID(), said: "", messages: [new HumanMessage(clarification)] };
  };
