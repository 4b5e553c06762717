import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Decision } from "../types/events.js";
import { inChinese } from "./reasons.js";

const en = {
  language: "en" as string,
  other: "中文",
  ask: "Ask",
  verify: "Check a text",
  skip: "Skip to the question",
  welcome: "Ask your documents",
  promise:
    "Every sentence is checked against its source before you see it. Click a number to read the quote where it stands.",
  stored: (documents: number, titles: readonly string[]) =>
    `${documents === 1 ? "1 document" : `${documents} documents`}, such as ${titles.map((title) => `“${title}”`).join(", ")}`,
  toAdd: "To add documents:",
  addBy: "emend ingest <folder>",
  copy: "Copy",
  copyAll: "Copy with sources",
  copied: "Copied.",
  question: "Your question",
  followUp: "Ask a follow-up …",
  reply: "Your reply …",
  send: "Ask",
  stop: "Stop",
  stopped: "Stopped.",
  conversations: "Conversations",
  fresh: "New conversation",
  none: "Your questions are listed here, in this browser only.",
  forget: (title: string) => `Remove “${title}” from the list`,
  gone: "This conversation is no longer on the server.",
  partial: "Partly answered",
  refused: "Not answered",
  needs_clarification: "Please clarify",
  sources: "Sources",
  quote: "The quote in its source",
  source: (number: number, title: string) => `Source ${number}: ${title}. Show the quote`,
  takenBack: (count: number) => (count === 1 ? "One sentence was withdrawn" : `${count} sentences were withdrawn`),
  done: (sources: number) => `The answer is complete, with ${sources === 1 ? "one source" : `${sources} sources`}.`,
  route: "How this was answered",
  stepsTaken: (steps: number) => (steps === 1 ? "1 step" : `${steps} steps`),
  used: (calls: number, tokens: number) =>
    calls > 0 ? [calls === 1 ? "1 call" : `${calls} calls`, `${tokens} tokens`] : [],
  seconds: (seconds: number) => `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`,
  searched: (passages: number) => `searched ${passages === 1 ? "1 passage" : `${passages} passages`}`,
  checked: (claims: number) => `checked ${claims === 1 ? "1 statement" : `${claims} statements`}`,
  between: ", ",
  reason: (reason: string) => reason,
  close: "Close",
  whole: "Show the whole document",
  openPdf: (page: string) => (page ? `Open the PDF at page ${page}` : "Open the PDF"),
  openPage: "Open the page at the quote",
  changed: "The document has changed since. The quote at the time:",
  loading: "Loading …",
  maySearch: "Search the web for this?",
  oneEach: "Edit the queries if needed, one per line.",
  search: "Search the web",
  dont: "Don't search",
  good: "This is right",
  bad: "This is wrong",
  why: "What is right or wrong about it?",
  expected: "What should it say? A few words that a correct answer contains",
  tell: "Send",
  thanks: "Thanks! Your feedback is saved with the answer.",
  text: "The text to check",
  textHint: "Paste a text to check it sentence by sentence.",
  against: "Check against",
  byDocuments: "the documents",
  bySources: "sources I paste",
  sourcesHint: "Paste the sources, separated by lines of ---.",
  check: "Check",
  checking: "Checking …",
  holds: (held: number, all: number) => `${held} of ${all} sentences are supported.`,
  nothing: "This text makes no statements to check.",
  supported: "supported",
  likely: "likely",
  unsupported: "not supported",
  contradicted: "contradicted",
  token: "This server requires a token.",
  tokenName: "Token",
  wrongToken: "This token was not accepted.",
  enter: "Enter",
  steps: {
    __start__: "question",
    understand: "understand",
    retrieve: "search",
    grade: "judge",
    generate: "write",
    checkAnswer: "check",
    respond: "answer",
    clarify: "ask back",
    rewriteQuery: "reword",
    queryGraph: "ask the graph",
    searchWeb: "web search",
    readPages: "read pages",
  } as Readonly<Record<string, string>>,
};

export type Words = typeof en;

