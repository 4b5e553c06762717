import { sentences } from "../../../language/sentences.js";
import { nameTokens, nameWords } from "../../knowledge/name-tokens.js";
import { namesIn } from "../../knowledge/names.js";
import type { Neo4jConnection, RunInside, RunOptions } from "../../store/neo4j/connection.js";
import { asRow } from "../../store/neo4j/values.js";

/** A passage and the keys of the entities that its text names. */
export interface Mentions {
  id: string;
  entities: readonly string[];
}

/** Finds the entities that texts name. */
export interface NamedEntities {
  in(text: string): string[];
}

/**
 * Links every stored passage to the entities that its text names, and takes away the links that no longer hold. To be
 * called when the graph has changed; what is upserted later is linked as it is written. Returns how many links there are.
 * @throws StoreUnavailableError when the server cannot be reached or written.
 */
export async function linkMentions(
  connection: Neo4jConnection,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const named = await namedEntities(connection, { signal });
  let links = 0;
  let after = "";
  while (true) {
    const passages = (await connection.read(PAGE, { after }, { signal })).map(asRow);
    const rows = passages.map(({ id, text }) => ({ id: String(id), entities: named?.in(String(text)) ?? [] }));
    const last = rows.at(-1);
    if (!last) return links;
    await connection.change((run) => storeMentions(run, rows), { signal });
    links += rows.reduce((sum, { entities }) => sum + entities.length, 0);
    after = last.id;
  }
}

const PAGE = `MATCH (p:EmendPassage) WHERE p.id > $after
  RETURN p.id AS id, p.text AS text ORDER BY p.id LIMIT 500`;

/** Gives passages exactly these links, inside a transaction. Entities that are gone meanwhile are left out. */
export async function storeMentions(run: RunInside, mentions: readonly Mentions[]): Promise<void> {
  for (let i = 0; i < mentions.length; i += BATCH) {
    const rows = mentions.slice(i, i + BATCH).map(({ id, entities }) => ({ id, entities: [...entities] }));
    await run(
      `UNWIND $rows AS row MATCH (:EmendPassage {id: row.id})-[old:EMEND_MENTIONS]->(e)
       WHERE NOT coalesce(e.key, '') IN row.entities DELETE old`,
      { rows },
    );
    await run(
      `UNWIND $rows AS row MATCH (p:EmendPassage {id: row.id})
       UNWIND row.entities AS key MATCH (e:EmendEntity {key: key}) MERGE (p)-[:EMEND_MENTIONS]->(e)`,
      { rows },
    );
  }
}

const BATCH = 500;

/** The entities there are, at most 200,000 names of them; undefined where there is none. */
export async function namedEntities(
  connection: Neo4jConnection,
  options: RunOptions,
): Promise<NamedEntities | undefined> {
  const records = await connection.read(
    `CALL {
       MATCH (e:EmendEntity) RETURN e.key AS name, e.key AS entity
       UNION ALL
       MATCH (a:EmendAlias)-[:EMEND_NAMES]->(e:EmendEntity) RETURN a.key AS name, e.key AS entity
     }
     WITH name, entity WHERE name IS NOT NULL RETURN name, entity LIMIT ${MOST_NAMES}`,
    {},
    { timeout: 60_000, ...options },
  );
  if (records.length === 0) return undefined;
  const entities = new Map<string, string[]>();
  const byFirst = new Map<string, { name: string; words: string[] }[]>();
  for (const record of records) {
    const name = String(record.get("name"));
    const known = entities.get(name);
    if (known) known.push(String(record.get("entity")));
    else {
      entities.set(name, [String(record.get("entity"))]);
      const words = nameWords(name);
      const [first = ""] = words;
      // A bare number is the value of something, and stands everywhere.
      if (!/\p{L}/u.test(name)) continue;
      const beginning = byFirst.get(first);
      if (beginning) beginning.push({ name, words });
      else byFirst.set(first, [{ name, words }]);
    }
  }
  return {
    in(text) {
      const found = sentences(text).flatMap(({ start, end }) => {
        const sentence = text.slice(start, end);
        const tokens = nameTokens(sentence).map((token) => token.text);
        const standing = tokens.flatMap((first, at) =>
          (byFirst.get(first) ?? []).filter(({ words }) => words.every((word, i) => tokens[at + i] === word)),
        );
        // Where the words stand in a row, whether they are the name there is another question.
        return standing.length === 0
          ? []
          : namesIn(
              sentence,
              standing.map(({ name }) => name),
            );
      });
      return [...new Set(found.flatMap((name) => entities.get(name) ?? []))].sort();
    },
  };
}

const MOST_NAMES = 200_000;
