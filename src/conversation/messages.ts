import {
  AIMessage,
  type AIMessageFields,
  type BaseMessage,
  type StandardMessageStructure,
} from "@langchain/core/messages";
import { z } from "zod";
import { withoutSources } from "../answer/compose.js";
import { paragraph, withText } from "../answer/segments.js";
import { Answer } from "../types/answer.js";
import { Cited, type ConversationTurn } from "../types/conversation.js";
import { Computed } from "../types/table.js";

/** Returns a message of the assistant that names the scope it was written in, so that it is not read in another one. */
export const assistantMessage = (
  content: string,
  scope: string,
  more: Pick<AIMessageFields<StandardMessageStructure>, "id" | "name" | "additional_kwargs" | "usage_metadata"> = {},
): AIMessage =>
  new AIMessage<StandardMessageStructure>({
    ...more,
    content,
    additional_kwargs: { ...more.additional_kwargs, ...(scope !== "" && { emend_scope: scope }) },
  });

/** Returns the name of the scope that a message was written in; empty if it names none. */
export const scopeSaidIn = ({ additional_kwargs: { emend_scope: scope } }: BaseMessage): string =>
  typeof scope === "string" ? scope : "";

/** Returns what a message holds besides text, which emend does not read: each by its type, such as `image`. */
export const attachmentsIn = ({ content }: BaseMessage): string[] =>
  typeof content === "string" ? [] : content.map(({ type }) => type).filter((type) => type !== "text");

/**
 * Reads the turns of a thread from its messages. A question that was stopped is left out.
 * @param scope the name of the scope of whoever reads; what was said in another one is left out.
 * @param isWaiting true if the last question waits for a reply: it is kept without an answer.
 */
export function turnsIn(messages: readonly BaseMessage[], scope: string, isWaiting: boolean): ConversationTurn[] {
  const asked = [...messages.entries()].filter(([, message]) => message.getType() === "human");
  return asked.flatMap(([at, { text: question }], i) => {
    const next = asked[i + 1]?.[0];
    const reply = messages.slice(at, next).findLast((message) => message.getType() === "ai");
    if (!reply) return isWaiting && next === undefined ? [{ question, ...UNTOLD, ...withText([]) }] : [];
    if (scope !== "" && scopeSaidIn(reply) !== scope) return [];
    const told = answerIn(reply);
    if (told) return [{ question, ...told, ...withText(told.segments) }];
    return [{ question, ...UNTOLD, ...withText([paragraph(withoutSources(reply.text))]) }];
  });
}

/** A question back tells nothing else of itself. */
const UNTOLD = { status: "needs_clarification" as const, citations: [] };

const answerIn = ({ additional_kwargs: { emend } }: BaseMessage) => AnswerDetails.safeParse(emend).data;

/** What an answer tells of itself as data. */
const AnswerDetails = z.object({
  status: Answer.shape.status,
  stopReason: Answer.shape.stopReason.optional(),
  segments: Answer.shape.segments,
  citations: z.array(Cited),
  computed: z.record(z.string(), Computed).optional(),
});
