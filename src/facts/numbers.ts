import { languageOf } from "../text/language.js";
import { memoize } from "../text/memoize.js";
import { simplified } from "../text/simplified.js";
import { RUN } from "../text/tokens.js";
import type { Span } from "../types/evidence.js";
import { CHINESE_NUMERAL, DIGITS, ENGLISH_NUMERAL, numberValue, rounded, YEAR_IN_WORDS } from "./number-words.js";
import { currencyOf, MONEY_AFTER, MONEY_BEFORE, UNIT, unitOf } from "./units.js";

export interface Quantity extends Span {
  kind: "number" | "percent" | "money" | "measure" | "date" | "time" | "ordinal" | "period";
  /** Equal for equal amounts, whatever their language or unit: "money:CNY:15000", "date:2024-03-05", "date:*-03-05". */
  key: string;
  /** The key with the unit, or the month and year, of the other end of its range: "percent:5" for the 5 in "5–10 %". */
  also?: string;
  /** The number alone, as written; absent for dates, times, periods and fractions. */
  value?: number;
  text: string;
}

/**
 * Finds every amount, date and time of a text, in order: in digits and in words for English and Chinese, only in digits
 * for other languages. In languages with decimal commas, commas are read as decimal marks.
 */
export const quantities: (text: string) => readonly Quantity[] = memoize(readQuantities);

function readQuantities(text: string): Quantity[] {
  // Every replacement keeps the length, so that offsets stay. A full-width comma separates clauses and is left as it is.
  const folded = simplified(text).replace(/[\uff01-\uff0b\uff0d-\uff5e\uffe0\uffe1\uffe5\uffe6]/g, (wide) =>
    wide.normalize("NFKC"),
  );
  let rest = folded
    // 哪一年 asks for a year and is not a length of time.
    .replaceAll("哪一", "\u0000\u0000")
    // Reads 两个半小时 as 两半个小时.
    .replace(/个半(?=小时|钟头|星期|月)/g, "半个");
  const isOther = languageOf(text) === "other";
  if (isOther && !HAS_RUN.test(text)) rest = withPoints(rest);
  const found: Quantity[] = [];
  for (const [kind, read, ...patterns] of RULES) {
    for (const pattern of patterns) {
      rest = rest.replace(pattern, (...match) => {
        const [whole, start] = [match[0] as string, match.at(-3) as number];
        const reading = read(match.at(-1));
        if (!reading) return whole;
        const end = start + whole.trimEnd().length;
        found.push({ kind, ...reading, key: `${kind}:${reading.key}`, text: text.slice(start, end), start, end });
        return "\u0000".repeat(whole.length);
      });
    }
  }
  const isRead = ({ text: written }: Quantity) => !isOther || /\p{N}/u.test(written);
  const all = found.filter(isRead).toSorted((a, b) => a.start - b.start);
  return inRanges(signed(all, folded), folded);
}

/** Reads the sign before an amount: "-18 °C", 零下18℃. The hyphen of a range is not a sign: "3人-5人". */
function signed(all: readonly Quantity[], text: string): Quantity[] {
  return all.map((one, i) => {
    const last = all[i - 1];
    const before = text.slice(last?.end ?? 0, one.start + 1);
    const sign = SIGN.exec(before);
    if (one.value === undefined || !sign) return one;
    const unit = before.slice(0, sign.index);
    const isRange = last && /^[\p{L}°]*$/u.test(unit) && text.startsWith(unit, one.end);
    // 歼-20 is a name.
    if (isRange || (isBare(one) && sign[0] === "-" && /\p{L}$/u.test(unit))) return one;
    const start = one.start - sign[0].length;
    const key = one.key.replace(/[^:]*$/, "-$&");
    return { ...one, key, value: -one.value, start, text: sign[0] + one.text };
  });
}

/** A hyphen is not a sign after a Latin letter or a digit, or before any letter: 波旁-两西西里. */
const SIGN = new RegExp(
  `(?:(?<!(?![${RUN}])[\\p{L}\\p{N}]|[\\p{Pe}\\p{Pf}%.°/+-])[-−](?!\\p{L})|负|零下|(?<!^ )\\bminus )(?=.$)`,
  "isu",
);

