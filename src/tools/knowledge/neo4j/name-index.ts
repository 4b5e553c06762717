import { CypherError } from "../../../errors.js";
import type { Neo4jConnection, RunOptions } from "../../store/neo4j/connection.js";
import { isNameKey } from "./node-names.js";

/** The full-text index over the names of all nodes, and the constraints that keep emend's own nodes apart. */
export const NAME_INDEX = "emend_entities";

/** Which properties hold names in this graph, and whether they can be searched. */
export interface NameKeys {
  keys: readonly string[];
  /** False where nobody has made the index, or it is still being filled. */
  isIndexed: boolean;
}

/** Reading only. */
export async function nameKeys(connection: Neo4jConnection, options: RunOptions): Promise<NameKeys> {
  const [wanted, index] = await Promise.all([names(connection, options), shownIndex(connection, options)]);
  return { keys: wanted.keys, isIndexed: index?.state === "ONLINE" };
}

/**
 * Makes the index over every label and every property that may hold a name, or makes it anew where there are more of
 * them now. Waits up to a minute until it is filled.
 * @throws StoreUnavailableError when the graph cannot be reached or written.
 */
export async function prepareNames(connection: Neo4jConnection, options: RunOptions = {}): Promise<void> {
  const own = ["EmendEntity", "EmendAlias", "EmendState"].map((label) => ({ label, key: "key" }));
  for (const { label, key } of [...own, { label: "EmendSource", key: "id" }]) {
    const name = `${label.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()}_${key}`;
    const cypher = `CREATE CONSTRAINT ${name} IF NOT EXISTS FOR (n:${label}) REQUIRE n.${key} IS UNIQUE`;
    await connection.write([{ cypher }], options);
  }
  const [wanted, index] = await Promise.all([names(connection, options), shownIndex(connection, options)]);
  const labels = ["EmendEntity", ...wanted.labels];
  const keys = [...new Set(["name", "names", ...wanted.keys])];
  const isThere =
    index && labels.every((one) => index.labels.includes(one)) && keys.every((one) => index.keys.includes(one));
  if (!isThere) {
    const on = `FOR (n:${labels.map(escaped).join("|")}) ON EACH [${keys.map((key) => `n.${escaped(key)}`).join(", ")}]`;
    // Names hold words that other texts can do without ("It", "The Who", "IT部"), so none is left out. Chinese is kept by
    // single characters, which finds names of one character too; pairs of them are asked for as phrases.
    const analyzer = "{indexConfig: {`fulltext.analyzer`: 'standard-no-stop-words'}}";
    if (index) await connection.write([{ cypher: `DROP INDEX ${NAME_INDEX} IF EXISTS` }], options);
    await connection.write(
      [{ cypher: `CREATE FULLTEXT INDEX ${NAME_INDEX} IF NOT EXISTS ${on} OPTIONS ${analyzer}` }],
      {
        ...options,
      },
    );
  }
  await connection.read("CALL db.awaitIndexes(60)", {}, { ...options, timeout: 70_000 }).catch((error: unknown) => {
    // It goes on in the background; until then names are looked up without it.
    if (!(error instanceof CypherError)) throw error;
  });
}

/**
 * A label, type or property of the server's own schema inside a query's text. The server reads `\\u0060` as a backtick
 * before it looks for the end of a name, so that the backslash is written as an escape itself.
 */
export const escaped = (name: string) => `\`${name.replaceAll("\\", "\\u005C").replaceAll("`", "``")}\``;

/** Labels and properties whose names begin like this are emend's own. */
export const isOwn = (name: string) => name.startsWith("Emend") || name.startsWith("EMEND_");

async function names(connection: Neo4jConnection, options: RunOptions) {
  const [row] = await connection.read(
    `CALL { CALL db.labels() YIELD label RETURN collect(label) AS labels }
     CALL { CALL db.propertyKeys() YIELD propertyKey RETURN collect(propertyKey) AS keys }
     RETURN labels, keys`,
    {},
    options,
  );
  const [labels, keys]: string[][] = [row?.get("labels") ?? [], row?.get("keys") ?? []];
  const theirs = (labels ?? []).filter((label) => !isOwn(label)).slice(0, MOST_LABELS);
  return { labels: theirs, keys: (keys ?? []).filter((key) => isNameKey(key, theirs)).slice(0, MOST_KEYS) };
}

const MOST_LABELS = 1_000;
const MOST_KEYS = 100;

async function shownIndex(connection: Neo4jConnection, options: RunOptions) {
  const [row] = await connection.read(
    "SHOW FULLTEXT INDEXES YIELD name, state, labelsOrTypes, properties WHERE name = $name RETURN *",
    { name: NAME_INDEX },
    options,
  );
  if (!row) return undefined;
  const [labels, keys]: string[][] = [row.get("labelsOrTypes"), row.get("properties")];
  return { state: String(row.get("state")), labels: labels ?? [], keys: keys ?? [] };
}
