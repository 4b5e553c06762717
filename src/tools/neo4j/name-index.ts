import { CypherError } from "../../errors.js";
import type { GraphRow } from "../../types/knowledge.js";
import { type Neo4jConnection, type ReadRows, type RunOptions, rowReader } from "./connection.js";
import { isNameKey } from "./node-names.js";
import { asList } from "./values.js";

/** The full-text index over the names of all nodes. */
export const NAME_INDEX = "emend_entities";

/** The properties of this graph that hold names, and whether a full-text index covers them. */
export interface NameKeys {
  keys: readonly string[];
  /** False where nobody has made the index, or the server is still filling it. */
  isIndexed: boolean;
}

/** Finds the properties that hold names. Writes nothing. */
export async function nameKeys(read: ReadRows): Promise<NameKeys> {
  const { keys, index } = await names(read);
  return { keys, isIndexed: index?.state === "ONLINE" };
}

/**
 * Makes the constraints on emend's own nodes, and the index over every label and every property that may hold a name;
 * makes the index anew where there are more of them now. Waits up to a minute until it is filled.
 * @throws StoreUnavailableError when the graph cannot be reached or written.
 */
export async function prepareNames(connection: Neo4jConnection, options: RunOptions = {}): Promise<void> {
  const write = (cypher: string) => connection.write([{ cypher }], options);
  for (const [name, label, key] of [
    ["emend_entity_key", "EmendEntity", "key"],
    ["emend_alias_key", "EmendAlias", "key"],
    ["emend_state_key", "EmendState", "key"],
    ["emend_source_id", "EmendSource", "id"],
  ])
    await write(`CREATE CONSTRAINT ${name} IF NOT EXISTS FOR (n:${label}) REQUIRE n.${key} IS UNIQUE`);
  const wanted = await names(rowReader(connection, options));
  const labels = ["EmendEntity", ...wanted.labels];
  const keys = [...new Set(["name", "names", ...wanted.keys])];
  const { index } = wanted;
  const covers = (covered: GraphRow[string] | undefined, all: readonly string[]) =>
    all.every((one) => asList(covered).includes(one));
  if (!index || !covers(index.labelsOrTypes, labels) || !covers(index.properties, keys)) {
    const on = `FOR (n:${labels.map(escaped).join("|")}) ON EACH [${keys.map((key) => `n.${escaped(key)}`).join(", ")}]`;
    // Names hold stop words ("It", "The Who", "IT部"), so none is dropped. Chinese is indexed by single characters, which
    // finds names of one character too; pairs of characters are searched for as phrases.
    const analyzer = "{indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}}";
    if (index) await write(`DROP INDEX ${NAME_INDEX} IF EXISTS`);
    await write(`CREATE FULLTEXT INDEX ${NAME_INDEX} IF NOT EXISTS ${on} OPTIONS ${analyzer}`);
  }
  await connection.read("CALL db.awaitIndexes(60)", {}, { ...options, timeout: 70_000 }).catch((error: unknown) => {
    // The server goes on filling it; until then names are looked up without it.
    if (!(error instanceof CypherError)) throw error;
  });
}

/**
 * Quotes a label, type or property of the server's own schema for the text of a query. The server reads `\\u0060` as a
 * backtick before it looks for the end of a name, so the backslash itself is written as an escape.
 */
export const escaped = (name: string) => `\`${name.replaceAll("\\", "\\u005C").replaceAll("`", "``")}\``;

/** True for labels and properties of emend's own. */
export const isOwn = (name: string) => name.startsWith("Emend") || name.startsWith("EMEND_");

/** The users' labels, the properties that may hold names, and the index where there is one. */
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
  const labels = all.filter((label) => !isOwn(label)).slice(0, MOST_LABELS);
  const keys = asList(row?.keys).map(String);
  return { labels, keys: keys.filter((key) => isNameKey(key, labels)).slice(0, MOST_KEYS), index };
}

const MOST_LABELS = 1_000;
const MOST_KEYS = 100;
