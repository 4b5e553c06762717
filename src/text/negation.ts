import { plain } from "./tokens.js";

/** How often a text denies: "not", "never", "without", 不, 没有, 并非. */
export function negations(text: string): number {
  const folded = plain(text);
  return (folded.match(ENGLISH)?.length ?? 0) + (folded.replace(HARMLESS, " ").match(CHINESE)?.length ?? 0);
}

/**
 * The words by which one text says the opposite of the other: a common pair ("more", "less"; 增加, 减少), or a word and
 * its denial by prefix ("encrypted", "unencrypted"). Undefined where there is none, or where either says both.
 */
export function opposed(a: string, b: string): readonly [string, string] | undefined {
  const left = said(a);
  const pairs = OPPOSITES.flatMap(([one, other]) => {
    const [here, there] = [left(one), left(other)];
    if (here && !there) return [{ word: here, same: one, opposite: other }];
    return there && !here ? [{ word: there, same: other, opposite: one }] : [];
  });
  const right = said(b);
  for (const { word, same, opposite } of pairs) {
    const found = right(opposite);
    if (found && !right(same)) return [word, found];
  }
  return prefixedWith(wordsOf(a))(wordsOf(b));
}

/**
 * The same for two short stretches that stand in each other's place: pairs that mean the opposite there and little
 * elsewhere ("early", "late"), and in Chinese single characters (南, 北).
 */
export function exactlyOpposed(a: string, b: string): readonly [string, string] | undefined {
  const [left, right] = [plain(a).trim(), plain(b).trim()];
  for (const pair of IN_PLACE) {
    for (const [one, other] of [pair, pair.toReversed()]) {
      if (one?.test(left) && other?.test(right)) return [left, right];
    }
  }
  return undefined;
}

/** A word of one and its denial by prefix in the other, for one set of words against many. */
function prefixedWith(words: ReadonlySet<string>) {
  const denials = new Map<string, string>();
  for (const word of words) {
    const bare = PREFIX.exec(word)?.[1];
    if (bare && !words.has(bare)) denials.set(bare, word);
  }
  return (others: ReadonlySet<string>): readonly [string, string] | undefined => {
    for (const word of others) {
      const denial = denials.get(word);
      if (denial && !others.has(denial)) return [denial, word];
      const bare = PREFIX.exec(word)?.[1];
      if (bare && !others.has(bare) && !words.has(word) && words.has(bare)) return [bare, word];
    }
    return undefined;
  };
}

/** What is left must be a word of its own, and is only compared where the other text has it. */
const PREFIX = /^(?:un|in|im|il|ir|dis|non-?|anti-?|a|de)([a-z]{4,})$/;

const wordsOf = (text: string): ReadonlySet<string> => new Set(plain(text).match(/[a-z]+(?:-[a-z]+)*/g) ?? []);

const said = (text: string) => {
  const folded = plain(text);
  return (word: RegExp) => word.exec(folded)?.[0];
};

