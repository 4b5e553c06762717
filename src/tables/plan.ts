import { currencyOf, unitOf } from "../facts/units.js";
import { among } from "../text/lexicon.js";
import { LONGEST_QUESTION } from "../text/question-parts.js";
import { plain } from "../text/tokens.js";
import type { Language } from "../types/language.js";
import type { Column, TableHead } from "../types/table.js";
import { type NamedTable, namedTables } from "./named-tables.js";
import {
  ALSO,
  ASKS_RULES,
  BEGINNINGS,
  COMPUTES,
  KINDS,
  only,
  PEOPLE,
  POLITE,
  type Role,
  SPENDING,
  STATES,
  TABLE_WORDS,
  TOTALS,
  UNITS,
} from "./question-words.js";
import {
  bareHeading,
  DATE_ENDING,
  isUnique,
  type Meaning,
  namesOf,
  type Piece,
  periodsIn,
  type Reading,
  readQuestion,
  type Time,
  timeIn,
} from "./read-question.js";

/** What a question becomes: a query of tables, or a doubt about tables that may answer it. Ids of tables, in their order. */
export type Plan = { kind: "query"; sql: string; tables: string[] } | { kind: "doubt"; tables: string[] };

/** True if a question may ask for a count, a sum, a mean or an extreme. In doubt it is true. */
export const asksToCompute = (question: string, language: Language): boolean =>
  language !== "other" && COMPUTES[language].test(question.normalize("NFKC"));

/**
 * True if all cells of a column have a value of its type, but for some words, such as "on request": what is computed says
 * how many it leaves out. An amount that does not fit may be in another currency.
 */
const isRead = (column: Column | undefined, { rows }: TableHead): boolean =>
  column?.odd === 0 ||
  (column !== undefined && column.odd <= rows / 10 && column.values.some((cell) => !/\d/.test(cell)));

/** True if a question asks for a total or a mean, which no single row states unless it is one. */
export const asksForTotal = (question: string, language: Language): boolean =>
  language !== "other" && TOTALS[language].test(question);

/**
 * Turns a question into a query of one of the tables, without a model. There is a query only if the table accounts for
 * every word, and if no other table could be meant: a wrong figure is worse than none.
 */
export function planFor(question: string, language: Language, tables: readonly TableHead[]): Plan | undefined {
  const asked = question.replace(POLITE, "").replace(ALSO, "");
  if (
    language === "other" ||
    asked.length > LONGEST_QUESTION ||
    !asksToCompute(asked, language) ||
    ASKS_RULES[language].test(asked)
  )
    return undefined;
  const read = tables.map((table) => ({ table, reading: readQuestion(asked, language, table) }));
  const named = read.filter(({ reading }) => isAbout(reading));
  const offered = named.filter(({ table, reading }) => reading.known >= MOSTLY && !isLookup(reading, table));
  const doubt = (some: typeof read): Plan | undefined =>
    some.length === 0 ? undefined : { kind: "doubt", tables: some.map(({ table }) => table.id) };
  const planned = read.flatMap(({ table, reading }) => {
    const query = reading.isWhole ? queryOf(reading, table) : undefined;
    return query ? [{ table, reading, ...query }] : [];
  });
  const [first, second] = planned;
  if (!first) return doubt(offered);
  if (second) return doubt(planned);
  const rivals = read.filter(
    ({ table, reading }) =>
      table !== first.table &&
      isRival(table, first) &&
      (isAbout(reading) || mayHaveMore(table, first)) &&
      hasNouns(reading, first.reading),
  );
  if (rivals.length > 0) return doubt([first, ...rivals]);
  return { kind: "query", sql: first.sql, tables: [first.table.id] };
}

/** A table is offered if it knows most words of the question. */
const MOSTLY = 0.7;

/** True if a question names the rows of a table, or a value of it and a column. */
const isAbout = ({ pieces }: Reading) =>
  pieces.some((one) => one.is === "noun" && (one.isRow || one.isName)) ||
  (pieces.some((one) => one.is === "value") && pieces.some((one) => one.is === "noun"));

/** True if a question names a row: a passage answers what its cells are. */
const isLookup = ({ pieces }: Reading, table: TableHead) =>
  pieces.some(
    (one) =>
      one.is === "value" && one.in.has(nameOf(table) ?? -1) && isUnique(table.columns[nameOf(table) ?? -1], table),
  );

/** True if a table could be meant as well: it has all columns that the query reads, and its name no other period. */
const isRival = (table: TableHead, query: Query & { table: TableHead }) =>
  isTimely(table, query.times) && sameColumns(table, query).length === query.columns.length;

/** True if not all values are known of the texts that a query reads. */
const mayHaveMore = (table: TableHead, query: Query & { table: TableHead }) =>
  sameColumns(table, query).some(({ type, isWhole }) => type === "text" && !isWhole);

