import { CHINESE_NUMERAL, numberValue, rounded } from "../facts/number-words.js";
import { quantities } from "../facts/numbers.js";
import { currencyOf, MONEY_BEFORE, unitOf } from "../facts/units.js";

/** What a unit measures, and how. */
export interface Unit {
  kind: "number" | "share" | "money" | "duration";
  /** Cells with the same base can be converted into each other: "s", "m", "EUR". Empty without a unit. */
  base: string;
  /** How many of the base it is: 3600 for an hour. */
  factor: number;
  /** The unit as it is written: "h", "km", "EUR". */
  name: string;
}

/** What a cell says by itself. */
export type CellValue =
  | { kind: "empty" }
  | { kind: "text" }
  | { kind: "yes/no"; value: 0 | 1 }
  | { kind: "date"; value: string; exact: "day" | "month" | "year" }
  /** A date whose first two numbers are day and month, or month and day; `write` returns it, or undefined if there is none. */
  | { kind: "day or month"; first: number; second: number; write: (month: number, day: number) => string | undefined }
  /** "1:30", in hours if its first number is. */
  | { kind: "clock"; hours: number; value: number }
  | { kind: "amount"; numeral: Numeral; sign: 1 | -1; scale: number; unit: Unit };

/**
 * A number in digits. `point` and `comma` are its values if the decimal mark is a point or a comma; one of them is undefined
 * if that cannot be.
 */
export interface Numeral {
  point: number | undefined;
  comma: number | undefined;
  /** True for four digits and more without a mark between thousands. */
  isUngrouped: boolean;
  /** True if it has a mark that would be a decimal mark or one between thousands. */
  isOpen: boolean;
}

/** Reads a cell, given as plain words. */
export function cellValue(cell: string): CellValue {
  if (PLAIN.test(cell)) return amount(cell.replace(/^[-+]/, ""), cell.startsWith("-") ? -1 : 1, 1, NO_UNIT) ?? TEXT;
  const text = folded(cell);
  if (EMPTY.test(text)) return { kind: "empty" };
  if (text.length > LONGEST) return TEXT;
  const said = YES_NO.get(text.toLowerCase());
  if (said !== undefined) return { kind: "yes/no", value: said };
  if (!MAY_COUNT.test(text)) return TEXT;
  return dateValue(text) ?? clockValue(text) ?? amountValue(text) ?? inWords(text) ?? TEXT;
}

const TEXT: CellValue = { kind: "text" };
const NO_UNIT: Unit = { kind: "number", base: "", factor: 1, name: "" };
const PLAIN = /^[-+]?\d{1,15}(?:\.\d{1,12})?$/;

/** In characters. A longer cell is text. */
const LONGEST = 60;

