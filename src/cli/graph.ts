import { readFile } from "node:fs/promises";
import { dirname, extname, resolve } from "node:path";
import { loadSettings, type Settings } from "../config.js";
import { codeOf } from "../corpus/find.js";
import { UsageError } from "../errors.js";
import { buildGraph } from "../knowledge/build.js";
import { isTripleFile, loadTriples, TRIPLE_FILES } from "../knowledge/load.js";
import { parseOntology } from "../knowledge/ontology.js";
import { runCypher } from "../knowledge/run-cypher.js";
import { linkMentions } from "../tools/documents/neo4j-mentions.js";
import { neo4jKnowledge } from "../tools/knowledge/neo4j/neo4j.js";
import type { KnowledgeGraph } from "../tools/knowledge/port.js";
import { neo4jConnection } from "../tools/neo4j/connection.js";
import { openTools } from "../tools/open.js";
import { openExtractor } from "../tools/open-extractor.js";
import type { Ontology } from "../tools/reasoner/port.js";
import { factLines } from "./facts.js";
import type { Options } from "./program.js";
import { progress } from "./progress.js";
import { EXIT, type Run } from "./run.js";
import { plain, screen } from "./screen.js";

/** `emend graph load`: files of triples, and for Neo4j Cypher scripts, into the graph. */
export const loadCommand: Run = async (paths, options, signal) => {
  const [out, err] = [screen(process.stdout), screen(process.stderr)];
  const settings = settingsOf(options);
  // Nothing is loaded where one of the files cannot be.
  for (const path of paths) {
    if (isScript(path) && !settings.neo4j)
      throw new UsageError(
        `${path} is a script for Neo4j, and NEO4J_URI is not set. Set it, or load triples: ${TRIPLE_FILES.join(" ")}.`,
      );
    if (!isScript(path) && !isTripleFile(path))
      throw new UsageError(
        `${path}: this kind of file is not loaded. Loaded are: ${[...TRIPLE_FILES, ...SCRIPTS].join(" ")}`,
      );
  }
  const line = progress();
  let skipped = 0;
  await using graph = openGraph(settings);
  for (const path of paths) {
    if (isScript(path) && settings.neo4j) {
      await using script = closing(neo4jConnection(settings.neo4j));
      const ran = await runCypher(path, {
        connection: script.it,
        signal,
        onProgress: (done, total) => line.say(plain(`${path}: statement ${done + 1} of ${total}`)),
      }).finally(() => line.stop());
      out.write(`${plain(path)}: ${counted(ran, "statement")} run. Now run: emend graph index\n`);
      continue;
    }
    const loaded = await loadTriples(resolve(path), {
      knowledge: graph.it,
      signal,
      cwd: dirname(resolve(settings.store)),
      onProgress: (lines) => line.say(plain(`${path}: ${lines.toLocaleString("en")} lines`)),
    }).finally(() => line.stop());
    for (const { line: number, reason } of loaded.faults.slice(0, MOST_NAMED))
      err.write(`emend: ${onOneLine(`${path}, line ${number}: ${reason}`)}. The line is skipped.\n`);
    if (loaded.skipped > MOST_NAMED)
      err.write(`emend: ${plain(path)}: and ${loaded.skipped - MOST_NAMED} more lines.\n`);
    skipped += loaded.skipped;
    out.write(
      `${plain(path)}: ${counted(loaded.triples, "triple")}, ${loaded.written} written, ${counted(loaded.skipped, "line")} skipped.\n`,
    );
  }
  await linkDocuments(settings, signal);
  return skipped > 0 ? EXIT.fault : EXIT.done;
};