const zh: Words = {
  language: "zh",
  other: "English",
  ask: "提问",
  verify: "核对文本",
  skip: "跳到提问框",
  welcome: "向你的文档提问",
  promise: "每句话都先与出处核对，再显示给你。点击编号，可在原文中查看引文。",
  stored: (documents, titles) => `共有${documents}篇文档，例如${titles.map((title) => `《${title}》`).join("")}`,
  toAdd: "添加文档：",
  addBy: "emend ingest <文件夹>",
  copy: "复制",
  copyAll: "连同来源一起复制",
  copied: "已复制。",
  question: "你的问题",
  followUp: "继续提问……",
  reply: "你的回复……",
  send: "提问",
  stop: "停止",
  stopped: "已停止。",
  conversations: "对话",
  fresh: "新对话",
  none: "提过的问题列在这里，只保存在此浏览器中。",
  forget: (title) => `从列表中移除“${title}”`,
  gone: "服务器上已经没有这段对话了。",
  partial: "部分回答",
  refused: "未能回答",
  needs_clarification: "需要确认",
  sources: "来源",
  quote: "原文中的引文",
  source: (number, title) => `来源${number}：${title}。查看引文`,
  takenBack: (count) => `撤回了${count}句话`,
  done: (sources) => `回答完毕，共有${sources}个来源。`,
  route: "回答过程",
  stepsTaken: (steps) => `${steps}步`,
  used: (calls, tokens) => (calls > 0 ? [`${calls}次调用`, `${tokens}个词元`] : []),
  seconds: (seconds) => `${seconds.toFixed(seconds < 10 ? 1 : 0)}秒`,
  searched: (passages) => `查找了${passages}个段落`,
  checked: (claims) => `核对了${claims}句话`,
  between: "，",
  reason: inChinese,
  close: "关闭",
  whole: "显示整篇文档",
  openPdf: (page) => (page ? `打开PDF第${page}页` : "打开PDF"),
  openPage: "打开网页并定位到引文",
  changed: "文档后来有改动。当时的引文：",
  loading: "正在加载……",
  maySearch: "要上网搜索吗？",
  oneEach: "可以修改，每行一条。",
  search: "上网搜索",
  dont: "不搜索",
  good: "回答正确",
  bad: "回答有误",
  why: "哪里对，或哪里不对？",
  expected: "正确答案是什么？写几个关键词即可",
  tell: "发送",
  thanks: "谢谢，反馈已保存。",
  text: "要核对的文本",
  textHint: "粘贴一段文本，逐句核对。",
  against: "对照",
  byDocuments: "文档",
  bySources: "我粘贴的来源",
  sourcesHint: "粘贴来源，用单独一行 --- 分隔。",
  check: "核对",
  checking: "正在核对……",
  holds: (held, all) => `${all}句话中有${held}句得到支持。`,
  nothing: "文本中没有可核对的陈述。",
  supported: "得到支持",
  likely: "很可能",
  unsupported: "没有依据",
  contradicted: "与来源矛盾",
  token: "访问此服务器需要令牌。",
  tokenName: "令牌",
  wrongToken: "令牌无效。",
  enter: "进入",
  steps: {
    __start__: "问题",
    understand: "理解",
    retrieve: "检索",
    grade: "评判",
    generate: "撰写",
    checkAnswer: "核对",
    respond: "回答",
    clarify: "反问",
    rewriteQuery: "改写",
    queryGraph: "查询图谱",
    searchWeb: "搜索网络",
    readPages: "阅读网页",
  },
};

/** What a run has done so far, in few words; the steps if it searched and checked nothing. */
export function done(decisions: readonly Decision[], words: Words): string {
  const most = (of: string) => Math.max(0, ...decisions.map(({ step, count = 0 }) => (step === of ? count : 0)));
  const [searched, checked] = [most("retrieve"), most("generate")];
  const parts = [...(searched > 0 ? [words.searched(searched)] : []), ...(checked > 0 ? [words.checked(checked)] : [])];
  const seconds = decisions.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1000;
  return [parts.join(words.between) || words.stepsTaken(decisions.length), words.seconds(seconds)].join(" · ");
}

/** What a run has taken so far, in one line. */
export function took(decisions: readonly Decision[], words: Words): string {
  const sum = (of: (decision: Decision) => number) => decisions.reduce((total, decision) => total + of(decision), 0);
  const calls = sum(({ calls }) => calls);
  const tokens = sum(({ tokens }) => tokens);
  const seconds = sum(({ milliseconds }) => milliseconds) / 1000;
  return [words.stepsTaken(decisions.length), ...words.used(calls, tokens), words.seconds(seconds)].join(" · ");
}

const LANGUAGE = "emend-language";

/** The words of the language that was chosen here or, before that, of the browser's. */
export function wordsHere(): Words {
  const chosen = localStorage.getItem(LANGUAGE) ?? navigator.language;
  return chosen.startsWith("zh") ? zh : en;
}

/** Chooses the other language. */
export function otherWords({ language }: Words): Words {
  const words = language === "en" ? zh : en;
  localStorage.setItem(LANGUAGE, words.language);
  return words;
}

export const WordsContext = createContext(en);
export const useWords = (): Words => useContext(WordsContext);
