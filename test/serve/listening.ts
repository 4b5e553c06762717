import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { afterAll } from "vitest";
import { createAgent } from "../../src/agent.js";
import type { Tools } from "../../src/graph/parts.js";
import { createServer, type ServerOptions } from "../../src/serve/app.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { localReasoners } from "../../src/tools/reasoner/local/index.js";
import { sqliteThreads } from "../../src/tools/threads/sqlite.js";

const PASSAGES = [
  fakePassage("leave", "Full-time staff have 28 days of paid leave."),
  fakePassage("差旅", "出国差旅由部门负责人审批。"),
];

/** A server on a free port over two small documents and the local form; closed after the file's tests. */
export async function listening({ tools, ...options }: Partial<ServerOptions> & { tools?: Partial<Tools> } = {}) {
  const documents = inMemoryDocuments(PASSAGES);
  const checkpointer = sqliteThreads(":memory:");
  const agent = createAgent({ tools: { documents, ...localReasoners(), ...tools }, checkpointer });
  const { app, drain } = createServer({ agent, ...options });
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  afterAll(async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await agent.close();
  });
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}`;
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${address}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { address, port, post, drain, agent };
}
