import { plainAsWritten } from "../../text/tokens.js";
import type { GraphRow } from "../../types/knowledge.js";
import { nearest } from "../knowledge/look-up.js";
import { namesIn, normaliseName, possibleKeys } from "../knowledge/names.js";
import { asList, type ReadRows } from "./connection.js";
import { type GraphNodeName, type NameKeys, namesOf, nothingInTime, searchNames } from "./name-index.js";

interface Candidate {
  id: string;
  /** Its names, each with its key. */
  names: readonly (GraphNodeName & { key: string })[];
}

/**
 * Links entities and a question to nodes (entity linking): first nodes whose name is exactly or nearly that of an
 * entity, then nodes whose names occur in the question. Returns at most ten ids.
 */
export async function linkedNodes(
  read: ReadRows,
  entities: readonly string[],
  question: string,
  { keys, isIndexed }: NameKeys,
): Promise<string[]> {
  const asked = entities.filter((entity) => normaliseName(entity) !== "").slice(0, MAX_ENTITIES);
  const rows = isIndexed
    ? await searchNames(
        read,
        [...asked.map(nameQuery), questionQuery(question)],
        `WHERE NOT node:EmendEntity WITH DISTINCT node AS n RETURN ${NAMES}`,
        { keys: [...keys] },
      )
    : await scanned(read, asked, question, keys);
  return chosen(asked, question, rows.map(asCandidate)).slice(0, MAX_NODES);
}

const MAX_ENTITIES = 20;
const MAX_NODES = 10;
/** In a graph without an index and with at most this many nodes, all names are read and compared here. */
const FEW_NODES = 5_000;

const NAMES = `elementId(n) AS id, labels(n) AS labels, [key IN $keys WHERE n[key] IS NOT NULL | [key, n[key]]] AS properties`;

/** Finds nodes by the properties that may hold names, without the index. */
async function scanned(
  read: ReadRows,
  entities: readonly string[],
  question: string,
  keys: readonly string[],
): Promise<GraphRow[]> {
  const count = "MATCH (n) WHERE NOT n:EmendEntity WITH n LIMIT $most RETURN count(n) AS nodes";
  const [counted] = await read(count, { most: FEW_NODES + 1 });
  const isSmall = Number(counted?.nodes ?? 0) <= FEW_NODES;
  const which = isSmall ? "" : "AND any(key IN $keys WHERE toLower(toStringOrNull(n[key])) IN $spoken)";
  return read(`MATCH (n) WHERE NOT n:EmendEntity ${which} RETURN ${NAMES} LIMIT $most`, {
    keys: [...keys],
    spoken: isSmall ? [] : [...entities.map(normaliseName), ...possibleKeys(question)],
    most: FEW_NODES,
  }).catch(nothingInTime);
}

function asCandidate({ id, labels, properties }: GraphRow): Candidate {
  const pairs = asList(properties).map(asList);
  const names = namesOf({
    labels: asList(labels).map(String),
    properties: Object.fromEntries(pairs.map(([key, value = null]) => [String(key), value])),
  });
  return { id: String(id), names: names.map((one) => ({ ...one, key: normaliseName(one.name) })) };
}

function chosen(entities: readonly string[], question: string, candidates: readonly Candidate[]): string[] {
  const all = candidates.flatMap(({ id, names }) => names.map((name) => ({ id, ...name })));
  const byKey = Map.groupBy(all, ({ key }) => key);
  /**
   * Returns the nodes whose own name this is or, if there are none, those for which it may be the name of a related
   * thing.
   */
  const called = (key: string) => {
    const same = (byKey.get(key) ?? []).toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const sure = same.filter(({ isSure }) => isSure);
    return (sure.length > 0 ? sure : same).map(({ id }) => id);
  };
  const named = entities.flatMap((entity) => {
    const key = normaliseName(entity);
    return (byKey.has(key) ? [key] : nearest(key, byKey.keys())).flatMap(called);
  });
  const names = [...byKey.values()].flatMap(([first]) => (first ? [first.name] : []));
  return [...new Set([...named, ...namesIn(question, names).map(normaliseName).flatMap(called)])];
}

/**
 * Writes a Lucene query for nodes with this name or nearly this name: the whole name, its words with one or two wrong
 * letters, and Chinese as pairs of characters. Empty if there is nothing to search for.
 */
export function nameQuery(name: string): string {
  const words = pieces(name);
  const clauses = words.flatMap(({ text, isHan }) => (isHan ? hanClauses(text) : [quoted(text), ...near(text)]));
  return [...new Set(words.length > 1 ? [`${quoted(bounded(name))}^4`, ...clauses] : clauses)].join(" ");
}

/** Writes a Lucene query for nodes whose names may occur in a question; more shared words score higher. */
export function questionQuery(question: string): string {
  const clauses = pieces(question).flatMap(({ text, isHan }) => (isHan ? hanClauses(text) : [quoted(text)]));
  return [...new Set(clauses)].slice(0, MAX_CLAUSES).join(" ");
}

/** Lucene accepts 1,024 clauses, and a fuzzy term expands to up to 50. */
const MAX_CLAUSES = 200;
const MAX_LENGTH = 500;

const bounded = (text: string) => plainAsWritten(text.slice(0, MAX_LENGTH));

const pieces = (text: string) =>
  [...bounded(text).matchAll(/(?<han>\p{Script=Han}+)|(?:(?!\p{Script=Han})[\p{L}\p{N}\p{M}'])+/gu)]
    .slice(0, 40)
    .map((match) => ({ text: match[0], isHan: match.groups?.han !== undefined }));

/** The index holds single characters; most pairs of them are words. */
function hanClauses(run: string): string[] {
  const characters = [...run].slice(0, 60);
  const pairs = characters.slice(1).map((character, i) => `"${characters[i]}${character}"^2`);
  return [...pairs, ...characters];
}

/** Quotes a text for Lucene. Only the quotation mark and the backslash are special inside quotation marks. */
const quoted = (text: string) => `"${text.replace(/[\\"]/g, " ")}"`;

function near(word: string): string[] {
  if (!/^[\p{L}\p{N}]{3,40}$/u.test(word)) return [];
  return [`${word}~${word.length < 6 ? 1 : 2}`];
}
