import type { GraphValue } from "../../../types/graph.js";
import { predicateWords } from "../rank-facts.js";

/** What is known of a node: its labels without emend's own, and its properties. */
export interface NodeText {
  labels: readonly string[];
  properties: Readonly<Record<string, GraphValue>>;
}

/** Whether a property may hold the names of nodes with such labels, as far as its own name tells. */
export function isNameKey(key: string, labels: readonly string[]): boolean {
  return rankOf(key, labels) < DESCRIPTION;
}

/**
 * The name a person would call a node by: a property called name, first and last name, title, "productName" of a
 * Product, and so on down to its number with its label before it, "Order 10248". Empty where it has nothing of the kind.
 */
export function displayName({ labels, properties }: NodeText): string {
  const [first, last] = [part(properties, FIRST), part(properties, LAST)];
  const best = namesByRank({ labels, properties })[0];
  if (first && last && (!best || best.rank > 0)) return `${first} ${last}`;
  if (best) return best.rank === NUMBER ? `${labels[0] ?? ""} ${best.text}`.trim() : best.text;
  return labels[0] ?? "";
}

/** What a question may call a node by. */
export interface NodeName {
  name: string;
  /** False where it may be the name of something the node belongs to: the contact of a customer. */
  isSure: boolean;
}

export function namesOf({ labels, properties }: NodeText): NodeName[] {
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

/** Whether a property holds a number or code of something, of this node or of another. */
export const isNumberKey = (key: string) => /^(?:id|code|number|no|key|sku|uuid|guid|编号|代码)$/.test(lastWord(key));

const lastWord = (key: string) => predicateWords(key).toLowerCase().split(" ").at(-1) ?? "";

/** Properties as a query returns them when some are left out: pairs of key and value. */
export function asProperties(pairs: GraphValue | undefined): Record<string, GraphValue> {
  const given = Array.isArray(pairs) ? pairs : [];
  return Object.fromEntries(
    given.flatMap((pair) => (Array.isArray(pair) ? [[String(pair[0]), pair[1] ?? null] as const] : [])),
  );
}

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

/** What is longer is a text and no name. */
const LONGEST_NAME = 4_000;

const part = (properties: NodeText["properties"], name: RegExp) => {
  const value = Object.entries(properties).find(([key]) => name.test(key))?.[1];
  return typeof value === "string" ? value.trim() : "";
};
const FIRST = /^(?:first_?name|given_?name|forename|名)$/i;
const LAST = /^(?:last_?name|family_?name|surname|姓)$/i;

/** Tables call a thing's name its description where it has no other; a longer one is what it says. */
const DESCRIBED = 5;
const LONGEST_DESCRIBED = 40;
const NUMBER = 6;
const FOREIGN = 7;
const DESCRIPTION = 8;

/** 0 for the surest name, 9 for none. */
function rankOf(key: string, labels: readonly string[]): number {
  const words = predicateWords(key).toLowerCase().split(" ");
  const [last = "", stem] = [words.at(-1), words.slice(0, -1).join("")];
  const isOfLabel = labels.some((label) => predicateWords(label).toLowerCase().replaceAll(" ", "") === stem);
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

/** What commonly stands before "name" where the name is the thing's own and not that of something it belongs to. */
const COMMON =
  /^(?:full|display|company|organi[sz]ation|legal|official|common|short|long|nick|user|brand|product|event|place|host|file|original|other|also|known|preferred)$/;