function sameColumns(table: TableHead, { columns, table: own }: Query & { table: TableHead }) {
  const wanted = columns.map((i) => own.columns[i]?.name.toLowerCase());
  return table.columns.filter(({ name }) => wanted.includes(name.toLowerCase()));
}

/** True if a table knows all that another one knows as a heading or a name. */
const hasNouns = (reading: Reading, other: Reading) =>
  other.pieces.every(
    (one) =>
      one.is !== "noun" ||
      reading.pieces.some(({ is, start, end }) => is === "noun" && start <= one.start && end >= one.end),
  );

interface Query {
  sql: string;
  /** The columns that it reads. */
  columns: readonly number[];
  times: readonly Time[];
}

/** True if no two rows have the same cell there, or none that have the same in the other columns: firms by year. */
function isUniqueGiven(at: number | undefined, others: readonly number[], table: TableHead) {
  const different = [at ?? -1, ...others]
    .map((i) => table.columns[i])
    .map((column) => (column?.empty === 0 ? column.different : 0));
  const isKey = others.length > 0 && different.reduce((product, n) => product * n, 1) === table.rows;
  return isKey || isUnique(table.columns[at ?? -1], table);
}

/** What is left of a question after its conditions. */
type Rest = Piece[];
type Noun = Extract<Meaning, { is: "noun" }> & { start: number; end: number };

function queryOf(reading: Reading, table: TableHead): Query | undefined {
  const read = conditionsOf(reading, table);
  if (!read) return undefined;
  const { where, rest } = read;
  const grouped = groupOf(rest, table);
  if (!grouped) return undefined;
  const asked = askedFor(grouped.rest, reading.text, table, {
    limits: read.columns.size,
    equal: read.equal,
    isGrouped: grouped.column !== undefined,
  });
  if (!asked) return undefined;
  const group = grouped.column;
  const columns = [...new Set([...read.columns, asked.of, asked.by, group])].filter((at) => at !== undefined);
  if (!isTimely(table, read.times)) return undefined;
  const [named] = namedTables([table]);
  if (!named) return undefined;
  const sql = sqlOf({ ...asked, ...(group !== undefined && { group }) }, where(named), named);
  return sql === undefined ? undefined : { sql, columns, times: read.times };
}

type Condition = {
  at: number;
  write: (column: string) => string;
  kind: "value" | "labelled" | "not" | "empty" | "yes/no" | "limit" | "time";
  isImplicit?: boolean;
};

