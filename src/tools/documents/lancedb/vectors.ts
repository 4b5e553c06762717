import { createHash } from "node:crypto";
import type { Table } from "@lancedb/lancedb";
import { DataType } from "apache-arrow";
import { z } from "zod";
import { Language } from "../../../types/evidence.js";
import { type LanguageMeans, languageMeans } from "../fusion.js";
import { passageText } from "../terms.js";

/** A column of vectors, and how many numbers each has. A passage that is not embedded yet has none. */
export interface VectorColumn {
  name: string;
  dimensions: number;
}

/** The vectors of each model have a column of their own, so that those of two are never compared. */
export const columnOf = (model: string) => `${PREFIX}_${createHash("sha256").update(model).digest("hex").slice(0, 16)}`;

/** The columns of vectors there are: one, but for a store of an older version. */
export async function vectorColumns(table: Table): Promise<VectorColumn[]> {
  const { fields } = await table.schema();
  return fields.flatMap(({ name, type }) =>
    name.startsWith(PREFIX) && DataType.isFixedSizeList(type) ? [{ name, dimensions: type.listSize }] : [],
  );
}

/** At most `limit` passages without a vector in this column, those that were written first before others. */
export async function unembedded(table: Table, column: string, limit: number): Promise<WhatIsEmbedded[]> {
  const rows = table.query().where((await whereNone(table, column)) ?? "true");
  return z.array(Text).parse(await rows.select(Object.keys(Text.shape)).limit(limit).toArray());
}

export const countUnembedded = async (table: Table, column: string) => table.countRows(await whereNone(table, column));

/** Undefined where there is no such column: every passage is without. */
async function whereNone(table: Table, column: string): Promise<string | undefined> {
  const isThere = (await vectorColumns(table)).some(({ name }) => name === column);
  return isThere ? `${column} IS NULL` : undefined;
}

/** Those of passages that have changed meanwhile are left out. Columns of other models go. */
export async function storeVectors(
  table: Table,
  column: string,
  passages: readonly WhatIsEmbedded[],
  vectors: readonly (readonly number[])[],
): Promise<void> {
  const dimensions = vectors[0]?.length ?? 0;
  const there = await vectorColumns(table);
  const others = there.filter((one) => one.name !== column || one.dimensions !== dimensions);
  if (others.length > 0) await table.dropColumns(others.map(({ name }) => name));
  if (others.length === there.length)
    await table.addColumns([{ name: column, valueSql: `arrow_cast(NULL, 'FixedSizeList(${dimensions}, Float32)')` }]);
  await table
    .mergeInsert(Object.keys(Text.shape))
    .whenMatchedUpdateAll()
    .execute(passages.map((passage, i) => ({ ...passage, [column]: vectors[i] })));
}

/** The vectors of the rows that this condition holds for, by the text each stands for. */
export async function vectorsByText(table: Table, column: string, documents: string): Promise<Map<string, number[]>> {
  const rows = await table
    .query()
    .where(`${documents} AND ${column} IS NOT NULL`)
    .select([...Object.keys(Text.shape), column])
    .toArray();
  return new Map(rows.map((row) => [passageText(Text.parse(row)), [...row[column]]]));
}

/** The mean vector of each language, by passages from all over the store. */
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

/** As many tell the mean cosine of all to a thousandth. */
const SAMPLE = 512;

/** A store of an older version has one column for all models, which allows no row without a vector. */
export async function dropOldVectors(table: Table): Promise<void> {
  if ((await vectorColumns(table)).some(({ name }) => name === PREFIX)) await table.dropColumns([PREFIX]);
}

const PREFIX = "vector";

/** What a vector is made from, and the passage it is of. */
const Text = z.object({ id: z.string(), title: z.string(), section: z.string(), text: z.string() });
export type WhatIsEmbedded = z.infer<typeof Text>;
