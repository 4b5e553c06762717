import { names } from "../src/text/names.js";
import { quantities } from "../src/text/numbers.js";
import { chineseWords } from "../src/text/tokens.js";
import { endingOf } from "./made-claims.js";
import { numbers } from "./sample.js";

/** What a claim can be made wrong with. */
export interface Materials {
  source: string;
  /** Answers to questions about the source, and to any others. */
  own: readonly string[];
  answers: readonly string[];
  /** Sentences and names of a text about something else. */
  sentences: readonly string[];
  names: readonly string[];
  words: ReadonlyMap<string, readonly string[]>;
}

/** A claim made wrong in one of the ways that fit it. */
export function edits(claim: string, materials: Materials, seed: number): { kind: string; claim: string }[] {
  const random = numbers(seed);
  const made = Object.entries(WAYS).flatMap(([kind, way]) => {
    const text = way(claim, materials, random);
    return text !== undefined && text !== claim && !materials.source.includes(text)
      ? [{ kind, claim: text, rank: random() * (SMALL.has(kind) ? 0.5 : 1) }]
      : [];
  });
  return made
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, 1)
    .map(({ kind, claim }) => ({ kind, claim }));
}

/** What looks least wrong is made more often. */
const SMALL: ReadonlySet<string> = new Set(["number", "name", "answer", "opposite"]);

type Way = (claim: string, materials: Materials, random: () => number) => string | undefined;

const pick = <T>(some: readonly T[], random: () => number) => some[Math.floor(random() * some.length)];
const isHan = (text: string) => /\p{Script=Han}/u.test(text);
const replaced = (text: string, from: string, to: string) => text.replace(from, () => to);

