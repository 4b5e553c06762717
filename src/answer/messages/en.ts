import type { FailureTag, LeftOut, Misspelt, QueryReason, StopReason } from "../../types/answer.js";
import type { Fault } from "../../types/fault.js";
import type { Language } from "../../types/language.js";
import {
  type CitingWords,
  type Dated,
  ended,
  faultInWords,
  isWhole,
  newestOf,
  type Reasons,
  type Seen,
  type SourceKind,
  shownOf,
  yearOf,
} from "./terms.js";

type Stopped = Readonly<Partial<Record<StopReason, string>>>;
type Failures = Readonly<Record<FailureTag, (seen: Seen) => { evidence: string; remedy: string }>>;

/** emend's own words in English. Everything else that it shows to users is quoted or checked. */
export const en = {
  /** The language as it calls itself. */
  name: "English",
  /** What stands between two sentences. */
  gap: " ",
  notFound: (places: readonly SourceKind[]) =>
    places.length === 0
      ? "Not found."
      : `Not found in ${listed(
          places.map((place) => PLACES[place]),
          "or",
        )}.`,
  failed,
  unavailable: "I couldn't look this up, so I don't know whether there is an answer.",
  askLater: "Please ask again later. If it fails again, tell whoever runs this service.",
  nothingStored: "There are no documents to search. Add some with `emend ingest <folder>`.",
  /** Why the run ended; absent if the rest of the refusal says it. */
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
  /** The evidence was graded as an answer, but no draft used it. */
  silent: "I found what looked like an answer, but no sentence in it answers this on its own.",
  lookedFor: (queries: readonly string[]) =>
    queries.length === 0 ? "" : `I also searched for ${listed(queries.map((query) => `“${query}”`))}.`,
  missing: (what: string) => (isWhole(what) ? what : `Missing: ${ended(what, ".")}`),
  /** Without a model, tables are queried only by words that leave no doubt. */
  notComputed: (tables: readonly string[]) =>
    `To compute this, name the columns and cells of the table as they are written. ${tables.length === 1 ? "The nearest table is" : "The nearest tables are"} ${listed(tables.slice(0, 3).map((table) => `“${table}”`))}.`,
  /** Follows a question for what quotes cannot do. A line to set up a model follows it. */
  needsModel: "To compare, summarise, count or write, set up a chat model, for example with Ollama:",
  nothingSaysIt: "Nothing I found answers this.",
  failure: {
    SOURCE_FAIL: ({ failed: down }) => ({
      evidence: failed(down),
      remedy: "Make sure it can be reached, then ask again.",
    }),
    NO_RECALL: ({ graded, read, relevance, isEmpty, isFiltered }) =>
      isEmpty
        ? { evidence: "There are no documents to search.", remedy: "Add documents: `emend ingest <folder>`." }
        : graded === 0 && isFiltered
          ? { evidence: "No document that meets the filter was found.", remedy: "Check the filter, or ask without it." }
          : {
              evidence:
                graded === 0
                  ? "The search found nothing."
                  : `I read ${read === 1 ? "one passage" : `${read} passages`}; the best has a relevance of ${relevance.toFixed(2)}.`,
              remedy: ADD,
            },
    BAD_RERANK: ({ rank, relevance }) => ({
      evidence: `The most relevant passage (${relevance.toFixed(2)}) ranked number ${rank}, below passages that are off topic.`,
      remedy: "Allow more passages, or set up embeddings if there are none.",
    }),
    PROMPT_FAIL: ({ fault }) => ({
      evidence: fault ? faultInWords(fault) : "The sources seem to answer the question, but the model wrote nothing.",
      remedy:
        fault && fault.part !== "chat_model"
          ? "Repair it, then ask again."
          : fault?.name === "EndpointError"
            ? "Check the model's endpoint, or use another model."
            : "Use another model.",
    }),
    OVERGEN: ({ dropped, hasModel }) => ({
      evidence: `${dropped === 1 ? "One statement" : `${dropped} statements`} in the draft could not be verified.`,
      remedy: hasModel ? "Use a model that stays closer to its sources, or allow another repair." : MODEL,
    }),
    NEED_CONTENT: ({ relevance, hasModel }) => ({
      evidence: `What I found is on topic (relevance ${relevance.toFixed(2)}), but doesn't answer the question.`,
      remedy: `${ADD}${hasModel ? "" : ` ${MODEL}`}`,
    }),
  } satisfies Failures as Failures,
  mayBeSent: (queries: readonly string[]) =>
    `Search the web for this? Nothing has been sent yet: ${queries.map((query) => `“${query}”`).join("; ")}.`,
  unsure: "This may answer it:",
  /** Below a part of a list or of a section. */
  cut: ({ shown, of }: { shown?: number | undefined; of?: number | undefined }) =>
    shown && of ? `${shown} of ${of} shown` : "…",
  nearest: "The closest passages I found:",
  open: (what: string) => (isWhole(what) ? what : `Not answered: ${ended(what, ".")}`),
  dropped: (claims: number) =>
    `I left out ${claims === 1 ? "one statement" : `${claims} statements`} that I couldn't verify.`,
  readAs: (misspelt: readonly Misspelt[]) =>
    misspelt.length === 0
      ? ""
      : `I read ${misspelt.map(({ written, read }) => `“${written}” as “${read}”`).join(", ")}.`,
  /** Says which attachments were not read, by their content types. */
  notRead: (types: readonly string[]) =>
    types.length === 0
      ? ""
      : `I didn't read what was attached (${types.join(", ")}), only the text of the message. To ask about a file, add it to the documents.`,
  disagree: (newer: Dated, older: Dated): CitingWords => [
    "The sources disagree: ",
    newer.number,
    ` (${newer.date || "undated"}) and `,
    older.number,
    ` (${older.date || "undated"}) say different things.`,
  ],
  /** @param isAll true if the answer has no other sources. */
  stale: (old: readonly Dated[], isAll: boolean): CitingWords =>
    isAll
      ? [`This may be out of date: the newest source is from ${yearOf(newestOf(old))}.`]
      : [
          "Some of this may be out of date: ",
          ...eachOf(old, ({ number, date }) => [number, ` is from ${yearOf(date)}`]),
          ".",
        ],
  /**
   * Names the languages of sources in another language than the question. `number` is absent if the answer has no other
   * sources.
   */
  foreign: (sources: readonly { number?: number; language: Language }[]): CitingWords =>
    sources.flatMap(({ number, language }, i) => [
      ...(i > 0 ? [" "] : []),
      number ?? "The source",
      ` is in ${LANGUAGES[language]}.`,
    ]),
  valid,
  leftOut: (documents: readonly LeftOut[]) =>
    documents.length === 0
      ? ""
      : `Not used, because not valid at the time in question: ${shownOf(documents)
          .map(({ uri, from, until, successor }) => {
            const why = [valid(from, until), successor && `superseded by ${successor}`].filter(Boolean);
            return why.length > 0 ? `${uri} (${why.join(", ")})` : uri;
          })
          .join("; ")}.`,
  sources: "Sources",
  /** Follows a claim that is likely, but not certain. */
  likely: "(likely)",
  small: {
    greeting: "Hello! Ask me anything about your documents.",
    thanks: "You're welcome.",
    agreement: "All right. Ask me whenever you have another question.",
    farewell: "Goodbye!",
    test: "It works. Ask me anything about your documents.",
    who: "I'm emend. I answer questions from your documents and check every sentence against its source.",
    help: "Ask me about your documents, in English or Chinese. I answer from them alone, and check every sentence against its source.",
  },
  /** Two paragraphs; the second introduces example questions. */
  about: (documents: number, titles: readonly string[]) => [
    documents === 1
      ? `There is one document${titles.map((title) => `: “${title}”`).join("")}.`
      : `There are ${documents} documents${titles.length > 0 ? `, such as ${listed(titles.map((title) => `“${title}”`))}` : ""}.`,
    "You could ask, for example:",
  ],
  takenBack: (sentence: string, reason: string) => `Withdrawn: “${sentence}” ${reason}`.trim(),
  corrected: "Corrected answer:",
  /** Tells a person at a terminal how to decide on the queries, which are listed below. */
  approve:
    "Search the web for this? Answer yes or no, give the numbers to keep, or type your own queries, one per line, and then an empty line.",
  /** Details of a source in a list. */
  listed: {
    keep: (urls: readonly string[]) => `To keep it: emend ingest ${urls.join(" ")}`,
    alsoIn: (uri: string) => `also in ${uri}`,
    preview: "the search engine's words; the page could not be read",
    reviewed: (date: string) => `reviewed ${date}`,
    dated: (date: string) => `dated ${date}`,
    retrieved: (date: string) => `retrieved ${date}`,
    more: (rows: number) => `… ${rows} more ${rows === 1 ? "row" : "rows"}`,
    /** @param matched how many rows a figure rests on; absent if they cannot be told apart. */
    rowsOf: ({ matched, rows, name }: { matched?: number | undefined; rows: number; name: string }) =>
      `${matched === undefined ? "read from" : `${matched} of`} ${counted(rows, "row")} of ${name}`,
    noValue: (column: string, cells: number) =>
      `${counted(cells, "cell")} of ${column} ${cells === 1 ? "has no value that could be read and was" : "have no value that could be read and were"} left out`,
  },
  /** Why a step is followed by the next one; from `stated` on, why a claim has its verdict or is withdrawn. */
  reasons: {
    search_first: "Search the documents first.",
    small_talk: "This is small talk: there is nothing to look for.",
    passages_to_grade: ({ count }) => `${counted(count, "passage")} to grade.`,
    facts_to_grade: ({ count }) => `${counted(count, "fact")} to grade.`,
    compute: "The question asks for a figure: query the tables.",
    results_to_grade: ({ count }) => `${counted(count, "result")} to grade.`,
    query_failed: "The tables could not be queried.",
    query_empty: "The words of the question name no query.",
    graph_failed: "The graph could not be fully searched.",
    graph_empty: "The graph has nothing on this.",
    pages_found: ({ count, queries }) => `${counted(count, "page")} found${searchedFor(queries)}.`,
    no_pages_found: ({ queries }) => `No pages found${searchedFor(queries)}.`,
    web_failed: "The web could not be searched.",
    no_query_approved: "No web query was approved.",
    page_sections_to_grade: ({ count }) => `${counted(count, "page section")} to grade.`,
    readable_pages_silent: "None of the pages that could be read mentions it.",
    pages_silent: "None of the pages mentions it.",
    claims_to_check: ({ count }) => `${counted(count, "claim")} to check.`,
    done: "Done.",
    another_answer: "A different answer was requested.",
    evidence_answers: "The evidence answers the question.",
    evidence_answers_partly: "The evidence answers part of the question.",
    evidence_may_answer: "The evidence may answer the question: quote it.",
    model_reads: "The model reads what was found, and says whether it answers.",
    ambiguous: "The question can be read in more than one way.",
    more_passages: "Some of it is relevant, but not enough: get more passages.",
    documents_silent: ({ label }, to) => leading("The documents don't answer this", label, to),
    rephrase: "The evidence doesn't answer this: rephrase the question.",
    search_web: "Nothing local answers this: search the web.",
    new_query: ({ query }) => (query ? `Search for: ${query}` : "Search with other words."),
    model_asks: ({ queries }) =>
      queries.length > 0 ? `The model asks for more: ${queries.join("; ")}` : "The model asks for more.",
    no_new_wording: ({ label }, to) => leading("No new wording was found", label, to),
    draft_supported: "Every claim is supported.",
    evidence_quoted: "The evidence is quoted.",
    repair: "Some claims are not supported: repair the draft.",
    draft_open: ({ label }, to) => leading("The draft leaves something open", label, to),
    draft_empty: ({ label }, to) => leading("The draft is empty", label, to),
    best_quotes_shown: "The best quotes are shown as a possible answer.",
    partly_supported: "Answer with what is supported, and say what is missing.",
    budget_spent: "The budget is spent.",
    same_draft: "The same draft came back.",
    draft_empty_again: "The draft is empty again.",
    nothing_supported: "No claim of the draft is supported.",
    details_added: "The user added details.",
    nobody_to_ask: "No one can be asked during this run.",
    nothing_new_found: "Searching again found nothing new.",
    rounds_spent: "All search rounds are used up, without an answer.",
    nothing_answers: "Nothing that was found answers the question.",
    no_documents: "There are no documents to search.",
    documents_failed: "The documents could not be searched.",
    question_failed: "The question could not be read.",
    grade_found: "Grade what it found.",
    next_step: (_, to) => `${to} is next.`,
    own: ({ words }) => words,
    stated: "The source says this.",
    not_verbatim: "No source says it word for word.",
    no_source: "No source mentions this.",
    not_computed: "Its figure needs all rows of the table, and only some of them were read: query the table.",
    no_statement: "It isn't a statement.",
    too_long: ({ limit }) => `It is longer than ${limit} characters. Write shorter sentences.`,
    quote_not_found: "The quote isn't in the source.",
    quote_silent: "The quoted words don't say this.",
    judged: ({ probability }) => `The source says so with a probability of ${probability.toFixed(2)}.`,
    judged_otherwise: ({ probability }) => `The source says otherwise with a probability of ${probability.toFixed(2)}.`,
    shared_words: ({ share }) => `The closest sentences have ${Math.round(share * 100)} % of its words.`,
    not_mentioned: ({ missing }) => `The source doesn't mention ${missing.map((one) => `“${one}”`).join(", ")} here.`,
    added: ({ missing }) =>
      `The source doesn't have this address or markup here: ${missing.map((one) => `“${one}”`).join(", ")}.`,
    other_unit: ({ words }) => `The source has the number in “${words}”, but not the unit.`,
    says_otherwise: ({ source, claim }) => `The source says “${source}”, not “${claim}”.`,
    of_another: ({ source, claim }) => `The source says this of “${source}”, not of “${claim}”.`,
    apart: ({ first, second }) => `The source has “${first}” and “${second}” in different places.`,
    exchanged: ({ first, second }) => `The source has “${first}” and “${second}” the other way round.`,
    overstated: ({ words }) => `The source doesn't go as far as “${words}”.`,
    only_planned: "The source only plans, hopes or tries to do this.",
    denies_source: "It denies what the source says.",
    read_with_doubt: "It rests on words of a scan that could not be read with certainty. Look at the scan.",
    source_denies: "The source denies it.",
    excepted: "The source makes an exception of this.",
    beside_the_point: "It doesn't seem to answer the question.",
    left_out:
      "It repeats another sentence, depends on one that was dropped, or was in a draft that a better one replaced.",
    unchecked: "It could not be checked.",
  } satisfies Reasons as Reasons,
  /** Why a query was sent. */
  queryReason: ({ code, missing, isRespelt }: QueryReason) =>
    [missing ? `missing: ${missing}` : QUERY_REASONS[code], isRespelt ? "spelt as the documents do" : ""]
      .filter(Boolean)
      .join(", "),
  /** The web page. */
  page: {
    ask: "Ask",
    verify: "Check a text",
    skip: "Skip to the question",
    welcome: "Ask your documents",
    promise:
      "Every sentence is checked against its source before you see it. Click a number to read the quote where it stands.",
    stored: (documents: number, titles: readonly string[]) =>
      `${documents === 1 ? "1 document" : `${documents} documents`}, such as ${titles.map((title) => `“${title}”`).join(", ")}`,
    askIn: "Ask in",
    everywhere: "All documents",
    toAdd: "To add documents:",
    dropToAdd: "To add documents, drop files anywhere on this page.",
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
    widget: "Ask a question",
    widgetPromise:
      "Every sentence is checked against its source before you see it. The number after it shows the quote.",
    conversations: "Conversations",
    fresh: "New conversation",
    none: "Your questions are listed here, in this browser only.",
    forget: (title: string) => `Remove “${title}” from the list`,
    gone: "This conversation is no longer on the server.",
    partial: "Partly answered",
    unsure: "May answer it",
    refused: "Not answered",
    unavailable: "Could not be looked up",
    needs_clarification: "Please clarify",
    sources: "Sources",
    quote: "The quote in its source",
    figure: "What this figure rests on",
    result: "Result",
    row: "Row",
    allRows: "Show all rows",
    isUsed: "(used)",
    firstRows: (rows: number) => (rows === 1 ? "Only the first row is shown." : `The first ${rows} rows are shown.`),
    sql: "The query (SQL)",
    changedTable: "The table has changed since. These are its rows today.",
    openSite: "Open the page",
    source: (number: number, title: string) => `Source ${number}: ${title}. Show the quote`,
    pending: "Not checked yet",
    takenBack: (count: number) => (count === 1 ? "One sentence was withdrawn" : `${count} sentences were withdrawn`),
    done: (sources: number) => `The answer is complete, with ${sources === 1 ? "one source" : `${sources} sources`}.`,
    route: "How this was answered",
    stepsTaken: (steps: number) => (steps === 1 ? "1 step" : `${steps} steps`),
    used: (calls: number, tokens: number) =>
      calls > 0 ? [calls === 1 ? "1 call" : `${calls} calls`, `${tokens} tokens`] : [],
    seconds: (seconds: number) => `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`,
    read: (passages: number) => `read ${passages === 1 ? "1 passage" : `${passages} passages`}`,
    checked: (claims: number) => `checked ${claims === 1 ? "1 statement" : `${claims} statements`}`,
    between: ", ",
    close: "Close",
    whole: "Show the whole document",
    openPdf: (page: string) => (page ? `Open the PDF at page ${page}` : "Open the PDF"),
    openPage: "Open the page at the quote",
    openFile: "Save the original",
    notThere: "The document does not state the words of this link, or no longer:",
    linkHere: "Link to this place",
    pageOf: (page: number, pages: number) => `Page ${page} of ${pages}`,
    slideOf: (slide: number, slides: number) => `Slide ${slide} of ${slides}`,
    previousPage: "Previous page",
    nextPage: "Next page",
    larger: "Larger",
    smaller: "Smaller",
    pageShown: (page: number, quotes: readonly string[]) =>
      `Page ${page} as it is printed.${quotes.length > 0 ? ` Marked: ${quotes.map((quote) => `“${quote}”`).join(", ")}` : ""}`,
    notOnPage: "The quote was not found on this picture of the page, so it is not marked there.",
    isQuoted: "(quoted)",
    mail: { from: "From", to: "To", cc: "Cc", date: "Date" },
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
    holds: (held: number, all: number) => `${held} of ${all} ${all === 1 ? "sentence is" : "sentences are"} supported.`,
    nothing: "This text makes no statements to check.",
    supported: "supported",
    likely: "likely",
    unsupported: "not supported",
    contradicted: "contradicted",
    token: "This server requires a token.",
    tokenName: "Token",
    wrongToken: "This token was not accepted.",
    enter: "Enter",
    signIn: "Sign in",
    signOut: "Sign out",
    signInWanted: "Sign in to ask.",
    signInFailed: "Signing in did not work. Try again. The log of the server says why.",
    signedInAs: (name: string) => `Signed in as ${name}`,
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
      queryTables: "query tables",
      queryGraph: "ask the graph",
      searchWeb: "web search",
      readPages: "read pages",
    } as Readonly<Record<string, string>>,
  },
  /** Documents on the page. */
  documents: {
    title: "Documents",
    drop: "Drop files here",
    dropNow: "Drop the files to add them",
    choose: "Choose files",
    hint: (megabytes: number) =>
      `PDF, Word, PowerPoint, Excel, mail, HTML, Markdown and others, up to ${megabytes} MB each.`,
    readers: (key: string) => `Who may read them (${key})`,
    chooseReaders: "Please choose",
    into: "Add to the collection",
    intoNone: "None",
    needsReaders: "Choose first who may read the files.",
    sent: "Added just now",
    all: "All documents",
    noneYet: "There are no documents yet.",
    sum: (read: number, failed: number, left: number) =>
      [
        `${read === 1 ? "1 file" : `${read} files`} read`,
        ...(failed > 0 ? [`${failed} not read`] : []),
        ...(left > 0 ? [`${left} to go`] : []),
      ].join(", "),
    queued: "Waits to be sent",
    sending: (percent: number) => `Sending: ${percent} %`,
    waiting: "Waits to be read",
    reading: "Being read",
    ready: (passages: number) => (passages === 1 ? "Read: 1 passage" : `Read: ${passages} passages`),
    failed: "Not read",
    stays: "The earlier version stays.",
    renamed: (name: string) => `There was already a document of this name, so this one is called “${name}”.`,
    unchanged: "It was there already, with the same content.",
    kind: "This kind of file is not read.",
    large: (megabytes: number) => `The file is larger than ${megabytes} MB.`,
    folder: "This is a folder. Drop the files in it.",
    lost: "The connection was lost.",
    remove: "Delete",
    removeNamed: (title: string) => `Delete “${title}”`,
    removeSure: (title: string) => `Delete “${title}”? Questions will no longer find it.`,
    removed: (title: string) => `“${title}” is deleted.`,
    dismiss: (title: string) => `Remove “${title}” from the list`,
    more: "Show more",
    megabytes: (bytes: number) =>
      bytes < 1_000_000 ? `${Math.max(1, Math.round(bytes / 1_000))} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`,
  },
  /** What the page shows to operators. */
  quality: {
    title: "Quality of answers",
    period: "Period",
    days: (days: number) => `Last ${days} days`,
    nothing: "No question was asked in this period.",
    none: "None.",
    questions: "Questions",
    refused: "Refused",
    unavailable: "Could not be looked up",
    partial: "Answered in part",
    unsure: "May be answered",
    quoted: "Citation match",
    dropped: "Claims that were rejected",
    followUps: "Follow-ups",
    calls: "Calls per question",
    tokens: "Tokens per question",
    cost: "Cost per question",
    time: "Time, mean",
    median: "median",
    p95: "p95",
    tag: "Tag",
    runs: "Runs",
    remedy: "Remedy",
    failed: "Newest failed runs",
    failedWith: (tag: string) => `Newest runs with ${tag}`,
    allFailed: "Show all failed runs",
    answered: "Answered",
    down: "called wrong by a reader",
    notKept: "(question not shown)",
    wentWrong: "What went wrong",
    expected: "Words that a right answer has",
    unanswerable: "The documents do not answer this",
    reviewed: "Saved. `emend feedback` prints it as a question for evaluations.",
    unanswered: "Questions to write a document for",
    question: "Question",
    newest: "Last asked",
    disliked: "Documents cited in answers that readers called wrong",
    document: "Document",
    made: "Questions that a model wrote",
    madeHint: "Keep, edit or drop each of them. A dropped one can be kept later. Then measure with: emend eval",
    kept: (count: number, all: number) => `${count} of ${all} kept`,
    isKept: "kept",
    isDropped: "dropped",
    earlier: "Asked before it",
    also: "What it has to say too",
    keep: "Keep",
    drop: "Drop",
    disagreeing: "Documents that disagree with each other in answers",
    newer: "Document",
    older: "Disagrees with",
    stale: (count: number) =>
      count === 1
        ? "One document was last reviewed over a year ago"
        : `${count} documents were last reviewed over a year ago`,
    reviewedAt: "Last reviewed",
    expired: (count: number) =>
      count === 1 ? "One document is no longer valid" : `${count} documents are no longer valid`,
    until: "Valid until",
    successor: "Replaced by",
    check:
      "`emend check` reads all documents and finds those that contradict each other, copies, and files that have changed or are gone.",
    neverCited: (count: number) =>
      count === 1 ? "One document was never cited" : `${count} documents were never cited`,
  },
};

