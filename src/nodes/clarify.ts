import { HumanMessage } from "@langchain/core/messages";
import { questionBack } from "../answer/answer.js";
import type { Node } from "../graph/step.js";
import { said } from "./said.js";

/** Asks the user what was meant, and waits where the run can be resumed. Where it cannot, the answer is the question back. */
export const clarify =
  (): Node =>
  (state, { ask, scope }) => {
    const question = questionBack(state);
    const reply = ask({ question, reason: state.decisions.at(-1)?.reason ?? "" });
    const clarification = typeof reply === "string" ? reply.trim() : "";
    if (!clarification) return {};
    return { clarification, messages: [said(question, scope), new HumanMessage(clarification)] };
  };