/** The conditions of a question, and the pieces that are none. */
function conditionsOf({ pieces, text }: Reading, table: TableHead) {
  const found: Condition[] = [];
  const used = new Set<number>();
  const times: Time[] = [];
  const noun = (i: number) => {
    const piece = used.has(i) ? undefined : pieces[i];
    return piece?.is === "noun" ? piece : undefined;
  };
  const role = (i: number, wanted: Role) => {
    const piece = pieces[i];
    return piece?.is === "role" && piece.role === wanted;
  };
  const typed = (i: number, ...types: Column["type"][]) => {
    const piece = noun(i);
    const [at] = piece?.columns ?? [];
    const column = table.columns[at ?? -1];
    return piece?.columns.length === 1 && column && at !== undefined && types.includes(column.type) ? at : undefined;
  };
  const add = (condition: Condition, ...from: number[]) => {
    found.push(condition);
    for (const i of from) used.add(i);
  };

  /** True if a time may say when a value came to be, as in "approved in May" or 5月批准的: not when the row did. */
  const isOfValue = (i: number) => {
    const [last, next, after] = [pieces[i - 1], pieces[i + 1], pieces[i + 2]];
    const lead = text.slice(pieces[i - 2]?.end ?? 0, last?.start);
    const isMeasured =
      after?.is === "noun" ? !after.isRow && !after.isName : after?.is === "role" && after.role === "spent";
    return (
      (last?.is === "value" &&
        !/(?:\b(?:in|on|for|by|at|from|of|with)\s+(?:the\s+)?)$/iu.test(lead) &&
        !HAN.test(text[last.start] ?? "")) ||
      (next?.is === "value" && text.startsWith("的", next.end) && !isMeasured)
    );
  };

  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i];
    if (!piece || used.has(i)) continue;
    if (piece.is === "value") {
      const labels = [i - 1, i + 1].filter((at) => noun(at)?.columns.some((one) => piece.in.has(one)));
      const [label] = labels;
      const columns =
        label === undefined ? [...piece.in.keys()] : (noun(label)?.columns.filter((one) => piece.in.has(one)) ?? []);
      const [at] = columns;
      if (at === undefined || columns.length > 1 || (piece.isBare && label === undefined)) return undefined;
      const first = label === undefined ? i : Math.min(i, label);
      const isNot = role(first - 1, "not");
      const written = [...(piece.in.get(at) ?? [])];
      const isBy = role(first - 1, "per") && /^by$/i.test(text.slice(pieces[first - 1]?.start, pieces[first - 1]?.end));
      const from = [i, ...(label === undefined ? [] : [label]), ...(isNot || isBy ? [first - 1] : [])];
      let next = i + 1;
      for (; role(next, "or"); next += 2) {
        const other = pieces[next + 1];
        if (other?.is !== "value" || !other.in.has(at) || isNot) return undefined;
        written.push(...(other.in.get(at) ?? []));
        from.push(next, next + 1);
      }
      const column = table.columns[at];
      // A row that is named is looked up, not counted.
      if (
        !column ||
        (at === nameOf(table) && isUnique(column, table)) ||
        isPartOfOthers(written, column) ||
        (isNot && (column.empty > 0 || !column.isWhole))
      )
        return undefined;
      const write = (name: string) =>
        written.length === 1 && written[0] !== undefined
          ? `${name} ${isNot ? "<>" : "="} ${quoted(written[0])}`
          : `${name} ${isNot ? "NOT " : ""}IN (${written.map(quoted).join(", ")})`;
      add({ at, write, kind: isNot ? "not" : label === undefined ? "value" : "labelled" }, ...from);
    } else if (piece.is === "role" && (piece.role === "not" || piece.role === "none")) {
      const flag = typed(i + 1, "yes/no");
      const column = noun(i + 1);
      const [at] = column?.columns ?? [];
      if (flag !== undefined) {
        if ((table.columns[flag]?.empty ?? 0) + (table.columns[flag]?.odd ?? 0) > 0) return undefined;
        add({ at: flag, write: (name) => `${name} = 0`, kind: "not" }, i, i + 1);
      } else if (piece.role === "none" && column && !column.isRow && at !== undefined && column.columns.length === 1) {
        const heading = table.columns[at];
        if (heading?.odd !== 0) return undefined;
        add({ at, write: (name) => `${name} IS NULL`, kind: "empty" }, i, i + 1);
      }
      // A denied value is read with the value.
      else if (piece.role === "none" || !isDenied(pieces, i)) return undefined;
    } else if (piece.is === "noun" && !role(i - 1, "per")) {
      const at = typed(i, "yes/no");
      if (at !== undefined && !piece.isRow) add({ at, write: (name) => `${name} = 1`, kind: "yes/no" }, i);
    } else if (piece.is === "limit") {
      const before = typed(i - 1, ...NUMERIC);
      const after = piece.amount.kind === "number" ? typed(i + 1, ...NUMERIC) : undefined;
      const isVerb = role(i - 1, "took") || role(i - 1, "spent");
      // "Open for more than 3 hours" is not what took 3 hours, nor "paid over EUR 500" what cost as much.
      const last = pieces[i - 1];
      const isFree = isVerb || (piece.amount.kind === "money" && (last?.is === "noun" || role(i - 1, "and")));
      const at = before ?? after ?? (isFree ? columnFor(piece.amount.key, table) : undefined);
      const column = table.columns[at ?? -1];
      const value = column && valueIn(column, piece.amount);
      if (at === undefined || value === undefined || column?.odd !== 0 || isMixed(column, table)) return undefined;
      const from = before !== undefined ? [i - 1] : after !== undefined ? [i + 1] : isVerb ? [i - 1] : [];
      add({ at, write: (name) => `${name} ${piece.limit.is} ${value}`, kind: "limit" }, i, ...from);
    } else if (piece.is === "time") {
      // "finished in May", 5月完成的任务: in English, a heading after a time belongs to something else.
      const labels = [i - 1, i + 1].filter(
        (one) => typed(one, "date") !== undefined && (one < i || HAN.test(text[pieces[one]?.start ?? 0] ?? "")),
      );
      const [label] = labels;
      if (labels.length > 1) return undefined;
      if (label === undefined && isOwnPeriod(piece.time, table)) {
        times.push(piece.time);
        used.add(i);
        continue;
      }
      if (label === undefined && isOfValue(i)) return undefined;
      const { from, before } = piece.time;
      const years = theDate(table) === undefined ? yearIn(table) : undefined;
      if (label === undefined && years !== undefined && before === `${Number(from?.slice(0, 4)) + 1}-01-01`) {
        const year = from?.slice(0, 4) ?? "";
        const isText = table.columns[years]?.type === "text";
        if (!from?.endsWith("-01-01") || (isText && table.columns[years]?.values.includes(year) !== true))
          return undefined;
        times.push(piece.time);
        add({ at: years, write: (name) => `${name} = ${isText ? quoted(year) : year}`, kind: "time" }, i);
        continue;
      }
      const at = label === undefined ? theDate(table) : typed(label, "date");
      const column = table.columns[at ?? -1];
      const time = column && withYear(piece.time, column);
      if (at === undefined || !time || column.odd > 0 || !isAsExact(time, column) || !isCovered(time, column))
        return undefined;
      const write = (name: string) =>
        [time.from && `${name} >= ${quoted(time.from)}`, time.before && `${name} < ${quoted(time.before)}`]
          .filter(Boolean)
          .join(" AND ");
      times.push(time);
      add({ at, write, kind: "time", isImplicit: label === undefined }, i, ...(label === undefined ? [] : [label]));
    }
  }

  const isJoint = (i: number) => role(i, "and") && isUsed(i - 1) && isUsed(i + 1);
  const isUsed = (i: number) => used.has(i);
  const joints = pieces.keys().filter(isJoint).toArray();
  if (joints.length > 0 && found.some(({ kind }) => kind === "not")) return undefined;
  for (const joint of joints) used.add(joint);
  // A value of a column excludes its others; only limits may be two.
  const once = found.filter(({ kind }) => kind !== "limit").map(({ at }) => at);
  if (new Set(once).size < once.length) return undefined;
  const isNow = ({ at, kind }: Condition) =>
    kind !== "time" &&
    kind !== "labelled" &&
    (table.columns[at]?.type === "yes/no" || STATES.test(table.columns[at]?.name ?? ""));
  // "Did Ann open" is no state either.
  if ((found.some(({ isImplicit }) => isImplicit) || /\bdid\b/i.test(text)) && found.some(isNow)) return undefined;
  return {
    where: ({ columns }: NamedTable) => found.map(({ at, write }) => write(name(columns[at]?.value ?? ""))),
    rest: pieces.filter((_, i) => !used.has(i)),
    columns: new Set(found.map(({ at }) => at)),
    equal: found.filter(({ write }) => write("x").startsWith("x = ")).map(({ at }) => at),
    times,
  };
}

