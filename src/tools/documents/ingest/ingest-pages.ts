import { createHash } from "node:crypto";
import type { PageReader } from "../../web/page/port.js";
import type { Documents } from "../port.js";
import { CHUNKING } from "./chunk.js";
import type { Failure } from "./find.js";
import type { IngestSummary } from "./ingest.js";
import { LOADING } from "./loaders.js";
import { chunkInOwnProcess } from "./own-process.js";

/** Whether a person means a page and not a file. */
export const isAddress = (text: string) => /^https?:\/\//i.test(text);

export interface IngestPagesOptions {
  documents: Documents;
  pageReader: PageReader;
  signal?: AbortSignal;
  /** Called after each page that the store holds as it is now: how many these are. */
  onKept?: (pages: number) => void;
}

/**
 * Reads pages of the web into the store, each under the address it has after redirects. A page that says what it said is
 * not written again; one that cannot be read is named, and what is stored of it stays.
 */
export async function ingestPages(
  urls: readonly string[],
  { documents, pageReader, signal, onKept }: IngestPagesOptions,
): Promise<IngestSummary> {
  const stored = new Map((await documents.list()).map(({ documentId, hash }) => [documentId, hash]));
  const failures: Failure[] = [];
  const summary = { added: 0, changed: 0, unchanged: 0, removed: 0, passages: 0, failures };
  for (const address of urls) {
    try {
      const { url, title, published, modified, markdown } = await pageReader.read(address, signal ? { signal } : {});
      const about = { title: title || url, reviewedAt: modified || published };
      const hash = createHash("sha256")
        .update(`${LOADING}.${CHUNKING}\n${JSON.stringify([about, markdown])}`)
        .digest("hex");
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
      if (!isOfPage(error)) throw error;
      failures.push({ path: address, reason: error.message });
    }
  }
  await documents.tidy?.();
  return summary;
}

/** The store's own faults are not the page's. */
const isOfPage = (error: unknown): error is Error =>
  error instanceof Error && ["FetchRefusedError", "PageUnavailableError", "ReadingStoppedError"].includes(error.name);
