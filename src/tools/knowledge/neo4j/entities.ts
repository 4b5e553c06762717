import type { GraphRow } from "../../../types/graph.js";
import type { RunInside } from "../../store/neo4j/connection.js";
import { normaliseName } from "../names.js";

/** Names that some source says are one thing's, the first as it was called there, and what it is. */
export interface EntityNames {
  names: readonly string[];
  types: readonly string[];
}

/** An entity as it is to be: `key` is the key of one of its names. */
interface Stored {
  key: string;
  /** What it is shown as: the longest of those it is called in a relation, and not only said to be called. */
  name: string;
  names: string[];
}

/**
 * Makes the entities that are not there yet, gives those that are their further names and types, and joins those that
 * turn out to be the same. Returns the key under which a name's entity is stored.
 */
export async function joinEntities(run: RunInside, given: readonly EntityNames[]): Promise<(name: string) => string> {
  const groups = joined(given.map(({ names }) => names.map(normaliseName)));
  const stored = await storedUnder(run, [...groups.keys()]);
  for (const [key, entity] of stored) groups.join(key, ...entity.names.map(normaliseName), entity.key);

  const wanted = new Map<string, Stored & { types: Set<string>; others: Set<string> }>();
  const entityOf = (key: string) => {
    const root = groups.rootOf(key);
    const known = wanted.get(root) ?? { key, name: "", names: [], types: new Set(), others: new Set() };
    wanted.set(root, known);
    return known;
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
  await save(
    run,
    [...wanted.values()].map(({ types, ...one }) => ({ ...one, types: [...types] })),
  );
  return (name) => wanted.get(groups.rootOf(normaliseName(name)))?.key ?? normaliseName(name);
}

/**
 * After sources went that gave these entities several names: each keeps the names that are still said, and what nobody
 * says to be the same any more comes apart again.
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
    const [said, called, types]: [string[][], string[], string[]] = [
      row.get("said"),
      row.get("called"),
      row.get("types"),
    ];
    const all = [...called.map((name) => [name]), ...said];
    const groups = joined(all.map((names) => names.map(normaliseName)));
    const parts = Map.groupBy(all.flat(), (name) => groups.rootOf(normaliseName(name)));
    const shown = (names: readonly string[]) =>
      names.filter((name) => called.includes(name)).reduce(longer, "") || names.reduce(longer, "");
    // The part that keeps the node is the one that is called as it is, or the first.
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

/** The longest of several names is the full one more often than not. Names with one key are as good as each other. */
const longer = (a: string, b: string) => {
  if (normaliseName(a) === normaliseName(b)) return a || b;
  return b.length > a.length || (b.length === a.length && b < a) ? b : a;
};

async function save(run: RunInside, entities: readonly (Stored & { types: readonly string[] })[]): Promise<void> {
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

/** Which of the keys are known, each with its entity. */
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

/** Hangs relations, mentions and what sources say of its names on another entity; of given names only theirs. */
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
    `MATCH (a:EmendEntity {key: $from}), (b:EmendEntity {key: $to}) MATCH (other)-[r:EMEND_MENTIONS|EMEND_NAMES]->(a)
     CREATE (other)-[n:$(type(r))]->(b) SET n = properties(r) DELETE r`,
    parameters,
  );
}

/** Keys that belong together, directly or by others. */
function joined(lists: readonly (readonly string[])[]) {
  const parent = new Map<string, string>();
  const rootOf = (key: string): string => {
    let root = key;
    for (let up = parent.get(root); up !== undefined && up !== root; up = parent.get(root)) root = up;
    return root;
  };
  const join = (...keys: string[]) => {
    const [first = "", ...rest] = keys;
    if (!parent.has(first)) parent.set(first, first);
    for (const key of rest) {
      if (!parent.has(key)) parent.set(key, key);
      parent.set(rootOf(key), rootOf(first));
    }
  };
  for (const keys of lists) join(...keys);
  return { rootOf, join, keys: () => [...parent.keys()] };
}

/** Works through rows for a query a few thousand at a time: one message and one UNWIND should not hold a whole import. */
export async function inBatches<T extends string | GraphRow>(
  all: readonly T[],
  work: (batch: T[]) => Promise<unknown>,
): Promise<void> {
  for (let i = 0; i < all.length; i += BATCH) await work(all.slice(i, i + BATCH));
}

const BATCH = 5_000;
