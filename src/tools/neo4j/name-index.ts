import { CypherError } from "../../errors.js";
import type { GraphRow, GraphValue } from "../../types/knowledge.js";
import { predicateWords } from "../knowledge/rank-facts.js";
import { asList, type Neo4jConnection, type ReadRows, type RunOptions, rowReader } from "./connection.js";

/** The full-text index over the names of all nodes. */
const NAME_INDEX = "emend_entities";

/**
 * Searches the index with Lucene queries, of which empty ones are left out.
 * @param rest what follows `YIELD node`.
 */
export async function searchNames(
  read: ReadRows,
  queries: readonly string[],
  rest: string,
  parameters: GraphRow = {},
): Promise<GraphRow[]> {
  const asked = queries.filter((query) => query !== "");
  if (asked.length === 0) return [];
  return read(
    `UNWIND $queries AS query
     CALL db.index.fulltext.queryNodes('${NAME_INDEX}', query, {limit: 100}) YIELD node ${rest}`,
    { queries: asked, ...parameters },
  ).catch(nothingInTime);
}

/** Returns nothing if the server needs too long, or if there is no index. */
export function nothingInTime(error: unknown): GraphRow[] {
  if (error instanceof CypherError) return [];
  throw error;
}

/** The properties of this graph that hold names, and whether a full-text index covers them. */
export interface NameKeys {
  keys: readonly string[];
  /** False if the index does not exist, or the server is still filling it. */
  isIndexed: boolean;
}

/** Finds the properties that hold names. Writes nothing. */
export async function nameKeys(read: ReadRows): Promise<NameKeys> {
  const { keys, index } = await names(read);
  return { keys, isIndexed: index?.state === "ONLINE" };
}

/**
 * Creates the constraints on emend's own nodes, and the index on every label and every property that may hold a name.
 * Recreates the index if there are new ones. Waits up to a minute until it is filled.
 * @throws StoreUnavailableError when the graph cannot be reached or written.
 */
export async function prepareNames(connection: Neo4jConnection, options: RunOptions = {}): Promise<void> {
  const write = (cypher: string) => connection.write([{ cypher }], options);
  for (const [name, label, key] of [
    ["emend_entity_key", "EmendEntity", "key"],
    ["emend_state_key", "EmendState", "key"],
    ["emend_source_id", "EmendSource", "id"],
  ])
    await write(`CREATE CONSTRAINT ${name} IF NOT EXISTS FOR (n:${label}) REQUIRE n.${key} IS UNIQUE`);
  const wanted = await names(rowReader(connection, options));
  const labels = ["EmendEntity", ...wanted.labels];
  const keys = [...new Set(["name", ...wanted.keys])];
  const { index } = wanted;
  const covers = (covered: GraphRow[string] | undefined, all: readonly string[]) =>
    all.every((one) => asList(covered).includes(one));
  if (!index || !covers(index.labelsOrTypes, labels) || !covers(index.properties, keys)) {
    const on = `FOR (n:${labels.map(escaped).join("|")}) ON EACH [${keys.map((key) => `n.${escaped(key)}`).join(", ")}]`;
    // Names may contain stop words ("It", "The Who", "IT部"), so none is dropped. Chinese is indexed by single
    // characters, so that names of one character are found too. Pairs of characters are searched for as phrases.
    const analyzer = "{indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}}";
    if (index) await write(`DROP INDEX ${NAME_INDEX} IF EXISTS`);
    await write(`CREATE FULLTEXT INDEX ${NAME_INDEX} IF NOT EXISTS ${on} OPTIONS ${analyzer}`);
  }
  await connection.read("CALL db.awaitIndexes(60)", {}, { ...options, timeout: 70_000 }).catch((error: unknown) => {
    // The server continues to fill it. Until then, names are looked up without it.
    if (!(error instanceof CypherError)) throw error;
  });
}

/**
 * Quotes a label, type or property of the server's own schema for the text of a query. The server reads `\\u0060` as a
 * backtick before it looks for the end of a name, so the backslash itself is written as an escape.
 */
export const escaped = (name: string) => `\`${name.replaceAll("\\", "\\u005C").replaceAll("`", "``")}\``;

/** True for emend's own labels and relation types. */
export const isOwn = (name: string) => name.startsWith("Emend") || name.startsWith("EMEND_");

/** Reads the users' labels, the properties that may hold names, and the index if there is one. */
async function names(read: ReadRows) {
  const [[row], [index]] = await Promise.all([
    read(
      `CALL { CALL db.labels() YIELD label RETURN collect(label) AS labels }
       CALL { CALL db.propertyKeys() YIELD propertyKey RETURN collect(propertyKey) AS keys }
       RETURN labels, keys`,
    ),
    read("SHOW FULLTEXT INDEXES YIELD name, state, labelsOrTypes, properties WHERE name = $name RETURN *", {
      name: NAME_INDEX,
    }),
  ]);
  const all = asList(row?.labels).map(String);
  const labels = all.filter((label) => !isOwn(label)).slice(0, MAX_LABELS);
  const keys = asList(row?.keys).map(String);
  return { labels, keys: keys.filter((key) => isNameKey(key, labels)).slice(0, MAX_KEYS), index };
}

const MAX_LABELS = 1_000;
const MAX_KEYS = 100;

