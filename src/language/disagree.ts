import { names } from "./names.js";
import { negations } from "./negation.js";
import { type Quantity, quantities } from "./numbers.js";
import { jaccard } from "./similarity.js";
import { contentTerms, plain } from "./tokens.js";

/** One statement: what is said to be the `predicate` of `entity`. */
export interface Statement {
  entity: string;
  predicate: string;
  value: string;
}

/**
 * Whether two sentences say the same of the same thing with another amount: nearly the same words, the same names, as
 * often denied, and one amount of the same unit on each side that the other does not have.
 */
export function differInAmount(a: string, b: string): boolean {
  const here = quantities(a);
  if (here.length !== 1) return false;
  const there = quantities(b);
  if (there.length !== 1) return false;
  const [one, other] = [here[0] as Quantity, there[0] as Quantity];
  if (unitOf(one) !== unitOf(other) || one.key === other.key) return false;
  const [restA, restB] = [around(a, one), around(b, other)];
  if (negations(a) !== negations(b) || folded(names(restA)) !== folded(names(restB))) return false;
  const [left, right] = [new Set(contentTerms(restA)), new Set(contentTerms(restB))];
  return left.intersection(right).size >= SHARED && jaccard(left, right) >= ALIKE;
}

/** "measure:day" of "measure:day:3". */
const unitOf = ({ kind, key }: Quantity) => (kind === "date" ? kind : key.slice(0, key.lastIndexOf(":")));
const folded = (all: readonly string[]) => all.map(plain).toSorted().join("\n");
const around = (text: string, { start, end }: Quantity) => `${text.slice(0, start)} ${text.slice(end)}`;

const ALIKE = 0.6;
const SHARED = 3;

/**
 * What a sentence says is the `predicate` of `entity`, where it says so plainly: "The head of Sales is Ann.", "Ann is the
 * head of Sales", "Sales' head: Ann", 销售部的负责人是安, 安是销售部的负责人. Undefined where it says nothing of the kind, denies it,
 * or speaks of another time.
 */
export function valueIn(sentence: string, { entity, predicate }: Omit<Statement, "value">): string | undefined {
  const text = plain(sentence).replace(/\s+/g, " ").trim();
  const [e, p] = [escaped(entity), escaped(predicate)];
  if (e === "" || p === "" || negations(text) > 0 || ELSEWHEN.test(sentence)) return undefined;
  const patterns = [
    `^(?:the )?${p} of (?:the )?${e}(?: department| team)? is ${LAST}`,
    `^(?:the )?${e}(?:'s?)? ${p} is ${LAST}`,
    `^(?:the )?${e}(?:'s?)? ?${p}: ?${LAST}`,
    `^${VALUE} is (?:the )?${p} of (?:the )?${e}(?: department| team)?$`,
    `^${VALUE} is (?:the )?${e}(?:'s?)? ${p}$`,
    `^${e} ?的? ?${p} ?(?:是|为|:) ?${LAST}`,
    `^${VALUE}(?:是|任|担任) ?${e} ?的? ?${p}$`,
  ];
  for (const pattern of patterns) {
    const value = new RegExp(pattern, "u").exec(text.replace(/[.。!！;；]$/u, ""))?.[1]?.trim();
    if (value) return value;
  }
  return undefined;
}

/** A name or an amount: no clause. */
const VALUE = "([^,，;；:：]{1,60}?)";
const LAST = `${VALUE}(?=$|[,，;；(（])`;
const escaped = (words: string) =>
  plain(words)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const ELSEWHEN =
  /\b(?:was|were|will|former(?:ly)?|until|if|may|might|acting|interim)\b|曾|原任|前任|将|拟|如果|可能|代理|暂/;
