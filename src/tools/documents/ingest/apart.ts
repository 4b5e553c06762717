import { stat } from "node:fs/promises";
import type { Passage } from "../../../types/evidence.js";
import { apart } from "../../process/apart.js";
import type { SourceDocument } from "./chunk.js";
import { chunk } from "./chunk.js";
import { LARGEST_FILE, load, loadPassages } from "./load.js";

/** As `chunk`, without holding this process up. @throws ReadingStoppedError, or the signal's reason. */
export const chunkApart = async (document: SourceDocument, signal?: AbortSignal): Promise<Passage[]> =>
  document.text.length < SHORT ? chunk(document) : apart("chunk", [document], { signal, ms: PATIENCE });

/** As `load`, without holding this process up. @throws also ReadingStoppedError, or the signal's reason. */
export const loadApart: Apart<typeof load> = async (args, signal) =>
  (await isQuick(args[0])) ? load(...args) : apart("load", args, { signal, ms: PATIENCE });

/** As `loadPassages`, without holding this process up. @throws also ReadingStoppedError, or the signal's reason. */
export const loadPassagesApart: Apart<typeof loadPassages> = async (args, signal) =>
  (await isQuick(args[0])) ? loadPassages(...args) : apart("loadPassages", args, { signal, ms: PATIENCE });

type Apart<F extends (...args: never[]) => unknown> = (args: Parameters<F>, signal?: AbortSignal) => ReturnType<F>;

/** What is shorter, in characters or bytes, is read before another process would have heard of it, whatever it says. */
const SHORT = 4_000;
/** Milliseconds for 20 MB on a slow machine. */
const PATIENCE = 60_000;

/** Also what is not read at all: its reader says why. */
async function isQuick(path: string): Promise<boolean> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  return size < SHORT || size > LARGEST_FILE;
}
