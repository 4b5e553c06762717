import { dirname, resolve } from "node:path";
import { loadSettings } from "../config.js";
import { type IngestSummary, ingest } from "../corpus/ingest.js";
import { ingestPages, isAddress } from "../corpus/ingest-pages.js";
import { openTools } from "../tools/open.js";
import { fetchOptions, webPageReader } from "../tools/page-reader/web-reader.js";
import { progress } from "./progress.js";
import { EXIT, type Run } from "./run.js";
import { plain, screen } from "./screen.js";
import { waiting } from "./waiting.js";

/** `emend ingest`: brings the store up to date with files, folders and pages of the web. */
export const ingestCommand: Run = async (given, { store }, signal) => {
  const [out, err] = [screen(process.stdout), screen(process.stderr)];
  const settings = loadSettings(store === undefined ? {} : { store });
  const line = progress();
  const { documents, knowledge, encoder } = openTools(settings, { onWait: waiting(line, err) });
  const pageReader = webPageReader(fetchOptions(settings));
  const urls = given.filter(isAddress);
  const paths = given.filter((text) => !isAddress(text)).map((path) => resolve(path));
  const kept = { pages: 0, files: 0 };
  const embedding = { done: 0, total: 0 };
  try {
    const parts: IngestSummary[] = [];
    if (urls.length > 0) {
      line.say(plain(`Reading ${urls.join(", ")}`));
      parts.push(await ingestPages(urls, { documents, pageReader, signal, onKept: (pages) => (kept.pages = pages) }));
    }
    if (paths.length > 0)
      parts.push(
        await ingest(paths, {
          documents,
          ...(knowledge && { knowledge }),
          // Where the store lies, so that a document is the same one from whichever folder it is ingested.
          cwd: dirname(resolve(settings.store)),
          signal,
          onKept: (files) => (kept.files = files),
          onProgress: (done, total, path) => line.say(plain(`${done}/${total} ${path}`)),
        }),
      );
    const summary = parts.reduce(together);
    // Last, since it takes longest: what was written is found by words meanwhile.
    const onProgress = (done: number, total: number) => {
      Object.assign(embedding, { done, total });
      if (total > 0) line.say(plain(`${done}/${total} passages embedded`));
    };
    const notEmbedded = await documents.embed?.({ signal, onProgress }).catch((error: Error) => error);
    signal.throwIfAborted();
    line.stop();
    for (const { path, reason } of summary.failures) err.write(`emend: ${onOneLine(named(path, reason))}\n`);
    out.write(`${inWords(summary, settings.store)}\n`);
    if (notEmbedded)
      err.write(
        `emend: ${untilEmbedded(embedding)}; the same command goes on from there. ${onOneLine(notEmbedded.message)}\n`,
      );
    return taken(summary) > 0 && summary.failures.length === 0 && !notEmbedded ? EXIT.done : EXIT.fault;
  } catch (error) {
    line.stop();
    const documents = kept.pages + kept.files;
    if (signal.aborted || documents > 0) err.write(`emend: ${untilHere(documents, settings.store, embedding)}\n`);
    throw error;
  } finally {
    line.stop();
    await encoder?.close();
    // Closing tidies, which may take a while: after Ctrl-C that is left to the next time.
    if (!signal.aborted) {
      await documents.close();
      await knowledge?.close();
      await pageReader.close();
    }
  }
};

const together = (one: IngestSummary, other: IngestSummary): IngestSummary => ({
  added: one.added + other.added,
  changed: one.changed + other.changed,
  unchanged: one.unchanged + other.unchanged,
  removed: one.removed + other.removed,
  passages: one.passages + other.passages,
  failures: [...one.failures, ...other.failures],
});

/** Documents that are in the store now, or were taken out of it on purpose. */
const taken = ({ added, changed, unchanged, removed }: IngestSummary) => added + changed + unchanged + removed;

const untilHere = (documents: number, store: string, embedding: Embedding) =>
  documents === 0
    ? `Stopped. No document was written to ${store}.`
    : `Stopped. ${documents} ${documents === 1 ? "document is" : "documents are"} in ${store} as they are now; ${embedding.total > 0 ? `${untilEmbedded(embedding)}; ` : ""}the same command goes on from there.`;

interface Embedding {
  done: number;
  /** Passages that had no vector when this began. */
  total: number;
}

const untilEmbedded = ({ done, total }: Embedding) =>
  `${total - done} ${total - done === 1 ? "passage is" : "passages are"} not embedded yet and found by words alone`;

function inWords(summary: IngestSummary, store: string): string {
  const { added, changed, unchanged, removed, passages, failures } = summary;
  if (taken(summary) === 0 && failures.length === 0)
    return `Nothing to ingest: no Markdown, plain text or HTML file is there. ${store} is as it was.`;
  const documents = `${added} added, ${changed} changed, ${unchanged} unchanged, ${removed} removed`;
  return `${documents}, ${failures.length} failed; ${passages} passages written to ${store}.`;
}

/** What is said of a page names it. */
const named = (path: string, reason: string) => (reason.startsWith(path) ? reason : `${path}: ${reason}`);

const onOneLine = (text: string) => plain(text).replace(/\s+/g, " ").trim();