/** What a cell says that has no value. */
const EMPTY = /^(?:[-–—―/\\.…?*\s]*|n\.?\s?\/?\s?a\.?|#n\/a|null|nil|tb[ad]|无|暂无|待定|不适用)$/i;

const YES_NO: ReadonlyMap<string, 0 | 1> = new Map([
  ...["yes", "y", "true", "是", "✓", "✔", "√", "☑", "☒"].map((said) => [said, 1] as const),
  ...["no", "n", "false", "否", "✗", "✘", "×", "☐"].map((said) => [said, 0] as const),
]);

const NUMERALS =
  "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|an?|half)\\b";
/** A text without digits and numerals says no amount. */
const MAY_COUNT = new RegExp(`[\\d零〇一二三四五六七八九十两百千万亿半]|^${NUMERALS}`, "i");
/** Nor does one that begins with another word, such as "Item 12". Cheaper than to look for amounts in it. */
const MAY_BE_AMOUNT = new RegExp(`^(?![A-Za-z])|^(?:${NUMERALS}|minus\\b|${MONEY_BEFORE})`, "iu");

/** Writes full-width characters, spaces and minus signs in one form. */
const folded = (cell: string): string =>
  /^[\x20-\x7e]*$/.test(cell)
    ? cell
    : cell
        .replace(/[\uff01-\uff5e\uffe0\uffe1\uffe5\uffe6]/g, (wide) => wide.normalize("NFKC"))
        .replace(/[\u00a0\u2007\u2009\u202f\u3000]/g, " ")
        .replace(/^([(]?\s*)[−–](?=\s*[\d.,]|\s*\p{Sc})/u, "$1-")
        .trim();

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\.?";
const WEEKDAY = "(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\\.?,?\\s+)?";
const TIME =
  "(?:(?:T|,?\\s+|\\s*(?<early>上午|下午)\\s*)(?<h>\\d{1,2}):(?<min>\\d{2})(?::(?<sec>\\d{2})(?:\\.\\d{1,9})?)?(?:\\s*(?<half>am|pm))?(?:\\s*(?:Z|UTC|GMT|[+-]\\d\\d:?\\d\\d))?)?";
const CHINESE_YEAR = "(?<y>\\d{4}|[一二三四五六七八九零〇]{4})\\s*年";
const CHINESE_DAY = "\\d{1,2}|[一二三四五六七八九十]{1,3}";

const DATES: readonly RegExp[] = [
  `(?<y>\\d{4})([-/.])(?<m>\\d{1,2})\\2(?<d>\\d{1,2})${TIME}`,
  `(?<y>\\d{4})[-/](?<m>\\d{2})`,
  `(?<d>\\d{1,2})\\.\\s?(?<m>\\d{1,2})\\.\\s?(?<y>\\d{4}|\\d{2})${TIME}`,
  `${WEEKDAY}(?<d>\\d{1,2})(?:st|nd|rd|th)?[\\s./-]+(?:of\\s+)?${MONTH},?[\\s/-]+(?<y>\\d{4}|\\d{2})${TIME}`,
  `${WEEKDAY}${MONTH}\\s+(?<d>\\d{1,2})(?:st|nd|rd|th)?,?\\s+(?<y>\\d{4})${TIME}`,
  `${MONTH},?[\\s-]+(?<y>\\d{4})`,
  `${CHINESE_YEAR}(?:\\s*(?<m>${CHINESE_DAY})\\s*月(?:份|\\s*(?<d>${CHINESE_DAY})\\s*[日号])?)?${TIME}`,
].map((pattern) => new RegExp(`^${pattern}$`, "i"));

/** A date whose day and month may stand in either order. */
const OPEN_DATE = new RegExp(`^(?<first>\\d{1,2})([-/])(?<second>\\d{1,2})\\2(?<y>\\d{4}|\\d{2})${TIME}$`, "i");

type Groups = Record<string, string | undefined>;

function dateValue(text: string): CellValue | undefined {
  if (!/\d{2}|年/.test(text)) return undefined;
  for (const pattern of DATES) {
    const groups = pattern.exec(text)?.groups;
    if (!groups) continue;
    const { y = "", month, m, d } = groups;
    const monthNumber = month ? MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1 : numberValue(m);
    const day = numberValue(d);
    const value = written(yearOf(y), monthNumber ?? 1, day ?? 1, groups);
    const exact = day !== undefined ? "day" : monthNumber !== undefined ? "month" : "year";
    return value === undefined ? undefined : { kind: "date", value, exact };
  }
  const open = OPEN_DATE.exec(text)?.groups;
  if (!open) return undefined;
  const year = yearOf(open.y ?? "");
  return {
    kind: "day or month",
    first: Number(open.first),
    second: Number(open.second),
    write: (month, day) => written(year, month, day, open),
  };
}

/** A year of two digits is in 1970 to 2069. */
function yearOf(text: string): number {
  const year = numberValue(text) ?? 0;
  return text.length > 2 ? year : year + (year < 70 ? 2000 : 1900);
}

/** Returns a date in ISO form; undefined if the calendar has no such day. */
function written(year: number, month: number, day: number, { h, min, sec, half, early }: Groups): string | undefined {
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || year < 1000) return undefined;
  const whole = `${String(year).padStart(4, "0")}-${two(month)}-${two(day)}`;
  if (h === undefined) return whole;
  const isAfternoon = half?.toLowerCase() === "pm" || early === "下午";
  const isTwelve = Number(h) === 12 && (half !== undefined || early !== undefined);
  const hour = isTwelve ? (isAfternoon ? 12 : 0) : Number(h) + (isAfternoon && Number(h) < 12 ? 12 : 0);
  if (hour > 24 || Number(min) > 59) return undefined;
  return `${whole} ${two(hour)}:${min}${sec === undefined || sec === "00" ? "" : `:${sec}`}`;
}

const two = (n: number) => String(n).padStart(2, "0");

function clockValue(text: string): CellValue | undefined {
  const [, sign, h, min, sec = "0"] = /^(-?)(\d{1,4}):([0-5]\d)(?::([0-5]\d))?$/.exec(text) ?? [];
  if (h === undefined) return undefined;
  const value = Number(h) + Number(min) / 60 + Number(sec) / 3600;
  return { kind: "clock", hours: Number(h), value: sign === "-" ? -value : value };
}

/** A currency before or after a number: its sign, its name, or its code of three letters. */
const SIGN_OR_CODE = "[A-Za-z]{0,2}\\p{Sc}|[A-Z]{3}(?![A-Za-z])|人民币";
const AMOUNT = new RegExp(
  `^(?<open>\\()?\\s*(?<minus>[-+]|负)?\\s*(?<before>${SIGN_OR_CODE})?\\s*(?<inner>[-+])?\\s*(?<n>\\d{1,3}(?:[ '’]\\d{3})+(?:[.,]\\d+)?|\\d[\\d.,]*\\d|\\d|[.,]\\d+)(?<after>[^\\d].*?)??\\s*(?<close>\\))?$`,
  "u",
);

/** Reads an amount in digits, with its sign, scale and unit. */
function amountValue(text: string): CellValue | undefined {
  const groups = AMOUNT.exec(text)?.groups;
  if (!groups) return undefined;
  const { open, minus, before, inner, n = "", close } = groups;
  let after = (groups.after ?? "").trim();
  if ((open === undefined) !== (close === undefined)) {
    // A bracket that belongs to what follows the number.
    if (open !== undefined || close === undefined) return undefined;
    after += close;
  }
  let isNegative = minus === "-" || minus === "负" || inner === "-" || open !== undefined;
  if (after.endsWith("-") || after.endsWith("−")) {
    isNegative = true;
    after = after.slice(0, -1).trim();
  }
  const currency = before === undefined ? undefined : moneyOf(before);
  if (before !== undefined && !currency) return undefined;
  const unit = unitAfter(after, currency);
  return unit && amount(n, isNegative ? -1 : 1, unit.scale, unit.unit);
}

function amount(n: string, sign: 1 | -1, scale: number, unit: Unit): CellValue | undefined {
  const numeral = numeralOf(n);
  return numeral && { kind: "amount", numeral, sign, scale, unit };
}

/** Reads what stands after a number: a scale and a unit. */
function unitAfter(after: string, currency: Unit | undefined): { scale: number; unit: Unit } | undefined {
  if (after === "") return { scale: 1, unit: currency ?? NO_UNIT };
  if (!currency) {
    const unit = unitNamed(after);
    if (unit) return { scale: 1, unit };
  }
  const [scaled = "", word = ""] = SCALE.exec(after) ?? [];
  const scale = SCALES.get(word) ?? SCALES.get(word.toLowerCase());
  if (scale !== undefined) {
    const rest = after.slice(scaled.length).trim();
    const named = rest === "" ? (currency ?? NO_UNIT) : unitNamed(rest);
    // "3 m" is a length, but "EUR 3 m" is three million.
    const isScale = word !== "m" || named?.kind === "money";
    const isOne = !currency || rest === "" || named?.base === currency.base;
    if (named && isScale && isOne) return { scale, unit: named };
  }
  if (currency) return moneyOf(after)?.base === currency.base ? { scale: 1, unit: currency } : undefined;
  return OTHER_UNIT.test(after) ? { scale: 1, unit: { ...NO_UNIT, base: singular(after), name: after } } : undefined;
}

const SCALE = /^(千万|百万|十万|[千万亿]|thousand|million|billion|trillion|mio\.?|mrd\.?|mn|bn|[kKmMB])(?![a-z])\s*/;
const SCALES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    k: 1e3,
    K: 1e3,
    thousand: 1e3,
    千: 1e3,
    万: 1e4,
    十万: 1e5,
    百万: 1e6,
    m: 1e6,
    M: 1e6,
    mn: 1e6,
    mio: 1e6,
    "mio.": 1e6,
    million: 1e6,
    千万: 1e7,
    亿: 1e8,
    B: 1e9,
    bn: 1e9,
    mrd: 1e9,
    "mrd.": 1e9,
    billion: 1e9,
    trillion: 1e12,
  }),
);

