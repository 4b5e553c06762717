import { randomFrom } from "../../src/evaluate/statistics.js";
import type { Entity, Triple, TripleSource } from "../../src/tools/knowledge/port.js";

/**
 * Generates triples like those of a team, the same for the same seed: half English and half Chinese, twenty per source.
 * A tenth of the objects are plain values, and another tenth are one of twenty hubs, the first of them most often. Some
 * names have aliases.
 */
export function generatedGraph(triples: number, seed = 1) {
  const random = randomFrom(seed);
  const entities = Math.max(100, Math.floor(triples / 4));
  const pick = (count: number) => Math.floor(random() * count);

  const entity = (number: number): Entity => ({
    name: nameOf(number),
    type: number % 2 === 0 ? (ENGLISH_TYPES[number % 5] ?? "") : (CHINESE_TYPES[number % 5] ?? ""),
    aliases: number % 20 < 2 ? [`${nameOf(number)}${number % 2 === 0 ? " Group" : "集团"}`] : [],
  });

  /** The lower the number of a hub, the more often it is drawn. */
  const object = (): Entity => {
    const kind = random();
    if (kind < 0.1) return { name: `${1990 + pick(36)}-${1 + pick(12)}-${1 + pick(28)}`, type: "", aliases: [] };
    if (kind < 0.2) return entity(Math.floor(HUBS * random() ** 2));
    return entity(HUBS + pick(entities - HUBS));
  };

  /** The sources from `first` on, with all their triples. */
  function sources(first: number, count: number): { source: TripleSource; triples: Triple[] }[] {
    return Array.from({ length: count }, (_, i) => {
      const number = first + i;
      const documentId = `doc-${Math.floor(number / 10)}.md`;
      const id = `${documentId}#${number % 10}`;
      const source = { id, documentId, title: documentId, uri: documentId, section: "", reviewedAt: "", hash: id };
      return { source, triples: Array.from({ length: SIZE }, () => triple()) };
    });
  }

  function triple(): Triple {
    const subject = HUBS + pick(entities - HUBS);
    const relations = subject % 2 === 0 ? ENGLISH_RELATIONS : CHINESE_RELATIONS;
    const predicate = relations[pick(relations.length)] ?? "";
    const other = object();
    const quote = `${nameOf(subject)} ${predicate} ${other.name}.`;
    return { subject: entity(subject), predicate, object: other, quote };
  }

  return { sources, nameOf, entities, random, count: Math.ceil(triples / SIZE) };
}

export const SIZE = 20;
export const HUBS = 20;

/** Even numbers are English, odd ones Chinese. No two are alike; 2,654,435,761 scatters them (Knuth). */
function nameOf(number: number): string {
  const scattered = Math.imul(number + 1, 2_654_435_761) >>> 0;
  if (number % 2 === 1)
    return String.fromCodePoint(
      0x4e00 + (scattered % 3_000),
      0x4e00 + (Math.floor(scattered / 3_000) % 3_000),
      0x4e00 + Math.floor(scattered / 9_000_000),
      0x4e00 + (number % 3_000),
    );
  return [scattered & 0xffff, scattered >>> 16].map(word).join(" ");
}

/** Four syllables for sixteen bits. */
function word(bits: number): string {
  const syllables = [12, 8, 4, 0].map((shift) => SYLLABLES[(bits >> shift) & 15] ?? "").join("");
  return syllables.charAt(0).toUpperCase() + syllables.slice(1);
}

const SYLLABLES = ["ba", "co", "di", "fe", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "ve", "wa"];
const ENGLISH_TYPES = ["Person", "Team", "System", "Product", "Office"];
const CHINESE_TYPES = ["人员", "部门", "系统", "产品", "地点"];
export const ENGLISH_RELATIONS = [
  ...["reports to", "manages", "owns", "depends on", "located in", "member of", "supplies", "maintains", "replaces"],
  ...["founded by", "works with", "certified by", "approved by", "part of", "uses", "audits", "funded by", "tests"],
];
export const CHINESE_RELATIONS = [
  ...["负责人", "上级", "位于", "依赖", "隶属", "供应商", "维护", "替代", "创始人", "合作", "批准人", "使用", "审计"],
  ...["资助", "测试", "管理", "成员", "认证"],
];
