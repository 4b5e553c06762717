import { createHash } from "node:crypto";
import { posix } from "node:path";
import { UPLOADED } from "../../tools/documents/document-id.js";
import type { Filter } from "../../types/filter.js";

/** In characters, with the extension. */
const LONGEST_NAME = 150;

/**
 * Returns what a file is called, from what a client says: without folders, control and invisible characters, and dots
 * or spaces at its ends. A long name is shortened before its extension. May be empty. No file on disk ever gets this
 * name, so names that a system reserves do no harm.
 */
export function fileNameOf(given: string): string {
  const [last = ""] = given.normalize("NFC").split(/[\\/]/).slice(-1);
  const name = last
    .replace(/[\p{Cf}\p{Cs}\p{Co}]/gu, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .replace(/^[ .]+|[ .]+$/g, "");
  if (name.length <= LONGEST_NAME) return name;
  const [stem, extension] = partsOf(name);
  return stem.slice(0, LONGEST_NAME - extension.length).replace(/[\ud800-\udbff]$/, "") + extension;
}

/** Names the second, third and further files that have one name: "report (2).pdf". */
export function numbered(name: string, number: number): string {
  const [stem, extension] = partsOf(name);
  return number === 1 ? name : `${stem} (${number})${extension}`;
}

/** What is longer than 20 characters is no extension. */
function partsOf(name: string): readonly [stem: string, extension: string] {
  const { name: stem, ext } = posix.parse(name);
  return ext.length <= 20 ? [stem, ext] : [name, ""];
}

/**
 * Returns the id of the document that a file becomes. It is never the path of a file, so ingesting a folder does not
 * take the document for one that vanished. Callers of different scopes never share an id, so that none of them can
 * replace what it cannot read, or learn of it.
 */
export const uploadId = (name: string, scope: Filter) =>
  scope.length === 0 ? `${UPLOADED}${name}` : `${UPLOADED}${hashOf(scope)}/${name}`;

const hashOf = (scope: Filter) => createHash("sha256").update(JSON.stringify(scope)).digest("hex").slice(0, 8);
