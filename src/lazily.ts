import type { ingestFiles, ingestLangchain } from "./tools/ingest/ingest.js";
import type { loadDocuments } from "./tools/ingest/load.js";
import type { readPageInOwnProcess } from "./tools/web/read-page.js";

// Their parsers are loaded by the first call: most programs that answer questions read neither files nor pages.

/** Updates a store from files, folders and globs, as `emend ingest` does. */
export const ingest: typeof ingestFiles = async (...given) =>
  (await import("./tools/ingest/ingest.js")).ingestFiles(...given);

/** Stores LangChain documents from loaders or splitters. */
export const ingestDocuments: typeof ingestLangchain = async (...given) =>
  (await import("./tools/ingest/ingest.js")).ingestLangchain(...given);

/** Reads whole documents from files, folders and globs, without storing them. */
export const loadFiles: typeof loadDocuments = async (...given) =>
  (await import("./tools/ingest/load.js")).loadDocuments(...given);

/** Reads the main text of a web page. */
export const readPage: typeof readPageInOwnProcess = async (...given) =>
  (await import("./tools/web/read-page.js")).readPageInOwnProcess(...given);
