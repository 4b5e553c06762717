/**
 * Reads a numeral: "1,200", "3.5 million", "twenty-five", "two point five", "二十五", "1.5万", 三点五万. Undefined for anything
 * else, also for numerals side by side: "nineteen ninety", "seven eleven".
 */
export function numberValue(numeral = ""): number | undefined {
  const text = numeral.trim().toLowerCase().replaceAll(",", "");
  if (text === "") return undefined;
  if (PLAIN.test(text)) return Number(text);
  return /[a-z]/.test(text) ? english(text) : chinese(text);
}

const PLAIN = /^\d*\.?\d+$/;

function english(text: string): number | undefined {
  const [, before = "", decimals, behind = ""] = POINT.exec(text) ?? [];
  if (decimals) {
    const digits = decimals
      .trim()
      .split(/\s+/)
      .map((word) => ENGLISH.get(word));
    return english(`${english(before)}.${digits.join("")}${behind}`);
  }
  let total = 0;
  let group = 0;
  for (const word of text.replace(/one(?=[\s-]+half)/, "a").split(/[\s-]+|(?<=\d)(?=[a-z])/)) {
    if (word === "and" || word === "a" || word === "") continue;
    const digits = PLAIN.test(word) ? Number(word) : word === "half" ? 0.5 : undefined;
    const value = digits ?? ENGLISH.get(word);
    const scale = SCALES.get(word);
    if (value !== undefined) {
      if (!continues(group, value)) return undefined;
      group += value;
    } else if (scale !== undefined && scale <= 100) group = (group || 1) * scale;
    else if (scale !== undefined) {
      total += rounded((group || 1) * scale);
      group = 0;
    } else return undefined;
  }
  return total + group;
}

/** True if a number goes on with this one: twenty with five, a hundred with ten, two with a half; not ten with five. */
const continues = (group: number, value: number) =>
  value === 0.5 || group % 100 === 0 || (value < 10 && group % 10 === 0 && group % 100 >= 20);

function chinese(text: string): number | undefined {
  if (/^[零〇一二三四五六七八九]{2,}$/.test(text)) {
    return Number([...text].map((character) => CHINESE.get(character)).join(""));
  }
  const [, decimal, scales = ""] = /^(.+点[^百千万亿]+)([百千万亿]+)$/u.exec(text) ?? [];
  if (decimal) {
    const factor = [...scales].reduce((product, scale) => product * (SCALES.get(scale) ?? 1), 1);
    const value = chinese(decimal);
    return value === undefined ? undefined : rounded(value * factor);
  }
  const [whole = "", fraction] = text.replace(/\s/g, "").split("点");
  let total = 0;
  let section = 0;
  let digit: number | undefined;
  let largest = 0;
  let last = 1;
  for (const match of whole.matchAll(/\d+(?:\.\d+)?|./gu)) {
    const value = /^\d/.test(match[0]) ? Number(match[0]) : CHINESE.get(match[0]);
    const scale = SCALES.get(match[0]);
    if (value === 0) last = 1;
    else if (scale !== undefined) last = scale;
    if (value !== undefined) digit = value;
    else if (scale === undefined) return undefined;
    else if (scale >= 10_000) {
      // In 一亿二千万 the second scale adds; in 十万亿 it multiplies.
      const here = section + (digit ?? 0);
      total = rounded(scale > largest ? (total + here || 1) * scale : total + (here || 1) * scale);
      largest = Math.max(largest, scale);
      section = 0;
      digit = undefined;
    } else {
      section += rounded((digit ?? 1) * scale);
      digit = undefined;
    }
  }
  const decimals = fraction ? [...fraction].map((character) => CHINESE.get(character) ?? character).join("") : "";
  // 一万五 leaves out 千, 一万零五 does not.
  const value = total + section + (digit ?? 0) * (last > 10 && (digit ?? 0) < 10 ? last / 10 : 1);
  return decimals === "" ? value : Number(`${value}.${decimals}`);
}

/** Rounds away the floating-point noise in products of decimals and powers of ten. */
export const rounded = (value: number) => Number(value.toPrecision(12));

const counted = (from: number, words: string, step = 1): [string, number][] =>
  words.split(" ").map((word, i) => [word, (from + i) * step]);

const ENGLISH: ReadonlyMap<string, number> = new Map([
  ...counted(
    0,
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen",
  ),
  ...counted(2, "twenty thirty forty fifty sixty seventy eighty ninety", 10),
]);
const CHINESE: ReadonlyMap<string, number> = new Map([
  ...counted(0, "零 一 二 三 四 五 六 七 八 九"),
  ["〇", 0],
  ["两", 2],
]);
const SCALES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    dozen: 12,
    hundred: 100,
    thousand: 1e3,
    million: 1e6,
    billion: 1e9,
    trillion: 1e12,
    bn: 1e9,
    k: 1e3,
    十: 10,
    百: 100,
    千: 1e3,
    万: 1e4,
    亿: 1e8,
  }),
);

const numerals = [...ENGLISH.keys()];
const between = (from: number, to?: number) => numerals.slice(from, to).join("|");
const word = numerals.toSorted((a, b) => b.length - a.length).join("|");
const scale = "dozen|hundred|thousand|million|billion|trillion";
const andHalf = "[\\s-]{1,4}and[\\s-]{1,4}(?:a|one)[\\s-]{1,4}half\\b";
const andDecimals = `\\s{1,4}point(?:\\s{1,4}(?:${between(0, 10)})\\b){1,12}(?:\\s{1,4}(?:${scale}))?`;
const POINT = new RegExp(`^(.+?)\\s+point((?:\\s+(?:${between(0, 10)})\\b)+)(.*)$`);

/**
 * Parts of regular expressions. Each begins where a numeral begins and is bounded, so that a page of digits costs no more
 * than a page of words.
 */
export const DIGITS =
  "(?:(?<!\\d)(?:\\d{1,3}(?:,\\d{3}){1,6}|\\d{1,15})(?:\\.\\d{1,12})?(?!\\d)|\\.(?<=(?:^|[\\s([|$€£¥<>=≤≥≈~+−-])\\.)\\d{1,12}(?![\\d.]))";
export const ENGLISH_NUMERAL = `(?:${DIGITS}(?:${andHalf})?(?:\\s{1,4}(?:${scale})|\\s?bn\\b|k\\b)?|\\bhalf(?:\\s{1,4}a)?[\\s-]{1,4}(?:${scale})\\b|\\b(?:a\\s{1,4})?(?:${word}|${scale})(?:${andHalf}|(?:(?<=${scale})\\s{1,4}and\\s{1,4}|[\\s-]{1,4})(?:${word}|${scale})){0,12}(?:${andDecimals})?\\b)`;
const CHINESE_DIGIT = "[零〇一二两三四五六七八九十百千万亿]";
export const CHINESE_NUMERAL = `(?:(?:${DIGITS}\\s?[十百千万亿]{1,4}){1,4}(?:(?:\\d|\\d{4})(?![\\d.%A-Za-z]))?|(?<!${CHINESE_DIGIT})${CHINESE_DIGIT}{1,16}(?:点[零一二三四五六七八九]{1,12}[百千万亿]{0,3})?)`;

/** Two numerals side by side that name a year: "nineteen ninety-five", "twenty ten". */
export const YEAR_IN_WORDS = `\\b(?<century>${between(13, 21)})[\\s-]{1,4}(?<n>${between(10, 20)}|(?:${between(20)})(?:[\\s-]{1,4}(?:${between(1, 10)}))?)\\b(?![\\s-]{1,4}(?:${word}|${scale}))`;
