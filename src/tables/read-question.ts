import { type Limit, limitOf } from "../facts/limits.js";
import { type Quantity, quantities } from "../facts/numbers.js";
import { currencyOf, unitOf } from "../facts/units.js";
import { AUXILIARIES, among, POINTERS, PREPOSITIONS, QUESTION_WORDS, set } from "../text/lexicon.js";
import { simplified } from "../text/simplified.js";
import { plain, terms } from "../text/tokens.js";
import type { Span } from "../types/evidence.js";
import type { Column, TableHead } from "../types/table.js";
import { KINDS, NAMES, NUMBERS, ONES, only, PEOPLE, ROLES, type Role, TABLE_WORDS } from "./question-words.js";

/** A time that a question names: from a day, before a day, as ISO dates; without a year, from a `month` (0 to 11) for `months`. */
export interface Time {
  from?: string;
  before?: string;
  month?: number;
  months?: number;
}

/** What words of a question mean to a table. */
export type Meaning =
  | { is: "role"; role: Role }
  /** What a row is, such as a job, the table by its name, or columns by their heading. */
  | { is: "noun"; isRow: boolean; isName: boolean; columns: readonly number[] }
  /** A value, by column: all forms in which it is written there. It is `bare` if it is a mere number. */
  | { is: "value"; in: ReadonlyMap<number, readonly string[]>; isBare: boolean }
  | { is: "time"; time: Time }
  | { is: "limit"; limit: Limit; amount: Quantity };

export type Piece = Meaning & { start: number; end: number };

/** A question as one table understands it. */
export interface Reading {
  text: string;
  /** In order, without words that say nothing. */
  pieces: Piece[];
  /** True if no word is left over, and none has two meanings. */
  isWhole: boolean;
  /** The share of its words that the table, or the grammar of questions, knows. */
  known: number;
}

/**
 * Reads a question with the words of a table: its name, headings and values, exactly, but for case, width, plural and
 * traditional characters. From left to right, the longest meaning counts.
 */
export function readQuestion(question: string, language: "en" | "zh", table: TableHead): Reading {
  const text = simplified(question.normalize("NFKC")).replaceAll("’", "'");
  const tokens = tokensOf(text);
  if (plain(text).length !== text.length) return { text, pieces: [], isWhole: false, known: 0 };
  const own = vocabularyOf(table);
  const found = [...timesIn(text), ...limitsIn(text)];
  const at = tokens.map(({ start }, i) =>
    Map.groupBy(
      [
        ...ownAt(text, tokens, i, own),
        ...found.filter((one) => one.start === start),
        ...rolesAt(text, start, language),
      ],
      ({ end }) => end,
    ),
  );
  const behind = (end: number) => {
    const next = tokens.findIndex(({ start }) => start >= end);
    return next < 0 ? tokens.length : next;
  };
  const dead = new Set<number>();
  const read = (i: number): Piece[] | undefined => {
    if (i >= tokens.length) return [];
    if (dead.has(i)) return undefined;
    for (const [end, all] of longestFirst(at[i])) {
      const piece = chosen(all);
      // Words with two meanings have none, and no part of them has.
      if (!piece) break;
      const rest = read(behind(end));
      if (rest) return [piece, ...rest];
    }
    dead.add(i);
    return undefined;
  };
  const pieces = read(0);
  if (pieces && isPlain(hide(text, pieces))) return { text, pieces: pieces.filter(says), isWhole: true, known: 1 };
  const some: Piece[] = [];
  for (let i = 0; i < tokens.length; ) {
    const [[end, all] = [0, []]] = longestFirst(at[i]);
    const piece = chosen(all);
    if (piece) some.push(piece);
    i = all.length === 0 ? i + 1 : behind(end);
  }
  const known = tokens.filter(({ start }) => some.some((one) => one.start <= start && start < one.end)).length;
  return { text, pieces: some.filter(says), isWhole: false, known: known / tokens.length };
}

const longestFirst = (at: Map<number, Piece[]> | undefined) => [...(at ?? [])].toSorted(([a], [b]) => b - a);

const says = (piece: Piece) => piece.is !== "role" || piece.role !== "small";

/** True if no mark is left that says something, such as "&" or "/", and no sentence ends before the last one. */
const isPlain = (text: string) =>
  !/[^\p{L}\p{N}\p{M}\s,.?!:'"()，。？！：、“”‘’（）《》「」-]|[?!。？！](?=.*[^\s?!.。？！"”’)）」》])|\.\s+\S/su.test(
    text,
  );

