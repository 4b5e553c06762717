import { cells } from "../../../text/tables.js";
import type { Passage } from "../../../types/evidence.js";
import type { Triple } from "../../knowledge/port.js";
import { entity, typeAt } from "./extractor-names.js";
import type { Stated } from "./extractor-outline.js";
import { bare, isAmount, isValue, namesThing } from "./extractor-phrases.js";
import { isRole } from "./extractor-relations.js";
import { isOneThing, split } from "./extractor-things.js";

/**
 * What the tables of a passage say. In most, a row is about the thing in its first cell: thing, column's heading, cell.
 * Where the first heading is empty, columns are the things. Where it says "Quantity" or 项目 and the other headings are
 * measures, the rows are properties of the thing that the page or the section is named after.
 */
export function tableTriples(passage: Passage, all: readonly Stated[]): Triple[] {
  return tables(passage.text, all).flatMap(({ head, rows, headings }) => {
    const names = cells(head.text).map(bare);
    const [corner = "", ...columns] = names;
    if (names.length < 2 || !namesItsRows(rows)) return [];
    return rows.flatMap((row) => {
      const [first = "", ...values] = cells(row.text).map(bare);
      // Some pages repeat the head between rows.
      if (first === corner && first !== "") return [];
      const about = (subject: string, type: string, predicate: string, value: string) =>
        facts(subject, type, predicate, value, row.text);
      if (corner === "") return values.flatMap((value, i) => about(columns[i] ?? "", "", first, value));
      if (ATTRIBUTE.test(corner) && columns.every((column) => MEASURE.test(column))) {
        const thing = [...headings, passage.title].find(isOneThing);
        if (thing === undefined) return [];
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
function namesItsRows(rows: readonly Stated[]): boolean {
  const first = rows.map(({ text }) => cells(text)[0]);
  return new Set(first).size === first.length;
}

function facts(subject: string, type: string, predicate: string, value: string, quote: string): Triple[] {
  // A cell ends where it ends: "Sales, Asia" is one name there, as it could not be in a sentence.
  if (!namesThing(subject.replace(/, /, " ")) || !isPredicate(predicate) || !isValue(value)) return [];
  return split(value, predicate).map((each) => ({
    subject: entity(subject, type),
    predicate,
    object: entity(each, typeAt(predicate, each)),
    quote,
  }));
}

const isPredicate = (words: string) => /\p{L}/u.test(words) && words.length <= 40 && !/[?？!！]/.test(words);

/** "Lead since": since when somebody leads, and not since when there is what they lead. */
const joined = (before: string, after: string) =>
  HAN.test(after) && HAN.test(before.slice(-1)) ? `${before}${after}` : `${before} ${lowered(after)}`;

/** Without the capital of a heading; "USB" and "Roost" in the middle of one keep theirs. */
const lowered = (words: string) => words.replace(/^\p{Lu}(?=\p{Ll})/u, (letter) => letter.toLowerCase());

const HAN = /\p{Script=Han}/u;

const ATTRIBUTE =
  /^(?:quantity|property|properties|parameter|feature|attribute|characteristic|specification|spec|item|field|项目|参数|指标|属性|规格|特性|字段|名目|内容)$/i;
const MEASURE =
  /^(?:values?|range|accuracy|precision|resolution|units?|min(?:imum)?|max(?:imum)?|typical|nominal|details?|specification|数值|取值|值|参数|指标|规格|范围|量程|精度|准确度|分辨率|单位|最小值?|最大值?|典型值|额定值|详情)$/i;
/** Columns of sentences, and of what the thing is not called by. */
const REMARKS =
  /^(?:notes?|remarks?|comments?|descriptions?|explanations?|meaning|definition|examples?|no\.?|number|#|what it is|说明|备注|注释|描述|解释|含义|定义|示例|举例|例子|序号|编号)$/i;
const HANGS_ON = /^(?:since|from|until|till|as of|起|自|至|任职时间|任期|上任时间|到任时间|就任时间|起任时间)$/i;

interface Table {
  head: Stated;
  rows: Stated[];
  headings: readonly string[];
}

/** Rows in a row, of which the first is underlined. */
function tables(text: string, all: readonly Stated[]): Table[] {
  const found: Table[] = [];
  let open: Table | undefined;
  all.forEach((one, i) => {
    const before = all[i - 1];
    if (
      one.kind !== "row" ||
      !before ||
      before.kind !== "row" ||
      /\n[ \t]*\r?\n/.test(text.slice(before.end, one.start))
    ) {
      open = undefined;
      return;
    }
    if (RULER.test(text.slice(before.end, one.start))) {
      open = { head: before, rows: [], headings: one.headings };
      found.push(open);
    }
    open?.rows.push(one);
  });
  return found;
}

const RULER = /^[^\n]*\n[ \t>]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?\r?\n/;