/** A unit that is only a word: "30 台", "12 pcs", "45 €/h". */
const OTHER_UNIT = new RegExp(
  `^(?!(?:[ap]m|st|nd|rd|th|[年月日号级]|${MONTH})$)(?:[\\p{L}°µ]|\\p{Sc}/)[\\p{L}°µ²³/·.]{0,15}$`,
  "iu",
);
const singular = (word: string) => word.toLowerCase().replace(/(?<=[a-z]{2})s$/, "");

/** Reads the name of a unit; undefined if it is not known. */
function unitNamed(name: string): Unit | undefined {
  if (/^(?:%|percent|per cent)$/i.test(name)) return { kind: "share", base: "%", factor: 1, name: "%" };
  const money = moneyOf(name);
  if (money) return money;
  if (/^(?:min|mins)\.?$/i.test(name)) return { kind: "duration", base: "s", factor: 60, name: "min" };
  if (/^(?:hrs?|std)\.?$/i.test(name)) return { kind: "duration", base: "s", factor: 3600, name: "h" };
  const known = unitOf(name) ?? unitOf(name.replace(/\.$/, ""));
  if (!known) return undefined;
  const { base, factor } = known;
  const time = TIMES.find((each) => each.of === base && factor >= each.from);
  if (time) return { kind: "duration", base: time.base, factor, name: DURATIONS.get(`${base} ${factor}`) ?? name };
  return { kind: "number", base, factor, name };
}

