import { z } from "zod";
import { negations } from "../facts/negation.js";
import type { Request } from "../state/node.js";
import { contentTerms } from "../text/tokens.js";

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

/**
 * Returns the queries that a person allows to be sent.
 * @param reply true, "yes" or 是 for all; "no", 否 or nothing for none; numbers from 1 for some of them ("1 3"). Any other
 *   text replaces them, one query a line; so does a list of texts, bare or as `{queries: […]}`. A longer refusal ("no,
 *   thanks"), or a denial that names nothing of what was shown ("don't", 不用了), counts as a no.
 */
export function approvedQueries(queries: readonly string[], reply: unknown): string[] {
  const given = typeof reply === "object" && reply !== null && "queries" in reply ? reply.queries : reply;
  if (given === true) return [...queries];
  if (Array.isArray(given)) return given.filter((one): one is string => typeof one === "string" && !isNo(one));
  if (typeof given !== "string") return [];
  const said = given.trim();
  if (YES.test(said)) return [...queries];
  if (refuses(said, queries)) return [];
  if (NUMBERS.test(said)) {
    const kept = said.match(/[1-9]/g)?.map(Number) ?? [];
    return queries.filter((_, i) => kept.includes(i + 1));
  }
  return said.split("\n");
}

function refuses(said: string, queries: readonly string[]): boolean {
  const [beginning = said] = said.split(CLAUSE_END).filter(Boolean);
  if (isNo(beginning)) return true;
  const shown = new Set(queries.flatMap(contentTerms));
  return negations(said) > 0 && !contentTerms(said).some((term) => shown.has(term));
}

const isNo = (text: string) => NO.test(text.trim());

/** True for a yes, a no or numbers, which are complete in one line. Anything else is a query, and another may follow. */
export const isVerdict = (line: string): boolean => [YES, NO, NUMBERS].some((form) => form.test(line.trim()));

const YES = /^(?:y|yes|ok|send|是|好|可以|同意|发送)[.!。！]?$/i;
const NO = /^(?:n|no|none|refuse|否|不|不要|不行|拒绝)?[.!。！]?$/i;
const CLAUSE_END = /[,;:.!](?=\s)|[\n，、；：。！…]/;
const NUMBERS = /^[1-9](?:[ ,;、，；]+[1-9])*[.。]?$/;
