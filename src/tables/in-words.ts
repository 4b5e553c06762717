import type { Language } from "../types/language.js";
import type { Column } from "../types/table.js";
import { type Expression, everyPart, type Place, partsOf, readSql } from "./clauses.js";
import { withUnit } from "./figures.js";
import { conjuncts, type Flat, flatQuery, type Located } from "./flat-query.js";
import type { NamedTable } from "./named-tables.js";
import { type Likeness, type Phrases, phrasesOf } from "./query-phrases.js";
import {
  aggregatesIn,
  type Call,
  isAggregate,
  isAlone,
  meaningOf,
  type Scope,
  type Tables,
  tablesOf,
} from "./scope.js";

/**
 * Says in words what a query computes: "counted: 75 of 143 rows of jobs.csv where State is Open". Columns are called by
 * their headings, tables by their names and files. What is not understood is given as SQL, in Markdown's code marks.
 * @param options.matched the number of rows that the result rests on, by table; undefined if it is not known.
 */
export function inWords(
  sql: string,
  named: readonly NamedTable[],
  { matched, language }: { matched: readonly (number | undefined)[]; language: Language },
): string {
  const phrases = phrasesOf(language);
  const labels = labelsOf(named, phrases);
  const rows = (table: number) => phrases.rows(labels[table] ?? "", named[table]?.table.rows ?? 0, matched[table]);
  const query = readSql(sql);
  const tables = tablesOf(named);
  const flat = query && flatQuery(query, tables, new Map());
  const told = flat && tellerOf(flat, { sql, tables, phrases, labels, language }).query(rows, false);
  if (told !== undefined && told.length <= MAX_LENGTH) return told;
  const words = sql.toLowerCase();
  const used = named.flatMap(({ name }, i) => (words.includes(name.toLowerCase()) ? [rows(i)] : []));
  return phrases.bySql(code(sql), used);
}

const MAX_LENGTH = 1000;

