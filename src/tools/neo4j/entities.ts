import type { GraphRow } from "../../types/knowledge.js";
import { keyGroups, normaliseName } from "../knowledge/names.js";
import type { RunInside } from "./connection.js";

/** One entity as a source describes it. */
export interface EntityNames {
  /** The name used in the relation, then its aliases. */
  names: readonly string[];
  types: readonly string[];
}

/** An entity as it is stored. */
interface Stored {
  /** The key of one of its names. */
  key: string;
  /** The display name: the longest name that a relation uses; aliases do not count. */
  name: string;
  names: string[];
}

/**
 * Creates new entities, adds names and types to known ones, and merges those that turn out to be the same. Returns a
 * function from a name to the key of its entity.
 */
export async function joinEntities(run: RunInside, given: readonly EntityNames[]): Promise<(name: string) => string> {
  const groups = keyGroups();
  for (const { names } of given) groups.join(names.map(normaliseName));
  const stored = await storedUnder(run, groups.keys());
  for (const [key, entity] of stored) groups.join([key, ...entity.names.map(normaliseName), entity.key]);

  const wanted = new Map<string, Stored & { types: Set<string>; others: Set<string> }>();
  const entityOf = (key: string) => {
    const root = groups.rootOf(key);
    const entity = wanted.get(root) ?? { key, name: "", names: [], types: new Set(), others: new Set() };
    wanted.set(root, entity);
    return entity;
  };
  for (const entity of new Map([...stored.values()].map((one) => [one.key, one])).values()) {
    const one = entityOf(entity.key);
    if (one.names.length > 0) one.others.add(entity.key);
    else one.key = entity.key;
    one.names.push(...entity.names);
    one.name = longer(one.name, entity.name);
  }
  for (const { names, types } of given) {
    const one = entityOf(normaliseName(names[0] ?? ""));
    one.names.push(...names);
    one.name = longer(one.name, names[0] ?? "");
    for (const type of types) one.types.add(type);
  }
  for (const { key, others } of wanted.values())
    for (const other of others) {
      await moveRelations(run, other, key);
      await run("MATCH (e:EmendEntity {key: $key}) DETACH DELETE e", { key: other });
    }
  await save(run, [...wanted.values()]);
  return (name) => wanted.get(groups.rootOf(normaliseName(name)))?.key ?? normaliseName(name);
}

/**
 * Updates entities after sources that named them were removed. Each keeps the names that sources still use. It is split
 * into several entities if no source says any more that its names mean the same entity.
 */
export async function regroup(run: RunInside, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    const [row] = await run(
      `MATCH (e:EmendEntity {key: $key})
       RETURN [(e)<-[s:EMEND_SAYS]-() | s.names] AS said, [l IN labels(e) WHERE NOT l STARTS WITH 'Emend'] AS types,
         COLLECT { MATCH (e)-[r]->() WHERE r.subject IS NOT NULL RETURN DISTINCT r.subject } +
         COLLECT { MATCH (e)<-[r]-() WHERE r.object IS NOT NULL RETURN DISTINCT r.object } AS called`,
      { key },
    );
    if (!row) continue;
    const said: string[][] = row.get("said");
    const called: string[] = row.get("called");
    const types: string[] = row.get("types");
    const all = [...called.map((name) => [name]), ...said];
    const groups = keyGroups();
    for (const names of all) groups.join(names.map(normaliseName));
    const parts = Map.groupBy(all.flat(), (name) => groups.rootOf(normaliseName(name)));
    const shown = (names: readonly string[]) =>
      names.filter((name) => called.includes(name)).reduce(longer, "") || names.reduce(longer, "");
    // The part with the entity's own key keeps the node; if there is none, the first part does.
    const ordered = [...parts].sort(([a], [b]) => Number(groups.rootOf(key) === b) - Number(groups.rootOf(key) === a));
    await run("MATCH (alias:EmendAlias)-[:EMEND_NAMES]->(:EmendEntity {key: $key}) DETACH DELETE alias", { key });
    for (const [i, [, names]] of ordered.entries()) {
      const first = normaliseName(names[0] ?? "");
      if (i === 0) {
        const kept = names.some((name) => normaliseName(name) === key) ? key : first;
        await run("MATCH (e:EmendEntity {key: $key}) SET e.key = $kept, e.names = []", { key, kept });
        await save(run, [{ key: kept, name: shown(names), names, types: [] }]);
      } else {
        await save(run, [{ key: first, name: shown(names), names, types }]);
        const [from] = ordered[0]?.[1] ?? [];
        await moveRelations(run, await keyOf(run, from ?? ""), first, names);
      }
    }
  }
}