/** Gives both ends of a range the same unit, or month and year: "5–10 %", "$5-10", "12–14 May", 3月5日至10日. */
function inRanges(all: readonly Quantity[], text: string): Quantity[] {
  return all.map((one, i) => {
    const [last, next] = [all[i - 1], all[i + 1]];
    const joint = last && JOINT.exec(text.slice(last.end, one.start));
    let also: string | undefined;
    if (next && JOINT.test(text.slice(one.end, next.start))) also = dayLike(one, next) ?? amountLike(one, next);
    else if (last && joint) {
      // The unit precedes the range in "$5-10", but not in "5 kg to 20 people".
      const isInFront = joint[1] !== undefined && /\d$/.test(last.text);
      also = dayLike(one, last) ?? (isInFront ? amountLike(one, last) : undefined);
    }
    return also === undefined ? one : { ...one, also };
  });
}

/** What joins the ends of a range, with the space before a dash as its first group; "225.86 -5" is not a range. */
const JOINT = /^(?:(\s*)[-–—~]\1|\s*(?:to|起?[至到])\s*)$/i;

/**
 * Returns the key of a bare number as a day of the same month, if nothing is between it and the day of the other date.
 */
function dayLike({ kind, value, start, text }: Quantity, other: Quantity): string | undefined {
  const [, month, day] = /^(date:.+-\d\d)-(\d\d)$/.exec(other.key) ?? [];
  if (!month || !value || !(kind === "number" || kind === "ordinal" || text.endsWith("日"))) return undefined;
  const isFirst = start < other.start;
  const near = isFirst ? /^\d+/.exec(other.text) : /\d+(?=\D*$)|[日号]$/.exec(other.text);
  const isRising = isFirst ? value < Number(day) : value > Number(day) && value <= 31;
  if (!isRising || !near || !(/\D/.test(near[0]) || Number(near[0]) === Number(day))) return undefined;
  return `${month}-${twoDigits(value)}`;
}

/** Returns the key of a bare number in the unit of the other amount. */
function amountLike(one: Quantity, other: Quantity): string | undefined {
  const isYear = one.kind === "date" && /^\d{4}$/.test(one.text);
  const bare = isYear ? Number(one.text) : one.value;
  if (!(isYear || isBare(one)) || bare === undefined || !UNITS.has(other.kind) || !other.value) return undefined;
  const scale = SCALE.test(one.text) ? 1 : (numberValue(SCALE.exec(other.text)?.[0]) ?? 1);
  // "3-5万" begins at 30,000, but "8000-1万" does not begin at 80,000,000; "2020 – 5%" is not a range.
  if ((isYear || scale > 1) && bare * scale > other.value) return undefined;
  const [, unit, n] = /^(.*:)([^:]*)$/.exec(other.key) ?? [];
  return `${unit}${rounded((bare * scale * Number(n)) / other.value)}`;
}

const SCALE = /[百千万亿]+|(?:dozen|hundred|thousand|million|billion|trillion|(?<=\d ?)(?:bn|k))\b/i;

/** The kinds that have a unit. */
export const UNITS: ReadonlySet<string> = new Set(["measure", "money", "percent"]);
export const isBare = ({ kind }: Quantity) => kind === "number";

/** "2000" for "2,000"; undefined for anything but digits. */
export const digitsOf = (text: string) => (/^[\d,]+$/.test(text) ? text.replaceAll(",", "") : undefined);

/** Swaps commas and points inside numbers: "1.234,5" becomes "1,234.5". Dates and versions such as "3.10.2024" stay. */
const withPoints = (text: string) =>
  text.replace(/(?<![\d.,])\d+(?:[.,]\d+)+(?![\d.,]*\d)/g, (number) =>
    /^(?:\d{1,3}(?:\.\d{3})*,\d+|\d{1,3}(?:\.\d{3})+|\d+,\d+)$/.test(number)
      ? number.replace(/[.,]/g, (mark) => (mark === "," ? "." : ","))
      : number,
  );

/** Scripts without spaces mark decimals with a point. */
const HAS_RUN = new RegExp(`[${RUN}]`, "u");

type Groups = Record<string, string | undefined>;
type Reading = { key: string; value?: number } | undefined;
/** A kind, its patterns, and a function that reads the groups of a match. */
type Rule = readonly [kind: Quantity["kind"], read: (groups: Groups) => Reading, ...patterns: RegExp[]];

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const CHINESE_OR_DIGITS = `(?:${CHINESE_NUMERAL}|${DIGITS})`;
const NUMERAL = `(?<n>${CHINESE_NUMERAL}|${ENGLISH_NUMERAL})`;
const CHINESE_DAY = "(?:\\d{1,2}|[一二三四五六七八九十]{1,3})";
const CHINESE_YEAR = "(?<y>\\d{4}|[一二三四五六七八九零〇]{4})\\s*年";

