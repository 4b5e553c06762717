import { restated } from "../../text/metadata.js";
import type { Passage } from "../../types/evidence.js";
import type { Metadata } from "../../types/metadata.js";
import { restateFacts } from "../knowledge/sql.js";
import { deleteFactsOf, deleteOutdatedFacts } from "../store/facts.js";
import { keepStated, noteEdit, pairsText } from "../store/metadata.js";
import type { Dialect, Row, Value, Writing } from "../store/port.js";
import { type AnalysedTable, HEAD_COLUMNS, HEAD_TABLES, headChecksum, headOf, replaceTables } from "../store/tables.js";
import type { Restatement } from "./port.js";
import { COLUMNS, lastPart, passageChecksum, passageOf, TABLES, titledText } from "./sql-rows.js";
import { ensureModel, keepVectors, type NewVector } from "./sql-vectors.js";
import { passageText } from "./terms.js";

/** A passage and its terms, in the order of the text. */
export interface Analysed {
  passage: Passage;
  terms: readonly string[];
}

/** New vectors of one model, by the text of their passage. */
export interface Made {
  identity: string;
  vectors: ReadonlyMap<string, readonly number[]>;
}

/**
 * Replaces whole documents. A passage keeps its vector if its document contained the same text before, and its facts if
 * it did not change. The tables of the documents are replaced by those given.
 */
export async function replaceDocuments(
  to: Writing,
  dialect: Dialect,
  given: readonly Analysed[],
  tables: readonly AnalysedTable[],
  made: Made | undefined,
): Promise<void> {
  const { isOneOf } = dialect;
  const hashes = new Map(given.map(({ passage }) => [passage.documentId, passage.hash]));
  // Sorted, so that two transactions that write the same documents wait for each other and do not deadlock.
  const ids = [...hashes.keys()].sort();
  await to.insert(
    "emend.documents",
    ids.map((id) => {
      const name = lastPart(id);
      return { id, hash: hashes.get(id) ?? "", name, dated: VERSION_OR_DATE.test(id) ? 1 : 0 };
    }),
    "ON CONFLICT (id) DO UPDATE SET hash = excluded.hash",
  );
  const documents = await to.all(`SELECT n, id FROM emend.documents WHERE ${isOneOf("id", "$1")}`, [ids]);
  const documentOf = new Map(documents.map(({ n, id }) => [id, Number(n)]));

  const passageIds = given.map(({ passage }) => passage.id);
  const old = await to.all(
    `SELECT p.n, p.title, p.section, p.text, p.terms, v.model, v.embedding
    FROM emend.passages p LEFT JOIN emend.vectors v ON v.passage = p.n
    WHERE p.n IN (
      SELECT n FROM emend.passages WHERE ${isOneOf("document", "$1")}
      UNION SELECT n FROM emend.passages WHERE ${isOneOf("id", "$2")}
    )`,
    [[...documentOf.values()], passageIds],
  );
  const known = new Map<string, { model: number; embedding: Value }>();
  for (const row of old)
    if (row.embedding !== null)
      known.set(passageText(titledText(row)), { model: Number(row.model), embedding: row.embedding as Value });
  if (old.length > 0)
    await to.all(`DELETE FROM emend.passages WHERE ${isOneOf("n", "$1")}`, [old.map(({ n }) => Number(n))]);

  const statedOf = await keepStated(to, dialect, [
    ...given.map(({ passage }) => passage.metadata),
    ...tables.map(({ table }) => table.metadata),
  ]);
  await to.insert(
    "emend.passages",
    given.map(({ passage, terms }) => ({
      id: passage.id,
      document: documentOf.get(passage.documentId) ?? 0,
      position: passage.position,
      language: passage.language,
      title: passage.title,
      uri: passage.uri,
      section: passage.section,
      reviewed: passage.reviewedAt,
      stated: statedOf(passage.metadata),
      checksum: passageChecksum(passage, pairsText(passage.metadata)),
      text: passage.text,
      terms: terms.join(" "),
    })),
  );
  await count(
    to,
    dialect,
    given.map(({ terms }) => terms),
    old.map(termsIn),
  );

  const [first] = made?.vectors.values() ?? [];
  if (known.size > 0 || first) {
    const model = made && first ? (await ensureModel(to, made.identity, first.length)).n : undefined;
    const ns = await to.all(`SELECT n, id FROM emend.passages WHERE ${isOneOf("id", "$1")}`, [passageIds]);
    const placeOf = new Map(ns.map(({ n, id }) => [id, Number(n)]));
    const vectors = given.flatMap(({ passage }): NewVector[] => {
      const text = passageText(passage);
      const there = { passage: placeOf.get(passage.id) ?? 0, language: passage.language };
      const stated = statedOf(passage.metadata);
      const vector = made?.vectors.get(text);
      if (vector && model) return [{ ...there, stated, model, embedding: dialect.stored(vector) }];
      const before = known.get(text);
      // Vectors of another model are deleted with that model.
      if (!before || (model !== undefined && before.model !== model)) return [];
      return [{ ...there, stated, ...before }];
    });
    await keepVectors(to, dialect, vectors);
  }
  await replaceTables(to, dialect, tables, documentOf, statedOf);
  await deleteOutdatedFacts(
    to,
    dialect,
    given.map(({ passage }) => passage),
  );
  await noteEdit(to);
}

/**
 * Replaces metadata of whole documents, their tables and their facts. What is damaged stays as it is, and is never shown.
 */
