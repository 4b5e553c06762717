import { pick, type Triple } from "./mutate-triples.js";

/** A sentence with one thing changed, and how. */
export interface Change {
  how: string;
  text: string;
}

/** A place in a sentence, the text there, and what may replace it. */
export interface Place {
  at: number;
  old: string;
  others: readonly string[];
}

/** Makes one change at one of the places, chosen by the key. A change that the quote also states is not used. */
export function change(how: string, triple: Triple, places: readonly Place[], seed: string): Change[] {
  const { sentence, quote } = triple;
  const possible = places.flatMap(({ at, old, others }) =>
    others.filter((other) => other !== old && !standsIn(quote, other)).map((other) => ({ at, old, other })),
  );
  const place = pick([...Map.groupBy(possible, ({ at }) => at).values()], `${seed} ${how} ${triple.id}`);
  const chosen = place && pick(place, `${seed} ${triple.id} ${how}`);
  if (!chosen) return [];
  const text = sentence.slice(0, chosen.at) + chosen.other + sentence.slice(chosen.at + chosen.old.length);
  return [{ how: `${how}: ${chosen.old} → ${chosen.other}`, text }];
}

/** Whole numbers and whole Latin words only; "4" is not in "14". */
export function standsIn(text: string, words: string): boolean {
  const [low, wanted] = [text.toLowerCase(), words.toLowerCase()];
  for (let at = low.indexOf(wanted); at >= 0; at = low.indexOf(wanted, at + 1)) {
    const around = [low.charAt(at - 1) + wanted.charAt(0), wanted.slice(-1) + low.charAt(at + wanted.length)];
    if (!around.some((edge) => /[a-z]{2}|\d{2}/.test(edge))) return true;
  }
  return false;
}

/** Numbers that are not dates: digits in both languages, number words, and Chinese numerals before a counted thing. */
export function numbers({ sentence, quote }: Triple): Place[] {
  const places = [...sentence.matchAll(DIGITS)].flatMap((match) => {
    const [old, at] = [match[0], match.index];
    const [before, after] = [sentence.slice(0, at), sentence.slice(at + old.length)];
    if (isDate(old, before, after)) return [];
    return [{ at, old, others: otherDigits(old).filter((other) => !saysInWords(quote, other)) }];
  });
  const words = [...sentence.matchAll(new RegExp(`\\b(?:${WORDS.join("|")})\\b`, "gi"))].map((match) => ({
    at: match.index,
    old: match[0],
    others: others(WORDS, match[0]).filter((other) => !standsIn(quote, String(WORD_VALUES[WORDS.indexOf(other)]))),
  }));
  const chinese = [...sentence.matchAll(COUNTED)].map((match) => ({
    at: match.index,
    old: match[0],
    others: ZH_NUMBERS.filter(
      (other) => other !== match[0].replace("两", "二") && !standsIn(quote, String(ZH_NUMBERS.indexOf(other) + 2)),
    ),
  }));
  const scales = [...sentence.matchAll(/(?<=\d\s?)(?:hundred|thousand|million|billion|[万亿千])/g)].map((match) => ({
    at: match.index,
    old: match[0],
    others: (match[0].length > 1 ? ["thousand", "million", "billion"] : ["万", "亿", "千"]).filter(
      (other) => !quote.includes(other),
    ),
  }));
  return [...places, ...words, ...chinese, ...scales];
}

const DIGITS = /(?<![\w.,/:-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w/:])|(?<![\w.,/:-])\d+(?:\.\d+)?(?![\w/:]|[.,]\d)/g;
const WORDS =
  "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty seventy eighty ninety".split(
    " ",
  );
const WORD_VALUES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 30, 40, 50, 60, 70, 80, 90];
const COUNTED =
  /(?<![一二两三四五六七八九十百千万亿零〇第几数周星期上下\d])(?:[二两三四五六七八九]|[二三四五六七八九]?十[一二三四五六七八九]?)(?=[个名人位次种座家部支条岁层年天所间块艘架辆项届场队集卷章](?!代))/g;
const ZH_NUMBERS = [..."二三四五六七八九十"].concat(["十一", "十二", "十三"]);
const MONTHS = "January February March April May June July August September October November December".split(" ");
const MONTH = new RegExp(`\\b(?:${MONTHS.join("|")}|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\\.?`);

const others = (list: readonly string[], old: string) =>
  list
    .filter((other) => other !== old.toLowerCase())
    .map((other) => (/^\p{Lu}/u.test(old) ? other.charAt(0).toUpperCase() + other.slice(1) : other));

function isDate(old: string, before: string, after: string): boolean {
  if (/^\s*(?:[年月日号时点]|世纪|年代|-?\s*century)|^s\b|^(?:st|nd|rd|th)/.test(after)) return true;
  if (new RegExp(`${MONTH.source},?\\s*$`).test(before) || new RegExp(`^\\s*(?:of )?${MONTH.source}`).test(after))
    return true;
  return /^(?:1\d{3}|20[0-3]\d)$/.test(old);
}

/**
 * The mistakes that people and models make with numbers: a little off, one digit wrong, two digits exchanged, another
 * magnitude.
 */
function otherDigits(old: string): string[] {
  const value = Number(old.replaceAll(",", ""));
  const decimals = old.split(".")[1]?.length ?? 0;
  const written = (n: number) =>
    old.includes(",")
      ? n.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
      : n.toFixed(decimals);
  const step = 10 ** -decimals;
  const off = [step, 2 * step, 3 * step, 10 ** Math.max(0, String(Math.trunc(value)).length - 2)];
  const exchanged = Number(String(Math.trunc(value)).replace(/(\d)(\d)$/, "$2$1"));
  return [...off.map((by) => value + by), ...off.map((by) => value - by), value * 10, exchanged]
    .filter((n) => n > 1 && n !== value)
    .map(written);
}

