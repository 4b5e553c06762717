/**
 * The words that the code knows, English and Chinese side by side, each list in one place. All were written by hand.
 */

/** Returns the words of a list. */
export const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/));

/** Returns a list as the alternatives of a regular expression. A word may itself be a pattern. */
export const among = (words: string): string => words.trim().replace(/\s+/g, "|");

/** Matches a word of a list in either language. */
export const anyOf = ({ en, zh }: { en: string; zh: string }, flags = "i"): RegExp =>
  new RegExp(`\\b(?:${among(en)})\\b|${among(zh)}`, flags);

/** Pronouns and demonstratives: a sentence with one leans on what was said before. */
export const POINTERS = {
  en: "it its they them their theirs he him his she her hers this that these those",
  zh: "它 他 她 其 该 此 这 那",
};

/** The speaker and the one spoken to. */
export const PERSONS = { zh: "我 你 您" };

/** Verbs that open a question, and question words. 几 and 哪 are matched by patterns where they are used. */
export const AUXILIARIES = "is are was were do does did can could will would should has have had may must";
export const QUESTION_WORDS = {
  en: "who whom whose what which when where why how",
  zh: "谁 什么 多少 怎么 怎样 如何 为什么 为何 何时 何地 吗 是否 能否 可否",
};

export const PREPOSITIONS = `of in on at by for from with to into onto upon about against between among through during within without over under after
  before above below across along around near off out up down per via toward towards`;

/** Closed classes of words without content. Negation is handled separately (`DENIALS`). */
export const FUNCTION_WORDS = {
  en: set(`a an the ${POINTERS.en} ${AUXILIARIES} ${QUESTION_WORDS.en} ${PREPOSITIONS}
    i me my mine we us our ours you your yours whatever whichever whoever one's
    myself ourselves yourself yourselves himself herself itself themselves
    am be been being doing done having shall might ought cannot
    isn't aren't wasn't weren't don't doesn't didn't haven't hasn't hadn't won't wouldn't shouldn't can't couldn't mustn't
    i'm you're we're they're it's he's she's that's there's what's who's i've you've we've they've i'll you'll we'll they'll i'd
    and or but nor so yet if then than as because while although though whether unless until
    not no any some such very too also just only there here both either neither each every other another
    many much please tell s t`),
  /** As the runtime's dictionary segments them, or together with the next one: 怎么 and 样. */
  zh: set(`的 地 得 了 着 过 吗 呢 吧 啊 呀 么 嘛 哦 啦 之 其 所 以 而 且 与 和 及 或 或者 以及 并 并且 但 但是 因为 所以 因此 如果 则 虽然 就 才 也 都 还 又 再 很 更 最
    是 为 有 在 于 由 被 把 将 对 对于 从 到 向 往 给 让 使 令 用 以 按 按照 根据 关于 通过 随着 自 至 当 时 时候 中 里 内 上 下 前 后 间
    ${PERSONS.zh} 他 她 它 我们 你们 他们 她们 它们 咱们 自己 该 此 我的 你的 您的 他的 她的 它的 我们的 他们的 自己的 这 那 这个 那个 这些 那些 这里 那里 这样 那样 本 各 每 某 一些 一个 个 位 名 种 些
    什么 甚么 谁 哪 哪里 哪儿 哪个 哪些 哪位 哪种 哪一 哪年 何 何时 何地 何人 何处 为何 为什么 怎么 怎样 怎么样 什么样 如何 多少 多少钱 几 多 多久 多长 多大 多远 多高 是否 是不是 有没有 能否 可否
    请 请问 问 告诉 能 会 可以 可 应该 应 要 想 需 不 没 没有 无 非 未 叫 叫做 称为 属于 进行 等 等等 说的 的是 是的 我能 我在 你能 那位 这位 谁的 办 拿 做 弄 来 去`),
};

/** Words that can be added or left out without a change of meaning. "was" is not one: it changes the tense. */
export const SMALL_WORDS =
  set(`a an the this that these those is are be been has have do does and of its their his her it also which who
  的 了 是 为 也 在 其 该 于`);

/**
 * Words that open a sentence, with a capital: it does not make them names, and an abbreviation before them may end a
 * sentence. Single letters are left out, since they may be initials.
 */
export const OPENERS: readonly string[] = [
  ...FUNCTION_WORDS.en,
  ...set(
    "since however most several all once finally thus therefore moreover furthermore meanwhile instead besides now",
  ),
].flatMap((word) => (word.length > 1 ? word.charAt(0).toUpperCase() + word.slice(1) : []));

