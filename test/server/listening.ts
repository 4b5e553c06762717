import { once } from "node:events";
import { type AddressInfo, connect, createServer as listenerFor } from "node:net";
import { serve } from "@hono/node-server";
import { afterAll } from "vitest";
import { createAgent } from "../../src/agent.js";
import type { closingIfSlow } from "../../src/cli/serve.js";
import type { ScopeOf } from "../../src/graph/scope.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { createServer, type ServerOptions } from "../../src/server/app.js";
import type { ContextInput } from "../../src/state/context.js";
import type { Tools } from "../../src/state/tools.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";

const PASSAGES = [
  fakePassage("leave", "Full-time staff have 28 days of paid leave."),
  fakePassage("差旅", "出国差旅由部门负责人审批。"),
];

/** A server on a free port over two small documents, without a chat model. It is closed after the tests of the file. */
export async function listening({
  tools,
  scope,
  patience,
  usual,
  onRequest,
  at = 0,
  ...options
}: Partial<ServerOptions> & {
  tools?: Partial<Tools>;
  scope?: ScopeOf;
  patience?: object;
  /** The agent's own context. */
  usual?: ContextInput;
  onRequest?: ReturnType<typeof closingIfSlow>;
  /** The port. Default: any that is free. */
  at?: number;
} = {}) {
  const documents = inMemoryDocuments(PASSAGES);
  const checkpointer = sqlThreads(openDatabase(":memory:"));
  const agent = createAgent({
    tools: { documents, ...localReasoners(), ...tools },
    checkpointer,
    ...(scope && { scope }),
    ...(usual && { context: usual }),
  });
  const { app, drain } = createServer({ agent, ...options });
  const server = serve({ fetch: app.fetch, port: at, hostname: "127.0.0.1", serverOptions: patience ?? {} });
  if (onRequest) server.on("request", onRequest);
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

/** A port that was free a moment ago, for a server that has to know its address before it listens. */
export async function freePort(): Promise<number> {
  const probe = listenerFor().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return port;
}

/** A server that works on a question until it is aborted, with promises for its start and its end. */
export async function stuck() {
  const began = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  const { grader } = localReasoners();
  const server = await listening({
    tools: {
      grader: {
        ...grader,
        grade: (_task, { signal }) => {
          began.resolve();
          return new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              stopped.resolve();
              reject(signal.reason);
            });
          });
        },
      },
    },
  });
  return { ...server, began: began.promise, stopped: stopped.promise };
}

/** Sends raw bytes, with `wait` milliseconds between the parts, and returns the reply. */
export const raw = (port: number, text: string | readonly string[], wait = 0) =>
  new Promise<string>((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let reply = "";
    socket.setEncoding("latin1");
    socket.on("data", (data) => {
      reply += data;
    });
    socket.on("close", () => resolve(reply));
    // The server may close the connection during a write.
    socket.on("error", () => resolve(reply));
    socket.setTimeout(3_000, () => socket.destroy());
    for (const [i, part] of [text].flat().entries()) setTimeout(() => socket.write(part, "latin1"), i * wait);
  });