/** Tables by their names, with the file if that is another name. */
function labelsOf(named: readonly NamedTable[], phrases: Phrases): string[] {
  const labels = named.map(({ table: { name, uri, title } }) => {
    const file = /[^/\\#?]+(?=(?:[#?].*)?$)/.exec(uri)?.[0] ?? title;
    if (file === "" || file === name) return name;
    return file.replace(/\.\w{1,5}$/, "") === name ? file : phrases.inFile(name, file);
  });
  return labels.map((label, i) =>
    labels.indexOf(label) === labels.lastIndexOf(label) ? label : (named[i]?.name ?? label),
  );
}

/** SQL in code marks, at most 200 characters of it. */
function code(sql: string): string {
  const line = sql.replace(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  const text = line.length > 200 ? `${line.slice(0, 199)}…` : line;
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const marks = "`".repeat(longest + 1);
  return longest > 0 ? `${marks} ${text} ${marks}` : `${marks}${text}${marks}`;
}

interface Given {
  sql: string;
  tables: Tables;
  phrases: Phrases;
  labels: readonly string[];
  language: Language;
}

function tellerOf(flat: Flat, given: Given) {
  const { sql, tables, phrases, labels, language } = given;
  const { named } = tables;
  /** True once a part is only said as SQL that names what the words leave out. */
  let isLost = false;
  const text = ({ start, end }: Place) => sql.slice(start, end);
  const written = ({ expression }: Located) => text(expression).replace(/\s+/g, " ").toLowerCase();

  /** Undefined if it cannot be told by its clauses. */
  function query(rows: (table: number) => string, isWithin: boolean): string | undefined {
    const from = fromText(rows);
    const told = from === undefined ? undefined : clauses(from, isWithin);
    return isLost || tables.lookUps < 0 ? undefined : told;
  }

  function clauses(from: string, isWithin: boolean): string {
    const where = flat.where.length > 0 ? phrases.whereRows(allOf(flat.where), flat.tables.length > 1) : "";
    const having = flat.having.length > 0 ? phrases.groupsWhere(allOf(flat.having)) : "";
    const isOne = flat.isGrouped && flat.groupBy.length === 0;
    const all = `${from}${where}${having}${ends()}`;

    const calls = flat.items.flatMap((item) => (item ? callsIn(item) : []));
    const [only] = flat.items;
    const isCount = flat.items.length === 1 && only && item(only) === phrases.count && !flat.ofGroups;
    if (isCount && isOne && !isWithin && flat.tables.length === 1) return phrases.counted(all);
    const keys = flat.groupBy.map(item);
    if (flat.isGrouped && calls.length > 0) {
      const figures = flat.items.map((each) => (each ? item(each) : "")).filter((each) => each && !keys.includes(each));
      const what = phrases.listed([...new Set(figures)]);
      const grouped = keys.length > 0 ? phrases.by(what, keys) : what;
      const areExtremes = calls.every(({ name, filter }) => /^(?:min|max)$/.test(name) && !filter);
      return areExtremes ? phrases.found(grouped, all) : phrases.computed(grouped, all);
    }
    const columns = flat.items.map((each) => each && item(each));
    const list = columns.every((each) => each !== undefined) ? phrases.listed([...new Set(columns)]) : undefined;
    if (flat.isGrouped || flat.isDistinct) return phrases.computed(phrases.values(list ?? phrases.listed(keys)), all);
    return phrases.listing(list, all);
  }

  /** The tables, with what their rows have in common. Undefined for joins that are not told in words, and of a table with itself. */
  function fromText(rows: (table: number) => string): string | undefined {
    let told = "";
    for (const [i, { table, join, on, using }] of flat.tables.entries()) {
      if (join === "other" || flat.tables.findIndex((each) => each.table === table) < i) return undefined;
      const same = [...on.map(sameText), ...using.map((column) => phrases.sameColumn(phrases.heading(column)))];
      told = i === 0 ? rows(table) : phrases.joined(told, rows(table), phrases.and(same), join === "left");
    }
    return told === "" ? undefined : told;
  }

  function sameText(on: Located): string {
    const { expression, scope } = on;
    if (expression.kind === "binary" && expression.op === "=") {
      const [one, other] = expression.of.map((each) => ({ cell: cellOf(each, scope), told: value(each, scope) }));
      if (one?.cell && other?.cell && one.told && other.told)
        return one.cell.name === other.cell.name
          ? phrases.sameColumn(phrases.heading(one.cell.name))
          : phrases.sameColumns(one.told, other.told);
    }
    return condition(expression, scope, true);
  }

  /** Order and limit. */
  function ends(): string {
    const [first, ...others] = flat.orderBy.map(item);
    const [leading] = flat.orderBy;
    const [only, ...more] = flat.tables;
    const total = only && more.length === 0 ? named[only.table]?.table.rows : undefined;
    const isAll = flat.limit?.kind === "number" && total !== undefined && Number(flat.limit.value) >= total;
    if (!flat.limit || (isAll && !flat.offset)) return first === undefined ? "" : phrases.sorted([first, ...others]);
    const count = flat.limit.kind === "number" ? flat.limit.value : asSql(flat.limit);
    const isTold = leading && value(leading.expression, leading.scope) !== undefined;
    const of = isTold ? likeness(leading.expression, leading.scope) : "text";
    const offset = flat.offset && text(flat.offset) !== "0" ? phrases.withoutFirst(text(flat.offset)) : "";
    const empty = leading && isEmptyFirst(leading) ? phrases.emptyFirst : "";
    return phrases.first(count, first, of, leading?.isDescending ?? false, others) + offset + empty;
  }

  /** True if rows without a value come before those that are told of. SQLite sorts them as the smallest. */
  function isEmptyFirst({ expression, scope, isDescending }: Flat["orderBy"][number]): boolean {
    const cell = cellOf(expression, scope);
    const isCompared = flat.where.some((each) =>
      [...everyPart(each.expression)].some(
        (part) => part.kind === "column" && cellOf(part, each.scope)?.name === cell?.name,
      ),
    );
    if (!cell || !isNullable(cell) || flat.isGrouped || isCompared || /\bNULLS\s+LAST\b/i.test(sql)) return false;
    return !isDescending || /\bNULLS\s+FIRST\b/i.test(sql);
  }

  const item = ({ expression, scope }: Located): string => value(expression, scope) ?? asSql(expression, scope);

  /** What is not understood, as SQL, which has to name what a reader knows: columns of tables. */
  function asSql(expression: Expression, scope?: Scope): string {
    isLost ||= [...everyPart(expression)].some(
      (part) =>
        (part.kind === "unknown" && scope?.sources.some((source) => source.query)) ||
        (part.kind === "column" && scope && meaningOf(part, scope)?.kind === "item"),
    );
    return code(text(expression));
  }

  /** The functions of many rows in an expression, or else in those that its names stand for. */
  function callsIn({ expression, scope }: Located): Call[] {
    const own = aggregatesIn(expression);
    if (own.length > 0) return own;
    const named = [...everyPart(expression)].flatMap((part) => {
      const meaning = part.kind === "column" ? meaningOf(part, scope) : undefined;
      return meaning?.kind === "item" ? callsIn(meaning) : [];
    });
    return named;
  }

  const allOf = (conditions: readonly Located[]): string => phrases.and(withPeriods(conditions));

  /** Conditions in words; two that begin and end a month or a year are told as one. */
  function withPeriods(conditions: readonly Located[]): string[] {
    const isInner = conditions.length > 1;
    const told: string[] = [];
    for (let i = 0; i < conditions.length; i++) {
      const [one, two] = [conditions[i], conditions[i + 1]];
      const period = one && two && periodOf(one, two);
      if (period) i += 1;
      if (one) told.push(period ?? condition(one.expression, one.scope, isInner));
    }
    return told;
  }

  function periodOf(one: Located, two: Located): string | undefined {
    const [from, to] = [one, two].map(({ expression: each, scope }) => {
      if (each.kind !== "binary" || each.of[1].kind !== "text" || !cellOf(each.of[0], scope)) return undefined;
      return { op: each.op, date: each.of[1].value, told: value(each.of[0], scope) };
    });
    if (!from?.told || !to || from.told !== to.told || from.op !== ">=" || to.op !== "<") return undefined;
    const period = periodBetween(from.date, to.date);
    return period && phrases.within(from.told, period, false);
  }

  /** A month or a year, by its first day and the day after it. */
  function periodBetween(first: string, after: string): string | undefined {
    const [, year = "", month = ""] = /^(\d{4})-(\d\d)-01$/.exec(first) ?? [];
    const next = (years: number, months: number) =>
      new Date(Date.UTC(Number(year) + years, Number(month) - 1 + months, 1)).toISOString().slice(0, 10);
    if (year === "") return undefined;
    if (after === next(0, 1)) return phrases.month(Number(year), Number(month));
    return month === "01" && after === next(1, 0) ? phrases.year(Number(year)) : undefined;
  }

  /** The column that an expression is, whether or not its case, its spaces or its collation are looked at. */
  function cellOf(expression: Expression, scope: Scope): (Column & { isWritten: boolean }) | undefined {
    if (expression.kind === "collate" || isAsIs(expression)) return expression.of[0] && cellOf(expression.of[0], scope);
    const meaning = expression.kind === "column" ? meaningOf(expression, scope) : undefined;
    if (meaning?.kind === "item") return cellOf(meaning.expression, meaning.scope);
    const column = meaning?.kind === "cell" ? named[meaning.table]?.table.columns[meaning.column] : undefined;
    return column && meaning?.kind === "cell" ? { ...column, isWritten: meaning.isWritten } : undefined;
  }

  const isAsIs = (expression: Expression): expression is Call =>
    expression.kind === "call" && expression.of.length === 1 && /^(?:lower|upper|trim)$/.test(expression.name);

  function likeness(expression: Expression, scope: Scope): Likeness {
    const cell = cellOf(expression, scope);
    if (cell) return cell.isWritten || cell.type === "text" ? "text" : cell.type === "date" ? "date" : "amount";
    const meaning = expression.kind === "column" ? meaningOf(expression, scope) : undefined;
    if (meaning?.kind === "item") return likeness(meaning.expression, meaning.scope);
    if (
      expression.kind === "call" &&
      /^(?:min|max|date|datetime|strftime|substr|coalesce|ifnull)$/.test(expression.name)
    ) {
      const of = expression.of[expression.name === "strftime" ? 1 : 0];
      return of ? likeness(of, scope) : "text";
    }
    return expression.kind === "text" ? "text" : "amount";
  }

  /** A value in words. Undefined if it is not understood. */
  function value(expression: Expression, scope: Scope): string | undefined {
    switch (expression.kind) {
      case "column":
        return columnText(expression, scope);
      case "number":
        return expression.value;
      case "text":
        return phrases.text(expression.value);
      case "minus":
        return expression.of[0]?.kind === "number" ? `-${expression.of[0].value}` : undefined;
      case "collate":
        return expression.of[0] && value(expression.of[0], scope);
      case "cast": {
        const [of] = expression.of;
        const told = of && value(of, scope);
        if (told === undefined || !of) return undefined;
        return /INT/.test(expression.as) && !isWholeNumber(of, scope) && !isDatePart(of) ? phrases.whole(told) : told;
      }
      case "call":
        return isAggregate(expression) ? aggregate(expression, scope) : called(expression, scope);
      case "binary":
        return arithmetic(expression, scope);
      case "query":
        return expression.isExists ? undefined : result(expression.query, scope);
      default:
        return undefined;
    }
  }

  function columnText(column: { table?: string; name: string }, scope: Scope): string | undefined {
    const meaning = meaningOf(column, scope);
    if (meaning?.kind === "item") return value(meaning.expression, meaning.scope);
    if (!meaning) return undefined;
    const heading =
      meaning.kind === "row"
        ? phrases.rowNumber
        : phrases.heading(named[meaning.table]?.table.columns[meaning.column]?.name ?? "");
    const told = meaning.kind === "cell" && meaning.isWritten ? phrases.written(heading) : heading;
    const isElsewhere = flat.tables.some(({ table }) => {
      if (table === meaning.table) return false;
      return (
        meaning.kind === "row" || named[table]?.table.columns.some(({ name }) => phrases.heading(name) === heading)
      );
    });
    return isElsewhere ? phrases.ofTable(told, labels[meaning.table] ?? "") : told;
  }

  function aggregate(call: Call, scope: Scope): string | undefined {
    const { name, isWhole, isDistinct, filter, of } = call;
    const [first] = of;
    const chosen = filter ? { when: filter, value: first } : first ? choiceOf(first) : undefined;
    const told = (condition: Expression) => conditionIn(condition, scope);
    const isOfGroups = flat.ofGroups?.scope === scope;
    const byGroups = (what: string) => {
      const keys = flat.ofGroups?.keys.map(item) ?? [];
      return keys.length > 0 ? phrases.by(what, keys) : what;
    };
    if (name === "count" && (isWhole || first?.kind === "number"))
      return filter ? phrases.countWhere(told(filter)) : isOfGroups ? byGroups(phrases.groups) : phrases.count;
    if (!first) return undefined;
    const otherwise = chosen && "otherwise" in chosen ? chosen.otherwise : undefined;
    const isZero = otherwise?.kind === "number" && Number(otherwise.value) === 0;
    const isOnly = otherwise === undefined || otherwise.kind === "null";
    const then = chosen?.value;
    const isOne = then?.kind === "number" && Number(then.value) === 1;
    if (
      chosen &&
      isOne &&
      !isDistinct &&
      ((name === "count" && isOnly) || (/^(?:sum|total)$/.test(name) && (isOnly || isZero)))
    )
      return phrases.countWhere(told(chosen.when));
    if (chosen && isOne && name === "avg" && isZero) return phrases.share(told(chosen.when));
    if (isCondition(first) && !filter && !isDistinct && /^(?:sum|total|avg)$/.test(name))
      return name === "avg" ? phrases.share(told(first)) : phrases.countWhere(told(first));
    if (chosen && !isOnly && !(isZero && /^(?:sum|total)$/.test(name))) return undefined;
    const of1 = chosen ? then : first;
    const figureOfGroup = of1 && isOfGroups ? value(of1, scope) : undefined;
    const what = figureOfGroup ? phrases.inBrackets(byGroups(figureOfGroup)) : of1 && operand(of1, scope);
    if (what === undefined || !of1) return undefined;
    const figure = figureOf(call, what, likeness(of1, scope));
    return figure !== undefined && chosen ? phrases.where(figure, told(chosen.when)) : figure;
  }

  function figureOf({ name, isDistinct }: Call, what: string, of: Likeness): string | undefined {
    if (name === "count") return isDistinct ? phrases.different(what) : phrases.countOf(what);
    if (name === "min") return phrases.least(what, of);
    if (name === "max") return phrases.most(what, of);
    if (name === "group_concat" || name === "string_agg") return phrases.list(isDistinct ? phrases.values(what) : what);
    if (isDistinct) return undefined;
    if (name === "sum" || name === "total") return phrases.sum(what);
    return name === "avg" ? phrases.average(what) : name === "median" ? phrases.median(what) : undefined;
  }

  function called({ name, of, isWindow, filter }: Call, scope: Scope): string | undefined {
    const [first, second, third] = of;
    if (!first || isWindow || filter) return undefined;
    const told = name === "strftime" ? undefined : value(first, scope);
    const isDate = likeness(first, scope) === "date";
    switch (`${name} ${of.length}`) {
      case "lower 1":
      case "upper 1":
      case "trim 1":
        return told;
      case "date 1":
      case "datetime 1":
        return isDate ? told : undefined;
      case "round 1":
      case "round 2":
        return told && phrases.rounded(told);
      case "coalesce 2":
      case "ifnull 2": {
        const otherwise = second && value(second, scope);
        return told && otherwise && phrases.instead(told, otherwise);
      }
      case "nullif 2":
        return second?.kind === "number" && Number(second.value) === 0 ? told : undefined;
      case "strftime 2": {
        const date = second && likeness(second, scope) === "date" ? value(second, scope) : undefined;
        return first.kind === "text" && date ? datePart(FORMATS[first.value], date) : undefined;
      }
      case "substr 3":
      case "substring 3": {
        const isFromStart = second?.kind === "number" && second.value === "1" && third?.kind === "number";
        return isDate && isFromStart && told ? datePart(LENGTHS[third.value], told) : undefined;
      }
      default:
        return undefined;
    }
  }

  function datePart(part: DatePart | undefined, date: string): string | undefined {
    if (part === "day") return date;
    if (part === "month") return phrases.monthOf(date);
    if (part === "year") return phrases.yearOf(date);
    return part === "month of the year" ? phrases.monthOfYear(date) : undefined;
  }

  /** A value as a part of another one: in brackets, unless it is a column or a number. */
  function operand(expression: Expression, scope: Scope): string | undefined {
    const told = value(expression, scope);
    const only = withoutOne(expression);
    const isSimple = cellOf(only, scope) || only.kind === "number" || only.kind === "cast";
    return told === undefined || isSimple ? told : phrases.inBrackets(told);
  }

  function arithmetic(expression: Extract<Expression, { kind: "binary" }>, scope: Scope): string | undefined {
    const { op, of } = expression;
    const only = withoutOne(expression);
    if (only !== expression) return value(only, scope);
    const [left, right] = of;
    if (op === "-") {
      const [to, from] = [left, right].map((each) => each.kind === "call" && each.name === "julianday" && each.of[0]);
      if (to && from) {
        const [end, start] = [value(to, scope), value(from, scope)];
        return end && start && phrases.days(start, end);
      }
    }
    if (op === "/" && isWholeNumber(left, scope) && isWholeNumber(right, scope)) return undefined;
    const share = percentOf(expression);
    if (share) {
      const [part, whole] = [share.part, share.whole].map((each) => {
        const told = value(each, scope);
        return told?.includes(" where ") ? phrases.inBrackets(told) : told;
      });
      return part && whole && phrases.percentage(part, whole);
    }
    const sign = SIGNS[op];
    const [a, b] = [operand(left, scope), operand(right, scope)];
    return sign && a !== undefined && b !== undefined ? `${a} ${sign} ${b}` : undefined;
  }

  /** True for numbers that SQLite divides without decimals. */
  function isWholeNumber(expression: Expression, scope: Scope): boolean {
    switch (expression.kind) {
      case "number":
        return /^\d+$/.test(expression.value);
      case "minus":
        return expression.of.every((each) => isWholeNumber(each, scope));
      case "binary":
        return expression.of.every((each) => isWholeNumber(each, scope)) || !/^[-+*/%]$/.test(expression.op);
      case "cast":
        return /INT/.test(expression.as);
      case "call":
        if (expression.name === "count" || expression.name === "length") return true;
        return (
          /^(?:sum|min|max|coalesce|ifnull|nullif)$/.test(expression.name) &&
          expression.of.every((each) => isWholeNumber(each, scope))
        );
      case "case":
        return [
          ...expression.of.filter((_, i) => i % 2 === 1),
          ...(expression.otherwise ? [expression.otherwise] : []),
        ].every((each) => isWholeNumber(each, scope));
      case "column": {
        const meaning = meaningOf(expression, scope);
        if (meaning?.kind === "item") return isWholeNumber(meaning.expression, meaning.scope);
        return meaning?.kind === "row" || cellOf(expression, scope)?.type === "yes/no";
      }
      case "query":
        return expression.query.selects.some(
          ({ items: [only] }) => only?.expression && isWholeNumber(only.expression, scope),
        );
      default:
        return false;
    }
  }

  /** The result of a query in brackets: in full, unless it reads just the rows that this one does. */
  function result(inner: Parameters<typeof flatQuery>[0], scope: Scope): string | undefined {
    const told = resultOf(inner, scope);
    return told && (told.isOfSame ? told.item : phrases.inBrackets(told.whole));
  }

  function resultOf(inner: Parameters<typeof flatQuery>[0], scope: Scope) {
    const own = isAlone(inner, scope.known, tables) ? flatQuery(inner, tables, scope.known) : undefined;
    const [only, ...more] = own?.items ?? [];
    if (!own || !only || more.length > 0) return undefined;
    const teller = tellerOf(own, given);
    const whole = teller.query(
      (table) => phrases.rows(labels[table] ?? "", named[table]?.table.rows ?? 0, undefined),
      true,
    );
    const read = (one: Flat) => one.tables.map(({ table, on }) => [table, on.map(written)].join(" ")).join();
    const conditions = (one: Flat) =>
      one.where
        .filter(
          ({ expression }) => ![...everyPart(expression)].some((part) => part.kind === "query" && part.query === inner),
        )
        .map(written)
        .sort()
        .join();
    const ofGroups = own.ofGroups?.keys.map(written).join();
    const isOfRows = flat.isGrouped ? ofGroups === flat.groupBy.map(written).join() : ofGroups === undefined;
    const isOfSame =
      isOfRows &&
      own.isGrouped &&
      own.groupBy.length === 0 &&
      read(own) === read(flat) &&
      conditions(own) === conditions(flat);
    return whole === undefined ? undefined : { whole, isOfSame, item: teller.item(only), only };
  }

  /** A condition inside another phrase. */
  const conditionIn = (expression: Expression, scope: Scope) =>
    phrases.and(withPeriods(conjuncts(expression).map((each) => ({ expression: each, scope }))));

  function condition(expression: Expression, scope: Scope, isInner: boolean): string {
    return told(expression, scope, isInner) ?? asSql(expression, scope);
  }

  function told(expression: Expression, scope: Scope, isInner: boolean): string | undefined {
    const of = "of" in expression ? expression.of : [];
    const [first, second] = of;
    switch (expression.kind) {
      case "and":
      case "or": {
        const parts = of.map((each) => ({ expression: each, scope }));
        const all =
          expression.kind === "and" ? withPeriods(parts) : parts.map((each) => condition(each.expression, scope, true));
        const joined = expression.kind === "and" ? phrases.and(all) : phrases.or(all);
        return isInner ? phrases.inBrackets(joined) : joined;
      }
      case "not": {
        if (!first) return undefined;
        const cell = cellOf(first, scope);
        if (cell) return cell.type === "yes/no" ? phrases.is(value(first, scope) ?? "", phrases.no, false) : undefined;
        const inner = told(first, scope, false);
        return inner && phrases.not(inner);
      }
      case "column": {
        const name = cellOf(expression, scope)?.type === "yes/no" ? value(expression, scope) : undefined;
        return name && phrases.is(name, phrases.yes, false);
      }
      case "binary":
        return compared(expression.op, expression.of, scope);
      case "between": {
        const [, low, high] = expression.of;
        const name = first && value(first, scope);
        const [from, to] = [low, high].map((each) => literal(each, first, scope));
        if (!name || !from || !to || !first) return undefined;
        const cell = cellOf(first, scope);
        const after = high.kind === "text" && cell && !hasTimes(cell) ? dayAfter(high.value) : undefined;
        const period =
          low.kind === "text" && after && cell?.type === "date" ? periodBetween(low.value, after) : undefined;
        return period
          ? phrases.within(name, period, expression.isNot)
          : phrases.between(name, from, to, expression.isNot);
      }
      case "in": {
        const name = first && value(first, scope);
        if (!name) return undefined;
        if (second?.kind === "query") {
          const whole = resultOf(second.query, scope)?.whole;
          return whole && phrases.among(name, whole, expression.isNot);
        }
        const values = of.slice(1).map((each) => literal(each, first, scope));
        if (values.length === 0 || values.some((each) => each === undefined)) return undefined;
        const all = values.filter((each) => each !== undefined);
        return expression.isNot && canBeNull(first, scope)
          ? phrases.otherThan(name, all)
          : phrases.oneOf(name, all, expression.isNot);
      }
      case "like":
        return second?.kind === "text" && first && !expression.hasEscape
          ? like(first, second.value, scope, expression.isNot)
          : undefined;
      default:
        return undefined;
    }
  }

  function like(of: Expression, pattern: string, scope: Scope, isNot: boolean): string | undefined {
    const name = value(of, scope);
    const [, before = "", part = "", after = ""] = /^(%*)([^%_]+)(%*)$/s.exec(pattern) ?? [];
    if (!name || part === "") return undefined;
    const [, year = "", month] = (likeness(of, scope) === "date" && /^(\d{4})(?:-(\d\d))?-?$/.exec(part)) || [];
    if (year !== "" && before === "" && after !== "")
      return phrases.within(
        name,
        month ? phrases.month(Number(year), Number(month)) : phrases.year(Number(year)),
        isNot,
      );
    const shown = phrases.text(part);
    if (before !== "" && after !== "") return phrases.contains(name, shown, isNot);
    if (after !== "") return phrases.begins(name, shown, isNot);
    return before === "" ? phrases.is(name, shown, isNot) : phrases.ends(name, shown, isNot);
  }

  function compared(op: string, of: [Expression, Expression], scope: Scope): string | undefined {
    const [left, right] = of.map(plain) as [Expression, Expression];
    if (isLiteral(left) && !isLiteral(right)) return FLIPPED[op] && compared(FLIPPED[op], [right, left], scope);
    const isEqual = op === "=" || op === "is";
    const isNot = op === "<>" || op === "is not";
    if (!isEqual && !isNot && !/^[<>]=?$/.test(op)) return undefined;
    if (left.kind === "call" && left.name === "instr") return found(op, left, right, scope);
    const name = value(left, scope);
    if (!name) return undefined;
    if (right.kind === "null") return op.startsWith("is") ? phrases.hasValue(name, !isNot) : undefined;
    if (right.kind === "text" && right.value === "" && (isEqual || isNot)) return phrases.isEmpty(name, isNot);
    const like = likeness(left, scope);

    const part = partOf(left, scope);
    if (part) {
      const period = periodNamed(part, right);
      if (!period) return undefined;
      if (isEqual || isNot) return phrases.within(part.date, period, isNot);
      return part.part === "month of the year" ? undefined : phrases.compared(name, op, period, "date");
    }
    if (isLiteral(right)) {
      const isPartly = like === "date" && right.kind === "text" && /^\d{4}(?:-\d\d)?$/.test(right.value);
      const same = isPartly ? (SAME_FOR_PARTS[op] ?? op) : op;
      const other = literal(right, left, scope, isNot || isEqual ? "=" : same);
      if (other === undefined) return undefined;
      if (op === "<>" && canBeNull(left, scope)) return phrases.otherThan(name, [other]);
      return isEqual || isNot ? phrases.is(name, other, isNot) : phrases.compared(name, same, other, like);
    }
    if (right.kind === "query") {
      const inner = right.isExists ? undefined : resultOf(right.query, scope);
      const call = inner?.only.expression;
      const compares = call?.kind === "call" && call.of[0] && inner && value(call.of[0], inner.only.scope) === name;
      if (isEqual && inner?.isOfSame && compares && /^(?:min|max)$/.test(call.name))
        return call.name === "max" ? phrases.isMost(name, like) : phrases.isLeast(name, like);
    }
    const other = value(right, scope);
    if (other === undefined) return undefined;
    return isEqual || isNot ? phrases.same(name, other, isNot) : phrases.compared(name, op, other, like);
  }

  const canBeNull = (expression: Expression, scope: Scope) => {
    const cell = cellOf(expression, scope);
    return cell !== undefined && isNullable(cell);
  };

  function found(op: string, { of: [within, part] }: Call, right: Expression, scope: Scope): string | undefined {
    const name = within && value(within, scope);
    if (!name || part?.kind !== "text" || right.kind !== "number") return undefined;
    const isIn = `${op}${right.value}`;
    if (isIn !== ">0" && isIn !== ">=1" && isIn !== "<>0" && isIn !== "=0") return undefined;
    return phrases.contains(name, phrases.text(part.value), isIn === "=0");
  }

  /** The month or the year of a date. */
  function partOf(
    expression: Expression,
    scope: Scope,
  ): { part: DatePart; date: string; isNumber: boolean } | undefined {
    if (expression.kind === "cast") {
      const part = expression.of[0] && partOf(expression.of[0], scope);
      return part && { ...part, isNumber: /INT|NUM|REAL/.test(expression.as) };
    }
    const meaning = expression.kind === "column" ? meaningOf(expression, scope) : undefined;
    if (meaning?.kind === "item") return partOf(meaning.expression, meaning.scope);
    if (expression.kind !== "call" || called(expression, scope) === undefined) return undefined;
    const [first, second, third] = expression.of;
    const isFormat = expression.name === "strftime";
    const part = isFormat
      ? first?.kind === "text" && FORMATS[first.value]
      : /^substr(?:ing)?$/.test(expression.name) && third?.kind === "number" && LENGTHS[third.value];
    const date = isFormat ? second : first;
    const told = date && value(date, scope);
    return part && part !== "day" && told ? { part, date: told, isNumber: false } : undefined;
  }

  function periodNamed(
    { part, isNumber }: { part: DatePart; isNumber: boolean },
    expression: Expression,
  ): string | undefined {
    // SQLite takes no text for a number here.
    if (expression.kind !== "text" && !(expression.kind === "number" && isNumber)) return undefined;
    const [, year = "", month = ""] =
      (part === "month of the year"
        ? isNumber
          ? /^()(\d\d?)$/
          : /^()(\d\d)$/
        : part === "year"
          ? /^(\d{4})$/
          : /^(\d{4})-(\d\d)$/
      ).exec(expression.value) ?? [];
    if (part === "year") return year === "" ? undefined : phrases.year(Number(year));
    if (Number(month) < 1 || Number(month) > 12) return undefined;
    return part === "month" ? phrases.month(Number(year), Number(month)) : phrases.monthOfAnyYear(Number(month));
  }

  /** A date that is only named as one: date('2026-05-01'). */
  const plain = (expression: Expression): Expression => {
    const [only, ...more] = expression.kind === "call" && expression.name === "date" ? expression.of : [];
    return only?.kind === "text" && more.length === 0 && /^\d{4}-\d\d-\d\d$/.test(only.value) ? only : expression;
  };

  const isLiteral = (expression: Expression) =>
    expression.kind === "number" ||
    expression.kind === "text" ||
    (expression.kind === "minus" && expression.of[0]?.kind === "number");

  /**
   * A value that another one is compared to: as it is written, with the column's unit. Undefined if SQLite would compare
   * it in another way than a reader.
   */
  function literal(
    given: Expression | undefined,
    to: Expression | undefined,
    scope: Scope,
    op = "=",
  ): string | undefined {
    const expression = given && plain(given);
    if (!expression || !to || !isLiteral(expression)) return undefined;
    const part = partOf(to, scope);
    if (part) return periodNamed(part, expression);
    const cell = cellOf(to, scope);
    const typed = cell && !cell.isWritten ? cell : undefined;
    const isOfDate = likeness(to, scope) === "date";
    if (expression.kind === "text") {
      if (isOfDate) return dateNamed(expression.value, typed, op);
      const isOfNumber = typed && typed.type !== "text";
      return isOfNumber || isOtherCase(to, expression.value, scope) ? undefined : phrases.text(expression.value);
    }
    if (isOfDate) return undefined;
    const digits = value(expression, scope);
    if (typed?.type === "yes/no" && (digits === "1" || digits === "0"))
      return digits === "1" ? phrases.yes : phrases.no;
    return digits && typed ? withUnit(digits, typed, language) : digits;
  }

  /** Dates are compared as texts: a day is its first minute, and a month is before its first day. */
  function dateNamed(date: string, column: Column | undefined, op: string): string | undefined {
    if (/^\d{4}(?:-\d\d)?$/.test(date)) return op === "<" || op === ">=" ? date : undefined;
    if (!/^\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d)?)?$/.test(date)) return undefined;
    return column && op !== "=" && hasTimes(column) && date.length === 10 ? `${date} 00:00` : date;
  }

  /** True for lower(State) = 'Open', which no row meets. */
  function isOtherCase(expression: Expression, text: string, scope: Scope): boolean {
    const meaning = expression.kind === "column" ? meaningOf(expression, scope) : undefined;
    if (meaning?.kind === "item") return isOtherCase(meaning.expression, text, meaning.scope);
    const [of] = partsOf(expression);
    if (expression.kind !== "collate" && !isAsIs(expression)) return false;
    const name = expression.kind === "call" ? expression.name : "";
    const isOther =
      (name === "lower" && text !== text.toLowerCase()) || (name === "upper" && text !== text.toUpperCase());
    return isOther || (of !== undefined && isOtherCase(of, text, scope));
  }

  return { query, item };
}

