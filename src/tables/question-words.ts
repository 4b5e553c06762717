import { among } from "../text/lexicon.js";

/** What a word of a question does in a query. */
export type Role =
  | "count"
  | "how much"
  | "when"
  | "which"
  | "total"
  | "mean"
  | "most"
  | "least"
  | "longest"
  | "shortest"
  | "dearest"
  | "cheapest"
  | "latest"
  | "earliest"
  | "commonest"
  | "who"
  | "spent"
  | "took"
  | "per"
  | "not"
  | "none"
  | "or"
  | "and"
  | "different"
  | "rows"
  | "small";

/** Of the kind of a value, not of what it is about: "Date", "Amount (EUR)". A column is such a kind if its heading says no more. */
export const KINDS = {
  date: "date day month year time when timestamp 日期 时间 日 月份 月 年份 年度 年",
  money: "amount sum total price value cost 金额 总额 价格 价钱 总价 费用",
  duration: "duration time length hours days minutes 时长 用时 耗时 历时 时间 工时",
};

/** What money is spent as. */
export const SPENDING =
  "cost costs spend spent spending expense expenses expenditure expenditures 费用 花费 花 支出 开支 开销 成本";

/** Headings of what names the rows, alone ("Title") or, with the second list too, after what the rows are ("Job no"). */
export const NAMES = "name title subject id key code 名 名称 姓名 编号 单号 序号 流水号 标题 主题 代码 编码";
export const NUMBERS = "no nr number 号 号码";

/** Headings of the unit of other columns. */
export const UNITS = "currency unit units 币种 货币 单位";

/** Words that say that something is a table, at the end of its name. */
export const TABLE_WORDS =
  "list table overview register sheet raw data dataset export 数据 表 列表 清单 明细 明细表 一览 一览表 记录 登记 登记表 台账 统计 汇总";

/** Headings of what changes with time: it holds as of the table's date, not at a time that a question names. */
export const STATES = /\b(?:state|status|stage|phase|progress)\b|状态|进度|阶段/i;

/** A question for a total or a mean. */
export const TOTALS = {
  en: /\b(?:in )?total\b|\bsums?\b|\b(?:(?:al)?together|overall)\b|\bin all\b|\baverages?\b|\bmean\b/iu,
  zh: /[总合共累]计|[一总]共|总[和额数量]|平均|均值/u,
};

/** Questions that may ask for a figure. */
export const COMPUTES = {
  en: new RegExp(
    `${TOTALS.en.source}|${/\bhow (?:many|much|long|often|far|old)\b|\bnumber of\b|\bcount\b|\bavg\b|\bmedian\b|\b(?:most|least|last|first|latest|recent|max|min|top|best|worst)\b|\b(?:max|min)imum\b|\b\p{L}{2,}est\b|\b(?:per|each|every)\b|\bspen[dt]\b|\bshare\b|\bpercentage\b/u.source}`,
    "iu",
  ),
  zh: new RegExp(`${TOTALS.zh.source}|多少|几|总|数量|最|第[一二三]|首|每|各|占比|比例|花了|花费`, "u"),
};

/** Words by which a question asks what someone may, must or can do: documents tell that, not a table's figures. */
export const ASKS_RULES = {
  en: /\b(?:I|my|mine|you|your|he|she|his|her|it|they|them|their|can|could|may|might|must|should|shall|would|will|allowed|[Ww]hy)\b|(?<!\b(?:tell|give|show) )\bme\b|^\s*(?:[Ii]s|[Aa]re|[Ww]as|[Ww]ere|[Dd]oes|[Dd]o|[Dd]id|[Hh]as|[Hh]ave|[Hh]ad)\b/u,
  zh: /我(?!们)|[你您他她它]|能|可以|可否|应该|应当|必须|需要|为什么|为何|怎么|怎样|如何/u,
};

/** Headings of people. */
export const PEOPLE = "employee person colleague 姓名 员工 人员";
/** What they are, by the keys of words. */
export const ONES = ["employee", "person", "people", "colleague", "人", "员 工", "人 员", "同 事"];

/** Headings of the date when what a row is about came to be. */
export const BEGINNINGS =
  "created opened ordered received submitted reported registered issued 下单 创建 登记 提交 报修 申请 发生 报销 订货";

/** A second question for the figure of the first one. */
export const ALSO =
  /,? and (?:how (?:many|much|long|high|big)|what|when)(?: (?:is|was|are|were) (?:it|that|they))?(?=\s*\?*\s*$)|[，,、]?(?:分别|各|它|其)?(?<!^)[，,](?:一?共|有|是)?(?:多少[个条次钱元]?|几[个条次])(?=[?？]?$)/iu;

