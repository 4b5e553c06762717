import type { PageReader } from "../../web/page/port.js";
import { metadataOf } from "../metadata.js";
import type { Documents } from "../port.js";
import type { Failure } from "./find.js";
import type { IngestSummary } from "./ingest.js";
import { hashOf } from "./load.js";
import { chunkInOwnProcess } from "./own-process.js";

/** True if the user means a web page, not a file. */
export const isAddress = (text: string) => /^https?:\/\//i.test(text);

interface IngestPagesOptions {
  documents: Documents;
  pageReader: PageReader;
  signal?: AbortSignal;
  /** Called after each page that is up to date, with the number of such pages. */
  onKept?: (pages: number) => void;
}

/**
 * Stores web pages under their addresses after redirects. Unchanged pages are not written again. Pages that cannot be read
 * are reported as failures, and what is stored of them stays.
 */
export async function ingestPages(
  urls: readonly string[],
  { documents, pageReader, signal, onKept }: IngestPagesOptions,
): Promise<IngestSummary> {
  const stored = new Map((await documents.list()).map(({ documentId, hash }) => [documentId, hash]));
  const failures: Failure[] = [];
  const summary = { added: 0, changed: 0, unchanged: 0, removed: 0, passages: 0, failures, skipped: {} };
  for (const address of urls) {
    try {
      const { url, title, published, modified, markdown } = await pageReader.read(address, signal ? { signal } : {});
      const metadata = metadataOf(Object.entries({ published, modified }));
      const about = { title: title || url, reviewedAt: modified || published, metadata };
      const hash = hashOf(JSON.stringify([about, markdown]));
      const known = stored.get(url);
      if (known === hash) summary.unchanged += 1;
      else {
        const document = { documentId: url, uri: url, ...about, format: "markdown", text: markdown, hash } as const;
        const passages = await chunkInOwnProcess(document, signal);
        await documents.upsert(passages, signal ? { signal } : {});
        summary[known === undefined ? "added" : "changed"] += 1;
        summary.passages += passages.length;
      }
      onKept?.(summary.added + summary.changed + summary.unchanged);
    } catch (error) {
      signal?.throwIfAborted();
      if (!isPageError(error)) throw error;
      failures.push({ path: address, reason: error.message });
    }
  }
  await documents.tidy?.();
  return summary;
}

/** False for errors of the store. */
const isPageError = (error: unknown): error is Error =>
  error instanceof Error && ["FetchRefusedError", "PageUnavailableError", "ReadingStoppedError"].includes(error.name);
