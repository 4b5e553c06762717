import { dot } from "../../text/similarity.js";
import { Language } from "../../types/language.js";
import type { Dialect, Row, SqlQuery, Value, Writing } from "../store/port.js";
import { floatsIn } from "../store/signs.js";
import { type LanguageMeans, languageMeans } from "./rank.js";

/** A row of the table of vectors. */
export interface NewVector extends Record<string, Value> {
  passage: number;
  model: number;
  language: Language;
  stated: number | null;
  embedding: Value;
}

/** The model whose vectors a store holds. */
export interface StoredModel {
  n: number;
  dimensions: number;
}

export const modelQuery = (identity: string): SqlQuery => ({
  sql: "SELECT n, dimensions FROM emend.models WHERE identity = $1",
  values: [identity],
});

export const modelIn = ([row]: readonly Row[]): StoredModel | undefined =>
  row && { n: Number(row.n), dimensions: Number(row.dimensions) };

/**
 * Returns the `n` of the model, and whether it is new. Deletes all vectors of other models and of another length, since
 * no search uses them.
 */
export async function ensureModel(
  to: Writing,
  identity: string,
  dimensions: number,
): Promise<{ n: number; isNew: boolean }> {
  await to.all("DELETE FROM emend.models WHERE identity <> $1 OR dimensions <> $2", [identity, dimensions]);
  const { sql, values } = modelQuery(identity);
  const known = modelIn(await to.all(sql, values));
  if (known) return { n: known.n, isNew: false };
  await to.insert("emend.models", [{ identity, dimensions }], "ON CONFLICT DO NOTHING");
  return { n: modelIn(await to.all(sql, values))?.n ?? 0, isNew: true };
}

/** Stores vectors for passages that have none, and updates the means. */
export async function keepVectors(to: Writing, dialect: Dialect, vectors: readonly NewVector[]): Promise<void> {
  const [first] = vectors;
  if (!first) return;
  await to.insert("emend.vectors", vectors, "ON CONFLICT DO NOTHING");
  await refreshMeans(to, dialect, first.model);
}

/**
 * Recomputes the mean vector of each language once the number of vectors has changed by a tenth since the last time.
 * Uses a sample spread evenly over the store.
 */
async function refreshMeans(to: Writing, dialect: Dialect, model: number): Promise<void> {
  const [stored] = await to.all("SELECT min(n) AS first, max(n) AS last, count(*) AS vectors FROM emend.vectors");
  const vectors = Number(stored?.vectors);
  const [before] = await to.all("SELECT max(vectors) AS vectors FROM emend.means WHERE model = $1", [model]);
  const then = Number(before?.vectors ?? 0);
  if (then > 0 && vectors < then * 1.1 && vectors > then * 0.9) return;
  const first = Number(stored?.first);
  const last = Number(stored?.last);
  const step = Math.max(1, Math.floor((last - first) / SAMPLE));
  const rows = await to.all(
    `WITH RECURSIVE steps (n) AS (SELECT CAST($1 AS BIGINT) UNION ALL SELECT n + CAST($2 AS BIGINT) FROM steps WHERE n + CAST($2 AS BIGINT) <= $3)
    SELECT language, embedding FROM emend.vectors WHERE model = $4 AND n IN (
      SELECT (SELECT min(v.n) FROM emend.vectors v WHERE v.n >= steps.n) FROM steps
    ) ORDER BY n`,
    [first, step, last, model],
  );
  const means = languageMeans(
    rows
      .map(({ language, embedding }) => ({ language: Language.parse(language), vector: dialect.read(embedding) }))
      // A damaged one has no numbers.
      .filter(({ vector }) => vector.length > 0),
  );
  await to.all("DELETE FROM emend.means WHERE model = $1", [model]);
  const found = [...means].map(([language, mean]) => ({
    model,
    language,
    vectors,
    mean: new Uint8Array(new Float32Array(mean).buffer),
  }));
  if (found.length > 0) await to.insert("emend.means", found, "ON CONFLICT DO NOTHING");
}

/** Enough to estimate the mean cosine to 0.001. */
const SAMPLE = 512;

export const meansQuery = (model: number): SqlQuery => ({
  sql: "SELECT language, mean FROM emend.means WHERE model = $1",
  values: [model],
});

export const meansIn = (rows: readonly Row[]): LanguageMeans =>
  new Map(
    rows.flatMap(({ language, mean }) =>
      mean instanceof Uint8Array ? [[Language.parse(language), [...floatsIn(mean)]] as const] : [],
    ),
  );

/** Scales a vector to unit length, which all comparisons require. */
export function unit(vector: readonly number[]): readonly number[] {
  const length = Math.sqrt(dot(vector, vector));
  return length === 0 || Math.abs(length - 1) < 1e-6 ? vector : vector.map((x) => x / length);
}
