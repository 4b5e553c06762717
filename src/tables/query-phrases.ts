import type { Language } from "../types/language.js";

/** What a value is like, for words such as "later" and "larger". */
export type Likeness = "amount" | "date" | "text";

/** The words for queries in a language. Arguments are in words already. */
export interface Phrases {
  listed: (all: readonly string[]) => string;
  and: (all: readonly string[]) => string;
  or: (all: readonly string[]) => string;
  inBrackets: (text: string) => string;
  /** A text as it is written. */
  text: (value: string) => string;
  heading: (name: string) => string;
  inFile: (table: string, file: string) => string;
  ofTable: (column: string, table: string) => string;
  written: (column: string) => string;
  rowNumber: string;
  yes: string;
  no: string;
  month: (year: number, month: number) => string;
  monthOfAnyYear: (month: number) => string;
  year: (year: number) => string;

  count: string;
  countWhere: (condition: string) => string;
  countOf: (column: string) => string;
  different: (column: string) => string;
  values: (columns: string) => string;
  groups: string;
  sum: (value: string) => string;
  average: (value: string) => string;
  median: (value: string) => string;
  share: (condition: string) => string;
  list: (value: string) => string;
  most: (value: string, of: Likeness) => string;
  least: (value: string, of: Likeness) => string;
  where: (value: string, condition: string) => string;
  rounded: (value: string) => string;
  whole: (value: string) => string;
  percentage: (part: string, whole: string) => string;
  instead: (value: string, otherwise: string) => string;
  monthOf: (date: string) => string;
  yearOf: (date: string) => string;
  monthOfYear: (date: string) => string;
  dayOf: (date: string) => string;
  days: (from: string, to: string) => string;

  is: (value: string, other: string, isNot: boolean) => string;
  /** Not one of these, but it has a value. */
  otherThan: (value: string, all: readonly string[]) => string;
  same: (value: string, other: string, isNot: boolean) => string;
  compared: (value: string, op: string, other: string, of: Likeness) => string;
  between: (value: string, low: string, high: string, isNot: boolean) => string;
  oneOf: (value: string, all: readonly string[], isNot: boolean) => string;
  contains: (value: string, part: string, isNot: boolean) => string;
  begins: (value: string, part: string, isNot: boolean) => string;
  ends: (value: string, part: string, isNot: boolean) => string;
  within: (date: string, period: string, isNot: boolean) => string;
  among: (value: string, result: string, isNot: boolean) => string;
  hasValue: (value: string, isNot: boolean) => string;
  isEmpty: (value: string, isNot: boolean) => string;
  isMost: (value: string, of: Likeness) => string;
  isLeast: (value: string, of: Likeness) => string;
  not: (condition: string) => string;

  /** Rows of a table: how many of how many, if that is known. */
  rows: (table: string, total: number, matched: number | undefined) => string;
  joined: (first: string, other: string, same: string, isOptional: boolean) => string;
  sameColumn: (column: string) => string;
  sameColumns: (one: string, other: string) => string;
  /** The end of a phrase about rows. */
  whereRows: (condition: string, areJoined: boolean) => string;
  groupsWhere: (condition: string) => string;
  first: (
    count: string,
    by: string | undefined,
    of: Likeness,
    isDescending: boolean,
    then: readonly string[],
  ) => string;
  withoutFirst: (offset: string) => string;
  emptyFirst: string;
  sorted: (by: readonly string[]) => string;
  by: (what: string, keys: readonly string[]) => string;

  counted: (rows: string) => string;
  listing: (what: string | undefined, rows: string) => string;
  computed: (what: string, rows: string) => string;
  found: (what: string, rows: string) => string;
  bySql: (sql: string, tables: readonly string[]) => string;
}

const MONTHS = "January February March April May June July August September October November December".split(" ");

const listed = (all: readonly string[], word: string) =>
  all.length < 3 ? all.join(` ${word} `) : `${all.slice(0, -1).join(", ")} ${word} ${all.at(-1)}`;

const orInChinese = (all: readonly string[]) =>
  all.length > 1 ? `${all.slice(0, -1).join("、")}或${all.at(-1)}` : all.join("");

/** A value on one line, at most 100 characters of it, without invisible ones. */
const shown = (value: string) => {
  const line = value.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
};