/** A node's labels and its properties. */
export interface NodeText {
  labels: readonly string[];
  properties: Readonly<Record<string, GraphValue>>;
}

/** True if a property with this key may hold the names of nodes with these labels. */
export const isNameKey = (key: string, labels: readonly string[]): boolean => rankOf(key, labels) < DESCRIPTION;

/**
 * Picks the name that a person would use for a node: a property called name, first and last name, title, "productName"
 * of a Product, and so on, down to its label and number: "Order 10248". Without any of these, returns its label or an
 * empty text.
 */
export function displayName({ labels, properties }: NodeText): string {
  const [first, last] = [part(properties, FIRST), part(properties, LAST)];
  const best = namesByRank({ labels, properties })[0];
  if (first && last && (!best || best.rank > 0)) return `${first} ${last}`;
  if (best) return best.rank === NUMBER ? `${labels[0] ?? ""} ${best.text}`.trim() : best.text;
  return labels[0] ?? "";
}

/** A name that a question may use for a node. */
export interface GraphNodeName {
  name: string;
  /** False if it may be the name of a related thing, such as the contact of a customer. */
  isSure: boolean;
}

export function namesOf({ labels, properties }: NodeText): GraphNodeName[] {
  const [first, last] = [part(properties, FIRST), part(properties, LAST)];
  const full = /\p{Script=Han}/u.test(last) ? `${last}${first}` : `${first} ${last}`;
  return [
    ...(first && last ? [{ name: full, isSure: true }] : []),
    ...namesByRank({ labels, properties })
      .filter(({ key }) => !FIRST.test(key) && !LAST.test(key))
      .flatMap(({ rank, texts }) =>
        texts.flatMap((text) => [
          { name: text, isSure: rank < FOREIGN },
          ...(rank === NUMBER ? labels.map((label) => ({ name: `${label} ${text}`, isSure: true })) : []),
        ]),
      ),
  ];
}

/** True for a property that holds a number or code, of this node or of another. */
export const isNumberKey = (key: string) =>
  /^(?:id|code|number|no|key|sku|uuid|guid|编号|代码)$/.test(keyWords(key).at(-1) ?? "");

const keyWords = (key: string) => predicateWords(key).toLowerCase().split(" ");

function namesByRank({ labels, properties }: NodeText) {
  return Object.entries(properties)
    .map(([key, value]) => {
      const texts = [value].flat().flatMap((one) => (isText(one) ? [String(one).trim()] : []));
      return { key, rank: rankOf(key, labels), texts, text: texts[0] ?? "" };
    })
    .filter(
      ({ rank, text }) =>
        rank <= DESCRIPTION &&
        text !== "" &&
        text.length <= (rank === DESCRIBED ? MAX_DESCRIPTION_LENGTH : MAX_NAME_LENGTH),
    )
    .sort((a, b) => a.rank - b.rank || (a.key < b.key ? -1 : 1));
}

const isText = (value: GraphValue) => typeof value === "string" || typeof value === "number";

/** In characters. A longer value is not a name. */
const MAX_NAME_LENGTH = 4_000;

const part = (properties: NodeText["properties"], name: RegExp) => {
  const value = Object.entries(properties).find(([key]) => name.test(key))?.[1];
  return typeof value === "string" ? value.trim() : "";
};
const FIRST = /^(?:first_?name|given_?name|forename|名)$/i;
const LAST = /^(?:last_?name|family_?name|surname|姓)$/i;

/** In tables, a short description is often the only name. A longer one is a real description. */
const DESCRIBED = 5;
const MAX_DESCRIPTION_LENGTH = 40;
const NUMBER = 6;
const FOREIGN = 7;
const DESCRIPTION = 8;

/** Ranks a property by how likely it holds the node's name, from 0 (most likely) to 9 (never). */
function rankOf(key: string, labels: readonly string[]): number {
  const words = keyWords(key);
  const [last = "", stem] = [words.at(-1), words.slice(0, -1).join("")];
  const isOfLabel = labels.some((label) => keyWords(label).join("") === stem);
  if (/^(?:name|names|名称|名字|姓名|名前)$/.test(words.join(""))) return words[0] === "name" ? 0 : 1;
  if (FIRST.test(key) || LAST.test(key)) return FOREIGN;
  if (/^(?:names?|titles?)$/.test(last) && isOfLabel) return 1;
  if (/^(?:title|label|caption|headline|标题|题名|书名|片名)$/.test(words.join(""))) return 2;
  if (/^(?:names?|alias|aliases|别名|简称|全称)$/.test(last) && (stem === "" || COMMON.test(stem))) return 3;
  if (/(?:名称|名|姓名)$/.test(key)) return 3;
  if (/^(?:id|code|number|no|key|sku|symbol|编号|代码|号)$/.test(last)) return isOfLabel || stem === "" ? NUMBER : 9;
  if (/^(?:names?|title)$/.test(last)) return FOREIGN;
  if (/^(?:description|描述)$/.test(last) && isOfLabel) return DESCRIBED;
  return /^(?:description|summary)$/.test(last) ? DESCRIPTION : 9;
}

/** Words before "name" that mark the name of the node itself, not of a related thing. */
const COMMON =
  /^(?:full|display|company|organi[sz]ation|legal|official|common|short|long|nick|user|brand|product|event|place|host|file|original|other|also|known|preferred)$/;
