import { plain } from "../../../text/tokens.js";
import type { Entity } from "../../knowledge/port.js";
import { isRole } from "./extractor-relations.js";

/**
 * The entity that a cell or a slot names. Where the name of a Chinese person stands beside its pinyin, "Li Lei (李雷)",
 * one is the name and the other an alias; any other words in brackets stay part of the name, since they may be anything:
 * a place, a department, a remark.
 */
export function entity(phrase: string, type = ""): Entity {
  const [, outer = "", inner = ""] = /^([^()（）]{2,40}?)\s*[(（]([^()（）]{2,40})[)）]$/.exec(phrase) ?? [];
  const same = isPinyinOf(outer, inner) || isPinyinOf(inner, outer);
  return same ? { name: outer, type, aliases: [inner] } : { name: phrase, type, aliases: [] };
}

/** The type of what a relation leads to; empty for a value. */
export const typeAt = (relation: string, phrase: string) =>
  isRole(relation) && isPersonName(entity(phrase).name) ? (HAN.test(relation) ? "人员" : "Person") : "";

/** Whether this is written as the name of a person is: two to four characters with a known surname, or two words and more. */
export function isPersonName(name: string): boolean {
  if (/^\p{Script=Han}{2,4}$/u.test(name)) return SURNAMES.has(name.charAt(0)) || SURNAMES.has(name.slice(0, 2));
  return /^\p{Lu}[\p{L}'’.-]*(?: (?:\p{Lu}[\p{L}'’.-]*|van|von|der|den|de|da|dos|di|del|la|el|al|bin|ibn|of))* \p{Lu}[\p{L}'’-]+$/u.test(
    name,
  );
}

/** 林雨晴 and "Lin Yuqing", also "Yuqing Lin": the surname's sound is among the words, and the rest has as many syllables. */
function isPinyinOf(latin: string, han: string): boolean {
  if (!/^\p{Script=Han}{2,4}$/u.test(han) || !/^\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*){1,2}$/u.test(latin))
    return false;
  const words = plain(latin).split(/[\s-]+/);
  const sound = SURNAMES.get(han.slice(0, 2)) ?? SURNAMES.get(han.charAt(0));
  if (sound === undefined || (words[0] !== sound && words.at(-1) !== sound)) return false;
  const syllables = words.join(" ").match(/[aeiouv]+/g)?.length ?? 0;
  return syllables === han.length;
}

const HAN = /\p{Script=Han}/u;

/** The most common Chinese surnames, with their sound. */
const SURNAMES: ReadonlyMap<string, string> = new Map(
  `王wang 李li 张zhang 刘liu 陈chen 杨yang 黄huang 赵zhao 吴wu 周zhou 徐xu 孙sun 马ma 朱zhu 胡hu 郭guo 何he 高gao 林lin
   罗luo 郑zheng 梁liang 谢xie 宋song 唐tang 许xu 韩han 冯feng 邓deng 曹cao 彭peng 曾zeng 肖xiao 田tian 董dong 袁yuan
   潘pan 于yu 蒋jiang 蔡cai 余yu 杜du 叶ye 程cheng 苏su 魏wei 吕lyu 丁ding 任ren 沈shen 姚yao 卢lu 姜jiang 崔cui 钟zhong
   谭tan 陆lu 汪wang 范fan 金jin 石shi 廖liao 贾jia 夏xia 韦wei 付fu 方fang 白bai 邹zou 孟meng 熊xiong 秦qin 邱qiu
   江jiang 尹yin 薛xue 闫yan 段duan 雷lei 侯hou 龙long 史shi 陶tao 黎li 贺he 顾gu 毛mao 郝hao 龚gong 邵shao 万wan 钱qian
   严yan 覃qin 武wu 戴dai 莫mo 孔kong 向xiang 汤tang 常chang 温wen 康kang 施shi 文wen 牛niu 樊fan 葛ge 邢xing 安an 齐qi
   易yi 乔qiao 伍wu 庞pang 颜yan 倪ni 庄zhuang 聂nie 章zhang 鲁lu 岳yue 翟zhai 殷yin 詹zhan 申shen 欧ou 耿geng 关guan
   兰lan 焦jiao 俞yu 左zuo 柳liu 甘gan 祝zhu 包bao 宁ning 尚shang 符fu 舒shu 阮ruan 柯ke 纪ji 梅mei 童tong 凌ling 毕bi
   单shan 季ji 裴pei 霍huo 涂tu 成cheng 苗miao 谷gu 盛sheng 曲qu 翁weng 冉ran 骆luo 蓝lan 路lu 游you 辛xin 靳jin 欧阳ouyang
   上官shangguan 司马sima 诸葛zhuge 司徒situ 东方dongfang 夏侯xiahou 皇甫huangfu 慕容murong 令狐linghu 尉迟yuchi`
    .trim()
    .split(/\s+/)
    .map((pair): [string, string] => {
      const [, han = "", sound = ""] = /^(\p{Script=Han}+)([a-z]+)$/u.exec(pair) ?? [];
      return [han, sound];
    }),
);
