import type { Span } from "../types/evidence.js";
import { CHINESE_NUMERAL, DIGITS, ENGLISH_NUMERAL, numberValue, rounded } from "./number-words.js";
import { remembered } from "./remembered.js";
import { simplified } from "./simplified.js";
import { currencyOf, MONEY_AFTER, MONEY_BEFORE, UNIT, unitOf } from "./units.js";

export interface Quantity extends Span {
  kind: "number" | "percent" | "money" | "measure" | "date" | "time" | "ordinal" | "period";
  /** Equal for equal amounts, whatever the language or the unit they are written in: "money:CNY:15000", "date:2024-03-05", "date:*-03-05". */
  key: string;
  /** The bare amount, where it is one; without unit. */
  value?: number;
  text: string;
}

/** Every amount, date and time of a text, in order. English and Chinese, digits and words. */
export const quantities: (text: string) => readonly Quantity[] = remembered(readQuantities);

function readQuantities(text: string): Quantity[] {
  // What one rule took is blanked out for the next; nothing changes its length.
  // A wide comma stands between clauses, and in no number.
  let rest = simplified(text).replace(/[\uff01-\uff0b\uff0d-\uff5e]/g, (wide) =>
    String.fromCharCode(wide.charCodeAt(0) - 0xfee0),
  );
  // 哪一年 asks for a year and is not the length of one.
  rest = rest.replaceAll("哪一", "\u0000\u0000");
  const found: Quantity[] = [];
  for (const { kind, pattern, read } of RULES) {
    rest = rest.replace(pattern, (...match) => {
      const groups = match.at(-1) as Record<string, string | undefined>;
      const start = match.at(-3) as number;
      const whole = match[0] as string;
      const reading = read(groups);
      if (!reading) return whole;
      const end = start + whole.trimEnd().length;
      found.push({ kind, ...reading, key: `${kind}:${reading.key}`, text: text.slice(start, end), start, end });
      return "\u0000".repeat(whole.length);
    });
  }
  return found.toSorted((a, b) => a.start - b.start);
}

/** How a source speaks to an amount: it says it, it has the bare number under no or another unit, or it lacks it. */
export function stated({ kind, key, value, text }: Quantity, source: readonly Quantity[]): "yes" | "loosely" | "no" {
  const { keys, counts, bare, digits, dates } = indexOf(source);
  if (keys.has(key) || (kind === "date" && dates.has(key)) || digits.has(digitsOf(text))) return "yes";
  if (value === undefined) return "no";
  return kind === "number" && counts.has(value) ? "yes" : bare.has(value) ? "loosely" : "no";
}

/** What is asked of the amounts of a source, so that a page of them costs no more a claim than one. */
interface Index {
  keys: ReadonlySet<string>;
  /** The numbers of all but ordinals, whatever they count: a bare number may mean any. */
  counts: ReadonlySet<number | undefined>;
  bare: ReadonlySet<number | undefined>;
  /** "2000" and "2,000": nobody can tell a year from a count where nothing else is written. */
  digits: ReadonlySet<string | undefined>;
  /** Each date, and each that says less of it. */
  dates: ReadonlySet<string>;
}

function indexOf(source: readonly Quantity[]): Index {
  const known = indexes.get(source);
  if (known) return known;
  const index = {
    keys: new Set(source.map(({ key }) => key)),
    counts: new Set(source.filter(({ kind }) => kind !== "ordinal").map(({ value }) => value)),
    bare: new Set(source.filter(isBare).map(({ value }) => value)),
    digits: new Set(source.map(({ text }) => digitsOf(text)).filter((text) => text !== undefined)),
    dates: new Set(source.filter(({ kind }) => kind === "date").flatMap(({ key }) => lesser(key))),
  };
  indexes.set(source, index);
  return index;
}

const indexes = new WeakMap<readonly Quantity[], Index>();

/** Of "date:2024-03-05" also "date:2024-03", "date:2024", "date:*-03-05" and "date:*-03". */
function lesser(key: string): string[] {
  const parts = dateParts(key);
  return parts.flatMap((_, i) => {
    const some = parts.slice(0, i + 1);
    return [`date:${some.join("-")}`, `date:${["*", ...some.slice(1)].join("-")}`];
  });
}

const digitsOf = (text: string) => (/^[\d,]+$/.test(text) ? text.replaceAll(",", "") : undefined);

