import type { Span } from "../types/evidence.js";
import { CHINESE_FUNCTION_WORDS } from "./function-words.js";
import { chineseWords } from "./tokens.js";

/**
 * Finds the Chinese names that show by their form: with a dot (列奥纳多·达·芬奇), in the characters of transliteration
 * (华盛顿), with the ending of a place or an organisation (杭州市, 清华大学), a country or large city, or a surname with a
 * given name that is in no dictionary (谭望嵩). Sorted by start; they may overlap.
 */
export function chineseNames(text: string): (Span & { name: string })[] {
  const found: (Span & { name: string })[] = [];
  for (const match of text.matchAll(WRITTEN)) {
    const [name, start] = [match[0], match.index];
    if (/[·・]/.test(name) || KNOWN.test(name) || new Set(name).size > 2)
      found.push({ name, start, end: start + name.length });
  }
  for (const run of text.matchAll(/\p{Script=Han}{1,400}/gu)) found.push(...inRun(run[0], run.index));
  return found.toSorted((a, b) => a.start - b.start);
}

function inRun(run: string, offset: number) {
  const found: (Span & { name: string })[] = [];
  const add = (start: number, name: string) =>
    found.push({ name, start: offset + start, end: offset + start + name.length });
  let singles = "";
  let at = 0;
  for (const word of [...chineseWords(run), ""]) {
    if (word.length === 1 && !CHINESE_FUNCTION_WORDS.has(word)) singles += word;
    else {
      if (singles.length >= 2 && singles.length <= 3 && SURNAME.test(singles)) add(at - singles.length, singles);
      singles = "";
    }
    if (word.length >= 3 && ENDED.test(word) && !COMMON.test(word)) add(at, word);
    at += word.length;
  }
  return found;
}

const COUNTRIES =
  "中国|美国|英国|法国|德国|日本|俄罗斯|俄国|苏联|意大利|西班牙|葡萄牙|荷兰|比利时|瑞士|瑞典|挪威|芬兰|丹麦|冰岛|波兰|捷克|奥地利|匈牙利|希腊|土耳其|印度|巴基斯坦|伊朗|伊拉克|以色列|埃及|南非|肯尼亚|加拿大|墨西哥|巴西|阿根廷|智利|古巴|澳大利亚|澳洲|新西兰|韩国|朝鲜|越南|泰国|缅甸|老挝|柬埔寨|马来西亚|新加坡|菲律宾|印尼|蒙古|乌克兰|欧洲|亚洲|非洲|美洲|北美|南美|东欧|西欧|北欧";
const CITIES =
  "北京|上海|天津|重庆|广州|深圳|香港|澳门|台湾|台北|南京|杭州|苏州|武汉|成都|西安|沈阳|大连|青岛|厦门|长沙|郑州|伦敦|巴黎|柏林|华沙|维也纳|罗马|纽约|洛杉矶|旧金山|芝加哥|波士顿|华盛顿|东京|大阪|京都|首尔|曼谷|莫斯科";
const KNOWN = new RegExp(`^(?:${COUNTRIES}|${CITIES})$`);
const SPELLED =
  "[阿埃艾安昂奥巴班保贝本比彼宾波伯博布查达丹戴德登迪蒂丁东杜多厄恩尔法凡菲费芬丰弗夫福盖甘冈戈格根古哈海汉赫亨华霍基吉加贾简杰金卡凯坎康柯科克肯库夸奎拉莱兰朗劳勒雷里利莉莲列林琳卢鲁路伦罗洛马玛迈麦曼梅门蒙米密明摩莫默姆穆纳娜奈南内尼妮宁纽努诺欧帕潘佩彭皮平珀普齐奇乔切琼丘茹瑞萨塞赛桑瑟森沙莎绍圣盛施史斯丝松苏孙索塔泰坦汤特腾提廷图托瓦万旺威韦维温文沃乌武西希锡夏香谢辛兴休许雅亚延扬耶叶伊依英尤约泽扎詹珍芝朱兹宗佐]";
const WRITTEN = new RegExp(`${SPELLED}{1,8}(?:[·・]${SPELLED}{1,8}){1,4}|${COUNTRIES}|${CITIES}|${SPELLED}{3,8}`, "gu");
const ENDED =
  /(?:大学|公司|学院|银行|集团|协会|委员会|博物馆|医院|法院|出版社|铁路|机场|车站|高原|盆地|海峡|半岛|群岛|[省市县州郡镇岛江河湖山寺庙宫])$/u;
/** Common nouns with such an ending. */
const COMMON = /^(?:.{0,2}(?:城市|大山|火山|高山|河山|冰河|运河|王宫|皇宫)|总公司|分公司|子公司|母公司|股份有限公司)$/u;
/** The most common surnames. */
export const SURNAME =
  /^[王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤岑]/u;