const en: Phrases = {
  // A condition in a list would seem to go on with the next entry.
  listed: (all) => (all.some((one) => / (?:where|and) /.test(one)) ? all.join("; ") : listed(all, "and")),
  and: (all) => all.join(" and "),
  or: (all) => all.join(" or "),
  inBrackets: (text) => `(${text})`,
  text: (value) => (/^[\p{L}\p{N}][\p{L}\p{N}.:/-]*$/u.test(value) ? value : `“${shown(value)}”`),
  heading: (name) => (/^[\p{L}\p{N}][\p{L}\p{N} ()%#./_-]*$/u.test(name) ? name : `“${shown(name)}”`),
  inFile: (table, file) => `${table} (${file})`,
  ofTable: (column, table) => `${column} of ${table}`,
  written: (column) => `${column} as written`,
  rowNumber: "row number",
  yes: "yes",
  no: "no",
  month: (year, month) => `${MONTHS[month - 1]} ${year}`,
  monthOfAnyYear: (month) => `${MONTHS[month - 1]}`,
  year: (year) => `${year}`,

  count: "number of rows",
  countWhere: (condition) => `number of rows where ${condition}`,
  countOf: (column) => `number of rows with a value in ${column}`,
  different: (column) => `number of different values of ${column}`,
  values: (columns) => `different values of ${columns}`,
  groups: "number of groups",
  sum: (value) => `sum of ${value}`,
  average: (value) => `average of ${value}`,
  median: (value) => `median of ${value}`,
  share: (condition) => `share (0 to 1) of rows where ${condition}`,
  list: (value) => `list of ${value}`,
  most: (value, of) => `${{ amount: "largest", date: "latest", text: "alphabetically last" }[of]} ${value}`,
  least: (value, of) => `${{ amount: "smallest", date: "earliest", text: "alphabetically first" }[of]} ${value}`,
  where: (value, condition) => `${value} where ${condition}`,
  rounded: (value) => `rounded ${value}`,
  whole: (value) => `${value} without decimals`,
  percentage: (part, whole) => `${part} as a percentage of ${whole}`,
  instead: (value, otherwise) => `${value}, or ${otherwise} if there is none`,
  monthOf: (date) => `month of ${date}`,
  yearOf: (date) => `year of ${date}`,
  monthOfYear: (date) => `month of the year of ${date}`,
  dayOf: (date) => `day of ${date}`,
  days: (from, to) => `number of days from ${from} to ${to}`,

  is: (value, other, isNot) => `${value} is ${isNot ? "not " : ""}${other}`,
  otherThan: (value, all) => `${value} has a value other than ${listed(all, "and")}`,
  same: (value, other, isNot) => `${value} is ${isNot ? "not " : ""}the same as ${other}`,
  compared: (value, op, other, of) =>
    `${value} ${
      of === "amount"
        ? { "<": "is less than", "<=": "is at most", ">": "is more than", ">=": "is at least" }[op]
        : of === "date"
          ? { "<": "is before", "<=": "is on or before", ">": "is after", ">=": "is on or after" }[op]
          : { "<": "comes before", "<=": "is or comes before", ">": "comes after", ">=": "is or comes after" }[op]
    } ${other}`,
  between: (value, low, high, isNot) => `${value} is ${isNot ? "not " : ""}from ${low} to ${high}`,
  oneOf: (value, all, isNot) =>
    `${value} is ${isNot ? (all.length > 1 ? "neither " : "not ") : ""}${listed(all, isNot ? "nor" : "or")}`,
  contains: (value, part, isNot) => `${value} ${isNot ? "does not contain" : "contains"} ${part}`,
  begins: (value, part, isNot) => `${value} ${isNot ? "does not begin" : "begins"} with ${part}`,
  ends: (value, part, isNot) => `${value} ${isNot ? "does not end" : "ends"} with ${part}`,
  within: (date, period, isNot) => `${date} is ${isNot ? "not " : ""}in ${period}`,
  among: (value, result, isNot) => `${value} is ${isNot ? "not " : ""}among (${result})`,
  hasValue: (value, isNot) => `${value} has ${isNot ? "no" : "a"} value`,
  isEmpty: (value, isNot) => `${value} is ${isNot ? "not " : ""}empty`,
  isMost: (value, of) => `${value} is the ${{ amount: "largest", date: "latest", text: "alphabetically last" }[of]}`,
  isLeast: (value, of) =>
    `${value} is the ${{ amount: "smallest", date: "earliest", text: "alphabetically first" }[of]}`,
  not: (condition) => `not (${condition})`,

  rows: (table, total, matched) =>
    matched === undefined
      ? `the rows of ${table}`
      : matched === total
        ? `all ${total} rows of ${table}`
        : `${matched} of ${total} rows of ${table}`,
  joined: (first, other, same, isOptional) =>
    `${first}${isOptional ? ", along with" : " and"} ${other}${same === "" ? "" : ` with ${same}`}`,
  sameColumn: (column) => `the same ${column}`,
  sameColumns: (one, other) => `${one} the same as ${other}`,
  whereRows: (condition, areJoined) => `${areJoined ? "," : ""} where ${condition}`,
  groupsWhere: (condition) => `, only where ${condition}`,
  first: (count, by, of, isDescending, then) => {
    const which = {
      amount: isDescending ? "largest" : "smallest",
      date: isDescending ? "latest" : "earliest",
      text: "",
    }[of];
    const next = then.length > 0 ? `, then by ${listed(then, "and")}` : "";
    if (by === undefined) return `, at most ${count}`;
    if (which === "")
      return `: the ${isDescending ? "last" : "first"} ${count === "1" ? "one" : count} by ${by}${next}`;
    return `: the ${count === "1" ? "one" : count} with the ${which} ${by}${next}`;
  },
  withoutFirst: (offset) => ` after the first ${offset}`,
  emptyFirst: ", those without a value first",
  sorted: (by) => `, sorted by ${listed(by, "and")}`,
  by: (what, keys) => `${what} by ${listed(keys, "and")}`,

  counted: (rows) => `counted: ${rows}`,
  listing: (what, rows) => (what === undefined ? `listed: ${rows}` : `${what} of ${rows}`),
  computed: (what, rows) => `${what}, over ${rows}`,
  found: (what, rows) => `${what}, found in ${rows}`,
  bySql: (sql, tables) => `computed by ${sql}${tables.length > 0 ? ` from ${listed(tables, "and")}` : ""}`,
};

const zh: Phrases = {
  listed: (all) => (all.some((one) => /[，且、]/.test(one)) ? all.join("；") : all.join("、")),
  and: (all) => all.join("，且"),
  or: (all) => all.join("，或"),
  inBrackets: (text) => `（${text}）`,
  text: (value) => (/^\d{4}-\d\d(?:-\d\d)?$/.test(value) ? value : `“${shown(value)}”`),
  heading: (name) => (/^[\p{L}\p{N}][\p{L}\p{N} ()（）%#./_-]*$/u.test(name) ? name : `“${shown(name)}”`),
  inFile: (table, file) => `${table}（${file}）`,
  ofTable: (column, table) => `${table}的${column}`,
  written: (column) => `${column}（原文）`,
  rowNumber: "行号",
  yes: "是",
  no: "否",
  month: (year, month) => `${year}年${month}月`,
  monthOfAnyYear: (month) => `${month}月`,
  year: (year) => `${year}年`,

  count: "行数",
  countWhere: (condition) => `符合（${condition}）的行数`,
  countOf: (column) => `${column}有值的行数`,
  different: (column) => `${column}的不同值个数`,
  values: (columns) => `${columns}的不同值`,
  groups: "组数",
  sum: (value) => `${value}之和`,
  average: (value) => `${value}的平均值`,
  median: (value) => `${value}的中位数`,
  share: (condition) => `符合（${condition}）的行所占比例（0至1）`,
  list: (value) => `${value}的清单`,
  most: (value, of) => `${value}的${{ amount: "最大值", date: "最晚日期", text: "排序最后的值" }[of]}`,
  least: (value, of) => `${value}的${{ amount: "最小值", date: "最早日期", text: "排序最前的值" }[of]}`,
  where: (value, condition) => `${value}（仅限${condition}）`,
  rounded: (value) => `${value}（四舍五入）`,
  whole: (value) => `${value}（舍去小数）`,
  percentage: (part, whole) => `${part}占${whole}的百分比`,
  instead: (value, otherwise) => `${value}（没有时为${otherwise}）`,
  monthOf: (date) => `${date}的年月`,
  yearOf: (date) => `${date}的年份`,
  monthOfYear: (date) => `${date}的月份`,
  dayOf: (date) => `${date}的日期`,
  days: (from, to) => `${from}到${to}的天数`,

  is: (value, other, isNot) => `${value}${isNot ? "不是" : "为"}${other}`,
  otherThan: (value, all) => `${value}有值且不是${orInChinese(all)}`,
  same: (value, other, isNot) => `${value}与${other}${isNot ? "不同" : "相同"}`,
  compared: (value, op, other, of) =>
    of === "date"
      ? `${value}${{ "<": `早于${other}`, "<=": `不晚于${other}`, ">": `晚于${other}`, ">=": `不早于${other}` }[op]}`
      : of === "amount"
        ? `${value}${{ "<": "小于", "<=": "不超过", ">": "大于", ">=": "不少于" }[op]}${other}`
        : `${value}排在${other}${{ "<": "之前", "<=": "之前或与其相同", ">": "之后", ">=": "之后或与其相同" }[op]}`,
  between: (value, low, high, isNot) => `${value}${isNot ? "不在" : "在"}${low}到${high}之间`,
  oneOf: (value, all, isNot) => `${value}${isNot ? "不是" : "为"}${orInChinese(all)}`,
  contains: (value, part, isNot) => `${value}${isNot ? "不" : ""}包含${part}`,
  begins: (value, part, isNot) => `${value}${isNot ? "不" : ""}以${part}开头`,
  ends: (value, part, isNot) => `${value}${isNot ? "不" : ""}以${part}结尾`,
  within: (date, period, isNot) => `${date}${isNot ? "不在" : "在"}${period}`,
  among: (value, result, isNot) => `${value}${isNot ? "不" : ""}在（${result}）之中`,
  hasValue: (value, isNot) => `${value}${isNot ? "没有值" : "有值"}`,
  isEmpty: (value, isNot) => `${value}${isNot ? "不为空" : "为空"}`,
  isMost: (value, of) => `${value}${{ amount: "最大", date: "最晚", text: "排在最后" }[of]}`,
  isLeast: (value, of) => `${value}${{ amount: "最小", date: "最早", text: "排在最前" }[of]}`,
  not: (condition) => `不符合（${condition}）`,

  rows: (table, total, matched) =>
    matched === undefined
      ? `${table}的行`
      : matched === total
        ? `${table}的全部${total}行`
        : `${table}的${total}行中的${matched}行`,
  joined: (first, other, same, isOptional) =>
    `${first}${isOptional ? "，连同" : "与"}${other}${same === "" ? "" : `（${same}）`}`,
  sameColumn: (column) => `${column}相同`,
  sameColumns: (one, other) => `${one}与${other}相同`,
  whereRows: (condition) => `，条件是${condition}`,
  groupsWhere: (condition) => `，只取${condition}的组`,
  first: (count, by, of, isDescending, then) => {
    const next = then.length > 0 ? `（再按${then.join("、")}）` : "";
    if (by === undefined) return `，最多${count}项`;
    if (of === "text") return `，取按${by}排序的${isDescending ? "最后" : "前"}${count}项${next}`;
    const which = of === "date" ? (isDescending ? "最晚" : "最早") : isDescending ? "最大" : "最小";
    return `，取${by}${which}的${count}项${next}`;
  },
  withoutFirst: (offset) => `（跳过前${offset}项）`,
  emptyFirst: "（没有值的排在最前）",
  sorted: (by) => `，按${by.join("、")}排序`,
  by: (what, keys) => `按${keys.join("、")}分组的${what}`,

  counted: (rows) => `计数：${rows}`,
  listing: (what, rows) => (what === undefined ? `列出：${rows}` : `${what}：取自${rows}`),
  computed: (what, rows) => `${what}：取自${rows}`,
  found: (what, rows) => `${what}：见于${rows}`,
  bySql: (sql, tables) => `由${sql}算出${tables.length > 0 ? `，取自${tables.join("、")}` : ""}`,
};

/** The words for a language; English for others. */
export const phrasesOf = (language: Language): Phrases => (language === "zh" ? zh : en);
