import type { Chat } from "./chat.js";
import type { Reasoners } from "./fallback.js";
import { modelChecker } from "./model-checker.js";
import { modelGenerator } from "./model-generator.js";
import { modelGrader } from "./model-grader.js";
import { modelRewriter } from "./model-rewriter.js";
import { type AnyChat, openChat } from "./open-chat.js";

export interface ModelReasonersOptions {
  /** Generates and checks: an endpoint's settings, or any LangChain chat model. */
  chat: AnyChat;
  /** Grades and rewrites; may be a smaller model. Default: `chat`. */
  graderChat?: AnyChat;
}

/** The reasoners that ask a chat model. Every method throws EndpointError, MalformedReplyError or BudgetSpentError. */
export function modelReasoners({ chat, graderChat = chat }: ModelReasonersOptions): Reasoners {
  const large = openChat(chat);
  const small = graderChat === chat ? large : withOwnModel(openChat(graderChat));
  return {
    grader: modelGrader(small),
    rewriter: modelRewriter(small),
    generator: modelGenerator(large),
    checker: modelChecker(large),
  };
}

/** A run may choose the model that generates and checks. A grader that is set up apart keeps its own. */
const withOwnModel = ({ withModel: _, ...chat }: Chat): Chat => chat;
