import nodePath from "node:path";

/** Whether an id or a name is an address, as of a page, and no path. One letter is a drive. */
export const hasScheme = (text: string) => /^[a-z][a-z0-9+.-]+:/i.test(text);

/** Whether a path lies below a folder; both absolute. */
export function contains(folder: string, path: string): boolean {
  const inside = nodePath.relative(folder, path);
  return inside !== "" && inside !== ".." && !inside.startsWith(`..${nodePath.sep}`) && !nodePath.isAbsolute(inside);
}

/**
 * The documents that came from a file or from below a folder, whether or not it is still there; from a page or from
 * below its address; or that have the name as their id.
 * @param cwd what ids are relative to.
 * @param here what the name is relative to. Default: `cwd`.
 */
export function documentsFrom(
  name: string,
  ids: readonly string[],
  { cwd, here = cwd }: { cwd: string; here?: string },
): string[] {
  if (hasScheme(name)) return ids.filter((id) => id === name || id.startsWith(name.endsWith("/") ? name : `${name}/`));
  const path = nodePath.resolve(here, name);
  return ids.filter((id) => {
    if (id === name) return true;
    const itself = nodePath.resolve(cwd, id);
    return !hasScheme(id) && (itself === path || contains(path, itself));
  });
}
