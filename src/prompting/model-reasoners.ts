import { z } from "zod";
import { MalformedReplyError } from "../errors.js";
import { absentFrom } from "../reading/missing.js";
import { languageOf } from "../text/language.js";
import { type AnyChat, openChat } from "../tools/chat/open-chat.js";
import type { Chat } from "../tools/chat/port.js";
import { Support } from "../types/answer.js";
import type { Checker, CheckTask, Generator, Judgement, Rewriter } from "../types/reasoners.js";
import { askModel } from "./ask.js";
import { modelGenerator } from "./model-generator.js";
import { checkPrompt, standalonePrompt } from "./prompts.js";
import { byNumber, listOf, words } from "./reply-json.js";

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

/** Makes a follow-up stand alone in one call to a model, and accepts only a question that does not change it. */
const standaloneByModel =
  (chat: Chat): Rewriter["standalone"] =>
  async (question, history, call) => {
    if (history.length === 0) return question;
    const prompt = standalonePrompt(question, languageOf(question), history, call.prompts);
    const reply = await askModel(chat, { name: "standalone", prompt, schema: Standalone }, call);
    const said = reply.question.replace(/\s+/g, " ").trim();
    if (!followsUp(question, said))
      throw new MalformedReplyError("The model's standalone question changes the follow-up.");
    return said;
  };

const Standalone = z.object({ question: words(400) });

/** True if a question keeps the follow-up's language, names and amounts, and is not much longer. */
const followsUp = (followUp: string, said: string) =>
  said !== "" &&
  languageOf(said) === languageOf(followUp) &&
  said.length <= 2 * followUp.length + 160 &&
  absentFrom(followUp, said).length === 0;

/**
 * Checks claims by the whole passages that they cite, in one call to a model for 30 claims. A claim that it does not judge
 * is unsupported.
 */
function modelChecker(chat: Chat): Checker {
  return {
    async check(task, call) {
      const judged: Judgement[] = [];
      for (let first = 0; first < task.claims.length; first += CLAIMS_AT_ONCE)
        judged.push(
          ...(await checked({ ...task, claims: task.claims.slice(first, first + CLAIMS_AT_ONCE) }, chat, call)),
        );
      return judged;
    },
  };
}

const CLAIMS_AT_ONCE = 30;

async function checked(task: CheckTask, chat: Chat, call: Parameters<Checker["check"]>[1]): Promise<Judgement[]> {
  const schema = byNumber(task.claims.length, Judged);
  const prompt = checkPrompt(task, call.prompts);
  const complaint = (reply: z.infer<typeof schema>) =>
    Object.values(reply).every(({ reason }) => reason === NOT_JUDGED.reason) ? "it judged none of the claims" : "";
  const reply = await askModel(chat, { name: "check", prompt, schema, complaint }, call);
  return task.claims.map((_, i) => judgementOf(reply[i + 1] ?? NOT_JUDGED));
}

/** One text instead of a list is understood too. */
const Words = z.preprocess((said) => (typeof said === "string" && said !== "" ? [said] : said), listOf(words(400), 4));
const NOT_JUDGED = { words: [], verdict: "unsupported" as const, reason: "The model did not judge this claim." };
const Verdict = z.object({ words: Words, verdict: Support.exclude(["likely"]), reason: words(160) });
const Judged = z.preprocess((said) => said ?? NOT_JUDGED, Verdict);

const judgementOf = ({ words, verdict, reason }: z.infer<typeof Verdict>): Judgement => ({
  verdict,
  reason:
    reason === NOT_JUDGED.reason
      ? { code: "unchecked" }
      : verdict === "supported"
        ? { code: "stated" }
        : { code: "own", words: reason },
  ...(words.length > 0 && { words }),
});
