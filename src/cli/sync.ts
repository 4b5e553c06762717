import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { z } from "zod";
import { toError, UsageError } from "../errors.js";
import { isAddress } from "../tools/ingest/ingest-pages.js";
import { readText } from "../tools/ingest/load.js";
import { type Sources, sourcesNamed } from "../tools/ingest/sources.js";
import type { CommandRun } from "./run.js";
import { update } from "./store.js";

/** `emend sync`: updates the store from all the sources that a file names. */
export const syncCommand: CommandRun = async (_words, options, signal) =>
  update(await sourcesIn(options.config), options, signal, true);

/** Reads the sources that a file names. Its paths are relative to its folder. */
async function sourcesIn(named: string | undefined): Promise<Sources> {
  const name = named ?? "emend.json";
  const path = resolve(name);
  if (named === undefined && !existsSync(path))
    throw new UsageError(`There is no emend.json here. Write one, such as ${EXAMPLE}, or name a file with --config.`);
  const parsed = File.safeParse(json(await readText(path), name));
  if (!parsed.success) {
    const issues = parsed.error.issues.map(({ path, message }) => `${z.core.toDotPath(path) || "it"} ${message}`);
    throw new UsageError(`${name}: ${issues.join("; ")}. It looks like ${EXAMPLE}`);
  }
  const { sources } = parsed.data;
  const words = sources.filter((source) => typeof source === "string");
  const { sitemaps, ...rest } = sourcesNamed(words, dirname(path));
  const more = sources.flatMap((source) => (typeof source === "string" ? [] : [source.sitemap]));
  return { ...rest, sitemaps: [...sitemaps, ...more] };
}

const Address = z.string().refine((text) => isAddress(text) && URL.canParse(text), { error: "must be an address" });
const File = z.strictObject(
  {
    sources: z
      .array(
        z.union([z.string().regex(/\S/), z.strictObject({ sitemap: Address })], {
          error: 'must be a path, a glob, an address, or {"sitemap": an address}',
        }),
        { error: "must be a list" },
      )
      .min(1, { error: "must name at least one source" }),
  },
  { error: 'must be an object with "sources" alone' },
);

const EXAMPLE = '{"sources": ["docs", "notes/**/*.md", "https://example.org/sitemap.xml"]}';

function json(text: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${name} is not JSON: ${toError(error).message}`);
  }
}
