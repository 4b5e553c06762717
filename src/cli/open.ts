import { loadSettings, type Settings } from "../config.js";
import { closeTools } from "../graph/parts.js";
import { openTools } from "../open.js";
import type { Options } from "./program.js";

export const settingsOf = ({ store }: Options): Settings => loadSettings(store === undefined ? {} : { store });

/** The parts that the settings name, closed at the end of the block that uses them. */
export function usingTools(...given: Parameters<typeof openTools>) {
  const tools = openTools(...given);
  return { ...tools, [Symbol.asyncDispose]: () => closeTools(tools) };
}