/** True if what is denied is a value, perhaps under its heading. */
const isDenied = (pieces: readonly Piece[], i: number) =>
  pieces[i + 1]?.is === "value" || (pieces[i + 1]?.is === "noun" && pieces[i + 2]?.is === "value");

/** True if a value is a part of another one that was not named: "open" of "open (urgent)". What denies it is another. */
function isPartOfOthers(written: readonly string[], { values }: Column) {
  const words = (text: string) =>
    ` ${text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim()} `;
  return written.some((one) =>
    values.some((other) => {
      if (written.includes(other) || !words(other).includes(HAN.test(one) ? words(one).trim() : words(one)))
        return false;
      return !new RegExp(`^(?:not |[未不没无非])${words(one).trim()}$`, "iu").test(words(other).trim());
    }),
  );
}

/** The only column for an amount, by its unit, if its heading says no more than that. */
function columnFor(key: string, table: TableHead): number | undefined {
  const [at, column] = soleOf(table, (one) => key.startsWith(`${baseOf(one)}:`));
  const isOnly = (column?.type === "money" || column?.type === "duration") && saysOnly(column, column.type);
  return isOnly ? at : undefined;
}

/** The only column that is such a one, and its position. */
function soleOf({ columns }: TableHead, is: (column: Column) => boolean): [at?: number, column?: Column] {
  const all = columns.flatMap((column, i): [number, Column][] => (is(column) ? [[i, column]] : []));
  return all.length === 1 && all[0] ? all[0] : [];
}

/** The kind of quantity that a column holds, as in the keys of quantities: "money:EUR", "measure:s". */
function baseOf({ type, unit }: Column): string {
  if (type === "money") return `money:${currencyOf(unit) ?? unit}`;
  if (type === "share") return "percent";
  const measure = unitOf(unit);
  return measure ? `measure:${measure.base}` : "number";
}

/** An amount in the unit of a column; a mere number is taken as it is. */
function valueIn(
  column: Column,
  { kind, key, value }: { kind: string; key: string; value?: number },
): number | undefined {
  if (kind === "number") return value;
  const base = baseOf(column);
  if (!key.startsWith(`${base}:`) || base === "number") return undefined;
  const size = Number(key.slice(base.length + 1));
  const factor = base.startsWith("measure:") ? (unitOf(column.unit)?.factor ?? 1) : 1;
  return Number((size / factor).toPrecision(12));
}

const singular = (words: string) =>
  ` ${plain(words)
    .replace(HAN_OR_WORD, " $& ")
    .replace(/s?(?: |$)+/g, " ")
    .trim()} `;
const HAN_OR_WORD = /\p{Script=Han}|[a-z]+/gu;

/**
 * The date of the rows: the only one whose heading says no more than that, or only what the table is called, too. If there
 * is just one date, it may also be when the rows came to be.
 */
function theDate(table: TableHead): number | undefined {
  const headings = table.columns.flatMap((column, at) => {
    const heading = plain(bareHeading(column).replace(DATE_ENDING, ""));
    return column.type === "date" ? [{ at, column, heading }] : [];
  });
  const own = headings.filter(
    ({ column, heading }) =>
      saysOnly(column, "date") ||
      namesOf(table).some((name) => singular(name).includes(singular(heading))) ||
      (headings.length === 1 && only(BEGINNINGS).test(heading)),
  );
  return own.length === 1 ? own[0]?.at : undefined;
}

