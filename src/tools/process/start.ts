import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * Starts a module, named relative to `url`, in a child process that communicates by messages. The child gets an empty
 * environment, so that an exploit of a parser finds no keys, and this module's folder, since the one that the program was
 * started in may be gone. When run from source, the module may be TypeScript.
 */
export function startBeside(
  url: string,
  name: string,
  { words = [], flags = [] }: { words?: readonly string[]; flags?: readonly string[] },
): ChildProcess {
  const isSource = new URL(url).pathname.endsWith(".ts");
  const path = fileURLToPath(new URL(`./${name}.${isSource ? "ts" : "js"}`, url));
  return fork(path, words, {
    serialization: "advanced",
    cwd: dirname(path),
    env: {},
    execArgv: [...flags, ...(isSource ? ["--import", tsx()] : [])],
    stdio: "ignore",
  });
}

const tsx = () => pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
