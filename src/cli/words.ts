import type { Language } from "../types/evidence.js";

/** What the command line says around an answer, in the answer's language. */
export const words = (language: Language): Words => (language === "zh" ? CHINESE : ENGLISH);

interface Words {
  takenBack: (sentence: string, reason: string) => string;
  corrected: string;
  keep: (urls: readonly string[]) => string;
  preview: string;
  approve: (queries: readonly string[]) => string;
  reviewed: (date: string) => string;
  dated: (date: string) => string;
  retrieved: (date: string) => string;
  quoted: (quote: string) => string;
}

const ENGLISH: Words = {
  takenBack: (sentence, reason) => `Taken back: “${sentence}” ${reason}`.trim(),
  corrected: "The corrected answer:",
  keep: (urls) => `To keep it: emend ingest ${urls.join(" ")}`,
  preview: "the search engine's words; the page could not be read",
  approve: (queries) =>
    `Search the web for this? yes, no, numbers of those to keep, or other queries, one a line, then an empty line.\n${numbered(queries)}`,
  reviewed: (date) => `reviewed ${date}`,
  dated: (date) => `dated ${date}`,
  retrieved: (date) => `retrieved ${date}`,
  quoted: (quote) => `“${quote}”`,
};

const CHINESE: Words = {
  takenBack: (sentence, reason) => `撤回：“${sentence}”${reason}`,
  corrected: "更正后的回答：",
  keep: (urls) => `要保存：emend ingest ${urls.join(" ")}`,
  preview: "搜索引擎的摘要；未能读取该网页",
  approve: (queries) =>
    `要在网上搜索以下内容吗？回答“是”、“否”、要保留的编号，或另写要搜索的内容：每行一条，以空行结束。\n${numbered(queries)}`,
  reviewed: (date) => `审阅于${date}`,
  dated: (date) => `日期${date}`,
  retrieved: (date) => `检索于${date}`,
  quoted: (quote) => `“${quote}”`,
};

const numbered = (queries: readonly string[]) => queries.map((query, i) => `${i + 1}. ${query}`).join("\n");
