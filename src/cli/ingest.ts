import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { addAbortSignal } from "node:stream";
import { withVariables } from "../config.js";
import { toError, UsageError } from "../errors.js";
import { LARGEST_FILE } from "../ingest/bytes.js";
import type { Site } from "../ingest/crawl.js";
import { removeDocuments } from "../ingest/facts/keep-facts.js";
import type { NamedFile } from "../ingest/find.js";
import { extensionOf, isReadable } from "../ingest/formats/registry.js";
import { adviceFor } from "../ingest/formats/unread.js";
import { countKept, type IngestOutcome, type IngestSummary } from "../ingest/ingest.js";
import { stoppedIn } from "../ingest/load.js";
import { sitesIn } from "../ingest/site-memory.js";
import { ingestSources, notNamed, type Sources, sourcesNamed, stampsOfPaths, together } from "../ingest/sources.js";
import { isSameStamp, type Stamp } from "../ingest/stamp.js";
import { fileChanges } from "../ingest/watch.js";
import { openTools } from "../open.js";
import { closeTools } from "../state/tools.js";
import type { LoaderSource } from "../sync/loader-source.js";
import { type NamedSource, type OpenedSource, openSources, syncSources } from "../sync/sync-sources.js";
import { hasScheme } from "../tools/documents/document-id.js";
import { type Documents, unembeddedIn } from "../tools/documents/port.js";
import { scansIn } from "../tools/ocr/read-scan.js";
import { PRIVATE } from "../tools/store/make-folder.js";
import { storeName } from "../tools/store/settings.js";
import { fetchOptions, webPageReader } from "../tools/web/web-reader.js";
import { sleep } from "../waiting.js";
import { folderOfIds, scansFolder, settingsOf, sitesFile, stoppedFile } from "./open.js";
import type { Options } from "./options.js";
import { type Progress, progress, warnOnceOfWait } from "./progress.js";
import { type Placed, placedIn, projectSources, readProject } from "./project.js";
import { type CommandRun, EXIT } from "./run.js";
import { columns, escapedJson, oneLine, stripControls, warn, withCount } from "./screen.js";