const saysOnly = (column: Column, kind: keyof typeof KINDS) => {
  const heading = bareHeading(column).trim();
  const isOfUnit = column.unit !== "" && (unitOf(heading)?.base ?? currencyOf(heading)) !== undefined;
  return (
    isOfUnit ||
    heading
      .split(/[\s/]+/)
      .every((word) => only(kind === "money" ? `${KINDS.money} ${SPENDING}` : KINDS[kind]).test(word))
  );
};

/** A time with a year; for months without one, the only year of the column's dates. */
function withYear(time: Time, { range }: Column): Time | undefined {
  if (time.month === undefined) return time;
  const [first, last] = (range ?? []).map((day) => Number(String(day).slice(0, 4)));
  return first !== undefined && first === last ? timeIn(first, time.month, time.months ?? 1) : undefined;
}

/** False if all dates of a column are before a time, or after it. */
const isCovered = ({ from = "", before = "9" }: Time, { range }: Column) =>
  range === undefined || (String(range[1]) >= from && String(range[0]) < before);

/** False if a column of months or years is asked for days or months. */
const isAsExact = ({ from, before }: Time, { unit }: Column) => {
  const end = unit === "year" ? /^\d{4}-01-01$/ : unit === "month" ? /-01$/ : /./;
  return [from, before].every((day) => day === undefined || end.test(day));
};

const periodsOf = ({ name, title, section }: TableHead) => [name, title, section].flatMap(periodsIn);

/** False if the table's name has a period, and the question's times are not in it. */
const isTimely = (table: TableHead, times: readonly Time[]) =>
  periodsOf(table).every((period) =>
    times.every(({ from = "", before = "9" }) => from < (period.before ?? "9") && before > (period.from ?? "")),
  );

/** True for the period in the name of a table that has no dates: "Jobs 2026". */
const isOwnPeriod = ({ from, before }: Time, table: TableHead) =>
  periodsOf(table).length > 0 &&
  periodsOf(table).every((period) => period.from === from && period.before === before) &&
  !table.columns.some(({ type, name }) => type === "date" || only(KINDS.date).test(name));

/** The column of years, as "2026" or 2026, of a table without dates. */
function yearIn(table: TableHead): number | undefined {
  const [at, column] = soleOf(table, ({ name }) => only("year 年 年份 年度").test(name));
  return column?.type === "text" || column?.type === "number" ? at : undefined;
}

/** Takes the column after "per" out of the rest; undefined if it is none. "By" may also belong to a condition. */
function groupOf(rest: Rest, table: TableHead): { rest: Rest; column?: number } | undefined {
  const at = rest.findIndex((one) => one.is === "role" && one.role === "per");
  if (at < 0) return { rest };
  const next = rest[at + 1];
  if (next?.is !== "noun") return undefined;
  const others = rest.filter((_, i) => i !== at && i !== at + 1);
  if (others.some((one) => one.is === "role" && one.role === "per")) return undefined;
  const mean = rest.findIndex((one) => one.is === "role" && one.role === "mean");
  // "The average cost per job" is that of all jobs.
  if (next.isRow) return mean >= 0 ? { rest: [...others, next] } : undefined;
  // 平均每个门店的费用 may be that of a shop, not of a row.
  if (mean >= 0 && mean === at - 1 && !rest.some((one) => one.is === "noun" && one.isRow)) return undefined;
  const [column] = next.columns;
  const type = table.columns[column ?? -1]?.type;
  if (column === undefined || next.columns.length > 1 || !GROUPING.includes(type ?? "date")) return undefined;
  return { rest: others, column };
}

/** What a query returns. */
interface Asked {
  get: "count" | "sum" | "mean" | "different" | End | "row" | "group";
  /** Of rows and groups. */
  end?: End;
  /** The column that is measured. */
  of?: number;
  /** What names the rows or groups. */
  by?: number;
  /** For groups: what of the measured column is compared. */
  each?: "count" | "sum" | "mean";
}

type End = "most" | "least";
type Kind = "length" | "money" | "date" | "often";

const SUPERLATIVES: Readonly<Partial<Record<Role, { end: End; kind?: Kind }>>> = {
  most: { end: "most" },
  least: { end: "least" },
  longest: { end: "most", kind: "length" },
  shortest: { end: "least", kind: "length" },
  dearest: { end: "most", kind: "money" },
  cheapest: { end: "least", kind: "money" },
  latest: { end: "most", kind: "date" },
  earliest: { end: "least", kind: "date" },
  commonest: { end: "most", kind: "often" },
};

