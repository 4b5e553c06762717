import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import type { Settings } from "../config.js";
import { codeOf, UsageError } from "../errors.js";
import { buildKnowledge, parseOntology } from "../ingest/facts/build.js";
import { isTripleFile, loadTriples, TRIPLE_FILES } from "../ingest/facts/load-triples.js";
import { openExtractor } from "../open.js";
import type { Fact, Ontology } from "../tools/knowledge/port.js";
import { predicateWords } from "../tools/knowledge/rank-facts.js";
import { neo4jConnection } from "../tools/neo4j/connection.js";
import { neo4jKnowledge } from "../tools/neo4j/knowledge.js";
import { runCypher } from "../tools/neo4j/run-cypher.js";
import { disposable, folderOfIds, settingsOf, usingTools } from "./open.js";
import { type Progress, progress, warnOnceOfWait } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { stripControls, warn, withCount } from "./screen.js";

/** `emend graph load`: loads files of triples, and for Neo4j also Cypher scripts. */
export const loadCommand: CommandRun = async (paths, options, signal) => {
  const settings = settingsOf(options);
  // All files are checked before any is loaded.
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
  using line = progress();
  let skipped = 0;
  await using graph = await openGraph(settings, line);
  const say = (text: string) => {
    line.stop();
    process.stdout.write(`${stripControls(text)}\n`);
  };
  for (const path of paths) {
    if (isScript(path) && settings.neo4j) {
      await using script = disposable(neo4jConnection(settings.neo4j));
      const onProgress = (done: number, total: number) => line.say(`${path}: statement ${done + 1} of ${total}`);
      const ran = await runCypher(path, { connection: script, signal, onProgress });
      say(`${path}: ${withCount(ran, "statement")} run. Now run: emend graph index`);
      continue;
    }
    const loaded = await loadTriples(resolve(path), {
      knowledge: graph.knowledge,
      signal,
      cwd: folderOfIds(settings),
      onProgress: (lines) => line.say(`${path}: ${lines.toLocaleString("en")} lines`),
    });
    line.stop();
    for (const { line: number, reason } of loaded.faults.slice(0, MAX_NAMED))
      warn(`${path}, line ${number}: ${reason}. The line is skipped.`);
    if (loaded.skipped > MAX_NAMED) warn(`${path}: and ${loaded.skipped - MAX_NAMED} more lines.`);
    skipped += loaded.skipped;
    const { triples, written } = loaded;
    say(`${path}: ${withCount(triples, "triple")}, ${written} written, ${withCount(loaded.skipped, "line")} skipped.`);
  }
  return skipped > 0 ? EXIT.fault : EXIT.done;
};

/** `emend graph build`: extracts triples from the ingested documents. */
export const buildCommand: CommandRun = async (_words, options, signal) => {
  const settings = settingsOf(options);
  const ontology = await ontologyAt(options.ontology);
  using line = progress();
  await using graph = await openGraph(settings, line);
  const { read, unchanged, triples, removed, left, failures, usage } = await buildKnowledge({
    documents: graph.documents,
    knowledge: graph.knowledge,
    extractor: openExtractor(settings, ontology),
    ontology,
    limit: options.limit,
    signal,
    onProgress: (done, total, documentId) => line.say(`${done}/${total} ${documentId}`),
  });
  line.stop();
  if (read + unchanged + removed + failures.length === 0) {
    process.stdout.write("Nothing to read: there are no documents. Add some with: emend ingest <folder>\n");
    return EXIT.fault;
  }
  for (const { passage, reason } of failures.slice(0, MAX_NAMED))
    warn(`${passage}: ${reason} It is tried again at the next run.`);
  const tokens =
    usage.calls > 0 ? ` ${usage.calls} model calls, ${usage.inputTokens + usage.outputTokens} tokens.` : "";
  const rest = left > 0 ? ` ${withCount(left, "passage")} left: run it again.` : "";
  process.stdout.write(
    `${withCount(read, "passage")} read, ${unchanged} unchanged, ${removed} removed, ${failures.length} failed; ${withCount(triples, "triple")} written.${tokens}${rest}\n`,
  );
  return failures.length > 0 ? EXIT.fault : EXIT.done;
};

/** `emend graph index`: indexes the names in a Neo4j graph that other programs filled. */
export const indexCommand: CommandRun = async (_words, options, signal) => {
  const { neo4j } = settingsOf(options);
  if (!neo4j) {
    process.stdout.write(
      "Nothing to do: the graph in the store's folder keeps its own index. This is for Neo4j (NEO4J_URI).\n",
    );
    return EXIT.done;
  }
  await using connection = disposable(neo4jConnection(neo4j));
  using line = progress();
  line.say("Indexing names");
  await neo4jKnowledge({ connection }).prepare({ signal });
  line.stop();
  process.stdout.write(
    `The names in ${stripControls(connection.name)} are indexed. Run it again when there are labels that were not there before.\n`,
  );
  return EXIT.done;
};

/** `emend graph show`: prints the facts about a name. */
export const graphShowCommand: CommandRun = async (words, options, signal) => {
  const name = words.join(" ").trim();
  if (name === "") throw new UsageError("Give a name.");
  await using graph = await openGraph(settingsOf(options));
  const facts = await graph.knowledge.facts([name], name, { limit: 100, signal });
  const lines = facts.length > 0 ? facts.flatMap(factLines) : [`The graph says nothing of ${stripControls(name)}.`];
  process.stdout.write(`${lines.join("\n")}\n`);
  return facts.length > 0 ? EXIT.done : EXIT.notAnswered;
};

/** Formats a fact, with its quotes and their source on the lines below. */
function factLines({ entity, predicate, direction, others, total, source }: Fact): string[] {
  const listed = others.join(others.some((other) => HAN.test(other)) ? "、" : ", ");
  const more = total > others.length ? ` (${total} in all)` : "";
  const [from, to] = direction === "out" ? [entity, listed + more] : [listed + more, entity];
  const said = `${from} -- ${predicateWords(predicate)} -> ${to}`;
  if (!source) return [stripControls(said)];
  const quotes = [...new Set(source.quotes.filter((quote) => quote !== ""))].slice(0, 3);
  const origin = new Set([source.title, source.section, source.uri, source.reviewedAt].filter((part) => part !== ""));
  return [
    said,
    ...quotes.map((quote) => `    "${quote.replace(/\s+/g, " ").slice(0, 200)}"`),
    `    ${[...origin].join(" · ")}`,
  ].map(stripControls);
}

const HAN = /\p{Script=Han}/u;

const SCRIPTS = [".cypher", ".cql"];
const isScript = (path: string) => SCRIPTS.includes(extname(path).toLowerCase());
const MAX_NAMED = 20;

/** @param line of a command that writes: then a wait for another process is reported. */
async function openGraph(settings: Settings, line?: Progress) {
  const tools = await usingTools(settings, line && { onWait: warnOnceOfWait(line) });
  const { knowledge } = tools;
  if (!knowledge) throw new UsageError("No knowledge graph is set up.");
  return { ...tools, knowledge };
}

async function ontologyAt(path: string | undefined): Promise<Ontology | undefined> {
  if (path === undefined) return undefined;
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new UsageError(`The ontology ${path} cannot be opened (${codeOf(error)}).`);
  });
  return parseOntology(text.replace(/^\uFEFF/, ""), path);
}
