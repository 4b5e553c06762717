import { join } from "node:path";
import type { Table } from "@lancedb/lancedb";
import { z } from "zod";
import { StoreUnavailableError } from "../../errors.js";
import { indexOf } from "../lancedb/table-folder.js";
import { tidy } from "../lancedb/tidy.js";
import { versionedTable } from "../lancedb/versioned-table.js";
import { checkedGiven } from "./given.js";
import { graphSchema } from "./graph-schema.js";
import { lanceReader } from "./lancedb-reader.js";
import { GRAPH } from "./lancedb-rows.js";
import { removeSources, storeSources } from "./lancedb-writer.js";
import { checkLimit, lookUp } from "./look-up.js";
import type { GraphSchema, KnowledgeGraph } from "./port.js";

export interface LanceKnowledgeOptions {
  /** The folder of the store; the graph is in its folder `knowledge`. The first write makes it; readers never do. */
  path: string;
  /** Refuses to write. Default false. */
  readOnly?: boolean;
}

/**
 * A knowledge graph in a folder: triples in LanceDB, looked up by the names of entities. It has no query language.
 * Readers see whole versions; one process writes at a time, others wait up to 30 s. Nothing is opened before its use.
 */
export function lanceKnowledge({ path, readOnly = false }: LanceKnowledgeOptions): KnowledgeGraph {
  const folder = join(path, "knowledge");
  const graph = versionedTable(folder, GRAPH);
  let hasWritten = false;
  let schema: { version: number; known: GraphSchema } | undefined;

  const mayWrite = () => {
    if (readOnly) throw new StoreUnavailableError(`The graph in ${folder} was opened for reading only.`);
  };

  return {
    async schema({ signal } = {}) {
      signal?.throwIfAborted();
      const read = await graph.read(async ({ table, version }) => {
        if (schema?.version !== version) schema = { version, known: await readSchema(table) };
        return schema.known;
      }, signal);
      signal?.throwIfAborted();
      return read ?? { nodes: [], relations: [] };
    },

    async facts(entities, question, options) {
      checkLimit(options?.limit);
      options?.signal?.throwIfAborted();
      const found = await graph.read(
        ({ table }) => lookUp(lanceReader(table), entities, question, options),
        options?.signal,
      );
      return found ?? [];
    },

    async upsert(given, { signal } = {}) {
      mayWrite();
      const checked = checkedGiven(given);
      if (checked.length === 0) return;
      signal?.throwIfAborted();
      await graph.write(
        async (table) => {
          await storeSources(table, checked, signal);
          hasWritten = true;
          await tidy(table, indexOf("grams"), "whileWriting").catch(() => {});
        },
        { create: { variant: undefined }, signal },
      );
    },

    async remove(sourceIds) {
      mayWrite();
      if (sourceIds.length === 0) return 0;
      const removed = await graph.write((table) => removeSources(table, sourceIds));
      hasWritten ||= (removed ?? 0) > 0;
      return removed ?? 0;
    },

    async sources() {
      return (await graph.read(({ table }) => listSources(table))) ?? [];
    },

    async close() {
      if (hasWritten) await graph.write((table) => tidy(table, indexOf("grams"), "atTheEnd")).catch(() => {});
      hasWritten = false;
      await graph.close();
    },
  };
}

/** By way of the patterns alone, which are few: a million triples take a quarter of a second. */
async function readSchema(table: Table): Promise<GraphSchema> {
  const patterns = new Set<string>();
  for await (const batch of table.query().where("pattern IS NOT NULL").select(["pattern"]))
    for (const pattern of batch.getChildAt(0) ?? []) patterns.add(String(pattern));
  return graphSchema(
    [...patterns].map((text) => {
      const [from, predicate, to] = PATTERN.parse(JSON.parse(text));
      return { subject: { type: from }, predicate, object: { type: to } };
    }),
  );
}

async function listSources(table: Table) {
  const rows = await table.query().where("source IS NOT NULL").select(["source", "triples"]).toArray();
  return z
    .array(LISTED)
    .parse(rows)
    .map(({ source, triples }) => ({ ...IDENTITY.parse(JSON.parse(source)), triples }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

const PATTERN = z.tuple([z.string(), z.string(), z.string()]);
const LISTED = z.object({ source: z.string(), triples: z.number() });
const IDENTITY = z.object({ id: z.string(), documentId: z.string(), hash: z.string() });
