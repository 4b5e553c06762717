import type { Language } from "../types/language.js";
import type { Computed, TableValue } from "../types/table.js";
import { figureText, originsOf } from "./figures.js";
import { inWords } from "./in-words.js";
import type { NamedTable } from "./named-tables.js";

/**
 * The result of a query as a text that can be quoted: a line with what was computed, in words, and the figure, or else one
 * that introduces a list of its rows, at most 60 of them; then what was left out, since it has no value.
 * @param named the tables that the query was written for.
 */
export function resultText(computed: Computed, named: readonly NamedTable[], language: Language): string {
  const { sql, columns, rows, isCut, tables } = computed;
  const say = language === "zh" ? ZH : EN;
  const matched = named.map(({ table }) => tables.find(({ id }) => id === table.id)?.matched);
  const dates = [...new Set(tables.map(({ reviewedAt }) => reviewedAt))].filter((date) => date !== "");
  const words = `${capital(inWords(sql, named, { matched, language }))}${dates.length > 0 ? say.asOf(dates) : ""}`;
  const origins = originsOf(computed, named);
  const figure = (value: TableValue, i: number) => figureText(value, origins[i], language);
  const [row = [], ...more] = rows;
  const left = tables.flatMap(({ unread }) => unread.map(({ column, cells }) => say.left(column, cells)));
  if (rows.length === 0 || (more.length === 0 && row.every((value) => value === null)))
    return [say.line(words, say.none), ...left].join("\n");
  if (more.length === 0 && row.length === 1) return [say.line(words, figure(row[0] ?? null, 0)), ...left].join("\n");
  const entry = (cells: readonly TableValue[]) => {
    const texts = cells.map((cell, i) => figure(cell, i));
    if (texts.length < 3) return `- ${texts.join(say.is)}`;
    return `- ${texts.map((text, i) => `${columns[i] ?? ""}${say.is}${text}`).join(say.and)}`;
  };
  const shown = rows.slice(0, SHOWN);
  const rest = isCut ? [say.cut(shown.length)] : rows.length > SHOWN ? [say.more(rows.length - SHOWN)] : [];
  return [`${words}${say.is.trim()}`, ...shown.map(entry), ...rest, ...left].join("\n");
}

const SHOWN = 60;

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

const EN = {
  is: ": ",
  and: "; ",
  none: "none",
  line: (words: string, figure: string) => `${words}: ${figure}.`,
  asOf: (dates: readonly string[]) => ` (as of ${dates.join(" and ")})`,
  left: (column: string, cells: number) =>
    cells === 1
      ? `1 cell of ${column} has no value that could be read and was left out.`
      : `${cells} cells of ${column} have no value that could be read and were left out.`,
  more: (rows: number) => `There are ${rows} more rows.`,
  cut: (rows: number) => `There are more rows than these ${rows}.`,
};

const ZH: typeof EN = {
  is: "：",
  and: "；",
  none: "没有",
  line: (words, figure) => `${words}：${figure}。`,
  asOf: (dates) => `（截至${dates.join("和")}）`,
  left: (column, cells) => `${column}有${cells}个单元格没有可读取的数值，未计入。`,
  more: (rows) => `另有${rows}行。`,
  cut: (rows) => `不止这${rows}行。`,
};
