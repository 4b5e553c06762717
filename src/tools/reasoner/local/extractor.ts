import { negations } from "../../../language/negation.js";
import { type Sentence, sentences } from "../../../language/sentences.js";
import { cells } from "../../../language/tables.js";
import type { Passage } from "../../../types/evidence.js";
import type { Triple } from "../../knowledge/port.js";
import type { TripleExtractor } from "../port.js";
import {
  bare,
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
 * Reads triples without a model, from what is written in a form that leaves no doubt: tables, and "Key: value" under the
 * name of a thing, in English and Chinese. Better too little than something wrong: most of what a passage says is left to
 * the passage.
 */
export function localExtractor(): TripleExtractor {
  return {
    identity: `local.${VERSION}`,
    atOnce: 100,
    async extract(passage, { signal }) {
      signal.throwIfAborted();
      const all = stated(passage);
      return [...tableTriples(passage, all), ...pairTriples(passage, all)];
    },
  };
}

/** Raise it when the same passage is read differently: what was read before is then read anew. */
const VERSION = 2;

/** A sentence, row or item of a passage, with the headings above it, innermost first. */
interface Stated extends Sentence {
  text: string;
  headings: readonly string[];
}

/**
 * What a passage states as true now, in order. Left out is what stands under a heading that says it is past, planned or
 * an example: "Former leads", 拟定方案.
 */
function stated(passage: Passage): Stated[] {
  const above = passage.section === "" ? [] : passage.section.split(" › ").reverse();
  let open: { depth: number; name: string }[] | undefined;
  return sentences(passage.text)
    .map((sentence) => {
      const { start, end, kind } = sentence;
      const text = passage.text.slice(start, end);
      if (kind === "heading") {
        const depth = /(#+)[ \t]*$/.exec(passage.text.slice(Math.max(0, start - 8), start))?.[1]?.length ?? 1;
        open = [{ depth, name: text.trim() }, ...(open ?? []).filter((heading) => heading.depth < depth)];
      }
      return { ...sentence, text, headings: open?.map(({ name }) => name) ?? above };
    })
    .filter(({ headings }) => ![...headings, passage.title].some((heading) => OTHER_TIMES.test(heading)));
}

const OTHER_TIMES =
  /\b(?:histor\w*|former\w*|previous\w*|past|archived?|obsolete|deprecated|superseded|draft\w*|propos\w*|planned|plans? for|future|roadmap|examples?|hypothetical|sample)\b|历史|沿革|旧版|往届|前任|历任|草案|拟|计划|规划|展望|未来|废止|示例|举例|样例|假设/i;

/**
 * "Address: Quay 3" and 地址：码头3号 as said of the thing in the heading above. The word before the colon has to be one that
 * names a relation, else the pair may be a definition, a step or a remark. In lists the page's title will do for the thing.
 */
function pairTriples(passage: Passage, all: readonly Stated[]): Triple[] {
  return all.flatMap(({ text, kind, headings }) => {
    if (kind !== "item" && kind !== "prose") return [];
    const [, key = "", value = ""] = PAIR.exec(bare(text)) ?? [];
    const thing = [headings[0] ?? "", ...(kind === "item" ? [passage.title] : [])].find(isOneThing);
    if (thing === undefined || !isRelation(key) || negations(text) > 0 || NOT_NOW.test(text) || !isValue(value))
      return [];
    return triples(entity(thing), key, value, text);
  });
}

/** In lower case, a key is the name of a parameter or a piece of code more often than a heading of its own. */
const PAIR = /^((?:\p{Lu}[\p{L}-]*)(?: [\p{L}-]+){0,2}|\p{Script=Han}{2,8}) ?[:：]\s*([^:：].*?)[.。]?$/su;
const NOT_NOW =
  /\b(?:if|unless|except|was|were|will|would|should|may(?!\s+\d)|might|former(?:ly)?|previous(?:ly)?|until|planned|proposed|acting|interim)\b|如果|除非|曾|原任|前任|将|拟|计划|预计|可能|临时|暂|代理|[吗呢]$|[?？]/i;

const triples = (subject: Triple["subject"], predicate: string, value: string, quote: string): Triple[] =>
  split(value, predicate).map((each) => ({
    subject,
    predicate,
    object: entity(each, typeAt(predicate, each)),
    quote,
  }));

/**
 * What the tables of a passage say. In most, a row is about the thing in its first cell: thing, column's heading, cell.
 * Where the first heading is empty, columns are the things. Where it says "Quantity" or 项目 and the other headings are
 * measures, the rows are properties of the thing that the page or the section is named after.
 */
function tableTriples(passage: Passage, all: readonly Stated[]): Triple[] {
  return tables(passage.text, all).flatMap(({ head, rows }) => {
    const [corner = "", ...columns] = cells(head.text).map(bare);
    if (columns.length === 0 || !namesItsRows(rows)) return [];
    return rows.flatMap((row) => {
      const [first = "", ...values] = cells(row.text).map(bare);
      // Some pages repeat the head between rows.
      if (first === corner && first !== "") return [];
      const about = (subject: string, type: string, predicate: string, value: string) =>
        facts(subject, type, predicate, value, row.text);
      if (corner === "") return values.flatMap((value, i) => about(columns[i] ?? "", "", first, value));
      if (ATTRIBUTE.test(corner) && columns.every((column) => MEASURE.test(column))) {
        const thing = [...head.headings, passage.title].find(isOneThing) ?? "";
        return values.flatMap((value, i) =>
          about(thing, "", values.length === 1 ? first : joined(first, columns[i] ?? ""), value),
        );
      }
      if (isAmount(first)) return [];
      return values.flatMap((value, i) => {
        const column = columns[i] ?? "";
        if (REMARKS.test(column)) return [];
        const before = columns.slice(0, i).findLast(isRole) ?? columns[i - 1];
        const predicate = HANGS_ON.test(column) && before !== undefined ? joined(before, column) : column;
        return split(first, corner).flatMap((thing) => about(thing, corner, predicate, value));
      });
    });
  });
}

/** Where a first cell comes twice, it says what kind of thing a row is about, and not which. */
const namesItsRows = (rows: readonly Stated[]) => new Set(rows.map(({ text }) => cells(text)[0])).size === rows.length;

function facts(subject: string, type: string, predicate: string, value: string, quote: string): Triple[] {
  // A cell ends where it ends: "Sales, Asia" is one name there, as it could not be in a sentence.
  const isFact = namesThing(subject.replace(/, /, " ")) && isPredicate(predicate) && isValue(value);
  return isFact ? triples(entity(subject, type), predicate, value, quote) : [];
}

const isPredicate = (words: string) => /\p{L}/u.test(words) && words.length <= 40 && !/[?？!！]/.test(words);

/** "Lead since": since when somebody leads, and not since when there is what they lead. "USB" keeps its capitals. */
const joined = (before: string, after: string) =>
  HAN.test(after) && HAN.test(before.slice(-1))
    ? `${before}${after}`
    : `${before} ${after.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase())}`;

const HAN = /\p{Script=Han}/u;

const ATTRIBUTE =
  /^(?:quantity|property|properties|parameter|feature|attribute|characteristic|specification|spec|item|field|项目|参数|指标|属性|规格|特性|字段|名目|内容)$/i;
const MEASURE =
  /^(?:values?|range|accuracy|precision|resolution|units?|min(?:imum)?|max(?:imum)?|typical|nominal|details?|specification|数值|取值|值|参数|指标|规格|范围|量程|精度|准确度|分辨率|单位|最小值?|最大值?|典型值|额定值|详情)$/i;
/** Columns of sentences, and of what the thing is not called by. */
const REMARKS =
  /^(?:notes?|remarks?|comments?|descriptions?|explanations?|meaning|definition|examples?|no\.?|number|#|what it is|说明|备注|注释|描述|解释|含义|定义|示例|举例|例子|序号|编号)$/i;
const HANGS_ON = /^(?:since|from|until|till|as of|起|自|至|任职时间|任期|上任时间|到任时间|就任时间|起任时间)$/i;

/** Rows that follow one another, of which the first is underlined. */
function tables(text: string, all: readonly Stated[]): { head: Stated; rows: Stated[] }[] {
  const found: { head: Stated; rows: Stated[] }[] = [];
  let isOpen = false;
  all.forEach((one, i) => {
    const before = all[i - 1];
    const between = before && one.kind === "row" && before.kind === "row" ? text.slice(before.end, one.start) : "\n\n";
    if (before && RULER.test(between)) found.push({ head: before, rows: [] });
    isOpen = RULER.test(between) || (isOpen && !/\n[ \t]*\r?\n/.test(between));
    if (isOpen) found.at(-1)?.rows.push(one);
  });
  return found;
}

const RULER = /^[^\n]*\n[ \t>]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?\r?\n/;
