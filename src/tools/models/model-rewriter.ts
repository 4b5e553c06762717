import { z } from "zod";
import { MalformedReplyError } from "../../errors.js";
import { languageOf } from "../../text/language.js";
import { acceptableRewrite, sameQuery } from "./acceptable-rewrite.js";
import { askModel } from "./ask.js";
import type { Chat } from "./chat.js";
import { absentFrom } from "./missing.js";
import type { Rewriter } from "./port.js";
import { rewritePrompt, standalonePrompt } from "./prompts.js";
import { words } from "./reply-json.js";

/** Rewrites in one call to a model, and accepts only a new query that does not change the question. */
export function modelRewriter(chat: Chat): Rewriter {
  return {
    async standalone(question, history, call) {
      if (history.length === 0) return question;
      const prompt = standalonePrompt(question, languageOf(question), history, call.prompts);
      const reply = await askModel(chat, { name: "standalone", prompt, schema: Standalone }, call);
      const said = oneLine(reply.question);
      if (!followsUp(question, said))
        throw new MalformedReplyError("The model's standalone question changes the follow-up.");
      return said;
    },

    async rewrite(task, call) {
      const reply = await askModel(
        chat,
        { name: "rewrite", prompt: rewritePrompt(task, call.prompts), schema: Rewrite },
        call,
      );
      const query = oneLine(reply.query);
      if (!acceptableRewrite(task.question, query))
        throw new MalformedReplyError("The model's query changes the question.");
      if (task.queries.some((tried) => sameQuery(tried, query)))
        throw new MalformedReplyError("The model's query was tried before.");
      return query;
    },
  };
}

const Standalone = z.object({ question: words(400) });
const Rewrite = z.object({ query: words(200) });

const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();

/** True if a question keeps the follow-up's language, names and amounts, and is not much longer. */
const followsUp = (followUp: string, said: string) =>
  said !== "" &&
  languageOf(said) === languageOf(followUp) &&
  said.length <= 2 * followUp.length + 160 &&
  absentFrom(followUp, said).length === 0;