/** The meaning of words that have one; a column called "Cost" is meant rather than the verb, a time rather than a name. */
function chosen(all: readonly Piece[]): Piece | undefined {
  const rank = (piece: Piece) => {
    if (piece.is === "time") return 3;
    if (piece.is === "noun") return piece.columns.length > 0 || piece.isRow ? 2 : 0;
    if (piece.is === "value") return piece.isBare ? 1 : 2;
    if (piece.is === "role") return YIELDING.has(piece.role) ? 1 : 2;
    return 2;
  };
  const most = Math.max(...all.map(rank));
  const best = all.filter((piece) => rank(piece) === most);
  return best.length === 1 ? best[0] : undefined;
}

const YIELDING: ReadonlySet<Role> = new Set(["spent", "took", "rows", "count", "small"]);

interface Token {
  key: string;
  written: string;
  start: number;
  end: number;
}

/** Words, and Chinese characters one by one. */
const tokensOf = (text: string): Token[] =>
  [...text.matchAll(TOKEN)].map(({ 0: written, index: start }) => ({
    key: singular(plain(written)),
    written,
    start,
    end: start + written.length,
  }));

const TOKEN = /\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}\p{M}])+/gu;

const singular = (word: string) =>
  /^[a-z]{3,}$/.test(word) ? word.replace(/ies$/, "y").replace(/(?<=ss|x|z|ch|sh)es$|(?<![su])s$/, "") : word;

const keyOf = (text: string) =>
  tokensOf(simplified(text.normalize("NFKC")))
    .map(({ key }) => key)
    .join(" ");

/** A table's own words by their keys. */
interface Vocabulary {
  /** Words of its names, and runs of Chinese characters of them: what a question says to point at the table. */
  context: Set<string>;
  nouns: Map<string, { isRow: boolean; isName: boolean; columns: number[]; rank: number }>;
  values: Map<string, Map<number, string[]>>;
  dates: Set<number>;
  /** In tokens. */
  longest: number;
}

function vocabularyOf(table: TableHead): Vocabulary {
  const nouns: Vocabulary["nouns"] = new Map();
  const values: Vocabulary["values"] = new Map();
  const rows: string[] = [];
  const noun = (words: string, rank: number, more: { isName?: boolean; column?: number }) => {
    const key = keyOf(words);
    const known = nouns.get(key);
    if (key === "" || (known && known.rank > rank)) return;
    const { isName, columns } = known?.rank === rank ? known : { isName: false, columns: [] as number[] };
    const added = more.column === undefined || columns.includes(more.column) ? columns : [...columns, more.column];
    nouns.set(key, { isRow: false, isName: isName || more.isName === true, columns: added, rank });
  };
  const names = namesOf(table);
  // What a name ends with is what it is about: "jobs" in "Open jobs".
  for (const name of names) for (const end of endsOf(name)) noun(end, 2, { isName: true });
  const context = new Set(names.flatMap(runsOf));
  table.columns.forEach((column, i) => {
    noun(column.name, 2, { column: i });
    noun(bareHeading(column), 2, { column: i });
    for (const [less, rank] of shorterHeadings(column, table)) noun(less, rank, { column: i });
    if (only(PEOPLE).test(column.name) && isUnique(column, table)) rows.push(...ONES);
    // What has a number of its own is what the rows are.
    const [, what = ""] = NUMBERED.exec(bareHeading(column).replaceAll("_", " ")) ?? [];
    if (what !== "" && isUnique(column, table)) rows.push(keyOf(what));
    for (const written of column.type === "text" ? column.values : [])
      for (const key of new Set([keyOf(written), ...(column.isWhole ? [keyOf(bareHeading({ name: written }))] : [])])) {
        // What all rows have is no condition.
        if (key === "" || (column.different === 1 && context.has(key))) continue;
        const forms = values.get(key) ?? new Map<number, string[]>();
        values.set(key, forms.set(i, [...(forms.get(i) ?? []), written]));
      }
  });
  const days = table.columns.find((column) => column.type === "date" && isUnique(column, table));
  if (days && only(KINDS.date).test(days.name) && !table.columns.some(({ name }) => only(PEOPLE).test(name)))
    rows.push("day", "天");
  const isDaily = table.columns.some(({ type, unit }) => type === "date" && unit === "");
  const keys = table.columns.filter((column) => isUnique(column, table));
  for (const key of rows) if (!nouns.has(key)) nouns.set(key, { isRow: true, isName: false, columns: [], rank: 1 });
  for (const [key, one] of nouns) {
    const { columns } = one;
    const isRow =
      columns.length > 0
        ? columns.every((i) => table.columns[i]?.type === "text" && isUnique(table.columns[i], table))
        : one.isRow ||
          (rows.length > 0 && isDaily) ||
          keys.some((column) => isNameOf(key, column)) ||
          // Rows without a key are what the table is called, unless they name something more than once.
          !table.columns.some(
            (column) =>
              (isUnique(column, table) && (column.type === "text" || column.type === "date")) ||
              only(`${NAMES} ${PEOPLE}`).test(column.name),
          );
    nouns.set(key, { ...one, isRow, isName: one.isName || context.has(key) });
  }
  const sizes = [...nouns.keys(), ...values.keys(), ...context].map((key) => key.split(" ").length);
  const dates = new Set(table.columns.flatMap(({ type }, i) => (type === "date" ? [i] : [])));
  return { context, nouns, dates, values, longest: Math.min(20, Math.max(0, ...sizes)) };
}