const HOUR = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve";
const PART_OF_DAY = "(?:\\s+in\\s+the\\s+(?:(?<pm>afternoon|evening)|(?<am>morning)))";

/** 三点五万 and 三点五公里 are no times of day. */
const CHINESE_DECIMAL = `[一二两三四五六七八九十]{1,3}点[零一二三四五六七八九]{1,12}(?:[百千万亿]|倍|个百分点|${UNIT}|${MONEY_AFTER})`;

const twoDigits = (n: number | undefined) => (n === undefined ? "" : String(n).padStart(2, "0"));

function date({ y, month, m, d }: Groups): Reading {
  const monthNumber = month ? MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1 : numberValue(m);
  const [year = "*", day] = [numberValue(y), numberValue(d)];
  if ((monthNumber ?? 1) > 12 || (monthNumber ?? 1) < 1 || (day ?? 1) > 31 || (day ?? 1) < 1) return undefined;
  return { key: [year, twoDigits(monthNumber), twoDigits(day)].filter((part) => part !== "").join("-") };
}

function clock({ h, min, half, pm, am }: Groups): Reading {
  const hour = numberValue(h);
  const minute = half ? 30 : (numberValue(min) ?? 0);
  if (hour === undefined || hour > 24 || minute > 59) return undefined;
  const afternoon = pm && hour < 12 ? 12 : am && hour === 12 ? -12 : 0;
  return { key: `${twoDigits(hour + afternoon)}:${twoDigits(minute)}` };
}

/** Reads "half past five in the afternoon", "quarter to six", "five o'clock". */
function spokenTime({ h, half, quarter, way, pm, am, day_pm, day_am, noon }: Groups): Reading {
  if (noon) return { key: "12:00" };
  const hour = numberValue(h);
  if (hour === undefined || hour > 24) return undefined;
  const minutes = hour * 60 + (half ? 30 : quarter ? (way === "to" ? -15 : 15) : 0);
  const min = String((minutes + 60) % 60);
  return clock({ h: String(Math.floor(minutes / 60)), min, pm: pm ?? day_pm, am: am ?? day_am });
}

function amount(unit: string, value: number | undefined, factor = 1): Reading {
  return value === undefined ? undefined : { key: `${unit}${rounded(value * factor)}`, value };
}

const bareAmount = ({ n }: Groups) => amount("", numberValue(n));

const fraction = (part: number | undefined, whole: number | undefined): Reading =>
  part === undefined || !whole ? undefined : { key: String(rounded((100 * part) / whole)) };

const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(" ");
const PARTS = "half third quarter fifth sixth seventh eighth ninth tenth".split(" ");
const partSize = (word: string) => (word === "quarter" ? 4 : word === "half" ? 2 : ORDINALS.indexOf(word) + 1);

