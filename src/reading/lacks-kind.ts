import { negations } from "../facts/negation.js";
import { quantities } from "../facts/numbers.js";
import { unitIn } from "../facts/stated.js";
import { currencyOf, MONEY_AFTER, UNIT, unitOf } from "../facts/units.js";
import { simplified } from "../text/simplified.js";

/**
 * True if a question asks for a date, a weekday or an amount in a unit ("how many days", "in pounds", 多少公斤) and a text
 * has none of that kind, so that it cannot answer, whatever it is about.
 */
export function lacksKind(question: string, text: string): boolean {
  const [asked, there] = [simplified(question), simplified(text)];
  return lacksDate(asked, there) || (ASKS_WEEKDAY.test(asked) && !isDay(there)) || lacksUnit(asked, there);
}

/** "Three days a week" and "within ten days" are no dates; 每月25号 is one. */
const lacksDate = (question: string, text: string) =>
  ASKS_DATE.test(question) &&
  !isDay(text) &&
  !DAY_OF_MONTH.test(text) &&
  !quantities(text).some(({ kind }) => DATES.has(kind));

/** Not "up to date", nor "they date from". */
const ASKS_DATE =
  /\b(?:what|which|the)\b[^?]{0,40}(?<!\b(?:to|of)[ -])\bdates?\b(?! (?:back|from)\b)|\b(?:what|which) days?\b|\btakes? effect\b|日期|哪[一几]?天|几[月号]|(?:何时|时候).*生效/i;
const DAY_OF_MONTH = /[\d一二三四五六七八九十]\s*[日号月]|[月季年][底初末]/;
const DATES: ReadonlySet<string> = new Set(["date", "period", "ordinal"]);

/** 每周几次 asks how often. */
const ASKS_WEEKDAY = /\b(?:what|which) (?:weekdays?|days? of the week)\b|(?:星期|礼拜|周)几(?![个次节班天小])/i;

/** True if a text names a day of the week, or all of them: a weekend has a Sunday. */
export const isDay = (text: string) =>
  /\b(?:mon|tues|wednes|thurs|fri|satur|sun|week)(?:day|end)s?\b|\b(?:daily|(?:every|each|any) day)\b|(?:星期|礼拜|周)[一二三四五六日天末]|每[日天]|工作日/i.test(
    text,
  );

/**
 * All lengths of time are one unit, and two dates are one too. A text that names the unit, as a column may, does not lack
 * it, and neither does one without amounts that denies something ("No leave can be carried over").
 */
function lacksUnit(question: string, text: string): boolean {
  const asked = [...question.matchAll(ASKS_UNIT)].flatMap(([, name = ""]) => name);
  if (asked.length === 0) return false;
  const found = quantities(text);
  if (found.length === 0 && negations(text) > 0) return false;
  const units = found.map(unitIn);
  const isSpan = found.filter(({ kind }) => kind === "date" || kind === "time").length > 1;
  return asked.some((name) => {
    const wanted = unitsNamed(name);
    const isThere = text.toLowerCase().includes(name.toLowerCase().replace(/^个|s$/g, ""));
    return !isThere && !wanted.some((unit) => units.includes(unit) || (isSpan && unit === TIME));
  });
}

/** 元 may be of any currency; 这几天 and 几年前 ask nothing. */
const ASKS_UNIT = new RegExp(
  `(?:\\bhow many\\s+(?:more\\s+)?|\\bin\\s+(?=[a-z]+\\s*(?:[^\\s\\w]|$))|^\\s*(?=[a-z]+ of\\b)|多少\\s*|(?<![这那前近好过第头哪十])几(?!日))(?!元|块)(${UNIT}|${MONEY_AFTER})(?!前)`,
  "giu",
);

/** A pound is money or a weight. */
const unitsNamed = (name: string): string[] => {
  const [unit, code] = [/^pounds?$/i.test(name) ? unitOf("lb") : unitOf(name), currencyOf(name)];
  return [...(unit ? [unitIn({ key: `measure:${unit.base}:` })] : []), ...(code ? [`money:${code}:`] : [])];
};

const TIME = unitIn({ key: "measure:s:" });
