import { quantities } from "./numbers.js";
import { simplified } from "./simplified.js";

/** The time that a question names. */
export interface AskedTime {
  /** Its first and its last day, in ISO form. */
  from: string;
  until: string;
  /** As the question writes it. */
  words: string;
  /** True if the question asks what was so at this time; false if the time may belong to something else that it names. */
  isCertain: boolean;
}

/**
 * Reads the time that a question asks about: "in 2023", "as of March 2024", "last year", 2023年时, 截至2024年3月, 去年. Undefined
 * if it names none, or the present. In "employees who joined in 2023" and 2023年入职的员工 it is not certain.
 * @param today an ISO date.
 */
export function askedTime(question: string, today: string): AskedTime | undefined {
  const text = simplified(question);
  const times = [...datesIn(text), ...yearsAgo(text, Number(today.slice(0, 4)))];
  const [time, ...others] = times;
  if (!time) return undefined;
  const until = times.map((one) => one.until).reduce((last, next) => (last > next ? last : next));
  const from = times.map((one) => one.from).reduce((first, next) => (first < next ? first : next));
  const words = question.slice(time.start, time.end);
  if (others.length > 0) return { from, until, words, isCertain: false };
  const [before, after] = [text.slice(0, time.start), text.slice(time.end)];
  const isCertain = /\p{Script=Han}/u.test(before + after) ? asksInChinese(before, after) : asksInEnglish(before, after);
  if (isCertain && (/\b(?:before|prior to)\s*$/i.test(before) || /^\s*(?:之前|以前|前)/.test(after))) {
    const day = dayBefore(from);
    return { from: day, until: day, words: `< ${words}`, isCertain };
  }
  const point = /\b(?:end|close) of\s*$/i.test(before) || /^(?:底|末)/.test(after) ? until : undefined;
  const start = /\b(?:start|beginning) of\s*$/i.test(before) || /^初/.test(after) ? from : undefined;
  return { from: point ?? from, until: start ?? until, words, isCertain };
}

interface Time {
  start: number;
  end: number;
  from: string;
  until: string;
}

/** Dates with a year. "in August" is a month of any year. */
const datesIn = (text: string): Time[] =>
  quantities(text).flatMap(({ kind, key, start, end }) => {
    const [, year, month = "", day = ""] = /^date:(\d{4})(?:-(\d\d))?(?:-(\d\d))?$/.exec(key) ?? [];
    if (kind !== "date" || year === undefined) return [];
    const last = new Date(Date.UTC(Number(year), Number(month || 12), 0)).getUTCDate();
    const from = `${year}-${month || "01"}-${day || "01"}`;
    return [{ start, end, from, until: `${year}-${month || "12"}-${day || String(last).padStart(2, "0")}` }];
  });

const yearsAgo = (text: string, year: number): Time[] =>
  [...text.matchAll(/\b(?<last>last|next) year\b|去年|前年|明年/gi)].map((match) => {
    const named = year + (YEARS[match[0].toLowerCase()] ?? 0);
    const [start, end] = [match.index, match.index + match[0].length];
    return { start, end, from: `${named}-01-01`, until: `${named}-12-31` };
  });

const YEARS: Readonly<Record<string, number>> = { "last year": -1, "next year": 1, 去年: -1, 前年: -2, 明年: 1 };

/**
 * "As of", a document's own year ("the 2023 policy"), or the time at the question's start or end with a verb in the past or
 * the future before it.
 */
function asksInEnglish(before: string, after: string): boolean {
  if (/\bas (?:of|at)\s*(?:the (?:end|close|start|beginning) of\s*)?$/i.test(before)) return true;
  if (/\bthe\s*$/i.test(before) && /^['’]?s?\s+\p{L}/u.test(after)) return true;
  const isAtStart = /^\s*(?:back\s+)?(?:in|during|on|at|before|prior to|for)?\s*(?:the (?:end|close|start|beginning) of)?\s*$/i.test(before);
  const isAtEnd = /^\s*[?.!]*\s*$/.test(after) && !/\b(?:since|after|until|from|of|(?<!prior )to|by)\s*$/i.test(before.replace(/\b(?:end|close|start|beginning) of\s*$/i, ""));
  const rest = before + after;
  return (isAtStart || isAtEnd) && /\b(?:was|were|did|had|will)\b/i.test(rest);
}

/** 截至, the time at the question's start, or 在 with the time before the verb. A 的 after the time may end a clause of its own. */
function asksInChinese(before: string, after: string): boolean {
  if (/^\s*(?:以来|以后|之后|后|起|至今|到|至)/.test(after) || /[从自]\s*$/.test(before)) return false;
  if (/(?:截至|截止[到至]?|截止)\s*$/.test(before) || /^\s*年?版/.test(after)) return true;
  if (/在\s*$/.test(before) && /^\s*(?:[时底末初]|当时)?(?:是|为|有|由|谁|多少|几|怎|如何|可)/.test(after)) return true;
  if (!/^\s*在?\s*$/.test(before)) return false;
  return /^\s*(?:[的时底末初，,]|当时|期间|之前|以前|前)/.test(after) || !after.includes("的");
}

function dayBefore(date: string): string {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - 1);
  return day.toISOString().slice(0, date.length);
}
