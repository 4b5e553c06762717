import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder of its own, with these files, in which the command line is run as a person would run it. */
export async function folder(files: Record<string, string | Uint8Array> = {}) {
  const path = mkdtempSync(join(tmpdir(), "emend-cli-"));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(join(path, dirname(name)), { recursive: true });
    await writeFile(join(path, name), content);
  }
  const start = (words: readonly string[], environment: Record<string, string> = {}) =>
    spawn(process.execPath, [MAIN, ...words], {
      cwd: path,
      // Nothing of the tester's own settings, and no encoder, which takes a second to start, but where a test sets one.
      env: { PATH: process.env.PATH, HOME: process.env.HOME, EMEND_ENCODER: "off", ...environment },
    });
  return {
    path,
    start,
    /** Runs a command to its end, with this on stdin. */
    run(words: readonly string[], environment: Record<string, string> = {}, stdin = ""): Promise<Ended> {
      const child = start(words, environment);
      child.stdin.end(stdin);
      return ended(child);
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** What a started command wrote, and how it ended. */
export function ended(child: ReturnType<Awaited<ReturnType<typeof folder>>["start"]>): Promise<Ended> {
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

const MAIN = resolve("dist/cli/main.js");

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
