import { type Change, change, type Place, standsIn } from "./mutate-amounts.js";
import { pick, sentencesOf, type Triple } from "./mutate-triples.js";

/** A denial added or removed. */
export function negated(triple: Triple, seed: string): Change[] {
  return [
    ...change("inserted", triple, triple.language === "en" ? insertEnglish(triple) : insertChinese(triple), seed),
    ...change("removed", triple, triple.language === "en" ? removeEnglish(triple) : removeChinese(triple), seed),
  ];
}

/** The main verb comes early. A later auxiliary may belong to a subordinate clause, whose denial will do as well. */
const insertEnglish = ({ sentence }: Triple): Place[] =>
  [
    ...sentence.matchAll(
      /\b(?:is|are|was|were|can|could|will|would|has been|have been|had been|must|should|may)\b(?! (?:not|never|no|n't|neither|hardly))/g,
    ),
  ].map((match) => ({
    at: match.index,
    old: match[0],
    others: /been$/.test(match[0])
      ? [match[0].replace(" been", " not been"), match[0].replace(" been", " never been")]
      : [`${match[0]} not`, `${match[0]} never`],
  }));

const removeEnglish = ({ sentence }: Triple): Place[] => [
  ...places(
    sentence,
    /\b(?:is|are|was|were|can|could|will|would|has|have|had|must|should|may|does|do|did) not (?!only)/g,
    (old) => old.replace(" not", ""),
  ),
  ...places(sentence, /\bcannot\b/g, () => "can"),
  ...places(sentence, /\bnever \b/g, () => ""),
  ...places(sentence, /\bwithout\b/g, () => "with"),
];

const insertChinese = ({ sentence }: Triple): Place[] => [
  ...places(sentence, /(?<![不还就也都若要但只总算可凡于便正乃即]|如果|是)是(?![否不])/g, () => "不是"),
  ...places(
    sentence,
    /(?<![没拥所具只含还仅设共原专享现公固国私占]|未)有(?=[一二三四五六七八九十\d两许很多])/g,
    () => "没有",
  ),
  ...places(sentence, /(?<![不才所])(?:能够|可以)/g, (old) => `不${old}`),
  ...places(sentence, /(?<![不未没已])(?:位于|属于|包括)/g, (old) => `不${old}`),
  ...places(sentence, /(?<![不未没已所]|\p{Script=Han}所)被(?![子褥单])/gu, () => "没有被"),
];

const removeChinese = ({ sentence }: Triple): Place[] => [
  ...places(sentence, /不是(?!.{0,20}而是)/g, () => "是"),
  ...places(sentence, /没有/g, () => "有"),
  ...places(sentence, /(?:不能|不可以|无法)/g, () => "可以"),
  ...places(sentence, /(?<!.{0,4}[还并])未能/g, () => "能"),
  ...places(sentence, /从未/g, () => "曾经"),
  ...places(sentence, /(?<=\p{Script=Han})不(?=[会再需想愿允受属])/gu, () => ""),
];

const places = (sentence: string, pattern: RegExp, make: (old: string) => string): Place[] =>
  [...sentence.matchAll(pattern)].map((match) => ({ at: match.index, old: match[0], others: [make(match[0])] }));

/** A word replaced by its opposite, including comparisons. */
export function opposites(triple: Triple, seed: string): Change[] {
  const found = ANTONYMS.flatMap((pair) =>
    pair.flatMap((word, i) => {
      const other = pair[1 - i] ?? "";
      if (standsIn(triple.quote, other)) return [];
      // "over" and "under" compare only before a number.
      const behind = /^(?:over|under)$/.test(word) ? "(?= (?:\\d|half|a |the age))" : "\\b";
      const pattern = /[a-z]/.test(word) ? new RegExp(`\\b${word}${behind}`, "g") : new RegExp(word, "g");
      return places(triple.sentence, pattern, () => other);
    }),
  );
  return change("opposite", triple, found, seed);
}

/** Written without looking at the words that the checker knows. */
const ANTONYMS: readonly (readonly [string, string])[] = [
  "more less",
  "higher lower",
  "larger smaller",
  "greater lesser",
  "before after",
  "above below",
  "most least",
  "largest smallest",
  "highest lowest",
  "first last",
  "earlier later",
  "increase decrease",
  "increased decreased",
  "increasing decreasing",
  "increases decreases",
  "northern southern",
  "north south",
  "eastern western",
  "east west",
  "won lost",
  "early late",
  "won lost",
  "began ended",
  "beginning end",
  "rich poor",
  "strong weak",
  "major minor",
  "majority minority",
  "best worst",
  "allowed forbidden",
  "accepted rejected",
  "success failure",
  "successful unsuccessful",
  "many few",
  "often rarely",
  "always never",
  "same different",
  "public private",
  "internal external",
  "positive negative",
  "longest shortest",
  "longer shorter",
  "faster slower",
  "all some",
  "only also",
  "included excluded",
  "oldest youngest",
  "older younger",
  "victory defeat",
  "supported opposed",
  "at least|at most",
  "over under",
  "upper lower",
  "inside outside",
  "高于 低于",
  "大于 小于",
  "多于 少于",
  "超过 不到",
  "增加 减少",
  "上升 下降",
  "提高 降低",
  "最大 最小",
  "最高 最低",
  "最早 最晚",
  "最长 最短",
  "之前 之后",
  "以前 以后",
  "南部 北部",
  "东部 西部",
  "北方 南方",
  "东北 西南",
  "开始 结束",
  "胜利 失败",
  "成功 失败",
  "击败 败给",
  "赢得 输掉",
  "支持 反对",
  "允许 禁止",
  "接受 拒绝",
  "首次 末次",
  "第一 最后",
  "早期 晚期",
  "内部 外部",
  "主要 次要",
  "全部 部分",
  "所有 少数",
  "大多数 少数",
  "许多 少数",
  "经常 很少",
  "至少 至多",
  "公开 秘密",
  "直接 间接",
  "优势 劣势",
  "扩大 缩小",
  "强大 弱小",
  "富裕 贫穷",
].map((line): [string, string] => {
  const [one = "", other = ""] = line.split(line.includes("|") ? "|" : " ");
  return [one, other];
});

/** A clause, or a modifier, that comes from another article. */
export function added(triple: Triple, foreign: readonly Triple[], seed: string): Change[] {
  const others = foreign.filter(({ paragraph }) => paragraph.article !== triple.paragraph.article);
  const kinds = [
    { how: "clause", from: others.flatMap(({ sentence, language }) => clauseOf(sentence, language)) },
    { how: "modifier", from: others.flatMap(({ sentence, language }) => modifierOf(sentence, language)) },
  ];
  return kinds.flatMap(({ how, from }) => {
    const extra = pick(
      from.filter((words) => !triple.paragraph.text.includes(words.replace(/^[,，\s]+/, ""))),
      `${seed} ${how} ${triple.id}`,
    );
    if (extra === undefined) return [];
    const body = triple.sentence.replace(/[.。!！?？；;"”」]+$/u, "");
    const text =
      triple.language === "zh" && how === "modifier"
        ? `${extra}，${body}。`
        : `${body}${extra}${triple.language === "en" ? "." : "。"}`;
    return [{ how: `${how}: ${extra.trim()}`, text }];
  });
}

function clauseOf(sentence: string, language: "en" | "zh"): string[] {
  const match =
    language === "en"
      ? /, (?:which|who|where|and|while|because|after|although|with) [^,;.()"]{20,80}(?=\.$)/.exec(sentence)
      : /，[^，。；、（）“”]{6,25}(?=。$)/u.exec(sentence);
  return match ? [match[0]] : [];
}

function modifierOf(sentence: string, language: "en" | "zh"): string[] {
  const match =
    language === "en"
      ? / (?:in|by|with|for|from|at) (?:the |a )?[a-zA-Z][^,;.()"]{8,35}(?=\.$)/.exec(sentence)
      : /(?<=^|，)(?:在|因|由于|为了|通过|根据)[^，。；、（）“”]{4,16}(?=，)/u.exec(sentence);
  return match ? [match[0]] : [];
}

/** A claim merged from the halves of two unrelated sentences, and the triple of the second one. */
export function merged(triple: Triple, foreign: readonly Triple[], seed: string) {
  const other = pick(
    foreign.filter(({ paragraph }) => paragraph.article !== triple.paragraph.article),
    `${seed} merged ${triple.id}`,
  );
  const [first] = halves(triple);
  const [, second] = other ? halves(other) : [];
  return other && first && second ? { other, text: `${first}${second}` } : undefined;
}

/** Cuts between words as near to the middle as possible; in Chinese, at a comma if there is one. */
function halves({ sentence, language }: Triple): [string, string] | [] {
  const middle = sentence.length / 2;
  const cuts = [...sentence.matchAll(language === "en" ? /\s(?=\S)/g : /，/g)].map((match) => match.index + 1);
  const near = cuts.toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0];
  const at = near ?? (language === "zh" ? Math.floor(middle) : undefined);
  return at === undefined ? [] : [sentence.slice(0, at), sentence.slice(at)];
}

/** The sentences of a triple's paragraph other than its own, for quotes stitched from two places. */
export const otherSentences = ({ paragraph, sentence }: Triple) =>
  sentencesOf(paragraph.text)
    .map(({ text }) => text)
    .filter((text) => text !== sentence && text.length > 15);
