import { type ChildProcess, fork } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

/**
 * Starts the module of this name beside `url` in a process of its own, which talks by messages and has nothing of the
 * environment: whoever breaks a parser finds no key there. Run from its sources, it reads TypeScript too.
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
    env: {},
    execArgv: [...flags, ...(isSource ? ["--import", tsx()] : [])],
    stdio: "ignore",
  });
}

const tsx = () => pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
