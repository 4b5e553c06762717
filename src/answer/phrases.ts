import { inert } from "../citing/inert.js";
import type { FailureTag, LeftOut, Misspelt, StopReason } from "../types/answer.js";
import type { Language } from "../types/evidence.js";
import type { Searched } from "./searched.js";

/** Returns emend's own words in the language of the question. Everything else that it shows is quoted or checked. */
export const phrases = (language: Language): Phrases => (language === "zh" ? CHINESE : ENGLISH);

/** A kind of source. */
export type Place = "document" | "graph" | "web";

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

type Phrases = typeof ENGLISH;
type Stopped = Readonly<Partial<Record<StopReason, string>>>;
type Failures = Readonly<Record<FailureTag, (seen: Seen) => { evidence: string; remedy: string }>>;

const ENGLISH = {
  cannotAnswer: (places: readonly Place[]) =>
    places.length === 0
      ? "I cannot answer this."
      : `I cannot answer this from ${ENGLISH_LIST.format(places.map((place) => ENGLISH_PLACES[place]))}.`,
  notSearched: englishNotSearched,
  nothingStored: "There are no documents to search. Add some with `emend ingest <folder>`.",
  /** Why the run ended; absent if the rest says it. */
  stopped: {
    unanswerable: "Nothing that was found was judged to answer it.",
    unsupported: "No statement of the draft passed the check.",
    evidence_stagnation: "Searching again found nothing new.",
    query_stagnation: "No other way to ask was found.",
    answer_stagnation: "The same draft came back.",
    rounds_spent: "All rounds of searching that were allowed are used.",
    calls_spent: "The model calls that were allowed are used.",
    tokens_spent: "The tokens that were allowed are used.",
    time_spent: "The time that was allowed is over.",
    steps_spent: "The steps that were allowed are used.",
  } satisfies Stopped as Stopped,
  /** The evidence was graded as an answer, and no draft used it. */
  silent: "What was found looked like an answer, and no sentence of it could be given as one.",
  lookedFor: (queries: readonly string[]) => `Looked for: ${queries.map((query) => `“${query}”`).join("; ")}.`,
  missing: (what: string) => `Missing: ${ended(what, ".")}`,
  nothingSaysIt: "a passage that is judged to answer",
  wouldHelp: (remedies: readonly string[]) => `What would help: ${remedies.join(" ")}`,
  failure: {
    SOURCE_FAIL: ({ failed }) => ({
      evidence: englishNotSearched(failed),
      remedy: "See to it that it can be reached, and ask again.",
    }),
    NO_RECALL: ({ graded, relevance, isEmpty }) =>
      isEmpty
        ? { evidence: "There are no documents to search.", remedy: "Add documents: `emend ingest <folder>`." }
        : {
            evidence:
              graded === 0
                ? "Nothing was found to look at."
                : `${graded === 1 ? "One passage was" : `${graded} passages were`} looked at, the best with a relevance of ${relevance.toFixed(2)}.`,
            remedy: "Add a document on it, or ask in the words that the documents use.",
          },
    BAD_RERANK: ({ rank, relevance }) => ({
      evidence: `The most relevant passage (${relevance.toFixed(2)}) stood at place ${rank} of those at hand, below others that say nothing on it.`,
      remedy: "Let more passages be used, or set up embeddings if there are none.",
    }),
    PROMPT_FAIL: ({ fault }) => ({
      evidence: fault || "The evidence was judged to answer, and the model's draft said nothing.",
      remedy: isEndpoint(fault) ? "Check the model's endpoint, or use another model." : "Use another model.",
    }),
    OVERGEN: ({ dropped, hasModel }) => ({
      evidence: `The draft made ${dropped === 1 ? "one statement" : `${dropped} statements`} that did not pass the check.`,
      remedy: hasModel ? "Use a model that keeps to its sources, or allow another repair." : ENGLISH_MODEL,
    }),
    NEED_CONTENT: ({ relevance, hasModel }) => ({
      evidence: `What was found is on the topic (relevance ${relevance.toFixed(2)}), and none of it was judged to answer.`,
      remedy: `Add a document that states it, or ask in the words that the documents use.${hasModel ? "" : ` ${ENGLISH_MODEL}`}`,
    }),
  } satisfies Failures as Failures,
  mayBeSent: (queries: readonly string[]) =>
    `May these queries go to a web search? Nothing has been sent: ${queries.map((query) => `“${query}”`).join("; ")}.`,
  unsure: "I am not sure that this answers it:",
  nearest: "Nearest found; none of it was judged to answer:",
  open: (what: string) => `Not answered: ${ended(what, ".")}`,
  dropped: (claims: number) =>
    claims === 1
      ? "one statement that did not pass the check was left out"
      : `${claims} statements that did not pass the check were left out`,
  readAs: (misspelt: readonly Misspelt[]) =>
    misspelt.length === 0 ? "" : `Read ${misspelt.map(({ written, read }) => `“${written}” as “${read}”`).join(", ")}.`,
  /** What was attached to the question, by types of content. */
  notRead: (types: readonly string[]) =>
    types.length === 0
      ? ""
      : `Not read: what was attached (${inert(types.join(", "))}). Only the text of a message is read; what answers are to rest on belongs to the documents.`,
  disagree: (newer: Dated, older: Dated) =>
    `The sources disagree: [${newer.number}] (${newer.date || "undated"}) and [${older.number}] (${older.date || "undated"}) say different things.`,
  stale: (old: readonly Dated[]) =>
    `This may be out of date: nothing newer says so than ${old.map(({ number, date }) => `[${number}] (${date})`).join(", ")}.`,
  /** Since when and until when a document holds. */
  valid: (from: string, until: string) =>
    [from && `valid from ${from}`, until && `${from ? "" : "valid "}until ${until}`].filter(Boolean).join(" "),
  leftOut: (documents: readonly LeftOut[]) =>
    documents.length === 0
      ? ""
      : `Left out, since it does not hold at that time: ${shownOf(documents)
          .map(({ uri, from, until, successor }) =>
            [uri, [ENGLISH.valid(from, until), successor && `superseded by ${successor}`].filter(Boolean).join(", ")]
              .filter(Boolean)
              .join(": "),
          )
          .join("; ")}.`,
  sources: "Sources",
};

