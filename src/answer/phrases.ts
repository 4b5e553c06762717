import type { Language } from "../types/evidence.js";

/** What emend says in its own words, in the language of the question. Everything else it shows is quoted or checked. */
export const phrases = (language: Language): Phrases => (language === "zh" ? CHINESE : ENGLISH);

/** Where something was found that does not answer; documents are always looked through. */
export type Place = "document" | "graph" | "web";

interface Phrases {
  cannotAnswer: (places: readonly Place[]) => string;
  lookedFor: (queries: readonly string[]) => string;
  missing: (what: string) => string;
  nothingSaysIt: string;
  wouldHelp: string;
  sourcesFailed: (why: readonly string[]) => string;
  open: (what: string) => string;
  dropped: (claims: number) => string;
  disagree: (newer: Dated, older: Dated) => string;
  sources: string;
}

interface Dated {
  number: number;
  /** Empty where the source bears none. */
  date: string;
}

const ENGLISH: Phrases = {
  cannotAnswer: (places) =>
    `I cannot answer this from ${ENGLISH_LIST.format(places.map((place) => ENGLISH_PLACES[place]))}.`,
  lookedFor: (queries) => `Looked for: ${queries.map((query) => `“${query}”`).join("; ")}.`,
  missing: (what) => `Missing: ${ended(what, ".")}`,
  nothingSaysIt: "no passage states what the question asks",
  wouldHelp: "A document that states it, or the words your documents use for it, would help.",
  sourcesFailed: (why) => `No source could be searched. ${why.join(" ")}`.trim(),
  open: (what) => `Not answered: ${ended(what, ".")}`,
  dropped: (claims) =>
    claims === 1
      ? "one statement that no source supports was left out"
      : `${claims} statements that no source supports were left out`,
  disagree: (newer, older) =>
    `The sources disagree: [${newer.number}] (${newer.date || "undated"}) and [${older.number}] (${older.date || "undated"}) say different things.`,
  sources: "Sources",
};

const CHINESE: Phrases = {
  cannotAnswer: (places) => `根据现有${places.map((place) => CHINESE_PLACES[place]).join("、")}，无法回答这个问题。`,
  lookedFor: (queries) => `已查找：${queries.map((query) => `“${query}”`).join("；")}。`,
  missing: (what) => `缺少：${ended(what, "。")}`,
  nothingSaysIt: "没有任何段落说明所问的内容",
  wouldHelp: "补充写明此事的文档，或改用文档中的说法再问一次，会有帮助。",
  sourcesFailed: (why) => `没有可以查找的来源。${why.join(" ")}`.trim(),
  open: (what) => `未能回答：${ended(what, "。")}`,
  dropped: (claims) => `有${claims}句话没有来源支持，已略去`,
  disagree: (newer, older) =>
    `来源说法不一：[${newer.number}]（${newer.date || "无日期"}）与[${older.number}]（${older.date || "无日期"}）不一致。`,
  sources: "来源",
};

const ENGLISH_LIST = new Intl.ListFormat("en");
const ENGLISH_PLACES: Record<Place, string> = {
  document: "the documents",
  graph: "the knowledge graph",
  web: "the web",
};
const CHINESE_PLACES: Record<Place, string> = { document: "文档", graph: "知识图谱", web: "网页" };

const ended = (text: string, stop: string) => text.trim().replace(/[.。]*$/u, () => stop);
