import { unzip } from "./archive.js";
import { type Picture, pictureMark } from "./content.js";

/** Collects the pictures of an archive, which stay packed. */
export function picturesOf(archive: Uint8Array): {
  found: Picture[];
  /** Returns the mark of a picture by its path; empty if it has one already. */
  mark(path: string): string;
} {
  const found: Picture[] = [];
  const known = new Set<string>();
  return {
    found,
    mark(path) {
      if (path === "" || known.has(path)) return "";
      known.add(path);
      const mark = pictureMark(found.length);
      found.push({
        mark,
        async bytes() {
          const files = await unzip(archive, (name) => name === path);
          return files.get(path) ?? new Uint8Array();
        },
      });
      return mark;
    },
  };
}