/**
 * Whether a source comes near an amount that it does not state: a date that says less or a part of it ("March 5" and 2024
 * apart), the same number in other clothes (7 pm and 7), the number before rounding, within a tenth where it is large.
 */
export function approached(quantity: Quantity, source: readonly Quantity[]): boolean {
  return source.some((other) => {
    if (quantity.kind === "date" && other.kind === "date")
      return !conflicts(quantity, other) && shares(quantity, other);
    const [own, theirs] = [sizeOf(quantity), sizeOf(other)];
    if (own === undefined || theirs === undefined) return false;
    if (own === theirs) return !UNITS.has(quantity.kind) || !UNITS.has(other.kind);
    return !conflictsInKind(quantity, other) && isRounding(own, theirs, isBare(other));
  });
}

/** Whether both cannot be meant: of one kind and one unit, and not the same. */
export function conflicts(a: Quantity, b: Quantity): boolean {
  if (conflictsInKind(a, b) || a.key === b.key) return false;
  if (a.kind !== "date") return true;
  const [here, there] = [dateParts(a.key), dateParts(b.key)];
  return here.some((part, i) => part !== "*" && there[i] !== undefined && there[i] !== "*" && part !== there[i]);
}

const conflictsInKind = (a: Quantity, b: Quantity) =>
  a.kind !== b.kind && !(COUNTS.has(a.kind) && COUNTS.has(b.kind)) && !(WHEN.has(a.kind) && WHEN.has(b.kind));
const COUNTS: ReadonlySet<string> = new Set(["number", "measure", "money", "percent", "ordinal"]);
const UNITS: ReadonlySet<string> = new Set(["measure", "money", "percent"]);
const WHEN: ReadonlySet<string> = new Set(["date", "period"]);

/** A year, month or day is the same. */
const shares = (a: Quantity, b: Quantity) => {
  const there = dateParts(b.key);
  return dateParts(a.key).some((part, i) => part !== "*" && part === there[i]);
};

/** "7" of "time:07:00" and of "percent:7": the number alone, whatever it counts. */
const sizeOf = ({ value, key }: Quantity) => value ?? (/^time:/.test(key) ? Number(key.slice(5, 7)) % 12 : undefined);

/** Whether `own` is the other with fewer digits: 13.8 of 13.84; 8.2 million of a bare 8,213, as tables in thousands have it. */
function isRounding(own: number, other: number, bare: boolean): boolean {
  const digits = (n: number) => n.toExponential().replace(/e.*|[.-]/g, "").length;
  const few = digits(own);
  const scales = bare ? [1, 1e3, 1e6] : [1];
  return few > 1 && scales.some((scale) => digits(other) >= few && own === Number((other * scale).toPrecision(few)));
}

const isBare = ({ kind }: Quantity) => kind === "number";

/** Year, month and day; "*" where the text does not say. */
const dateParts = (key: string) => key.replace("date:", "").split("-");

