import { join } from "node:path";
import type { Settings } from "../config.js";
import { lanceDocuments } from "./documents/lancedb.js";
import { openaiEmbeddings } from "./embeddings/openai.js";
import { lanceKnowledge } from "./knowledge/lancedb.js";
import { neo4jKnowledge } from "./knowledge/neo4j/neo4j.js";
import { neo4jConnection } from "./neo4j/connection.js";
import { withFallback } from "./reasoner/fallback.js";
import { localReasoners } from "./reasoner/local/index.js";
import { modelReasoners } from "./reasoner/model/index.js";
import { openaiChat } from "./reasoner/model/openai.js";
import type { Tools } from "./tools.js";

/** The parts that the settings name. Nothing is connected to or read before it is used. */
export function openTools(settings: Settings): Tools {
  const { store, model, graderModel, replyCache } = settings;
  const embeddings = settings.embeddings && openaiEmbeddings(settings.embeddings);
  const local = localReasoners(embeddings ? { embeddings } : {});
  const reasoners = model
    ? withFallback(
        modelReasoners({
          chat: openaiChat(model),
          ...(graderModel && { graderChat: openaiChat(graderModel) }),
          ...(replyCache && { cache: replyCache }),
        }),
        local,
      )
    : local;
  const documents = lanceDocuments({ path: join(store, "documents"), ...(embeddings && { embeddings }) });
  return { documents, knowledge: openKnowledge(settings), ...reasoners };
}

/** The graph on the Neo4j server, where there is one, else the one in the store's folder. */
function openKnowledge({ store, neo4j }: Settings): Tools["knowledge"] & object {
  return neo4j ? neo4jKnowledge({ connection: neo4jConnection(neo4j) }) : lanceKnowledge({ path: store });
}