/**
 * The messages of a language. Another language is a file with all of them, and a line in `index.ts`; the page then offers
 * it. Answers need a `Language` for it, too.
 */
export type Messages = typeof en;

/** "a", "a and b", "a, b, and c". Not by `Intl.ListFormat`, of which the first one takes 20 ms. */
const listed = (words: readonly string[], word = "and") =>
  words.map((one, i) => before(i, words.length, word) + one).join("");
const before = (i: number, count: number, word = "and") =>
  i === 0 ? "" : i < count - 1 ? ", " : count === 2 ? ` ${word} ` : `, ${word} `;
const PLACES: Record<SourceKind, string> = {
  document: "these documents",
  graph: "the knowledge graph",
  web: "the web",
  table: "the tables",
};
const LANGUAGES = { en: "English", zh: "Chinese", other: "another language" };
const ADD = "Add a document that covers it, or try the documents' own wording.";
const MODEL = "Set up a model (EMEND_MODEL) to understand other wordings.";

/** Says which parts failed, and why. */
function failed(faults: readonly Fault[]): string {
  return faults.map(({ part, message }) => `${FAILED[part] ?? `“${part}” failed`}: ${ended(message, ".")}`).join(" ");
}

const FAILED: Readonly<Record<string, string>> = {
  retriever: "The documents could not be searched",
  knowledge_graph: "The knowledge graph could not be searched",
  web_search: "The web could not be searched",
  embeddings: "The embeddings failed",
  reranker: "The reranker failed",
  encoder: "The encoder failed",
  chat_model: "The chat model failed",
  query_understanding: "The question could not be read",
  rewriter: "The question could not be reworded",
  grader: "What was found could not be graded",
  generator: "No answer could be written",
  checker: "The answer could not be checked",
};

