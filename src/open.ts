import { linkedByAliases, searchedByAliases, toldOfAliases } from "./aliases.js";
import type { Settings } from "./config.js";
import { localExtractor } from "./ingest/facts/local-extractor.js";
import { langchainDocuments } from "./ingest/langchain.js";
import { modelExtractor } from "./prompting/model-extractor.js";
import { modelFiller } from "./prompting/model-filler.js";
import { modelReasoners } from "./prompting/model-reasoners.js";
import type { Trust } from "./prompting/trial.js";
import { trustIn } from "./prompting/trust.js";
import { twoWays } from "./prompting/two-ways.js";
import { localReasoners } from "./reading/local-reasoners.js";
import type { Tools } from "./state/tools.js";
import { aliasesOf, NO_ALIASES } from "./text/aliases.js";
import { openChat } from "./tools/chat/open-chat.js";
import type { Chat } from "./tools/chat/port.js";
import type { Documents } from "./tools/documents/port.js";
import { sqlDocuments } from "./tools/documents/sql.js";
import { langchainEmbeddings, openaiEmbeddings } from "./tools/encoder/embeddings.js";
import { openEncoder } from "./tools/encoder/onnx.js";
import type { Encoder } from "./tools/encoder/port.js";
import { isEndpoint } from "./tools/endpoint/endpoint.js";
import type { CypherWriter, KnowledgeGraph, Ontology, TripleExtractor } from "./tools/knowledge/port.js";
import { sqlKnowledge } from "./tools/knowledge/sql.js";
import { neo4jConnection } from "./tools/neo4j/connection.js";
import { type Neo4jKnowledge, neo4jKnowledge } from "./tools/neo4j/knowledge.js";
import { httpReranker, langchainReranker } from "./tools/reranker/rerankers.js";
import { sqlRuns } from "./tools/runs/sql.js";
import { openDatabase } from "./tools/store/open.js";
import type { Database, OpenOptions } from "./tools/store/port.js";
import { tablesCanBeQueried } from "./tools/tables/query.js";
import { sqlTables } from "./tools/tables/sql.js";
import type { WebSearch } from "./tools/web/port.js";
import { brave, duckduckgo, searxng, tavily } from "./tools/web/search-engines.js";
import { langchainSearch } from "./tools/web/search-langchain.js";
import type { EngineSettings } from "./tools/web/settings.js";
import { fetchOptions, pagesKept, webPageReader } from "./tools/web/web-reader.js";
import type { Call } from "./types/call.js";

/**
 * Opens the parts that the settings name. Nothing is connected to or read before its first use, except the encoder's
 * model.json.
 * @param options.database the store of the settings, if it is open already: closing the tools closes it.
 * @param options.encoder in place of the one that the settings name.
 */
export function openTools(
  settings: Settings,
  {
    database: opened,
    encoder = openEncoder(settings),
    ...options
  }: OpenOptions & { database?: Database | undefined; encoder?: Encoder | undefined } = {},
): Tools {
  const { store, model, checkerModel, modelUse: use, replyCache, encoderPatience = PATIENCE } = settings;
  const database = opened ?? openDatabase(store, options);
  const embeddings = settings.embeddings ? openEmbeddings(settings.embeddings) : encoder;
  const aliases = settings.aliases ? aliasesOf(settings.aliases) : NO_ALIASES;
  const local = localReasoners({ aliases, ...(encoder && { encoder }) });
  const cached = { cache: replyCache };
  const chat = model && openChat(model, cached);
  const checkerChat = checkerModel ? openChat(checkerModel, cached) : chat;
  const connection = settings.neo4j && neo4jConnection(settings.neo4j);
  const knowledge = connection ? withExamples(neo4jKnowledge({ connection }), settings) : sqlKnowledge(database);
  const stored = sqlDocuments(database, { embeddings });
  const documents = settings.retriever
    ? langchainDocuments(settings.retriever)
    : connection
      ? removedWithFacts(stored, knowledge)
      : stored;
  const trust = chat && checkerChat && trustIn({ chat, checkerChat }, { database, use });
  return {
    documents: searchedByAliases(documents, aliases),
    ...(encoder && { encoder: chat ? withPatience(encoder) : encoder }),
    ...(settings.reranker && { reranker: openReranker(settings.reranker) }),
    aliases,
    knowledge: linkedByAliases(knowledge, aliases),
    // The documents of a retriever are elsewhere, and so are their tables.
    ...(!settings.retriever && tablesCanBeQueried() === "" && { tables: sqlTables(database) }),
    ...(settings.searchTool
      ? { webSearch: langchainSearch(settings.searchTool) }
      : settings.web && { webSearch: openSearch(settings.web) }),
    pageReader: webPageReader({ ...fetchOptions(settings), ...pagesKept(settings) }),
    ...(chat && trust
      ? twoWays(
          toldOfAliases(modelReasoners({ chat, checkerChat }), aliases),
          local,
          {
            hurried: localReasoners({ aliases, ...(encoder && { encoder: withPatience(encoder, encoderPatience) }) })
              .grader,
            byWords: localReasoners({ aliases }).grader,
          },
          trust,
        )
      : local),
    ...(chat && trust && { cypherWriter: cypherWriter(chat, trust), filler: modelFiller(chat) }),
    ...(settings.runs !== "off" && {
      runs: sqlRuns(database, { days: settings.runDays, hashed: settings.runs === "hashed" }),
    }),
  };
}