/** `emend ingest`: updates the store from files, folders, globs, stdin, web pages, sitemaps and sites. */
export const ingestCommand: CommandRun = async (given, options, signal) => {
  const isPiped = given.includes("-");
  if (options.name !== undefined && !isPiped)
    throw new UsageError("--name names what comes from stdin: add a - to it.");
  const named = sourcesNamed(
    given.filter((word) => word !== "-"),
    process.cwd(),
  );
  const sources = options.crawl ? crawled(named, options.limit) : named;
  if (!isPiped) return updateStore(sources, options, signal);
  const folder = await mkdtemp(join(tmpdir(), "emend-stdin-"));
  try {
    const file = await fromStdin(folder, options.name ?? "stdin.md", signal);
    return await updateStore({ ...sources, paths: [...sources.paths, file] }, options, signal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Returns sources with sites in place of pages. */
function crawled({ pages, ...rest }: Sources, limit: number | undefined): Sources {
  if (pages.length === 0)
    throw new UsageError("--crawl reads sites: name the address of one, such as https://example.org/docs.");
  return { ...rest, pages: [], sites: pages.map((address) => ({ address, limit })) };
}

/** `emend sync`: updates the store from all the sources that a file names, once or until Ctrl-C. */
export const syncCommand: CommandRun = async (_words, options, signal) => {
  const { every, ...once } = options;
  const code = await syncOnce(once, signal);
  if (every === undefined) return code;
  while (await waited(every, signal))
    // What fails now may work the next time.
    await syncOnce(options, signal).catch((error: unknown) => signal.aborted || warn(toError(error).message));
  return EXIT.done;
};

/** Waits. Returns false if the signal aborts before. */
const waited = (seconds: number, signal: AbortSignal): Promise<boolean> =>
  sleep(seconds * 1000, signal).then(
    () => true,
    () => false,
  );

async function syncOnce(options: Options, signal: AbortSignal): Promise<number> {
  const { sources, folder } = await projectSources(options.config);
  const named = sources.flatMap(({ source, ...stamp }): NamedSource[] => {
    if (typeof source === "string" || !("loader" in source)) return [];
    const { options: filled, secrets } = withVariables(source.options);
    return [{ source: { ...source, options: filled as LoaderSource["options"] }, stamp, secrets }];
  });
  return updateStore(sourcesIn(sources, folder), options, signal, await openSources(named, folder));
}

/** Returns the files, pages and sites among sources, with their stamps. Paths are relative to the folder. */
function sourcesIn(placed: readonly Placed[], folder: string): Sources {
  const words: string[] = [];
  const sitemaps: string[] = [];
  const sites: Site[] = [];
  const stamps = new Map<string, Stamp>();
  for (const { source, ...stamp } of placed) {
    const name = nameOf(source);
    if (name === undefined) continue;
    if (typeof source === "string" || "path" in source) words.push(name);
    else if ("sitemap" in source) sitemaps.push(name);
    else if ("site" in source) sites.push({ address: name, limit: source.limit });
    if (!isSameStamp(stamps.get(name) ?? stamp, stamp))
      throw new UsageError(`${name} is named twice, with other readers or another collection. Name it once.`);
    stamps.set(name, stamp);
  }
  const named = sourcesNamed(words, folder);
  return { ...named, sitemaps: [...named.sitemaps, ...sitemaps], sites, stamps };
}

/** The path or address of a source; undefined for a loader. */
function nameOf(source: Placed["source"]): string | undefined {
  if (typeof source === "string") return source;
  if ("path" in source) return source.path;
  if ("sitemap" in source) return source.sitemap;
  return "site" in source ? source.site : undefined;
}

/** Writes stdin into a file. Its document has its own address, so that it is not taken for a file that vanished. */
async function fromStdin(folder: string, name: string, signal: AbortSignal): Promise<NamedFile> {
  if (!isReadable(name))
    throw new UsageError(`--name ${name} does not tell a kind that is read. End it with .md, say.`);
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Stops just above the limit, so that the file is reported as too large.
  for await (const chunk of addAbortSignal(signal, process.stdin)) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > LARGEST_FILE) break;
  }
  const path = join(folder, `stdin.${extensionOf(name)}`);
  await writeFile(path, Buffer.concat(chunks), PRIVATE);
  return { path, documentId: hasScheme(name) ? name : `stdin:${name}` };
}

/**
 * Brings the store up to date with sources, and says what was done.
 * @param elsewhere the other sources, if these are all the sources. Then documents that come from none of them are listed,
 * or removed with --prune.
 */
async function updateStore(
  sources: Sources,
  options: Options,
  signal: AbortSignal,
  elsewhere?: readonly OpenedSource[],
): Promise<number> {
  const isAll = elsewhere !== undefined;
  const settings = settingsOf(options);
  const store = storeName(settings);
  const { here } = sources;
  const stamp = isAll
    ? undefined
    : await (options.collection === undefined ? stampsHere() : stampOf(options.collection));
  using line = progress();
  // Without the cache, so that pages are fetched anew.
  const pageReader = webPageReader(fetchOptions(settings));
  const tools = { ...openTools(settings, { onWait: warnOnceOfWait(line) }), pageReader };
  const documents = options.dryRun ? readOnly(tools.documents) : tools.documents;
  const knowledge = options.dryRun ? undefined : tools.knowledge;
  // A Neo4j may belong to others: only `graph build` and `graph load` write to it.
  const facts = !settings.neo4j;
  const cwd = folderOfIds(settings);
  const stopped = stoppedIn(resolve(stoppedFile(settings)));
  const scans = options.dryRun ? undefined : scansIn(resolve(scansFolder(settings)));
  const memory = sitesIn(resolve(sitesFile(settings)));
  const embedding = embeddingOf(documents, line, signal);
  let kept = 0;
  let isFirst = true;
  let isFaulty = false;
  try {
    const passes = options.watch ? fileChanges(sources.paths, { here, signal }) : [() => false];
    for await (const isKnown of passes) {
      await embedding.stop();
      const found: Changes = { added: [], changed: [], unchanged: [], restamped: [], removed: [], ignored: [] };
      const usual = {
        ...{ documents, knowledge, facts, signal, scans, shard: options.shard },
        stopped: options.dryRun ? undefined : stopped,
        onScan: (document: string, read: number, all: number) =>
          line.say(`${document}: ${read} of ${all} scanned pages and pictures read`),
        onKept: (n: number) => (kept = n),
        onProgress: (done: number, total: number, path: string) => line.say(`${done}/${total} ${path}`),
        onOutcome: (outcome: IngestOutcome, document: string) => found[outcome].push(document),
      };
      // Pages and other sources are read only in the first pass, to spare their servers.
      const ofFiles = await ingestSources(isFirst ? sources : { ...sources, pages: [], sitemaps: [], sites: [] }, {
        ...usual,
        pageReader,
        memory: options.dryRun ? { ...memory, keep: async () => {} } : memory,
        robots: settings.robots,
        cwd,
        isKnown,
        stamp,
        missing: options.removeMissing ? "remove" : isAll || !isFirst ? "keep" : undefined,
      });
      const before = countKept(ofFiles);
      const summary = together(
        ofFiles,
        await syncSources(isFirst ? (elsewhere ?? []) : [], {
          ...usual,
          isTrial: options.dryRun,
          onKept: (more) => (kept = before + more),
        }),
      );
      const unnamed = isAll ? await withoutName(sources, found, summary) : undefined;
      line.stop();
      // The reason may name the page already.
      for (const { path, reason } of [...summary.failures, ...summary.warnings])
        warn(reason.startsWith(path) ? reason : `${path}: ${reason}`);
      const { unchanged: _, ...changes } = found;
      const report = { ...summary, ...(unnamed && { unnamed }), ...(options.dryRun && { documents: changes }) };
      const text = options.json
        ? escapedJson(report, options.watch || options.every ? 0 : 2)
        : stripControls(summaryInWords(summary, store, { unnamed, changes: options.dryRun ? changes : undefined }));
      const isNews = countHandled(summary) > summary.unchanged || summary.failures.length > 0;
      if (isNews || options.every === undefined) process.stdout.write(`${text}\n`);
      isFaulty ||= countHandled(summary) === 0 || summary.failures.length > 0;
      isFirst = false;
      // Last, since it takes longest: meanwhile documents are found by words.
      embedding.start();
      if (options.watch) line.say("Watching. Ctrl-C ends it.");
    }
    const isEmbedded = await embedding.end();
    if (options.watch) return EXIT.done;
    signal.throwIfAborted();
    return isFaulty || !isEmbedded ? EXIT.fault : EXIT.done;
  } catch (error) {
    line.stop();
    if (kept > 0)
      warn(
        `Stopped. ${withCount(kept, "document is", "documents are")} in ${store} as they are now; the same command goes on from there.`,
      );
    else if (signal.aborted) warn(`Stopped. No document was written to ${store}.`);
    throw error;
  } finally {
    // Closing compacts the store, which may take a while: after Ctrl-C the next ingest does it.
    await (signal.aborted ? tools.encoder?.close() : closeTools(tools));
  }

  /** Returns the documents that come from no source. With --prune, removes them and returns none. */
  async function withoutName(sources: Sources, found: Changes, summary: IngestSummary): Promise<string[]> {
    const stored = (await documents.list()).map(({ documentId }) => documentId);
    const { ignored: _, ...handled } = found;
    const unnamed = await notNamed(sources, stored, {
      found: new Set(Object.values(handled).flat()),
      failures: summary.failures,
      cwd,
      elsewhere: elsewhere?.map(({ as }) => as),
    });
    if (!options.prune || unnamed.length === 0) return unnamed;
    await removeDocuments(unnamed, { documents, knowledge, signal });
    summary.removed += unnamed.length;
    found.removed.push(...unnamed);
    return [];
  }
}

/** Returns the stamps of files by their paths, as the sources of `emend.json` say: they hold for `ingest` too. */
async function stampsHere() {
  const project = await readProject();
  return project && stampsOfPaths(sourcesIn(placedIn(project), process.cwd()));
}

/** Returns what documents of a collection are stamped with. */
async function stampOf(collection: string): Promise<Stamp> {
  const { collections = {} } = (await readProject()) ?? {};
  const names = Object.keys(collections);
  if (!names.includes(collection))
    throw new UsageError(
      `emend.json has no collection ${collection}. ${names.length > 0 ? `It has ${names.join(", ")}.` : 'Add it to "collections".'}`,
    );
  return { collection, readers: collections[collection]?.readers };
}

/** The documents, with writes that do nothing. */
const readOnly = (documents: Documents): Documents => {
  const { tidy: _tidy, embed: _embed, restate, ...rest } = documents;
  return { ...rest, upsert: async () => {}, remove: async () => 0, ...(restate && { restate: async () => {} }) };
};

/** Embeds in the background. After a stop, embedding goes on from where it was. */
function embeddingOf(documents: Documents, line: Progress, signal: AbortSignal) {
  let stopping = new AbortController();
  let running = Promise.resolve(true);

  /** Returns false if the model failed. Reports on stderr what is left, unless it was only stopped to go on later. */
  async function embed(stop: AbortSignal): Promise<boolean> {
    let wordsOnly = 0;
    let hasModel = false;
    const onProgress = (done: number, total: number) => {
      hasModel = true;
      wordsOnly = total - done;
      if (total > 0) line.say(`${done}/${total} passages embedded`);
    };
    try {
      await documents.embed?.({ signal: stop, onProgress });
      // Others may have written more in the meantime.
      const left = hasModel ? unembeddedIn(await documents.describe?.()) : 0;
      if (left > 0) warn(notEmbedded(left));
      return true;
    } catch (error) {
      if (stop.aborted && (!signal.aborted || wordsOnly === 0)) return true;
      line.stop();
      warn(stop.aborted ? notEmbedded(wordsOnly) : `${notEmbedded(wordsOnly)} ${toError(error).message}`);
      return stop.aborted;
    }
  }

  return {
    start(): void {
      stopping = new AbortController();
      running = embed(AbortSignal.any([signal, stopping.signal]));
    },
    /** Stops at once. */
    async stop(): Promise<void> {
      stopping.abort();
      await running;
    },
    /** Waits until all is embedded. */
    end: () => running,
  };
}

const notEmbedded = (passages: number) =>
  `${withCount(passages, "passage is", "passages are")} not embedded yet and found by words alone; the same command goes on from there.`;

/** Documents by outcome. */
type Changes = Record<IngestOutcome, string[]>;

interface More {
  /** Documents that come from no source. Undefined if not all sources are known. */
  unnamed: readonly string[] | undefined;
  /** What a dry run would have done. Undefined for any other run. */
  changes: Omit<Changes, "unchanged"> | undefined;
}

/** Says what an ingest did, or would have done, for people to read. */
function summaryInWords(summary: IngestSummary, store: string, { unnamed = [], changes }: More): string {
  const { added, changed, unchanged, removed, moved, passages, failures, hidden, ignored, removedAsIgnored } = summary;
  const { skipped, examples, empty, restamped } = summary;
  const written = changes
    ? "nothing was written, since this is a dry run"
    : `${withCount(passages, "passage")} written to ${store}`;
  const sum = `${added} added, ${changed} changed, ${unchanged} unchanged, ${removed} removed, ${failures.length} failed; ${written}.`;
  const isNothing = countHandled(summary) === 0 && failures.length === 0;
  const kinds = Object.entries(skipped).map(([kind, count]) => {
    const advice = adviceFor(kind);
    const such = [`such as ${examples[kind]}`, ...(advice === "" ? [] : [advice])].join("; ");
    return [`${kind || "without an extension"} (${count})`, oneLine(such)];
  });
  const unlisted = kinds.length - MAX_LISTED;
  const rules = Object.entries(ignored).map(([rule, count]) => `${rule} (${count})`);
  const [was, were] = changes ? ["would be", "would be"] : ["was", "were"];
  const went = changes ? "would be removed" : "was removed";
  const taken = `${withCount(removedAsIgnored, `document ${was}`, `documents ${were}`)} removed from the store for it.`;
  return [
    ...columns(Object.entries(changes ?? {}).flatMap(([outcome, ids]) => ids.map((id) => [outcome, oneLine(id)]))),
    isNothing ? `Nothing to ingest: there is no file of a kind that emend reads. ${store} is as it was.` : sum,
    ...(restamped > 0
      ? [`${withCount(restamped, "document")} changed only in who may read them, or in their collection.`]
      : []),
    ...(moved > 0
      ? [
          `${withCount(moved, "document")} had another path before: the file was moved, so what came from there ${went}.`,
        ]
      : []),
    ...(kinds.length > 0
      ? [
          `${withCount(total(skipped), "file")} of kinds that emend does not read:`,
          ...columns(kinds.slice(0, MAX_LISTED)).map((line) => `  ${line}`),
          ...(unlisted > 0 ? [`  and ${withCount(unlisted, "more kind")}`] : []),
        ]
      : []),
    ...(empty.length > 0 ? [`${withCount(empty.length, "file")} without text: ${listed(empty, "file")}.`] : []),
    ...(hidden.length > 0
      ? [
          `${withCount(hidden.length, "folder that begins with a dot", "folders that begin with a dot")} not searched: ${listed(hidden, "folder")}. Name one to ingest it.`,
        ]
      : []),
    ...(rules.length > 0
      ? [`${total(ignored)} left out: ${listed(rules, "file")}.${removedAsIgnored > 0 ? ` ${taken}` : ""}`]
      : []),
    ...(unnamed.length > 0
      ? [
          `${withCount(unnamed.length, "document comes", "documents come")} from none of these sources: ${listed(unnamed, "document")}. --prune removes them.`,
        ]
      : []),
  ].join("\n");
}

/** The number of documents handled without failure. */
const countHandled = (summary: IngestSummary) => countKept(summary) + summary.removed;

const total = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

function listed(names: readonly string[], what: string): string {
  const more = names.length - MAX_LISTED;
  const rest = more > 0 ? ` and ${withCount(more, `more ${what}`)}` : "";
  return names.slice(0, MAX_LISTED).map(oneLine).join(", ") + rest;
}

const MAX_LISTED = 20;