/** Units of time that can be converted: a working day does not have 24 hours, nor a month four weeks. */
const TIMES: readonly { of: string; from: number; base: string }[] = [
  { of: "s", from: 86_400, base: "day" },
  { of: "s", from: 1, base: "s" },
  { of: "month", from: 1, base: "month" },
  { of: "working day", from: 1, base: "working day" },
];
const DURATIONS: ReadonlyMap<string, string> = new Map([
  ["s 1", "s"],
  ["s 60", "min"],
  ["s 3600", "h"],
  ["s 86400", "day"],
  ["s 604800", "week"],
  ["month 1", "month"],
  ["month 3", "quarter"],
  ["month 12", "year"],
]);

const CODES: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));

/** Reads the name, sign or code of a currency. A sign that several currencies share stays as it is written: "¥". */
function moneyOf(name: string): Unit | undefined {
  const code = name === "¥" ? "¥" : (currencyOf(name) ?? (CODES.has(name) ? name : undefined));
  return code === undefined ? undefined : { kind: "money", base: code, factor: 1, name: code };
}

/** Reads digits with marks in them. Undefined for a version or the like: "1.10.2". */
function numeralOf(n: string): Numeral | undefined {
  const digits = n.replace(/[ '’]/g, "");
  const marks = digits.replace(/\d/g, "");
  if (marks === "") {
    const value = Number(digits);
    if (digits.length > 15) return undefined;
    return { point: value, comma: value, isUngrouped: digits === n && digits.length > 3, isOpen: false };
  }
  const [point, comma] = [valueOfDigits(digits, "."), valueOfDigits(digits, ",")];
  if (point === undefined && comma === undefined) return undefined;
  return { point, comma, isUngrouped: false, isOpen: point !== undefined && comma !== undefined };
}

function valueOfDigits(digits: string, decimal: "." | ","): number | undefined {
  const at = digits.indexOf(decimal);
  const [whole, fraction] = at < 0 ? [digits, ""] : [digits.slice(0, at), digits.slice(at + 1)];
  if (/[.,]/.test(fraction)) return undefined;
  const other = decimal === "." ? "," : ".";
  const isGrouped = whole.includes(other);
  if (isGrouped && !(other === "," ? COMMAS : POINTS).test(whole)) return undefined;
  return Number(`${isGrouped ? whole.replaceAll(other, "") : whole}.${fraction}`);
}

const COMMAS = /^[1-9]\d{0,2}(?:,\d{3})+$|^[1-9]\d?(?:,\d{2})+,\d{3}$/;
const POINTS = /^[1-9]\d{0,2}(?:\.\d{3})+$/;

const CHINESE_AMOUNT = new RegExp(`^(负)?(${CHINESE_NUMERAL})(.*)$`, "i");
/** "2 h 15 min", 2小时15分钟. */
const TIME_SPAN =
  /^(?:(\d+(?:[.,]\d+)?)\s*(?:hours?|hrs?|h|个?小时|个?钟头)\s*)?(?:(\d+(?:[.,]\d+)?)\s*(?:minutes?|mins?|m|分钟?|′)\s*)?(?:(\d+(?:[.,]\d+)?)\s*(?:seconds?|secs?|s|秒钟?)\s*)?$/i;

/** Reads an amount that is partly in words: 十二万, 3万5千元, "2 h 15 min", 两个半小时, "twelve". */
function inWords(text: string): CellValue | undefined {
  const [span, h, min, s] = TIME_SPAN.exec(text) ?? [];
  if (span !== undefined && [h, min, s].filter((part) => part !== undefined).length > 1) {
    const number = (part = "0") => Number(part.replace(",", "."));
    const value = number(h) * 3600 + number(min) * 60 + number(s);
    const [name, factor] = h === undefined ? (["min", 60] as const) : (["h", 3600] as const);
    return exactly(value / factor, { kind: "duration", base: "s", factor, name });
  }
  const [, minus, numeral, after = ""] = CHINESE_AMOUNT.exec(text) ?? [];
  const number = numeral === undefined || /^[百千万亿]$/.test(numeral) ? undefined : numberValue(numeral);
  const unit = after === "" ? NO_UNIT : unitNamed(after.trim());
  if (number !== undefined && unit)
    return exactly(minus ? -number : number, unit, /[千万亿]/.test(numeral ?? "") ? 1e4 : 1);
  if (!MAY_BE_AMOUNT.test(text)) return undefined;
  const [only, ...more] = quantities(text);
  if (!only || more.length > 0 || only.start > 0 || only.end < text.length) return undefined;
  const [kind = "", base = "", value = ""] = only.key.split(":");
  if (kind === "number") return exactly(Number(base), NO_UNIT);
  if (kind === "percent") return exactly(Number(base), { kind: "share", base: "%", factor: 1, name: "%" });
  if (kind === "money") return exactly(Number(value), moneyOf(base) ?? NO_UNIT);
  if (kind !== "measure") return undefined;
  const own = unitNamed(only.text.replace(/^.*?(?=\p{L}+$)/u, ""));
  if (own) return exactly(Number(value) / own.factor, own);
  return base === "s" ? exactly(Number(value) / 3600, { kind: "duration", base, factor: 3600, name: "h" }) : undefined;
}

/** @param scale above 1 if it is said in the cell, as in 十二万. */
function exactly(value: number, unit: Unit, scale = 1): CellValue | undefined {
  if (!Number.isFinite(value)) return undefined;
  const size = rounded(Math.abs(value) / scale);
  const numeral = { point: size, comma: size, isUngrouped: false, isOpen: false };
  return { kind: "amount", numeral, sign: value < 0 ? -1 : 1, scale, unit };
}

/**
 * Reads the unit in a heading: "Cost (EUR)", "Weight in kg", "Amount, $m", "Share %", "Hours", 金额（万元）. Numbers below stay
 * as they are written, so that the unit may have a scale.
 */
export function unitOfHeading(heading: string): Unit | undefined {
  const inBrackets = /[(（[]([^()（）[\]]{1,24})[)）\]]\s*$/.exec(heading)?.[1];
  const after = /(?:\sin\s|,\s?|\s\/\s?)([^\s,/][^,/]{0,15})$/.exec(heading)?.[1];
  const last = /(?:^|[\s_])(%|[A-Z]{3}|\p{Sc}|(?:[Hh]our|[Mm]inute|[Ss]econd|[Dd]ay|[Ww]eek)s)$/u.exec(heading)?.[1];
  // Headings of programs: amount_eur, weight_kg. "min" and "max" are the least and the most there.
  const [, snake] = /^[a-z\d_]*_((?!min$|max$)[a-z]{2,4})$/.exec(heading) ?? [];
  const ofProgram = snake && currencyOf(snake.toUpperCase()) ? snake.toUpperCase() : snake;
  for (const named of [inBrackets, after, last, ofProgram]) {
    const unit =
      named === undefined ? undefined : scaledUnit(folded(named.trim().replace(/^(?:in |单位[:：]?\s*)/i, "")));
    if (unit) return unit;
  }
  return undefined;
}

function scaledUnit(name: string): Unit | undefined {
  const known = unitNamed(name);
  if (known) return known;
  const [, money = "", behind = ""] = MONEY_FIRST.exec(name) ?? [];
  const [scaled = "", word = ""] = SCALE.exec(behind || name) ?? [];
  const rest = (behind || name).slice(scaled.length).trim();
  const scale = SCALES.get(word) ?? SCALES.get(word.toLowerCase());
  if (scale === undefined || (money !== "" && rest !== "")) return undefined;
  const unit = money !== "" ? moneyOf(money) : /^s?$/.test(rest) ? NO_UNIT : moneyOf(rest);
  return unit && { ...unit, factor: scale, name };
}

const MONEY_FIRST = new RegExp(`^(${SIGN_OR_CODE})\\s*(.+)$`, "u");
