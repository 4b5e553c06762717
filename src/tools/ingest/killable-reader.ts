import { ReadingStoppedError } from "../../errors.js";
import { isSimple } from "../formats/registry.js";
import { inOwnProcess, limitsFor } from "../process/own-process.js";
import { moduleBeside } from "../process/start.js";
import { bytesOf } from "./bytes.js";
import { hashOf, load, loadPassages } from "./load.js";
import { readSitemap, type Sitemap } from "./sitemap.js";
import type { Stopped } from "./stopped.js";

/** As `load`, without holding this process up. @throws also ReadingStoppedError, or the signal's reason. */
export const loadInOwnProcess: InOwnProcess<typeof load> = (args, signal) =>
  reading(args, load, (limits) => inOwnProcess(LOAD, load, args, { signal, ...limits }));

/**
 * As `loadPassages`, without holding this process up.
 * @param stopped remembers a file that is given up, until it changes. Default: it is tried each time.
 * @throws also ReadingStoppedError, or the signal's reason.
 */
export const loadPassagesInOwnProcess = (
  args: Parameters<typeof loadPassages>,
  signal?: AbortSignal,
  stopped?: Stopped,
): ReturnType<typeof loadPassages> =>
  reading(args, loadPassages, (limits) => inOwnProcess(LOAD, loadPassages, args, { signal, ...limits }), stopped);

/** As `readSitemap`, without holding this process up. @throws also ReadingStoppedError, or the signal's reason. */
export const readSitemapInOwnProcess = (bytes: Uint8Array, signal?: AbortSignal): Promise<Sitemap> =>
  inOwnProcess(SITEMAP, readSitemap, [bytes], { signal });

const LOAD = moduleBeside(import.meta.url, "load");
const SITEMAP = moduleBeside(import.meta.url, "sitemap");

type InOwnProcess<F extends (...args: never[]) => unknown> = (
  args: Parameters<F>,
  signal?: AbortSignal,
) => ReturnType<F>;

/** Bytes below which reading is quicker than handing the file to another process, even if it is hostile. */
const SHORT = 4_000;

/** Reads nothing of an unchanged file but its bytes, a short simple one here, and any other apart. */
async function reading<T>(
  args: Parameters<typeof load>,
  here: (...args: Parameters<typeof load>) => Promise<T | undefined>,
  apart: (limits: ReturnType<typeof limitsFor>) => Promise<T | undefined>,
  stopped?: Stopped,
): Promise<T | undefined> {
  const [path, , known] = args;
  const bytes = await bytesOf(path);
  const hash = hashOf(bytes);
  if (hash === known) return undefined;
  if (bytes.length < SHORT && isSimple(bytes, path)) return here(...args);
  const reason = await stopped?.reasonOf(hash);
  if (reason !== undefined) throw new Error(reason);
  return apart(limitsFor(bytes.length)).catch(async (error: unknown) => {
    if (error instanceof ReadingStoppedError) await stopped?.add(hash, error.message);
    throw error;
  });
}
