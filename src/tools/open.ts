import { join } from "node:path";
import { isEndpoint, type Settings, type WebSettings } from "../config.js";
import { lanceDocuments } from "./documents/lancedb.js";
import { langchainDocuments } from "./documents/langchain.js";
import { neo4jDocuments } from "./documents/neo4j.js";
import { langchainEmbeddings } from "./embeddings/langchain.js";
import { openaiEmbeddings } from "./embeddings/openai.js";
import { openEncoder } from "./encoder/open.js";
import { lanceKnowledge } from "./knowledge/lancedb.js";
import { type Neo4jKnowledge, neo4jKnowledge } from "./knowledge/neo4j/neo4j.js";
import { neo4jConnection } from "./neo4j/connection.js";
import { fetchOptions, pagesKept, webPageReader } from "./page-reader/web-reader.js";
import { withFallback } from "./reasoner/fallback.js";
import { localReasoners } from "./reasoner/local/index.js";
import { modelReasoners } from "./reasoner/model/index.js";
import { withSecondOpinion } from "./reasoner/second-opinion.js";
import type { Tools } from "./tools.js";
import { brave } from "./web-search/brave.js";
import { duckduckgo } from "./web-search/duckduckgo.js";
import { langchainSearch } from "./web-search/langchain.js";
import type { WebSearch } from "./web-search/port.js";
import { searxng } from "./web-search/searxng.js";
import { tavily } from "./web-search/tavily.js";

/**
 * The parts that the settings name. Nothing is connected to or read before it is used, but the encoder's model.json.
 * @param onWait called when a write into the store's folder has waited a second for another process.
 */
export function openTools(settings: Settings, { onWait }: { onWait?: (message: string) => void } = {}): Tools {
  const { store, model, graderModel, replyCache } = settings;
  const encoder = openEncoder(settings);
  const embeddings = settings.embeddings ? openEmbeddings(settings.embeddings) : encoder;
  const local = localReasoners(encoder ? { encoder } : {});
  const models =
    model &&
    modelReasoners({
      chat: model,
      ...(graderModel && { graderChat: graderModel }),
      ...(replyCache && { cache: replyCache }),
    });
  const connection = settings.neo4j && neo4jConnection(settings.neo4j);
  const openDocuments = () => {
    if (settings.retriever) return langchainDocuments(settings.retriever);
    if (settings.documents === "neo4j" && connection) return neo4jDocuments({ connection, embeddings });
    return lanceDocuments({ path: join(store, "documents"), onWait, embeddings });
  };
  return {
    documents: openDocuments(),
    ...(encoder && { encoder }),
    knowledge: connection
      ? withExamples(neo4jKnowledge({ connection }), settings)
      : lanceKnowledge({ path: store, onWait }),
    ...(settings.searchTool
      ? { webSearch: langchainSearch(settings.searchTool) }
      : settings.web && { webSearch: openSearch(settings.web) }),
    pageReader: webPageReader({ ...fetchOptions(settings), ...pagesKept(settings) }),
    ...(models
      ? withFallback(
          { ...models, grader: encoder ? withSecondOpinion(models.grader, local.grader) : models.grader },
          local,
        )
      : local),
    ...(models && { cypherWriter: models.cypherWriter }),
  };
}

const openEmbeddings = (given: NonNullable<Settings["embeddings"]>) =>
  isEndpoint(given) ? openaiEmbeddings(given) : langchainEmbeddings(given);

function openSearch(web: WebSettings): WebSearch {
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

/** What users gave to show how their graph is asked goes where its schema goes. */
function withExamples(knowledge: Neo4jKnowledge, { neo4j }: Settings): Neo4jKnowledge {
  const examples = neo4j?.examples;
  return examples
    ? { ...knowledge, schema: async (options) => ({ ...(await knowledge.schema(options)), examples }) }
    : knowledge;
}
