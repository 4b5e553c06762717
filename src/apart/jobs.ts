import { chunk } from "../corpus/chunk.js";
import { load, loadPassages } from "../corpus/load.js";
import { readHtmlPage, readPdfPage } from "../tools/page-reader/read-page.js";

/** What is done in a process of its own, since its input was written by others. Takes and gives plain data. */
export const JOBS = { readHtmlPage, readPdfPage, chunk, load, loadPassages };

export type Jobs = typeof JOBS;
