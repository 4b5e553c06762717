import { type AnyChat, openChat } from "../tools/chat/open-chat.js";
import type { Checker, Generator, Rewriter } from "../types/reasoners.js";
import { modelChecker } from "./model-checker.js";
import { modelGenerator } from "./model-generator.js";
import { standaloneByModel } from "./model-standalone.js";

export interface ModelReasonersOptions {
  /** Reads, writes and checks: an endpoint's settings, or any LangChain chat model. */
  chat: AnyChat;
  /** Checks instead of it. Default: `chat`. */
  checkerChat?: AnyChat | undefined;
}

/** What a chat model does in a run. It does not grade: its draft says whether the evidence answers. */
export interface ModelReasoners {
  standalone: Rewriter["standalone"];
  generator: Generator;
  checker: Checker;
}

/** The reasoners that ask a chat model. Every method throws EndpointError, MalformedReplyError or BudgetSpentError. */
export function modelReasoners({ chat, checkerChat = chat }: ModelReasonersOptions): ModelReasoners {
  const own = openChat(chat);
  const { withModel: _, ...checking } = openChat(checkerChat);
  return {
    standalone: standaloneByModel(own),
    generator: { ...modelGenerator(own), leads: async () => true },
    // A run may choose its model. A checker that is set up separately stays the same.
    checker: modelChecker(checkerChat === chat ? own : checking),
  };
}
