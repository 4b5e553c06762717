import type { Span } from "../types/evidence.js";
import { languageOf } from "./language.js";
import { CHINESE_NUMERAL, DIGITS, ENGLISH_NUMERAL, numberValue, rounded } from "./number-words.js";
import { remembered } from "./remembered.js";
import { simplified } from "./simplified.js";
import { RUN } from "./tokens.js";
import { currencyOf, MONEY_AFTER, MONEY_BEFORE, UNIT, unitOf } from "./units.js";

export interface Quantity extends Span {
  kind: "number" | "percent" | "money" | "measure" | "date" | "time" | "ordinal" | "period";
  /** Equal for equal amounts, whatever their language or unit: "money:CNY:15000", "date:2024-03-05", "date:*-03-05". */
  key: string;
  /** The number alone, as written; absent for dates, times, periods and fractions. */
  value?: number;
  text: string;
}

/**
 * Finds every amount, date and time of a text, in order: English and Chinese, in digits and in words; of other languages
 * in digits. Where commas mark decimals, they are read so.
 */
export const quantities: (text: string) => readonly Quantity[] = remembered(readQuantities);

function readQuantities(text: string): Quantity[] {
  // Every replacement keeps the length, so that offsets stay. A full-width comma separates clauses and is left as it is.
  let rest = simplified(text)
    .replace(/[\uff01-\uff0b\uff0d-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    // 哪一年 asks for a year; it is no length of time.
    .replaceAll("哪一", "\u0000\u0000");
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
  return found.filter(isRead).toSorted((a, b) => a.start - b.start);
}

/** Exchanges commas and points inside numbers: "1.234,5" becomes "1,234.5". Dates and versions, "3.10.2024", stay. */
const withPoints = (text: string) =>
  text.replace(/(?<![\d.,])\d+(?:[.,]\d+)+(?![\d.,]*\d)/g, (number) =>
    /^(?:\d{1,3}(?:\.\d{3})*,\d+|\d{1,3}(?:\.\d{3})+|\d+,\d+)$/.test(number)
      ? number.replace(/[.,]/g, (mark) => (mark === "," ? "." : ","))
      : number,
  );

/** Scripts without spaces mark decimals with a point. */
const HAS_RUN = new RegExp(`[${RUN}]`, "u");

/** Says if a source states an amount ("yes"), has the bare number with another unit or none ("loosely"), or lacks it. */
export function stated({ kind, key, value, text }: Quantity, source: readonly Quantity[]): "yes" | "loosely" | "no" {
  const { keys, counts, bare, digits } = indexOf(source);
  if (keys.has(key) || digits.has(digitsOf(text))) return "yes";
  if (value === undefined) return "no";
  return kind === "number" && counts.has(value) ? "yes" : bare.has(value) ? "loosely" : "no";
}

/** The amounts of a source, indexed once for all claims that are compared with it. */
interface Index {
  /** For a date also the keys of every less precise one. */
  keys: ReadonlySet<string>;
  /** All numbers but ordinals, whatever they count: a bare number may mean any of them. */
  counts: ReadonlySet<number | undefined>;
  bare: ReadonlySet<number | undefined>;
  /** "2000" and "2,000" are equal: without a unit, a year cannot be told from a count. */
  digits: ReadonlySet<string | undefined>;
}

function indexOf(source: readonly Quantity[]): Index {
  const known = indexes.get(source);
  if (known) return known;
  const index = {
    keys: new Set(source.flatMap(({ kind, key }) => (kind === "date" ? [key, ...lessPrecise(key)] : key))),
    counts: new Set(source.filter(({ kind }) => kind !== "ordinal").map(({ value }) => value)),
    bare: new Set(source.filter(isBare).map(({ value }) => value)),
    digits: new Set(source.map(({ text }) => digitsOf(text)).filter((text) => text !== undefined)),
  };
  indexes.set(source, index);
  return index;
}

const indexes = new WeakMap<readonly Quantity[], Index>();

/** For "date:2024-03-05" the keys "date:2024-03", "date:2024", "date:*-03-05" and "date:*-03" as well. */
function lessPrecise(key: string): string[] {
  const parts = dateParts(key);
  return parts.flatMap((_, i) => {
    const some = parts.slice(0, i + 1);
    return [`date:${some.join("-")}`, `date:${["*", ...some.slice(1)].join("-")}`];
  });
}

/** "2000" for "2,000"; undefined for anything but digits. */
export const digitsOf = (text: string) => (/^[\d,]+$/.test(text) ? text.replaceAll(",", "") : undefined);

/**
 * True if a source comes near an amount that it does not state: a date that is less precise or shares a part ("March 5" and
 * 2024 apart), the same number of another kind (7 pm and 7), or the number before rounding.
 */
export function approached(quantity: Quantity, source: readonly Quantity[]): boolean {
  return source.some((other) => {
    if (quantity.kind === "date" && other.kind === "date")
      return !conflicts(quantity, other) && sharesPart(quantity, other);
    const [own, theirs] = [magnitude(quantity), magnitude(other)];
    if (own === undefined || theirs === undefined) return false;
    if (own === theirs) return !UNITS.has(quantity.kind) || !UNITS.has(other.kind);
    return isComparable(quantity, other) && isRounding(own, theirs, isBare(other));
  });
}

/** True if two amounts exclude each other: they are comparable, of one unit, and not equal. */
export function conflicts(a: Quantity, b: Quantity): boolean {
  if (!isComparable(a, b) || a.key === b.key) return false;
  if (a.kind !== "date") return true;
  const [here, there] = [dateParts(a.key), dateParts(b.key)];
  return here.some((part, i) => part !== "*" && there[i] !== undefined && there[i] !== "*" && part !== there[i]);
}

const isComparable = (a: Quantity, b: Quantity) =>
  a.kind === b.kind || (COUNTS.has(a.kind) && COUNTS.has(b.kind)) || (WHEN.has(a.kind) && WHEN.has(b.kind));
const COUNTS: ReadonlySet<string> = new Set(["number", "measure", "money", "percent", "ordinal"]);
const UNITS: ReadonlySet<string> = new Set(["measure", "money", "percent"]);
const WHEN: ReadonlySet<string> = new Set(["date", "period"]);

/** True if the year, the month or the day is the same. */
const sharesPart = (a: Quantity, b: Quantity) => {
  const there = dateParts(b.key);
  return dateParts(a.key).some((part, i) => part !== "*" && part === there[i]);
};

/** The number without its unit; for a time the hour on a 12-hour clock. */
const magnitude = ({ value, key }: Quantity) =>
  value ?? (/^time:/.test(key) ? Number(key.slice(5, 7)) % 12 : undefined);

/**
 * True if `own` is `other` rounded to fewer digits (13.8 of 13.84). A bare number may be in thousands or millions, as in
 * tables: 8.2 million of 8,213.
 */
function isRounding(own: number, other: number, bare: boolean): boolean {
  const digits = (n: number) => n.toExponential().replace(/e.*|[.-]/g, "").length;
  const few = digits(own);
  const scales = bare ? [1, 1e3, 1e6] : [1];
  return few > 1 && scales.some((scale) => digits(other) >= few && own === Number((other * scale).toPrecision(few)));
}

const isBare = ({ kind }: Quantity) => kind === "number";

/** Year, month and day, as far as the text gives them; "*" for a year that it does not. */
const dateParts = (key: string) => key.replace("date:", "").split("-");

type Groups = Record<string, string | undefined>;
type Reading = { key: string; value?: number } | undefined;
/** Reads the groups of whatever one of the patterns finds. */
type Rule = readonly [kind: Quantity["kind"], read: (groups: Groups) => Reading, ...patterns: RegExp[]];

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const CHINESE_OR_DIGITS = `(?:${CHINESE_NUMERAL}|${DIGITS})`;
const NUMERAL = `(?<n>${CHINESE_NUMERAL}|${ENGLISH_NUMERAL})`;
const CHINESE_DAY = "(?:\\d{1,2}|[一二三四五六七八九十]{1,3})";
const CHINESE_YEAR = "(?<y>\\d{4}|[一二三四五六七八九零〇]{4})\\s*年";

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

function amount(unit: string, n: string | undefined, factor = 1): Reading {
  const value = numberValue(n);
  return value === undefined ? undefined : { key: `${unit}${rounded(value * factor)}`, value };
}

const bareAmount = ({ n }: Groups) => amount("", n);

const fraction = (part: number | undefined, whole: number | undefined): Reading =>
  part === undefined || !whole ? undefined : { key: String(rounded((100 * part) / whole)) };

const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(" ");
const PARTS = "half third quarter fifth sixth seventh eighth ninth tenth".split(" ");
const partSize = (word: string) => (word === "quarter" ? 4 : word === "half" ? 2 : ORDINALS.indexOf(word) + 1);

/** Most specific first: what one rule takes, the next no longer sees. */
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
    new RegExp(`(?:${CHINESE_YEAR}\\s*)?(?<m>${CHINESE_DAY})\\s*月\\s*(?<d>${CHINESE_DAY})\\s*[日号]`, "g"),
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
    /(?:(?<pm>下午|晚上|傍晚)|(?<am>上午|早上|凌晨|清晨))?(?<h>\d{1,2}|[一二两三四五六七八九十]{1,3})(?:点钟|点|时)(?!\d|[一二三四五六七八九]{2})(?:(?<half>半)|(?<min>\d{1,2}|[零一二三四五六七八九十]{1,3})分)?/g,
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
    // An "m" behind a sum of money is a million and not a metre.
    ({ unit = "", n, million }) => amount(`${currencyOf(unit)}:`, million ? `${n} million` : n),
    new RegExp(`(?<unit>${MONEY_BEFORE})\\s*${NUMERAL}(?<million>\\s?mn?(?![\\p{L}\\p{N}]))?`, "giu"),
    new RegExp(`${NUMERAL}\\s*[多余]?(?<unit>${MONEY_AFTER})`, "gi"),
  ],
  ["ordinal", bareAmount, new RegExp(`第(?<n>${CHINESE_OR_DIGITS})`, "g")],
  [
    "ordinal",
    ({ n, word = "" }) =>
      n ? { key: n, value: Number(n) } : { key: String(ORDINALS.indexOf(word.toLowerCase()) + 1) },
    new RegExp(`\\b(?:(?<n>\\d{1,4})(?:st|nd|rd|th)|(?<word>${ORDINALS.join("|")}))\\b`, "gi"),
  ],
  ["measure", measure, new RegExp(`${NUMERAL}[\\s-]*[多余]?(?<unit>${UNIT})`, "gi")],
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

function measure({ unit = "", n }: Groups): Reading {
  const known = unitOf(unit);
  return known && amount(`${known.base}:`, n, known.factor);
}

/** A lone "one" or 一 is mostly an article or part of a word (统一, 一些), and so is a lone scale (千, 万). */
function bareNumber({ n = "" }: Groups): Reading {
  const text = n.trim();
  return LONE.test(text) ? undefined : amount("", text);
}

const LONE = /^(?:one|a|hundred|thousand|million|billion|trillion|[一十百千万亿零〇]|万一|一一)$/i;