function saysInWords(quote: string, digits: string): boolean {
  const value = Number(digits.replaceAll(",", ""));
  const word = WORDS[WORD_VALUES.indexOf(value)];
  const chinese = ZH_NUMBERS[value - 2];
  const plain = digits.replaceAll(",", "");
  return (
    standsIn(quote, plain) ||
    (word !== undefined && standsIn(quote, word)) ||
    (chinese !== undefined && quote.includes(chinese))
  );
}

/** Years, months, days of the month, decades and centuries. */
export function dates({ sentence }: Triple): Place[] {
  const found: Place[] = [];
  const add = (pattern: RegExp, make: (old: string) => readonly string[]) => {
    for (const match of sentence.matchAll(pattern))
      found.push({ at: match.index, old: match[0], others: make(match[0]) });
  };
  const around = (least: number, most: number, by: readonly number[]) => (old: string) =>
    by
      .map((step) => Number(old) + step)
      .filter((n) => n >= least && n <= most)
      .map(String);
  const years = [1, 2, 3, 5, 10, 17, 30, 100].flatMap((n) => [n, -n]);
  add(
    /(?<![\w.,$£€#-])(?:1[0-9]{3}|20[0-2]\d)(?=年|[^\w.,年%°]|[.,]\D|[.,]?$)(?!\s*(?:[a-z]*\s)?(?:people|km|m|kg|men|students|miles|feet|square|members|yards|troops|soldiers|公里|人|名|个|米))/g,
    around(1000, 2030, years),
  );
  add(new RegExp(`\\b(?:${MONTHS.join("|")})\\b(?=\\s+\\d|,| of )`, "g"), (old) =>
    others(
      MONTHS.map((m) => m.toLowerCase()),
      old,
    ),
  );
  add(
    new RegExp(`(?<=\\b(?:${MONTHS.join("|")}) )\\d{1,2}\\b|(?<![\\d.,])\\d{1,2}(?= (?:${MONTHS.join("|")}))`, "g"),
    around(1, 28, [1, 2, 5, -1, -2, -5]),
  );
  add(/(?<=年)\d{1,2}(?=月)/g, around(1, 12, [1, 2, -1, -2]));
  add(/(?<=月)\d{1,2}(?=[日号])/g, around(1, 28, [1, 2, 5, -1, -2, -5]));
  add(/\b(?:1[0-9]{2}|20[0-2])0(?=s\b|年代)/g, around(1000, 2030, [10, 20, -10, -20]));
  add(/\b\d{1,2}(?=th[ -]century)|(?<!\d)\d{1,2}(?=世纪)/g, around(4, 20, [1, -1, 2, -2]));
  add(/[一二三四五六七八九十]{1,3}(?=世纪)/g, () => [
    "十二",
    "十三",
    "十四",
    "十五",
    "十六",
    "十七",
    "十八",
    "十九",
    "二十",
  ]);
  add(/(?<=年)(?:十[一二]?|[一二三四五六七八九])(?=月)/g, () => [..."一二三四五六七八九十"]);
  return found;
}

/** Another unit of the same kind after the same number. */
export function units({ sentence, quote }: Triple): Place[] {
  const found: Place[] = [];
  for (const group of UNITS) {
    const names = group.toSorted((a, b) => b.length - a.length).join("|");
    const pattern = /[a-z]/.test(names)
      ? new RegExp(`(?<=(?:\\d|\\b(?:${WORDS.join("|")}|hundred|thousand|million|billion))[ -])(?:${names})\\b`, "g")
      : new RegExp(
          `(?<=[\\d一二两三四五六七八九十百千万亿][多余]?)(?:${names})(?![^，。；、的]{0,2}(?:前|初|末|代|级))`,
          "g",
        );
    for (const match of sentence.matchAll(pattern)) {
      // The same number may also come before the other unit: "10 km (6.2 mi)".
      const others = group.filter(
        (name) => !quote.includes(name.replace(/s$/, "")) && isPlural(name) === isPlural(match[0]),
      );
      found.push({ at: match.index, old: match[0], others });
    }
  }
  // A bare 年 is mostly a date; after one or two digits that no month follows, it is counted.
  for (const match of sentence.matchAll(/(?<=(?<!\d)[1-9]|(?<!\d)[1-4]\d)年(?=[，。的后间来]|以)/g))
    found.push({ at: match.index, old: match[0], others: ["个月", "天"].filter((name) => !quote.includes(name)) });
  return found;
}

const isPlural = (name: string) => /s$|^feet$/.test(name);

/** "年" alone is mostly a date, so the Chinese years that are counted carry their own word. */
const UNITS: readonly (readonly string[])[] = [
  ["kilometres", "miles", "metres", "meters", "kilometers", "feet", "yards", "inches"],
  ["km", "mi", "ft", "cm", "mm"],
  ["kilograms", "tons", "tonnes", "pounds", "grams"],
  ["kg", "lb"],
  ["seconds", "minutes", "hours", "days", "weeks", "months", "years", "decades", "centuries"],
  ["second", "minute", "hour", "day", "week", "month", "year"],
  ["hectares", "acres"],
  ["dollars", "pounds", "euros", "yen", "francs"],
  ["percent", "million"],
  ["公里", "米", "英里", "英尺", "厘米"],
  ["平方公里", "平方米", "公顷", "亩"],
  ["公斤", "吨", "克", "斤", "磅"],
  ["秒", "分钟", "小时", "天", "个月", "周"],
  ["美元", "欧元", "英镑", "日元", "人民币", "港元"],
  ["摄氏度", "华氏度"],
];
