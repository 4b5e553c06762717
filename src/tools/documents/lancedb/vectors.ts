import { createHash } from "node:crypto";
import type { Table } from "@lancedb/lancedb";
import { DataType } from "apache-arrow";
import { z } from "zod";
import { Language } from "../../../types/evidence.js";
import type { StoreDescription } from "../port.js";
import { type LanguageMeans, languageMeans } from "../rank.js";
import { passageText } from "../terms.js";

/** Names a model's vector column. Each model has its own, so that vectors of two models are never compared. */
export const columnOf = (model: string) => `${PREFIX}_${createHash("sha256").update(model).digest("hex").slice(0, 16)}`;

/** Lists the vector columns. A passage that is not embedded yet has null there. */
export async function vectorColumns(table: Table): Promise<{ name: string; dimensions: number }[]> {
  const { fields } = await table.schema();
  return fields.flatMap(({ name, type }) =>
    name.startsWith(PREFIX) && DataType.isFixedSizeList(type) ? [{ name, dimensions: type.listSize }] : [],
  );
}

/** Returns at most `limit` passages without a vector in this column, oldest first. */
export async function unembedded(table: Table, column: string, limit: number): Promise<EmbeddedText[]> {
  const rows = table.query().where((await whereNull(table, column)) ?? "true");
  return z.array(EmbeddedText).parse(await rows.select(Object.keys(EmbeddedText.shape)).limit(limit).toArray());
}

export const countUnembedded = async (table: Table, column: string) => table.countRows(await whereNull(table, column));

/** The condition for passages without a vector; undefined if there is no such column yet. */
async function whereNull(table: Table, column: string): Promise<string | undefined> {
  const isThere = (await vectorColumns(table)).some(({ name }) => name === column);
  return isThere ? `${column} IS NULL` : undefined;
}

/** Makes the column, unless it is there, and drops those of other models. */
export async function prepareColumn(table: Table, column: string, dimensions: number): Promise<void> {
  const there = await vectorColumns(table);
  const others = there.filter((one) => one.name !== column || one.dimensions !== dimensions);
  if (others.length > 0) await table.dropColumns(others.map(({ name }) => name));
  if (others.length === there.length)
    await table.addColumns([{ name: column, valueSql: `arrow_cast(NULL, 'FixedSizeList(${dimensions}, Float32)')` }]);
}

/** Stores vectors, skips passages that have changed meanwhile, and drops the columns of other models. */
export async function storeVectors(
  table: Table,
  column: string,
  passages: readonly EmbeddedText[],
  vectors: readonly (readonly number[])[],
): Promise<void> {
  await prepareColumn(table, column, vectors[0]?.length ?? 0);
  await table
    // Not by text: the store gives a text that begins with a byte order mark back without it.
    .mergeInsert(["id", "hash"])
    .whenMatchedUpdateAll()
    .execute(passages.map(({ id, hash }, i) => ({ id, hash, [column]: vectors[i] })));
}

/** Returns the vectors of the rows that meet the condition, by passage text. */
export async function vectorsByText(table: Table, column: string, where: string): Promise<Map<string, number[]>> {
  const embedded = table.query().where(`${where} AND ${column} IS NOT NULL`);
  const rows = await embedded.select([...Object.keys(Text.shape), column]).toArray();
  return new Map(rows.map((row) => [passageText(Text.parse(row)), [...row[column]]]));
}

/** Returns the ids of the rows that meet the condition and have a vector. */
export async function idsWithVector(table: Table, column: string, where: string): Promise<Set<string>> {
  const rows = await table.query().where(`${where} AND ${column} IS NOT NULL`).select(["id"]).toArrow();
  return new Set([...(rows.getChildAt(0) ?? [])].map(String));
}

export const EMPTY: StoreDescription = {
  languages: { en: 0, zh: 0, other: 0 },
  embedded: 0,
  embeddedByOthers: 0,
  writtenAt: "",
};

/** Counts the passages of a version of the table by language and by the model of their vectors. */
export async function describeTable(
  table: Table,
  version: number,
  current: string | undefined,
): Promise<StoreDescription> {
  const [columns, versions, en, zh, other] = await Promise.all([
    vectorColumns(table),
    table.listVersions(),
    table.countRows("language = 'en'"),
    table.countRows("language = 'zh'"),
    table.countRows("language = 'other'"),
  ]);
  const counts = await Promise.all(columns.map(({ name }) => table.countRows(`${name} IS NOT NULL`)));
  const embedded = counts[columns.findIndex(({ name }) => name === current)] ?? 0;
  return {
    languages: { en, zh, other },
    embedded,
    embeddedByOthers: counts.reduce((sum, count) => sum + count, 0) - embedded,
    writtenAt: versions.find((one) => one.version === version)?.timestamp.toISOString() ?? "",
  };
}

/** Averages each language's vectors, from passages spread evenly over the store. */
export async function meansOf(table: Table, column: string): Promise<LanguageMeans> {
  const count = await table.countRows();
  const step = Math.max(1, count / SAMPLE);
  const offsets = Array.from({ length: Math.floor(count / step) }, (_, i) => Math.floor(i * step));
  const rows = await table.takeOffsets(offsets).select(["language", column]).toArrow();
  const [languages, vectors] = [rows.getChild("language"), rows.getChild(column)];
  return languageMeans(
    offsets.flatMap((_, i) => {
      const vector: Iterable<number> | null = vectors?.get(i);
      return vector ? [{ language: Language.parse(languages?.get(i)), vector: [...vector] }] : [];
    }),
  );
}

/** Enough to estimate the mean cosine to 0.001. */
const SAMPLE = 512;

/** Drops the vector column of older versions, which is not nullable and shared by all models. */
export async function dropOldVectors(table: Table): Promise<void> {
  if ((await vectorColumns(table)).some(({ name }) => name === PREFIX)) await table.dropColumns([PREFIX]);
}

const PREFIX = "vector";

/** The text that a vector is made from. */
const Text = z.object({ title: z.string(), section: z.string(), text: z.string() });
const EmbeddedText = Text.extend({ id: z.string(), hash: z.string() });
type EmbeddedText = z.infer<typeof EmbeddedText>;
