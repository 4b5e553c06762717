import { inert } from "../citing/inert.js";
import type { SmallTalk } from "../text/small-talk.js";
import type { FailureTag, LeftOut, Misspelt, StopReason } from "../types/answer.js";
import type { Language } from "../types/evidence.js";
import type { Searched } from "./searched.js";

/** Returns emend's own words in the language of the question. Everything else that it shows is quoted or checked. */
export const phrases = (language: Language): Phrases => (language === "zh" ? CHINESE : ENGLISH);

/** A kind of source. */
export type SourceKind = "document" | "graph" | "web";

/** The state of a run, as failures are told by it. */
export interface Seen extends Searched {
  /** The number of different passages, facts and parts of pages that were graded. */
  graded: number;
  /** The best relevance among them, 0 to 1. */
  relevance: number;
  /** The rank of the most relevant one, from 1. */
  rank: number;
  /** The first fault of a model; empty if there is none. */
  fault: string;
  /** The number of statements that did not pass the check. */
  dropped: number;
  /** True if a model was asked. */
  hasModel: boolean;
}

interface Dated {
  number: number;
  /** Empty if the source has none. */
  date: string;
}

const ENGLISH_LANGUAGES = { en: "English", zh: "Chinese", other: "another language" };
const CHINESE_LANGUAGES = { en: "英文", zh: "中文", other: "其他语言" };

type Phrases = typeof ENGLISH;
type Stopped = Readonly<Partial<Record<StopReason, string>>>;
type Small = Readonly<Record<SmallTalk, string>>;
type Failures = Readonly<Record<FailureTag, (seen: Seen) => { evidence: string; remedy: string }>>;