export async function restateDocuments(to: Writing, dialect: Dialect, changes: readonly Restatement[]): Promise<void> {
  const { isOneOf } = dialect;
  const byId = new Map(changes.map((change) => [change.documentId, change]));
  const found: Row[] = [];
  // Sorted, so that two transactions that write the same documents wait for each other and do not deadlock.
  for (const id of [...byId.keys()].sort())
    found.push(
      ...(await to.all("UPDATE emend.documents SET hash = $1 WHERE id = $2 RETURNING n", [
        byId.get(id)?.hash ?? "",
        id,
      ])),
    );
  if (found.length === 0) return;
  const documents = found.map(({ n }) => Number(n));
  const now = <T extends { documentId: string; metadata?: Metadata | undefined }>(one: T) => ({
    ...one,
    metadata: restated(one.metadata, byId.get(one.documentId)?.metadata ?? {}),
  });
  const stored = await to.all(`SELECT p.n, ${COLUMNS} FROM ${TABLES} WHERE ${isOneOf("p.document", "$1")}`, [
    documents,
  ]);
  const passages = stored.flatMap((row) =>
    passageOf(row).map((before) => ({ n: Number(row.n), before, after: now(before) })),
  );
  const heads = await to.all(`SELECT t.n, ${HEAD_COLUMNS} FROM ${HEAD_TABLES} WHERE ${isOneOf("t.document", "$1")}`, [
    documents,
  ]);
  const tables = heads.flatMap((row) => headOf(row).map((head) => ({ row, head: now(head) })));
  const statedOf = await keepStated(to, dialect, [
    ...passages.map(({ after }) => after.metadata),
    ...tables.map(({ head }) => head.metadata),
  ]);
  for (const { n, after } of passages)
    await to.all("UPDATE emend.passages SET stated = $1, checksum = $2 WHERE n = $3", [
      ...[statedOf(after.metadata), passageChecksum(after, pairsText(after.metadata)), n],
    ]);
  const vectors = await to.all(
    `DELETE FROM emend.vectors WHERE ${isOneOf("passage", "$1")} RETURNING passage, model, language, embedding`,
    [passages.map(({ n }) => n)],
  );
  const metadata = new Map(passages.map(({ n, after }) => [n, after.metadata]));
  // Inserted anew, since readers keep what they have read of a row in memory.
  if (vectors.length > 0)
    await to.insert(
      "emend.vectors",
      vectors.map(({ passage, model, language, embedding }) => ({
        ...{ passage: Number(passage), model: Number(model), language: `${language}` },
        ...{ stated: statedOf(metadata.get(Number(passage))), embedding: embedding as Value },
      })),
    );
  for (const { row, head } of tables)
    await to.all("UPDATE emend.tables SET stated = $1, checksum = $2 WHERE n = $3", [
      ...[statedOf(head.metadata), headChecksum(head.id, head.documentId, pairsText(head.metadata), `${row.head}`)],
      Number(row.n),
    ]);
  await restateFacts(to, dialect, passages);
  await noteEdit(to);
}

/** Removes documents with their vectors, tables and facts. Returns the number of their passages. */
export async function deleteDocuments(to: Writing, dialect: Dialect, ids: readonly string[]): Promise<number> {
  let [removed, facts] = [0, 0];
  for (let start = 0; start < ids.length; start += AT_ONCE) {
    const some = ids.slice(start, start + AT_ONCE);
    const ns = await to.all(`SELECT n FROM emend.documents WHERE ${dialect.isOneOf("id", "$1")}`, [some]);
    const documents = ns.map(({ n }) => Number(n));
    const where = dialect.isOneOf("document", "$1");
    const gone = await to.all(`DELETE FROM emend.passages WHERE ${where} RETURNING terms`, [documents]);
    await to.all(`DELETE FROM emend.documents WHERE ${dialect.isOneOf("n", "$1")}`, [documents]);
    await count(to, dialect, [], gone.map(termsIn));
    removed += gone.length;
    facts += await deleteFactsOf(to, dialect, some);
  }
  if (removed + facts > 0) await noteEdit(to);
  return removed;
}

const AT_ONCE = 1_000;

/** Updates how many passages have each term. */
async function count(
  to: Writing,
  dialect: Dialect,
  added: readonly (readonly string[])[],
  removed: readonly (readonly string[])[],
): Promise<void> {
  const counts = new Map<string, number>();
  let [passages, length] = [0, 0];
  for (const [texts, sign] of [
    [added, 1],
    [removed, -1],
  ] as const)
    for (const terms of texts) {
      for (const term of new Set(terms)) counts.set(term, (counts.get(term) ?? 0) + sign);
      passages += sign;
      length += sign * terms.length;
    }
  const rows = [
    ...(passages !== 0 || length !== 0 ? [{ term: "", passages, length }] : []),
    // Sorted, so that two transactions do not deadlock.
    ...[...counts]
      .filter(([, passages]) => passages !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([term, passages]) => ({ term, passages, length: 0 })),
  ];
  if (rows.length > 0) await to.insert("emend.counts", rows, dialect.addingUp);
}

const termsIn = ({ terms }: Row) => `${terms}`.split(" ").filter((term) => term !== "");

/** Matches more names than `validityOf` accepts as versions. */
const VERSION_OR_DATE = /(v[0-9]|[0-9]版|(19|20)[0-9][0-9])[^/]*$/i;
