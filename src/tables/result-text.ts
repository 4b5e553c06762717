import type { Language } from "../types/language.js";
import type { Computed, TableValue } from "../types/table.js";
import { readSql } from "./clauses.js";
import { figureText, originsOf } from "./figures.js";
import { inWords } from "./in-words.js";
import type { NamedTable } from "./named-tables.js";

/**
 * The result of a query as a text that can be quoted: a line with what was computed, in words, and the figure, or else one
 * that introduces a list of its rows, at most 60 of them; then what was left out, and the notes of the tables.
 * @param named the tables that the query was written for.
 */
export function resultText(computed: Computed, named: readonly NamedTable[], language: Language): string {
  const { sql, columns, rows, isCut, tables } = computed;
  const say = language === "zh" ? ZH : EN;
  const used = tables.flatMap((table) => {
    const head = named.find((one) => one.table.id === table.id)?.table;
    return head ? [{ ...table, head }] : [];
  });
  const matched = named.map(({ table }) => tables.find(({ id }) => id === table.id)?.matched);
  const dates = [...new Set(tables.map(({ reviewedAt }) => reviewedAt))].filter((date) => date !== "");
  const words = `${capital(inWords(sql, named, { matched, language }))}${dates.length > 0 ? say.asOf(dates) : ""}`;
  const origins = originsOf(computed, named);
  const figure = (value: TableValue, i: number) => figureText(value, origins[i], language);
  const [row = [], ...more] = rows;
  const of = (name: string) => (used.length > 1 ? name : "");
  const besides = used.flatMap(({ name, unread, matched: counted, head }) => [
    ...unread.map(({ column, cells }) => say.left(column, cells, of(name), counted !== undefined)),
    ...(head.notes.some(isTotal) ? [say.totals(head.notes.filter(isTotal).length, of(name))] : []),
    ...(head.struck > 0 ? [say.struck(head.struck, of(name))] : []),
    ...head.notes.filter(isNote).map((note) => say.note(note, of(name))),
  ]);
  // Blank lines, so that none is read as a part of the one before.
  const whole = (...lines: readonly string[]) => [lines.join("\n"), ...besides].join("\n\n");
  if (rows.length === 0 || (more.length === 0 && row.every((value) => value === null)))
    return whole(say.line(words, say.none));
  if (more.length === 0 && row.length === 1) {
    // The words have the number of rows already.
    const isSaid = isCount(sql) && tables.length === 1 && row[0] === tables[0]?.matched;
    return whole(isSaid ? say.end(words) : say.line(words, figure(row[0] ?? null, 0)));
  }
  // "Berlin: 12" needs no names, and "12: 3" does.
  const isName = origins[0] === undefined || origins[0].fn === "value";
  const isPair = row.length === 2 && isName && rows.every(([first]) => first === null || typeof first === "string");
  const label = (i: number) => {
    const [column = "", origin] = [columns[i], origins[i]];
    // A query without names for its columns has its expressions there.
    if (!column.includes("(")) return column;
    return origin ? say.of[origin.fn](origin.column.name) : /^count\(/i.test(column) ? say.number : column;
  };
  const entry = (cells: readonly TableValue[]) => {
    const texts = cells.map((cell, i) => figure(cell, i));
    if (isPair || texts.length < 2) return `- ${texts.join(say.is)}`;
    return `- ${texts.map((text, i) => `${label(i)}${say.is}${text}`).join(say.and)}`;
  };
  const shown = rows.slice(0, SHOWN);
  const rest = isCut ? [say.cut(shown.length)] : rows.length > SHOWN ? [say.more(rows.length - SHOWN)] : [];
  return whole(`${words}${say.is.trim()}`, ...shown.map(entry), ...rest);
}

const SHOWN = 60;

/** True for a query that counts rows and returns nothing else. */
function isCount(sql: string): boolean {
  const { selects: [select, ...more] = [], with: common = [] } = readSql(sql) ?? {};
  const [item, ...others] = select?.items ?? [];
  if (!select || more.length + others.length + common.length + select.groupBy.length > 0) return false;
  const call = item?.expression;
  return call?.kind === "call" && call.name === "count" && call.isWhole && !call.isWindow && !call.filter;
}

/** True for a note in words: a row of totals has bars between its cells. */
const isNote = (note: string) => !note.includes(" | ") && note.length <= LONGEST_NOTE;

/** In characters. */
const LONGEST_NOTE = 200;

/** True for a row of totals, or one between the others that names a group. */
const isTotal = (note: string) => note.includes(" | ");

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const EN = {
  is: ": ",
  and: "; ",
  none: "none",
  number: "number",
  of: {
    value: (column: string) => column,
    sum: (column: string) => `sum of ${column}`,
    avg: (column: string) => `average ${column}`,
    min: (column: string) => `least ${column}`,
    max: (column: string) => `greatest ${column}`,
  },
  end: (words: string) => `${words}.`,
  line: (words: string, figure: string) => `${words}: ${figure}.`,
  asOf: (dates: readonly string[]) => ` (as of ${dates.join(" and ")})`,
  /** @param isTold true if the rows that count are known: else the cells are those of the whole table. */
  left: (column: string, cells: number, table: string, isTold: boolean) => {
    const where = `${cells === 1 ? "1 cell" : `${cells} cells`} of ${column}${table && ` in ${table}`}`;
    const [have, were] = cells === 1 ? ["has", "was"] : ["have", "were"];
    return isTold
      ? `${where} ${have} no value that could be read and ${were} left out.`
      : `In the whole table, ${where} ${have} no value that could be read.`;
  },
  totals: (rows: number, table: string) =>
    `${rows === 1 ? "1 row" : `${rows} rows`} ${table && `of ${table} `}taken for ${rows === 1 ? "a total does" : "totals do"} not count.`,
  struck: (rows: number, table: string) =>
    `${rows === 1 ? "1 row" : `${rows} rows`} ${table && `of ${table} `}that ${rows === 1 ? "is" : "are"} struck out ${rows === 1 ? "does" : "do"} not count.`,
  note: (note: string, table: string) => `Note of ${table || "the table"}: “${note}”`,
  more: (rows: number) => `There are ${rows} more rows.`,
  cut: (rows: number) => `There are more rows than these ${rows}.`,
};

const ZH: typeof EN = {
  is: "：",
  and: "；",
  none: "没有",
  number: "数量",
  of: {
    value: (column) => column,
    sum: (column) => `${column}合计`,
    avg: (column) => `${column}平均值`,
    min: (column) => `最小的${column}`,
    max: (column) => `最大的${column}`,
  },
  end: (words) => `${words}。`,
  line: (words, figure) => `${words}：${figure}。`,
  asOf: (dates) => `（截至${dates.join("和")}）`,
  left: (column, cells, table, isTold) =>
    isTold
      ? `${table && `${table}的`}${column}有${cells}个单元格没有可读取的数值，未计入。`
      : `整张表中，${table && `${table}的`}${column}有${cells}个单元格没有可读取的数值。`,
  totals: (rows, table) => `${table && `${table}中`}作为合计的${rows}行不计入。`,
  struck: (rows, table) => `${table && `${table}中`}划掉的${rows}行不计入。`,
  note: (note, table) => `${table || "表格"}的注：“${note}”`,
  more: (rows) => `另有${rows}行。`,
  cut: (rows) => `不止这${rows}行。`,
};
