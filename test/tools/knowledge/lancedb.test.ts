import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { lanceKnowledge } from "../../../src/tools/knowledge/lancedb.js";
import { knowledgeContract } from "../../contract/knowledge.js";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "emend-graph-"));
  folders.push(folder);
  return folder;
}

knowledgeContract("LanceDB on disk", async () => {
  const path = join(await newFolder(), "store");
  return () => lanceKnowledge({ path });
});
