import { dirname, resolve } from "node:path";
import { EmptyStoreError } from "../errors.js";
import { closeTools } from "../graph/parts.js";
import { openTools } from "../open.js";
import { type IngestSummary, ingest } from "../tools/documents/ingest/ingest.js";
import { ingestPages, isAddress } from "../tools/documents/ingest/ingest-pages.js";
import { removeSources } from "../tools/documents/ingest/remove.js";
import { fetchOptions, webPageReader } from "../tools/web/page/web-reader.js";
import { settingsOf, usingTools } from "./open.js";
import { progress, waiting } from "./progress.js";
import { EXIT, type Run } from "./run.js";
import { complain, counted, escapedJson, onOneLine, plain } from "./screen.js";

/** `emend ingest`: updates the store from files, folders and web pages. */
export const ingestCommand: Run = async (given, options, signal) => {
  const settings = settingsOf(options);
  const { store } = settings;
  using line = progress();
  // Without the cache, so that pages are fetched anew.
  const pageReader = webPageReader(fetchOptions(settings));
  const tools = { ...openTools(settings, { onWait: waiting(line) }), pageReader };
  const { documents, knowledge } = tools;
  const urls = given.filter(isAddress);
  const paths = given.filter((text) => !isAddress(text)).map((path) => resolve(path));
  const kept = { pages: 0, files: 0 };
  try {
    const parts: IngestSummary[] = [];
    if (urls.length > 0) {
      line.say(`Reading ${urls.join(", ")}`);
      parts.push(await ingestPages(urls, { documents, pageReader, signal, onKept: (pages) => (kept.pages = pages) }));
    }
    if (paths.length > 0)
      parts.push(
        await ingest(paths, {
          documents,
          knowledge,
          // Ids are relative to the store, so that they do not depend on the current folder.
          cwd: dirname(resolve(store)),
          signal,
          onKept: (files) => (kept.files = files),
          onProgress: (done, total, path) => line.say(`${done}/${total} ${path}`),
        }),
      );
    const summary = parts.reduce(together);
    // Last, since it takes longest: meanwhile documents are found by words.
    let wordsOnly = 0;
    const onProgress = (done: number, total: number) => {
      wordsOnly = total - done;
      if (total > 0) line.say(`${done}/${total} passages embedded`);
    };
    const notEmbedded = await documents.embed?.({ signal, onProgress }).catch((error: Error) => error);
    signal.throwIfAborted();
    line.stop();
    // The reason may name the page already.
    for (const { path, reason } of summary.failures) complain(reason.startsWith(path) ? reason : `${path}: ${reason}`);
    process.stdout.write(options.json ? `${escapedJson(summary)}\n` : `${plain(inWords(summary, store))}\n`);
    if (notEmbedded)
      complain(
        `${counted(wordsOnly, "passage is", "passages are")} not embedded yet and found by words alone; the same command goes on from there. ${notEmbedded.message}`,
      );
    return taken(summary) > 0 && summary.failures.length === 0 && !notEmbedded ? EXIT.done : EXIT.fault;
  } catch (error) {
    line.stop();
    const written = kept.pages + kept.files;
    if (written > 0)
      complain(
        `Stopped. ${counted(written, "document is", "documents are")} in ${store} as they are now; the same command goes on from there.`,
      );
    else if (signal.aborted) complain(`Stopped. No document was written to ${store}.`);
    throw error;
  } finally {
    // Closing compacts the store, which may take a while: after Ctrl-C the next ingest does it.
    await (signal.aborted ? tools.encoder?.close() : closeTools(tools));
  }
};

const together = (one: IngestSummary, other: IngestSummary): IngestSummary => ({
  added: one.added + other.added,
  changed: one.changed + other.changed,
  unchanged: one.unchanged + other.unchanged,
  removed: one.removed + other.removed,
  passages: one.passages + other.passages,
  failures: [...one.failures, ...other.failures],
  skipped: { ...one.skipped, ...other.skipped },
});

/** The number of documents handled without failure. */
const taken = ({ added, changed, unchanged, removed }: IngestSummary) => added + changed + unchanged + removed;

function inWords(summary: IngestSummary, store: string): string {
  const { added, changed, unchanged, removed, passages, failures } = summary;
  const skipped = skippedInWords(summary);
  if (taken(summary) === 0 && failures.length === 0)
    return `Nothing to ingest: no file of a kind that emend reads is there. ${store} is as it was.${skipped}`;
  const documents = `${added} added, ${changed} changed, ${unchanged} unchanged, ${removed} removed`;
  return `${documents}, ${failures.length} failed; ${passages} passages written to ${store}.${skipped}`;
}

/** Returns a line with the kinds of files that were not read; empty if there are none. */
function skippedInWords({ skipped }: IngestSummary): string {
  const kinds = Object.entries(skipped);
  const all = kinds.reduce((sum, [, count]) => sum + count, 0);
  if (all === 0) return "";
  const named = kinds.slice(0, MOST_KINDS).map(([kind, count]) => `${kind || "without an extension"} (${count})`);
  const more = kinds.length > MOST_KINDS ? ` and ${counted(kinds.length - MOST_KINDS, "more kind")}` : "";
  return `\n${counted(all, "file")} of kinds that emend does not read: ${named.join(", ")}${more}.`;
}

const MOST_KINDS = 20;

/** `emend list`: lists the documents in the store with their numbers of passages. */
export const listCommand: Run = async (_words, options) => {
  const settings = settingsOf(options);
  await using tools = usingTools(settings);
  const all = await tools.documents.list();
  if (all.length === 0) throw new EmptyStoreError(settings.store);
  if (options.json) {
    process.stdout.write(`${escapedJson({ documents: all })}\n`);
    return EXIT.done;
  }
  const width = Math.max(...all.map(({ passages }) => `${passages}`.length));
  const lines = all.map(({ documentId, passages }) => `${`${passages}`.padStart(width)}  ${onOneLine(documentId)}`);
  const passages = all.reduce((sum, document) => sum + document.passages, 0);
  const sum = `${counted(all.length, "document")} with ${counted(passages, "passage")} in ${settings.store}.`;
  process.stdout.write(`${[...lines, sum].join("\n")}\n`);
  return EXIT.done;
};

/** `emend remove`: removes documents from the store by file, folder or page. */
export const removeCommand: Run = async (names, options, signal) => {
  const settings = settingsOf(options);
  using line = progress();
  await using tools = usingTools(settings, { onWait: waiting(line) });
  const { documents, knowledge } = tools;
  const cwd = dirname(resolve(settings.store));
  const removed = await removeSources(names, { documents, knowledge, signal, cwd, here: process.cwd() });
  const said = `${counted(removed.documents, "document")} with ${counted(removed.passages, "passage")} removed from ${settings.store}. The files are left as they are.`;
  process.stdout.write(`${options.json ? escapedJson(removed) : said}\n`);
  return EXIT.done;
};
