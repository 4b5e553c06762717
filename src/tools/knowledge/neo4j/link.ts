import type { Record as Neo4jRecord } from "neo4j-driver";
import { CypherError } from "../../../errors.js";
import { plainAsWritten } from "../../../language/tokens.js";
import type { Neo4jConnection, RunOptions } from "../../store/neo4j/connection.js";
import { asRow } from "../../store/neo4j/values.js";
import { nearest } from "../look-up.js";
import { namesIn, normaliseName, possibleKeys } from "../names.js";
import { NAME_INDEX, type NameKeys } from "./name-index.js";
import { asProperties, type NodeName, namesOf } from "./node-names.js";

interface Candidate {
  id: string;
  /** Each with its key. */
  names: readonly (NodeName & { key: string })[];
}

/**
 * The nodes that are named: those with one of the names, or else nearly so, and those whose names stand in the question.
 * Their ids, those named first; at most ten.
 */
export async function linkedNodes(
  connection: Neo4jConnection,
  entities: readonly string[],
  question: string,
  { keys, isIndexed }: NameKeys,
  options: RunOptions,
): Promise<string[]> {
  const asked = entities.filter((entity) => normaliseName(entity) !== "").slice(0, MOST_ENTITIES);
  const theirs = () => (isIndexed ? indexed(connection, asked, question, keys, options) : scanned(asked, question));
  const found = await Promise.all([exact(connection, asked, question, options), theirs()]);
  const candidates = [...new Map(found.flat().map((one) => [one.id, one])).values()];
  return chosen(asked, question, candidates).slice(0, MOST_NODES);

  async function scanned(asked: readonly string[], question: string): Promise<Candidate[]> {
    const count = "MATCH (n) WHERE NOT n:EmendEntity WITH n LIMIT $most RETURN count(n) AS nodes";
    const [counted] = await connection.read(count, { most: FEW_NODES + 1 }, options);
    const isSmall = Number(counted?.get("nodes") ?? 0) <= FEW_NODES;
    const which = isSmall ? "NOT n:EmendEntity" : "any(key IN $keys WHERE toLower(toStringOrNull(n[key])) IN $spoken)";
    const cypher = `MATCH (n) WHERE ${which} RETURN ${NAMES} LIMIT $most`;
    const parameters = {
      keys: [...keys],
      spoken: isSmall ? [] : [...asked.map(normaliseName), ...possibleKeys(question)],
      most: FEW_NODES,
    };
    return (await connection.read(cypher, parameters, options).catch(nothingInTime)).map(asCandidate);
  }
}

const MOST_ENTITIES = 20;
const MOST_NODES = 10;
/** So many names are read whole where there is no index, and compared here. */
const FEW_NODES = 5_000;
/** For each name, and for the question. */
const CANDIDATES = 100;

const NAMES = `elementId(n) AS id, [label IN labels(n) WHERE NOT label STARTS WITH 'Emend'] AS labels,
  [key IN $keys WHERE n[key] IS NOT NULL | [key, n[key]]] AS properties`;

/** Emend's own entities by their keys: exact, however many there are. */
async function exact(
  connection: Neo4jConnection,
  entities: readonly string[],
  question: string,
  options: RunOptions,
): Promise<Candidate[]> {
  const wanted = [...new Set([...entities.map(normaliseName), ...possibleKeys(question)])];
  if (wanted.length === 0) return [];
  const records = await connection.read(
    `UNWIND $wanted AS wanted
     CALL (wanted) {
       MATCH (n:EmendEntity {key: wanted}) RETURN n
       UNION
       MATCH (:EmendAlias {key: wanted})-[:EMEND_NAMES]->(n:EmendEntity) RETURN n
     }
     WITH DISTINCT n RETURN ${NAMES}`,
    { wanted, keys: ["name", "names"] },
    options,
  );
  return records.map(asCandidate);
}

