import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { boundedFetch, endpointClient } from "../../../src/tools/endpoint/endpoint.js";
import { fakeEndpoint, refuse } from "../encoder/endpoint.js";

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

describe("the error of an endpoint", () => {
  const told = async (message: string, apiKey: string) => {
    await using refusing = await fakeEndpoint((_texts, response) => refuse(response, 418, message));
    const names = { kind: "test", keyVariable: "K", modelVariable: "M", addressVariable: "A", expected: "words" };
    const settings = { model: "m", baseURL: refusing.baseURL, apiKey };
    const client = endpointClient(settings, { timeoutMs: 5000, retries: 0 }, names);
    return await client.post("/", { input: [] }, undefined).catch(({ message }: Error) => message);
  };

  test("contains no part of the key, wherever a long message is cut", async () => {
    for (let length = 180; length <= 200; length++)
      expect(await told(`${"x".repeat(length)}secret-key-of-somebody`, "secret-key-of-somebody")).not.toContain("xs");
  });

  test('keeps the word "none" if there is no key', async () => {
    expect(await told("none of the workers is free", "none")).toContain("none of the workers is free");
  });
});
