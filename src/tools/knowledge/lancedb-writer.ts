import type { Table } from "@lancedb/lancedb";
import { isOneOf } from "../lancedb/table-folder.js";
import type { Given } from "./given.js";
import { idOfName, idOfPair, idOfSource, keysOfPair, rowOfName, rowOfPair, rowsOf } from "./lancedb-rows.js";

/** Stores sources whole, in one version of the table. */
export async function storeSources(table: Table, given: readonly Given[], signal?: AbortSignal): Promise<void> {
  const ids = given.map(({ source }) => source.id);
  const { rows, keys, pairs } = rowsOf(given);
  const known = await there(table, "id", [...[...keys].map(idOfName), ...[...pairs].map(idOfPair)]);
  const shared = [
    ...[...keys].filter((key) => !known.has(idOfName(key))).map(rowOfName),
    ...[...pairs].filter((pair) => !known.has(idOfPair(pair))).map(rowOfPair),
  ];
  const isNew = (await there(table, "id", ids.map(idOfSource))).size === 0;
  const left = isNew ? [] : await leftBehind(table, ids, { keys, pairs });
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

const ofSources = (sourceIds: readonly string[], rowIds: readonly string[]) =>
  [isOneOf("sourceId", sourceIds), ...(rowIds.length > 0 ? [isOneOf("id", rowIds)] : [])].join(" OR ");

/** The names and pairs that only these sources have, by their rows' ids, without those that stay in use. */
async function leftBehind(
  table: Table,
  sourceIds: readonly string[],
  staying: { keys: ReadonlySet<string>; pairs: ReadonlySet<string> } = { keys: new Set(), pairs: new Set() },
): Promise<string[]> {
  const of = await valuesIn(table, sourceIds);
  const others = `NOT (${isOneOf("sourceId", sourceIds)})`;
  const unusedIn = async (values: ReadonlySet<string>, columns: readonly string[], where: string) => {
    let unused = values;
    for (const column of columns) unused = unused.difference(await there(table, column, [...unused], where));
    return unused;
  };
  const pairs = await unusedIn(of.told.difference(staying.pairs), ["told"], others);
  const names = of.keys.union(new Set([...of.told].flatMap(keysOfPair))).difference(staying.keys);
  const unnamed = await unusedIn(names, ["subjectKey", "objectKey"], others);
  const stillPaired = pairs.size > 0 ? `NOT (${isOneOf("id", [...pairs].map(idOfPair))})` : "";
  const unused = await unusedIn(unnamed, ["aliasOf", "alias"], stillPaired);
  return [...[...pairs].map(idOfPair), ...[...unused].map(idOfName)];
}

/** The keys in the triples of these sources, and the pairs they tell. */
async function valuesIn(table: Table, sourceIds: readonly string[]) {
  const [keys, told] = [new Set<string>(), new Set<string>()];
  for (const some of parts(sourceIds))
    for await (const batch of table
      .query()
      .where(isOneOf("sourceId", some))
      .select(["subjectKey", "objectKey", "told"]))
      for (const column of ["subjectKey", "objectKey", "told"])
        for (const value of batch.getChild(column) ?? [])
          if (value !== null) (column === "told" ? told : keys).add(String(value));
  return { keys, told };
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
