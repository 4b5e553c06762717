import { createHash } from "node:crypto";
import { CypherError, toError } from "../errors.js";
import { timeOf } from "../reading/asked-time.js";
import { asEvidence, makeRoom } from "../reading/evidence.js";
import { holdingIn } from "../reading/holding.js";
import type { Node } from "../state/node.js";
import type { Tools } from "../state/tools.js";
import { ownLanguage } from "../text/language.js";
import { plainHeads } from "../text/orders.js";
import { plain } from "../text/tokens.js";
import { factSentence, relationWords, rowTable } from "../tools/knowledge/facts.js";
import type { CypherTask, Fact, KnowledgeGraph, QueryResult } from "../tools/knowledge/port.js";
import type { Call } from "../types/call.js";
import type { Evidence } from "../types/evidence.js";
import type { Language } from "../types/language.js";
import { withoutReaders } from "../types/metadata.js";

/**
 * Looks up the names of the question in the knowledge graph. If a model can write queries and the graph can run them,
 * it is also asked the question itself. The results are graded like any other evidence.
 */
export const queryGraph =
  ({ knowledge, cypherWriter, documents }: Pick<Tools, "knowledge" | "cypherWriter" | "documents">): Node =>
  async (state, { context, call }) => {
    const { understood, verdict } = state;
    if (!knowledge || !understood || !context.sources.graph) return {};
    const { language } = understood;
    const asked = state.lookUps.filter(({ by }) => by === "graph");
    const question = asked.map(({ words }) => words).join(" ") || understood.question;
    const names = verdict?.entities ?? [];
    const stated = await knowledge.facts(names, question, { limit: FACTS, signal: call.signal });
    // A fact is valid as long as the document that it was read from.
    const isHolding = await holdingIn(documents, timeOf(understood));
    const facts = stated.filter(({ source }) => source === undefined || isHolding(source.documentId));
    const task = { question, language, entities: entitiesOf(facts), tried: [] };
    const result = cypherWriter && (await queried(task, knowledge, cypherWriter, call));

    const { kept, excluded } = makeRoom(state, context);
    const known = new Set([...excluded, ...kept.map((piece) => piece.id)]);
    const now = new Date().toISOString();
    const found = [
      ...(result && result.rows.length > 0 ? [resultEvidence(result, language, now)] : []),
      ...facts.map((fact) => factEvidence(fact, leadingTo(fact, facts, question), language, now)),
    ].filter((piece) => piece.text !== "" && !known.has(piece.id));
    const evidenceIds = found.map(({ id }) => id);
    const said = result?.rows.length === 0 ? `The query ${result.cypher} found no rows.` : "";
    const isTold = understood.modelLeads && (asked.length > 0 || said !== "");
    return {
      ...(found.length > 0 && { evidence: [...kept, ...found], excluded }),
      ...(isTold && {
        lookUps: state.lookUps.filter(({ by }) => by !== "graph"),
        findings: [...state.findings, { by: "graph" as const, words: question, evidenceIds, said }],
      }),
    };
  };

/** The entities that the facts describe, each once. A fact about a relation between two entities describes neither. */
const entitiesOf = (facts: readonly Fact[]): CypherTask["entities"] => [
  ...new Map(
    facts.flatMap(({ entity: name, entityType: type }) =>
      type === undefined ? [] : [[JSON.stringify([name, type]), { name, type }] as const],
    ),
  ).values(),
];

const FACTS = 12;
const REPAIRS = 2;

/**
 * Runs a query that a model writes. If the graph refuses it or it fails, the model gets the graph's error and may
 * repair the query, at most twice. Errors are logged as faults; the facts that were looked up stay.
 */
async function queried(
  task: Omit<CypherTask, "schema">,
  knowledge: KnowledgeGraph,
  writer: NonNullable<Tools["cypherWriter"]>,
  call: Call,
): Promise<QueryResult | undefined> {
  if (!knowledge.query) return undefined;
  const { signal } = call;
  try {
    const schema = await knowledge.schema({ signal });
    let tried: CypherTask["tried"] = [];
    while (schema.nodes.length > 0 && tried.length <= REPAIRS) {
      const written = await writer.write({ ...task, schema, tried }, call);
      if (!written) return undefined;
      try {
        return await knowledge.query(written.cypher, written.parameters, { signal });
      } catch (error) {
        if (!(error instanceof CypherError)) throw error;
        call.fault(error);
        if (!error.repairable) return undefined;
        tried = [...tried, { cypher: written.cypher, error: error.message }];
      }
    }
  } catch (error) {
    signal.throwIfAborted();
    call.fault(toError(error));
  }
  return undefined;
}

/**
 * Finds the fact that leads from a name in the question to an entity that the question does not name. Without it, a
 * fact about that entity cannot answer.
 */
function leadingTo({ entity }: Fact, facts: readonly Fact[], question: string): Fact | undefined {
  const asked = plain(question);
  if (asked.includes(plain(entity))) return undefined;
  return facts.find((fact) => fact.others.includes(entity) && asked.includes(plain(fact.entity)));
}

/** Makes evidence from a fact. Its source is the document that the fact was read from, or else the graph. */
function factEvidence(fact: Fact, lead: Fact | undefined, language: Language, retrievedAt: string): Evidence {
  const { id, entity, entityType = "", direction, others, total, source, score } = fact;
  const by = lead && factSentence({ ...lead, others: [entity], total: 1 }, language).slice(0, -1);
  const leading = lead?.provenance.rows.filter((row) => JSON.stringify(row).includes(JSON.stringify(entity))) ?? [];
  const provenance = { ...fact.provenance, rows: [...leading.slice(0, 1), ...fact.provenance.rows] };
  const said = { entity, predicate: fact.predicate, direction, others: [...others], total };
  const sentence = factSentence(said, language);
  const text =
    by && sentence
      ? sentence.replace(/.$/u, (stop) => (language === "zh" ? `（${by}）${stop}` : ` (${by})${stop}`))
      : sentence;
  return plainHeads(
    asEvidence({
      id: `graph:${id}`,
      source: "graph",
      title: source?.title || TITLE[ownLanguage(language)],
      uri: source?.uri || `graph:${entity}`,
      section: [source?.section || entity, entityType, fact.otherType ?? ""].filter(Boolean).join(" › "),
      text,
      score,
      retrievedAt,
      reviewedAt: source?.reviewedAt ?? "",
      ...(source?.metadata && { metadata: withoutReaders(source.metadata) }),
      provenance,
      fact: { ...said, predicate: relationWords(fact.predicate) },
    }),
  );
}

/** Makes one piece of evidence from the rows of a query, as a table. */
function resultEvidence(result: QueryResult, language: Language, retrievedAt: string): Evidence {
  const provenance = { cypher: result.cypher, parameters: result.parameters, rows: result.rows.slice(0, ROWS) };
  const text = rowTable(provenance);
  const id = createHash("sha256").update(JSON.stringify(provenance)).digest("hex").slice(0, 16);
  const title = TITLE[ownLanguage(language)];
  return asEvidence({ id: `graph:${id}`, source: "graph", title, uri: "graph:query", text, retrievedAt, provenance });
}

/** The most rows of a result that are shown and put into a prompt. */
const ROWS = 60;

const TITLE = { en: "Knowledge graph", zh: "知识图谱" };
