import type { Table } from "@lancedb/lancedb";
import { isOneOf } from "../../store/lancedb/table-folder.js";
import type { Given } from "../given.js";
import {
  idOfName,
  idOfPair,
  idOfPattern,
  idOfSource,
  keysOfPair,
  type Row,
  rowOfName,
  rowOfPair,
  rowOfPattern,
  rowsOf,
} from "./rows.js";

/** Stores sources whole, in one version of the table. */
export async function storeSources(table: Table, given: readonly Given[], signal?: AbortSignal): Promise<void> {
  const ids = given.map(({ source }) => source.id);
  const { rows, ...used } = rowsOf(given);
  const shared = await withoutKnown(table, used);
  const isNew = (await there(table, "id", ids.map(idOfSource))).size === 0;
  const left = isNew ? [] : await leftBehind(table, ids, used);
  signal?.throwIfAborted();
  // Nothing of new sources can be there: adding them is several times as fast as looking for each row.
  if (isNew) await table.add([...rows, ...shared]);
  else
    await table
      .mergeInsert("id")
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .whenNotMatchedBySourceDelete({ where: ofSources(ids, left) })
      .execute([...rows, ...shared]);
}

/** Removes sources, and what nothing speaks of any more. Returns how many sources there were. */
export async function removeSources(table: Table, ids: readonly string[]): Promise<number> {
  let removed = 0;
  for (const some of parts([...new Set(ids)])) {
    const { size } = await there(table, "id", some.map(idOfSource));
    if (size > 0) await table.delete(ofSources(some, await leftBehind(table, some)));
    removed += size;
  }
  return removed;
}

/** What sources have in common, each kept once. */
interface Shared {
  keys: ReadonlySet<string>;
  pairs: ReadonlySet<string>;
  patterns: ReadonlySet<string>;
}

const NOTHING: Shared = { keys: new Set(), pairs: new Set(), patterns: new Set() };

async function withoutKnown(table: Table, { keys, pairs, patterns }: Shared): Promise<Row[]> {
  const ids = [...[...keys].map(idOfName), ...[...pairs].map(idOfPair), ...[...patterns].map(idOfPattern)];
  const known = await there(table, "id", ids);
  return [
    ...[...keys].filter((key) => !known.has(idOfName(key))).map(rowOfName),
    ...[...pairs].filter((pair) => !known.has(idOfPair(pair))).map(rowOfPair),
    ...[...patterns].filter((pattern) => !known.has(idOfPattern(pattern))).map(rowOfPattern),
  ];
}

const ofSources = (sourceIds: readonly string[], rowIds: readonly string[]) =>
  [isOneOf("sourceId", sourceIds), ...(rowIds.length > 0 ? [isOneOf("id", rowIds)] : [])].join(" OR ");

/** What only these sources have, by its rows' ids, without what stays in use. */
async function leftBehind(table: Table, sourceIds: readonly string[], staying = NOTHING): Promise<string[]> {
  const had = await sharedBy(table, sourceIds);
  const others = `NOT (${isOneOf("sourceId", sourceIds)})`;
  const unusedIn = async (values: ReadonlySet<string>, columns: readonly string[], where: string) => {
    let unused = values;
    for (const column of columns) unused = unused.difference(await there(table, column, [...unused], where));
    return [...unused];
  };
  const patterns = await unusedIn(had.patterns.difference(staying.patterns), ["patternOf"], others);
  const pairs = (await unusedIn(had.pairs.difference(staying.pairs), ["told"], others)).map(idOfPair);
  const unnamed = await unusedIn(had.keys.difference(staying.keys), ["subjectKey", "objectKey"], others);
  const stillPaired = pairs.length > 0 ? `NOT (${isOneOf("id", pairs)})` : "";
  const names = await unusedIn(new Set(unnamed), ["aliasOf", "alias"], stillPaired);
  return [...patterns.map(idOfPattern), ...pairs, ...names.map(idOfName)];
}

async function sharedBy(table: Table, sourceIds: readonly string[]): Promise<Shared> {
  const [keys, pairs, patterns] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const columns = { subjectKey: keys, objectKey: keys, told: pairs, patternOf: patterns };
  for (const some of parts(sourceIds))
    for await (const batch of table.query().where(isOneOf("sourceId", some)).select(Object.keys(columns)))
      for (const [column, values] of Object.entries(columns))
        for (const value of batch.getChild(column) ?? []) if (value !== null) values.add(String(value));
  for (const key of [...pairs].flatMap(keysOfPair)) keys.add(key);
  return { keys, pairs, patterns };
}

/** Those of the values that a column has. A value may be in very many rows: what was found is left out of the next turn. */
async function there(table: Table, column: string, values: readonly string[], where = ""): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of parts(values)) {
    const missing = new Set(some);
    for (let rows = AT_ONCE; rows === AT_ONCE && missing.size > 0; ) {
      const condition = [isOneOf(column, missing), ...(where ? [where] : [])].join(" AND ");
      const read = await table.query().where(condition).select([column]).limit(AT_ONCE).toArrow();
      rows = read.numRows;
      for (const value of read.getChildAt(0) ?? []) {
        missing.delete(String(value));
        found.add(String(value));
      }
    }
  }
  return found;
}

const parts = (values: readonly string[]) =>
  Array.from({ length: Math.ceil(values.length / AT_ONCE) }, (_, i) => values.slice(i * AT_ONCE, (i + 1) * AT_ONCE));

const AT_ONCE = 2_000;
