import { anyOf, NOT_NOW } from "./lexicon.js";
import { names } from "./names.js";
import { negations } from "./negation.js";
import { type Quantity, quantities } from "./numbers.js";
import { jaccard } from "./similarity.js";
import { contentTerms, plain } from "./tokens.js";

/**
 * True if two sentences differ in nothing but an amount: nearly the same words, the same names, as many denials, and on
 * each side exactly one amount, of one unit, with another value.
 */
export function differInAmount(a: string, b: string): boolean {
  const [one, ...more] = quantities(a);
  if (!one || more.length > 0) return false;
  const [other, ...others] = quantities(b);
  if (!other || others.length > 0 || unitOf(one) !== unitOf(other) || one.key === other.key) return false;
  const [restA, restB] = [around(a, one), around(b, other)];
  if (negations(a) !== negations(b) || folded(names(restA)) !== folded(names(restB))) return false;
  const [left, right] = [new Set(contentTerms(restA)), new Set(contentTerms(restB))];
  return left.intersection(right).size >= SHARED && jaccard(left, right) >= ALIKE;
}

/** "measure:day" of "measure:day:3". */
const unitOf = ({ kind, key }: Quantity) => (kind === "date" ? kind : key.slice(0, key.lastIndexOf(":")));
const folded = (all: readonly string[]) => all.map(plain).toSorted().join("\n");
const around = (text: string, { start, end }: Quantity) => `${text.slice(0, start)} ${text.slice(end)}`;

/** The least Jaccard similarity, and the least number of shared content terms. Set by hand. */
const ALIKE = 0.6;
const SHARED = 3;

/**
 * Reads the value that a sentence gives the `predicate` of `entity`: "The head of Sales is Ann.", "Ann is the head of
 * Sales", "Sales' head: Ann", 销售部的负责人是安, 安是销售部的负责人. Undefined if it says nothing of this form, denies it, or
 * speaks of another time.
 */
export function valueIn(sentence: string, about: { entity: string; predicate: string }): string | undefined {
  const text = plain(sentence).replace(/\s+/g, " ").trim();
  const [e, p] = [escaped(about.entity), escaped(about.predicate)];
  if (e === "" || p === "" || negations(text) > 0 || ELSEWHEN.test(sentence.replaceAll(about.entity, " ")))
    return undefined;
  const said = text.replace(/[.。!！;；]$/u, "");
  const patterns = [
    `^(?:the )?${p} of (?:the )?${e}(?: department| team)? is ${LAST}`,
    `^(?:the )?${e}(?:'s?)? ${p} is ${LAST}`,
    `^(?:the )?${e}(?:'s?)? ?${p}: ?${LAST}`,
    `^${VALUE} is (?:the )?${p} of (?:the )?${e}(?: department| team)?$`,
    `^${VALUE} is (?:the )?${e}(?:'s?)? ${p}$`,
    `^${e} ?的? ?${p} ?(?:是|为|:) ?${LAST}`,
    `^${VALUE}(?:是|任|担任) ?${e} ?的? ?${p}$`,
  ];
  return patterns.map((pattern) => new RegExp(pattern, "u").exec(said)?.[1]?.trim()).find(Boolean);
}

/** A name or an amount, but no clause. */
const VALUE = "([^,，;；:：]{1,60}?)";
const LAST = `${VALUE}(?=$|[,，;；(（])`;
const escaped = (words: string) =>
  plain(words)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const ELSEWHEN = anyOf(NOT_NOW, "u");
