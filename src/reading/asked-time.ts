import { CHINESE_NUMERAL, DIGITS } from "../facts/number-words.js";
import { quantities } from "../facts/numbers.js";
import { languageOf } from "../text/language.js";
import { simplified } from "../text/simplified.js";
import { chineseWords } from "../text/tokens.js";
import type { Language } from "../types/language.js";

/** A period of time: its first and its last day, as ISO dates. */
export interface Period {
  from: string;
  until: string;
}

/** The time that a question names. */
export interface AskedTime extends Period {
  /** As the question words it; empty if it names more than one time. */
  words: string;
  /** True if the question asks how things were at this time; false if the time may describe something else in it. */
  isCertain: boolean;
}

/**
 * Reads the time that a question asks about: "in 2023", "as of March 2024", "last year", 2023年时, 截至2024年3月, 去年.
 * Undefined if the question names no time or only the present. The time is not certain in "employees who joined in
 * 2023", in 2023年入职的员工, in languages other than English and Chinese, or if the question names several times.
 * @param today an ISO date.
 */
export function askedTime(question: string, today: string): AskedTime | undefined {
  const text = simplified(question);
  const [time, ...others] = [...datesIn(text), ...yearsIn(text, Number(today.slice(0, 4)))];
  if (!time) return undefined;
  if (others.length > 0) return { ...spanOf([time, ...others]), words: "", isCertain: false };
  const [before, after] = [text.slice(0, time.start), text.slice(time.end)];
  const asks = { en: asksInEnglish, zh: asksInChinese, other: () => false };
  const isCertain = asks[languageOf(question)](before, after);
  const [lead = ""] = LEAD.exec(before) ?? [];
  const tail = tailOf(after);
  const words = question.slice(time.start - lead.length, time.end + tail.length).trim();
  return { ...pointIn(time, lead, tail), words, isCertain };
}

/** Returns the days of a year, of a month or of a day; undefined if there is no such date. */
export function periodOf(year: string, month = "", day = ""): Period | undefined {
  const last = new Date(Date.UTC(Number(year), Number(month || 12), 0)).getUTCDate();
  if (Number(month || 1) > 12 || Number(month || 1) < 1 || Number(day || 1) > last || Number(day || 1) < 1)
    return undefined;
  const iso = (m: string, d: string) => [year, m, d].map((part) => part.padStart(2, "0")).join("-");
  return { from: iso(month || "1", day || "1"), until: iso(month || "12", day || String(last)) };
}

/** Returns the day before an ISO date. */
export function dayBefore(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, date.length);
}

type Time = Period & { start: number; end: number };

