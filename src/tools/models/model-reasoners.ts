import { z } from "zod";
import { Support } from "../../types/answer.js";
import { askModel } from "./ask.js";
import type { Chat } from "./chat.js";
import type { Reasoners } from "./fallback.js";
import { modelGenerator } from "./model-generator.js";
import { modelGrader } from "./model-grader.js";
import { modelRewriter } from "./model-rewriter.js";
import { type AnyChat, openChat } from "./open-chat.js";
import type { Checker, Judgement } from "./port.js";
import { checkPrompt } from "./prompts.js";
import { byNumber, words } from "./reply-json.js";

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

/** A run may choose the model that generates and checks. A grader that is set up separately keeps its own model. */
const withOwnModel = ({ withModel: _, ...chat }: Chat): Chat => chat;

/** Checks all claims in one call to a model. A claim that it does not judge is unsupported, as are those after the 20th. */
function modelChecker(chat: Chat): Checker {
  return {
    async check(task, call) {
      if (task.claims.length === 0) return [];
      const claims = task.claims.slice(0, MOST);
      const schema = byNumber(claims.length, Judged);
      const prompt = checkPrompt({ ...task, claims }, call.prompts);
      const complaint = (reply: z.infer<typeof schema>) =>
        Object.values(reply).every(({ reason }) => reason === NOT_JUDGED.reason) ? "it judged none of the claims" : "";
      const reply = await askModel(chat, { name: "check", prompt, schema, complaint }, call);
      return task.claims.map((_, i) => judgementOf(reply[i + 1] ?? NOT_JUDGED));
    },
  };
}

const MOST = 20;

const NOT_JUDGED = { verdict: "unsupported" as const, reason: "The model did not judge this claim." };
const Said = z.object({ reason: words(120), verdict: Support.exclude(["likely"]) });
const Judged = z.preprocess((said) => said ?? NOT_JUDGED, Said);

const judgementOf = ({ verdict, reason }: z.infer<typeof Said>): Judgement => ({
  verdict,
  reason: reason === NOT_JUDGED.reason ? { code: "unchecked" } : { code: "own", words: reason },
});
