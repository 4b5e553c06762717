import type { Messages } from "./en.js";
import { ended, faultInWords, isWhole, newestOf, type SourceKind, shownOf, yearOf } from "./terms.js";

/** emend's own words in Chinese. */
export const zh: Messages = {
  name: "中文",
  gap: "",
  cannotAnswer: (places) =>
    places.length === 0
      ? "这个问题我答不上来。"
      : `${places.map((place) => PLACES[place]).join("、")}里没有找到这个问题的答案。`,
  notSearched: (failed) => failed.map(({ place, why }) => `无法查找${PLACES[place]}：${ended(why, "。")}`).join(""),
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
  missing: (what) => (isWhole(what) ? what : `缺少：${ended(what, "。")}`),
  nothingSaysIt: "找到的内容都没有回答这个问题。",
  failure: {
    SOURCE_FAIL: ({ failed }) => ({
      evidence: zh.notSearched(failed),
      remedy: "请确认它可以访问，然后再问一次。",
    }),
    NO_RECALL: ({ graded, relevance, isEmpty }) =>
      isEmpty
        ? { evidence: "还没有可以查找的文档。", remedy: "添加文档：`emend ingest <文件夹>`。" }
        : {
            evidence: graded === 0 ? "没有查到任何内容。" : `看了${graded}个段落，最高相关度${relevance.toFixed(2)}。`,
            remedy: ADD,
          },
    BAD_RERANK: ({ rank, relevance }) => ({
      evidence: `最相关的段落（${relevance.toFixed(2)}）只排在第${rank}位，前面的大多与问题无关。`,
      remedy: "可以增加段落数；还没有配置向量模型的话，可以配置一个。",
    }),
    PROMPT_FAIL: ({ fault }) => ({
      evidence: fault ? faultInWords(fault) : "找到的内容看来足以回答，但模型什么也没写。",
      remedy: fault?.name === "EndpointError" ? "请检查模型的接口，或换一个模型。" : "请换一个模型。",
    }),
    OVERGEN: ({ dropped, hasModel }) => ({
      evidence: `草稿中有${dropped}句话未能核实。`,
      remedy: hasModel ? "可以换用更忠于来源的模型，或多允许一次修改。" : MODEL,
    }),
    NEED_CONTENT: ({ relevance, hasModel }) => ({
      evidence: `找到的内容与主题相关（相关度${relevance.toFixed(2)}），但没有回答这个问题。`,
      remedy: `${ADD}${hasModel ? "" : MODEL}`,
    }),
  },
  mayBeSent: (queries) => `要上网搜索吗？以下内容尚未发送：${queries.map((query) => `“${query}”`).join("；")}。`,
  unsure: "我不确定以下内容是否回答了您的问题：",
  nearest: "最接近的内容：",
  open: (what) => (isWhole(what) ? what : `未能回答：${ended(what, "。")}`),
  dropped: (claims) => `有${claims}句话未能核实，已略去。`,
  readAs: (misspelt) =>
    misspelt.length === 0
      ? ""
      : `已将${misspelt.map(({ written, read }) => `“${written}”理解为“${read}”`).join("，")}。`,
  notRead: (types) =>
    types.length === 0
      ? ""
      : `附件（${types.join("、")}）没有读取，只读了消息中的文字。要针对文件提问，请先把它加入文档。`,
  disagree: (newer, older) => [
    "来源说法不一：",
    newer.number,
    `（${newer.date || "无日期"}）与`,
    older.number,
    `（${older.date || "无日期"}）不一致。`,
  ],
  stale: (old, isAll) =>
    isAll
      ? [`内容可能已经过时：最新的来源是${inYear(newestOf(old))}的。`]
      : [
          "部分内容可能已经过时：",
          ...old.flatMap(({ number, date }, i) => [...(i > 0 ? ["，"] : []), number, `是${inYear(date)}的`]),
          "。",
        ],
  foreign: (sources) => sources.flatMap(({ number, language }) => [number ?? "来源", `是${LANGUAGES[language]}的。`]),
  valid: (from, until) =>
    from && until ? `有效期${from}至${until}` : from ? `自${from}起有效` : until && `有效至${until}`,
  leftOut: (documents) =>
    documents.length === 0
      ? ""
      : `以下文档在所问时间不适用，没有采用：${shownOf(documents)
          .map(({ uri, from, until, successor }) => {
            const why = [zh.valid(from, until), successor && `已由${successor}取代`].filter(Boolean).join("，");
            return why ? `${uri}（${why}）` : uri;
          })
          .join("；")}。`,
  sources: "来源",
  likely: "（很可能）",
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
  takenBack: (sentence, reason) => `撤回：“${sentence}”${reason}`,
  doneWithout: "它与另一句话重复，或依附于被删去的话，或出自已被更好的草稿取代的草稿。",
  corrected: "更正后的回答：",
  approve: "要上网搜索以下内容吗？可回答“是”或“否”，输入要保留的编号，或自己写搜索内容：每行一条，以空行结束。",
  listed: {
    keep: (urls) => `要保存：emend ingest ${urls.join(" ")}`,
    alsoIn: (uri) => `另见${uri}`,
    preview: "搜索引擎的摘要；未能读取该网页",
    reviewed: (date) => `审阅于${date}`,
    dated: (date) => `日期${date}`,
    retrieved: (date) => `检索于${date}`,
    more: (rows) => `……另有${rows}行`,
  },
  reasons: {
    search_first: "先查文档。",
    small_talk: "这是寒暄，无需查找。",
    passages_to_grade: ({ count }) => `有${count}段文字待评判。`,
    facts_to_grade: ({ count }) => `有${count}条事实待评判。`,
    graph_failed: "无法查询图谱，或只查了一部分。",
    graph_empty: "图谱中没有相关内容。",
    pages_found: ({ count, queries }) => `${searchedFor(queries)}找到${count}个网页。`,
    no_pages_found: ({ queries }) => `${searchedFor(queries)}没有找到网页。`,
    web_failed: "无法搜索网络。",
    no_query_approved: "没有批准任何网络搜索。",
    page_sections_to_grade: ({ count }) => `有${count}段网页内容待评判。`,
    readable_pages_silent: "能读取的网页中没有相关内容。",
    pages_silent: "网页中没有相关内容。",
    claims_to_check: ({ count }) => `有${count}句话待核对。`,
    done: "完成。",
    another_answer: "要求换一个回答。",
    evidence_answers: "现有依据足以回答问题。",
    evidence_answers_partly: "现有依据可以回答一部分问题。",
    evidence_may_answer: "现有依据可能回答了问题：引用原文。",
    draft_will_tell: "现有依据也许能回答：先起草再看。",
    ambiguous: "问题可以有不止一种理解。",
    more_passages: "有一些相关内容，但还不够：再看更多段落。",
    documents_silent: ({ label }, to) => leading("文档没有答案", label, to),
    rephrase: "现有依据不能回答：换个问法。",
    search_web: "自有资料没有答案：搜索网络。",
    new_query: ({ query }) => (query ? `检索：${query}` : "换个说法检索。"),
    no_new_wording: ({ label }, to) => leading("没有新的问法", label, to),
    draft_supported: "每句话都得到支持。",
    evidence_quoted: "草稿没有回答问题：引用原文。",
    repair: "有些话没有依据：修改草稿。",
    draft_open: ({ label }, to) => leading("草稿还有未答之处", label, to),
    draft_empty: ({ label }, to) => leading("草稿没有内容", label, to),
    best_quotes_shown: "最相关的引文作为可能的答案给出。",
    partly_supported: "回答有依据的部分，并说明还缺什么。",
    budget_spent: "预算已用完。",
    same_draft: "又得到同样的草稿。",
    draft_empty_again: "草稿仍然没有内容。",
    nothing_supported: "草稿中没有一句话有依据。",
    details_added: "用户补充了说明。",
    nobody_to_ask: "运行过程中无法询问用户。",
    nothing_new_found: "再次查找没有新的发现。",
    rounds_spent: "查找轮数已用完，仍没有答案。",
    nothing_answers: "找到的内容都没有回答问题。",
    no_documents: "没有可检索的文档。",
    documents_failed: "无法检索文档。",
    grade_found: "评判找到的内容。",
    next_step: (_, to) => `接下来是${to}。`,
    own: ({ words }) => words,
  },
  page: {
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
  },
};

const PLACES: Record<SourceKind, string> = { document: "文档", graph: "知识图谱", web: "网页" };
const LANGUAGES = { en: "英文", zh: "中文", other: "其他语言" };
const ADD = "可以补充相关文档，或换用文档里的说法再问一次。";
const MODEL = "也可以配置模型（EMEND_MODEL），让它理解不同的说法。";

const RUNGS: Readonly<Record<string, string>> = {
  queryGraph: "查询知识图谱",
  rewriteQuery: "查找缺少的内容",
  searchWeb: "搜索网络",
};
const leading = (why: string, label: string | undefined, to: string) =>
  [why, label ?? RUNGS[to]].filter(Boolean).join("：").concat("。");
const searchedFor = (queries: readonly string[]) =>
  queries.length === 0 ? "" : `搜索${queries.map((query) => `“${query}”`).join(", ")}，`;
const inYear = (date: string) => yearOf(date).replace(/^\d{4}$/, "$&年");
