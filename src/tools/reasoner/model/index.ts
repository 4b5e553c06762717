import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import type { Reasoners } from "../fallback.js";
import type { CypherWriter } from "../port.js";
import { cachedChat } from "./cache.js";
import type { Chat } from "./chat.js";
import { modelChecker } from "./checker.js";
import { modelCypherWriter } from "./cypher-writer.js";
import { modelGenerator } from "./generator.js";
import { modelGrader } from "./grader.js";
import { langchainChat } from "./langchain.js";
import { modelRewriter } from "./rewriter.js";

export interface ModelReasonersOptions {
  /** Generates, checks and writes queries: settings of an endpoint through `openaiChat`, or any LangChain chat model. */
  chat: Chat | BaseChatModel;
  /** Grades and rewrites; a smaller model will do. Default: `chat`. */
  graderChat?: Chat | BaseChatModel;
  /** A folder to keep replies in and to take them from; none by default. For evaluations. */
  cache?: string;
}

/** The reasoners in their model form. Every method throws EndpointError, MalformedReplyError or BudgetSpentError. */
export function modelReasoners({
  chat,
  graderChat = chat,
  cache,
}: ModelReasonersOptions): Reasoners & { cypherWriter: CypherWriter } {
  const large = prepared(chat, cache);
  const small = graderChat === chat ? large : prepared(graderChat, cache);
  return {
    grader: modelGrader(small),
    rewriter: modelRewriter(small),
    generator: modelGenerator(large),
    checker: modelChecker(large),
    cypherWriter: modelCypherWriter(large),
  };
}

function prepared(chat: Chat | BaseChatModel, cache: string | undefined): Chat {
  const ready = isChat(chat) ? chat : langchainChat(chat);
  return cache === undefined ? ready : cachedChat(ready, cache);
}

/** By its shape: a chat model may come from another copy of LangChain. */
const isChat = (chat: Chat | BaseChatModel): chat is Chat => "send" in chat;