/** The last words of a name, from the longest run to the shortest; "Orders by customer" is not about customers. */
function endsOf(name: string): string[] {
  const tokens = tokensOf(name);
  if (/(?<![a-z])(?:by|per|for|with|from|to)(?![a-z])|[按各]/iu.test(name)) return [name];
  return tokens.flatMap(({ start, written }, i) => {
    const end = name.slice(start);
    return (HAN.test(written) && i > tokens.length - 2) || /^[\d\p{P}]/u.test(end) ? [] : [end];
  });
}

/**
 * The key of a name and of the runs of tokens in it, but for single characters and years. A sentence has no such runs, nor
 * has "Sales and marketing": one word of it is only a part of what the table is about, or what it is not.
 */
function runsOf(name: string): string[] {
  const key = keyOf(name);
  const tokens = key.split(" ");
  const runs = tokens.flatMap((_, i) => tokens.slice(i).map((_, size) => tokens.slice(i, i + size + 1).join(" ")));
  return [key, ...(tokens.length > 24 || MANY.test(name) ? [] : runs.filter((run) => !NO_CONTEXT.test(run)))];
}

const MANY =
  /[.,;:&+/。，；：、]|(?<![a-z])(?:and|or|no|not|non|without|except|excluding)(?![a-z])|[和与及或不未无非]/iu;
const NO_CONTEXT = /^(?:\p{Script=Han}|\w{1,2})$|^\P{Script=Han}*\d\P{Script=Han}*$/u;

/**
 * True if a column names what the table is called by: the rows of "Jobs" are jobs if there is a "Job no" or a "Title", but
 * not if there are "Team" and "Headcount".
 */
function isNameOf(key: string, { name, type }: Column) {
  const heading = keyOf(name);
  if (type !== "text" && type !== "number") return false;
  if (heading.startsWith(key) && AFTER_NAME.test(heading.slice(key.length).replace(/ /g, ""))) return true;
  return type === "text" && (key.endsWith(` ${heading}`) || only(NAMES).test(heading.replace(/ /g, "")));
}

const AFTER_NAME = only(`${NAMES} ${NUMBERS}`);
const NUMBERED = new RegExp(
  `^(\\p{Script=Han}{2,}?|.*\\p{L}(?=\\s))\\s*(?:id|key|code|name|编号|名称|${among(NUMBERS)})\\.?$`,
  "iu",
);

const HAN = /\p{Script=Han}/u;

/** True if no two rows have the same cell there. */
export const isUnique = (column: Column | undefined, { rows }: TableHead): boolean =>
  column?.empty === 0 && column.different + column.odd === rows;

/** The names of a table, also without years and words such as "list". */
export function namesOf({ name, title, section, uri }: TableHead): string[] {
  const file = decoded(uri.split(/[/\\?#]/).findLast((part) => part !== "") ?? "");
  const all = [name, title, section.split(" › ").at(-1) ?? "", file].map((one) =>
    one.replace(/\.\p{L}\w{1,4}$/u, "").slice(0, 200),
  );
  const short = all.map((one) =>
    one
      .replace(/(?<![\p{L}\p{N}])[HQ]?\p{N}+(?![\p{L}\p{N}])|\p{N}+[年月日]?|[上下]半年|[一二三四]季度/gu, " ")
      .replace(/\s*[([（［][^)\]）］]*[)\]）］]\s*$/u, "")
      .replace(/[\s_–—-]+/gu, " ")
      .trim(),
  );
  return [...new Set([...all, ...short, ...short.map((one) => one.replace(TABLE_ENDING, ""))])];
}

const TABLE_ENDING = new RegExp(
  `(?: (?:${TABLE_WORDS.replace(/ /g, "|")})| ?(?<=\\p{Script=Han})(?:${TABLE_WORDS.replace(/ /g, "|")}))$`,
  "iu",
);

function decoded(part: string) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** A heading without a unit in brackets. */
export const bareHeading = ({ name }: Pick<Column, "name">): string =>
  name.replace(/\s*[([（［][^)\]）］]*[)\]）］]\s*$/u, "");

