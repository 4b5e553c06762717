import nodePath from "node:path";

/**
 * Returns the path relative to `cwd`, or the absolute path if it is outside, with forward slashes on every system. A
 * relative path never looks like an address.
 */
export function documentIdOf(path: string, cwd: string, system = nodePath): string {
  const relative = system.relative(cwd, path);
  const id = slashed(isInside(relative, system) ? relative : path, system);
  // "todo:today.md" would be read as an address.
  return isInside(relative, system) && hasScheme(id) ? `./${id}` : id;
}

/** True for an address, such as the URL of a page; false for a path. A single letter is a drive. */
export const hasScheme = (text: string) => /^[a-z][a-z0-9+.-]+:(?!\s)/i.test(text);

/** What the ids of uploaded documents begin with. */
export const UPLOADED = "upload:";
export const isUploaded = (id: string) => id.startsWith(UPLOADED);

export const slashed = (path: string, { sep } = nodePath) => path.replaceAll(sep, "/");
export const isInside = (relative: string, { isAbsolute, sep } = nodePath) =>
  relative !== ".." && !relative.startsWith(`..${sep}`) && !isAbsolute(relative);

/** True for the id of a source itself, or one below it: "wiki/a" and "wiki#a" are below "wiki", and "wikipedia" is not. */
export const isBelow = (id: string, source: string) =>
  SEPARATOR.test(source)
    ? id.startsWith(source)
    : id === source || (id.startsWith(source) && /^[/\\#?]/.test(id.slice(source.length)));

/** Returns an id that is below a source: the id itself, or the id after the name of the source. */
export const placedBelow = (id: string, source: string) => (isBelow(id, source) ? id : idIn(source, id));

/** Returns the id of what a source calls by this name. Different names have different ids. */
export const idIn = (source: string, name: string) => `${source}${SEPARATOR.test(source) ? "" : "/"}${name}`;

const SEPARATOR = /[/\\#?:]$/;

/** The hash of a document that a program delivered. It is not looked for on disk, nor removed with the files there. */
export const deliveredHash = (hash: string) => `${DELIVERED}${hash}`;
export const isDelivered = (hash: string) => hash.startsWith(DELIVERED);

const DELIVERED = "delivered ";

/** Returns a hash together with what its document is stamped with. @param stamp empty for none. */
export const stampedHash = (hash: string, stamp: string) => (stamp === "" ? hash : `${hash}${STAMPED}${stamp}`);
/** Returns a hash without the stamp, and the stamp, which may be empty. */
export function unstamped(hash: string): { hash: string; stamp: string } {
  const [own = "", stamp = ""] = hash.split(STAMPED, 2);
  return { hash: own, stamp };
}

const STAMPED = " @";

/** Returns the ids of a document's passages, in order. */
export const passageIds = ({ documentId, passages }: { documentId: string; passages: number }): string[] =>
  Array.from({ length: passages }, (_, position) => passageId(documentId, position));

export const passageId = (documentId: string, position: number) => `${documentId}#${position}`;
