import { posix } from "node:path";
import { crc32 } from "node:zlib";
import { MatchQuery, type Table } from "@lancedb/lancedb";
import type { Table as ArrowTable } from "apache-arrow";
import { z } from "zod";
import { dot } from "../../../language/similarity.js";
import { terms } from "../../../language/tokens.js";
import { Language, Passage } from "../../../types/evidence.js";
import type { Filter } from "../../../types/filter.js";
import { fromPairs, Metadata, valuesOf } from "../../../types/metadata.js";
import { canMeet, meetsFilter, quoted } from "../../store/lancedb/sql.js";
import type { DocumentHead } from "../port.js";
import { favourPhrases } from "../rank.js";
import { queryTerms } from "../terms.js";

/**
 * A search result. The passage is read on demand: most results are only ranked, which is faster than reading them. Empty if it
 * is damaged.
 */
interface Found {
  id: string;
  language: Language;
  score: number;
  /** Undefined without a vector. */
  cosine?: number | undefined;
  passage(): Passage[];
}

/** The question's vector, and the column it is compared with. */
interface Asked {
  column: string;
  vector: readonly number[];
}

/** What a search wants besides its words. */
interface Wanted {
  /** The most results; by vectors, of each language. */
  limit: number;
  exclude: ReadonlySet<string>;
  filter: Filter;
}

/** Full-text search: BM25, reranked by phrases. */
export async function byWords(
  table: Table,
  text: string,
  asked: Asked | undefined,
  { limit, exclude, filter }: Wanted,
): Promise<(Found & { terms: string })[]> {
  const search = table.query().fullTextSearch(new MatchQuery(queryTerms(text).join(" "), "terms"));
  const rows = await (filter.length > 0 ? search.where(meetsFilter(filter)) : search)
    .select([...(await columnsOf(table)), "terms", "_score", ...(asked ? [asked.column] : [])])
    .limit(limit + exclude.size)
    .toArrow();
  const [analysed, scores] = [rows.getChild("terms"), rows.getChild("_score")];
  const vectors = asked && rows.getChild(asked.column);
  const candidates = found(rows, (i) => z.number().parse(scores?.get(i)), exclude)
    .slice(0, limit)
    .map(({ row, ...each }) => {
      const own: Iterable<number> | null | undefined = vectors?.get(row);
      return {
        ...each,
        terms: String(analysed?.get(row)),
        cosine: own && asked ? dot(asked.vector, [...own]) : undefined,
      };
    });
  return favourPhrases(terms(text), candidates);
}

/** Vector search: the nearest passages of each language. The score is the cosine. */
export async function byVector(
  table: Table,
  { column, vector }: Asked,
  { limit, exclude, filter }: Wanted,
): Promise<Found[]> {
  const columns = await columnsOf(table);
  const nearest = Language.options.map(async (language) => {
    const search = table
      .query()
      .nearestTo([...vector])
      .column(column);
    // Of an index only some cells are read, and those that meet the filter may be in others.
    const rows = await (filter.length > 0
      ? search.where(`language = '${language}' AND ${meetsFilter(filter)}`).bypassVectorIndex()
      : search.where(`language = '${language}'`)
    )
      .distanceType("dot")
      .nprobes(PROBES)
      .select([...columns, "_distance"])
      .limit(limit + exclude.size)
      .toArrow();
    const distances = rows.getChild("_distance");
    return found(rows, (i) => 1 - z.number().parse(distances?.get(i)), exclude)
      .slice(0, limit)
      .map((one) => ({ ...one, cosine: one.score }));
  });
  return (await Promise.all(nearest)).flat();
}

/**
 * The number of index cells to scan, if there is an index. Of the 30 nearest of 100,000 vectors it missed none, in a fifth
 * of the time of a full scan (synthetic clusters, 384 dimensions).
 */
const PROBES = 40;

/** The rows of a result in its order, without excluded ones. */
function found(rows: ArrowTable, scoreOf: (row: number) => number, exclude: ReadonlySet<string>) {
  const columns = Object.keys(Row.shape).map((name) => [name, rows.getChild(name)] as const);
  const [ids, languages] = [rows.getChild("id"), rows.getChild("language")];
  return Array.from({ length: rows.numRows }, (_, row) => ({
    row,
    id: String(ids?.get(row)),
    language: Language.parse(languages?.get(row)),
    score: scoreOf(row),
    passage: () => intact(Row.parse(Object.fromEntries(columns.map(([name, column]) => [name, column?.get(row)])))),
  })).filter(({ id }) => !exclude.has(id));
}

