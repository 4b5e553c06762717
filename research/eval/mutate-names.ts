import { type Change, change, type Place, standsIn } from "./mutate-amounts.js";
import { hash, pick, type Triple } from "./mutate-triples.js";

/** Names by kind, of all triples of one language: what a name may be changed into. */
export interface Donors {
  person: readonly Donor[];
  place: readonly Donor[];
  organisation: readonly Donor[];
  other: readonly Donor[];
}
interface Donor {
  name: string;
  article: string;
}
type Kind = keyof Donors;

/**
 * Collects the answers to "who" and "where", capitalised spans by the words before them, and Chinese words by their
 * endings.
 */
export function donorsOf(triples: readonly Triple[]): Donors {
  const found: Record<Kind, Map<string, Donor>> = {
    person: new Map(),
    place: new Map(),
    organisation: new Map(),
    other: new Map(),
  };
  for (const triple of triples) {
    for (const { name, kind } of namesIn(triple))
      if (!found[kind].has(name)) found[kind].set(name, { name, article: triple.paragraph.article });
  }
  const list = (kind: Kind) => [...found[kind].values()];
  return { person: list("person"), place: list("place"), organisation: list("organisation"), other: list("other") };
}

interface Named {
  name: string;
  at: number;
  kind: Kind;
}

/** The names of a sentence that simple rules can recognise. */
function namesIn({ sentence, question, answer, language }: Triple): Named[] {
  const asked = sentence.includes(answer) && askedName(question, answer);
  const first = asked ? [{ name: answer, at: sentence.indexOf(answer), kind: asked }] : [];
  const rest = language === "en" ? capitalised(sentence) : chineseNames(sentence);
  return [...first, ...rest.filter(({ name }) => !asked || (!answer.includes(name) && !name.includes(answer)))];
}

function askedName(question: string, answer: string): Kind | undefined {
  const isName =
    /^(?:\p{Lu}[\p{L}.'’-]*)(?: (?:(?:of|de|von|van|the) )?\p{Lu}[\p{L}.'’-]*){0,4}$/u.test(answer) ||
    /^(?=.*\p{Script=Han})[\p{Script=Han}·]{2,12}$/u.test(answer);
  if (!isName || /^(?:The|A|An|In|He|She|It) /.test(answer) || /[的了在是有和与而这那其被为把们者性化]/.test(answer))
    return undefined;
  if (/^(?:who|whom|whose)\b|[^属]谁|哪位|^谁|哪个人|哪一位/i.test(question)) return "person";
  if (
    /^where\b|\b(?:what|which) (?:city|country|state|region|place|town|island|river)\b|哪里|哪儿|(?:什么|哪个|哪座|哪一个)(?:城市|国家|地方|地区|州|省|县|岛|河)/i.test(
      question,
    )
  )
    return "place";
  if (
    /\b(?:what|which) (?:company|organi[sz]ation|university|team|school|agency|party|band|group|network)\b|(?:什么|哪个|哪家|哪所)(?:公司|组织|机构|大学|学校|球队|党)/i.test(
      question,
    )
  )
    return "organisation";
  return undefined;
}

