import { negations } from "../../facts/negation.js";
import { among, QUESTION_WORDS } from "../../text/lexicon.js";
import { withoutMarkup } from "../../text/markup.js";
import { type OutlineUnit, outlineOf } from "../../text/outline.js";
import { cells } from "../../text/tables.js";
import { hasWords } from "../../text/tokens.js";
import type { Triple, TripleExtractor } from "../../tools/knowledge/port.js";
import type { Passage } from "../../types/evidence.js";

/**
 * Extracts triples from tables without a model, in English and Chinese. It prefers precision to recall: sentences are
 * not read.
 */
export function localExtractor(): TripleExtractor {
  return {
    identity: `local.${VERSION}`,
    atOnce: 100,
    async extract(passage, { signal }) {
      signal.throwIfAborted();
      // Most passages have no table, and finding their sentences takes the most time.
      return passage.text.includes("|") ? tableTriples(passage) : [];
    },
  };
}

/** Raise it, and the version in `ingest/load.ts`, when extraction changes, so that passages are read again. */
const VERSION = 5;

/**
 * Reads tables. A row is normally about the entity in its first cell: entity, column heading, cell. If the first heading
 * is empty, the columns are the entities. If it says "Quantity" or 项目, and a heading above has a model number, the rows
 * are properties of that product.
 */
function tableTriples({ title, section, text }: Passage): Triple[] {
  const above = [title, ...section.split(" › ")];
  const tables = Map.groupBy(outlineOf(text), ({ kind, isRuled, group }) =>
    kind === "row" && isRuled ? group : undefined,
  );
  tables.delete(undefined);
  return [...tables.values()].flatMap(([head, ...rows]) => {
    const headings = [...above, ...(head?.headings ?? [])];
    return head && !headings.some((heading) => OTHER_TIMES.test(heading)) ? rowTriples(head, rows, headings) : [];
  });
}

function rowTriples(head: OutlineUnit, rows: readonly OutlineUnit[], headings: readonly string[]): Triple[] {
  const [corner = "", ...columns] = cells(head.text).map(withoutMarkup);
  // If a first cell occurs twice, the cells name kinds of entities, not entities.
  const isKeyed = new Set(rows.map(({ text }) => cells(text)[0])).size === rows.length;
  if (!isKeyed) return [];
  const product = PROPERTY.test(corner) ? headings.findLast((heading) => MODEL_NUMBER.test(heading)) : undefined;
  return rows.flatMap((row) => {
    const [first = "", ...values] = cells(row.text).map(withoutMarkup);
    // Some pages repeat the header between rows.
    if (first === corner && first !== "") return [];
    return values.flatMap((value, i) => {
      const column = columns[i] ?? "";
      if (corner === "") return facts(column, "", first, value, row.text);
      if (product) return facts(product, "", VALUE.test(column) ? first : joined(first, column), value, row.text);
      if (REMARK.test(column)) return [];
      return listed(first).flatMap((thing) => facts(thing, corner, column, value, row.text));
    });
  });
}

/** Headings of what was, is planned or is only an example. */
const OTHER_TIMES =
  /\b(?:histor\w*|former\w*|previous\w*|past|archived?|obsolete|deprecated|draft\w*|propos\w*|planned|future|roadmap|examples?)\b|历史|沿革|旧版|往届|前任|历任|草案|拟|计划|规划|展望|未来|废止|示例|举例|假设/i;

/** Headings of a first column that lists properties. */
const PROPERTY =
  /^(?:quantity|property|parameter|feature|attribute|specification|item|field|项目|参数|指标|属性|规格|特性|字段)$/i;
