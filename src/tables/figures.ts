import type { Language } from "../types/language.js";
import type { Column, Computed, TableValue } from "../types/table.js";
import { type Expression, readSql } from "./clauses.js";
import type { NamedTable } from "./named-tables.js";
import { isAggregate, knownIn, meaningOf, type Scope, scopeOf, tablesOf } from "./scope.js";

/** Where a column of a result comes from: a column of a table, as it is, or a figure in its unit. */
export interface Origin {
  fn: "value" | "sum" | "avg" | "min" | "max";
  /** The index of the table. */
  table: number;
  column: Column;
}

/** Returns where each column of a result comes from; undefined for what has no column's unit, such as a count. */
export function originsOf(
  { sql, columns }: Pick<Computed, "sql" | "columns">,
  named: readonly NamedTable[],
): (Origin | undefined)[] {
  const query = readSql(sql);
  const [select, ...others] = query?.selects ?? [];
  const scope = query && select && scopeOf(select, knownIn(query, new Map()), tablesOf(named));
  if (!scope || !select || others.length > 0) return columns.map(() => undefined);
  const isByName = select.items.some(({ expression }) => !expression);
  return columns.map((name, i) => {
    const item = isByName ? select.items.find(({ alias }) => alias === name) : select.items[i];
    const column: Expression = { kind: "column", name, start: 0, end: 0 };
    return originOf(item?.expression ?? column, scope);
  });
}

function originOf(expression: Expression, scope: Scope, fn: Origin["fn"] = "value"): Origin | undefined {
  if (expression.kind === "column") {
    const meaning = meaningOf(expression, scope);
    if (meaning?.kind === "item") {
      const inner = originOf(meaning.expression, meaning.scope);
      return inner && (inner.fn === "value" ? { ...inner, fn } : fn === "value" ? inner : { ...inner, fn });
    }
    const column =
      meaning?.kind === "cell" &&
      !meaning.isWritten &&
      scope.tables.named[meaning.table]?.table.columns[meaning.column];
    return meaning && column ? { fn, table: meaning.table, column } : undefined;
  }
  // A sum or a difference of figures in the same unit.
  if (expression.kind === "binary" && /^[-+]$/.test(expression.op)) {
    const [one, other] = expression.of.map((each) => originOf(each, scope, fn));
    const areAlike = one && other && one.column.type === other.column.type && one.column.unit === other.column.unit;
    return areAlike && one.column.type !== "date" ? one : undefined;
  }
  if (expression.kind !== "call" || expression.isWindow) return undefined;
  const [of] = expression.of;
  if (!of) return undefined;
  if (/^(?:round|coalesce|ifnull)$/.test(expression.name)) return originOf(of, scope, fn);
  if (!isAggregate(expression) || fn !== "value" || expression.isDistinct) return undefined;
  const own = { sum: "sum", total: "sum", avg: "avg", median: "avg", min: "min", max: "max" } as const;
  const name = Object.entries(own).find(([each]) => each === expression.name)?.[1];
  return name && originOf(chosen(of), scope, name);
}

/** The value of `CASE WHEN … THEN value ELSE 0 END`. */
const chosen = (expression: Expression): Expression =>
  (expression.kind === "case" && expression.of.length === 2 && expression.of[1]) || expression;

/**
 * Writes a value of a result for a reader: a number with the unit or currency of its column, its thousands separated,
 * and with at most two decimals more than the column has; "EUR 1,234.50", "12.5 h", 1234.5元. Without a value: "–".
 */
export function figureText(value: TableValue, origin: Origin | undefined, language: Language): string {
  if (value === null) return "–";
  const column = origin?.column;
  if (typeof value === "string") return column?.type === "date" ? dateText(value, column.unit) : value;
  if (column?.type === "yes/no" && origin?.fn !== "sum" && origin?.fn !== "avg" && (value === 0 || value === 1))
    return language === "zh" ? (value ? "是" : "否") : value ? "yes" : "no";
  const decimals = column ? decimalsOf(column, origin.fn) : Math.abs(value) < 1 ? 4 : 2;
  const text = inDigits(value, decimals, column, language);
  return column ? withUnit(text, column, language) : text;
}

function inDigits(value: number, decimals: number, column: Column | undefined, language: Language): string {
  const rounded = Math.abs(value) < 1e15 ? Number(value.toFixed(Math.min(decimals, 20))) : value;
  // A small share of a larger unit would become 0.
  const kept = rounded === 0 && value !== 0 ? Number(value.toPrecision(2)) : rounded;
  const isGrouped =
    language !== "zh" &&
    (column === undefined || column.type === "money" || column.values.some((cell) => /\d[,.' ]\d{3}\b/.test(cell)));
  const [whole = "", fraction = ""] = `${Math.abs(kept)}`.includes("e")
    ? [`${Math.abs(kept)}`]
    : `${Math.abs(kept)}`.split(".");
  const digits = isGrouped && /^\d{4,}$/.test(whole) ? whole.replace(/\B(?=(?:\d{3})+$)/g, ",") : whole;
  const padded = column?.type === "money" && language !== "zh" && fraction.length === 1 ? `${fraction}0` : fraction;
  return `${kept < 0 ? "-" : ""}${digits}${padded ? `.${padded}` : ""}`;
}

/** As many decimals as a cell of a column has, as it is written, and two more for a mean, but no parts of cents. */
function decimalsOf(column: Column, fn: Origin["fn"]): number {
  const decimals = column.values.map((cell) => {
    const [, separator = "", fraction = ""] = /([.,])(\d+)\D*$/.exec(cell) ?? [];
    const isThousands = fraction.length === 3 && (separator === "," || cell.split(separator).length > 2);
    return isThousands ? 0 : fraction.length;
  });
  const own = Math.min(Math.max(0, ...decimals), 8);
  if (fn === "avg") return column.type === "money" ? Math.max(2, own) : own + 2;
  // "2 h 15 min" is 2.25 h, and not all cells are known.
  return fn === "sum" || !column.isWhole ? Math.max(2, own) : own;
}

/** Writes a number with the unit or currency of its column. */
export function withUnit(digits: string, { type, unit }: Pick<Column, "type" | "unit">, language: Language): string {
  if (unit === "" || type === "date" || type === "text" || type === "yes/no") return digits;
  if (unit === "%" || type === "share") return `${digits}%`;
  const inChinese = language === "zh" ? UNITS_ZH.get(unit) : undefined;
  if (inChinese) return `${digits}${inChinese}`;
  if (/^\p{Script=Han}/u.test(unit)) return `${digits}${unit}`;
  if (type === "money" && language === "zh") return unit === "CNY" ? `${digits}元` : `${digits} ${unit}`;
  if (type === "money" && /^[A-Z]{3}$/.test(unit)) return `${unit} ${digits}`;
  return type === "money" && /^\p{Sc}$/u.test(unit) ? `${unit}${digits}` : `${digits} ${unit}`;
}

/** The units of time that a column may have. */
const UNITS_ZH: ReadonlyMap<string, string> = new Map([
  ["s", "秒"],
  ["min", "分钟"],
  ["h", "小时"],
  ["day", "天"],
  ["week", "周"],
  ["month", "个月"],
  ["year", "年"],
]);

/** A date as exact as its column is. */
const dateText = (date: string, unit: string) => {
  if (!/^\d{4}-\d\d-\d\d/.test(date)) return date;
  return unit === "year" ? date.slice(0, 4) : unit === "month" ? date.slice(0, 7) : date;
};