/** `emend graph build`: what the ingested documents state, as triples, into the graph. */
export const buildCommand: Run = async (_words, options, signal) => {
  const [out, err] = [screen(process.stdout), screen(process.stderr)];
  const settings = settingsOf(options);
  const ontology = await ontologyAt(options.ontology);
  const { documents } = openTools(settings);
  await using _documents = closing(documents);
  await using graph = openGraph(settings);
  const line = progress();
  const summary = await buildGraph({
    documents,
    knowledge: graph.it,
    extractor: openExtractor(settings, ontology),
    ontology,
    limit: options.limit,
    signal,
    onProgress: (done, total, documentId) => line.say(plain(`${done}/${total} ${documentId}`)),
  }).finally(() => line.stop());
  await linkDocuments(settings, signal);
  const { read, unchanged, triples, removed, left, failures, usage } = summary;
  if (read + unchanged + removed + failures.length === 0) {
    out.write("Nothing to read: there are no documents. Add some with: emend ingest <folder>\n");
    return EXIT.fault;
  }
  for (const { passage, reason } of failures.slice(0, MOST_NAMED))
    err.write(`emend: ${onOneLine(`${passage}: ${reason}`)} It is tried again at the next run.\n`);
  const tokens =
    usage.calls > 0 ? ` ${usage.calls} model calls, ${usage.inputTokens + usage.outputTokens} tokens.` : "";
  const rest = left > 0 ? ` ${counted(left, "passage")} left: run it again.` : "";
  out.write(
    `${counted(read, "passage")} read, ${unchanged} unchanged, ${removed} removed, ${failures.length} failed; ${counted(triples, "triple")} written.${tokens}${rest}\n`,
  );
  return failures.length > 0 ? EXIT.fault : EXIT.done;
};

/** `emend graph index`: makes a Neo4j graph that others filled ready to be looked up by name. */
export const indexCommand: Run = async (_words, options, signal) => {
  const { neo4j } = settingsOf(options);
  if (!neo4j) {
    process.stdout.write(
      "Nothing to do: the graph in the store's folder keeps its own index. This is for Neo4j (NEO4J_URI).\n",
    );
    return EXIT.done;
  }
  const connection = neo4jConnection(neo4j);
  await using _connection = closing(connection);
  const line = progress();
  line.say("Indexing names");
  await neo4jKnowledge({ connection })
    .prepare({ signal })
    .finally(() => line.stop());
  process.stdout.write(
    `The names in ${plain(connection.name)} are indexed. Run it again when there are labels that were not there before.\n`,
  );
  return EXIT.done;
};

/** `emend graph show`: what the graph says of a name. */
export const showCommand: Run = async (words, options, signal) => {
  const name = words.join(" ").trim();
  if (name === "") throw new UsageError("Give a name.");
  await using graph = openGraph(settingsOf(options));
  const facts = await graph.it.facts([name], name, { limit: 100, signal });
  process.stdout.write(
    facts.length > 0 ? `${factLines(facts).join("\n")}\n` : `The graph says nothing of ${plain(name)}.\n`,
  );
  return facts.length > 0 ? EXIT.done : EXIT.notAnswered;
};

/** Where documents and facts are in one Neo4j, passages are linked to the entities they name. */
async function linkDocuments({ neo4j, documents }: Settings, signal: AbortSignal): Promise<void> {
  if (!neo4j || documents !== "neo4j") return;
  const connection = neo4jConnection(neo4j);
  await using _connection = closing(connection);
  await linkMentions(connection, { signal });
}

const settingsOf = ({ store }: Options): Settings => loadSettings(store === undefined ? {} : { store });

const SCRIPTS = [".cypher", ".cql"];
const isScript = (path: string) => SCRIPTS.includes(extname(path).toLowerCase());
const MOST_NAMED = 20;

/** The graph that the settings name, closed when the command ends however it ends. */
function openGraph(settings: Settings) {
  const { knowledge } = openTools(settings);
  if (!knowledge) throw new UsageError("No knowledge graph is set up.");
  return closing<KnowledgeGraph>(knowledge);
}

const closing = <T extends { close(): Promise<void> }>(it: T) => ({ it, [Symbol.asyncDispose]: () => it.close() });

async function ontologyAt(path: string | undefined): Promise<Ontology | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`The ontology ${path} cannot be opened (${codeOf(error)}).`);
  });
  return parseOntology(text.replace(/^\uFEFF/, ""), path);
}

const counted = (n: number, what: string) => `${n} ${what}${n === 1 ? "" : "s"}`;
const onOneLine = (text: string) => plain(text).replace(/\s+/g, " ").trim();
