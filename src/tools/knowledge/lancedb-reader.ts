import { MatchQuery, type Table } from "@lancedb/lancedb";
import { z } from "zod";
import { isOneOf } from "../lancedb/table-folder.js";
import { idOfSource } from "./lancedb-rows.js";
import { gramsOfTyped } from "./name-grams.js";
import type { Fact } from "./port.js";
import type { FactKey, StoredTriple, TripleReader } from "./triples.js";

/**
 * Reads triples of one version of the table, by its indexes and never all of it.
 * @param patterns all patterns that its triples have.
 */
export function lanceReader(table: Table, patterns: () => Promise<readonly Pattern[]>): TripleReader {
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

    async about(subjects, objects, { most, asked }) {
      const wanted = async () => (await patterns()).filter(({ predicate }) => asked(predicate)).map(({ text }) => text);
      const [out, into] = await Promise.all([
        side(table, "subjectKey", subjects, most, wanted),
        side(table, "objectKey", objects, most, wanted),
      ]);
      const cut = out.cut.union(into.cut);
      // Of what was cut, what relates one of the named to another must not be missing.
      const between =
        cut.size === 0 || subjects.length === 0 || objects.length === 0
          ? []
          : await textsOf("triple", `${isOneOf("subjectKey", subjects)} AND ${isOneOf("objectKey", objects)}`, most);
      const found = new Set([...out.triples, ...into.triples, ...between]);
      return { triples: [...found].map(parsed), cut };
    },

    async whole(facts) {
      const read = new Map<Fact["direction"], StoredTriple[] | undefined>();
      for (const direction of ["out", "in"] as const) {
        const some = facts.filter((fact) => fact.direction === direction);
        read.set(direction, some.length > 0 ? await together(table, some) : []);
      }
      return Promise.all(
        facts.map((fact) => {
          const triples = read.get(fact.direction)?.filter((triple) => isOf(fact, triple));
          return triples ? { triples, keys: otherKeys(fact, triples) } : alone(table, fact);
        }),
      );
    },

    async sources(ids) {
      const found = await inParts(ids, (some) => textsOf("source", isOneOf("id", some.map(idOfSource))));
      return found.flat().map((text) => SOURCE.parse(JSON.parse(text)));
    },
  };
}

/** The triples at one end. Where keys have very many together, each is read by itself. */
async function side(
  table: Table,
  column: "subjectKey" | "objectKey",
  keys: readonly string[],
  most: number,
  wanted: () => Promise<readonly string[]>,
) {
  if (keys.length === 0) return { triples: [], cut: new Set<string>() };
  const together = await texts(table, "triple", isOneOf(column, keys), 2 * most);
  if (together.length < 2 * most) return { triples: together, cut: new Set<string>() };
  const patterns = await wanted();
  const each = await Promise.all(keys.map((key) => some(table, isOneOf(column, [key]), most, patterns)));
  const cut = keys.filter((_, i) => each[i]?.isCut);
  return { triples: each.flatMap(({ triples }) => triples), cut: new Set(cut) };
}

/**
 * Of very many triples some, and of other sources than these, and of the relations that are asked for: a hundred thousand
 * of one must not hide the single one of another.
 */
async function some(table: Table, where: string, most: number, patterns: readonly string[]) {
  const triples = await texts(table, "triple", where, most);
  if (triples.length < most) return { triples, isCut: false };
  const sources = new Set(triples.map((text) => parsed(text).sourceId));
  const [others = [], asked = []] = await Promise.all([
    sources.size < FEW_SOURCES
      ? texts(table, "triple", `${where} AND NOT (${isOneOf("sourceId", sources)})`, most)
      : [],
    patterns.length > 0 ? texts(table, "triple", `${where} AND ${isOneOf("patternOf", patterns)}`, most) : [],
  ]);
  return { triples: [...triples, ...others, ...asked], isCut: true };
}

/** All triples of several facts, with others among them; undefined where they are too many. */
async function together(table: Table, facts: readonly FactKey[]): Promise<StoredTriple[] | undefined> {
  const own = isOneOf(
    ownColumn(facts[0]?.direction ?? "out"),
    facts.flatMap(({ keys }) => keys),
  );
  const sources = facts.map(({ sourceId }) => sourceId);
  const triples = await texts(table, "triple", `${own} AND ${isOneOf("sourceId", sources)}`, SEVERAL_HUNDRED);
  return triples.length < SEVERAL_HUNDRED ? triples.map(parsed) : undefined;
}

/** A fact with very many at its other end: all of these are counted, and some triples read. */
async function alone(table: Table, fact: FactKey) {
  const { keys, direction, predicate, sourceId } = fact;
  const conditions = [isOneOf(ownColumn(direction), keys), isOneOf("predicate", [predicate])];
  const where = [...conditions, isOneOf("sourceId", [sourceId])].join(" AND ");
  const triples = (await texts(table, "triple", where, SEVERAL_HUNDRED)).map(parsed);
  if (triples.length < SEVERAL_HUNDRED) return { triples, keys: otherKeys(fact, triples) };
  const others = new Set<string>();
  const column = ownColumn(direction === "out" ? "in" : "out");
  for await (const batch of table.query().where(where).select([column]))
    for (const key of batch.getChildAt(0) ?? []) others.add(String(key));
  return { triples, keys: others };
}

const ownColumn = (direction: Fact["direction"]) => (direction === "out" ? "subjectKey" : "objectKey");

const isOf = ({ keys, direction, predicate, sourceId }: FactKey, triple: StoredTriple) =>
  triple.sourceId === sourceId && triple.predicate === predicate && keys.includes(triple[ownColumn(direction)]);

const otherKeys = ({ direction }: FactKey, triples: readonly StoredTriple[]) =>
  new Set(triples.map((triple) => triple[ownColumn(direction === "out" ? "in" : "out")]));

async function aliasesOf(table: Table, keys: readonly string[]): Promise<(readonly [string, string])[]> {
  const where = `${isOneOf("aliasOf", keys)} OR ${isOneOf("alias", keys)}`;
  const rows = await table.query().where(where).select(["aliasOf", "alias"]).toArray();
  return z
    .array(ALIAS)
    .parse(rows)
    .map(({ aliasOf, alias }) => [aliasOf, alias]);
}

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

/** The types of both ends of triples, and their relation. */
export interface Pattern {
  from: string;
  predicate: string;
  to: string;
  /** As it is stored. */
  text: string;
}

export async function readPatterns(table: Table): Promise<Pattern[]> {
  return (await texts(table, "pattern", "pattern IS NOT NULL")).map((text) => {
    const [from, predicate, to] = PATTERN.parse(JSON.parse(text));
    return { from, predicate, to, text };
  });
}

/** Names of which one is meant, best first by the letters they share. */
const NEAR = 100;
const SEVERAL_HUNDRED = 500;
const FEW_SOURCES = 20;
const IN_ONE = 2_000;

const NAME = z.object({ name: z.string() });
const PATTERN = z.tuple([z.string(), z.string(), z.string()]);
const ALIAS = z.object({ aliasOf: z.string(), alias: z.string() });
const TRIPLE = z.object({
  sourceId: z.string(),
  subject: z.string(),
  subjectKey: z.string(),
  subjectType: z.string(),
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