/** Polite words before a question, which say nothing. */
export const POLITE =
  /^\s*(?:(?:(?:can|could|would) you )?(?:please )?(?:tell|give|show) (?:me|us),?|I(?:'d like| want| would like) to know,?|(?:请|麻烦)?(?:告诉我|帮我(?:算|查|统计)(?:一下|下)?)|我?想知道|请问)[，,：:]?\s*/iu;

const MEASURE_WORD = "(?:人?次|[个家张名位条项台件间份笔辆只部套座门本款场剂批])";

/** The words of each role. Whatever is in none of them, and in no table, is not understood. */
export const ROLES: Readonly<Record<"en" | "zh", readonly (readonly [Role, RegExp])[]>> = {
  en: english([
    ["count", "how many|(?:the )?number of|(?<=^\\s*(?:please )?)count"],
    ["how much", "how much|how long"],
    ["when", "when"],
    ["which", "which(?: of)?(?: one)?"],
    ["total", "totals?|in total|in all|altogether|sum"],
    ["mean", "average|avg|on average|(?:the|arithmetic) mean|mean of"],
    ["most", "most|highest|largest|biggest|greatest|maximum|max"],
    ["least", "least|lowest|smallest|fewest|minimum|min"],
    ["longest", "longest"],
    ["shortest", "shortest"],
    ["dearest", "most expensive|costliest"],
    ["cheapest", "cheapest|least expensive"],
    ["latest", "latest|last|most recent(?:ly)?"],
    ["earliest", "earliest|first"],
    ["commonest", "most (?:common|frequent)(?:ly)?"],
    ["who", "(?<=^\\s*)who(?: has| had| gets| got)?"],
    ["spent", "spend|spends|spent|spending|cost|costs"],
    ["took", "take|takes|took|taken"],
    ["per", "per|by|(?:for |in |of )?(?:each|every)"],
    ["not", "not(?: yet)?(?: been)?|(?:is|are|was|were)n't(?: yet)?|ha(?:s|ve)n't(?: yet)? been"],
    ["none", "(?:with )?no|without(?: an?| any)?|(?:do|does|did)(?:n't| not) have(?: an?| any)?"],
    ["or", "or"],
    ["and", "and"],
    ["different", "different|distinct"],
    ["rows", "rows?|entry|entries|records?|lines?"],
    [
      "small",
      `a|an|the|of|in|on|at|for|with|from|is|are|was|were|be|been|over|across|listed|recorded|registered|logged|entered|counted|measured|sampled|happened|took place|held|according to|together|overall|works?|lives?|belongs? to|columns?|log|register|exports?|raw data|do|does|did|have|has|had|there|we|our|us|whose|what|
      that(?= (?:are|is|was|were|have|has|had|cost|took)(?!\\p{L}))|who (?:are|is|were|have|has|had)|please|(?:tell|give|show) (?:me|us)|
      calculate|compute|still|currently|now|so far|all|(?<=\\w['’])s|table|list|file|spreadsheet|csv|xlsx?|ods|md|html?|docx|pdf`,
    ],
  ]),
  zh: chinese([
    [
      "count",
      `(?:多少|几)${MEASURE_WORD}|(?<=有)多少|(?:几|有多少)(?=[人天])|总?数量|总数|(?<=\\p{Script=Han})数(?=[是为多有最，？?]|$)`,
    ],
    ["how much", "多少(?:[钱元人天年岁升]|小时|分钟|公里|千米|公斤)|(?<!有)多少"],
    ["when", "什么时候|何时|哪[一]?天"],
    ["which", `哪一?(?:${MEASURE_WORD}|些)`],
    ["which", "哪"],
    ["total", "一共|总共|合计|总计|总和|总额|共计|共|总|加起来"],
    ["mean", "平均值?|均值"],
    ["most", "最(?:高|大)值?|最多"],
    ["least", "最(?:低|小)值?|最少"],
    ["longest", "最长"],
    ["shortest", "最短"],
    ["dearest", "最贵|最昂贵"],
    ["cheapest", "最便宜"],
    ["latest", "最近|最晚|最后"],
    ["earliest", "最早|最先"],
    ["commonest", "最常见|最频繁|出现次数最多"],
    ["who", "谁"],
    ["spent", "花了|花费了?|花掉了?|花|支出|费用|开支"],
    ["took", "用了|耗时|历时|用时"],
    ["per", `(?:每一?|各)${MEASURE_WORD}`],
    ["per", "[每各按]"],
    ["not", "不是|不在|不为|还没|没|尚?未|非"],
    ["none", "没有|无"],
    ["or", "或者?"],
    ["and", "以及|[和与及且、]"],
    ["different", "不同的?"],
    ["rows", "[行条]?(?:记录|数据)|行"],
    [
      "small",
      "的|了|单(?=[有中里一共总])|各有|是|有|在|为|中|里|内|请问?|我们的?|目前|现在|当前|还|仍|已|呢|分别|属于|统计|所有|全部|岁|表格?|列表|文件",
    ],
  ]),
};

function english(roles: readonly (readonly [Role, string])[]) {
  return roles.map(([role, words]) => {
    const pattern = words.replace(/\s*\n\s*/g, "");
    return [role, new RegExp(`(?<![\\p{L}\\p{N}])(?:${pattern})(?![\\p{L}\\p{N}]|'(?!s\\b))`, "yiu")] as const;
  });
}

function chinese(roles: readonly (readonly [Role, string])[]) {
  return roles.map(([role, words]) => [role, new RegExp(words, "yu")] as const);
}

/** Matches a list's words as a whole text. */
export const only = (words: string): RegExp => new RegExp(`^(?:${among(words)})$`, "iu");
