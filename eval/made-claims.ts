import { names } from "../src/text/names.js";
import { quantities } from "../src/text/numbers.js";
import { sentences } from "../src/text/sentences.js";
import { chineseWords } from "../src/text/tokens.js";
import { edits, type Materials } from "./claim-edits.js";
import { shuffled } from "./sample.js";
import type { Asked } from "./sets/reading.js";

/** A claim made by code, held against the paragraph it was made for. */
export interface MadeClaim {
  /** The article, which is never split between fitting and measuring. */
  group: string;
  kind: string;
  claim: string;
  source: string;
  supported: boolean;
}

/**
 * Claims for every paragraph of a reading set: its sentences whole, shortened, joined, in near words, and questions with
 * their answers in place; and each of them with one thing made wrong. The same seed gives the same claims.
 */
export function madeClaims(asked: readonly Asked[], seed = 1): MadeClaim[] {
  const paragraphs = [...Map.groupBy(asked, (item) => item.paragraph)];
  const texts = paragraphs.map(([paragraph]) => paragraph.text);
  const order = shuffled(texts, seed);
  const words = wordsByEnding(texts);
  return paragraphs.flatMap(([paragraph, items], at) => {
    const source = paragraph.text;
    const other = order[(order.indexOf(source) + 1) % order.length] ?? "";
    const answers = shuffled([...items, ...asked], seed + at)
      .slice(0, 60)
      .flatMap((item) => item.answers.slice(0, 1));
    const materials: Materials = {
      source,
      own: items.flatMap((item) => item.answers),
      answers,
      sentences: plainSentences(other),
      names: names(other),
      words,
    };
    const positives = supportedBy(source, items, seed + at);
    const made = positives.map(({ kind, claim }) => ({ kind, claim, supported: true }));
    const wrong = positives.flatMap(({ claim }, i) =>
      edits(claim, materials, seed + at * 31 + i).map((edit) => ({ ...edit, supported: false })),
    );
    const misread = wronglyAnswered(items).map((claim) => ({ kind: "otherAnswer", claim, supported: false }));
    const foreign = plainSentences(other)
      .slice(0, 1)
      .map((claim) => ({ kind: "foreign", claim, supported: false }));
    return [...made, ...wrong, ...misread, ...foreign].map((item) => ({ ...item, group: paragraph.article, source }));
  });
}

const plainSentences = (text: string) =>
  sentences(text)
    .map(({ start, end }) => text.slice(start, end))
    .filter((sentence) => sentence.length >= 12 && sentence.length <= 400);

function supportedBy(source: string, items: readonly Asked[], seed: number) {
  const some = shuffled(plainSentences(source), seed);
  const [first, second, third, fourth] = some;
  const made = [
    ...(first ? [{ kind: "verbatim", claim: first }] : []),
    ...(second ? [{ kind: "shortened", claim: shortened(second) }] : []),
    ...(first && third ? [{ kind: "joined", claim: joined(third, first) }] : []),
    ...((fourth ?? second) ? [{ kind: "nearWords", claim: inNearWords(fourth ?? second ?? "") }] : []),
  ];
  const answered = items.flatMap(({ question, answers: [answer] }) => {
    const claim = answer && answerInPlace(question, answer);
    return claim ? [{ kind: "answered", claim }] : [];
  });
  return [...made, ...shuffled(answered, seed).slice(0, 3)];
}

/** Without what stands between its first commas, or behind the last. */
function shortened(sentence: string): string {
  const parts = sentence.split(/(?<=[,，;；])/u);
  if (parts.length < 2) return sentence;
  const kept = parts.length === 2 ? parts.slice(0, 1) : [parts[0] ?? "", ...parts.slice(2)];
  return `${kept.join("").replace(/[,，;；]\s*$/u, "")}${/\p{Script=Han}/u.test(sentence) ? "。" : "."}`;
}

const joined = (a: string, b: string) =>
  /\p{Script=Han}/u.test(a) ? `${a.replace(/[。.]$/u, "")}，${b}` : `${a.replace(/\.$/, "")}, and ${b}`;