/** The period in which a document is valid. */
function valid(from: string, until: string): string {
  return [from && `valid from ${from}`, until && `${from ? "" : "valid "}until ${until}`].filter(Boolean).join(" ");
}

const QUERY_REASONS: Readonly<Record<QueryReason["code"], string>> = {
  asked: "the question as asked",
  clarified: "the question, with what the user added",
  with_previous: "the follow-up, with the question before",
  standalone: "the follow-up, made to stand on its own",
  reworded: "nothing relevant was found",
  asked_by_model: "the model asked for it",
};

/** What each of the built-in rungs does when something is missing. */
const RUNGS: Readonly<Record<string, string>> = {
  queryGraph: "ask the knowledge graph",
  rewriteQuery: "look for what is missing",
  searchWeb: "search the web",
};
const leading = (why: string, label: string | undefined, to: string) =>
  [why, label ?? RUNGS[to]].filter(Boolean).join(": ").concat(".");
const counted = (n: number, what: string) => `${n} ${n === 1 ? what : `${what}s`}`;
const searchedFor = (queries: readonly string[]) =>
  queries.length === 0 ? "" : ` for ${queries.map((query) => `“${query}”`).join(", ")}`;

/** Joins a text for each item into a list. */
const eachOf = <T>(all: readonly T[], told: (one: T) => CitingWords): CitingWords =>
  all.flatMap((one, i) => (i === 0 ? told(one) : [before(i, all.length), ...told(one)]));
