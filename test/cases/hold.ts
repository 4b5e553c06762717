import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { type Agent, createAgent } from "../../src/agent.js";
import { cite } from "../../src/checking/cite.js";
import { verify } from "../../src/checking/verify.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { loadDocuments } from "../../src/ingest/load.js";
import { openEncoder } from "../../src/tools/encoder/onnx.js";
import type { Encoder } from "../../src/tools/encoder/port.js";
import { holds } from "../../src/types/answer.js";

/**
 * A line of `cases.jsonl`: a folder beside it with files of a kind that people complain about, what is asked of them, and
 * regular expressions that the output has or does not have. `show` is the text that is stored of a file.
 */
interface Case {
  folder: string;
  do: "ask" | "show" | "verify" | "cite";
  with: string;
  must?: string;
  never?: string;
}

const HERE = fileURLToPath(new URL(".", import.meta.url));

/** @param storeOf returns the setting of an empty store for these files. */
export function casesHold(store: string, storeOf: (folder: string) => Promise<string>): void {
  const cases = readFileSync(join(HERE, "cases.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line): Case => JSON.parse(line));
  let encoder: Encoder | undefined;
  const agents = new Map<string, Promise<Agent>>();

  async function opened(folder: string): Promise<Agent> {
    encoder ??= openEncoder({});
    const agent = createAgent({
      store: await storeOf(folder),
      runs: "off",
      tools: { ...(encoder && { encoder }) },
    });
    const { documents, knowledge } = agent.tools;
    const { failures } = await ingestFiles([join(HERE, folder)], { documents, ...(knowledge && { knowledge }) });
    expect(failures).toEqual([]);
    await documents.embed?.();
    return agent;
  }

  async function said({ folder, do: task, with: text }: Case): Promise<string> {
    if (task === "show") {
      const { documents, failures } = await loadDocuments([join(HERE, folder, text)]);
      return [...documents.map((document) => document.text), ...failures.map(({ reason }) => reason)].join("\n");
    }
    const known = agents.get(folder) ?? opened(folder);
    agents.set(folder, known);
    const agent = await known;
    if (task === "ask") return (await agent.ask(text)).text.split(/\n(?:Sources|来源)\n/)[0] ?? "";
    const { documents } = await loadDocuments([join(HERE, folder)]);
    const sources = documents.map(({ documentId: id, title, uri, text }) => ({ id, title, uri, text }));
    if (task === "cite") return (await cite(text, sources, { tools: agent.tools })).text;
    const { claims } = await verify(text, sources, { tools: agent.tools });
    return claims.map((claim) => `${holds(claim) ? "✓" : "?"} ${claim.text}`).join("\n");
  }

  afterAll(async () => {
    for (const agent of agents.values()) await (await agent).close();
    await encoder?.close();
  });

  describe(`files of the kinds that people complain about, in ${store}`, () => {
    for (const one of cases) {
      test(`${one.folder}: ${one.do} ${one.with}`, { timeout: 60_000 }, async () => {
        const words = await said(one);
        if (one.must) expect(words).toMatch(pattern(one.must));
        if (one.never) expect(words).not.toMatch(pattern(one.never));
      });
    }
  });
}

/** "(?m)" at the start of a pattern means that ^ and $ match at every line. */
const pattern = (written: string) => new RegExp(written.replace("(?m)", ""), written.startsWith("(?m)") ? "mu" : "u");

/** A folder for a store that lives as long as the tests of a file. */
export async function temporaryStores(): Promise<(folder: string) => Promise<string>> {
  const path = await mkdtemp(join(tmpdir(), "emend-cases-"));
  afterAll(() => rm(path, { recursive: true, force: true }));
  return async (folder) => join(path, folder);
}