const keyOf = async (run: RunInside, name: string) =>
  [...(await storedUnder(run, [normaliseName(name)])).values()][0]?.key ?? normaliseName(name);

/** Returns the longer name, which is usually the full one. Of names with the same key, returns the first. */
const longer = (a: string, b: string) => {
  if (normaliseName(a) === normaliseName(b)) return a || b;
  return b.length > a.length || (b.length === a.length && b < a) ? b : a;
};

async function save(run: RunInside, entities: readonly (Stored & { types: Iterable<string> })[]): Promise<void> {
  const rows = entities.map(({ key, name, names, types }) => {
    const byKey = new Map<string, string>();
    for (const one of [name, ...names]) if (!byKey.has(normaliseName(one))) byKey.set(normaliseName(one), one);
    const aliases = [...byKey.keys()].filter((one) => one !== key);
    return { key, types: [...types], name, names: [...byKey.values()], aliases };
  });
  await inBatches(rows, (rows) =>
    run(
      `UNWIND $rows AS row MERGE (e:EmendEntity {key: row.key})
       SET e.name = row.name, e.names = row.names, e:$(row.types)`,
      { rows },
    ),
  );
  await inBatches(
    rows.filter(({ aliases }) => aliases.length > 0),
    (rows) =>
      run(
        `UNWIND $rows AS row MATCH (e:EmendEntity {key: row.key}) UNWIND row.aliases AS key
         MERGE (alias:EmendAlias {key: key}) MERGE (alias)-[:EMEND_NAMES]->(e)`,
        { rows },
      ),
  );
}

/** Finds the entities that are stored under these keys. */
async function storedUnder(run: RunInside, keys: readonly string[]): Promise<Map<string, Stored>> {
  const found = new Map<string, Stored>();
  await inBatches(keys, async (keys) => {
    const rows = await run(
      `UNWIND $keys AS key
       CALL (key) {
         MATCH (e:EmendEntity {key: key}) RETURN e
         UNION
         MATCH (:EmendAlias {key: key})-[:EMEND_NAMES]->(e:EmendEntity) RETURN e
       }
       RETURN key, e.key AS entity, e.name AS name, e.names AS names`,
      { keys },
    );
    for (const row of rows)
      found.set(row.get("key"), { key: row.get("entity"), name: row.get("name"), names: row.get("names") ?? [] });
  });
  return found;
}

/** Moves relations and aliases to another entity. If `names` are given, moves only theirs. */
async function moveRelations(run: RunInside, from: string, to: string, names: readonly string[] = []): Promise<void> {
  const parameters = { from, to, names: [...names] };
  const ends = [
    { name: "subject", old: "(a)-[r]->(other)", new: "(b)-[n:$(type(r))]->(other)" },
    { name: "object", old: "(a)<-[r]-(other)", new: "(b)<-[n:$(type(r))]-(other)" },
  ];
  for (const end of ends)
    await run(
      `MATCH (a:EmendEntity {key: $from}), (b:EmendEntity {key: $to}) MATCH ${end.old}
       WHERE NOT type(r) STARTS WITH 'EMEND_' AND r.source IS NOT NULL
         AND ($names = [] OR r.${end.name} IN $names)
       CREATE ${end.new} SET n = properties(r)
       WITH r, r.source AS source, elementId(r) AS old, elementId(n) AS new DELETE r
       WITH source, collect([old, new]) AS moved
       MATCH (s:EmendSource {id: source})
       SET s.relations = [id IN s.relations | coalesce(head([pair IN moved WHERE pair[0] = id | pair[1]]), id)]`,
      parameters,
    );
  await run(
    `MATCH (a:EmendEntity {key: $from}), (b:EmendEntity {key: $to}) MATCH (s)-[r:EMEND_SAYS]->(a)
     WHERE $names = [] OR any(name IN r.names WHERE name IN $names)
     MERGE (s)-[:EMEND_SAYS {names: r.names}]->(b) DELETE r`,
    parameters,
  );
  if (names.length > 0) return;
  await run(
    `MATCH (a:EmendEntity {key: $from}), (b:EmendEntity {key: $to}) MATCH (other)-[r:EMEND_NAMES]->(a)
     CREATE (other)-[:EMEND_NAMES]->(b) DELETE r`,
    parameters,
  );
}

/** Runs a query on a few thousand rows at a time, so that one message and one UNWIND do not contain a whole import. */
export async function inBatches<T extends string | GraphRow>(
  all: readonly T[],
  work: (batch: T[]) => Promise<unknown>,
): Promise<void> {
  for (let i = 0; i < all.length; i += BATCH) await work(all.slice(i, i + BATCH));
}

const BATCH = 5_000;
