import { createAgent } from "../../src/agent.js";
import type { Settings } from "../../src/config.js";
import { CypherError, EndpointError } from "../../src/errors.js";
import { askEmend } from "../../src/evaluate/ask.js";
import type { ContextInput } from "../../src/state/context.js";
import type { Tools } from "../../src/state/tools.js";
import type { Chat } from "../../src/tools/chat/port.js";
import type { KnowledgeGraph } from "../../src/tools/knowledge/port.js";
import { asRow, type Neo4jConnection } from "../../src/tools/neo4j/connection.js";
import { guard } from "../../src/tools/neo4j/guard.js";
import { schemaText } from "../../src/tools/neo4j/schema-text.js";
import { NOTHING_SPENT } from "../../src/types/answer.js";
import type { GraphRow, GraphValue } from "../../src/types/knowledge.js";
import type { AskGraph, WrittenQuery } from "./graph.js";
import { metered } from "./meter.js";

/** The whole agent, with no documents: what users get if only the graph can answer. */
export function askAgent(
  tools: Tools & { knowledge: KnowledgeGraph },
  settings: Settings,
  { connection, context }: { connection: Neo4jConnection; context: ContextInput },
): AskGraph {
  const queries: WrittenQuery[] = [];
  const knowledge = watched(tools.knowledge, connection, (query) => queries.push(query));
  const ask = askEmend(createAgent({ ...settings, tools: { ...tools, knowledge } }), context);
  return async (item) => {
    queries.length = 0;
    const reply = await ask({ question: item.question, history: [] });
    return { reply, queries: [...queries] };
  };
}

/** Wraps a graph so that `see` gets every query. */
function watched(
  knowledge: KnowledgeGraph,
  connection: Neo4jConnection,
  see: (query: WrittenQuery) => void,
): KnowledgeGraph {
  if (!knowledge.query) return knowledge;
  const run = knowledge.query.bind(knowledge);
  return {
    ...knowledge,
    async query(cypher, parameters, options) {
      const reach = await reached(connection, cypher, parameters);
      try {
        const result = await run(cypher, parameters, options);
        see({ cypher, ...reach, rows: result.rows.length, error: "" });
        return result;
      } catch (error) {
        see({ cypher, ...reach, rows: null, error: error instanceof Error ? error.message : String(error) });
        throw error;
      }
    },
  };
}

async function reached(connection: Neo4jConnection, cypher: string, parameters: GraphRow) {
  const succeeds = (work: Promise<unknown>) =>
    work.then(
      () => true,
      (error: unknown) => {
        if (error instanceof CypherError) return false;
        throw error;
      },
    );
  return {
    parsed: await succeeds(connection.explain(cypher, parameters)),
    passedGuard: await succeeds(guard(cypher, parameters, (text, given) => connection.explain(text, given))),
  };
}

/** The usual first attempt: the schema and the question in one prompt, the query run as it comes, its rows printed. */
export const askPlainCypher =
  (knowledge: KnowledgeGraph, chat: Chat, connection: Neo4jConnection): AskGraph =>
  async ({ question }) => {
    const queries: WrittenQuery[] = [];
    const { value: text, cost } = await metered(async (call) => {
      const content = `Schema of the graph:\n${schemaText(await knowledge.schema())}\n\nWrite a Cypher query that answers the question. Reply with the query only.\nQuestion: ${question}\nCypher:`;
      const request = { messages: [{ role: "user" as const, content }], format: "prompt", schema: {}, schemaName: "" };
      const reply = await chat.send({ ...request, format: "prompt", signal: call.signal }).catch((error: unknown) => {
        if (!(error instanceof EndpointError)) throw error;
        call.fault(error);
      });
      call.spent({ ...NOTHING_SPENT, ...reply?.usage, calls: 1 });
      if (!reply) return undefined;
      const cypher = bare(reply.text);
      const reach = await reached(connection, cypher, {});
      try {
        const rows = (await connection.read(cypher)).slice(0, ROWS).map(asRow);
        queries.push({ cypher, ...reach, rows: rows.length, error: "" });
        return rows.map((row) => Object.values(row).flatMap(texts).join(", ")).join("\n");
      } catch (error) {
        if (!(error instanceof CypherError)) throw error;
        queries.push({ cypher, ...reach, rows: null, error: error.message });
        return undefined;
      }
    });
    const reply = {
      text: text ?? "",
      failed: text === undefined,
      refused: text !== undefined && text.trim() === "",
      statements: [],
      contexts: [],
      firstStatementSeconds: null,
      confidence: null,
      notes: {},
      cost,
    };
    return { reply, queries };
  };

const ROWS = 100;

const bare = (reply: string) => /```(?:\w+\n)?([\s\S]*?)```/.exec(reply)?.[1] ?? reply;

const texts = (value: GraphValue): string[] => {
  if (value === null) return [];
  if (Array.isArray(value)) return value.flatMap(texts);
  return typeof value === "object" ? Object.values(value).flatMap(texts) : [String(value)];
};