const CHINESE: Phrases = {
  cannotAnswer: (places) =>
    places.length === 0
      ? "无法回答这个问题。"
      : `根据现有${places.map((place) => CHINESE_PLACES[place]).join("、")}，无法回答这个问题。`,
  notSearched: (failed) =>
    failed.map(({ place, why }) => `无法查找${CHINESE_PLACES[place]}：${ended(why, "。")}`).join(""),
  nothingStored: "没有可以查找的文档。添加文档：`emend ingest <文件夹>`",
  stopped: {
    unanswerable: "找到的内容都未判定为答案。",
    unsupported: "草稿中没有一句话通过核对。",
    evidence_stagnation: "再次查找没有新的发现。",
    query_stagnation: "没有找到别的问法。",
    answer_stagnation: "再次得到同样的草稿。",
    rounds_spent: "允许的查找轮数已经用完。",
    calls_spent: "允许的模型调用次数已经用完。",
    tokens_spent: "允许的令牌数已经用完。",
    time_spent: "允许的时间已经用完。",
    steps_spent: "允许的步数已经用完。",
  },
  silent: "找到的内容看似能够作答，但没有哪一句可以作为答案。",
  lookedFor: (queries) => `已查找：${queries.map((query) => `“${query}”`).join("；")}。`,
  missing: (what) => `缺少：${ended(what, "。")}`,
  nothingSaysIt: "能判定为答案的段落",
  wouldHelp: (remedies) => `可以这样做：${remedies.join("")}`,
  failure: {
    SOURCE_FAIL: ({ failed }) => ({ evidence: CHINESE.notSearched(failed), remedy: "请先恢复，再问一次。" }),
    NO_RECALL: ({ graded, relevance, isEmpty }) =>
      isEmpty
        ? { evidence: "没有可以查找的文档。", remedy: "添加文档：`emend ingest <文件夹>`。" }
        : {
            evidence:
              graded === 0
                ? "没有找到可以查看的内容。"
                : `查看了${graded}个段落，最高相关度为${relevance.toFixed(2)}。`,
            remedy: "补充有关此事的文档，或改用文档中的说法再问一次。",
          },
    BAD_RERANK: ({ rank, relevance }) => ({
      evidence: `最相关的段落（${relevance.toFixed(2)}）在现有段落中排在第${rank}位，排在它前面的与问题无关。`,
      remedy: "允许使用更多段落，或在没有向量模型时配置一个。",
    }),
    PROMPT_FAIL: ({ fault }) => ({
      evidence: fault || "证据判定为足以回答，模型的草稿却没有内容。",
      remedy: isEndpoint(fault) ? "检查模型的接口，或换一个模型。" : "换一个模型。",
    }),
    OVERGEN: ({ dropped, hasModel }) => ({
      evidence: `草稿中有${dropped}句话没有通过核对。`,
      remedy: hasModel ? "换用更忠于来源的模型，或允许多修改一次。" : CHINESE_MODEL,
    }),
    NEED_CONTENT: ({ relevance, hasModel }) => ({
      evidence: `找到的内容与主题有关（相关度${relevance.toFixed(2)}），但都未判定为答案。`,
      remedy: `补充写明此事的文档，或改用文档中的说法再问一次。${hasModel ? "" : CHINESE_MODEL}`,
    }),
  },
  mayBeSent: (queries) =>
    `可以在网上搜索以下内容吗？目前尚未发送：${queries.map((query) => `“${query}”`).join("；")}。`,
  unsure: "我不确定以下内容是否回答了您的问题：",
  nearest: "找到的最相近的内容，均未判定为答案：",
  open: (what) => `未能回答：${ended(what, "。")}`,
  dropped: (claims) => `有${claims}句话没有通过核对，已略去`,
  readAs: (misspelt) =>
    misspelt.length === 0
      ? ""
      : `已将${misspelt.map(({ written, read }) => `“${written}”理解为“${read}”`).join("，")}。`,
  notRead: (types) =>
    types.length === 0
      ? ""
      : `附件（${inert(types.join("、"))}）未读取：只读消息中的文字，回答所依据的内容请加入文档。`,
  disagree: (newer, older) =>
    `来源说法不一：[${newer.number}]（${newer.date || "无日期"}）与[${older.number}]（${older.date || "无日期"}）不一致。`,
  stale: (old) =>
    `内容可能已经过时：没有比${old.map(({ number, date }) => `[${number}]（${date}）`).join("、")}更新的来源。`,
  valid: (from, until) =>
    from && until ? `有效期${from}至${until}` : from ? `自${from}起有效` : until && `有效至${until}`,
  leftOut: (documents) =>
    documents.length === 0
      ? ""
      : `以下文档在所问的时间无效，未予采用：${shownOf(documents)
          .map(({ uri, from, until, successor }) => {
            const why = [CHINESE.valid(from, until), successor && `已由${successor}取代`].filter(Boolean).join("，");
            return why ? `${uri}（${why}）` : uri;
          })
          .join("；")}。`,
  sources: "来源",
};