/** Opens the extractor of triples: the chat model of the settings, or the local extractor without one. */
export const openExtractor = ({ model }: Pick<Settings, "model">, ontology?: Ontology): TripleExtractor =>
  model ? modelExtractor(openChat(model), ontology) : localExtractor();

export const openEmbeddings = (given: NonNullable<Settings["embeddings"]>) =>
  isEndpoint(given) ? openaiEmbeddings(given) : langchainEmbeddings(given);

export const openReranker = (given: NonNullable<Settings["reranker"]>) =>
  "compressDocuments" in given ? langchainReranker(given) : httpReranker(given);

function openSearch(web: EngineSettings): WebSearch {
  switch (web.engine) {
    case "searxng":
      return searxng({ baseURL: web.url });
    case "brave":
      return brave({ apiKey: web.apiKey });
    case "tavily":
      return tavily({ apiKey: web.apiKey });
    case "duckduckgo":
      return duckduckgo();
  }
}

/** Loaded by the first query, since most programs have no Neo4j. A model that is not trusted writes none. */
const cypherWriter = (chat: Chat, trust: (call: Call) => Promise<Trust>): CypherWriter => ({
  async write(task, call) {
    if (!(await trust(call)).answers) return undefined;
    return (await import("./prompting/cypher-writer.js")).modelCypherWriter(chat).write(task, call);
  },
});

/** Documents whose facts are in another database. What emend wrote there about a document is removed with it. */
const removedWithFacts = (documents: Documents, knowledge: KnowledgeGraph): Documents => ({
  ...documents,
  remove: async (ids, options) =>
    (await import("./ingest/facts/keep-facts.js")).removeDocuments(ids, { documents, knowledge, ...options }),
});

/** Adds the user's example queries to the schema of the graph. */
function withExamples(knowledge: Neo4jKnowledge, { neo4j }: Settings): Neo4jKnowledge {
  const examples = neo4j?.examples;
  return examples
    ? { ...knowledge, schema: async (options) => ({ ...(await knowledge.schema(options)), examples }) }
    : knowledge;
}

/** The seconds that grading waits for the judge if a chat model reads the evidence anyway. */
const PATIENCE = 0.3;

/**
 * An encoder beside a chat model.
 * @param patience if a question would wait longer, `judge` throws JudgeBusyError and the model judges. Default: it waits
 * its turn. Checking does, since nothing else decides the claims as well.
 */
const withPatience = (encoder: Encoder, patience?: number): Encoder => ({
  identity: encoder.identity,
  embed: (texts, options) => encoder.embed(texts, options),
  judge: (pairs, options) => encoder.judge(pairs, { patience, ...options }),
  ...(encoder.load && { load: () => ({ ...NO_LOAD, ...encoder.load?.(), isSpared: true }) }),
  prepare: () => encoder.prepare?.(),
  close: () => encoder.close(),
});

const NO_LOAD = { behind: 0, each: 0, turnedAway: 0 };
