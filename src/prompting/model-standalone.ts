import { z } from "zod";
import { MalformedReplyError } from "../errors.js";
import { absentFrom } from "../reading/missing.js";
import { languageOf } from "../text/language.js";
import type { Chat } from "../tools/chat/port.js";
import type { Rewriter } from "../types/reasoners.js";
import { askModel } from "./ask.js";
import { standalonePrompt } from "./prompts.js";
import { words } from "./reply-json.js";

/** Makes a follow-up stand alone in one call to a model, and accepts only a question that does not change it. */
export const standaloneByModel =
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
