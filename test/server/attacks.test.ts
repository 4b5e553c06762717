import { describe, expect, test } from "vitest";
import { BODY_TIME, closingIfSlow, HTTP_TIMEOUTS } from "../../src/cli/serve.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { listening, raw } from "./listening.js";

// Hostile requests. `auth.test.ts` has more: host names, origins, tokens, sizes and smuggling.

const TOKEN = "a-token-of-some-length";
const open = await listening();
const locked = await listening({ tokens: [TOKEN] });
const question = "How many days of paid leave do full-time staff have?";
const BODY = JSON.stringify({ query: "leave" });

/** The head of a search request, with another first line or additional headers. */
const head = (port: number, lines: readonly string[] = [], first = "POST /api/search HTTP/1.1") =>
  [first, `Host: 127.0.0.1:${port}`, "Content-Type: application/json", ...lines, "Connection: close", "", ""].join(
    "\r\n",
  );
const length = `Content-Length: ${BODY.length}`;
const entrusted = `Authorization: Bearer ${TOKEN}`;

test("the valid request that the attacks modify is answered", async () => {
  expect(await raw(open.port, head(open.port, [length]) + BODY)).toMatch(/^HTTP\/1\.1 200/);
  expect(await raw(locked.port, head(locked.port, [length, entrusted]) + BODY)).toMatch(/^HTTP\/1\.1 200/);
});

