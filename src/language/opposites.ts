import type { Span } from "../types/evidence.js";
import { wordsOf } from "./words.js";

/**
 * Finds a word of a claim that stands in the place of its opposite in another text, and that opposite: "more" and "less",
 * 增加 and 减少, "encrypted" and "unencrypted". Two words are in the same place if the word before or behind is the same;
 * for a single Chinese character both must be. Undefined if there is none, or if a text has both words.
 */
export function opposed(claim: string, other: string): readonly [Span, Span] | undefined {
  const [here, there] = [keysOf(claim), keysOf(other)];
  const pair =
    PAIRS.find(([one, two]) => isExchanged(` ${here} `, ` ${there} `, one, two)) ??
    byPrefix(here, there) ??
    byPrefix(there, here)?.toReversed();
  return pair && [placeOf(claim, pair[0] ?? ""), placeOf(other, pair[1] ?? "")];
}

const keysOf = (text: string) =>
  wordsOf(text)
    .map(({ key }) => key)
    .join(" ");

function isExchanged(here: string, there: string, one: string, two: string): boolean {
  if (!there.includes(` ${two} `) || here.includes(` ${two} `) || there.includes(` ${one} `)) return false;
  for (let at = here.indexOf(` ${one} `); at >= 0; at = here.indexOf(` ${one} `, at + 1)) {
    const before = here.slice(0, at).split(" ").at(-1);
    const behind = here.slice(at + one.length + 2).split(" ", 1)[0];
    const sides = [before && there.includes(` ${before} ${two} `), behind && there.includes(` ${two} ${behind} `)];
    if (behind && /^\p{Script=Han}$/u.test(one) ? sides.every(Boolean) : sides.some(Boolean)) return true;
  }
  return false;
}

/** Finds a word that is a word of the other text with a negative prefix. */
function byPrefix(here: string, there: string): [string, string] | undefined {
  const [these, those] = [here.split(" "), there.split(" ")];
  for (const word of these) {
    const bare = PREFIX.exec(word)?.[1];
    if (bare && those.includes(bare) && !these.includes(bare) && !those.includes(word)) return [word, bare];
  }
  return undefined;
}

function placeOf(text: string, keys: string): Span {
  const [words, wanted] = [wordsOf(text), keys.split(" ")];
  const first = words.findIndex((_, i) => wanted.every((key, j) => words[i + j]?.key === key));
  return { start: words[first]?.start ?? 0, end: words[first + wanted.length - 1]?.end ?? 0 };
}

const pairsOf = (ones: readonly string[], others: readonly string[]) =>
  ones.flatMap((one) => others.map((two): [string, string] => [one, two]));

const PREFIX = /^(?:un|in|im|il|ir|dis|non|anti)([a-z]{4,})$/;

/** Opposites, on either side of a bar. */
const PAIRS: readonly (readonly [string, string])[] = `
  increased rise rises rose grew grow | decreased declined fell fall dropped drop shrank;
  allowed permitted may | forbidden prohibited banned disallowed;
  more greater higher larger over above | less fewer lower smaller under below;
  most highest largest greatest biggest maximum | least lowest smallest minimum fewest;
  first oldest earliest | last newest latest youngest; before earlier early prior | after later late;
  always often frequently commonly | never rarely seldom hardly; north northern | south southern;
  east eastern | west western; accepted approved | rejected refused denied declined; win won victory | lose lost defeat;
  buys bought purchased | sells sold; true | false; opens opened open | closes closed close;
  begins began start started beginning | ends ended end finished;
  includes including included | excludes excluding excluded; required mandatory must obligatory | optional voluntary;
  succeeded success successful | failed failure; supported | opposed; joined | left; public | private;
  male men man | female women woman; husband | wife; father | son; mother | daughter; brother | sister; king | queen;
  left | right; upper top | lower bottom; inside internal inner within | outside external outer beyond; up | down;
  strong stronger | weak weaker; rich wealthy | poor; hot warm | cold cool; fast faster quick | slow slower;
  easy easier simple | difficult hard complex; many much all every numerous | few little no none;
  big large great | small little tiny; high tall long longer | low short shorter;
  old older elder ancient | new young younger modern recent; wide broad thick | narrow thin; deep | shallow;
  light | dark heavy; day | night; good better best | bad worse worst; positive profit gain | negative loss;
  advantage benefit strength | disadvantage drawback weakness; major majority main primary | minor minority secondary;
  present appeared | absent disappeared; imported import | exported export; temporary | permanent;
  same identical | different; direct | indirect; 增 升 涨 增加 上升 增长 提高 上涨 | 减 降 跌 减少 下降 降低 下跌;
  前 之前 以前 | 后 之后 以后; 允许 可以 准许 | 禁止 不得 不准 不许;
  最高 最大 最多 最长 至少 | 最低 最小 最少 最短 至多; 高于 大于 多于 超过 逾 | 低于 小于 少于 不足 不到 将近 近;
  同意 批准 接受 通过 | 拒绝 反对 否决 驳回; 成功 | 失败; 支持 | 反对; 开始 开放 始 起 | 结束 关闭 终 止;
  包括 包含 | 不包括 不包含 除外; 必须 强制 | 自愿 可选; 购买 买入 买 | 出售 卖出 卖; 胜利 胜 赢 | 失败 战败 败 输;
  最早 早期 早 首 第一 | 最晚 晚期 后期 晚 迟 末 最后; 东 | 西 南 北; 西 | 南 北; 南 | 北; 左 | 右; 上 | 下; 内 | 外;
  强 | 弱; 快 | 慢; 大 | 小; 高 | 低 矮; 多 多数 许多 大量 所有 全部 | 少 少数 少量 没有; 长 | 短; 深 | 浅; 宽 | 窄;
  厚 | 薄; 轻 | 重; 冷 寒 | 热 暖; 男 | 女; 新 | 旧 老; 进 入 加入 进口 | 出 退 退出 出口; 优 优点 优势 | 劣 缺点 劣势;
  主 主要 | 次 次要; 公 公开 | 私 秘密; 古 古代 | 今 现代; 富 富裕 | 贫 穷 贫穷 贫困; 直接 | 间接; 临时 | 永久;
  正 正面 积极 | 负 反 负面 消极; 经常 常常 往往 | 很少 极少 偶尔; 扩大 扩张 | 缩小 收缩
`
  .split(";")
  .map((line) => line.split("|").map((side) => side.trim().split(/\s+/).map(keysOf)))
  .flatMap(([ones = [], others = []]) => [...pairsOf(ones, others), ...pairsOf(others, ones)])
  // Longer words first: 减少 before 减.
  .toSorted((a, b) => b.join("").length - a.join("").length);