/** Returns the passages that meet the conditions, without damaged ones. */
export async function select(table: Table, where: string, filter: Filter = []): Promise<Passage[]> {
  if (!(await canMeet(table, filter))) return [];
  const rows = await table
    .query()
    .where(filter.length > 0 ? `${where} AND ${meetsFilter(filter)}` : where)
    .select(await columnsOf(table))
    .toArray();
  return z.array(Row).parse(rows).flatMap(intact);
}

/** A passage as it stands in the table: metadata is a list; it and the checksum are missing if an older version stored it. */
const Row = Passage.extend({
  checksum: z.string().nullish(),
  metadata: z.preprocess(
    (pairs: Iterable<string> | null | undefined) => pairs && fromPairs(pairs),
    Metadata.nullish().transform((metadata) => metadata ?? undefined),
  ),
});

/** Returns the passage of a row, or nothing if its words are not those that were stored. */
function intact({ checksum, ...passage }: z.infer<typeof Row>): Passage[] {
  return checksum && checksum !== checksumOf(passage) ? [] : [passage];
}

/** Computes the checksum of all that an answer may quote or cite of a passage: CRC-32, which finds every flipped bit. */
export function checksumOf({ id, documentId, title, uri, section, text, reviewedAt }: Passage): string {
  // The store gives a text that begins with a byte order mark back without it.
  const words = [id, documentId, title, uri, section, text, reviewedAt].map((one) => one.replace(/^\uFEFF+/, ""));
  return crc32(words.join("\0")).toString(36);
}

/** The columns of a passage that the table has. */
async function columnsOf(table: Table): Promise<string[]> {
  const { fields } = await table.schema();
  return fields.map(({ name }) => name).filter((name) => name in Row.shape);
}

/** Finds the documents that may not always hold, without reading all others. */
export async function headsOf(table: Table): Promise<DocumentHead[]> {
  const columns = (await columnsOf(table)).filter((name) => name in Head.shape);
  const states = columns.includes("metadata") ? `regexp_like(array_to_string(metadata, '\n'), '${STATES}')` : "false";
  const found = async (where: string) =>
    z.array(Head).parse(await table.query().where(`position = 0 AND (${where})`).select(columns).toArray());
  const heads = await found(`regexp_like("documentId", '${VERSION_OR_DATE}') OR ${states}`);
  const superseded = heads.flatMap(({ metadata }) => valuesOf(metadata, "supersedes"));
  const names = [...new Set(superseded.map((name) => posix.basename(name.replaceAll("\\", "/"))))];
  for (let start = 0; start < names.length; start += NAMED_AT_ONCE) {
    const some = names.slice(start, start + NAMED_AT_ONCE);
    heads.push(...(await found(some.map((name) => `ends_with("documentId", ${quoted(name)})`).join(" OR "))));
  }
  return [...new Map(heads.map((head) => [head.documentId, head])).values()];
}

const Head = Row.pick({ documentId: true, title: true, metadata: true });
const STATES = "(^|\n)(supersedes|valid_from|valid_until)=";
/** Finds more than `validityOf` takes for a version. */
const VERSION_OR_DATE = "(?i)(v[0-9]|[0-9]版|(19|20)[0-9][0-9])[^/]*$";
const NAMED_AT_ONCE = 100;

/** Lists the documents by id, with their hash and number of passages. */
export async function listDocuments(table: Table): Promise<{ documentId: string; hash: string; passages: number }[]> {
  // Reads columns: an object for every passage takes three times as long.
  const rows = await table.query().select(["documentId", "hash"]).toArrow();
  const [ids, hashes] = [rows.getChild("documentId"), rows.getChild("hash")];
  const documents = new Map<string, { documentId: string; hash: string; passages: number }>();
  for (let i = 0; i < rows.numRows; i++) {
    const documentId = String(ids?.get(i));
    const known = documents.get(documentId);
    if (known) known.passages++;
    else documents.set(documentId, { documentId, hash: String(hashes?.get(i)), passages: 1 });
  }
  return [...documents.values()].sort((a, b) => (a.documentId < b.documentId ? -1 : 1));
}
