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
export const slashed = (path: string, { sep } = nodePath) => path.replaceAll(sep, "/");
export const isInside = (relative: string, { isAbsolute, sep } = nodePath) =>
  relative !== ".." && !relative.startsWith(`..${sep}`) && !isAbsolute(relative);
