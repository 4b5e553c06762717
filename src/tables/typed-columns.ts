import { rounded } from "../facts/number-words.js";
import { plainWords } from "../text/markup.js";
import type { Language } from "../types/language.js";
import type { Column, TableValue } from "../types/table.js";
import { type CellValue, cellValue, type Numeral, type Unit, unitOfHeading } from "./cell-values.js";

/** The columns of a table, and the values of its cells by row. */
export interface TypedTable {
  columns: Column[];
  values: TableValue[][];
}

/**
 * Types the columns of a table by all of their cells. What cells of one column leave open, such as whether 5/12 is in May,
 * is decided by the others, then by the other columns.
 * @param names the headings, as plain words.
 * @param rows the cells as they are written, each row as long as the header.
 * @param aside the indexes of rows that get values but decide nothing, and are not counted.
 */
export function typedColumns(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  language: Language,
  aside: ReadonlySet<number>,
): TypedTable {
  const read = names.map((name, i) => readColumn(name, rows, i, aside));
  const shared = sharedBy(read, language);
  const typed = read.map((column) => typedColumn(column, shared));
  return {
    columns: typed.map(({ column }) => column),
    values: rows.map((_, row) => typed.map(({ values }) => values[row] ?? null)),
  };
}

/** What the cells with the same text say. */
interface ReadCell {
  /** Its plain words. */
  text: string;
  value: CellValue;
  /** True if all of it is struck out. */
  isStruck: boolean;
  /** How many cells have the text. */
  count: number;
  /** The value that the column gives it. */
  typed: TableValue;
}

interface ReadColumn {
  name: string;
  /** By row. */
  cells: ReadCell[];
  /** The different cells, and after them those of rows that decide nothing, with a count of 0. */
  different: ReadCell[];
  /** True if it has no type, as its first cells show. */
  isText: boolean;
}

function readColumn(
  name: string,
  rows: readonly (readonly string[])[],
  at: number,
  aside: ReadonlySet<number>,
): ReadColumn {
  const counts = new Map<string, ReadCell>();
  const beside: ReadCell[] = [];
  let [texts, filled, isText] = [0, 0, false];
  const cells = rows.map((row, i) => {
    const written = row[at] ?? "";
    if (aside.has(i)) {
      const cell = readCell(written, false);
      beside.push(cell);
      return cell;
    }
    let known = counts.get(written);
    if (!known) {
      known = readCell(written, isText);
      counts.set(written, known);
      if (known.value.kind === "text") texts += 1;
      if (known.value.kind !== "empty") filled += 1;
      if (filled === ENOUGH && texts > filled / 2) isText = true;
    }
    known.count += 1;
    return known;
  });
  return { name, cells, different: [...counts.values(), ...beside], isText };
}

/** Different cells, of which most say whether a column has a type. */
const ENOUGH = 200;

function readCell(written: string, isText: boolean): ReadCell {
  const text = MARKS.test(written) ? plainWords(written) : written;
  const isStruck = text === "" && written !== "";
  const value = isStruck || (isText && text !== "" && text.length > LONGEST_EMPTY) ? TEXT : cellValue(text);
  return { text, value, isStruck, count: 0, typed: null };
}

