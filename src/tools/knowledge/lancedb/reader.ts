import { MatchQuery, type Table } from "@lancedb/lancedb";
import { z } from "zod";
import { isOneOf } from "../../store/lancedb/table-folder.js";
import { gramsOfTyped } from "../misspelling.js";
import type { TripleReader } from "../triples.js";
import { idOfSource } from "./rows.js";

/**
 * Reads triples of one version of the table, by its indexes and never all of it.
 * @param patternsOf all patterns that its triples have.
 */
export function lanceReader(table: Table, patternsOf: () => Promise<readonly Pattern[]>): TripleReader {
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
      const sides = [
        { column: "subjectKey", keys: subjects },
        { column: "objectKey", keys: objects },
      ].filter(({ keys }) => keys.length > 0);
      const read = await Promise.all(
        sides.map(async ({ column, keys }) => ({
          column,
          keys,
          texts: await textsOf("triple", isOneOf(column, keys), most),
        })),
      );
      const cut = read.filter(({ texts }) => texts.length >= most);
      const patterns = cut.length > 0 ? (await patternsOf()).filter(({ predicate }) => asked(predicate)) : [];
      const isAsked = isOneOf(
        "patternOf",
        patterns.map(({ text }) => text),
      );
      const more = await Promise.all(
        cut.flatMap(({ column, keys }) => [
          // What thousands are said of must not hide the others that are named, nor what is asked, nor what is between two.
          ...keys.map((key) => textsOf("triple", isOneOf(column, [key]), Math.ceil(most / keys.length))),
          patterns.length > 0 ? textsOf("triple", `${isOneOf(column, keys)} AND ${isAsked}`, most) : [],
          textsOf("triple", `${isOneOf("subjectKey", subjects)} AND ${isOneOf("objectKey", objects)}`, most),
        ]),
      );
      const found = new Set([...read.flatMap(({ texts }) => texts), ...more.flat()]);
      return { triples: [...found].map((text) => TRIPLE.parse(JSON.parse(text))), isCut: cut.length > 0 };
    },

    async others({ keys, direction, predicate, sourceId }) {
      const [own, other] = direction === "out" ? ["subjectKey", "objectKey"] : ["objectKey", "subjectKey"];
      const where = [isOneOf(own, keys), isOneOf("predicate", [predicate]), isOneOf("sourceId", [sourceId])].join(
        " AND ",
      );
      return new Set(await textsOf(other, where));
    },

    async sources(ids) {
      const found = await inParts(ids, (some) => textsOf("source", isOneOf("id", some.map(idOfSource))));
      return found.flat().map((text) => SOURCE.parse(JSON.parse(text)));
    },
  };
}

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
