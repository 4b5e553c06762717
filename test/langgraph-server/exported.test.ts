import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { finished, startedServer } from "./start.js";

const pages = {
  "receipts.md": "# Receipts\n\nTravel receipts are kept for seven years. Hotel bills are kept for two years.\n",
  "发票.md": "# 发票\n\n差旅发票保存七年。住宿账单保存两年。\n",
};

let folder: string;
let server: Awaited<ReturnType<typeof startedServer>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "emend-exported-"));
  await mkdir(join(folder, "docs"));
  for (const [name, text] of Object.entries(pages)) await writeFile(join(folder, "docs", name), text);
  // The same as `emend ingest docs --store store` and then `npm run dev`.
  const documents = sqlDocuments(openDatabase(join(folder, "store")));
  await ingestFiles(["docs"], { documents, cwd: folder });
  await documents.close();
  vi.stubEnv("EMEND_STORE", join(folder, "store"));
  vi.stubEnv("EMEND_ENCODER", "");
  server = await startedServer(JSON.parse(await readFile("langgraph.json", "utf8")).graphs);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

test.each([
  ["How long are travel receipts kept?", "docs/receipts.md", "Travel receipts are kept for seven years."],
  ["差旅发票保存多久？", "docs/发票.md", "差旅发票保存七年。"],
])("the graph that langgraph.json names answers from the store, and quotes it: %s", async (question, uri, quote) => {
  const { answer } = await finished(server.client.runs.wait(null, "emend", { input: { question } }));
  expect(answer?.status).toBe("answered");
  expect(answer?.references).toMatchObject([{ number: 1, uri }]);
  const quotes = answer?.claims.flatMap((claim) => claim.citations.map((citation) => citation.quote)) ?? [];
  expect(quotes[0]).toBe(quote);
  const page = await readFile(join(folder, uri), "utf8");
  for (const each of quotes) expect(page).toContain(each);
});

test("a question that the store does not answer is refused, and the missing part is named", async () => {
  const { answer } = await finished(
    server.client.runs.wait(null, "emend", { input: { question: "Who leads Procurement?" } }),
  );
  expect(answer).toMatchObject({ status: "refused", claims: [], missing: expect.stringMatching(/\w/) });
});

test("the exported graph has no checkpointer, so that the server's is used", async () => {
  const { graph } = await import("../../src/graph/langgraph-server.js");
  expect(graph.checkpointer).toBeUndefined();
});
