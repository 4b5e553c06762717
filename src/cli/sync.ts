import { type Sources, sourcesNamed } from "../ingest/sources.js";
import { projectPart } from "./project.js";
import type { CommandRun } from "./run.js";
import { updateStore } from "./store.js";

/** `emend sync`: updates the store from all the sources that a file names. */
export const syncCommand: CommandRun = async (_words, options, signal) =>
  updateStore(await sourcesIn(options.config), options, signal, true);

/** Reads the sources that a file names. Its paths are relative to its folder. */
async function sourcesIn(named: string | undefined): Promise<Sources> {
  const { value: sources, folder } = await projectPart("sources", named);
  const words = sources.filter((source) => typeof source === "string");
  const { sitemaps, ...rest } = sourcesNamed(words, folder);
  const more = sources.flatMap((source) => (typeof source === "string" ? [] : [source.sitemap]));
  return { ...rest, sitemaps: [...sitemaps, ...more] };
}
