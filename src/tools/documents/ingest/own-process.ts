import type { Passage } from "../../../types/evidence.js";
import { inOwnProcess, limitsFor } from "../../process/own-process.js";
import { bytesOf } from "./bytes.js";
import type { SourceDocument } from "./chunk.js";
import { chunk } from "./chunk.js";
import { hashOf, load, loadPassages } from "./load.js";
import { isSimple } from "./loaders.js";
import type { Sitemap } from "./sitemap.js";

/** As `chunk`, without holding this process up. @throws ReadingStoppedError, or the signal's reason. */
export const chunkInOwnProcess = async (document: SourceDocument, signal?: AbortSignal): Promise<Passage[]> =>
  document.text.length < SHORT
    ? chunk(document)
    : inOwnProcess("chunk", [document], { signal, ...limitsFor(document.text.length) });

/** As `load`, without holding this process up. @throws also ReadingStoppedError, or the signal's reason. */
export const loadInOwnProcess: InOwnProcess<typeof load> = (args, signal) =>
  reading(args, load, (limits) => inOwnProcess("load", args, { signal, ...limits }));

/** As `loadPassages`, without holding this process up. @throws also ReadingStoppedError, or the signal's reason. */
export const loadPassagesInOwnProcess: InOwnProcess<typeof loadPassages> = (args, signal) =>
  reading(args, loadPassages, (limits) => inOwnProcess("loadPassages", args, { signal, ...limits }));

/** As `readSitemap`, without holding this process up. @throws also ReadingStoppedError, or the signal's reason. */
export const readSitemapInOwnProcess = (bytes: Uint8Array, signal?: AbortSignal): Promise<Sitemap> =>
  inOwnProcess("readSitemap", [bytes], { signal });

type InOwnProcess<F extends (...args: never[]) => unknown> = (
  args: Parameters<F>,
  signal?: AbortSignal,
) => ReturnType<F>;

/** Characters or bytes below which reading is quicker than handing the text to another process, even if it is hostile. */
const SHORT = 4_000;

/** Reads nothing of an unchanged file but its bytes, a short simple one here, and any other apart. */
async function reading<T>(
  args: Parameters<typeof load>,
  here: (...args: Parameters<typeof load>) => Promise<T | undefined>,
  apart: (limits: ReturnType<typeof limitsFor>) => Promise<T | undefined>,
): Promise<T | undefined> {
  const [path, , known] = args;
  const bytes = await bytesOf(path);
  if (known !== undefined && hashOf(bytes) === known) return undefined;
  return bytes.length < SHORT && isSimple(bytes, path) ? here(...args) : apart(limitsFor(bytes.length));
}
