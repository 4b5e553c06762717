import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import net, { type AddressInfo, type Socket } from "node:net";
import { afterAll } from "vitest";
import { FetchRefusedError, PageUnavailableError } from "../../../src/errors.js";
import type { SafeFetchOptions } from "../../../src/tools/web/port.js";
import { safeFetch } from "../../../src/tools/web/safe-fetch.js";

/** A server on loopback, with its entry for the allowed hosts and its address. */
export interface TestServer {
  allowed: string;
  url: string;
  port: number;
  /** The first lines and headers of the requests, in order. */
  asked: string[];
}

const opened: { close(): unknown }[] = [];
afterAll(() => Promise.all(opened.map((one) => one.close())));

/** Sends the bytes that `reply` writes, HTTP or not, after a request. */
export async function rawServer(reply: (socket: Socket, server: TestServer) => void): Promise<TestServer> {
  const sockets = new Set<Socket>();
  const listening = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.once("data", (data) => {
      server.asked.push(data.toString("latin1"));
      reply(socket, server);
    });
  });
  const server = await listen(listening);
  opened.push({
    close: () => {
      for (const socket of sockets) socket.destroy();
      listening.close();
    },
  });
  return server;
}

/** An ordinary server. */
export async function webServer(
  reply: (request: IncomingMessage, response: ServerResponse, server: TestServer) => void,
  address = "127.0.0.1",
): Promise<TestServer> {
  const listening: Server = createServer((request, response) => {
    server.asked.push(`${request.method} ${request.url}`);
    reply(request, response, server);
  });
  const server = await listen(listening, address);
  opened.push({
    close: () => {
      listening.closeAllConnections();
      listening.close();
    },
  });
  return server;
}

async function listen(listening: net.Server, address = "127.0.0.1"): Promise<TestServer> {
  await new Promise<void>((ready, failed) => listening.once("error", failed).listen(0, address, ready));
  const { port } = listening.address() as AddressInfo;
  const allowed = `${address.includes(":") ? `[${address}]` : address}:${port}`;
  return { allowed, url: `http://${allowed}`, port, asked: [] };
}

/** A fetch that may reach these servers, by default without robots.txt and delays, which would slow the tests. */
export function fetchFrom(servers: readonly TestServer[], options: SafeFetchOptions = {}) {
  const fetching = safeFetch({
    allowPrivateHosts: servers.map(({ allowed }) => allowed),
    robots: false,
    politeness: { delayMs: 0 },
    resolve: async (host) => Promise.reject(new Error(`the test did not mean to look up ${host}`)),
    ...options,
  });
  opened.push(fetching);
  return fetching;
}

/** The reason in a fetch error; any other error is rethrown. */
export async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "fetched";
  } catch (error) {
    if (error instanceof FetchRefusedError) return `refused: ${error.reason}`;
    if (error instanceof PageUnavailableError) return `unavailable: ${error.reason}`;
    throw error;
  }
}

export const html = (response: ServerResponse, body: string, headers: Record<string, string> = {}) =>
  response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers }).end(body);
