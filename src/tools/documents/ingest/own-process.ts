import { stat } from "node:fs/promises";
import type { Passage } from "../../../types/evidence.js";
import { inOwnProcess } from "../../process/own-process.js";
import type { SourceDocument } from "./chunk.js";
import { chunk } from "./chunk.js";
import { LARGEST_FILE, load, loadPassages } from "./load.js";

/** As `chunk`, without holding this process up. @throws ReadingStoppedError, or the signal's reason. */
export const chunkInOwnProcess = async (document: SourceDocument, signal?: AbortSignal): Promise<Passage[]> =>
  document.text.length < SHORT ? chunk(document) : inOwnProcess("chunk", [document], { signal, ms: PATIENCE });

/** As `load`, without holding this process up. @throws also ReadingStoppedError, or the signal's reason. */
export const loadInOwnProcess: InOwnProcess<typeof load> = async (args, signal) =>
  (await isQuick(args[0])) ? load(...args) : inOwnProcess("load", args, { signal, ms: PATIENCE });

/** As `loadPassages`, without holding this process up. @throws also ReadingStoppedError, or the signal's reason. */
export const loadPassagesInOwnProcess: InOwnProcess<typeof loadPassages> = async (args, signal) =>
  (await isQuick(args[0])) ? loadPassages(...args) : inOwnProcess("loadPassages", args, { signal, ms: PATIENCE });

type InOwnProcess<F extends (...args: never[]) => unknown> = (
  args: Parameters<F>,
  signal?: AbortSignal,
) => ReturnType<F>;

/** Characters or bytes below which reading is quicker than handing the text to another process, even if it is hostile. */
const SHORT = 4_000;
/** Milliseconds for 20 MB on a slow machine. */
const PATIENCE = 60_000;

/** Also what is not read at all: its reader says why. */
async function isQuick(path: string): Promise<boolean> {
  const { size } = await stat(path).catch(() => ({ size: 0 }));
  return size < SHORT || size > LARGEST_FILE;
}