/** "Start" for the date "Start date", 付款 for the yes/no 是否付款, "cost" for "Cost EUR", "damage" for the text "Kind of damage". */
function shorterHeadings(column: Column, { columns }: TableHead): [heading: string, rank: number][] {
  const heading = bareHeading(column);
  const [, inBrackets = ""] = /[([（［]([^)\]）］]*)[)\]）］]\s*$/u.exec(column.name) ?? [];
  const words = wordsOf(heading);
  const [, bare = words, unit = ""] = /^(.*?\S)\s+(?:in |[([])?(\S+?)[)\]]?$/u.exec(words) ?? [];
  const isUnit =
    column.type !== "text" && (unit === column.unit || currencyOf(unit) || unitOf(unit) || / in \S+$/.test(words));
  const more = [words, column.type === "text" ? inBrackets : ""];
  if (column.type === "yes/no") more.push(heading.replace(/^(?:是否)?已?/u, ""), heading.replace(/^is /iu, ""));
  const event = words.replace(DATE_ENDING, "");
  if (column.type === "date") more.push(event, `${event} date`, `${words} date`);
  const [, last = ""] = /(?:\s|.(?=\p{Script=Han}{2}$))(\p{L}{2,})$/u.exec(words) ?? [];
  const isOnly = columns.every((other) => other === column || !keyOf(wordsOf(other.name)).includes(keyOf(last)));
  if (column.type === "text" && last !== "" && isOnly) more.push(last);
  const all = [...(isUnit ? [[bare, 2] as const] : []), ...more.map((one) => [one, 1] as const)];
  return all.flatMap(([one, rank]) => (one !== "" && one !== heading ? [[one, rank]] : []));
}

const wordsOf = (heading: string) => heading.replace(/(?<=\p{Ll})(?=\p{Lu})|_/gu, " ");

export const DATE_ENDING = new RegExp(
  `(?:[\\s_]+|(?<=\\p{Script=Han}))(?:on|at|${KINDS.date.replace(/ /g, "|")})$`,
  "iu",
);

