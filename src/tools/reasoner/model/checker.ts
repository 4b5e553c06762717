import { z } from "zod";
import { Support } from "../../../types/answer.js";
import type { Checker } from "../port.js";
import { ask } from "./ask.js";
import type { Chat } from "./chat.js";
import { list, words } from "./json.js";
import { checkPrompt } from "./prompts.js";

/** Checks all claims in one call to a model. A claim that it does not judge is unsupported. */
export function modelChecker(chat: Chat): Checker {
  return {
    async check(task, call) {
      if (task.claims.length === 0) return [];
      const reply = await ask(chat, { name: "check", prompt: checkPrompt(task), schema: Reply }, call);
      return task.claims.map((_, i) => {
        const judged = reply.checks.find(({ claim }) => claim === i + 1);
        return judged
          ? { verdict: judged.verdict, reason: judged.reason }
          : { verdict: "unsupported", reason: "The model did not judge this claim." };
      });
    },
  };
}

const Reply = z.object({
  checks: list(z.object({ claim: z.coerce.number(), reason: words(120), verdict: Support.exclude(["likely"]) }), 20),
});