const ENGLISH = {
  cannotAnswer: (places: readonly SourceKind[]) =>
    places.length === 0
      ? "I can't answer this."
      : `I can't answer this from ${ENGLISH_CHOICE.format(places.map((place) => ENGLISH_PLACES[place]))}.`,
  notSearched: englishNotSearched,
  nothingStored: "There are no documents to search. Add some with `emend ingest <folder>`.",
  /** Why the run ended; absent if the rest says it. */
  stopped: {
    unsupported: "I drafted an answer, but couldn't verify any of it.",
    evidence_stagnation: "Searching again turned up nothing new.",
    query_stagnation: "I also tried rewording it.",
    answer_stagnation: "A second draft came out the same.",
    rounds_spent: "I reached the limit on search rounds.",
    calls_spent: "I reached the limit on model calls.",
    tokens_spent: "I reached the limit on tokens.",
    time_spent: "I ran out of time.",
    steps_spent: "I reached the limit on steps.",
  } satisfies Stopped as Stopped,
  /** The evidence was graded as an answer, and no draft used it. */
  silent: "I found what looked like an answer, but no sentence of it answers this on its own.",
  lookedFor: (queries: readonly string[]) =>
    queries.length === 0 ? "" : `I also searched for ${ENGLISH_LIST.format(queries.map((query) => `“${query}”`))}.`,
  missing: (what: string) => (isSentence(what) ? what : `Missing: ${ended(what, ".")}`),
  nothingSaysIt: "Nothing I found answers this.",
  failure: {
    SOURCE_FAIL: ({ failed }) => ({
      evidence: englishNotSearched(failed),
      remedy: "Make sure it can be reached, then ask again.",
    }),
    NO_RECALL: ({ graded, relevance, isEmpty }) =>
      isEmpty
        ? { evidence: "There are no documents to search.", remedy: "Add documents: `emend ingest <folder>`." }
        : {
            evidence:
              graded === 0
                ? "The search found nothing."
                : `I looked at ${graded === 1 ? "one passage" : `${graded} passages`}; the best has a relevance of ${relevance.toFixed(2)}.`,
            remedy: ENGLISH_ADD,
          },
    BAD_RERANK: ({ rank, relevance }) => ({
      evidence: `The most relevant passage (${relevance.toFixed(2)}) ranked number ${rank}, below passages that are off topic.`,
      remedy: "Allow more passages, or set up embeddings if there are none.",
    }),
    PROMPT_FAIL: ({ fault }) => ({
      evidence: fault || "The sources seem to answer the question, but the model wrote nothing.",
      remedy: isEndpoint(fault) ? "Check the model's endpoint, or use another model." : "Use another model.",
    }),
    OVERGEN: ({ dropped, hasModel }) => ({
      evidence: `${dropped === 1 ? "One statement" : `${dropped} statements`} in the draft could not be verified.`,
      remedy: hasModel ? "Use a model that stays closer to its sources, or allow another repair." : ENGLISH_MODEL,
    }),
    NEED_CONTENT: ({ relevance, hasModel }) => ({
      evidence: `What I found is on topic (relevance ${relevance.toFixed(2)}), but doesn't answer the question.`,
      remedy: `${ENGLISH_ADD}${hasModel ? "" : ` ${ENGLISH_MODEL}`}`,
    }),
  } satisfies Failures as Failures,
  mayBeSent: (queries: readonly string[]) =>
    `Search the web for this? Nothing has been sent yet: ${queries.map((query) => `“${query}”`).join("; ")}.`,
  unsure: "I am not sure that this answers it:",
  nearest: "The closest passages I found:",
  open: (what: string) => (isSentence(what) ? what : `Not answered: ${ended(what, ".")}`),
  dropped: (claims: number) =>
    `I left out ${claims === 1 ? "one statement" : `${claims} statements`} that I couldn't verify.`,
  readAs: (misspelt: readonly Misspelt[]) =>
    misspelt.length === 0
      ? ""
      : `I read ${misspelt.map(({ written, read }) => `“${written}” as “${read}”`).join(", ")}.`,
  /** What was attached to the question, by types of content. */
  notRead: (types: readonly string[]) =>
    types.length === 0
      ? ""
      : `I didn't read what was attached (${inert(types.join(", "))}), only the text of the message. To ask about a file, add it to the documents.`,
  disagree: (newer: Dated, older: Dated) =>
    `The sources disagree: [${newer.number}] (${newer.date || "undated"}) and [${older.number}] (${older.date || "undated"}) say different things.`,
  /** @param isAll true if the answer has no other sources. */
  stale: (old: readonly Dated[], isAll: boolean) =>
    isAll
      ? `This may be out of date: the newest source is from ${yearOf(newestOf(old))}.`
      : `Some of this may be out of date: ${ENGLISH_LIST.format(old.map(({ number, date }) => `[${number}] is from ${yearOf(date)}`))}.`,
  /** The languages of sources that are not the question's. `number` is absent where the answer has no other sources. */
  foreign: (sources: readonly { number?: number; language: Language }[]): string =>
    sources
      .map(({ number, language }) => `${number ? `[${number}]` : "The source"} is in ${ENGLISH_LANGUAGES[language]}.`)
      .join(" "),
  /** Since when and until when a document holds. */
  valid: (from: string, until: string) =>
    [from && `valid from ${from}`, until && `${from ? "" : "valid "}until ${until}`].filter(Boolean).join(" "),
  leftOut: (documents: readonly LeftOut[]) =>
    documents.length === 0
      ? ""
      : `Not used, because it doesn't apply at that time: ${shownOf(documents)
          .map(({ uri, from, until, successor }) => {
            const why = [ENGLISH.valid(from, until), successor && `superseded by ${successor}`].filter(Boolean);
            return why.length > 0 ? `${uri} (${why.join(", ")})` : uri;
          })
          .join("; ")}.`,
  sources: "Sources",
  small: {
    greeting: "Hello! Ask me anything about your documents.",
    thanks: "You're welcome.",
    farewell: "Goodbye!",
    test: "It works. Ask me anything about your documents.",
    who: "I'm emend. I answer questions from your documents and check every sentence against its source.",
    help: "Ask me about your documents. I answer from them alone, and check every sentence against its source.",
  } satisfies Small as Small,
  /** Two paragraphs, the second of which leads on to questions. */
  about: (documents: number, titles: readonly string[]) => [
    documents === 1
      ? `There is one document${titles.map((title) => `: “${title}”`).join("")}.`
      : `There are ${documents} documents${titles.length > 0 ? `, such as ${ENGLISH_LIST.format(titles.map((title) => `“${title}”`))}` : ""}.`,
    "You could ask, for example:",
  ],
};

