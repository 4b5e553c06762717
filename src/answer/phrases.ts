import type { FailureTag } from "../types/answer.js";
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
  wouldHelp: (remedies: readonly string[]) => string;
  failure: Readonly<Record<FailureTag, (seen: Seen) => { evidence: string; remedy: string }>>;
  sourcesFailed: (why: readonly string[]) => string;
  mayBeSent: (queries: readonly string[]) => string;
  open: (what: string) => string;
  dropped: (claims: number) => string;
  disagree: (newer: Dated, older: Dated) => string;
  sources: string;
}

/** What a failure is told by. */
export interface Seen {
  /** Different passages, facts and parts of pages that were graded. */
  graded: number;
  /** The best relevance among them, 0 to 1. */
  relevance: number;
  /** At which place of its list the most relevant one stood, from 1. */
  rank: number;
  /** The first fault of a model, or empty. */
  fault: string;
  /** Statements that no source supports. */
  dropped: number;
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
  wouldHelp: (remedies) => `What would help: ${remedies.join(" ")}`,
  failure: {
    NO_RECALL: ({ graded, relevance }) => ({
      evidence: `${graded} passages were looked at, the best with a relevance of ${relevance.toFixed(2)}.`,
      remedy: "Add a document on it, or ask in the words that the documents use.",
    }),
    BAD_RERANK: ({ rank, relevance }) => ({
      evidence: `The most relevant passage (${relevance.toFixed(2)}) stood at place ${rank} of what was found, below others that say nothing on it.`,
      remedy: "Let more passages be used, or set up embeddings.",
    }),
    PROMPT_FAIL: ({ fault }) => ({
      evidence: fault || "The evidence was found to answer, and the draft said nothing.",
      remedy: "Check the model's endpoint, or use another model.",
    }),
    OVERGEN: ({ dropped }) => ({
      evidence: `The draft made ${dropped === 1 ? "one statement" : `${dropped} statements`} that no source supports.`,
      remedy: "Use a model that keeps to its sources, or allow another repair.",
    }),
    NEED_CONTENT: ({ relevance }) => ({
      evidence: `What was found is on the topic (relevance ${relevance.toFixed(2)}) and does not state the answer.`,
      remedy: "Add a document that states it, or ask in the words that the documents use.",
    }),
  },
  sourcesFailed: (why) => `No source could be searched. ${why.join(" ")}`.trim(),
  mayBeSent: (queries) =>
    `May these queries go to a web search? Nothing has been sent: ${queries.map((query) => `“${query}”`).join("; ")}.`,
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
  wouldHelp: (remedies) => `可以这样做：${remedies.join("")}`,
  failure: {
    NO_RECALL: ({ graded, relevance }) => ({
      evidence: `查看了${graded}个段落，最高相关度为${relevance.toFixed(2)}。`,
      remedy: "补充有关此事的文档，或改用文档中的说法再问一次。",
    }),
    BAD_RERANK: ({ rank, relevance }) => ({
      evidence: `最相关的段落（${relevance.toFixed(2)}）排在第${rank}位，排在它前面的与问题无关。`,
      remedy: "允许使用更多段落，或配置向量模型。",
    }),
    PROMPT_FAIL: ({ fault }) => ({
      evidence: fault || "证据足以回答，草稿却没有内容。",
      remedy: "检查模型的接口，或换一个模型。",
    }),
    OVERGEN: ({ dropped }) => ({
      evidence: `草稿中有${dropped}句话没有来源支持。`,
      remedy: "换用更忠于来源的模型，或允许多修改一次。",
    }),
    NEED_CONTENT: ({ relevance }) => ({
      evidence: `找到的内容与主题有关（相关度${relevance.toFixed(2)}），但没有写明答案。`,
      remedy: "补充写明此事的文档，或改用文档中的说法再问一次。",
    }),
  },
  sourcesFailed: (why) => `没有可以查找的来源。${why.join(" ")}`.trim(),
  mayBeSent: (queries) =>
    `可以在网上搜索以下内容吗？目前尚未发送：${queries.map((query) => `“${query}”`).join("；")}。`,
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
