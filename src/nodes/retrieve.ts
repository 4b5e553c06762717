import { EmptyStoreError, EndpointError } from "../errors.js";
import type { State } from "../graph/state.js";
import type { Node } from "../graph/step.js";
import type { DocumentQuery, ScoredPassage } from "../tools/documents/port.js";
import type { Tools } from "../tools/tools.js";
import type { Evidence, Passage } from "../types/evidence.js";
import { makeRoom } from "./evidence.js";

/**
 * Searches the documents with the newest query. What was graded relevant stays; what was not, or misled an answer, makes
 * room and does not come back. The same query a second time widens: the next candidates, and the neighbours of what was
 * relevant.
 */
export const retrieve =
  ({ documents, knowledge }: Pick<Tools, "documents" | "knowledge">): Node =>
  async (state, { context, call }) => {
    const query = state.queries.at(-1)?.text ?? "";
    const limit = state.understood?.passages ?? 8;
    const { kept, excluded } = makeRoom(state, context);

    const isWidening = state.attempts.at(-1)?.query === query;
    const beside = isWidening ? await neighboursOf(kept.slice(0, WIDENED), documents) : [];
    const exclude = [...excluded, ...kept.map((e) => e.id)];
    const found = await search({ text: query, exclude });
    if (found.length === 0 && exclude.length === 0 && (await documents.list()).length === 0 && !(await hasFacts()))
      throw new EmptyStoreError();
    const known = new Set(exclude);
    const fresh = [...beside, ...found].filter((p) => !known.has(p.id) && known.add(p.id)).slice(0, limit);
    const now = new Date().toISOString();
    return { evidence: [...kept, ...fresh.map((passage) => asEvidence(passage, now))], excluded };

    /** A graph may be all that somebody has. */
    async function hasFacts(): Promise<boolean> {
      const schema = context.sources.graph ? await knowledge?.schema({ signal: call.signal }) : undefined;
      return schema !== undefined && schema.nodes.length > 0;
    }

    /** Words alone still find something when the endpoint that embeds the query does not answer. */
    async function search(wanted: DocumentQuery): Promise<ScoredPassage[]> {
      try {
        return await documents.search(wanted, limit, { signal: call.signal });
      } catch (error) {
        if (!(error instanceof EndpointError)) throw error;
        call.fault(error);
        return documents.search({ ...wanted, mode: "fullText" }, limit);
      }
    }
  };

/** How many relevant passages are looked around when widening. */
const WIDENED = 2;

async function neighboursOf(evidence: State["evidence"], documents: Tools["documents"]): Promise<ScoredPassage[]> {
  const best = evidence.toSorted((a, b) => b.relevance - a.relevance);
  const found = await Promise.all(best.map((e) => documents.neighbours(e.id)));
  return found.flat().map((passage: Passage) => ({ ...passage, score: 0 }));
}

const asEvidence = (passage: ScoredPassage, retrievedAt: string): Evidence => ({
  id: passage.id,
  source: "document",
  title: passage.title,
  uri: passage.uri,
  section: passage.section,
  text: passage.text,
  language: passage.language,
  score: passage.score,
  relevance: 0,
  strips: [],
  retrievedAt,
  reviewedAt: passage.reviewedAt,
});