/** Headings of a column that say nothing about its values. */
const VALUE = /^(?:values?|details?|specification|数值|值|参数|指标|规格|内容)$/i;
const MODEL_NUMBER = /(?<![\p{L}\p{N}])\p{Lu}[\p{L}-]*\p{N}/u;
/** Headings of columns with remarks on the rows, with their numbers, and of columns that belong to another column. */
const REMARK =
  /^(?:notes?|remarks?|comments?|descriptions?|meaning|definition|examples?|no\.?|#|since|from|until|说明|备注|注释|描述|解释|含义|定义|示例|举例|序号|起|自|至|任职时间|任期)$/i;

function facts(subject: string, type: string, predicate: string, value: string, quote: string): Triple[] {
  const isPredicate =
    /\p{L}/u.test(predicate) &&
    predicate.length <= MAX_LENGTH.predicate &&
    !/[?？!！]/.test(predicate) &&
    !NEEDS_CONTEXT.test(predicate);
  // In a cell, unlike in a sentence, "Sales, Asia" is one name.
  if (!isPredicate || !isName(subject.replace(", ", " ")) || !isValue(value)) return [];
  return listed(value).map((object) => ({
    subject: { name: subject, type, aliases: [] },
    predicate,
    object: { name: object, type: "", aliases: [] },
    quote,
  }));
}

/** Joins two headings: "Oxygen" and "Range" become "Oxygen range". "USB" stays as it is. */
const joined = (before: string, after: string) =>
  HAN.test(after) && HAN.test(before.slice(-1))
    ? `${before}${after}`
    : `${before} ${after.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase())}`;

/** Splits a Chinese list, 广州、深圳. Returns anything else whole, such as "Lisbon, Portugal". */
function listed(text: string): string[] {
  const parts = text.split("、").map((part) => part.trim());
  const isList = parts.every((part) => part !== "" && part.length <= MAX_LENGTH.item && !/[，,（(：:]/.test(part));
  return isList ? parts : [text];
}

/** True if a phrase can be an entity without its context: a name or a short noun phrase. */
function isName(phrase: string): boolean {
  if (phrase.length > MAX_LENGTH.name[scriptOf(phrase)] || !/\p{L}/u.test(phrase)) return false;
  if (/[.!?;:。！？；：…"“”，]|, |[\p{So}<>={}|\\]/u.test(phrase) || phrase.split(" ").length > MAX_WORDS) return false;
  return !AMOUNT.test(phrase) && !NEEDS_CONTEXT.test(phrase) && !EACH.test(phrase) && negations(phrase) === 0;
}

/** True if a phrase can be the object of a relation: an entity, an amount, a date or a list. */
function isValue(phrase: string): boolean {
  if (!hasWords(phrase) || phrase.length > MAX_LENGTH.value[scriptOf(phrase)]) return false;
  if (/[!?！？。；;…]|\.\s/.test(phrase) || UNKNOWN.test(phrase) || NEEDS_CONTEXT.test(phrase)) return false;
  return !/，|, /.test(phrase) || (negations(phrase) === 0 && !RULE.test(phrase));
}

const HAN = /\p{Script=Han}/u;
const scriptOf = (phrase: string) => (HAN.test(phrase) ? "han" : "latin");

/** In characters, and in words of Latin script. Set by hand. */
const MAX_LENGTH = { name: { han: 24, latin: 60 }, value: { han: 40, latin: 80 }, item: 12, predicate: 40 };
const MAX_WORDS = 7;

/** An amount or a range of amounts, "up to 2,000 euros" or 2000元以下; not a name such as "3D printer". */
const AMOUNT =
  /^(?:up to |over |under |more than |less than |at (?:least|most) |from |between |不?满|不足|不?超过|低于|高于|至少|至多|约)?\s*[<>≤≥±~]?\s*\p{Sc}?\s*\p{N}(?!\p{N}*\p{Lu})/iu;

/** Pronouns, demonstratives and question words. */
const NEEDS_CONTEXT = new RegExp(
  `\\b(?:its?|they|them|their|this|that|these|those|here|there|same|former|latter|above|below|following|others?|another|else|some|any|anything|nothing|you|your|we|our|my|${among(QUESTION_WORDS.en)})\\b|^[其该此这那它本某另哪谁]|^(?:同上|上述|下列|以上|以下|什么|如何)`,
  "i",
);

/** Phrases about all of a kind are values, not names: 每月三百元, "each Monday", "everyone". */
const EACH = /\b(?:each|every|everyone)\b|^[各每]/i;

/** Placeholders for an unknown value. */
const UNKNOWN = /^(?:n\/?a|tb[adc]|to be \w+|unknown|none|nil|pending|待定|未定|暂无|未知|无|不详|另行通知)$/i;

/** Words that, with a comma, make a phrase a rule with exceptions instead of a value. */
const RULE = /\b(?:may|must|can|if|unless|except|only)\b|可以|必须|应当|不得|如果|除非|除外|优先/i;