const ENGLISH =
  /\b(?:not|no|never|none|nobody|nothing|nowhere|neither|nor|without|cannot|hardly|(?:is|are|was|were|do|does|did|have|has|had|wo|would|should|could|ca|must|need)n't)\b/g;
const CHINESE = /[不没未无勿毋]|并非|绝非|非法/g;
/** What holds one of these characters and denies nothing; A不A asks. */
const HARMLESS =
  /(\p{Script=Han})[不没]\1|不得不|不同(?!意)|不仅|不断|不过(?!关|期)|不但|不久|不锈钢|不管|不论|不少|不止|不只|不惜|不等(?!于)|不禁|不愧|不妨|差不多|未来|未免|无论|无线|无数|无限|无疑|无非|无锡|无人机|无人驾驶|没收|有没有|是否|能否/gu;

/** A closed list of common opposites; stems, so that inflected forms count. */
const OPPOSITES: readonly (readonly [RegExp, RegExp])[] = [
  ["increas|rise|rises|rose|risen|grew|grow", "decreas|decline|fell|fall|falls|drop|shrank|shrink"],
  ["before|prior to|earlier", "after|later"],
  ["allow|permit|may", "forbid|forbidden|prohibit|banned|disallow"],
  ["more|greater|higher|larger", "less|fewer|lower|smaller"],
  ["most|highest|largest|greatest|biggest|maximum", "least|lowest|smallest|minimum|fewest"],
  ["first|oldest|earliest", "last|newest|latest|youngest"],
  ["always", "never"],
  ["north|northern", "south|southern"],
  ["east|eastern", "west|western"],
  ["accept|approv", "reject|refus|denied|declin(?:ed|es) to"],
  ["win|won|wins", "lose|lost|loses"],
  ["true", "false"],
  ["buy|bought|purchas", "sell|sold"],
  ["open|opens|opened", "close|closes|closed"],
  ["begin|began|start|started", "end|ends|ended|finish"],
  ["include|includes|included|including", "exclude|excludes|excluded|excluding"],
  ["required|mandatory|must|obligatory", "optional|voluntary"],
  ["success|succeed", "fail|failed|failure"],
  ["support", "oppos"],
  ["join|joined", "leave|left"],
  ["public", "private"],
  ["male|men|man", "female|women|woman"],
  ["easter(?:n|ly)|eastward", "wester(?:n|ly)|westward"],
  ["souther(?:n|ly)|southward", "norther(?:n|ly)|northward"],
  ["left", "right"],
  ["upper|top|above", "lower|bottom|below"],
  ["inside|within|internal|inner", "outside|beyond|external|outer"],
  ["strong|strongest|stronger", "weak|weakest|weaker"],
  ["rich|wealthy|richer", "poor|poorer"],
  ["hot|hotter|warm|warmer", "cold|colder|cool|cooler"],
  ["fast|faster|quick|quicker", "slow|slower"],
  ["easy|easier|simple|simpler", "difficult|hard|harder|complex"],
  ["many|numerous", "few"],
  ["major|majority", "minor|minority"],
  ["mild", "severe"],
  ["short|shorter|shortest", "long|longer|longest|tall|taller"],
  ["good|better|best", "bad|worse|worst"],
  ["positive", "negative"],
  ["ancient|old|older", "modern|new|recent"],
  ["victor(?:y|ious)", "defeat"],
  ["attack", "defend"],
  ["appear|present", "disappear|absent"],
  ["import", "export"],
  ["expand|widen", "contract|narrow"],
  ["heat", "cool"],
  ["create|creat|build|built", "destroy"],
  ["help|aid", "hinder|harm"],
  ["same|identical", "different"],
  ["directly", "indirectly"],
  ["temporar", "permanent"],
  ["parent|father|mother", "child|son|daughter"],
  ["teacher", "student"],
  ["增加|上升|增长|提高|上涨", "减少|下降|降低|下跌"],
  ["之前|以前", "之后|以后"],
  ["允许|可以|准许", "禁止|不得|不准|不许"],
  ["最高|最大|最多|最长", "最低|最小|最少|最短"],
  ["高于|大于|多于|超过", "低于|小于|少于|不足"],
  ["同意|批准|接受|通过", "拒绝|反对|否决|驳回"],
  ["成功", "失败"],
  ["支持", "反对"],
  ["开始|开放", "结束|关闭"],
  ["包括|包含", "不包括|不包含|除外"],
  ["必须|强制", "自愿|可选"],
  ["买入|购买", "卖出|出售"],
  ["胜|赢", "败|输"],
  ["最早|第一", "最晚|最后"],
  ["东部|向东|以东", "西部|向西|以西"],
  ["南部|向南|以南", "北部|向北|以北"],
  ["左", "右"],
  ["上方|上部|上游", "下方|下部|下游"],
  ["内部|以内", "外部|以外"],
  ["强", "弱"],
  ["快", "慢"],
  ["多数", "少数"],
  ["优点|优势", "缺点|劣势"],
  ["进口", "出口"],
  ["公开", "秘密"],
  ["古代", "现代"],
  ["直接", "间接"],
  ["临时", "永久"],
  ["加入", "退出"],
  ["正面|积极", "负面|消极"],
  ["早期", "晚期|后期"],
  ["主要", "次要"],
  ["至少|最少", "至多|最多"],
  ["北方|北部|北岸|北侧", "南方|南部|南岸|南侧"],
  ["东方|东部|东岸|东侧", "西方|西部|西岸|西侧"],
  ["扩大|扩张", "缩小|收缩"],
  ["胜利", "失败|战败"],
  ["富裕", "贫穷|贫困"],
].map(([one = "", other = ""]) => [wordRule(one), wordRule(other)]);

/** A word is the whole of what stands there, but for articles and the like. */
const IN_PLACE: readonly (readonly RegExp[])[] = [
  "early earlier|late later",
  "often frequently commonly|rarely seldom hardly",
  "older elder oldest|younger youngest",
  "beginning start|end",
  "up|down",
  "in into|out",
  "on|off",
  "from|to",
  "before|after",
  "over above|under below",
  "more most|less least fewer fewest",
  "all every|no none",
  "many much|few little",
  "big large great|small little tiny",
  "high|low",
  "wide broad|narrow",
  "thick|thin",
  "deep|shallow",
  "light|dark heavy",
  "day|night",
  "husband|wife",
  "king|queen",
  "brother|sister",
  "husband|wife",
  "victory win|defeat loss",
  "profit gain|loss",
  "advantage benefit|disadvantage drawback",
  "strength|weakness",
  "majority|minority",
  "main major primary|minor secondary",
  "东 南 西 北",
  "前|后",
  "大|小",
  "高|低 矮",
  "多|少",
  "早|晚 迟",
  "增 升 涨|减 降 跌",
  "内|外",
  "上|下",
  "男|女",
  "新|旧 老",
  "进 入|出 退",
  "买|卖",
  "胜 赢|败 负 输",
  "长|短",
  "强|弱",
  "快|慢",
  "优|劣",
  "主|次",
  "首|末 尾",
  "始 起|终 止",
  "深|浅",
  "宽|窄",
  "厚|薄",
  "轻|重",
  "冷 寒|热 暖",
  "干|湿",
  "左|右",
  "正|反 负",
  "公|私",
  "古|今",
  "富|贫 穷",
  "加入|退出",
  "所有 全部|少数 没有",
  "许多 大量|少数 少量",
  "经常 常常 往往|很少 极少 偶尔",
  "胜利|失败",
].flatMap((line) => {
  const sides = line.includes("|") ? line.split("|") : line.split(" ");
  const rules = sides.map((words) => new RegExp(`^(?:the |a )?(?:${words.split(" ").join("|")})$`));
  return rules.flatMap((one, i) => rules.slice(i + 1).map((other) => [one, other]));
});

/** A stem written short ("increas") takes any ending; Chinese stands anywhere. */
function wordRule(words: string): RegExp {
  return /\p{Script=Han}/u.test(words)
    ? new RegExp(`(?<!不)(?:${words})`)
    : new RegExp(`\\b(?:${words})(?:e|ed|es|s|ing|er|or)?\\b`);
}
