import type { Change } from "./mutate-amounts.js";
import type { Triple } from "./mutate-triples.js";

/** The sentence without its last clause, or without the part in brackets. */
export function shortened({ sentence, language }: Triple): Change[] {
  const [clause, least, end] =
    language === "en"
      ? [
          /, (?:which|who|whose|where|when|while|although|though|and|but|with|including|such as|because|as|making|leading|becoming|after|before|since) (?!.*, (?:which|who|whose|where|when|while|although|though|and|but|with|including|such as|because|as) ).*$/,
          40,
          ".",
        ]
      : [/，[^，]*$/, 12, "。"];
  const at = clause.exec(sentence)?.index ?? -1;
  const head = sentence.slice(0, at);
  // Skips cuts that leave something open: half of a list, an unclosed bracket or quotation, a condition alone.
  const whole =
    at >= least &&
    balanced(head) &&
    !/^(?:If|When|While|Although|Though|As|After|Because|Since|During|In|On|At|For|By|With)\b|^(?:如果|虽然|尽管|当|由于|因|除|为|随|在|自|从|根据|对)|[时后前]$|、/.test(
      head,
    );
  // Not inside a formula or a title.
  const bare = /《[^》]*[(（]/.test(sentence)
    ? sentence
    : sentence.replace(/(?:(?<=[A-Za-z\d])\s|(?<![A-Za-z\d])\s?)[(（][^()（）]{1,80}[)）](?![A-Za-z\d])/, "");
  return [
    ...(whole ? [{ how: "last clause dropped", text: `${head}${end}` }] : []),
    ...(bare !== sentence && bare.length >= least ? [{ how: "brackets dropped", text: bare }] : []),
  ];
}

const balanced = (text: string) =>
  [
    ["(", ")"],
    ["（", "）"],
    ["“", "”"],
    ["《", "》"],
    ["「", "」"],
  ].every(([open = "", close = ""]) => text.split(open).length === text.split(close).length) &&
  text.split('"').length % 2 === 1;

/**
 * The same in slightly different words: an amount or a date written differently, the opening phrase moved to the end, a
 * clause between commas left out.
 */
export function reworded({ sentence, language }: Triple): Change[] {
  const made = language === "en" ? rewordedEnglish(sentence) : rewordedChinese(sentence);
  return made.flatMap(([how, text]) => (text === sentence ? [] : [{ how, text }]));
}

const MONTHS = "January February March April May June July August September October November December".split(" ");
const SMALL = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");

const rewordedEnglish = (s: string): [string, string][] => [
  ["day before month", s.replace(new RegExp(`\\b(${MONTHS.join("|")}) (\\d{1,2}), (\\d{4})\\b`), "$2 $1 $3")],
  ["month before day", s.replace(new RegExp(`\\b(\\d{1,2}) (${MONTHS.join("|")}) (\\d{4})\\b`), "$2 $1, $3")],
  [
    "number in digits",
    s.replace(/(?<= )(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?= [a-z]{4,})/, (word) =>
      String(SMALL.indexOf(word)),
    ),
  ],
  [
    "number in words",
    s.replace(
      /(?<= )([2-9]|1[0-2])(?= [a-z]{4,})(?! (?:million|billion|percent))/,
      (digits) => SMALL[Number(digits)] ?? digits,
    ),
  ],
  ["no commas in a number", s.replace(/(?<=\d),(?=\d{3}\b)/g, "")],
  ["percent", s.replace(/(\d)%/g, "$1 percent")],
  [
    "opening at the end",
    s
      .replace(
        /^((?:In|On|At|By|Since|During|After) [^,]{3,40}), ([A-Z]?)([^;]*?)\.$/,
        (_, opening: string, first: string, rest: string) =>
          `${first}${rest} ${opening.charAt(0).toLowerCase()}${opening.slice(1)}.`,
      )
      .replace(/^\p{Ll}/u, (c) => c.toUpperCase()),
  ],
  ["clause left out", s.replace(/, (?:which|who|where) [^,;]{5,80}, (?=[a-z])/, " ")],
  ["in other quotation marks", s.replace(/"([^"]+)"/, "“$1”")],
];

const CHINESE_DIGITS = "零一二三四五六七八九十";

const rewordedChinese = (s: string): [string, string][] => [
  ["date with strokes", s.replace(/(\d{4})年(\d{1,2})月(\d{1,2})日/, "$1-$2-$3")],
  [
    "number in digits",
    s.replace(
      /(?<![一二三四五六七八九十百千万亿第几数零〇\d])([二三四五六七八九十])(?=[个名位座家部条岁层年天所艘架](?!代|级))/,
      (digit) => String(CHINESE_DIGITS.indexOf(digit)),
    ),
  ],
  [
    "number in words",
    s.replace(/(?<![\d.,，第年月\-–~至到])\s?([3-9])\s?(?=[个名位座家部条岁层所艘架])/, (_, digit: string) =>
      CHINESE_DIGITS.charAt(Number(digit)),
    ),
  ],
  ["percent in words", s.replace(/(?<![\d.])(\d{1,2})[%％]/, "百分之$1")],
  ["no commas in a number", s.replace(/(?<=\d),(?=\d{3}(?!\d))/g, "")],
  ["in 万", s.replace(/(?<![\d.,])([1-9]\d?)0,?000(?=[人名个])/, (_, n: string) => `${n}万`)],
  ["other quotation marks", s.replace(/“([^”]+)”/, "「$1」")],
  ["no spaces", s.replace(/(?<=\p{Script=Han}) +(?=\p{Script=Han})/gu, "")],
];