function ownAt(text: string, tokens: readonly Token[], at: number, own: Vocabulary): Piece[] {
  const { start = 0 } = tokens[at] ?? {};
  const all: Piece[] = [];
  for (let size = Math.min(own.longest, tokens.length - at); size > 0; size--) {
    const run = tokens.slice(at, at + size);
    const { end: last = 0 } = run.at(-1) ?? {};
    // The mark of a heading belongs to it: "Cost $", "Mass (g)".
    const marks = /^(?:\s?[$€£%°²]|\))+/u.exec(text.slice(last))?.[0] ?? "";
    const end = last + (marks.startsWith(")") && !text.slice(start, last).includes("(") ? 0 : marks.length);
    const key = run.map((token) => token.key).join(" ");
    const value = formsOf(text.slice(start, end), own.values.get(key));
    const known = own.nouns.get(key) ?? byStem(run, own) ?? (own.context.has(key) ? CONTEXT : undefined);
    // "Paid" is a value rather than short for "Paid on".
    const isLess = known === CONTEXT || (known && !known.isRow && "rank" in known && known.rank === 1);
    const noun = value && isLess ? undefined : known;
    if (!noun && !value) continue;
    if (
      run.some((token, i) => i > 0 && !/^[\s\p{Pd}_./&'’+#:$()（）]*$/u.test(text.slice(run[i - 1]?.end, token.start)))
    )
      continue;
    const isSmall = SMALL.has(plain(text.slice(start, end)));
    const isName = /^\p{Lu}{2,}$/u.test(text.slice(start, end));
    if (isSmall && !isName) continue;
    if (noun) all.push({ is: "noun", isRow: noun.isRow, isName: noun.isName, columns: noun.columns, start, end });
    if (value) all.push({ is: "value", in: value, isBare: /^[\d ]+$/.test(key), start, end });
  }
  return all;
}

const CONTEXT = { isRow: false, isName: true, columns: [] as number[] };

/**
 * The forms of a value that a question means. One that it writes as the table does counts alone: "Part" beside "Parts",
 * "Müller" beside "Muller". A name in capitals has no plural: "Ann Lees" is not "Ann Lee".
 */
function formsOf(asked: string, value: ReadonlyMap<number, readonly string[]> | undefined) {
  const isName = /(?:^|[\s-])\p{Lu}[\p{L}\p{M}]*$/u.test(asked);
  const found = new Map<number, readonly string[]>();
  for (const [column, forms] of value ?? []) {
    const alike = forms.filter((form) =>
      [form, bareHeading({ name: form })].some((one) => plain(one) === plain(asked)),
    );
    const same = forms.filter((form) => form.normalize("NFKC").toLowerCase() === asked.toLowerCase());
    const kept =
      same.length > 0 && !/\p{Script=Han}/u.test(asked) ? same : alike.length > 0 ? alike : isName ? [] : forms;
    if (new Set(kept.map((form) => (/\p{Script=Han}/u.test(form) ? plain(form) : form.toLowerCase()))).size > 1)
      return undefined;
    if (kept.length > 0) found.set(column, kept);
  }
  return found.size > 0 ? found : undefined;
}

/** What is "IT" or "US" in capitals only. */
const SMALL = set(
  `${POINTERS.en} ${AUXILIARIES} ${QUESTION_WORDS.en} ${PREPOSITIONS} i me we us a an the all no not and or`,
);

/** "started" for the date "Start": by the stem, if the heading is one word. */
function byStem(run: readonly Token[], own: Vocabulary) {
  const [token] = run;
  if (run.length !== 1 || !token || !/^[a-z]{4,}$/.test(token.key) || own.values.has(token.key)) return undefined;
  const [stem] = terms(token.written);
  return [...own.nouns].find(
    ([key, { isRow, columns }]) =>
      !isRow &&
      columns.every((i) => own.dates.has(i)) &&
      columns.length === 1 &&
      !key.includes(" ") &&
      terms(key)[0] === stem,
  )?.[1];
}

function rolesAt(text: string, start: number, language: "en" | "zh"): Piece[] {
  const all = ROLES[language].flatMap(([role, pattern]) => {
    pattern.lastIndex = start;
    const [words] = pattern.exec(text) ?? [];
    return words ? [{ is: "role" as const, role, start, end: start + words.length }] : [];
  });
  return all;
}

/** Replaces what was understood by a letter, so that only other marks are seen. */
const hide = (text: string, found: readonly Piece[]) =>
  found.reduce((rest, { start, end }) => rest.slice(0, start) + "x".repeat(end - start) + rest.slice(end), text);

/** Amounts with a limit, "over EUR 500". */
function limitsIn(text: string): Piece[] {
  return quantities(text).flatMap((amount): Piece[] => {
    const limit = amount.value === undefined ? undefined : limitOf(amount, text);
    // 500元以上; something else may stand between in "3 people or more".
    const between = text.slice(amount.end, limit?.end).replace(/\s*(?:or|and|以).*$/isu, "");
    return limit && between.trim() === "" ? [{ is: "limit", limit, amount, start: limit.start, end: limit.end }] : [];
  });
}

/** Days, months, years and parts of years, with the words before and after them that make a range. */
function timesIn(text: string): Piece[] {
  const parts = PARTS_OF_YEAR.flatMap((pattern) => [...text.matchAll(pattern)]).map((match) => {
    const { year, part = "", half } = match.groups ?? {};
    const months = half ? 6 : 3;
    const month = months * ORDER.findIndex((one) => one.test(part));
    const place = { start: match.index, end: match.index + match[0].length };
    return year === undefined ? { ...place, month, months } : { ...place, ...timeIn(Number(year), month, months) };
  });
  // "March" and "May" are read as months after "in" only.
  const inMonths = text.replace(/\b(?:between|from|to|and|of|for|during|before|after) (?=(?:March|May)\b)/g, (word) =>
    "in ".padStart(word.length),
  );
  const dates = quantities(inMonths).flatMap(({ kind, key, also, start, end }) => {
    const time = timeOf(kind === "date" ? key : (also ?? ""));
    return time && !parts.some((part) => part.start < end && start < part.end) ? [{ start, end, ...time }] : [];
  });
  const found: (Time & Span)[] = [...parts, ...dates];
  const all = found.toSorted((a, b) => a.start - b.start);
  const pieces: Piece[] = [];
  for (let i = 0; i < all.length; i++) {
    const [one, next] = [all[i], all[i + 1]];
    if (!one) continue;
    const before = text.slice(0, one.start);
    if (next && isRange(text, one, next)) {
      const [lead = ""] = /(?:\b(?:between|from)\s+|[从自在])$/iu.exec(before) ?? [];
      const [tail = ""] = /^\s*(?:之间|期间)/u.exec(text.slice(next.end)) ?? [];
      const { before: until } = next;
      // "March to May 2026"
      const from = one.month === undefined ? one.from : next.from && iso(Number(next.from.slice(0, 4)), one.month);
      const months = one.month === undefined ? 0 : (next.month ?? 0) + (next.months ?? 1) - one.month;
      i++;
      const place = { start: one.start - lead.length, end: next.end + tail.length };
      if (from && until && from < until) pieces.push({ is: "time", time: { from, before: until }, ...place });
      else if (one.month !== undefined && next.month !== undefined && months > 0)
        pieces.push({ is: "time", time: { month: one.month, months }, ...place });
      continue;
    }
    const after = text.slice(one.end);
    const { from, before: end, month, months } = one;
    const lead = /\b(since|after|before|from)\s+$/iu.exec(before);
    const tail = /^\s*(?:(之?前|以前)|(以来|起)|(?:and later|onwards?|on)\b)/iu.exec(after);
    const word = lead?.[1]?.toLowerCase();
    const start = one.start - (lead?.[0].length ?? 0);
    const place = { start, end: one.end + (tail?.[0].length ?? 0) };
    // "from May" alone is the month it is from.
    if (month !== undefined) {
      if (!tail && (!word || word === "from"))
        pieces.push({ is: "time", time: { month, months: months ?? 1 }, ...place });
    } else if (from && end) {
      const isBefore = word === "before" || tail?.[1];
      const isAfter = word === "after";
      const isSince = word === "since" || tail;
      const time = isBefore ? { before: from } : isAfter ? { from: end } : isSince ? { from } : { from, before: end };
      if (!(lead && tail && word !== "from")) pieces.push({ is: "time", time, ...place });
    }
  }
  return pieces;
}

/** The months, quarters and years of a text, but not its days. */
export const periodsIn = (text: string): Time[] =>
  timesIn(text).flatMap((one) =>
    one.is === "time" && one.time.from?.endsWith("-01") && one.time.before?.endsWith("-01") ? [one.time] : [],
  );

const isRange = (text: string, one: { start: number; end: number }, next: { start: number }) => {
  const between = text.slice(one.end, next.start);
  return (
    /^\s*(?:-|–|—|~|to|至|到)\s*$/iu.test(between) ||
    (/^\s*and\s*$/iu.test(between) && /\bbetween\s+$/iu.test(text.slice(0, one.start)))
  );
};

const PARTS_OF_YEAR = [
  /\b(?:the )?(?<part>first|second|[1-4](?:st|nd|rd|th)|third|fourth) (?:(?<half>half)|quarter)\b(?: of (?<year>\d{4})\b|(?! of \d))/giu,
  /\b(?:Q|(?<half>H))(?<part>[1-4])(?:[ /-]?(?<year>\d{4}))?\b/gu,
  /(?:(?<year>\d{4})年?的?)?(?:第?(?<part>[1-4一二三四上下])(?:季度|(?<half>半年)))/gu,
];
const ORDER = [/^(?:first|1|一|上)/i, /^(?:second|2|二|下)/i, /^(?:third|3|三)/i, /^(?:fourth|4|四)/i];

const iso = (year: number, month: number, day = 1) =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, "2026-01-31".length);

/** The time of months of a year, from 0. */
export const timeIn = (year: number, month: number, months: number): Time => ({
  from: iso(year, month),
  before: iso(year, month + months),
});

/** The time of a date's key: "date:2026-05"; a month without a year stays one. */
function timeOf(key: string): Time | undefined {
  const [, y, m, d] = /^date:(\d{4}|\*)(?:-(\d\d))?(?:-(\d\d))?$/.exec(key) ?? [];
  if (y === undefined) return undefined;
  if (y === "*") return m && !d ? { month: Number(m) - 1, months: 1 } : undefined;
  const [year, month, day] = [Number(y), Number(m ?? 1) - 1, Number(d ?? 1)];
  const before = d ? iso(year, month, day + 1) : m ? iso(year, month + 1) : iso(year + 1, 0);
  return { from: iso(year, month, day), before };
}