/** Other faults of a model are replies that cannot be used. */
const isEndpoint = (fault: string) => fault.startsWith("EndpointError");

/** The documents that a refusal names. */
const shownOf = <T>(documents: readonly T[]) => documents.slice(0, 3);

function englishNotSearched(failed: Searched["failed"]): string {
  const down = failed.map(({ place, why }) => [ENGLISH_PLACES[place].replace(/^t/, "T"), ended(why, ".")]);
  return down.map(([place, why]) => `${place} could not be searched: ${why}`).join(" ");
}

const ENGLISH_LIST = new Intl.ListFormat("en");
const ENGLISH_PLACES: Record<Place, string> = {
  document: "the documents",
  graph: "the knowledge graph",
  web: "the web",
};
const ENGLISH_MODEL = "Set up a model (EMEND_MODEL), which understands other words.";
const CHINESE_MODEL = "也可以配置能理解其他说法的模型（EMEND_MODEL）。";
const CHINESE_PLACES: Record<Place, string> = { document: "文档", graph: "知识图谱", web: "网页" };

/** Ends a text with a full stop, unless it asks or exclaims. */
function ended(text: string, stop: string): string {
  const bare = text.trim().replace(/[.。]*$/u, "");
  return /[?？!！]$/u.test(bare) ? bare : bare + stop;
}