function askedFor(
  all: Rest,
  text: string,
  table: TableHead,
  { limits, equal, isGrouped }: { limits: number; equal: readonly number[]; isGrouped: boolean },
): Asked | undefined {
  const isLimited = limits > 0;
  const column = (i: number | undefined) => table.columns[i ?? -1];
  const isNumeric = (i: number | undefined) =>
    NUMERIC.includes(column(i)?.type ?? "text") && isRead(column(i), table) && !isMixed(column(i), table, equal);
  const roles = all.flatMap((one) => (one.is === "role" ? [one.role] : []));
  const has = (...some: Role[]) => some.some((role) => roles.includes(role));
  if (all.some((one) => one.is !== "role" && one.is !== "noun") || has("not", "none", "or", "and", "per"))
    return undefined;
  const nouns = all.flatMap((one): Noun[] => (one.is === "noun" ? [one] : []));
  // What only the table is called says where to look.
  const others = nouns.filter(
    ({ isRow, isName, columns: [at] }) => !isRow && at !== undefined && !(isName && column(at)?.type === "date"),
  );
  const places = nouns.filter(({ isName, columns }) => isName && columns.length === 0);
  const isOfRows = nouns.some(({ isRow }) => isRow);
  if (others.some(({ columns }) => columns.length !== 1)) return undefined;
  const isPlace =
    IN_TABLE.test(text) ||
    places.some(({ start, end }) => IN.test(text.slice(0, start)) || /^\.\p{L}|^[中里]/u.test(text.slice(end)));
  const isCalledSpent = nouns.some(
    ({ isRow, isName, start, end }) => (isRow || isName) && isSpending(text.slice(start, end)),
  );
  const isSpent = has("spent") || isCalledSpent;
  const [sole, more] = new Set(others.flatMap(({ columns }) => columns));
  const superlatives = roles.flatMap((role) => SUPERLATIVES[role] ?? []);

  if (superlatives[0]) {
    const [{ end, kind }] = superlatives;
    if (superlatives.length > 1 || has("different") || has("when") !== (kind === "date" && has("when")))
      return undefined;
    const subject = subjectOf(all, nouns, table);
    const by = subject?.columns[0];
    const measured = others.filter((one) => one !== subject).flatMap(({ columns }) => columns);
    if (measured.length > 1) return undefined;
    if (subject && !subject.isRow && !isUniqueGiven(by, equal, table)) {
      // A group: "which shop has the most open jobs", "which team has the highest average cost".
      if (
        by === undefined ||
        (kind && kind !== "often") ||
        !GROUPING.includes(column(by)?.type ?? "date") ||
        has("took", "how much")
      )
        return undefined;
      const isCounted = isOfRows || has("rows") || kind === "often";
      if (measured.length === 0 && !has("mean", "total") && !isSpent && isCounted && MOST.test(text))
        return { get: "group", end, by, each: "count" };
      const of = measured[0] ?? (isSpent ? spentIn(table, isCalledSpent) : undefined);
      const isMost = MOST.test(text) && isAdditive(table) && isMuch(column(of));
      const each = has("mean") ? "mean" : has("total") || isSpent || isMost ? "sum" : undefined;
      if (of === undefined || !each || !isNumeric(of) || has("count") || (has("mean") && has("total")))
        return undefined;
      if (each === "sum" && (end === "least" || column(of)?.type === "share")) return undefined;
      return { get: "group", end, by, of, each };
    }
    const of = measured[0] ?? implied(kind, has("took"), has("spent"), table);
    const isDate = kind === "date" && column(of)?.type === "date" && isRead(column(of), table);
    if (has("mean", "total", "count") || of === undefined || !suits(kind, column(of)) || !(isDate || isNumeric(of)))
      return undefined;
    if (subject) {
      const name = by ?? nameOf(table);
      return name === undefined || name === of ? undefined : { get: "row", end, of, by: name };
    }
    // "The highest amount for hotels" and 订单的最低金额 may be a limit; what it was is none.
    const isPast = /\b(?:was|were|did)\b/i.test(text);
    const isCap = /\b(?:max|min)(?:imum)?\b/i.test(text);
    const isData = kind === "date" ? has("when") || isPast : (isOfRows && !isCap) || isPast || isGrouped;
    if (!isPlace && !(HAN.test(text) ? isOfRows && isLimited : isData)) return undefined;
    return { get: end, of };
  }
  if (has("which", "when") || more !== undefined) return undefined;
  if (has("mean")) {
    // What was spent on average may be that of a month.
    const verb = has("spent") ? spentIn(table) : has("took") ? tookIn(table) : undefined;
    const of = sole ?? (isOfRows ? verb : undefined);
    const isCount =
      has("count") &&
      !/^(?:the )?number of/i.test(text.slice(all.find((one) => one.is === "role" && one.role === "count")?.start));
    if (of === undefined || !isNumeric(of) || isCount || has("total", "different")) return undefined;
    return { get: "mean", of };
  }
  if (has("different")) {
    if (!has("count") || sole === undefined || has("spent", "took")) return undefined;
    return { get: "different", of: sole };
  }
  // 多少任务 asks for a count, 多少 alone for an amount.
  const asking = all.findIndex((one) => one.is === "role" && one.role === "how much");
  const following = all[asking + 1];
  const isBare = /^多少(?![钱元])/u.test(text.slice(all[asking]?.start));
  const isCount = has("count") ? asking < 0 || isBare : isBare && following?.is === "noun" && following.isRow;
  const isNamed = others.every(({ isName }) => isName);
  // 研发部有几台电脑 counts rows, unless there may be several in one.
  const isCounter =
    /[几少](?![人名位])\p{Script=Han}/u.test(text) &&
    !table.columns.some(({ type, name }) => type === "number" && isMany(name));
  const isOfTable =
    isOfRows ||
    (has("rows") && (places.length > 0 || isLimited || isNamed)) ||
    (limits + places.length > 1 && isLimited && isCounter);
  if (isCount && isOfTable && isNamed && !has("spent", "took")) return { get: "count" };
  const isPast = !/\b(?:do|does)\b/i.test(text);
  // "How much did we spend?" names nothing.
  const wasSpent = isSpent && isPast && !has("count") && (isOfRows || isLimited || sole !== undefined);
  const verb = has("took") ? has("total") && tookIn(table) : wasSpent && spentIn(table, isCalledSpent);
  const of = sole ?? (verb === false ? undefined : verb);
  const { type, name = "" } = column(of) ?? {};
  const next = all[all.findIndex((one) => one.is === "role" && one.role === "count") + 1];
  const isNext = next?.is === "noun" && next.columns[0] === of;
  const isAdded =
    has("total") ||
    wasSpent ||
    (has("how much") && /\bdid\b/i.test(text) && sole !== undefined && type === "money") ||
    (isGrouped &&
      HAN.test(text) &&
      isAdditive(table) &&
      ((type === "money" && !/[单均]/.test(name)) || isMuch(column(of)))) ||
    (sole !== undefined && /\b(?:overall|together)\b/i.test(text)) ||
    (has("count") && isNext && type === "duration" && isLimited && /\b(?:did|was|were)\b/i.test(text)) ||
    (has("count") && isMany(name) && isNext && (isLimited || /\b(?:all|together|overall)\b|所有|全部/iu.test(text)));
  if (of === undefined || !isNumeric(of) || type === "share" || !isAdded) return undefined;
  if (type === "number" && (!isAdditive(table) || (has("count") && !isMany(name)))) return undefined;
  return { get: "sum", of };
}

