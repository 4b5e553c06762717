import { questionBack } from "../answer/answer.js";
import { phrases } from "../answer/phrases.js";
import { inert } from "../citing/inert.js";
import { webQueries } from "../nodes/search-web.js";
import type { Context } from "../state/context.js";
import type { State } from "../state/state.js";

/** Returns what a node will ask a person, in the language of the question. Empty if it asks nothing. */
export function askedBy(node: string, state: State, { web }: Context): string {
  if (node === "clarify") return questionBack(state);
  if (node !== "searchWeb" || !web.approve) return "";
  return inert(phrases(state.understood?.language ?? "en").mayBeSent(webQueries(state)));
}
