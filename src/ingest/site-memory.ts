import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { z } from "zod";
import { makeFolder, PRIVATE } from "../tools/store/make-folder.js";
import { hashOf } from "./load.js";

const Visit = z.object({
  /** When the page was last requested, in milliseconds since 1970. */
  at: z.number().optional(),
  etag: z.string().optional(),
  lastModified: z.string().optional(),
  /** The date of its last change in the sitemap. */
  listed: z.string().optional(),
  /** The address that it redirects to. */
  to: z.string().optional(),
  /** The hash of the document that it became. */
  hash: z.string().optional(),
  /** Identifies its title and text. */
  text: z.string().optional(),
  /** Why it was not stored. */
  left: z.string().optional(),
  /** The document that it repeats. */
  of: z.string().optional(),
});

/** What is known of an address of a site. Nothing, if it was found but not requested. */
export type Visit = z.infer<typeof Visit>;

/** Remembers the addresses of sites, so that the next crawl requests only what has changed. */
export interface SiteMemory {
  /** The addresses of a site by their URL, in the order in which they were found. Empty if nothing is known. */
  recall(site: string): Promise<ReadonlyMap<string, Visit>>;
  /** Replaces what is known of a site. Never throws: what cannot be remembered is requested again. */
  keep(site: string, visits: ReadonlyMap<string, Visit>): Promise<void>;
}

/** Remembers sites in a JSON file. A missing or damaged file counts as empty. */
export function sitesIn(path: string): SiteMemory {
  const all = async () => {
    try {
      return Sites.parse(JSON.parse(await readFile(path, "utf8")));
    } catch {
      return {};
    }
  };
  return {
    async recall(site) {
      const { reader, visits = {} } = (await all())[site] ?? {};
      const known = Object.entries(visits);
      // Another version may read a page differently, so every page is requested again.
      return new Map(reader === READER ? known : known.map(([url]) => [url, {}]));
    },
    async keep(site, visits) {
      const sites = { ...(await all()), [site]: { reader: READER, visits: Object.fromEntries(visits) } };
      const unfinished = `${path}.${process.pid}`;
      try {
        await makeFolder(dirname(path));
        await writeFile(unfinished, JSON.stringify(sites), PRIVATE);
        await rename(unfinished, path);
      } catch {
        // The next crawl requests everything.
      }
    },
  };
}

const Sites = z.record(z.string(), z.object({ reader: z.string(), visits: z.record(z.string(), Visit) }));

/** Identifies the version of the code that reads pages. */
const READER = hashOf("");