const MOST = /\bmost\b|最多|最常|最频/iu;
const IN_TABLE = new RegExp(`\\b(?:in|from)\\s+(?:the|this)\\s+(?:${among(TABLE_WORDS)})(?![a-z])`, "iu");
const IN = /(?:\b(?:in|from)\s+(?:the\s+)?|在)$/iu;
const GROUPING: readonly Column["type"][] = ["text", "number", "yes/no"];

/** True if a column has amounts that add up. */
const isMuch = (column: Column | undefined) =>
  column?.type === "duration" || (column?.type === "number" && isMany(column.name));

/** "Seats" and 座位数 are counts, "Floor" and 楼层 are not. */
const isMany = (name: string) =>
  /[a-z](?<!s)s$|[数量]$/iu.test(bareHeading({ name })) && !only(KINDS.duration).test(name);

/** Staff of several months is no sum, but visitors of several days are. */
const isAdditive = ({ columns }: TableHead) =>
  columns.every(({ type, name, unit }) => (type === "date" ? unit === "" : !only(KINDS.date).test(name)));

/**
 * What is asked for by "which": the noun after it, or before it at the end (任务是哪个); whose name it is by "who". Without
 * "which", a row that is the longest or most expensive, or one that stands before the superlative ("the job with the
 * highest cost"), or what is most common.
 */
function subjectOf(rest: Rest, nouns: readonly Noun[], { columns: all }: TableHead): Noun | undefined {
  const at = rest.findIndex((one) => one.is === "role" && (one.role === "which" || one.role === "who"));
  const next = rest[at + 1];
  const asking = rest[at];
  if (asking?.is === "role" && asking.role === "who") {
    const names = all.flatMap(({ name }, i) => (only(`${PEOPLE} name`).test(bareHeading({ name })) ? [i] : []));
    const { start, end } = asking;
    return names.length === 1 ? { is: "noun", isRow: false, isName: false, columns: names, start, end } : undefined;
  }
  if (asking) {
    const { start, end } = asking;
    const row: Noun = { is: "noun", isRow: true, isName: false, columns: [], start, end };
    // 里程最长的是哪一次
    const isAlone =
      next === undefined && !nouns.some(({ isRow, columns: [i] }) => isRow || all[i ?? -1]?.type === "text");
    return next?.is === "noun"
      ? next
      : isAlone
        ? row
        : nouns.findLast(({ isRow, columns }) => isRow || columns.length > 0);
  }
  const isValue = rest.some((one) => one.is === "role" && ["when", "count", "how much"].includes(one.role));
  const [row] = nouns.filter(({ isRow }) => isRow);
  const end = rest.find((one) => one.is === "role" && SUPERLATIVES[one.role]);
  if (end?.is === "role" && end.role === "commonest") return nouns.find(({ columns }) => columns.length > 0);
  if (!row || !end || isValue) return undefined;
  return row.start < end.start || nouns.length === 1 ? row : undefined;
}

