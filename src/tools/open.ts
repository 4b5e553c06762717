import { join } from "node:path";
import type { Settings, WebSettings } from "../config.js";
import { lanceDocuments } from "./documents/lancedb.js";
import { neo4jDocuments } from "./documents/neo4j.js";
import { openaiEmbeddings } from "./embeddings/openai.js";
import { openEncoder } from "./encoder/open.js";
import { lanceKnowledge } from "./knowledge/lancedb.js";
import { type Neo4jKnowledge, neo4jKnowledge } from "./knowledge/neo4j/neo4j.js";
import { neo4jConnection } from "./neo4j/connection.js";
import { fetchOptions, pagesKept, webPageReader } from "./page-reader/web-reader.js";
import { withFallback } from "./reasoner/fallback.js";
import { localReasoners } from "./reasoner/local/index.js";
import { modelReasoners } from "./reasoner/model/index.js";
import { openaiChat } from "./reasoner/model/openai.js";
import { withSecondOpinion } from "./reasoner/second-opinion.js";
import type { Tools } from "./tools.js";
import { brave } from "./web-search/brave.js";
import { duckduckgo } from "./web-search/duckduckgo.js";
import type { WebSearch } from "./web-search/port.js";
import { searxng } from "./web-search/searxng.js";
import { tavily } from "./web-search/tavily.js";

/**
 * The parts that the settings name. Nothing is connected to or read before it is used, but the encoder's model.json.
 * @param onWait called when a write into the store's folder has waited a second for another process.
 */
export function openTools(settings: Settings, { onWait }: { onWait?: (message: string) => void } = {}): Tools {
  const { store, model, graderModel, replyCache } = settings;
  const endpoint = settings.embeddings && openaiEmbeddings(settings.embeddings);
  const encoder = openEncoder(settings);
  const embeddings = endpoint ?? encoder;
  const local = localReasoners(encoder ? { encoder } : {});
  const models =
    model &&
    modelReasoners({
      chat: openaiChat(model),
      ...(graderModel && { graderChat: openaiChat(graderModel) }),
      ...(replyCache && { cache: replyCache }),
    });
  const connection = settings.neo4j && neo4jConnection(settings.neo4j);
  const documents =
    settings.documents === "neo4j" && connection
      ? neo4jDocuments({ connection, embeddings })
      : lanceDocuments({ path: join(store, "documents"), onWait, embeddings });
  return {
    documents,
    ...(encoder && { encoder }),
    knowledge: connection
      ? withExamples(neo4jKnowledge({ connection }), settings)
      : lanceKnowledge({ path: store, onWait }),
    ...(settings.web && { webSearch: openSearch(settings.web) }),
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
