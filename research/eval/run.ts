import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "../../src/agent.js";
import { loadSettings, type Settings } from "../../src/config.js";
import { UsageError } from "../../src/errors.js";
import type { Ask } from "../../src/evaluate/ask.js";
import { askEmend, askPlain } from "../../src/evaluate/ask.js";
import { sample } from "../../src/evaluate/statistics.js";
import { openTools } from "../../src/open.js";
import { Context } from "../../src/state/context.js";
import type { Tools } from "../../src/state/tools.js";
import { openChat } from "../../src/tools/chat/open-chat.js";
import { neo4jConnection } from "../../src/tools/neo4j/connection.js";
import { answerability } from "./answerability.js";
import { askAgent, askPlainCypher } from "./ask-graph.js";
import { askCrag, askSelfRag } from "./ask-notebooks.js";
import { openCorpus } from "./corpus.js";
import {
  AnswerabilityItem,
  fileIn,
  GraphItem,
  QaItem,
  RelevanceItem,
  readLines,
  readRetrieval,
  SupportItem,
} from "./data.js";
import { extraction } from "./extraction.js";
import { graph } from "./graph.js";
import { readPages } from "./pages.js";
import { qa } from "./qa.js";
import { relevance } from "./relevance.js";
import type { Measured, Result } from "./result.js";
import { retrieval } from "./retrieval.js";
import { support } from "./support.js";

export interface RunOptions {
  data: string;
  corpus?: string;
  beside?: string[];
  system: "emend" | keyof typeof OTHERS;
  model?: "none";
  split?: "tune" | "held-out";
  seconds?: number;
  limit?: number;
  seed: number;
}

interface Parts {
  tools: Tools;
  settings: Settings;
  options: RunOptions;
  /** The items to measure, of all there are. */
  some: <T>(items: readonly T[]) => readonly T[];
}

const SUITES = {
  retrieval: ({ tools, options, some }: Parts) => {
    const { corpus, queries } = readRetrieval(options.data);
    return retrieval(corpus, some(queries), tools.documents);
  },
  relevance: ({ tools, options, some }: Parts) =>
    relevance(some(readLines(fileIn(options.data, "relevance.jsonl"), RelevanceItem)), tools.grader),
  answerability: ({ tools, options, some }: Parts) =>
    answerability(some(readLines(fileIn(options.data, "answerability.jsonl"), AnswerabilityItem)), tools.grader),
  support: ({ tools: { encoder, checker }, settings, options, some }: Parts) =>
    support(some(readLines(fileIn(options.data, "support.jsonl"), SupportItem)), {
      ...(encoder && { encoder }),
      ...(settings.model && { checker }),
    }),
  extraction: ({ options, some }: Parts) => extraction(some(readPages(options.data)), options.beside),
  qa: async ({ tools, settings, options, some }: Parts) => {
    const path = fileIn(options.data, "qa.jsonl");
    const items = some(readLines(path, QaItem).filter(inHalf(options)));
    const knowledge = settings.neo4j ? undefined : tools.knowledge;
    const corpus = await openCorpus(options.corpus ?? join(path, "..", "corpus.jsonl"), tools.documents, knowledge);
    return qa(items, asker(tools, settings, options), corpus, progress(items.length));
  },
  graph: async ({ tools, settings, options, some }: Parts) => {
    const all = readLines(fileIn(options.data, "graph.jsonl"), GraphItem);
    const items = some(all.filter(inHalf(options)));
    if (!settings.neo4j || !tools.knowledge)
      throw new UsageError("graph asks a Neo4j server: set NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD.");
    const { knowledge, cypherWriter, ...rest } = tools;
    const connection = neo4jConnection(settings.neo4j);
    const parts = { connection, context: contextOf(options) };
    const lookUps = askAgent({ ...rest, knowledge }, settings, parts);
    const baselines = settings.model &&
      cypherWriter && { lookUps, plain: askPlainCypher(knowledge, cached(settings), connection) };
    try {
      const measured = cypherWriter ? askAgent({ ...tools, knowledge }, settings, parts) : lookUps;
      return await graph(items, measured, baselines ?? {}, progress(items.length * (baselines ? 3 : 1)));
    } finally {
      await connection.close();
    }
  },
} satisfies Record<string, (parts: Parts) => Promise<Measured>>;

export type Kind = keyof typeof SUITES;
export const KINDS = Object.keys(SUITES) as Kind[];

/**
 * Measures one thing with the parts that the settings name, over a temporary store.
 * @throws BadDataError if the data cannot be read; UsageError if the options or settings are invalid.
 */
export async function measure(kind: Kind, options: RunOptions): Promise<Result> {
  const store = await mkdtemp(join(tmpdir(), "emend-eval-"));
  const settings = settingsFor(store, options);
  const tools = openTools(settings);
  try {
    const some = <T>(items: readonly T[]) => sample(items, options.limit, options.seed);
    return { kind, data: options.data, ...(await SUITES[kind]({ tools, settings, options, some })) };
  } finally {
    await tools.documents.close();
    await tools.knowledge?.close();
    await tools.encoder?.close();
    await rm(store, { recursive: true, force: true });
  }
}

function settingsFor(store: string, options: RunOptions): Settings {
  const settings = loadSettings({ store, runs: "off" });
  if (options.model !== "none") return settings;
  const { model: _, checkerModel: __, ...local } = settings;
  return local;
}

const inHalf =
  (options: RunOptions) =>
  ({ split }: { split?: RunOptions["split"] | undefined }) =>
    options.split === undefined || split === options.split;

const contextOf = ({ seconds }: RunOptions) => Context.parse(seconds === undefined ? {} : { budget: { seconds } });

function cached({ model, replyCache }: Settings) {
  if (!model) throw new UsageError("Set EMEND_MODEL.");
  return openChat(model, { cache: replyCache });
}

function asker(tools: Tools, settings: Settings, options: RunOptions): Ask {
  const { system } = options;
  const context = contextOf(options);
  if (system === "emend") return askEmend(createAgent({ ...settings, tools }), context);
  if (!settings.model)
    throw new UsageError(`--system ${system} needs a chat model: set EMEND_MODEL, and leave out --model none.`);
  return OTHERS[system](tools.documents, openChat(settings.model, { timeoutMs: context.budget.seconds * 1000 }));
}

/** The systems that emend is compared with. */
const OTHERS = { plain: askPlain, crag: askCrag, "self-rag": askSelfRag };
export const SYSTEMS = ["emend", ...Object.keys(OTHERS)];

function progress(of: number): (done: number) => void {
  return (done) => {
    if (process.stderr.isTTY) process.stderr.write(`\r${done}/${of}${done === of ? "\n" : ""}`);
  };
}
