import { blocks, plainWords } from "./blocks.js";

/** Puts a list item behind the sentence that introduces its list: "Bring: a passport". */
export const underLead = (lead: string, item: string): string => `${lead}${lead.endsWith("：") ? "" : " "}${item}`;

/**
 * If the text is a list with the sentence that introduces it, and the claim begins with that sentence, returns the items and
 * the rest of the claim. A list in a list says more than one of its leads, so it is none.
 */
export function readList(text: string, claim: string): { items: string[]; rest: string } | undefined {
  const [lead, ...below] = blocks(text);
  if (lead?.kind !== "prose" || below.some(({ kind }) => kind !== "item")) return undefined;
  const [led, words] = [plainWords(text.slice(lead.start, lead.end)), plainWords(claim)];
  const items = below.map(({ start, end }) => text.slice(start, end));
  if (!INTRODUCES.test(led) || !words.startsWith(led) || items.some((item) => INTRODUCES.test(item))) return undefined;
  return { items, rest: words.slice(led.length).trim() };
}

const INTRODUCES = /[:：]\s*$/;