const CHINESE: Phrases = {
  cannotAnswer: (places) =>
    places.length === 0
      ? "这个问题我答不上来。"
      : `${places.map((place) => CHINESE_PLACES[place]).join("、")}里没有找到这个问题的答案。`,
  notSearched: (failed) =>
    failed.map(({ place, why }) => `无法查找${CHINESE_PLACES[place]}：${ended(why, "。")}`).join(""),
  nothingStored: "还没有可以查找的文档。添加文档：`emend ingest <文件夹>`",
  stopped: {
    unsupported: "草拟了回答，但没有一句能核实。",
    evidence_stagnation: "再次查找也没有新的发现。",
    query_stagnation: "换个说法查找也没有结果。",
    answer_stagnation: "重写后还是同样的回答。",
    rounds_spent: "已达到查找轮数上限。",
    calls_spent: "已达到模型调用次数上限。",
    tokens_spent: "已达到 token 数上限。",
    time_spent: "时间用完了。",
    steps_spent: "已达到步数上限。",
  },
  silent: "找到的内容看似答案，但没有哪一句能单独回答这个问题。",
  lookedFor: (queries) => (queries.length === 0 ? "" : `还查找了${queries.map((query) => `“${query}”`).join("、")}。`),
  missing: (what) => (isSentence(what) ? what : `缺少：${ended(what, "。")}`),
  nothingSaysIt: "找到的内容都没有回答这个问题。",
  failure: {
    SOURCE_FAIL: ({ failed }) => ({
      evidence: CHINESE.notSearched(failed),
      remedy: "请确认它可以访问，然后再问一次。",
    }),
    NO_RECALL: ({ graded, relevance, isEmpty }) =>
      isEmpty
        ? { evidence: "还没有可以查找的文档。", remedy: "添加文档：`emend ingest <文件夹>`。" }
        : {
            evidence: graded === 0 ? "没有查到任何内容。" : `看了${graded}个段落，最高相关度${relevance.toFixed(2)}。`,
            remedy: CHINESE_ADD,
          },
    BAD_RERANK: ({ rank, relevance }) => ({
      evidence: `最相关的段落（${relevance.toFixed(2)}）只排在第${rank}位，前面的大多与问题无关。`,
      remedy: "可以增加段落数；还没有配置向量模型的话，可以配置一个。",
    }),
    PROMPT_FAIL: ({ fault }) => ({
      evidence: fault || "找到的内容看来足以回答，但模型什么也没写。",
      remedy: isEndpoint(fault) ? "请检查模型的接口，或换一个模型。" : "请换一个模型。",
    }),
    OVERGEN: ({ dropped, hasModel }) => ({
      evidence: `草稿中有${dropped}句话未能核实。`,
      remedy: hasModel ? "可以换用更忠于来源的模型，或多允许一次修改。" : CHINESE_MODEL,
    }),
    NEED_CONTENT: ({ relevance, hasModel }) => ({
      evidence: `找到的内容与主题相关（相关度${relevance.toFixed(2)}），但没有回答这个问题。`,
      remedy: `${CHINESE_ADD}${hasModel ? "" : CHINESE_MODEL}`,
    }),
  },
  mayBeSent: (queries) => `要上网搜索吗？以下内容尚未发送：${queries.map((query) => `“${query}”`).join("；")}。`,
  unsure: "我不确定以下内容是否回答了您的问题：",
  nearest: "最接近的内容：",
  open: (what) => (isSentence(what) ? what : `未能回答：${ended(what, "。")}`),
  dropped: (claims) => `有${claims}句话未能核实，已略去。`,
  readAs: (misspelt) =>
    misspelt.length === 0
      ? ""
      : `已将${misspelt.map(({ written, read }) => `“${written}”理解为“${read}”`).join("，")}。`,
  notRead: (types) =>
    types.length === 0
      ? ""
      : `附件（${inert(types.join("、"))}）没有读取，只读了消息中的文字。要针对文件提问，请先把它加入文档。`,
  disagree: (newer, older) =>
    `来源说法不一：[${newer.number}]（${newer.date || "无日期"}）与[${older.number}]（${older.date || "无日期"}）不一致。`,
  stale: (old, isAll) =>
    isAll
      ? `内容可能已经过时：最新的来源是${chineseYear(newestOf(old))}的。`
      : `部分内容可能已经过时：${old.map(({ number, date }) => `[${number}]是${chineseYear(date)}的`).join("，")}。`,
  foreign: (sources) =>
    sources
      .map(({ number, language }) => `${number ? `[${number}]` : "来源"}是${CHINESE_LANGUAGES[language]}的。`)
      .join(""),
  valid: (from, until) =>
    from && until ? `有效期${from}至${until}` : from ? `自${from}起有效` : until && `有效至${until}`,
  leftOut: (documents) =>
    documents.length === 0
      ? ""
      : `以下文档在所问时间不适用，没有采用：${shownOf(documents)
          .map(({ uri, from, until, successor }) => {
            const why = [CHINESE.valid(from, until), successor && `已由${successor}取代`].filter(Boolean).join("，");
            return why ? `${uri}（${why}）` : uri;
          })
          .join("；")}。`,
  sources: "来源",
  small: {
    greeting: "你好！有关文档的问题，都可以问我。",
    thanks: "不客气。",
    farewell: "再见！",
    test: "一切正常。有关文档的问题，都可以问我。",
    who: "我是 emend。我根据你的文档回答问题，每句话都与出处核对过。",
    help: "有关文档的问题，都可以问我。我只根据文档回答，每句话都与出处核对过。",
  },
  about: (documents, titles) => [
    `目前有${documents}篇文档${titles.length > 0 ? `，${documents > titles.length ? "例如" : ""}${titles.map((title) => `《${title}》`).join("")}` : ""}。`,
    "比如可以这样问：",
  ],
};

