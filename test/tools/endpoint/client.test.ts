import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { boundedFetch } from "../../../src/tools/endpoint/endpoint.js";

let closed = false;
const server = createServer(async (request, response) => {
  if (request.url === "/short") return void response.end("x".repeat(1000));
  if (request.url === "/empty") return void response.writeHead(204).end();
  if (request.url === "/packed")
    return void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(5_000_000)));
  response.on("close", () => {
    closed = true;
  });
  while (!response.closed) {
    response.write("x".repeat(100_000));
    await sleep(1);
  }
});
beforeAll(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const get = (path: string, bytes: number) =>
  boundedFetch(bytes)(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);

test("a reply within the size limit is returned unchanged, with its status and headers", async () => {
  const response = await get("/short", 1000);
  expect([response.status, response.headers.get("content-length")]).toEqual([200, "1000"]);
  expect(await response.text()).toHaveLength(1000);
  expect((await get("/empty", 1000)).status).toBe(204);
});

test("an endless reply is cut off with an error, and the connection is closed", async () => {
  await expect((await get("/endless", 1_000_000)).text()).rejects.toThrow("more than 1000000 bytes");
  await expect.poll(() => closed).toBe(true);
});

test("a compressed reply is measured after decompression", async () => {
  await expect((await get("/packed", 1_000_000)).text()).rejects.toThrow("more than 1000000 bytes");
});
