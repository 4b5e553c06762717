import { z } from "zod";
import type { Request } from "../state/node.js";

/**
 * The form in which LangChain's agents ask a person (human in the loop): chat clients show it with fields and buttons. Agent
 * Chat UI and Python read these names alone; LangGraph's SDK for JavaScript adds them in camel case.
 */
export function inReview({ queries }: Request, description: string) {
  const actions = queries?.map((query) => ({ name: "search_web", args: { query } })) ?? [
    { name: "clarify", args: { reply: "" } },
  ];
  const allowed_decisions = queries ? ["approve", "edit", "reject"] : ["edit"];
  return {
    action_requests: actions.map((action) => ({ ...action, description })),
    review_configs: actions.map(({ name }) => ({ action_name: name, allowed_decisions })),
  };
}

/**
 * Returns what a person decided on each action: true for the action as it is, another text in its place, or an empty text
 * for nothing. Undefined if the reply has another form.
 */
export const decisionsIn = (reply: unknown): (true | string)[] | undefined =>
  Decisions.safeParse(reply).data?.decisions.map(({ type, edited_action, editedAction = edited_action }) => {
    if (type === "approve") return true;
    const texts = type === "edit" ? Object.values(editedAction?.args ?? {}) : [];
    return texts.find((text) => typeof text === "string") ?? "";
  });

const Edited = z.object({ args: z.record(z.string(), z.unknown()) }).optional();
const Decisions = z.object({
  decisions: z.array(z.object({ type: z.string(), edited_action: Edited, editedAction: Edited })).max(20),
});
