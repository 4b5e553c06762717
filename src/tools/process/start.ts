import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/** Returns the address of a module beside the one at `url`, by its name without an ending. From source it is TypeScript. */
export const moduleBeside = (url: string, name: string): string =>
  new URL(`./${name}.${new URL(url).pathname.endsWith(".ts") ? "ts" : "js"}`, url).href;

/**
 * Starts a module in a child process that communicates by messages. The child gets an empty environment, so that an
 * exploit of a parser finds no keys, and the module's folder, since the one that the program was started in may be gone.
 */
export function startModule(
  module: string,
  { words = [], flags = [] }: { words?: readonly string[]; flags?: readonly string[] },
): ChildProcess {
  const path = fileURLToPath(module);
  return fork(path, words, {
    serialization: "advanced",
    cwd: dirname(path),
    env: {},
    execArgv: [...flags, ...(path.endsWith(".ts") ? ["--import", tsx()] : [])],
    stdio: "ignore",
  });
}

const tsx = () => pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