/** Most specific first: text that one rule matches is hidden from the next. */
const RULES: readonly Rule[] = [
  [
    "date",
    date,
    /(?<![\d.])(?<y>\d{4})([-/.])(?<m>\d{1,2})\2(?<d>\d{1,2})(?!\d)/g,
    /(?<![\d.])(?<d>\d{1,2})\.(?<m>\d{1,2})\.(?<y>\d{4})(?!\d)/g,
  ],
  [
    "date",
    // The later year of "2018–19".
    ({ c, a, b }) => (Number(b) > Number(a) ? { key: `${c}${b}` } : undefined),
    /(?<=(?<![\d.,-])(?<c>1\d|20)(?<a>\d{2})[-–])(?<b>\d{2})(?!\d|[-–.,]\d)/g,
  ],
  ["period", decade, /(?<c>\d{1,2})\s*世纪\s*(?<n>[\d一二三四五六七八九]{1,2})\s*[十0]?\s*年代/g],
  ["period", ({ n }) => ({ key: `${n}s` }), /\b(?<n>\d{3}0)(?:s|'s|\s?年代)/g],
  [
    "period",
    ({ n, z }) => ({ key: `c${numberValue(n ?? z)}` }),
    /\b(?<n>\d{1,2})(?:st|nd|rd|th)[\s-]+century|(?<z>\d{1,2}|[一二三四五六七八九十]{1,3})\s*世纪/gi,
  ],
  [
    "date",
    date,
    new RegExp(
      `(?:${CHINESE_YEAR}\\s*)?(?<m>${CHINESE_DAY})\\s*月\\s*(?<d>${CHINESE_DAY})(?:\\s*[日号]|(?=\\s*[-–—~至到]\\s*${CHINESE_DAY}\\s*[日号]))`,
      "g",
    ),
    new RegExp(`${CHINESE_YEAR}\\s*(?:(?<m>${CHINESE_DAY})\\s*月(?:份)?)?`, "g"),
    /(?<!个)(?<m>\d{1,2}|[一二三四五六七八九十]{1,2})月(?:份)?/g,
    new RegExp(`\\b${MONTH}\\s+(?<d>\\d{1,2})(?:st|nd|rd|th)?(?!\\d|:)(?:,?\\s+(?<y>\\d{4})\\b)?`, "gi"),
    new RegExp(`\\b(?<d>\\d{1,2})(?:st|nd|rd|th)?(?:\\s+of)?\\s+${MONTH}\\b(?:,?\\s+(?<y>\\d{4})\\b)?`, "gi"),
    new RegExp(`\\b${MONTH},?\\s+(?:of\\s+)?(?<y>\\d{4})\\b`, "gi"),
    /\b(?<month>January|February|April|June|July|August|September|October|November|December|(?<=[Ii]n |[Bb]y |[Ss]ince |[Uu]ntil )(?:March|May))\b/g,
  ],
  [
    "time",
    clock,
    /\b(?<h>\d{1,2}):(?<min>\d{2})(?::\d{2})?(?:\s*(?:(?<pm>p\.?m\b)|(?<am>a\.?m\b)))?/gi,
    /\b(?<h>\d{1,2})\s*(?:(?<pm>p\.?m\b)|(?<am>a\.?m\b))/gi,
    new RegExp(
      `(?:(?<pm>下午|晚上|傍晚)|(?<am>上午|早上|凌晨|清晨)|(?!${CHINESE_DECIMAL})(?<!分之[零〇一二两三四五六七八九十百千]{0,8}))(?<h>\\d{1,2}|[一二两三四五六七八九十]{1,3})(?:点钟|点|时)(?!\\d(?!\\d?分)|[一二三四五六七八九]{2})(?:(?<half>半)|(?<min>\\d{1,2}|[零一二三四五六七八九十]{1,3})分)?`,
      "g",
    ),
  ],
  [
    "time",
    spokenTime,
    new RegExp(
      `\\b(?:half\\s+(?<half>past)|(?<quarter>quarter)\\s+(?<way>past|to))\\s+(?<h>\\d{1,2}|${HOUR})${PART_OF_DAY}?\\b`,
      "gi",
    ),
    new RegExp(
      `\\b(?<h>\\d{1,2}|${HOUR})(?:\\s+o['’]clock${PART_OF_DAY}?|${PART_OF_DAY.replaceAll("?<", "?<day_")})\\b`,
      "gi",
    ),
    /\b(?<noon>noon|midday)\b/gi,
  ],
  [
    "percent",
    bareAmount,
    new RegExp(`${NUMERAL}\\s*(?:%|per\\s?cent\\b|percent(?:age\\s+points?)?\\b|个百分点)`, "gi"),
    new RegExp(`百分之(?<n>${CHINESE_OR_DIGITS})`, "g"),
  ],
  [
    "percent",
    ({ whole, n }) => fraction(numberValue(n), numberValue(whole)),
    new RegExp(`(?<whole>${CHINESE_OR_DIGITS})分之(?<n>${CHINESE_OR_DIGITS})`, "g"),
  ],
  [
    "percent",
    // 八成 is 80 %, 三成半 35 %. In 三成员, 一成不变 and 三五成群 the character belongs to another word.
    ({ n, more = "" }) => fraction(10 * Number(numberValue(n)) + (more === "半" ? 5 : (numberValue(more) ?? 0)), 100),
    /(?<![\d.初零〇一二两三四五六七八九十百千万亿])(?<n>\d(?:\.\d)?|[一二三四五六七八九])成(?<more>[半一二三四五六七八九](?![点零一二三四五六七八九十百千万亿]))?(?!不变|[员立功为绩长群宫才肌本])/g,
  ],
  [
    "percent",
    ({ n, part = "" }) => fraction(n?.toLowerCase() === "a" ? 1 : numberValue(n), partSize(part.toLowerCase())),
    new RegExp(`\\b(?<n>one|two|three|four|five|seven|a)[\\s-]+(?<part>${PARTS.join("|")})s?\\b(?=\\s+of\\b)`, "gi"),
  ],
  [
    "money",
    // An "m" after a sum of money means million, not metre.
    ({ unit = "", n, million }) => amount(`${currencyOf(unit)}:`, numberValue(million ? `${n} million` : n)),
    new RegExp(`(?<unit>${MONEY_BEFORE})\\s*${NUMERAL}(?<million>\\s?mn?(?![\\p{L}\\p{N}]))?`, "giu"),
    new RegExp(`${NUMERAL}\\s*[多余]?(?<unit>${MONEY_AFTER})`, "gi"),
  ],
  [
    "money",
    // A hundredth of a currency that the text need not name.
    ({ n, dime }) => amount("cent:", numberValue(n), dime ? 0.1 : 0.01),
    new RegExp(`${NUMERAL}[\\s-]?(?:cents?\\b|pence\\b|¢|(?<=\\d)(?:p|ct)(?![\\p{L}\\p{N}])|分钱)`, "giu"),
    /(?<n>\d{1,9})(?<dime>角|毛)(?=钱|[^\p{L}]|$)/gu,
  ],
  ["ordinal", bareAmount, new RegExp(`第(?<n>${CHINESE_OR_DIGITS})`, "g")],
  [
    "ordinal",
    ({ n, word = "" }) =>
      n ? { key: n, value: Number(n) } : { key: String(ORDINALS.indexOf(word.toLowerCase()) + 1) },
    new RegExp(`\\b(?:(?<n>\\d{1,4})(?:st|nd|rd|th)|(?<word>${ORDINALS.join("|")}))\\b`, "gi"),
  ],
  [
    "measure",
    measure,
    // 一年半, "a year and a half"; half price (半价) is another word.
    new RegExp(
      `${NUMERAL}[\\s-]*[多余]?(?<half>[半½]\\s?)?(?<unit>${UNIT})(?<more>半(?![价数])|\\s+and\\s+a\\s+half\\b)?`,
      "gi",
    ),
    // 上半年 is a time of a year, 半年报 a paper.
    new RegExp(`(?<half>(?<![上下前后大多一])半(?!年[报度])|½\\s?|\\bhalf(?:\\s+an?)?[\\s-]+)(?<unit>${UNIT})`, "gi"),
  ],
  [
    "date",
    ({ century, n }) => ({ key: String(100 * Number(numberValue(century)) + Number(numberValue(n))) }),
    // In "fifteen twenty-dollar bills", the second numeral has a unit.
    new RegExp(`${YEAR_IN_WORDS}(?![\\s-]{1,4}(?:${UNIT}|${MONEY_AFTER}))`, "gi"),
  ],
  ["date", date, /(?<![\d.,])(?<y>1[0-9]{3}|20[0-9]{2})(?![\d%]|[.,]\d)/g],
  [
    "number",
    bareAmount,
    // A lone 十 is mostly part of a word (十分); before a measure word it counts.
    /(?<![零〇一二两三四五六七八九十百千万亿第几数])(?<n>十)(?=[多余]?[个名位次种座家部支条岁层所间块艘架辆项届场集卷章])/g,
  ],
  ["number", bareNumber, new RegExp(`(?<![A-Za-z][-_]?[\\d.]{0,12})${NUMERAL}`, "gi")],
];

function decade({ c, n = "" }: Groups): Reading {
  const tens = /^\d+$/.test(n) ? Number(n) : (numberValue(n) ?? 0) * 10;
  return { key: `${(Number(c) - 1) * 100 + (tens < 10 ? tens * 10 : tens)}s` };
}

function measure({ unit = "", n, half, more }: Groups): Reading {
  const known = unitOf(unit);
  const whole = n === undefined ? 0 : numberValue(n);
  return (
    known && amount(`${known.base}:`, whole === undefined ? undefined : whole + (half || more ? 0.5 : 0), known.factor)
  );
}

/** A lone "one" or 一 is mostly an article or part of a word (统一, 一些), and so is a lone scale (千, 万). */
function bareNumber({ n = "" }: Groups): Reading {
  const text = n.trim();
  return LONE.test(text) ? undefined : amount("", numberValue(text));
}

const LONE = /^(?:one|a|hundred|thousand|million|billion|trillion|[一十百千万亿零〇]|万一|一一)$/i;
