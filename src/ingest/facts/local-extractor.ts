import { negations } from "../../facts/negation.js";
import { anyOf, NOT_NOW } from "../../text/lexicon.js";
import { withoutMarkup } from "../../text/markup.js";
import { type OutlineUnit, outlineOf } from "../../text/outline.js";
import { cells } from "../../text/tables.js";
import type { Triple, TripleExtractor } from "../../tools/knowledge/port.js";
import type { Passage } from "../../types/evidence.js";
import {
  entity,
  isAmount,
  isOneThing,
  isRelation,
  isRole,
  isValue,
  namesThing,
  split,
  typeAt,
} from "./extractor-phrases.js";

/**
 * Extracts triples without a model from tables and from "Key: value" lines under the name of an entity, in English and
 * Chinese. It prefers precision to recall: sentences are not read.
 */
export function localExtractor(): TripleExtractor {
  return {
    identity: `local.${VERSION}`,
    atOnce: 100,
    async extract(passage, { signal }) {
      signal.throwIfAborted();
      // Most passages have neither tables nor such lines, and finding their sentences takes the most time.
      if (!/[|:：]/.test(passage.text)) return [];
      const all = stated(passage);
      return [...tableTriples(passage, all), ...pairTriples(passage, all)];
    },
  };
}

/** Raise it, and the version in `ingest/load.ts`, when extraction changes, so that passages are read again. */
const VERSION = 4;

/** A unit with the headings above it, innermost first: those in its passage or, if there are none, those above it. */
type Stated = OutlineUnit;

/** Returns the units that state how things are now: none under headings such as "Former leads", 拟定方案 or "Examples". */
function stated({ title, section, text }: Passage): Stated[] {
  const path = section.split(" › ").filter((name) => name !== "");
  return outlineOf(text)
    .filter(({ kind }) => kind !== "heading")
    .map((unit) => ({ ...unit, headings: (unit.headings.length > 0 ? unit.headings : path).toReversed() }))
    .filter(({ headings }) => ![...headings, title].some((heading) => OTHER_TIMES.test(heading)));
}

const OTHER_TIMES =
  /\b(?:histor\w*|former\w*|previous\w*|past|archived?|obsolete|deprecated|superseded|draft\w*|propos\w*|planned|plans? for|future|roadmap|examples?|hypothetical|sample)\b|历史|沿革|旧版|往届|前任|历任|草案|拟|计划|规划|展望|未来|废止|示例|举例|样例|假设/i;

/**
 * Reads "Address: Quay 3" and 地址：码头3号 as facts about the entity in the heading above or, in lists, in the page's title.
 * The key must name a relation; otherwise the line may be a definition, a step or a remark.
 */
function pairTriples(passage: Passage, all: readonly Stated[]): Triple[] {
  return all.flatMap(({ text, kind, headings }) => {
    if (kind !== "item" && kind !== "prose") return [];
    const [, key = "", value = ""] = PAIR.exec(withoutMarkup(text)) ?? [];
    const thing = [headings[0] ?? "", ...(kind === "item" ? [passage.title] : [])].find(isOneThing);
    const isFact = isRelation(key) && isValue(value) && negations(text) === 0 && !UNSURE.test(text);
    return thing !== undefined && isFact ? triples(entity(thing), key, value, text) : [];
  });
}

/** Matches a key and a value. The key begins with a capital, since keys in lower case are mostly parameters or code. */
const PAIR = /^((?:\p{Lu}[\p{L}-]*)(?: [\p{L}-]+){0,2}|\p{Script=Han}{2,8}) ?[:：]\s*([^:：].*?)[.。]?$/su;
const UNSURE = new RegExp(`${anyOf(NOT_NOW).source}|[吗呢]$|[?？]`, "i");

const triples = (subject: Triple["subject"], predicate: string, value: string, quote: string): Triple[] =>
  split(value, predicate).map((each) => ({
    subject,
    predicate,
    object: entity(each, typeAt(predicate, each)),
    quote,
  }));

