import type { Reasoners } from "../fallback.js";
import { modelChecker } from "./checker.js";
import { modelGenerator } from "./generator.js";
import { modelGrader } from "./grader.js";
import { type AnyChat, openChat } from "./open-chat.js";
import { modelRewriter } from "./rewriter.js";

export interface ModelReasonersOptions {
  /** Generates and checks: settings of an endpoint, or any LangChain chat model. */
  chat: AnyChat;
  /** Grades and rewrites; a smaller model will do. Default: `chat`. */
  graderChat?: AnyChat;
  /** A folder to keep replies in and to take them from; none by default. For evaluations. */
  cache?: string | undefined;
}

/** The reasoners in their model form. Every method throws EndpointError, MalformedReplyError or BudgetSpentError. */
export function modelReasoners({ chat, graderChat = chat, cache }: ModelReasonersOptions): Reasoners {
  const large = openChat(chat, { cache });
  const small = graderChat === chat ? large : openChat(graderChat, { cache });
  return {
    grader: modelGrader(small),
    rewriter: modelRewriter(small),
    generator: modelGenerator(large),
    checker: modelChecker(large),
  };
}
