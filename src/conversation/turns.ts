import type { BaseMessage } from "@langchain/core/messages";
import { z } from "zod";
import { withoutSources } from "../answer/sources.js";
import { Answer } from "../types/answer.js";
import { Cited, type Turn } from "../types/conversation.js";
import { scopeSaidIn } from "./messages.js";

/**
 * Reads the turns of a thread from its messages. A question that was stopped is left out.
 * @param scope the name of the scope of whoever reads; what was said in another one is left out.
 * @param isWaiting true if the last question waits for a reply: it is kept without an answer.
 */
export function turnsIn(messages: readonly BaseMessage[], scope: string, isWaiting: boolean): Turn[] {
  const asked = [...messages.entries()].filter(([, message]) => message.getType() === "human");
  return asked.flatMap(([at, { text: question }], i) => {
    const next = asked[i + 1]?.[0];
    const reply = messages.slice(at, next).findLast((message) => message.getType() === "ai");
    if (!reply) return isWaiting && next === undefined ? [{ ...UNANSWERED, question }] : [];
    if (scope !== "" && scopeSaidIn(reply) !== scope) return [];
    return [{ ...UNANSWERED, ...told(reply), question, text: withoutSources(reply.text) }];
  });
}

/** A question back tells nothing else of itself. */
const UNANSWERED = { text: "", status: "needs_clarification" as const, citations: [] };

const told = ({ additional_kwargs: { emend } }: BaseMessage) => Told.safeParse(emend).data ?? {};

/** What an answer tells of itself beside its text. */
const Told = z.object({ status: Answer.shape.status, citations: z.array(Cited) });
