import type { Table } from "@lancedb/lancedb";
import { isOneOf } from "../lancedb/table-folder.js";
import type { Given } from "./given.js";
import { lanceReader } from "./lancedb-reader.js";
import { idOfName, idOfSource, rowOfName, rowsOf } from "./lancedb-rows.js";

/** Stores sources whole, in one version of the table. */
export async function storeSources(table: Table, given: readonly Given[], signal?: AbortSignal): Promise<void> {
  const ids = given.map(({ source }) => source.id);
  const { rows, keys } = rowsOf(given);
  const known = new Set(await lanceReader(table).known([...keys]));
  const names = [...keys].filter((key) => !known.has(key)).map(rowOfName);
  const isNew = (await storedAmong(table, ids)) === 0;
  const before = isNew ? new Set<string>() : await namesIn(table, ids);
  signal?.throwIfAborted();
  // Nothing of new sources can be there: adding them is several times as fast as looking for each row.
  if (isNew) await table.add([...rows, ...names]);
  else
    await table
      .mergeInsert("id")
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .whenNotMatchedBySourceDelete({ where: isOneOf("sourceId", ids) })
      .execute([...rows, ...names]);
  await forgetNames(table, before.difference(keys)).catch(() => {});
}

/** Removes sources, and the names that nothing speaks of any more. Returns how many sources there were. */
export async function removeSources(table: Table, ids: readonly string[]): Promise<number> {
  let removed = 0;
  for (const some of parts([...new Set(ids)])) {
    const count = await storedAmong(table, some);
    if (count === 0) continue;
    const names = await namesIn(table, some);
    await table.delete(isOneOf("sourceId", some));
    removed += count;
    await forgetNames(table, names).catch(() => {});
  }
  return removed;
}

async function storedAmong(table: Table, ids: readonly string[]): Promise<number> {
  const counts = await Promise.all(parts(ids).map((some) => table.countRows(isOneOf("id", some.map(idOfSource)))));
  return counts.reduce((sum, count) => sum + count, 0);
}

/** The keys of all names in these sources. */
async function namesIn(table: Table, sourceIds: readonly string[]): Promise<Set<string>> {
  const keys = new Set<string>();
  for (const some of parts(sourceIds))
    for await (const batch of table.query().where(isOneOf("sourceId", some)).select(NAME_COLUMNS))
      for (const column of NAME_COLUMNS)
        for (const key of batch.getChild(column) ?? []) if (key !== null) keys.add(String(key));
  return keys;
}

const NAME_COLUMNS = ["subjectKey", "objectKey", "aliasOf", "alias"];

/** Those that another source still uses stay. A name that is left behind by a failure finds nothing and does no harm. */
async function forgetNames(table: Table, keys: ReadonlySet<string>): Promise<void> {
  for (const some of parts([...keys])) {
    const unused = new Set(some);
    for (const column of NAME_COLUMNS)
      for (let found = -1; found !== 0 && unused.size > 0; ) {
        const rows = await table.query().where(isOneOf(column, unused)).select([column]).limit(AT_ONCE).toArrow();
        found = rows.numRows;
        for (const key of rows.getChildAt(0) ?? []) unused.delete(String(key));
      }
    if (unused.size > 0) await table.delete(isOneOf("id", [...unused].map(idOfName)));
  }
}

const parts = (values: readonly string[]) =>
  Array.from({ length: Math.ceil(values.length / AT_ONCE) }, (_, i) => values.slice(i * AT_ONCE, (i + 1) * AT_ONCE));

const AT_ONCE = 2_000;