/** True for a whole sentence. What a model says is missing ends without a mark. */
const isSentence = (text: string) => /[.。]$/u.test(text);

/** Of the dates of sources, which have at least a year. */
const newestOf = (dated: readonly Dated[]) =>
  dated
    .map(({ date }) => date)
    .toSorted()
    .at(-1) ?? "";

/** Within this year, the year alone would say nothing. */
const yearOf = (date: string) => {
  const year = date.slice(0, 4);
  return year === String(new Date().getFullYear()) ? date : year;
};
const chineseYear = (date: string) => yearOf(date).replace(/^\d{4}$/, "$&年");

/** Other faults of a model are replies that cannot be used. */
const isEndpoint = (fault: string) => fault.startsWith("EndpointError");

/** The documents that a refusal names. */
const shownOf = <T>(documents: readonly T[]) => documents.slice(0, 3);

function englishNotSearched(failed: Searched["failed"]): string {
  const down = failed.map(({ place, why }) => [ENGLISH_PLACES[place].replace(/^t/, "T"), ended(why, ".")]);
  return down.map(([place, why]) => `${place} could not be searched: ${why}`).join(" ");
}

const ENGLISH_LIST = new Intl.ListFormat("en");
const ENGLISH_CHOICE = new Intl.ListFormat("en", { type: "disjunction" });
const ENGLISH_PLACES: Record<SourceKind, string> = {
  document: "the documents",
  graph: "the knowledge graph",
  web: "the web",
};
const ENGLISH_ADD = "Add a document that covers it, or try the documents' own wording.";
const ENGLISH_MODEL = "Set up a model (EMEND_MODEL) to understand other wordings.";
const CHINESE_ADD = "可以补充相关文档，或换用文档里的说法再问一次。";
const CHINESE_MODEL = "也可以配置模型（EMEND_MODEL），让它理解不同的说法。";
const CHINESE_PLACES: Record<SourceKind, string> = { document: "文档", graph: "知识图谱", web: "网页" };

/** Ends a text with a full stop, unless it asks or exclaims. */
function ended(text: string, stop: string): string {
  const bare = text.trim().replace(/[.。]*$/u, "");
  return /[?？!！]$/u.test(bare) ? bare : bare + stop;
}