type Groups = Record<string, string | undefined>;
interface Rule {
  kind: Quantity["kind"];
  pattern: RegExp;
  read: (groups: Groups) => { key: string; value?: number } | undefined;
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const NUMERAL = `(?<n>${CHINESE_NUMERAL}|${ENGLISH_NUMERAL})`;
const ZH_DIGITS = "(?:\\d{1,2}|[一二三四五六七八九十]{1,3})";

const two = (n: number | undefined) => (n === undefined ? "" : String(n).padStart(2, "0"));

function date({ y, month, m, d }: Groups) {
  const monthNumber = month ? MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1 : m ? numberValue(m) : undefined;
  const day = d ? numberValue(d) : undefined;
  const year = y ? numberValue(y) : undefined;
  if ((monthNumber ?? 1) > 12 || (monthNumber ?? 1) < 1 || (day ?? 1) > 31 || (day ?? 1) < 1) return undefined;
  return { key: [String(year ?? "*"), two(monthNumber), two(day)].filter((part) => part !== "").join("-") };
}

function clock({ h, min, half, pm, am }: Groups) {
  const hour = numberValue(h ?? "");
  const minute = half ? 30 : min ? (numberValue(min) ?? 0) : 0;
  if (hour === undefined || hour > 24 || minute > 59) return undefined;
  const afternoon = pm && hour < 12 ? 12 : am && hour === 12 ? -12 : 0;
  return { key: `${two(hour + afternoon)}:${two(minute)}` };
}

const amount = (unit: string, n: string | undefined, factor = 1) => {
  const value = numberValue(n ?? "");
  return value === undefined ? undefined : { key: `${unit}${rounded(value * factor)}`, value };
};

const fraction = (part: number | undefined, whole: number | undefined) =>
  part === undefined || !whole ? undefined : { key: String(rounded((100 * part) / whole)) };

const ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(" ");
const PARTS = "half third quarter fifth sixth seventh eighth ninth tenth".split(" ");
const partSize = (word: string) => (word === "quarter" ? 4 : word === "half" ? 2 : ORDINALS.indexOf(word) + 1);

/** Most specific first: what one takes, the next no longer sees. */
const RULES: readonly Rule[] = [
  { kind: "date", pattern: /(?<![\d.])(?<y>\d{4})([-/.])(?<m>\d{1,2})\2(?<d>\d{1,2})(?!\d)/g, read: date },
  {
    // "2018–19": the later of two years, written short.
    kind: "date",
    pattern: /(?<=(?<![\d.,-])(?<c>1\d|20)(?<a>\d{2})[-–])(?<b>\d{2})(?!\d|[-–.,]\d)/g,
    read: ({ c, a, b }) => (Number(b) > Number(a) ? { key: `${c}${b}` } : undefined),
  },
  {
    kind: "period",
    pattern: /(?<c>\d{1,2})\s*世纪\s*(?<n>[\d一二三四五六七八九]{1,2})\s*[十0]?\s*年代/g,
    read: decade,
  },
  { kind: "period", pattern: /\b(?<n>\d{3}0)(?:s|'s|\s?年代)/g, read: ({ n }) => ({ key: `${n}s` }) },
  {
    kind: "period",
    pattern: /\b(?<n>\d{1,2})(?:st|nd|rd|th)[\s-]+century|(?<z>\d{1,2}|[一二三四五六七八九十]{1,3})\s*世纪/gi,
    read: century,
  },
  {
    kind: "date",
    pattern: new RegExp(
      `(?:(?<y>\\d{4}|[一二三四五六七八九零〇]{4})\\s*年\\s*)?(?<m>${ZH_DIGITS})\\s*月\\s*(?<d>${ZH_DIGITS})\\s*[日号]`,
      "g",
    ),
    read: date,
  },
  {
    kind: "date",
    pattern: new RegExp(`(?<y>\\d{4}|[一二三四五六七八九零〇]{4})\\s*年\\s*(?:(?<m>${ZH_DIGITS})\\s*月(?:份)?)?`, "g"),
    read: date,
  },
  { kind: "date", pattern: /(?<!个)(?<m>\d{1,2}|[一二三四五六七八九十]{1,2})月(?:份)?/g, read: date },
  {
    kind: "date",
    pattern: new RegExp(`\\b${MONTH}\\s+(?<d>\\d{1,2})(?:st|nd|rd|th)?(?!\\d|:)(?:,?\\s+(?<y>\\d{4})\\b)?`, "gi"),
    read: date,
  },
  {
    kind: "date",
    pattern: new RegExp(`\\b(?<d>\\d{1,2})(?:st|nd|rd|th)?(?:\\s+of)?\\s+${MONTH}\\b(?:,?\\s+(?<y>\\d{4})\\b)?`, "gi"),
    read: date,
  },
  { kind: "date", pattern: new RegExp(`\\b${MONTH},?\\s+(?:of\\s+)?(?<y>\\d{4})\\b`, "gi"), read: date },
  {
    kind: "date",
    pattern:
      /\b(?<month>January|February|April|June|July|August|September|October|November|December|(?<=[Ii]n |[Bb]y |[Ss]ince |[Uu]ntil )(?:March|May))\b/g,
    read: date,
  },
  {
    kind: "time",
    pattern: /\b(?<h>\d{1,2}):(?<min>\d{2})(?::\d{2})?(?:\s*(?:(?<pm>p\.?m\b)|(?<am>a\.?m\b)))?/gi,
    read: clock,
  },
  { kind: "time", pattern: /\b(?<h>\d{1,2})\s*(?:(?<pm>p\.?m\b)|(?<am>a\.?m\b))/gi, read: clock },
  {
    kind: "time",
    pattern:
      /(?:(?<pm>下午|晚上|傍晚)|(?<am>上午|早上|凌晨|清晨))?(?<h>\d{1,2}|[一二两三四五六七八九十]{1,3})(?:点钟|点|时)(?!\d|[一二三四五六七八九]{2})(?:(?<half>半)|(?<min>\d{1,2}|[零一二三四五六七八九十]{1,3})分)?/g,
    read: clock,
  },
  {
    kind: "percent",
    pattern: new RegExp(`${NUMERAL}\\s*(?:%|per\\s?cent\\b|percent(?:age\\s+points?)?\\b|个百分点)`, "gi"),
    read: ({ n }) => amount("", n),
  },
  {
    kind: "percent",
    pattern: new RegExp(`百分之(?<n>${CHINESE_NUMERAL}|${DIGITS})`, "g"),
    read: ({ n }) => amount("", n),
  },
  {
    kind: "percent",
    pattern: new RegExp(`(?<whole>${CHINESE_NUMERAL}|${DIGITS})分之(?<n>${CHINESE_NUMERAL}|${DIGITS})`, "g"),
    read: ({ whole, n }) => fraction(numberValue(n ?? ""), numberValue(whole ?? "")),
  },
  {
    kind: "percent",
    pattern: new RegExp(
      `\\b(?<n>one|two|three|four|five|seven|a)[\\s-]+(?<part>${PARTS.join("|")})s?\\b(?=\\s+of\\b)`,
      "gi",
    ),
    read: ({ n, part }) =>
      fraction(n?.toLowerCase() === "a" ? 1 : numberValue(n ?? ""), partSize(part?.toLowerCase() ?? "")),
  },
  {
    // An "m" behind a sum of money is a million, and no metre.
    kind: "money",
    pattern: new RegExp(`(?<unit>${MONEY_BEFORE})\\s*${NUMERAL}(?<million>\\s?mn?(?![\\p{L}\\p{N}]))?`, "giu"),
    read: money,
  },
  { kind: "money", pattern: new RegExp(`${NUMERAL}\\s*[多余]?(?<unit>${MONEY_AFTER})`, "gi"), read: money },
  { kind: "ordinal", pattern: new RegExp(`第(?<n>${CHINESE_NUMERAL}|${DIGITS})`, "g"), read: ({ n }) => amount("", n) },
  {
    kind: "ordinal",
    pattern: new RegExp(`\\b(?:(?<n>\\d{1,4})(?:st|nd|rd|th)|(?<word>${ORDINALS.join("|")}))\\b`, "gi"),
    read: ({ n, word }) =>
      n ? { key: n, value: Number(n) } : { key: String(ORDINALS.indexOf(word?.toLowerCase() ?? "") + 1) },
  },
  { kind: "measure", pattern: new RegExp(`${NUMERAL}[\\s-]*[多余]?(?<unit>${UNIT})`, "gi"), read: measure },
  { kind: "date", pattern: /(?<![\d.,])(?<y>1[0-9]{3}|20[0-9]{2})(?![\d%]|[.,]\d)/g, read: date },
  // A lone 十 is mostly part of a word (十分); before a measure word it counts.
  {
    kind: "number",
    pattern:
      /(?<![零〇一二两三四五六七八九十百千万亿第几数])(?<n>十)(?=[多余]?[个名位次种座家部支条岁层所间块艘架辆项届场集卷章])/g,
    read: ({ n }) => amount("", n),
  },
  { kind: "number", pattern: new RegExp(`(?<![A-Za-z][-_]?[\\d.]{0,12})${NUMERAL}`, "gi"), read: bare },
];

function decade({ c, n }: Groups) {
  const tens = /^\d+$/.test(n ?? "") ? Number(n) : (numberValue(n ?? "") ?? 0) * 10;
  return { key: `${(Number(c) - 1) * 100 + (tens < 10 ? tens * 10 : tens)}s` };
}

function century({ n, z }: Groups) {
  return { key: `c${numberValue(n ?? z ?? "")}` };
}

function money({ unit, n, million }: Groups) {
  return amount(`${currencyOf(unit ?? "")}:`, million ? `${n} million` : n);
}

function measure({ unit, n }: Groups) {
  const known = unitOf(unit ?? "");
  return known && amount(`${known.base}:`, n, known.factor);
}

/** "one" and a lone 一 are mostly articles and parts of words (统一, 一些), and so are lone scales (千, 万). */
function bare({ n }: Groups) {
  const text = n?.trim() ?? "";
  if (/^(?:one|a|hundred|thousand|million|billion|trillion|[一十百千万亿零〇]|万一|一一)$/i.test(text))
    return undefined;
  return amount("", text);
}