const TEXT: CellValue = { kind: "text" };
const MARKS = /[*_`~[<\\]/;
/** In characters: no longer text says that there is no value. */
const LONGEST_EMPTY = 6;

/** What the columns of a table decide for each other. */
interface Shared {
  language: Language;
  isJapanese: boolean;
  /** The decimal mark of its numbers. */
  decimal: "point" | "comma" | undefined;
  /** The order of its dates. */
  isDayFirst: boolean | undefined;
}

function sharedBy(columns: readonly ReadColumn[], language: Language): Shared {
  const values = columns.flatMap(({ name, different, isText }) =>
    isText || CODE_HEAD.test(name) ? [] : different.flatMap(({ value, count }) => (count > 0 ? [value] : [])),
  );
  const { dayFirst, monthFirst } = openDates(values);
  return {
    language,
    isJapanese: columns.some(
      ({ name, different }) => KANA.test(name) || different.slice(0, ENOUGH).some(({ text }) => KANA.test(text)),
    ),
    decimal: decimalOf(numeralsIn(values)),
    isDayFirst: dayFirst === monthFirst ? undefined : dayFirst,
  };
}

const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;

const numeralsIn = (values: readonly CellValue[]): Numeral[] =>
  values.flatMap((value) => (value.kind === "amount" ? [value.numeral] : []));

/** Returns which decimal marks numbers show. */
const marks = (numerals: readonly Numeral[]) => ({
  point: numerals.some(({ comma }) => comma === undefined),
  comma: numerals.some(({ point }) => point === undefined),
});

/** Returns the decimal mark that the numbers show; undefined if none does, or both do. */
function decimalOf(numerals: readonly Numeral[]): Shared["decimal"] {
  const { point, comma } = marks(numerals);
  return point === comma ? undefined : point ? "point" : "comma";
}

/** What most cells of a column are. */
interface Kind {
  type: Column["type"];
  unit: string;
  /** Returns the value of a cell of this kind, or undefined. */
  valueOf(value: CellValue): TableValue | undefined;
  /** Which cells show the kind. Default: those with a value. */
  fits?(value: CellValue): boolean;
}

function typedColumn(read: ReadColumn, shared: Shared): { column: Column; values: TableValue[] } {
  const filled = read.different
    .filter(({ value, isStruck, count }) => count > 0 && value.kind !== "empty" && !isStruck)
    .sort((a, b) => b.count - a.count);
  const kind = (read.isText ? undefined : kindOf(read, filled, shared)) ?? TEXTS;
  for (const cell of read.different) {
    const { text, value, isStruck } = cell;
    const hasNone = value.kind === "empty" || isStruck;
    cell.typed = hasNone ? null : kind === TEXTS ? text : (kind.valueOf(value) ?? null);
  }
  const none = read.different.filter(({ typed }) => typed === null);
  const empty = sum(none.filter(({ value }) => value.kind === "empty"));
  const texts = filled.map(({ text }) => text);
  const shown = texts.slice(0, MOST_VALUES).filter((text) => text.length <= LONGEST_VALUE);
  const { type, unit } = kind;
  return {
    column: {
      name: read.name,
      type,
      unit,
      empty,
      odd: sum(none) - empty,
      values: shown,
      isWhole: shown.length === texts.length,
      ...(type !== "text" && rangeOf(read)),
      different: new Set(texts.map((text) => text.toLowerCase())).size,
    },
    values: read.cells.map(({ typed }) => typed),
  };
}

/** The least and the greatest value of the cells that are counted. */
function rangeOf({ different }: ReadColumn): Pick<Column, "range"> {
  let range: [TableValue, TableValue] | undefined;
  for (const { typed, count } of different) {
    if (typed === null || count === 0) continue;
    const [least, most] = range ?? [typed, typed];
    range = [(least ?? typed) < typed ? least : typed, (most ?? typed) > typed ? most : typed];
  }
  return range ? { range } : {};
}

const TEXTS: Kind = { type: "text", unit: "", valueOf: () => undefined };

/** Different cells that a column names, and their length in characters. */
const MOST_VALUES = 30;
const LONGEST_VALUE = 100;

const sum = (all: readonly Pick<ReadCell, "count">[]) => all.reduce((total, { count }) => total + count, 0);

/** True if nearly all of the filled cells are of a kind: all but one in ten, or one of at least five. */
const isNearlyAll = (some: number, all: number) => all > 0 && all - some <= Math.max(all >= 5 ? 1 : 0, all * 0.1);

/** Reads what a column is if it is of one kind. */
type ReadKind = (read: ReadColumn, filled: readonly ReadCell[], shared: Shared) => Kind | undefined;

function kindOf(read: ReadColumn, filled: readonly ReadCell[], shared: Shared): Kind | undefined {
  const all = sum(filled);
  for (const as of [asYesNo, asDates, asAmounts]) {
    const kind = as(read, filled, shared);
    if (!kind) continue;
    const fits = kind.fits ?? ((value) => kind.valueOf(value) !== undefined);
    const misfits = filled.filter(({ value }) => !fits(value));
    // "On request" between prices leaves the others prices; A2 between 1 and 3 does not leave them numbers.
    const words = kind.type === "yes/no" ? 0 : sum(misfits.filter(({ text }) => !/\d/.test(text)));
    const fitting = all - sum(misfits);
    if (isNearlyAll(fitting, all - words) && fitting >= 2 * words) return kind;
  }
  return undefined;
}

const asYesNo: ReadKind = (_, filled) => {
  // A cross alone ticks.
  const isTicked = filled.every(({ text }) => /^x$/i.test(text));
  return {
    type: "yes/no",
    unit: "",
    valueOf: (value) => (value.kind === "yes/no" ? value.value : isTicked && value.kind === "text" ? 1 : undefined),
  };
};

/** Dates are all days, all months or all years, as most are. */
const asDates: ReadKind = (_, filled, shared) => {
  const open = openDates(filled.map(({ value }) => value));
  const dayFirst = open.dayFirst === open.monthFirst ? (open.dayFirst ? undefined : shared.isDayFirst) : open.dayFirst;
  const counts = { day: 0, month: 0, year: 0 };
  for (const { value, count } of filled) {
    if (value.kind === "date") counts[value.exact] += count;
    else if (value.kind === "day or month") counts.day += count;
  }
  const exact = (["day", "month", "year"] as const).reduce((most, one) => (counts[one] > counts[most] ? one : most));
  if (counts[exact] === 0) return undefined;
  return {
    type: "date",
    unit: exact === "day" ? "" : exact,
    valueOf: (value) => {
      if (value.kind === "date") return value.exact === exact ? value.value : undefined;
      if (value.kind !== "day or month" || exact !== "day" || dayFirst === undefined) return undefined;
      return dayFirst ? value.write(value.second, value.first) : value.write(value.first, value.second);
    },
  };
};

/** Returns whether some dates show that days come first, and whether some show that months do. */
function openDates(values: readonly CellValue[]): { dayFirst: boolean; monthFirst: boolean } {
  const open = values.flatMap((value) => (value.kind === "day or month" ? [value] : []));
  return { dayFirst: open.some(({ first }) => first > 12), monthFirst: open.some(({ second }) => second > 12) };
}

const asAmounts: ReadKind = (column, filled, shared) => {
  const values = filled.map(({ value }) => value);
  if (isLabel(column.name, filled)) return undefined;
  const bare = unitOfHeading(column.name) ?? onlyMoney(values);
  const own = (unit: Unit) => ofLanguage(unit.base === "" && bare ? bare : unit, shared);
  const hasClocks = areSpans(
    column.name,
    column.different.map(({ value }) => value),
  );
  const units = new Map<string, { unit: Unit; count: number; names: Map<string, { unit: Unit; count: number }> }>();
  for (const { value, count } of filled) {
    const unit = value.kind === "amount" ? own(value.unit) : value.kind === "clock" && hasClocks ? HOUR : undefined;
    if (!unit) continue;
    const one = units.get(unit.base) ?? { unit, count: 0, names: new Map() };
    one.count += count;
    const named = one.names.get(unit.name) ?? { unit, count: 0 };
    named.count += count;
    one.names.set(unit.name, named);
    units.set(unit.base, one);
  }
  const ordered = [...units.values()].sort((a, b) => b.count - a.count);
  const [most] = ordered;
  if (!most) return undefined;
  const stated = bare && ofLanguage(bare, shared);
  const [common] = [...most.names.values()].sort((a, b) => b.count - a.count);
  const unit = stated?.base === most.unit.base ? stated : (common?.unit ?? most.unit);
  const numberOf = numbersIn(numeralsIn(values), unit, shared);
  const read = (value: CellValue): number | undefined => {
    if (value.kind === "clock")
      return hasClocks && unit.base === "s" ? rounded((value.value * 3600) / unit.factor) : undefined;
    if (value.kind !== "amount") return undefined;
    const number = numberOf(value.numeral);
    if (number === undefined) return undefined;
    const amount = value.sign * number * value.scale;
    // "3.5 m" is in millions below "Cost (EUR)", and in minutes beside "2 h".
    const said = value.unit.name === "m" && value.scale === 1 ? M_IN.get(unit.kind) : undefined;
    if (said) return rounded((amount * said) / unit.factor);
    if (value.unit.base !== "") {
      const { base, factor } = ofLanguage(value.unit, shared);
      return base === unit.base ? rounded((amount * factor) / unit.factor) : undefined;
    }
    if (amount === 0) return 0;
    if (own(value.unit).base !== unit.base) return undefined;
    // Below 金额（万元）, 12 and 12万 are the same.
    return rounded(value.scale > 1 && unit.kind !== "duration" ? amount / unit.factor : amount);
  };
  const money = ordered.filter((one) => one.unit.kind === "money");
  const isMixed =
    money.length > 1 &&
    !isNearlyAll(
      most.count,
      money.reduce((total, { count }) => total + count, 0),
    );
  const isOtherMoney = (value: CellValue) => {
    const other = value.kind === "amount" ? own(value.unit) : unit;
    return other.kind === "money" && other.base !== unit.base;
  };
  return {
    type: unit.kind,
    unit: isMixed ? "" : unit.name,
    valueOf: read,
    fits: (value) => read(value) !== undefined || (unit.kind === "money" && isOtherMoney(value)),
  };
};

const HOUR: Unit = { kind: "duration", base: "s", factor: 3600, name: "h" };
const M_IN: ReadonlyMap<Unit["kind"], number> = new Map([
  ["money", 1e6],
  ["duration", 60],
]);

/** True if cells such as "1:30" are lengths of time: the heading says so, or another cell is one or longer than a day. */
const areSpans = (name: string, values: readonly CellValue[]) =>
  LENGTH.test(name) ||
  values.some(
    (value) => (value.kind === "clock" && value.hours > 24) || (value.kind === "amount" && value.unit.base === "s"),
  );

const LENGTH =
  /\b(?:duration|elapsed|effort|took|runtime|hours worked|worked|time (?:spent|taken))\b|时长|耗时|用时|工时|历时/i;

/** Returns the currency of a column in which only some cells name it, as accounts do: "1,500" beside 3.5万元. */
function onlyMoney(values: readonly CellValue[]): Unit | undefined {
  const units = values.flatMap((value) => (value.kind === "amount" && value.unit.base !== "" ? [value.unit] : []));
  const [first] = units;
  return first?.kind === "money" && units.every(({ base }) => base === first.base) ? first : undefined;
}

/** The sign ¥ means renminbi in Chinese and yen in Japanese. */
function ofLanguage(unit: Unit, { language, isJapanese }: Shared): Unit {
  if (unit.base !== "¥" || !(language === "zh" || isJapanese)) return unit;
  const code = language === "zh" ? "CNY" : "JPY";
  return { ...unit, base: code, name: unit.name === "¥" ? code : unit.name };
}

/** Returns a function that returns the number that digits stand for; undefined if that cannot be told. */
function numbersIn(numerals: readonly Numeral[], { kind }: Unit, shared: Shared) {
  const isMixed = marks(numerals).point && marks(numerals).comma;
  const decimal = decimalOf(numerals) ?? (isMixed ? undefined : shared.decimal);
  const open = numerals.filter(({ isOpen }) => isOpen);
  const isUniform = open.length === numerals.length && numerals.length > 1 && kind !== "money";
  const arePlain = isUniform || numerals.some(({ isUngrouped }) => isUngrouped);
  return ({ point, comma, isOpen }: Numeral): number | undefined => {
    if (!isOpen || point === undefined || comma === undefined) return point ?? comma;
    if (decimal !== undefined) return decimal === "point" ? point : comma;
    if (isMixed || shared.language === "other") return undefined;
    // "1,204" is a thousand in English and Chinese. "1.204" is one if all are as exact, or no thousand has a mark.
    return point > comma || arePlain ? point : undefined;
  };
}

/** True if numbers only name or number something: nobody adds them. */
function isLabel(name: string, filled: readonly ReadCell[]): boolean {
  const texts = filled.map(({ text }) => text);
  if (texts.some((text) => /^0\d+$/.test(text)) && texts.every((text) => /^[\d\s-]+$/.test(text))) return true;
  if (CODE_HEAD.test(name)) return true;
  const isWhole = texts.every((text) => /^\d+$/.test(text));
  if (!isWhole) return false;
  if (YEAR_HEAD.test(name) && texts.every((text) => /^[12]\d{3}$/.test(text))) return true;
  const [first = ""] = texts;
  if (first.length >= LONG_NUMBER && texts.every(({ length }) => length === first.length)) return true;
  return ID_HEAD.test(name) && filled.every(({ count }) => count === 1);
}

/** In digits: telephone and account numbers. */
const LONG_NUMBER = 11;

const CODE_HEAD =
  /(?:^|[\s_-])(?:phone|telephone|tel|mobile|fax|zip(?:[\s_-]?code)?|postal[\s_-]?code|postcode|code|account(?:[\s_-]?(?:no|number))?|iban|isbn|sku|version|release)\.?$|电话|手机|邮编|邮政编码|账号|帐号|代码|编码|版本/i;
const YEAR_HEAD = /(?:^|[\s_-])(?:year|fy)$|年份$|年度$|^年$/i;
const ID_HEAD =
  /(?:^|[\s_-])(?:id|no|nr|number|#|№|key|ref|reference|ticket|invoice|order|job|case)\.?$|^#|编号$|序号$|号码$|单号$|工号$|学号$|^号$/i;
