import { sentences } from "../../../language/sentences.js";
import { nameTokens, nameWords } from "../../knowledge/name-tokens.js";
import { namesIn } from "../../knowledge/names.js";
import type { Neo4jConnection, RunInside, RunOptions } from "../../store/neo4j/connection.js";
import { asRow } from "../../store/neo4j/values.js";
import { inBatches } from "./write.js";

/**
 * Links every stored passage to the entities that its text names, and removes stale links. Call it after the graph has
 * changed; `upsert` links new passages itself. Returns the number of links.
 * @throws StoreUnavailableError if the server cannot be reached or written.
 */
export async function linkMentions(
  connection: Neo4jConnection,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const entitiesIn = await entityFinder(connection, { signal });
  let links = 0;
  let after = "";
  while (true) {
    const passages = (await connection.read(PAGE, { after }, { signal })).map(asRow);
    const rows = passages.map(({ id, text }) => ({ id: String(id), entities: entitiesIn?.(String(text)) ?? [] }));
    const last = rows.at(-1);
    if (!last) return links;
    await connection.change((run) => storeMentions(run, rows), { signal });
    links += rows.reduce((sum, { entities }) => sum + entities.length, 0);
    after = last.id;
  }
}

const PAGE = `MATCH (p:EmendPassage) WHERE p.id > $after
  RETURN p.id AS id, p.text AS text ORDER BY p.id LIMIT 500`;

/** Gives passages exactly these links, inside a transaction. Skips entities that no longer exist. */
export async function storeMentions(run: RunInside, mentions: readonly { id: string; entities: string[] }[]) {
  await inBatches(mentions, async (rows) => {
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
  });
}

/**
 * Returns a function that finds the keys of the entities that a text names, sorted; undefined if there are no entities.
 * Knows at most 200,000 names.
 */
export async function entityFinder(
  connection: Neo4jConnection,
  options: RunOptions,
): Promise<((text: string) => string[]) | undefined> {
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
  const entities = Map.groupBy(records, (record) => String(record.get("name")));
  // A bare number is a value, and occurs everywhere.
  const names = [...entities.keys()].filter((name) => /\p{L}/u.test(name));
  const byFirstWord = Map.groupBy(
    names.map((name) => ({ name, words: nameWords(name) })),
    ({ words }) => words[0] ?? "",
  );
  const namedIn = (sentence: string) => {
    const tokens = nameTokens(sentence).map(({ text }) => text);
    const candidates = tokens.flatMap((first, at) =>
      (byFirstWord.get(first) ?? []).filter(({ words }) => words.every((word, i) => tokens[at + i] === word)),
    );
    // The words alone do not make a name: `namesIn` checks their context.
    return candidates.length > 0
      ? namesIn(
          sentence,
          candidates.map(({ name }) => name),
        )
      : [];
  };
  return (text) => {
    const found = sentences(text).flatMap(({ start, end }) => namedIn(text.slice(start, end)));
    const keys = found.flatMap((name) => entities.get(name) ?? []).map((record) => String(record.get("entity")));
    return [...new Set(keys)].sort();
  };
}

const MOST_NAMES = 200_000;