/** Words that deny what follows. `NO_DENIALS` lists words with such characters that deny nothing; A不A is a question. */
export const DENIALS = {
  en: `not no never none nobody nothing nowhere neither nor without cannot hardly (?:${among(AUXILIARIES)}|wo|ca|need)n't`,
  zh: "[不没未无勿毋] 并非 绝非 非法",
};
export const NO_DENIALS = `(\\p{Script=Han})[不没]\\1 不得不 不同(?!意) 不仅 不断 不过(?!关|期) 不但 不久 不锈钢 不管 不论 不少 不止 不只 不惜 不等(?!于) 不禁
  不愧 不妨 差不多 未来 未免 无论 无线 无数 无限 无疑 无非 无锡 无人机 无人驾驶 没收 有没有 是否 能否`;

/** Words for another time or for a possibility: a sentence with one states no present fact. */
export const NOT_NOW = {
  en: "if unless except was were will would should may(?!\\s+\\d) might former(?:ly)? previous(?:ly)? until planned proposed acting interim",
  zh: "如果 除非 曾 原任 前任 将 拟 计划 预计 可能 临时 暂 代理",
};

/** Opposites, on either side of a bar. */
export const OPPOSITES = `increased rise rises rose grew grow | decreased declined fell fall dropped drop shrank;
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
  正 正面 积极 | 负 反 负面 消极; 经常 常常 往往 | 很少 极少 偶尔; 扩大 扩张 | 缩小 收缩`;

/** Relations that hold both ways: "A borders B", "A is married to B". "A and B" is recognised by its function words. */
export const SYMMETRIC = {
  en: "married met equals? borders? between resembles? differs? different same",
  zh: "结婚 相邻 相同 不同 之间 等于",
};
export const CHINESE_CONJUNCTIONS = set("和 与 及 以 或 跟 同");
/** Function words with a direction: "A of B" is not "B of A". */
export const DIRECTED = set("of to than by over");

/** Small words inside names: "Vasco da Gama", "Ludwig van Beethoven". */
export const PARTICLES = "de da dos di del der den la le el al van von bin ibn";

/** The most common Chinese surnames. */
export const SURNAMES =
  "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤岑";
/** Countries, continents and large cities in Chinese. */
export const PLACES = `中国 美国 英国 法国 德国 日本 俄罗斯 俄国 苏联 意大利 西班牙 葡萄牙 荷兰 比利时 瑞士 瑞典 挪威 芬兰 丹麦 冰岛 波兰 捷克 奥地利 匈牙利 希腊 土耳其 印度 巴基斯坦 伊朗 伊拉克 以色列 埃及 南非 肯尼亚 加拿大 墨西哥 巴西 阿根廷
  智利 古巴 澳大利亚 澳洲 新西兰 韩国 朝鲜 越南 泰国 缅甸 老挝 柬埔寨 马来西亚 新加坡 菲律宾 印尼 蒙古 乌克兰 欧洲 亚洲 非洲 美洲 北美 南美 东欧 西欧 北欧 北京 上海 天津 重庆 广州 深圳 香港 澳门 台湾 台北 南京 杭州 苏州
  武汉 成都 西安 沈阳 大连 青岛 厦门 长沙 郑州 伦敦 巴黎 柏林 华沙 维也纳 罗马 纽约 洛杉矶 旧金山 芝加哥 波士顿 华盛顿 东京 大阪 京都 首尔 曼谷 莫斯科`;
/** The characters that spell foreign names. */
export const TRANSLITERATION =
  "阿埃艾安昂奥巴班保贝本比彼宾波伯博布查达丹戴德登迪蒂丁东杜多厄恩尔法凡菲费芬丰弗夫福盖甘冈戈格根古哈海汉赫亨华霍基吉加贾简杰金卡凯坎康柯科克肯库夸奎拉莱兰朗劳勒雷里利莉莲列林琳卢鲁路伦罗洛马玛迈麦曼梅门蒙米密明摩莫默姆穆纳娜奈南内尼妮宁纽努诺欧帕潘佩彭皮平珀普齐奇乔切琼丘茹瑞萨塞赛桑瑟森沙莎绍圣盛施史斯丝松苏孙索塔泰坦汤特腾提廷图托瓦万旺威韦维温文沃乌武西希锡夏香谢辛兴休许雅亚延扬耶叶伊依英尤约泽扎詹珍芝朱兹宗佐";
/** Endings of Chinese places and organisations. `NO_NAMES` lists common nouns with such an ending. */
export const NAME_ENDINGS =
  "大学 公司 学院 银行 集团 协会 委员会 博物馆 医院 法院 出版社 铁路 机场 车站 高原 盆地 海峡 半岛 群岛 [省市县州郡镇岛江河湖山寺庙宫]";
export const NO_NAMES = ".{0,2}(?:城市|[大火高河]山|[冰运]河|[王皇]宫) [总分子母]公司 股份有限公司";