type DatePart = "day" | "month" | "year" | "month of the year";
const FORMATS: Readonly<Record<string, DatePart>> = {
  "%Y-%m-%d": "day",
  "%Y-%m": "month",
  "%Y": "year",
  "%m": "month of the year",
};
const LENGTHS: Readonly<Record<string, DatePart>> = { 10: "day", 7: "month", 4: "year" };
const SIGNS: Readonly<Record<string, string>> = { "+": "+", "-": "−", "*": "×", "/": "÷" };
const FLIPPED: Readonly<Record<string, string>> = {
  "=": "=",
  "<>": "<>",
  is: "is",
  "is not": "is not",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

const isNullable = ({ empty, odd, isWritten }: Column & { isWritten: boolean }) => !isWritten && empty + odd > 0;

/** A month is a shorter text than any of its days, and so before them. */
const SAME_FOR_PARTS: Readonly<Record<string, string>> = { ">": ">=", "<=": "<" };

const hasTimes = ({ values }: Column) => values.some((cell) => /\d:\d\d/.test(cell));

function dayAfter(date: string): string | undefined {
  const day = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(`${date}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(day) ? undefined : new Date(day + 86_400_000).toISOString().slice(0, 10);
}

const isDatePart = (expression: Expression) =>
  expression.kind === "call" && /^(?:strftime|substr)$/.test(expression.name);

const isCondition = ({ kind, ...rest }: Expression) =>
  kind === "and" ||
  kind === "or" ||
  kind === "not" ||
  kind === "like" ||
  kind === "in" ||
  kind === "between" ||
  (kind === "binary" && "op" in rest && /^(?:=|<>|[<>]=?|is|is not)$/.test(rest.op));

/** `CASE WHEN when THEN then ELSE otherwise END`, or the same by `iif`. */
function choiceOf(expression: Expression): { when: Expression; value: Expression; otherwise?: Expression } | undefined {
  if (expression.kind === "call" && /^i?if$/.test(expression.name)) {
    const [when, then, otherwise] = expression.of;
    return when && then && { when, value: then, ...(otherwise && { otherwise }) };
  }
  if (expression.kind !== "case" || expression.of.length !== 2) return undefined;
  const [first, then] = expression.of;
  if (!first || !then) return undefined;
  const { subject, otherwise, start, end } = expression;
  const when: Expression = subject ? { kind: "binary", op: "=", of: [subject, first], start, end } : first;
  return { when, value: then, ...(otherwise && { otherwise }) };
}

const isNumber = (expression: Expression, value: number) =>
  expression.kind === "number" && Number(expression.value) === value;

/** Leaves out a factor that only makes a number one with decimals: `1.0 * a`. */
function withoutOne(expression: Expression): Expression {
  if (expression.kind !== "binary" || expression.op !== "*") return expression;
  const [left, right] = expression.of;
  return isNumber(left, 1) ? withoutOne(right) : isNumber(right, 1) ? withoutOne(left) : expression;
}

/** `100.0 * part / whole`, in any order. */
function percentOf(expression: Expression): { part: Expression; whole: Expression } | undefined {
  if (expression.kind !== "binary") return undefined;
  const [left, right] = expression.of;
  const times = (of: Expression) => {
    if (of.kind !== "binary" || of.op !== "*") return undefined;
    const [a, b] = of.of;
    return isNumber(a, 100) ? b : isNumber(b, 100) ? a : undefined;
  };
  if (expression.op === "/") {
    const part = times(left);
    return part && { part: withoutOne(part), whole: right };
  }
  const share = times(expression);
  return share?.kind === "binary" && share.op === "/"
    ? { part: withoutOne(share.of[0]), whole: share.of[1] }
    : undefined;
}
