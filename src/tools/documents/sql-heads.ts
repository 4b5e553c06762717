import { Metadata, valuesOf } from "../../types/metadata.js";
import { metadataIn } from "../store/metadata.js";
import type { Database, Row } from "../store/port.js";
import type { DocumentHead } from "./port.js";
import { lastPart } from "./sql-rows.js";

/** Finds the documents that may not always hold, without reading all others. */
export async function headsOf(database: Database): Promise<DocumentHead[]> {
  const { isOneOf } = database.dialect;
  const select = `SELECT d.id, p.title, s.pairs FROM emend.documents d
    JOIN emend.passages p ON p.document = d.n AND p.position = 0 LEFT JOIN emend.stated s ON s.n = p.stated`;
  const [dated = [], stating = []] = await database.read([
    { sql: `${select} WHERE d.dated = 1` },
    {
      sql: `${select} WHERE p.stated IN (SELECT stated FROM emend.pairs WHERE ${isOneOf("key", "$1")})`,
      values: [["supersedes", "valid_from", "valid_until"]],
    },
  ]);
  const heads = [...dated, ...stating].map(headIn);
  const names = heads.flatMap(({ metadata }) => valuesOf(metadata, "supersedes").map(lastPart));
  if (names.length > 0) {
    const [superseded = []] = await database.read([
      { sql: `${select} WHERE ${isOneOf("d.name", "$1")}`, values: [[...new Set(names)]] },
    ]);
    heads.push(...superseded.map(headIn));
  }
  return [...new Map(heads.map((head) => [head.documentId, head])).values()];
}

const headIn = ({ id, title, pairs }: Row): DocumentHead => {
  const { metadata } = metadataIn(pairs);
  return { documentId: `${id}`, title: `${title}`, metadata: metadata && Metadata.parse(metadata) };
};