const WAYS: Record<string, Way> = {
  number(claim, _, random) {
    const amount = pick(
      quantities(claim).filter(({ text }) => /\d/.test(text)),
      random,
    );
    const digits = amount && /\d+/.exec(amount.text);
    if (!amount || !digits) return undefined;
    const by = Math.max(1, Math.round(Number(digits[0]) * (0.02 + 0.2 * random())));
    const value = Number(digits[0]) + (random() < 0.5 && Number(digits[0]) > by ? -by : by);
    return `${claim.slice(0, amount.start)}${replaced(amount.text, digits[0], String(value))}${claim.slice(amount.end)}`;
  },
  name(claim, { source, names: others }, random) {
    const own = pick(names(claim), random);
    const candidates = [...names(source), ...others].filter(
      (name) => own && !name.includes(own) && !own.includes(name) && !claim.includes(name),
    );
    const other = pick(candidates, random);
    return own && other && replaced(claim, own, other);
  },
  answer(claim, { source, own, answers }, random) {
    const from = pick(
      own.filter((answer) => answer.length > 1 && claim.includes(answer) && answer.length < claim.length / 2),
      random,
    );
    const fits = answers.filter(
      (answer) =>
        from &&
        !source.includes(answer) &&
        isHan(answer) === isHan(from) &&
        /\d/.test(answer) === /\d/.test(from) &&
        /^\p{Lu}/u.test(answer) === /^\p{Lu}/u.test(from) &&
        answer.length < from.length * 2 &&
        from.length < answer.length * 2,
    );
    const to = pick(fits, random);
    return from && to && replaced(claim, from, to);
  },
  turnedNames(claim, _, random) {
    const [a, b] = names(claim).toSorted(() => random() - 0.5);
    if (!a || !b || a.includes(b) || b.includes(a)) return undefined;
    return claim
      .replace(a, "\u0000")
      .replace(b, () => a)
      .replace("\u0000", () => b);
  },
  denied(claim, _, random) {
    if (isHan(claim)) {
      if (/没有|不是|不/.test(claim)) return claim.replace(/没有|不/, (no) => (no === "没有" ? "有" : ""));
      return claim.replace(
        pick(
          ["是", "有", "为", "在", "会", "可以", "被"].filter((word) => claim.includes(word)),
          random,
        ) ?? "\u0000",
        (word) => `${word === "有" ? "没" : "不"}${word}`,
      );
    }
    if (/\bnot\b/.test(claim)) return claim.replace(/\bnot\s+/, "");
    if (/\b(?:is|are|was|were|can|could|will|would|has|have|had|may|must)\b/.test(claim))
      return claim.replace(/\b(is|are|was|were|can|could|will|would|has|have|had|may|must)\b/, "$1 not");
    return undefined;
  },
  opposite(claim, _, random) {
    const fits = OPPOSITES.filter(([word]) =>
      isHan(word) ? claim.includes(word) : new RegExp(`\\b${word}\\b`).test(claim),
    );
    const pair = pick(fits, random);
    return pair && claim.replace(isHan(pair[0]) ? pair[0] : new RegExp(`\\b${pair[0]}\\b`), pair[1]);
  },
  added(claim, { sentences }, random) {
    const from = pick(sentences, random);
    const clause = from
      ?.split(/[,，;；]/u)
      .find((part) => part.length > 8 && part.length < 90)
      ?.trim()
      .replace(/[.。]$/u, "");
    if (!clause) return undefined;
    return isHan(claim)
      ? `${claim.replace(/[。.]$/u, "")}，${clause}。`
      : `${claim.replace(/\.$/, "")}, ${random() < 0.5 ? "and" : "while"} ${clause}.`;
  },
  modifier(claim, _, random) {
    if (isHan(claim)) {
      const at = pick(
        [..."的是为在了"].filter((mark) => claim.includes(mark)),
        random,
      );
      return at && replaced(claim, at, `${at}${pick(MODIFIERS_ZH, random)}`);
    }
    const spots = [...claim.matchAll(/\b(?:the|a|an|of|in|to|is|was|are|were)\b /g)];
    const spot = pick(spots, random);
    if (!spot) return undefined;
    const at = spot.index + spot[0].length;
    return `${claim.slice(0, at)}${pick(MODIFIERS, random)} ${claim.slice(at)}`;
  },
  cause(claim, { sentences }, random) {
    const tail = pick(sentences, random)
      ?.split(/\s+/)
      .slice(-4)
      .join(" ")
      .replace(/[.。]$/u, "");
    if (!tail) return undefined;
    return isHan(claim)
      ? `由于${tail.slice(-8)}，${claim}`
      : `${claim.replace(/\.$/, "")} ${pick(["because of", "in order to support", "after", "despite"], random)} ${tail}.`;
  },
  word(claim, { source, words }, random) {
    const own = isHan(claim)
      ? (claim.match(/\p{Script=Han}+/gu) ?? []).flatMap(chineseWords).filter((word) => word.length === 2)
      : (claim.match(/(?<= )[a-z]{5,12}(?=[ ,.])/g) ?? []);
    const from = pick(own, random);
    const to =
      from &&
      pick(
        (words.get(endingOf(from)) ?? []).filter((word) => !source.includes(word)),
        random,
      );
    return from && to && replaced(claim, from, to);
  },
};

const MODIFIERS =
  "only entire initial experimental private foreign temporary annual former female secret official unsuccessful controversial early final northern rural digital medical young voluntary exclusive permanent outdated rarely reluctantly eventually previously illegally".split(
    " ",
  );
const MODIFIERS_ZH =
  "唯一 最早 私人 外国 临时 秘密 女性 官方 失败 北方 农村 永久 年轻 传统 大型 早期 最后 非法 免费 著名".split(" ");

const OPPOSITES: readonly (readonly [string, string])[] = [
  "increased:decreased rising:falling more:fewer higher:lower larger:smaller most:least first:last before:after always:never all:some many:few some:all north:south east:west northern:southern eastern:western oldest:newest early:late won:lost began:ended best:worst largest:smallest highest:lowest strong:weak high:low large:small major:minor including:excluding with:without new:old allowed:forbade public:private accepted:rejected joined:left success:failure above:below inside:outside positive:negative long:short often:rarely after:before",
  "增加:减少 上升:下降 最大:最小 最高:最低 最早:最晚 之前:之后 以前:以后 所有:部分 许多:少数 北部:南部 东部:西部 南:北 东:西 成功:失败 支持:反对 开始:结束 第一:最后 胜:负 允许:禁止 高于:低于 大:小 新:旧 多:少 加入:退出 包括:不包括 公开:秘密 增长:下跌 首次:再次 内部:外部 后:前 早期:晚期",
]
  .join(" ")
  .split(" ")
  .map((pair) => pair.split(":") as [string, string]);