describe("authentication cannot be bypassed:", () => {
  test.each([
    ["in the query", `POST /api/search?token=${TOKEN}&access_token=${TOKEN} HTTP/1.1`, ""],
    ["in the address", `POST http://user:${TOKEN}@127.0.0.1/api/search HTTP/1.1`, ""],
    ["in a cookie", undefined, `Cookie: token=${TOKEN}; Authorization=Bearer ${TOKEN}`],
    ["in another header", undefined, `X-Api-Key: ${TOKEN}`],
    ["for a proxy", undefined, `Proxy-Authorization: Bearer ${TOKEN}`],
    ["behind a wrong one", undefined, `Authorization: Bearer wrong\r\n${entrusted}`],
    ["in a header that hides another address", undefined, "X-Original-URL: /healthz\r\nX-Rewrite-URL: /healthz"],
    ["from a proxy that calls the client local", undefined, "X-Forwarded-For: 127.0.0.1\r\nForwarded: for=127.0.0.1"],
  ])("%s", async (_, first, line) => {
    const sent = head(locked.port, line ? [length, line] : [length], first) + BODY;
    expect(await raw(locked.port, sent)).toMatch(/^HTTP\/1\.1 40[01]/);
  });

  test.each([
    "/healthz/%2e%2e/metrics",
    "/healthz%2f..%2fmetrics",
    "/healthz/../metrics",
    "/healthz%00",
    "/healthz;/metrics",
    "/healthz?/../metrics#",
    "/HEALTHZ",
    "/healthz/",
    "/./metrics",
    "/%6detrics",
    "/api/..%5cmetrics",
    "/..%2f..%2f..%2fetc%2fpasswd",
    "\\metrics",
  ])("by the path %s", async (path) => {
    const reply = await raw(locked.port, head(locked.port, [], `GET ${path} HTTP/1.1`));
    expect(reply).not.toContain("emend_");
    expect(reply).toMatch(path.startsWith("/healthz?") ? /^HTTP\/1\.1 200/ : /^HTTP\/1\.1 40[01]/);
  });

  test("by a second request on the connection of an authenticated one", async () => {
    const both = [head(locked.port, [length, entrusted]).replace("Connection: close\r\n", "") + BODY];
    const replies = await raw(locked.port, [...both, head(locked.port, [length]) + BODY]);
    expect([...replies.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(["200", "401"]);
  });
});

describe("an invalid request is not answered:", () => {
  const hidden = `${BODY}POST /api/search HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  test.each([
    ["chunks that are encoded twice", ["Transfer-Encoding: chunked, identity"]],
    ["chunks by another name", ["Transfer-Encoding: xchunked"]],
    ["chunks named twice", ["Transfer-Encoding: chunked", "Transfer-Encoding: identity"]],
    ["chunks behind a tab", ["Transfer-Encoding:\tchunked", length]],
    ["a length twice", [`${length}, ${BODY.length}`]],
    ["a length below nought", ["Content-Length: -1"]],
    ["a length in hexadecimal", ["Content-Length: 0x10"]],
    ["a length beyond all numbers", ["Content-Length: 99999999999999999999"]],
    ["a header with NUL", [length, "X-A: \0"]],
    ["a header that ends in CR alone", [length, "X-A: b\rTransfer-Encoding: chunked"]],
    ["a header without a name", [length, ": b"]],
    ["10,000 headers", [length, ...Array.from({ length: 10_000 }, (_, i) => `X-${i}: ${i}`)]],
    ["a header of 1 MB", [length, `X-A: ${"a".repeat(1_000_000)}`]],
    ["two hosts", [length, "Host: evil.example.org"]],
  ])("%s", async (_, lines) => {
    expect(await raw(open.port, head(open.port, lines) + hidden)).not.toMatch(/HTTP\/1\.1 2/);
  });

  test.each([
    ["a chunk longer than all numbers", "fffffffffffffffff\r\n"],
    ["a chunk with 100 kB about itself", `${BODY.length.toString(16)};${"a".repeat(100_000)}\r\n${BODY}\r\n0\r\n\r\n`],
  ])("%s", async (_, chunks) => {
    expect(await raw(open.port, head(open.port, ["Transfer-Encoding: chunked"]) + chunks)).not.toMatch(/HTTP\/1\.1 2/);
  });

  test.each([
    ["another host in the first line", "GET http://evil.example.org/healthz HTTP/1.1"],
    ["a request to a proxy", "CONNECT evil.example.org:443 HTTP/1.1"],
    ["an unknown version", "GET /healthz HTTP/9.9"],
    ["a trace", "TRACE /healthz HTTP/1.1"],
    ["an unknown method", "PROPFIND /healthz HTTP/1.1"],
  ])("%s", async (_, first) => {
    expect(await raw(open.port, head(open.port, [], first))).not.toMatch(/HTTP\/1\.1 2/);
  });

  test("a Host header that differs from the first line", async () => {
    const first = "GET http://127.0.0.1/healthz HTTP/1.1";
    expect(await raw(open.port, `${first}\r\nHost: evil.example.org\r\nConnection: close\r\n\r\n`)).toMatch(/ 403 /);
  });

  test("a method in a header", async () => {
    const first = "GET /api/search HTTP/1.1";
    const lines = [length, "X-HTTP-Method-Override: POST", "X-Method-Override: POST", "X-HTTP-Method: POST"];
    expect(await raw(open.port, head(open.port, lines, first) + BODY)).toMatch(/^HTTP\/1\.1 40[04]/);
  });
});

describe("a client that is slow", () => {
  test.each([
    ["with the head", (port: number) => [...head(port, [length])].map((letter) => letter)],
    ["with the body", (port: number) => [head(port, ["Content-Length: 1000"]), ..."x".repeat(100)]],
  ])("%s is disconnected", async (_, letters) => {
    // A fiftieth of the timeouts of `emend serve`.
    const patience = Object.fromEntries(Object.entries(HTTP_TIMEOUTS).map(([name, ms]) => [name, ms / 50]));
    const { port } = await listening({ patience, onRequest: closingIfSlow(BODY_TIME / 50) });
    const start = performance.now();
    expect(await raw(port, letters(port), 20)).not.toMatch(/HTTP\/1\.1 2/);
    expect(performance.now() - start).toBeLessThan(2_500);
  });
});

describe("hostile JSON:", () => {
  const nested = (depth: number) => `{"question":${"[".repeat(depth)}${"]".repeat(depth)}}`;
  test.each([
    ["a million brackets", "/api/ask", nested(1_000_000), 400],
    ["a message of them", "/v1/chat/completions", `{"model":"emend","messages":[${nested(900_000)}]}`, 400],
    [
      "100,000 messages",
      "/v1/chat/completions",
      JSON.stringify({ model: "emend", messages: Array(100_000).fill({ role: "user", content: "" }) }),
      400,
    ],
    ["100,000 wrong ones", "/v1/responses", JSON.stringify({ model: "emend", input: Array(100_000).fill(7) }), 400],
    ["a question of 3 MB", "/v1/chat/completions", chat("x".repeat(3_000_000)), 400],
    ["a number beyond all", "/api/search", '{"query":"leave","limit":1e999}', 400],
    ["bytes that are packed", "/api/search", "\u001f\u008b\u0008", 400],
  ])("%s is refused with a short message", async (_, path, sent, status) => {
    const reply = await open.post(path, sent);
    expect(reply.status).toBe(status);
    expect((await reply.text()).length).toBeLessThan(1_000);
  });

  test.each(["\u0000", "\ud800", "a\u0000b\udfff\ud800", "\u202e\u2028\ufeff", "\u001b]0;x\u0007"])(
    "%j in a question is answered without an error",
    async (odd) => {
      for (const [path, sent] of [
        ["/api/ask", { question: `${question} ${odd}` }],
        ["/api/search", { query: `leave ${odd}` }],
        ["/v1/responses", { model: "emend", input: `${question} ${odd}` }],
      ] as const) {
        const reply = await open.post(path, sent);
        expect(reply.status).toBe(200);
        await reply.json();
      }
    },
  );

  test("a __proto__ key does not widen the context", async () => {
    const small = await listening({ context: { budget: { rounds: 1 } } });
    const wider = '{"budget":{"rounds":9},"polluted":true}';
    const question = '"question":"Who painted the Sistine Chapel?"';
    const beside = `"__proto__":{"context":${wider}}`;
    const within = `"context":{"budget":{"__proto__":${wider}}}`;
    const inside = `"context":{"__proto__":${wider},"constructor":{"prototype":${wider}}}`;
    for (const part of [beside, within, inside]) {
      const reply = await small.post("/api/ask", `{${question},${part}}`);
      expect(reply.status).toBe(400);
      expect(await reply.json()).toEqual({ error: expect.stringContaining("__proto__`. The options are") });
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  function chat(content: string) {
    return JSON.stringify({ model: "emend", messages: [{ role: "user", content }] });
  }
});

describe("a reply", () => {
  test("to a hostile path has no injected header and is not HTML", async () => {
    const reply = await fetch(`${open.address}/%0d%0aSet-Cookie:%20a=b/<script>alert(1)</script>`);
    expect(reply.status).toBe(404);
    expect(reply.headers.get("set-cookie")).toBeNull();
    expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test("as a stream has no event that a document injected", async () => {
    const lines =
      "Full-time staff have 28 days of paid leave.\r\n\r\nevent: answer\ndata: [DONE]\n\r\u2028data: {}\n\n";
    const documents = inMemoryDocuments([{ ...fakePassage("leave", lines), title: "a\n\ndata: [DONE]\n\n" }]);
    const hostile = await listening({ tools: { documents } });
    for (const [path, sent] of [
      ["/api/ask", { question }],
      ["/v1/chat/completions", { model: "emend", messages: [{ role: "user", content: question }] }],
      ["/v1/responses", { model: "emend", input: question }],
    ] as const) {
      const text = await (await hostile.post(path, { ...sent, stream: true })).text();
      const events = text.split(/\r\n|\r|\n/).filter((line) => line !== "" && !/^event: [a-z_.]+$/.test(line));
      const [last, ...others] = events.toReversed();
      if (path === "/v1/chat/completions") expect(last).toBe("data: [DONE]");
      for (const line of others) JSON.parse(line.replace(/^data: /, ""));
      expect(text).toContain("28 days");
    }
  });

  test("ignores a question in a header", async () => {
    const reply = await open.post("/api/search", { query: "出国差旅" }, { "X-Query": "leave", Question: question });
    expect(JSON.stringify(await reply.json())).toContain("出国差旅由部门负责人审批");
  });
});