/**
 * Reads tables. A row is normally about the entity in its first cell: entity, column heading, cell. If the first heading
 * is empty, the columns are the entities. If it says "Quantity" or 项目 and the other headings are measures, the rows are
 * properties of the entity that the section or the page is named after.
 */
function tableTriples(passage: Passage, all: readonly Stated[]): Triple[] {
  const tables = Map.groupBy(all, ({ kind, isRuled, group }) => (kind === "row" && isRuled ? group : undefined));
  tables.delete(undefined);
  return [...tables.values()].flatMap(([head, ...rows]) => {
    if (!head) return [];
    const [corner = "", ...columns] = cells(head.text).map(withoutMarkup);
    // If a first cell occurs twice, the cells name kinds of entities, not entities.
    const isKeyed = new Set(rows.map(({ text }) => cells(text)[0])).size === rows.length;
    if (columns.length === 0 || !isKeyed) return [];
    return rows.flatMap((row) => {
      const [first = "", ...values] = cells(row.text).map(withoutMarkup);
      // Some pages repeat the header between rows.
      if (first === corner && first !== "") return [];
      const hasMeasures = ATTRIBUTE.test(corner) && columns.every((column) => MEASURE.test(column));
      return values.flatMap((value, i) => {
        const column = columns[i] ?? "";
        if (corner === "") return facts(column, "", first, value, row.text);
        if (hasMeasures) {
          const thing = [...head.headings, passage.title].find(isOneThing) ?? "";
          return facts(thing, "", values.length === 1 ? first : joinPhrases(first, column), value, row.text);
        }
        if (isAmount(first) || REMARKS.test(column)) return [];
        const before = columns.slice(0, i).findLast(isRole) ?? columns[i - 1];
        const predicate = HANGS_ON.test(column) && before !== undefined ? joinPhrases(before, column) : column;
        return split(first, corner).flatMap((thing) => facts(thing, corner, predicate, value, row.text));
      });
    });
  });
}

/** In characters. Set by hand. */
const LONGEST_PREDICATE = 40;

function facts(subject: string, type: string, predicate: string, value: string, quote: string): Triple[] {
  // In a cell, unlike in a sentence, "Sales, Asia" is one name.
  const isPredicate = /\p{L}/u.test(predicate) && predicate.length <= LONGEST_PREDICATE && !/[?？!！]/.test(predicate);
  const isFact = namesThing(subject.replace(", ", " ")) && isPredicate && isValue(value);
  return isFact ? triples(entity(subject, type), predicate, value, quote) : [];
}

/** Joins two headings: "Lead" and "Since" become "Lead since", since it is not about the team. "USB" stays as it is. */
const joinPhrases = (before: string, after: string) =>
  HAN.test(after) && HAN.test(before.slice(-1))
    ? `${before}${after}`
    : `${before} ${after.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase())}`;

const HAN = /\p{Script=Han}/u;

const ATTRIBUTE =
  /^(?:quantity|property|properties|parameter|feature|attribute|characteristic|specification|spec|item|field|项目|参数|指标|属性|规格|特性|字段|名目|内容)$/i;
const MEASURE =
  /^(?:values?|range|accuracy|precision|resolution|units?|min(?:imum)?|max(?:imum)?|typical|nominal|details?|specification|数值|取值|值|参数|指标|规格|范围|量程|精度|准确度|分辨率|单位|最小值?|最大值?|典型值|额定值|详情)$/i;

/** Headings of columns that hold remarks on the rows or their numbers. */
const REMARKS =
  /^(?:notes?|remarks?|comments?|descriptions?|explanations?|meaning|definition|examples?|no\.?|number|#|what it is|说明|备注|注释|描述|解释|含义|定义|示例|举例|例子|序号|编号)$/i;
/** Headings of columns that belong to the column before them. */
const HANGS_ON = /^(?:since|from|until|till|as of|起|自|至|任职时间|任期|上任时间|到任时间|就任时间|起任时间)$/i;
