import type { ingest as ingestNow } from "./tools/ingest/ingest.js";
import type { ingestDocuments as ingestDocumentsNow } from "./tools/ingest/ingest-documents.js";
import type { loadFiles as loadFilesNow } from "./tools/ingest/load-files.js";
import type { readPage as readPageNow } from "./tools/web/read-page.js";

// Their parsers are loaded by the first call: most programs that answer questions read neither files nor pages.

/** Updates a store from files, folders and globs, as `emend ingest` does. */
export const ingest: typeof ingestNow = async (...given) => (await import("./tools/ingest/ingest.js")).ingest(...given);

/** Stores LangChain documents from loaders or splitters. */
export const ingestDocuments: typeof ingestDocumentsNow = async (...given) =>
  (await import("./tools/ingest/ingest-documents.js")).ingestDocuments(...given);

/** Reads whole documents from files, folders and globs, without storing them. */
export const loadFiles: typeof loadFilesNow = async (...given) =>
  (await import("./tools/ingest/load-files.js")).loadFiles(...given);

/** Reads the main text of a web page. */
export const readPage: typeof readPageNow = async (...given) =>
  (await import("./tools/web/read-page.js")).readPage(...given);
