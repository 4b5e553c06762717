import type { Reasoners } from "../fallback.js";
import type { CypherWriter } from "../port.js";
import { cachedChat } from "./cache.js";
import type { Chat } from "./chat.js";
import { modelChecker } from "./checker.js";
import { modelCypherWriter } from "./cypher-writer.js";
import { modelGenerator } from "./generator.js";
import { modelGrader } from "./grader.js";
import { type AnyChat, openChat } from "./open-chat.js";
import { modelRewriter } from "./rewriter.js";

export interface ModelReasonersOptions {
  /** Generates, checks and writes queries: settings of an endpoint, or any LangChain chat model. */
  chat: AnyChat;
  /** Grades and rewrites; a smaller model will do. Default: `chat`. */
  graderChat?: AnyChat;
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

function prepared(given: AnyChat, cache: string | undefined): Chat {
  const chat = openChat(given);
  return cache === undefined ? chat : cachedChat(chat, cache);
}
