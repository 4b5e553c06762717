import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";
import { lanceDocuments } from "../../../src/tools/documents/lancedb.js";
import { documentsContract } from "../../contract/documents.js";

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

documentsContract("LanceDB on disk", async () => {
  const folder = await mkdtemp(join(tmpdir(), "emend-lance-"));
  folders.push(folder);
  return (options) => lanceDocuments({ path: join(folder, "store"), ...options });
});