/** The column that a superlative or a verb measures without naming it. */
function implied(kind: Kind | undefined, took: boolean, spent: boolean, table: TableHead) {
  if (kind === "money") return soleOf(table, ({ type, name }) => type === "money" && PRICE.test(name))[0];
  if (kind === "date") return theOnly("date", table);
  if (took && kind !== undefined) return tookIn(table);
  return spent && kind === undefined ? spentIn(table) : undefined;
}

const PRICE = new RegExp(`\\b(?:${among(`${KINDS.money} ${SPENDING} fee`)})(?![a-z])|[价费值额]`, "iu");

/** The only column of a type, if its heading says no more than that. */
function theOnly(type: keyof typeof KINDS, table: TableHead): number | undefined {
  const [at, column] = soleOf(table, (one) => one.type === type);
  return column && saysOnly(column, type) ? at : undefined;
}

const tookIn = (table: TableHead) => theOnly("duration", table);

/** The only sums of money of a table, if its heading or its name says that they were spent. */
function spentIn(table: TableHead, isCalledSpent = false): number | undefined {
  const at = theOnly("money", table);
  const column = table.columns[at ?? -1];
  const isNamed = column && [bareHeading(column), ...namesOf(table)].some((name) => only(SPENDING).test(name));
  return isNamed || isCalledSpent ? at : undefined;
}

/** True for "Cost" and "Travel expenses", but not for "Cost centres". */
const isSpending = (name: string) => ENDS_IN_SPENDING.test(name);
const ENDS_IN_SPENDING = new RegExp(`(?:^|\\s|(?=\\p{Script=Han}))(?:${among(SPENDING)})$`, "iu");

/** True if another column may say what each of its numbers is in: "Amount" and "Currency". */
const isMixed = (column: Column | undefined, { columns }: TableHead, equal: readonly number[] = []) =>
  column !== undefined &&
  column.unit === "" &&
  column.type !== "date" &&
  columns.some(
    ({ name, values, isWhole }, i) => only(UNITS).test(name) && !(isWhole && values.length === 1) && !equal.includes(i),
  );

const suits = (kind: Kind | undefined, column: Column | undefined) => {
  if (!column) return false;
  if (kind === "money" || kind === "date") return column.type === kind;
  if (kind === "length") return column.type === "duration" || column.type === "number";
  return NUMERIC.includes(column.type);
};

/** The column that names the rows. */
function nameOf(table: TableHead): number | undefined {
  const texts = table.columns.flatMap(({ type }, i) => (type === "text" ? [i] : []));
  return texts.find((i) => isUnique(table.columns[i], table)) ?? texts[0];
}

function sqlOf(
  { get, end = "most", of, by, each = "count", group }: Asked & { group?: number },
  where: readonly string[],
  { name: table, columns }: NamedTable,
) {
  const column = (i: number | undefined) => name(columns[i ?? -1]?.value ?? "");
  const from = (...more: string[]) => {
    const all = [...where, ...more];
    return `FROM ${name(table)}${all.length > 0 ? ` WHERE ${all.join(" AND ")}` : ""}`;
  };
  const [measured, named] = [column(of), column(by ?? group)];
  const figure = {
    count: "count(*)",
    sum: `sum(${measured})`,
    mean: `avg(${measured})`,
    different: `count(DISTINCT ${measured})`,
    most: `max(${measured})`,
    least: `min(${measured})`,
  };
  const extreme = end === "most" ? "max" : "min";
  if (by === undefined && get !== "row" && get !== "group")
    return group === undefined
      ? `SELECT ${figure[get]} ${from()}`
      : `SELECT ${named}, ${figure[get]} ${from()} GROUP BY ${named} ORDER BY 2 DESC, 1`;
  if (group !== undefined) return undefined;
  if (get === "row")
    return `SELECT ${named}, ${measured} ${from(`${measured} = (SELECT ${extreme}(${measured}) ${from()})`)}`;
  const groups = `${from(`${named} IS NOT NULL`)} GROUP BY ${named}`;
  return `SELECT ${named}, ${figure[each]} ${groups} HAVING ${figure[each]} = (SELECT ${extreme}(value) FROM (SELECT ${figure[each]} AS value ${groups})) ORDER BY 1`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;
const name = (text: string) => `"${text.replaceAll('"', '""')}"`;
const NUMERIC: readonly Column["type"][] = ["number", "money", "share", "duration"];
const HAN = /\p{Script=Han}/u;
