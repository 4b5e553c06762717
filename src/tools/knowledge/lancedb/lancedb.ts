import type { Table } from "@lancedb/lancedb";
import type { S3Settings } from "../../../config.js";
import { StoreUnavailableError } from "../../../errors.js";
import { canMeet } from "../../store/lancedb/sql.js";
import { tidy } from "../../store/lancedb/tidy.js";
import { partOf, versionedTable } from "../../store/lancedb/versioned-table.js";
import { checkedGiven } from "../given.js";
import { checkLimit, lookUp } from "../look-up.js";
import type { KnowledgeGraph } from "../port.js";
import { graphSchema } from "../triples.js";
import { lanceReader, type Pattern, readPatterns, readSources } from "./reader.js";
import { GRAPH } from "./rows.js";
import { removeSources, storeSources } from "./writer.js";

export interface LanceKnowledgeOptions {
  /** The store's folder or address; the graph is in its part `knowledge`. The first write creates it; readers never do. */
  path: string;
  /** The object storage of such an address. */
  s3?: S3Settings | undefined;
  /** Refuses to write. Default false. */
  readOnly?: boolean;
  /** Called with a sentence that names the other process when a write has waited for it for a second. */
  onWait?: ((message: string) => void) | undefined;
}

/**
 * A knowledge graph in a folder or on object storage: triples in LanceDB, looked up by the names of entities. It has no query language.
 * Readers see whole versions; one process writes at a time, others wait up to ten minutes. Opens nothing before use.
 */
export function lanceKnowledge({ path, s3, readOnly = false, onWait }: LanceKnowledgeOptions): KnowledgeGraph {
  const folder = partOf(path, "knowledge");
  const graph = versionedTable(folder, GRAPH, { onWait, s3 });
  let hasWritten = false;
  /** By version of the table. */
  const known = new WeakMap<Table, Pattern[]>();

  const mayWrite = () => {
    if (readOnly) throw new StoreUnavailableError(`The graph in ${folder} was opened for reading only.`);
  };

  const patternsOf = async (table: Table) => {
    const patterns = known.get(table) ?? (await readPatterns(table));
    known.set(table, patterns);
    return patterns;
  };

  return {
    async schema({ signal } = {}) {
      signal?.throwIfAborted();
      const patterns = (await graph.read(({ table }) => patternsOf(table), signal)) ?? [];
      signal?.throwIfAborted();
      return graphSchema(
        patterns.map(({ from, predicate, to }) => ({ subject: { type: from }, predicate, object: { type: to } })),
      );
    },

    async facts(entities, question, options) {
      checkLimit(options?.limit);
      options?.signal?.throwIfAborted();
      const found = await graph.read(async ({ table }) => {
        const { filter = [] } = options ?? {};
        if (!(await canMeet(table, filter))) return [];
        const reader = lanceReader(table, () => patternsOf(table), filter);
        return lookUp(reader, entities, question, options);
      }, options?.signal);
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
          await tidy(table, "whileWriting").catch(() => {});
        },
        { create: true, signal },
      );
    },

    async remove(sourceIds, { signal } = {}) {
      mayWrite();
      if (sourceIds.length === 0) return 0;
      const removed = await graph.write((table) => removeSources(table, sourceIds), { signal });
      hasWritten ||= (removed ?? 0) > 0;
      return removed ?? 0;
    },

    async sources() {
      return (await graph.read(({ table }) => readSources(table))) ?? [];
    },

    tidy: tidyGraph,

    async close() {
      if (hasWritten) await tidyGraph();
      await graph.close();
    },
  };

  /** A failure loses nothing: the next call tries again, and another process that writes now tidies at its end. */
  async function tidyGraph(): Promise<void> {
    hasWritten = false;
    if (!readOnly) await graph.write((table) => tidy(table, "atTheEnd"), { patience: 0 }).catch(() => {});
  }
}