function capitalised(sentence: string): Named[] {
  const span =
    /(?<![\p{L}\p{N}'’.-])\p{Lu}\p{Ll}+(?:[ -](?:of |the |de |von )?\p{Lu}\p{Ll}+){0,3}(?![\p{L}\p{N}'’-])/gu;
  return [...sentence.matchAll(span)].flatMap((match): Named[] => {
    const [name, at] = [match[0], match.index];
    if (at === 0 || NO_NAME.test(name) || /[.:"“]\s*$/.test(sentence.slice(0, at))) return [];
    const before = sentence.slice(0, at).toLowerCase();
    if (ORGANISATION.test(name)) return [{ name, at, kind: "organisation" }];
    if (/\b(?:in|near|to|across|throughout|from|at) $/.test(before)) return [{ name, at, kind: "place" }];
    if (
      /\b(?:by|mr|king|queen|president|emperor|bishop|sir|and|son of|pope|author|with|prince) $/.test(before) &&
      name.includes(" ")
    )
      return [{ name, at, kind: "person" }];
    return name.includes(" ") ? [{ name, at, kind: "other" }] : [];
  });
}

const NO_NAME =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|Christmas|English|The|This|These|It|He|She|Its|His|Her|In|On|At|However|As|After|North|South|East|West)\b/;
const ORGANISATION =
  /\b(?:University|Company|Corporation|College|Council|Church|Party|Institute|Association|League|Committee|Museum|School|Court|Union|Army|Society|Agency|Network|Bank|Parliament|Hospital)\b/;

const ZH = new Intl.Segmenter("zh", { granularity: "word" });

/**
 * Finds names with a dot, titles, Latin names, known places, and the runtime's words (Intl.Segmenter) with the ending
 * of a name.
 */
function chineseNames(sentence: string): Named[] {
  const found: Named[] = [];
  const add = (pattern: RegExp, kind: Kind) => {
    for (const match of sentence.matchAll(pattern)) found.push({ name: match[0], at: match.index, kind });
  };
  add(/(?<![\p{Script=Han}·])\p{Script=Han}{1,6}(?:·\p{Script=Han}{1,6}){1,3}(?=[，。（、的在是])/gu, "person");
  add(/(?<=《)[^《》]{2,15}(?=》)/gu, "other");
  add(/(?<![A-Za-z\d-])[A-Z][a-z]{2,}(?: [A-Z][a-z]+)*(?![A-Za-z\d-])/g, "other");
  for (const { segment, index } of ZH.segment(sentence)) {
    if (!/^\p{Script=Han}{3,8}$/u.test(segment) || NO_ZH_NAME.test(segment)) continue;
    if (/(?:大学|公司|学院|银行|议会|法院|协会|委员会|博物馆|医院)$/.test(segment) && segment.length > 3)
      found.push({ name: segment, at: index, kind: "organisation" });
    else if (/[省市县国州岛河江山湖镇区]$/.test(segment)) found.push({ name: segment, at: index, kind: "place" });
  }
  for (const match of sentence.matchAll(new RegExp(PLACES.join("|"), "g")))
    found.push({ name: match[0], at: match.index, kind: "place" });
  return found;
}

const NO_ZH_NAME =
  /^(?:各国|外国|全国|中国人|共和国|帝国|王国|殖民地|地区|城市|高山|火山|江山|河山|联合国|.*[大小各每本该全外多]国|.*[大小][河山江湖岛]|.*地区|.*社区|.*郊区|.*城市|.*[大]学)$/;
const PLACES =
  "中国 美国 英国 法国 德国 日本 俄罗斯 意大利 西班牙 荷兰 波兰 印度 加拿大 澳大利亚 埃及 伦敦 巴黎 柏林 华沙 纽约 洛杉矶 北京 上海 广州 香港 台湾 南京 东京 罗马 维也纳 欧洲 非洲 亚洲".split(
    " ",
  );

/** A name replaced by one of the same kind from another article, or changed by one letter or character. */
export function changedName(triple: Triple, donors: Donors, seed: string): Change[] {
  const all = namesIn(triple);
  const places = all.map(({ name, at, kind }): Place => {
    const others = donors[kind]
      .filter((donor) => donor.article !== triple.paragraph.article && alike(donor.name, name))
      .map((donor) => donor.name);
    return { at, old: name, others: others.filter((other) => !sharesPart(triple.quote, other, name)) };
  });
  return [...change("another", triple, places, seed), ...change("one letter off", triple, all.map(nearMiss), seed)];
}

const alike = (a: string, b: string) =>
  /^[A-Z]/.test(a) === /^[A-Z]/.test(b) &&
  a.split(" ").length === b.split(" ").length &&
  a.includes("·") === b.includes("·") &&
  a.length <= 2 * b.length &&
  b.length <= 2 * a.length;

/** True if a name would change nothing: the quote has all of its words, or one of the two names contains the other. */
const sharesPart = (quote: string, other: string, name: string) =>
  name.includes(other) || other.includes(name) || other.split(/[ ·]/).every((part) => standsIn(quote, part));

/**
 * "Stevans" for "Stevens": a letter inside replaced by another of its kind; in Chinese, one character of three or more.
 */
function nearMiss({ name, at }: Named): Place {
  if (/\p{Script=Han}/u.test(name)) {
    if (name.length < 3) return { at, old: name, others: [] };
    const i = hash(name) % (name.length - 1);
    if (!/\p{Script=Han}/u.test(name.charAt(i))) return { at, old: name, others: [] };
    return { at, old: name, others: [..."安林文德伯兰"].map((c) => name.slice(0, i) + c + name.slice(i + 1)) };
  }
  const inner = [...name].flatMap((c, i) => (i > 1 && /[a-z]/.test(c) && /[a-z]/.test(name.charAt(i - 1)) ? [i] : []));
  const i = inner[hash(name) % Math.max(1, inner.length)];
  if (i === undefined || name.length < 5) return { at, old: name, others: [] };
  const letters = /[aeiou]/.test(name.charAt(i)) ? "aeiou" : "bdlmnrt";
  return { at, old: name, others: [...letters].map((c) => name.slice(0, i) + c + name.slice(i + 1)) };
}

/** Subject and object exchanged: two names with a verb between them that does not hold both ways. */
export function exchanged(triple: Triple, seed: string): Change[] {
  const all = namesIn(triple).toSorted((a, b) => a.at - b.at);
  const pairs = all.flatMap((one, i) => all.slice(i + 1).map((other) => ({ one, other })));
  const possible = pairs.filter(({ one, other }) => {
    const between = triple.sentence.slice(one.at + one.name.length, other.at);
    return (
      one.at + one.name.length < other.at &&
      isVerb(between) &&
      !one.name.includes(other.name) &&
      !other.name.includes(one.name)
    );
  });
  const chosen = pick(possible, `${seed} exchanged ${triple.id}`);
  if (!chosen) return [];
  const { one, other } = chosen;
  const s = triple.sentence;
  const text = `${s.slice(0, one.at)}${other.name}${s.slice(one.at + one.name.length, other.at)}${one.name}${s.slice(other.at + other.name.length)}`;
  return [{ how: `exchanged: ${one.name} ↔ ${other.name}`, text }];
}

const isVerb = (between: string) =>
  between.length < 80 &&
  !/^(?:\s*,?\s*(?:and|or|&)\s*|、|和|与|及|，|, )$|\b(?:between|married|met)\b|结婚|之间/.test(between) &&
  /\b\p{Ll}+(?:ed|es|s|ing)\b|\b(?:was|is|were|won|led|gave|took|made|beat|sent|held|became|sold|wrote|told|by|from|to)\b|[被把由比向从给受]|[\p{Script=Han}]{2}/u.test(
    between,
  );
