import { languageOf } from "../text/language.js";
import { anyOf, NOT_NOW } from "../text/lexicon.js";
import { jaccard } from "../text/similarity.js";
import { contentTerms, plain } from "../text/tokens.js";
import { AGREEMENT } from "../thresholds.js";
import { names } from "./names.js";
import { negations } from "./negation.js";
import { CHINESE_NUMERAL, DIGITS, ENGLISH_NUMERAL } from "./number-words.js";
import { type Quantity, quantities } from "./numbers.js";

/**
 * True if two sentences differ only in an amount: nearly the same words, the same names, the same number of negations,
 * and one amount each, with the same unit and different values.
 */
export function differInAmount(a: string, b: string): boolean {
  const [one, ...more] = quantities(a);
  if (!one || more.length > 0) return false;
  const [other, ...others] = quantities(b);
  if (!other || others.length > 0 || unitOf(one) !== unitOf(other) || one.key === other.key) return false;
  if (isNumbering(a, one) || isNumbering(b, other)) return false;
  const [restA, restB] = [around(a, one), around(b, other)];
  if (negations(a) !== negations(b) || folded(names(restA)) !== folded(names(restB))) return false;
  const [left, right] = [new Set(contentTerms(restA)), new Set(contentTerms(restB))];
  return left.intersection(right).size >= AGREEMENT.shared && jaccard(left, right) >= AGREEMENT.alike;
}

/**
 * Returns each of two sentences as a question for its amount ("Staff get how many days of leave?"), if they may state
 * the same fact with different amounts, in whatever words. Undefined if they clearly state different facts: another
 * unit, other names, more negations, or an amount in another role, such as how far ahead, how often, or from which
 * limit.
 */
export function amountAskedBy(a: string, b: string): [string, string] | undefined {
  const [one, ...more] = quantities(a);
  const [other, ...others] = quantities(b);
  if (!one || !other || more.length > 0 || others.length > 0) return undefined;
  if (!COUNTED.test(one.kind) || unitOf(one) !== unitOf(other) || one.key === other.key) return undefined;
  if (isNumbering(a, one) || isNumbering(b, other)) return undefined;
  if (languageOf(a) !== languageOf(b) || negations(a) !== negations(b)) return undefined;
  const [restA, restB] = [around(a, one), around(b, other)];
  if (folded(names(restA)) !== folded(names(restB)) || roleOf(a) !== roleOf(b)) return undefined;
  const isAlike = !new Set(contentTerms(restA)).isDisjointFrom(new Set(contentTerms(restB)));
  return isAlike ? [asked(a, one), asked(b, other)] : undefined;
}

const COUNTED = /^(?:number|percent|money|measure)$/;

/** Words that give an amount a role other than a plain count: notice, limit, frequency, remainder. */
const ROLES = [
  /\b(?:ahead|in advance|beforehand|notice|before)\b|提前|之前|以前/i,
  /\b(?:more than|longer than|over|exceed\w*|less than|fewer than|below|above|from the|if|when)\b|超过|不满|不足|[^\p{P}]满|以上|以下|如果/iu,
  /\b(?:every|each)\s+(?:\d|two|three|four|five|six|ten|twelve)|\b(?:once|twice) an?\b|[每隔]\d|每[两三四五六十]|一次/i,
  /\b(?:carr(?:y|ied)|unused|left ?over|remaining|extra|additional|another|reduced?|discount)\b|顺延|结转|剩余|另|额外|扣/i,
];
const roleOf = (sentence: string) => ROLES.map((role) => Number(role.test(sentence))).join("");

function asked(sentence: string, { kind, text, start, end }: Quantity): string {
  const isChinese = languageOf(sentence) === "zh";
  const unit = kind === "money" ? "" : text.replace(NUMERAL, "").replace(/^[\s-]+/, "");
  const howMany = isChinese
    ? `多少${unit || (kind === "money" ? "钱" : "")}`
    : kind === "money"
      ? "how much"
      : `how many ${unit}`;
  const whole = `${sentence.slice(0, start)}${howMany.trim()}${sentence.slice(end)}`;
  return `${whole.replace(/[\s.。!！;；]+$/u, "")}${isChinese ? "？" : "?"}`;
}

const NUMERAL = new RegExp(`^(?:${DIGITS}|${ENGLISH_NUMERAL}|${CHINESE_NUMERAL})`, "iu");

/** True for the number of a chapter, a note or an item: "Chapter 2. Kernels", "[36] See …", "5.9. Files". */
const isNumbering = (text: string, { start, end }: Quantity) =>
  /^[^\p{L}\p{N}]*(?:\p{Lu}\p{L}*\s+|第)?[[(]?$/u.test(text.slice(0, start)) &&
  /^(?:\.\d+)*[.)\]、章节]/u.test(text.slice(end));

/** "measure:day" of "measure:day:3". */
const unitOf = ({ kind, key }: Quantity) => (kind === "date" ? kind : key.slice(0, key.lastIndexOf(":")));
const folded = (all: readonly string[]) => all.map(plain).toSorted().join("\n");
const around = (text: string, { start, end }: Quantity) => `${text.slice(0, start)} ${text.slice(end)}`;

/**
 * Reads the value that a sentence gives the `predicate` of `entity`: "The head of Sales is Ann.", "Ann is the head of
 * Sales", "Sales' head: Ann", 销售部的负责人是安, 安是销售部的负责人. Undefined if the sentence has another form, denies it, or is about
 * another time.
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

/** A name or an amount, but not a clause. */
const VALUE = "([^,，;；:：]{1,60}?)";
const LAST = `${VALUE}(?=$|[,，;；(（])`;
const escaped = (words: string) =>
  plain(words)
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const ELSEWHEN = anyOf(NOT_NOW, "u");
