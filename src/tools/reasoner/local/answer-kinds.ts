import type { AnswerType } from "../../../text/intent.js";
import { names } from "../../../text/names.js";
import { quantities } from "../../../text/numbers.js";
import { simplified } from "../../../text/simplified.js";
import { chineseWords, plain } from "../../../text/tokens.js";

/**
 * Whether a text holds something of the kind a question asks for that the question does not say itself. Undefined where
 * the kind leaves no trace that code can see.
 */
export function hasKind(type: AnswerType, text: string, question: string): boolean | undefined {
  const fresh = FOUND[type]?.(simplified(text));
  if (fresh === undefined) return undefined;
  const known = plain(question);
  return fresh.some((candidate) => !known.includes(plain(candidate)));
}

const amounts = (text: string) => quantities(text).map((quantity) => quantity.text);

const dated = (text: string) => [
  ...quantities(text).flatMap(({ kind, text: words }) =>
    kind === "date" || kind === "time" || kind === "period" ? [words] : [],
  ),
  ...(text.match(
    /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:spring|summer|autumn|winter|morning|evening|night|midnight|noon|annually|weekly|monthly|yearly|daily|quarter)\b|星期[一二三四五六日天]|周[一二三四五六日末]|春|夏|秋|冬|早上|晚上|上午|下午|每[年月周日天]|[唐宋元明清汉隋秦周晋][朝代]|年间|时期/gi,
  ) ?? []),
];

const FOUND: Partial<Record<AnswerType, (text: string) => string[]>> = {
  date: dated,
  number: amounts,
  person: (text) => [...names(text), ...chinesePeople(text)],
  place: (text) => [...names(text), ...chinesePlaces(text)],
  reason: (text) =>
    text.match(
      /\b(?:because|since|due to|owing to|caused?|causes|reason|result(?:s|ed)? (?:in|of|from)|therefore|so that|in order to|as a result|thus|to (?:avoid|prevent|protect|ensure|reduce|allow))\b|因为|由于|因此|所以|原因|导致|致使|造成|因而|为了|以便|以免|从而|使得|因/gi,
    ) ?? [],
};

/** Names of people end nowhere in Chinese; a common surname that opens a word of two or three characters is a fair sign. */
export function chinesePeople(text: string): string[] {
  const runs = text.match(/\p{Script=Han}+(?:[·・]\p{Script=Han}+)*/gu) ?? [];
  return runs.flatMap((run) =>
    run.includes("·") || run.includes("・")
      ? [run]
      : [
          ...chineseWords(run).filter((word) => /^.{2,4}$/u.test(word) && SURNAME.test(word)),
          ...(run.match(PERSON) ?? []),
          ...(run.match(NAMED) ?? []),
        ],
  );
}

const SURNAMES =
  "王李张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文";
const SURNAME = new RegExp(`^(?:欧阳|司马|诸葛|上官|[${SURNAMES}])\\p{Script=Han}{1,2}$`, "u");
/** 创始人是王小明, 由李雷负责. */
const NAMED = new RegExp(
  `(?<=^|[是为由叫])[${SURNAMES}]\\p{Script=Han}{1,2}(?=$|[于在和与]|创立|创办|担任|负责|出任|任命|提出|发明)`,
  "gu",
);
const PERSON = /\p{Script=Han}{1,4}(?:先生|女士|教授|博士|老师|经理|总统|皇帝|国王|将军|主席)/gu;

const chinesePlaces = (text: string) =>
  text.match(
    /\p{Script=Han}{1,6}?(?:省|市|县|区|镇|乡|村|州|国|岛|山|河|江|湖|海|洲|路|街|楼|室|厅|馆|大学|学院|医院|公园|机场|车站|寺|庙|城|港|湾|半岛|共和国|北京|上海|天津|重庆|香港|澳门|台湾)|北京|上海|天津|重庆|香港|澳门|台湾|[东南西北中]部/gu,
  ) ?? [];
