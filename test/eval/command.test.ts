import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";

import { measure, type RunOptions } from "../../research/eval/run.js";

const folder = mkdtempSync(join(tmpdir(), "emend-command-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options: Omit<RunOptions, "data"> = { system: "emend", model: "none", seed: 1 };

/** A separate process loads everything again, which takes a while on a busy machine. */
const STARTING = 60_000;

function file(name: string, ...lines: object[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  return path;
}

describe("measuring", () => {
  test("runs retrieval through the store, in a separate folder", async () => {
    corpusFile();
    file(
      "queries.jsonl",
      { id: "1", question: "When does the office open?", relevant: ["en"] },
      { id: "2", question: "办公室几点开门？", relevant: ["zh"] },
    );
    expect(await measure("retrieval", { ...options, data: folder })).toMatchObject({
      kind: "retrieval",
      data: folder,
      n: 2,
      metrics: { recallAt1: 1 },
      baselines: { bm25: { recallAt1: 1 } },
      items: [{ id: "1", top: expect.arrayContaining(["en"]) }, { id: "2" }],
    });
    expect(await measure("retrieval", { ...options, data: folder, limit: 1 })).toMatchObject({ n: 1 });
  });

  test("runs the whole graph over the corpus that accompanies the questions", async () => {
    const result = await measure("qa", { ...options, data: qaFile() });
    expect(result).toMatchObject({ kind: "qa", n: 1, metrics: { callsPerItem: 0, faults: 0 } });
  });

  test("refuses the plain system without a model", async () => {
    const plain = measure("qa", { ...options, data: qaFile(), system: "plain" });
    await expect(plain).rejects.toThrow(/--system plain needs a chat model/);
  });
});

describe("the command", () => {
  test("prints only JSON", { timeout: STARTING }, async () => {
    const path = file("s.jsonl", { id: "1", claim: "八点开门。", sources: ["办公室八点开门。"], supported: true });
    const { code, stdout } = await command("support", "--data", path, "--model", "none", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: "support", data: path, n: 1 });
  });

  test("reports in one line what is wrong with the data, and where", { timeout: STARTING }, async () => {
    const path = file("bad.jsonl", { id: "1", claim: "c", sources: ["s"], supported: true }, { id: "2" });
    const { code, stdout, stderr } = await command("support", "--data", path, "--json");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^\S*bad\.jsonl:2: claim: .*\n$/);
  });
});

function corpusFile() {
  file("corpus.jsonl", { id: "en", text: "The office opens at eight." }, { id: "zh", text: "办公室八点开门。" });
}

function qaFile(): string {
  corpusFile();
  return file("qa.jsonl", { id: "1", question: "When does the office open?", answers: ["eight"], answerable: true });
}

function command(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const line = [join("node_modules", "tsx", "dist", "cli.mjs"), join("research", "eval", "main.ts"), ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, line, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
  });
}
