import type { GraphValue } from "../../types/knowledge.js";
import { predicateWords } from "../knowledge/rank-facts.js";

/** A node's labels without emend's own, and its properties. */
export interface NodeText {
  labels: readonly string[];
  properties: Readonly<Record<string, GraphValue>>;
}

/** True for a property that by its key may hold the names of nodes with these labels. */
export const isNameKey = (key: string, labels: readonly string[]): boolean => rankOf(key, labels) < DESCRIPTION;

/**
 * Picks the name a person would use for a node: a property called name, first and last name, title, "productName" of a
 * Product, and so on down to its number after its label, "Order 10248". Else its label, or an empty text.
 */
export function displayName({ labels, properties }: NodeText): string {
  const [first, last] = [part(properties, FIRST), part(properties, LAST)];
  const best = namesByRank({ labels, properties })[0];
  if (first && last && (!best || best.rank > 0)) return `${first} ${last}`;
  if (best) return best.rank === NUMBER ? `${labels[0] ?? ""} ${best.text}`.trim() : best.text;
  return labels[0] ?? "";
}

/** A name that a question may use for a node. */
export interface GraphNodeName {
  name: string;
  /** False where the name may be that of something related, such as the contact of a customer. */
  isSure: boolean;
}

export function namesOf({ labels, properties }: NodeText): GraphNodeName[] {
  const [first, last] = [part(properties, FIRST), part(properties, LAST)];
  const full = /\p{Script=Han}/u.test(last) ? `${last}${first}` : `${first} ${last}`;
  return [
    ...(first && last ? [{ name: full, isSure: true }] : []),
    ...namesByRank({ labels, properties })
      .filter(({ key }) => !FIRST.test(key) && !LAST.test(key))
      .flatMap(({ rank, texts }) =>
        texts.flatMap((text) => [
          { name: text, isSure: rank < FOREIGN },
          ...(rank === NUMBER ? labels.map((label) => ({ name: `${label} ${text}`, isSure: true })) : []),
        ]),
      ),
  ];
}

/** True for a property that holds a number or code, of this node or of another. */
export const isNumberKey = (key: string) =>
  /^(?:id|code|number|no|key|sku|uuid|guid|编号|代码)$/.test(wordsOf(key).at(-1) ?? "");

const wordsOf = (key: string) => predicateWords(key).toLowerCase().split(" ");

function namesByRank({ labels, properties }: NodeText) {
  return Object.entries(properties)
    .map(([key, value]) => {
      const texts = [value].flat().flatMap((one) => (isText(one) ? [String(one).trim()] : []));
      return { key, rank: rankOf(key, labels), texts, text: texts[0] ?? "" };
    })
    .filter(
      ({ rank, text }) =>
        rank <= DESCRIPTION && text !== "" && text.length <= (rank === DESCRIBED ? LONGEST_DESCRIBED : LONGEST_NAME),
    )
    .sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1));
}

const isText = (value: GraphValue) => typeof value === "string" || typeof value === "number";

/** In characters; a longer value is not a name. */
const LONGEST_NAME = 4_000;

const part = (properties: NodeText["properties"], name: RegExp) => {
  const value = Object.entries(properties).find(([key]) => name.test(key))?.[1];
  return typeof value === "string" ? value.trim() : "";
};
const FIRST = /^(?:first_?name|given_?name|forename|名)$/i;
const LAST = /^(?:last_?name|family_?name|surname|姓)$/i;

/** In tables a short description is often a thing's only name; a longer one describes it. */
const DESCRIBED = 5;
const LONGEST_DESCRIBED = 40;
const NUMBER = 6;
const FOREIGN = 7;
const DESCRIPTION = 8;

/** Ranks a property by how likely it holds the node's name: 0 is surest, 9 is none. */
function rankOf(key: string, labels: readonly string[]): number {
  const words = wordsOf(key);
  const [last = "", stem] = [words.at(-1), words.slice(0, -1).join("")];
  const isOfLabel = labels.some((label) => wordsOf(label).join("") === stem);
  if (/^(?:name|names|名称|名字|姓名|名前)$/.test(words.join(""))) return words[0] === "name" ? 0 : 1;
  if (FIRST.test(key) || LAST.test(key)) return FOREIGN;
  if (/^(?:names?|titles?)$/.test(last) && isOfLabel) return 1;
  if (/^(?:title|label|caption|headline|标题|题名|书名|片名)$/.test(words.join(""))) return 2;
  if (/^(?:names?|alias|aliases|别名|简称|全称)$/.test(last) && (stem === "" || COMMON.test(stem))) return 3;
  if (/(?:名称|名|姓名)$/.test(key)) return 3;
  if (/^(?:id|code|number|no|key|sku|symbol|编号|代码|号)$/.test(last)) return isOfLabel || stem === "" ? NUMBER : 9;
  if (/^(?:names?|title)$/.test(last)) return FOREIGN;
  if (/^(?:description|描述)$/.test(last) && isOfLabel) return DESCRIBED;
  return /^(?:description|summary)$/.test(last) ? DESCRIPTION : 9;
}

/** Words before "name" that mark the thing's own name, not that of something related. */
const COMMON =
  /^(?:full|display|company|organi[sz]ation|legal|official|common|short|long|nick|user|brand|product|event|place|host|file|original|other|also|known|preferred)$/;
