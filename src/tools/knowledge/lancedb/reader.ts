import { MatchQuery, type Table } from "@lancedb/lancedb";
import { z } from "zod";
import type { Filter } from "../../../types/filter.js";
import { Metadata } from "../../../types/metadata.js";
import { inParts, isOneOf, meetsFilter } from "../../store/lancedb/sql.js";
import { gramsOfTyped } from "../misspelling.js";
import { StoredTriple, type TripleReader } from "../triples.js";
import { rowId } from "./rows.js";

/**
 * Reads triples of one version of the table, through its indexes and never the whole table.
 * @param patternsOf all patterns that its triples have.
 * @param filter only triples and aliases of sources that meet it.
 */
export function lanceReader(
  table: Table,
  patternsOf: () => Promise<readonly Pattern[]>,
  filter: Filter = [],
): TripleReader {
  const met = (where: string) => (filter.length > 0 ? `(${where}) AND ${meetsFilter(filter)}` : where);
  const textsOf = (column: string, where: string, limit?: number) => texts(table, column, met(where), limit);
  /** Of the rows that sources share, which belong to none. */
  const shared = (column: string, values: readonly string[]) =>
    eachPart(values, (some) => texts(table, column, isOneOf(column, some)));

  return {
    known: (keys) => shared("name", keys),

    async near(key) {
      const grams = gramsOfTyped(key);
      if (grams.length === 0) return [];
      const search = table.query().fullTextSearch(new MatchQuery(grams.join(" "), "grams"));
      const rows = await search.select(["name", "_score"]).limit(NEAR).toArray();
      return rows.map((row) => NAME.parse(row).name);
    },

    aliases: (keys) =>
      eachPart(keys, async (some) => {
        const where = `${isOneOf("aliasOf", some)} OR ${isOneOf("alias", some)}`;
        const rows = await table.query().where(where).select(["aliasOf", "alias"]).toArray();
        const pairs = rows.map((row) => ALIAS.parse(row)).map(({ aliasOf, alias }) => [aliasOf, alias] as const);
        if (filter.length === 0) return pairs;
        const told = new Set(await eachPart(pairs.map(asTold), (few) => textsOf("told", isOneOf("told", few))));
        return pairs.filter((pair) => told.has(asTold(pair)));
      }),

    async about(subjects, objects, { most, asked }) {
      const sides = [
        { column: "subjectKey", keys: subjects },
        { column: "objectKey", keys: objects },
      ].filter(({ keys }) => keys.length > 0);
      const read = await Promise.all(
        sides.map(async (side) => ({ ...side, texts: await textsOf("triple", isOneOf(side.column, side.keys), most) })),
      );
      const cut = read.filter(({ texts }) => texts.length >= most);
      const patterns = cut.length > 0 ? (await patternsOf()).filter(({ predicate }) => asked(predicate)) : [];
      const isAsked = isOneOf(
        "patternOf",
        patterns.map(({ text }) => text),
      );
      const more = await Promise.all(
        cut.flatMap(({ column, keys }) => [
          // An entity with thousands of triples must not hide other entities, the relations asked for, or what connects two.
          ...keys.map((key) => textsOf("triple", isOneOf(column, [key]), Math.ceil(most / keys.length))),
          patterns.length > 0 ? textsOf("triple", `${isOneOf(column, keys)} AND ${isAsked}`, most) : [],
          textsOf("triple", `${isOneOf("subjectKey", subjects)} AND ${isOneOf("objectKey", objects)}`, most),
        ]),
      );
      const found = new Set([...read.flatMap(({ texts }) => texts), ...more.flat()]);
      return { triples: [...found].map((text) => StoredTriple.parse(JSON.parse(text))), isCut: cut.length > 0 };
    },

    async others({ keys, direction, predicate, whole }) {
      const [own, other] = direction === "out" ? ["subjectKey", "objectKey"] : ["objectKey", "subjectKey"];
      const ofWhole = `(${isOneOf("sourceId", [whole])} OR starts_with("sourceId", '${whole.replaceAll("'", "''")}#'))`;
      const where = [isOneOf(own, keys), isOneOf("predicate", [predicate]), ofWhole];
      return new Set(await textsOf(other, where.join(" AND ")));
    },

    async sources(ids) {
      const rowIds = ids.map((id) => rowId("source", id));
      const found = await eachPart(rowIds, (some) => textsOf("source", isOneOf("id", some)));
      return found.map((text) => SOURCE.parse(JSON.parse(text)));
    },
  };
}

async function texts(table: Table, column: string, where: string, limit?: number): Promise<string[]> {
  const query = table.query().where(where).select([column]);
  const rows = await (limit === undefined ? query : query.limit(limit)).toArrow();
  return [...(rows.getChildAt(0) ?? [])].map(String);
}

const eachPart = async <T>(values: readonly string[], read: (some: readonly string[]) => Promise<T[]>): Promise<T[]> =>
  (await Promise.all(inParts(values).map(read))).flat();

const asTold = (pair: readonly [string, string]) => JSON.stringify(pair);

/** The types of both ends of triples, and their relation. */
export interface Pattern {
  from: string;
  predicate: string;
  to: string;
  /** The pattern as it is stored. */
  text: string;
}

export async function readPatterns(table: Table): Promise<Pattern[]> {
  return (await texts(table, "pattern", "pattern IS NOT NULL")).map((text) => {
    const [from, predicate, to] = PATTERN.parse(JSON.parse(text));
    return { from, predicate, to, text };
  });
}

/** Lists the stored sources, sorted by id. */
export async function readSources(table: Table) {
  const rows = await table.query().where("source IS NOT NULL").select(["source", "triples"]).toArray();
  return rows
    .map((row) => {
      const { source, triples } = LISTED.parse(row);
      const { id, documentId, hash } = SOURCE.parse(JSON.parse(source));
      return { id, documentId, hash, triples };
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The most candidates for a misspelt name, best first by the letters they share. */
const NEAR = 100;

const NAME = z.object({ name: z.string() });
const PATTERN = z.tuple([z.string(), z.string(), z.string()]);
const ALIAS = z.object({ aliasOf: z.string(), alias: z.string() });
const LISTED = z.object({ source: z.string(), triples: z.number() });
const SOURCE = z.object({
  id: z.string(),
  documentId: z.string(),
  title: z.string(),
  uri: z.string(),
  section: z.string(),
  reviewedAt: z.string(),
  hash: z.string(),
  metadata: Metadata.optional(),
});
