import { z } from "zod";
import type { Chat } from "../tools/chat/port.js";
import { Support } from "../types/answer.js";
import type { Checker, CheckTask, Judgement } from "../types/reasoners.js";
import { askModel } from "./ask.js";
import { checkPrompt } from "./prompts.js";
import { byNumber, listOf, words } from "./reply-json.js";

/**
 * Checks claims by the whole passages that they cite, in one call to a model for 30 claims. A claim that it does not judge
 * is unsupported.
 */
export function modelChecker(chat: Chat): Checker {
  return {
    async check(task, call) {
      const judged: Judgement[] = [];
      for (let first = 0; first < task.claims.length; first += AT_ONCE)
        judged.push(...(await checked({ ...task, claims: task.claims.slice(first, first + AT_ONCE) }, chat, call)));
      return judged;
    },
  };
}

const AT_ONCE = 30;

async function checked(task: CheckTask, chat: Chat, call: Parameters<Checker["check"]>[1]): Promise<Judgement[]> {
  const schema = byNumber(task.claims.length, Judged);
  const prompt = checkPrompt(task, call.prompts);
  const complaint = (reply: z.infer<typeof schema>) =>
    Object.values(reply).every(({ reason }) => reason === NOT_JUDGED.reason) ? "it judged none of the claims" : "";
  const reply = await askModel(chat, { name: "check", prompt, schema, complaint }, call);
  return task.claims.map((_, i) => judgementOf(reply[i + 1] ?? NOT_JUDGED));
}

/** One text instead of a list is understood too. */
const Quotes = z.preprocess((said) => (typeof said === "string" && said !== "" ? [said] : said), listOf(words(400), 4));
const NOT_JUDGED = { words: [], verdict: "unsupported" as const, reason: "The model did not judge this claim." };
const Said = z.object({ words: Quotes, verdict: Support.exclude(["likely"]), reason: words(160) });
const Judged = z.preprocess((said) => said ?? NOT_JUDGED, Said);

const judgementOf = ({ words, verdict, reason }: z.infer<typeof Said>): Judgement => ({
  verdict,
  reason:
    reason === NOT_JUDGED.reason
      ? { code: "unchecked" }
      : verdict === "supported"
        ? { code: "stated" }
        : { code: "own", words: reason },
  ...(words.length > 0 && { words }),
});