/** Words that say the same almost everywhere. */
const SAME: readonly (readonly [RegExp, string])[] = [
  [/\blarge\b/g, "big"],
  [/\bbig\b/g, "large"],
  [/\bbegan\b/g, "started"],
  [/\bstarted\b/g, "began"],
  [/\bused\b/g, "employed"],
  [/\bimportant\b/g, "significant"],
  [/\bshowed\b/g, "demonstrated"],
  [/\bbuilt\b/g, "constructed"],
  [/\bhelped\b/g, "assisted"],
  [/\bobtain(ed)?\b/g, "acquire$1"],
  [/\bcalled\b/g, "named"],
  [/\bnamed\b/g, "called"],
  [/\bhowever\b/gi, "nevertheless"],
  [/\bbecause\b/g, "since"],
  [/\bnear\b/g, "close to"],
  [/\bneeds?\b/g, "requires"],
  [/\balso\b/g, "additionally"],
  [/\bmany\b/g, "numerous"],
  [/\bapproximately\b/g, "about"],
  [/\babout\b/g, "around"],
  [/\bwhole\b/g, "entire"],
  [/\bcreated\b/g, "established"],
  [/\bfounded\b/g, "established"],
  [/\bincluding\b/g, "such as"],
  [/\bgot\b/g, "received"],
  [/\bwithin\b/g, "inside"],
  [/\bwas held\b/g, "took place"],
  [/\bthroughout\b/g, "across"],
  [/\bprimarily\b/g, "mainly"],
  [/\bmainly\b/g, "chiefly"],
  [/\btogether\b/g, "jointly"],
  [/\bin order to\b/g, "to"],
  [/\bdue to\b/g, "because of"],
  [/\bchildren\b/g, "kids"],
  [/\bjobs\b/g, "employment"],
  [/\bpeople\b/g, "individuals"],
  [/\bcity\b/g, "town"],
  [/\bstate(?:s|d)\b/g, "declared"],
  [/\bdied\b/g, "passed away"],
  [/\blived\b/g, "resided"],
  [/\bmethod\b/g, "approach"],
  [/\bresult\b/g, "outcome"],
  [/\ballow(s|ed)?\b/g, "enable$1"],
  [/\bbegins?\b/g, "starts"],
  [/\bimprove(s|d)?\b/g, "enhance$1"],
  [/位于/g, "坐落于"],
  [/由于/g, "因为"],
  [/因为/g, "由于"],
  [/但是/g, "不过"],
  [/目前/g, "现在"],
  [/开始/g, "起初便"],
  [/建立/g, "创立"],
  [/成立/g, "创建"],
  [/获得/g, "取得"],
  [/著名/g, "知名"],
  [/重要/g, "关键"],
  [/使用/g, "采用"],
  [/包括/g, "包含"],
  [/大约/g, "约"],
  [/认为/g, "相信"],
  [/担任/g, "出任"],
  [/出生于/g, "生于"],
  [/主要/g, "大多"],
  [/许多/g, "很多"],
  [/非常/g, "十分"],
  [/之后/g, "以后"],
  [/进行/g, "展开"],
  [/发现/g, "察觉"],
  [/全部/g, "所有"],
  [/以及/g, "和"],
  [/可以/g, "能够"],
  [/帮助/g, "协助"],
  [/死亡/g, "去世"],
  [/逝世/g, "去世"],
  [/发展/g, "演进"],
  [/特别/g, "尤其"],
  [/影响/g, "作用"],
  [/方法/g, "办法"],
  [/成为/g, "变成"],
  [/称为/g, "叫做"],
  [/一共/g, "总共"],
];

const inNearWords = (sentence: string) => SAME.reduce((text, [pattern, by]) => text.replace(pattern, by), sentence);

/** A question with its answer where its question word stood: 谁 and 什么 stand in place, "who" opens as subject does. */
function answerInPlace(question: string, answer: string): string | undefined {
  const bare = question.trim().replace(/[?？。.\s]+$/u, "");
  if (/\p{Script=Han}/u.test(bare)) {
    const asked =
      /什么时候|什么地方|什么人|哪一年|哪年|哪一天|哪里|哪儿|哪个国家|哪个城市|何时|何地|何处|多少(?:个|人|年|名|次|公里|米|平方公里)?|什么|谁|哪个|哪位|何/u.exec(
        bare,
      );
    return asked ? `${bare.slice(0, asked.index)}${answer}${bare.slice(asked.index + asked[0].length)}。` : undefined;
  }
  const subject =
    /^(?:who|what|which(?: \w+){0,3})\s+(?!(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b)(?=\w+(?:s|ed|d|t|e|w)\b)/i.exec(
      bare,
    );
  if (subject) return `${answer} ${bare.slice(subject[0].length)}.`;
  const be = /^(?:who|what|which|where|when) (is|are|was|were) (.+)$/i.exec(bare);
  if (be) return `${capital(be[2] ?? "")} ${be[1]} ${answer}.`;
  const did = /^(?:who|what|which|where|when|how many|how much)\b.*?\b(?:do|does|did|can|could|will|would) (.+)$/i.exec(
    bare,
  );
  return did ? `${capital(did[1] ?? "")} ${answer}.` : undefined;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** A question with the answer to another question of the same paragraph that is of the same kind. */
function wronglyAnswered(items: readonly Asked[]): string[] {
  return items.flatMap(({ question, answers: [own] }) => {
    const other = items.find(
      ({ answers: [answer] }) =>
        own &&
        answer &&
        !own.includes(answer) &&
        !answer.includes(own) &&
        !question.includes(answer) &&
        quantities(own).length === quantities(answer).length &&
        names(own).length > 0 === names(answer).length > 0,
    );
    const claim = other?.answers[0] && answerInPlace(question, other.answers[0]);
    return claim ? [claim] : [];
  });
}

/** Words of all paragraphs by how they end, so that one can stand where another stood. */
function wordsByEnding(texts: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const all = texts.flatMap((text) =>
    /\p{Script=Han}/u.test(text)
      ? (text.match(/\p{Script=Han}+/gu) ?? []).flatMap(chineseWords).filter((word) => word.length === 2)
      : (text.match(/(?<= )[a-z]{5,12}(?= )/g) ?? []),
  );
  return Map.groupBy([...new Set(all)], endingOf);
}

export const endingOf = (word: string) => (/\p{Script=Han}/u.test(word) ? "zh" : word.slice(-2));
