import type { Table } from "@lancedb/lancedb";
import { addMetadata, inParts, isOneOf, PART } from "../../store/lancedb/sql.js";
import type { Given } from "../given.js";
import { keysOfPair, type Row, rowId, rowsOf, type Shared, type SharedKind, sharedRow } from "./rows.js";

/** Stores sources whole, in one version of the table. */
export async function storeSources(table: Table, given: readonly Given[], signal?: AbortSignal): Promise<void> {
  await addMetadata(table);
  const ids = given.map(({ source }) => source.id);
  const { rows: own, shared } = rowsOf(given);
  const others = sharedRows(shared);
  const known = await existing(table, "id", [...ids.map(sourceRow), ...others.map(({ id }) => id)]);
  const rows = [...own, ...others.filter(({ id }) => !known.has(id))];
  const isNew = !ids.some((id) => known.has(sourceRow(id)));
  const unused = isNew ? [] : await unusedWithout(table, ids, shared);
  signal?.throwIfAborted();
  // New sources have no rows yet: adding theirs is several times as fast as looking for each.
  if (isNew) await table.add(rows);
  else
    await table
      .mergeInsert("id")
      .whenMatchedUpdateAll()
      .whenNotMatchedInsertAll()
      .whenNotMatchedBySourceDelete({ where: ofSources(ids, unused) })
      .execute(rows);
}

/** Removes sources, and the shared rows that no other source has. Returns how many sources existed. */
export async function removeSources(table: Table, ids: readonly string[]): Promise<number> {
  let removed = 0;
  for (const some of inParts([...new Set(ids)])) {
    const { size } = await existing(table, "id", some.map(sourceRow));
    if (size > 0) await table.delete(ofSources(some, await unusedWithout(table, some)));
    removed += size;
  }
  return removed;
}

const sourceRow = (id: string) => rowId("source", id);

const sharedRows = (shared: Shared): Row[] =>
  (["name", "pair", "pattern"] as const).flatMap((kind) => [...shared[kind]].map((value) => sharedRow(kind, value)));

const ofSources = (sourceIds: readonly string[], rowIds: readonly string[]) =>
  [isOneOf("sourceId", sourceIds), ...(rowIds.length > 0 ? [isOneOf("id", rowIds)] : [])].join(" OR ");

/** Returns the ids of the shared rows that only these sources have, without those that stay in use. */
async function unusedWithout(table: Table, sourceIds: readonly string[], staying?: Shared): Promise<string[]> {
  const had = await sharedBy(table, sourceIds);
  const others = `NOT (${isOneOf("sourceId", sourceIds)})`;
  const unusedIn = async (values: ReadonlySet<string>, columns: readonly string[], where: string) => {
    let unused = values;
    for (const column of columns) unused = unused.difference(await existing(table, column, [...unused], where));
    return unused;
  };
  const leaving = (kind: SharedKind) => (staying ? had[kind].difference(staying[kind]) : had[kind]);
  const idsOf = (kind: SharedKind, values: ReadonlySet<string>) => [...values].map((value) => rowId(kind, value));
  const patterns = idsOf("pattern", await unusedIn(leaving("pattern"), ["patternOf"], others));
  const pairs = idsOf("pair", await unusedIn(leaving("pair"), ["told"], others));
  const unnamed = await unusedIn(leaving("name"), ["subjectKey", "objectKey"], others);
  const stillPaired = pairs.length > 0 ? `NOT (${isOneOf("id", pairs)})` : "";
  const names = await unusedIn(unnamed, ["aliasOf", "alias"], stillPaired);
  return [...patterns, ...pairs, ...idsOf("name", names)];
}

async function sharedBy(table: Table, sourceIds: readonly string[]): Promise<Shared> {
  const [name, pair, pattern] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const columns = { subjectKey: name, objectKey: name, told: pair, patternOf: pattern };
  for (const some of inParts(sourceIds))
    for await (const batch of table.query().where(isOneOf("sourceId", some)).select(Object.keys(columns)))
      for (const [column, values] of Object.entries(columns))
        for (const value of batch.getChild(column) ?? []) if (value !== null) values.add(String(value));
  for (const key of [...pair].flatMap(keysOfPair)) name.add(key);
  return { name, pair, pattern };
}

/** Returns the values that occur in a column. A value may be in many rows, so each query leaves out what was found. */
async function existing(table: Table, column: string, values: readonly string[], where = ""): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of inParts(values)) {
    const missing = new Set(some);
    for (let rows = PART; rows === PART && missing.size > 0; ) {
      const condition = [isOneOf(column, missing), ...(where ? [where] : [])].join(" AND ");
      const read = await table.query().where(condition).select([column]).limit(PART).toArrow();
      rows = read.numRows;
      for (const value of read.getChildAt(0) ?? []) {
        missing.delete(String(value));
        found.add(String(value));
      }
    }
  }
  return found;
}
