import { MatchQuery, type Table } from "@lancedb/lancedb";
import { z } from "zod";
import { isOneOf } from "../lancedb/table-folder.js";
import { idOfSource } from "./lancedb-rows.js";
import { gramsOfTyped } from "./name-grams.js";
import type { CutFact, StoredTriple, TripleReader } from "./triples.js";

/** Reads triples of one version of the table, by its indexes and never all of it. */
export function lanceReader(table: Table): TripleReader {
  const textsOf = (column: string, where: string, limit?: number) => texts(table, column, where, limit);

  return {
    known: async (keys) => (await inParts(keys, (some) => textsOf("name", isOneOf("name", some)))).flat(),

    async near(key) {
      const grams = gramsOfTyped(key);
      if (grams.length === 0) return [];
      const rows = await table
        .query()
        .fullTextSearch(new MatchQuery(grams.join(" "), "grams"))
        .select(["name", "_score"])
        .limit(NEAR)
        .toArray();
      return z
        .array(NAME)
        .parse(rows)
        .map(({ name }) => name);
    },

    aliases: async (keys) => (await inParts(keys, (some) => aliasesOf(table, some))).flat(),

    async about(subjects, objects) {
      const sides = await Promise.all([side(table, "subjectKey", subjects), side(table, "objectKey", objects)]);
      const cut = sides[0].cut.union(sides[1].cut);
      // Of what was cut, what relates one of the named to another must not be missing.
      const between =
        cut.size === 0 || subjects.length === 0 || objects.length === 0
          ? []
          : await textsOf("triple", `${isOneOf("subjectKey", subjects)} AND ${isOneOf("objectKey", objects)}`, OF_ONE);
      const found = new Set([...sides[0].triples, ...sides[1].triples, ...between]);
      return { triples: [...found].map(parsed), cut };
    },

    async all(fact) {
      const where = whereOf(fact);
      const triples = await textsOf("triple", where, OF_ONE);
      if (triples.length < OF_ONE) return { triples: triples.map(parsed), keys: otherKeys(fact, triples.map(parsed)) };
      const keys = new Set<string>();
      const column = fact.direction === "out" ? "objectKey" : "subjectKey";
      for await (const batch of table.query().where(where).select([column]))
        for (const key of batch.getChildAt(0) ?? []) keys.add(String(key));
      return { triples: triples.map(parsed), keys };
    },

    async sources(ids) {
      const found = await inParts(ids, (some) => textsOf("source", isOneOf("id", some.map(idOfSource))));
      return found.flat().map((text) => SOURCE.parse(JSON.parse(text)));
    },
  };
}

/** The triples at one end. Where keys have very many together, each is read by itself. */
async function side(table: Table, column: "subjectKey" | "objectKey", keys: readonly string[]) {
  if (keys.length === 0) return { triples: [], cut: new Set<string>() };
  const together = await texts(table, "triple", isOneOf(column, keys), TOGETHER);
  if (together.length < TOGETHER) return { triples: together, cut: new Set<string>() };
  const each = await Promise.all(keys.map((key) => ofEachRelation(table, isOneOf(column, [key]))));
  const cut = keys.filter((_, i) => each[i]?.isCut);
  return { triples: each.flatMap(({ triples }) => triples), cut: new Set(cut) };
}

/** Some of each relation, so that a hundred thousand of one do not hide the single one of another. */
async function ofEachRelation(table: Table, where: string): Promise<{ triples: string[]; isCut: boolean }> {
  const triples = await texts(table, "triple", where, OF_ONE);
  if (triples.length < OF_ONE) return { triples, isCut: false };
  const relations = new Set(triples.map((text) => parsed(text).predicate));
  for (let round = 0; round < MOST_RELATIONS; round++) {
    const more = await texts(table, "triple", `${where} AND NOT (${isOneOf("predicate", relations)})`, OF_ONE);
    triples.push(...more);
    for (const text of more) relations.add(parsed(text).predicate);
    if (more.length < OF_ONE) break;
  }
  return { triples, isCut: true };
}

/** A name may be told with its alias in very many sources: what is known already is left out of the next turn. */
async function aliasesOf(table: Table, keys: readonly string[]): Promise<(readonly [string, string])[]> {
  const pairs = new Map<string, readonly [string, string]>();
  const where = `(${isOneOf("aliasOf", keys)} OR ${isOneOf("alias", keys)})`;
  for (;;) {
    const known = new Set([...pairs.values()].flat());
    const fresh = pairs.size === 0 ? "" : ` AND NOT (${isOneOf("aliasOf", known)} AND ${isOneOf("alias", known)})`;
    const rows = await table.query().where(`${where}${fresh}`).select(["aliasOf", "alias"]).limit(TOGETHER).toArray();
    for (const { aliasOf, alias } of z.array(ALIAS).parse(rows))
      pairs.set(JSON.stringify([aliasOf, alias]), [aliasOf, alias]);
    if (rows.length < TOGETHER) return [...pairs.values()];
  }
}

const whereOf = ({ keys, direction, predicate, sourceId }: CutFact) =>
  [
    isOneOf(direction === "out" ? "subjectKey" : "objectKey", keys),
    isOneOf("predicate", [predicate]),
    isOneOf("sourceId", [sourceId]),
  ].join(" AND ");

const otherKeys = ({ direction }: CutFact, triples: readonly StoredTriple[]) =>
  new Set(triples.map(({ subjectKey, objectKey }) => (direction === "out" ? objectKey : subjectKey)));

async function texts(table: Table, column: string, where: string, limit?: number): Promise<string[]> {
  const query = table.query().where(where).select([column]);
  const rows = await (limit === undefined ? query : query.limit(limit)).toArrow();
  return [...(rows.getChildAt(0) ?? [])].map(String);
}

async function inParts<T>(values: readonly string[], read: (some: readonly string[]) => Promise<T>): Promise<T[]> {
  const parts = Array.from({ length: Math.ceil(values.length / IN_ONE) }, (_, i) =>
    values.slice(i * IN_ONE, (i + 1) * IN_ONE),
  );
  return Promise.all(parts.map(read));
}

const parsed = (text: string): StoredTriple => TRIPLE.parse(JSON.parse(text));

/** Names of which one is meant, best first by the letters they share. */
const NEAR = 100;
/** Of several entities together, and of one that has more. */
const TOGETHER = 2_000;
const OF_ONE = 500;
const MOST_RELATIONS = 10;
const IN_ONE = 2_000;

const NAME = z.object({ name: z.string() });
const ALIAS = z.object({ aliasOf: z.string(), alias: z.string() });
const TRIPLE = z.object({
  sourceId: z.string(),
  subject: z.string(),
  subjectKey: z.string(),
  predicate: z.string(),
  object: z.string(),
  objectKey: z.string(),
  objectType: z.string(),
  quote: z.string(),
});
const SOURCE = z.object({
  id: z.string(),
  documentId: z.string(),
  title: z.string(),
  uri: z.string(),
  section: z.string(),
  reviewedAt: z.string(),
  hash: z.string(),
});