/** Finds dates that have a year. "in August" has none. */
const datesIn = (text: string): Time[] =>
  quantities(text).flatMap(({ kind, key, start, end }) => {
    const [, year, month, day] = /^date:(\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(key) ?? [];
    const period = kind === "date" && year !== undefined ? periodOf(year, month, day) : undefined;
    return period ? [{ start, end, ...period }] : [];
  });

/** Finds years relative to this one, such as "last year". */
const yearsIn = (text: string, year: number): Time[] =>
  [...text.matchAll(/\b(?:last|next) year\b|去年|前年|明年/gi)].flatMap((match) => {
    const period = periodOf(String(year + (YEARS[match[0].toLowerCase()] ?? 0)));
    return period ? [{ start: match.index, end: match.index + match[0].length, ...period }] : [];
  });

const YEARS: Readonly<Record<string, number>> = { "last year": -1, "next year": 1, 去年: -1, 前年: -2, 明年: 1 };

const spanOf = (times: readonly Period[]): Period => ({
  from: times.map(({ from }) => from).toSorted()[0] ?? "",
  until:
    times
      .map(({ until }) => until)
      .toSorted()
      .at(-1) ?? "",
});

/** The words before a time that belong to it. */
const LEAD = /\b(?:(?:as (?:of|at)|in|during|on|at|before|prior to)\s+)?(?:the (?:end|close|start|beginning) of\s+)?$/i;

/**
 * Returns the word after a time that belongs to it. A word of which 前, 底, 末 or 初 is only a part (前端, 底薪, 初中) does not,
 * nor does 前 before an amount (前三季度).
 */
function tailOf(after: string): string {
  const [tail = ""] = /^\s*(?:之前|以前|前|[底末初])/.exec(after) ?? [];
  const isWord = tail !== "" && chineseWords(after.trimStart())[0] === tail.trim();
  return isWord && !BEFORE_AMOUNT.test(after) ? tail : "";
}

const BEFORE_AMOUNT = new RegExp(`^\\s*前\\s*(?:[几数半]|${CHINESE_NUMERAL}|${DIGITS})`);

/** Narrows a time to its end (年底), its beginning (年初) or the day before it (之前), if the question says so. */
function pointIn({ from, until }: Period, lead: string, tail: string): Period {
  if (/before|prior/i.test(lead) || tail.includes("前")) return { from: dayBefore(from), until: dayBefore(from) };
  if (/end|close/i.test(lead) || /[底末]/.test(tail)) return { from: until, until };
  if (/start|beginning/i.test(lead) || tail.includes("初")) return { from, until: from };
  return { from, until };
}

/**
 * True after "as of", for the year of a document ("the 2023 policy"), for "In 2023, …", and for a time at the beginning
 * or end of a question whose verb is in the past or the future.
 */
function asksInEnglish(before: string, after: string): boolean {
  const lead = before.replace(/\bthe (?:end|close|start|beginning) of\s*$/i, "");
  if (/\bas (?:of|at)\s*$/i.test(lead) || (/\bthe\s*$/i.test(before) && /^\s+\p{L}/u.test(after))) return true;
  const isFirst = /^\s*(?:back\s+)?(?:in|during|on|at|before|prior to)?\s*$/i.test(lead);
  if (isFirst && /^\s*,/.test(after)) return true;
  const isLast = /^\s*[?.!]*\s*$/.test(after) && !/\b(?:since|after|until|from|of|(?<!prior )to|by)\s*$/i.test(lead);
  return (isFirst || isLast) && /\b(?:was|were|did|had|could|will)\b/i.test(before + after);
}

/**
 * True after 截至 or 在, for the version of a year (年版), and for a time at the beginning of the question. A time without a
 * particle after it is not certain if 的 follows later, since it may belong to a relative clause.
 */
function asksInChinese(before: string, after: string): boolean {
  if (/^\s*(?:以来|以后|之后|后|起|至今|到|至)/.test(after) || /[从自]\s*$/.test(before)) return false;
  if (/截[至止][到至]?\s*$/.test(before) || /^\s*年?版/.test(after)) return true;
  if (/在\s*$/.test(before) && /^\s*[时底末初]?(?:是|为|有|由|谁|多少|几|怎|如何|可)/.test(after)) return true;
  if (!/^\s*在?\s*$/.test(before)) return false;
  return tailOf(after) !== "" || /^\s*(?:[的时，,]|当时|期间)/.test(after) || !after.includes("的");
}

/**
 * Returns the periods of a question; a document must be valid in one of them. They are the time that the question asks
 * about, or the present if it names none, or both if it is uncertain whether the question asks about the time it names.
 * `label` is the time asked about, for use after a title; empty if uncertain.
 */
export function timeOf(asked: { time?: AskedTime | undefined; language: Language } | undefined) {
  const today = new Date().toISOString().slice(0, "2026-01-31".length);
  const present = { from: today, until: today };
  const time = asked?.time;
  const periods = !time ? [present] : time.isCertain ? [time] : [time, present];
  const label = !time?.isCertain ? "" : asked?.language === "zh" ? `（${time.words}）` : ` (${time.words})`;
  return { today, periods, label };
}