async function indexed(
  connection: Neo4jConnection,
  entities: readonly string[],
  question: string,
  keys: readonly string[],
  options: RunOptions,
): Promise<Candidate[]> {
  const queries = [...entities.map(nameQuery), questionQuery(question)].filter((query) => query !== "");
  if (queries.length === 0) return [];
  const records = await connection
    .read(
      `UNWIND $queries AS query
       CALL db.index.fulltext.queryNodes('${NAME_INDEX}', query, {limit: $candidates}) YIELD node
       WITH DISTINCT node AS n RETURN ${NAMES}`,
      { queries, keys: [...new Set(["name", "names", ...keys])], candidates: CANDIDATES },
      options,
    )
    .catch(nothingInTime);
  return records.map(asCandidate);
}

/** A graph too large to be looked through in time, or an index that was dropped a moment ago: nothing is found. */
function nothingInTime(error: unknown): Neo4jRecord[] {
  if (error instanceof CypherError) return [];
  throw error;
}

function asCandidate(record: Neo4jRecord): Candidate {
  const { id, labels, properties } = asRow(record);
  const known = [labels].flat().map(String);
  const names = namesOf({ labels: known, properties: asProperties(properties) });
  return { id: String(id), names: names.map((one) => ({ ...one, key: normaliseName(one.name) })) };
}

function chosen(entities: readonly string[], question: string, candidates: readonly Candidate[]): string[] {
  const byKey = new Map<string, { id: string; name: string; isSure: boolean }[]>();
  for (const { id, names } of candidates)
    for (const { key, ...name } of names) byKey.set(key, [...(byKey.get(key) ?? []), { id, ...name }]);
  /** Those whose own name it is, or else those that have it otherwise. */
  const called = (key: string) => {
    const all = (byKey.get(key) ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const sure = all.filter(({ isSure }) => isSure);
    return (sure.length > 0 ? sure : all).map(({ id }) => id);
  };
  const named = entities.flatMap((entity) => {
    const key = normaliseName(entity);
    return (byKey.has(key) ? [key] : nearest(key, byKey.keys())).flatMap(called);
  });
  const names = [...byKey.values()].flatMap(([first]) => (first ? [first.name] : []));
  return [...new Set([...named, ...namesIn(question, names).map(normaliseName).flatMap(called)])];
}

/**
 * A full-text query for nodes that are called so or nearly so: the whole name, its words with one or two letters wrong,
 * Chinese by pairs of characters. Empty where there is nothing to look for.
 */
export function nameQuery(name: string): string {
  const words = pieces(name);
  const clauses = words.flatMap(({ text, isHan }) => (isHan ? hanClauses(text) : [quoted(text), ...near(text)]));
  return [...new Set(words.length > 1 ? [`${quoted(bounded(name))}^4`, ...clauses] : clauses)].join(" ");
}

/** A full-text query for nodes whose names may stand in a question: the more of its words the better, in any spelling. */
export function questionQuery(question: string): string {
  const clauses = pieces(question).flatMap(({ text, isHan }) => (isHan ? hanClauses(text) : [quoted(text)]));
  return [...new Set(clauses)].slice(0, MOST_CLAUSES).join(" ");
}

/** Lucene takes 1,024 clauses, and a term with a letter wrong makes up to 50. */
const MOST_CLAUSES = 200;
const LONGEST = 500;

const bounded = (text: string) => plainAsWritten(text.slice(0, LONGEST));

const pieces = (text: string) =>
  [...bounded(text).matchAll(/(?<han>\p{Script=Han}+)|(?:(?!\p{Script=Han})[\p{L}\p{N}\p{M}'])+/gu)]
    .slice(0, 40)
    .map((match) => ({ text: match[0], isHan: match.groups?.han !== undefined }));

/** The index holds single characters; pairs of them are words, or nearly. */
function hanClauses(run: string): string[] {
  const characters = [...run].slice(0, 60);
  const pairs = characters.slice(1).map((character, i) => `"${characters[i]}${character}"^2`);
  return [...pairs, ...characters];
}

/** Inside quotation marks only they and the backslash mean anything. */
const quoted = (text: string) => `"${text.replace(/[\\"]/g, " ")}"`;

function near(word: string): string[] {
  if (!/^[\p{L}\p{N}]{3,40}$/u.test(word)) return [];
  return [`${word}~${word.length < 6 ? 1 : 2}`];
}
