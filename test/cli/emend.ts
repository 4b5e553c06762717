import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Readable, Writable } from "node:stream";
import { vi } from "vitest";
import { emend } from "../../src/cli/program.js";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A new folder with these files, in which commands run. */
export async function folder(files: Record<string, string | Uint8Array> = {}) {
  const path = mkdtempSync(join(tmpdir(), "emend-cli-"));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(path, dirname(name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  // No settings of the developer's environment. No encoder, which takes a second to load, and no trial
  // of a scripted model, unless a test sets them.
  const settings = (given: Record<string, string> = {}) => ({
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    EMEND_ENCODER: "off",
    EMEND_MODEL_USE: "all",
    ...given,
  });
  return {
    path,
    /** Starts a command in a separate process, so that a test can interrupt it. */
    start: (words: readonly string[], environment?: Record<string, string>) =>
      spawn(process.execPath, [MAIN, ...words], { cwd: path, env: settings(environment) }),
    /**
     * Runs a command to its end with this on stdin. It runs in this process, one at a time, since starting a process
     * takes longer than most commands.
     * @param onStderr called for each write to stderr.
     */
    run: (
      words: readonly string[],
      environment?: Record<string, string>,
      stdin = "",
      onStderr: () => void = () => {},
    ): Promise<Ended> => inThisProcess(words, path, settings(environment), stdin, onStderr),
    // A program that was just ended may still write its last file.
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10 }),
  };
}

async function inThisProcess(
  words: readonly string[],
  path: string,
  env: NodeJS.ProcessEnv,
  stdin: string,
  onStderr: () => void,
) {
  const said = { stdout: "", stderr: "" };
  const before = { path: process.cwd(), env: { ...process.env }, listeners: process.listeners("SIGINT") };
  for (const name of ["stdout", "stderr"] as const) {
    const write = (text: string, done?: () => void) => {
      said[name] += text;
      if (name === "stderr" && text !== "") onStderr();
      done?.();
    };
    vi.spyOn(process, name, "get").mockReturnValue(Object.assign(new Writable(), { write }) as typeof process.stdout);
  }
  vi.spyOn(process, "stdin", "get").mockReturnValue(Readable.from([Buffer.from(stdin)]) as typeof process.stdin);
  vi.spyOn(process, "exit").mockImplementation((code) => {
    throw new Exit(Number(code));
  });
  process.chdir(path);
  become(env);
  try {
    await emend().parseAsync(words, { from: "user" });
    throw new Error("The program did not end itself.");
  } catch (error) {
    if (!(error instanceof Exit)) throw error;
    return { code: error.code, ...said };
  } finally {
    vi.restoreAllMocks();
    process.chdir(before.path);
    become(before.env);
    for (const listener of process.listeners("SIGINT"))
      if (!before.listeners.includes(listener)) process.off("SIGINT", listener);
  }
}

/** Replaces the variables in place: a `.env` file is loaded into the original `process.env`. */
function become(env: NodeJS.ProcessEnv) {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
}

/** Thrown instead of exiting, so that nothing after the exit runs. */
class Exit extends Error {
  constructor(readonly code: number) {
    super();
  }
}

/** The output and exit code of a started command. */
export function ended(child: ChildProcessWithoutNullStreams): Promise<Ended> {
  const said = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (text) => {
    said.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    said.stderr += text;
  });
  return new Promise((done, failed) => {
    child.on("error", failed).on("close", (code) => done({ code, ...said }));
  });
}

/** The built command line. */
export const MAIN = resolve("dist/cli/main.js");

export const OFFICES = {
  "docs/offices.md": `---
reviewed: 2026-02-01
---
# Offices

The Lisbon office opens at eight in the morning. The Utrecht office opens at nine.

## Travel

Travel abroad is approved by the head of the department.
`,
  "docs/办公室.md": `# 办公室

上海办公室早上九点开门，晚上六点关门。

# 差旅

出国差旅由部门负责人审批。
`,
};
