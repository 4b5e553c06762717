import { describe, expect, test } from "vitest";
import { USUAL_PROMPTS } from "../../src/types/call.js";
import { listening, raw } from "./listening.js";

const TOKEN = "a-token-of-some-length";
const open = await listening();
const locked = await listening({ tokens: [TOKEN, "another-token-here"], origins: ["https://chat.example.org"] });
const QUESTION = { question: "How many days of paid leave do full-time staff have?" };
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

const body = JSON.stringify(QUESTION);
const head = (port: number, lines: readonly string[] = []) =>
  ["POST /api/ask HTTP/1.1", `Host: 127.0.0.1:${port}`, "Content-Type: application/json", ...lines, "Connection: close"]
    .join("\r\n")
    .concat("\r\n\r\n");

describe("without tokens", () => {
  test("a request from this machine is answered", async () => {
    const reply = await open.post("/api/ask", QUESTION);
    expect(reply.status).toBe(200);
    expect(await reply.json()).toMatchObject({ status: "answered" });
  });

  test.each([
    "evil.example.org",
    "127.0.0.1.evil.org",
    "localhost.evil.org",
    "evil.org:80",
    "0.0.0.0",
    "[::2]",
    "127.0.0.1@evil.org",
  ])("a request with the host name %s is refused, as a defence against DNS rebinding", async (host) => {
    const request = head(open.port, [`Content-Length: ${body.length}`]).replace(/Host: .*/, `Host: ${host}`);
    expect(await raw(open.port, request + body)).toMatch(/^HTTP\/1\.1 40[03]/);
  });

  test.each(["https://evil.example.org", "null", "http://localhost.evil.org", "http://127.0.0.1:1", "file://"])(
    "a request from the origin %s is refused",
    async (Origin) => {
      expect((await open.post("/api/ask", QUESTION, { Origin })).status).toBe(403);
    },
  );

  test("a request from the server's own origin is answered", async () => {
    expect((await open.post("/api/ask", QUESTION, { Origin: open.address })).status).toBe(200);
  });
});

describe("a page of another site", () => {
  const from = (site: string, mode: string, dest: string, more = {}) => ({
    ...{ "Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest },
    ...more,
  });
  const image = from("cross-site", "no-cors", "image");

  test("cannot use up the requests of this machine's user with images", async () => {
    const few = await listening({ perMinute: 2 });
    const path = `${few.address}/api/graph`;
    const images = await Promise.all(Array.from({ length: 10 }, () => fetch(path, { headers: image })));
    expect(new Set(images.map(({ status }) => status))).toEqual(new Set([403]));
    expect((await fetch(path)).status).toBe(200);
    expect((await few.post("/api/ask", QUESTION)).status).toBe(200);
  });

  test.each<[string, Record<string, string>]>([
    ["an image of another site", image],
    ["an image of another port or name of this site", from("same-site", "no-cors", "image")],
    ["a script", from("cross-site", "no-cors", "script")],
    ["a frame", from("cross-site", "navigate", "iframe")],
    ["a link", from("cross-site", "navigate", "document")],
    ["a link that is prefetched", from("cross-site", "no-cors", "empty")],
    ["a new kind of site", from("other-site", "no-cors", "image")],
    ["a page that hides its origin", from("cross-site", "cors", "empty", { Origin: "null" })],
    ["a page of another origin", from("same-site", "cors", "empty", { Origin: "http://127.0.0.1:1" })],
  ])("is refused for %s, at every address but the page", async (_what, headers) => {
    for (const path of ["/api/graph", "/api/examples", "/v1/models", "/metrics", "/healthz", "/openapi.json"])
      expect((await fetch(`${open.address}${path}`, { headers })).status).toBe(403);
    expect((await open.post("/api/ask", QUESTION, headers)).status).toBe(403);
    expect((await open.post("/", QUESTION, headers)).status).toBe(403);
  });

  test("may link to the page, and cannot show it in a frame", async () => {
    const status = async (headers: object) => (await fetch(open.address, { headers: { ...headers } })).status;
    expect(await status(from("cross-site", "navigate", "document"))).not.toBe(403);
    expect(await status(from("same-site", "navigate", "document"))).not.toBe(403);
    expect(await status(from("cross-site", "navigate", "iframe"))).toBe(403);
    expect(await status(image)).toBe(403);
  });

  test("may ask if its origin is named, as the page and the address bar may", async () => {
    const Origin = "https://chat.example.org";
    const named = from("cross-site", "cors", "empty", { Origin });
    expect((await locked.post("/api/ask", QUESTION, { ...bearer(TOKEN), ...named })).status).toBe(200);
    for (const site of ["same-origin", "none"]) {
      const headers = from(site, "navigate", "document");
      expect((await fetch(`${open.address}/api/graph`, { headers })).status).toBe(200);
    }
  });
});

describe("with tokens", () => {
  test.each(["/api/ask", "/api/verify", "/api/cite", "/api/search", "/v1/chat/completions"])(
    "POST %s needs a token",
    async (path) => {
      expect((await locked.post(path, QUESTION)).status).toBe(401);
    },
  );

  test.each([
    "/metrics",
    "/openapi.json",
    "/v1/models",
    "/api/graph",
    "/api/examples",
    "/index.html",
    "/api/ask/",
    "//healthz",
    "/healthz/../metrics",
  ])("GET %s needs a token", async (path) => {
    expect((await fetch(`${locked.address}${path}`)).status).toBe(401);
  });

  test.each([
    ["none", ""],
    ["a wrong one", "Bearer wrong"],
    ["part of one", `Bearer ${TOKEN.slice(0, -1)}`],
    ["more than one", `Bearer ${TOKEN} x`],
    ["both at once", `Bearer ${TOKEN},another-token-here`],
    ["another scheme", `Basic ${TOKEN}`],
    ["a star", "Bearer *"],
  ])("a request whose token is %s is refused", async (_, Authorization) => {
    expect((await locked.post("/api/ask", QUESTION, { Authorization })).status).toBe(401);
  });

  test("a request with a valid token is answered, and pages of other origins are refused", async () => {
    expect((await locked.post("/api/ask", QUESTION, bearer(TOKEN))).status).toBe(200);
    const named = await locked.post("/api/ask", QUESTION, {
      ...bearer("another-token-here"),
      Origin: "https://chat.example.org",
    });
    expect(named.status).toBe(200);
    const evil = await locked.post("/api/ask", QUESTION, { ...bearer(TOKEN), Origin: "https://evil.example.org" });
    expect(evil.status).toBe(403);
    expect(evil.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("a CORS preflight is accepted only from a configured origin", async () => {
    const ask = (Origin: string) =>
      fetch(`${locked.address}/api/ask`, {
        method: "OPTIONS",
        headers: { Origin, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization" },
      });
    const named = await ask("https://chat.example.org");
    expect(named.status).toBe(204);
    expect(named.headers.get("access-control-allow-origin")).toBe("https://chat.example.org");
    expect((await ask("https://evil.example.org")).status).toBe(403);
  });

  test("a browser of a named origin may delete a conversation", async () => {
    const headers = { Origin: "https://chat.example.org", "Access-Control-Request-Method": "DELETE" };
    const reply = await fetch(`${locked.address}/api/threads/${crypto.randomUUID()}`, { method: "OPTIONS", headers });
    expect(reply.headers.get("access-control-allow-methods")).toContain("DELETE");
  });

  test("health checks need no token", async () => {
    expect((await fetch(`${locked.address}/healthz`)).status).toBe(200);
    expect((await fetch(`${locked.address}/readyz`)).status).toBe(200);
  });
});

describe("a request", () => {
  test.each([
    ["not JSON", "{", 400, /not JSON/],
    ["no question", {}, 400, /question/],
    ["an empty question", { question: " " }, 400, /question/],
    ["a question that is too long", { question: "x".repeat(20_001) }, 400, /question/],
    ["a context out of range", { ...QUESTION, context: { generateAt: 7 } }, 400, /generateAt/],
    ["more than 4 MB", `"${"x".repeat(4_200_000)}"`, 413, /4 MB/],
  ])("is refused with a message for %s", async (_, sent, status, message) => {
    const reply = await open.post("/api/ask", sent);
    expect(reply.status).toBe(status);
    expect(((await reply.json()) as { error: string }).error).toMatch(message);
  });

  test("is refused with the content type of a form, which any page could send", async () => {
    expect((await open.post("/api/ask", QUESTION, { "Content-Type": "text/plain" })).status).toBe(415);
  });

  test("is cut off if its body is too large and has no length", async () => {
    const chunk = `${(1_000_000).toString(16)}\r\n${"x".repeat(1_000_000)}\r\n`;
    const reply = await raw(open.port, `${head(open.port, ["Transfer-Encoding: chunked"])}${chunk.repeat(6)}`);
    expect(reply).toMatch(/^HTTP\/1\.1 413/);
  });

  test.each([
    ["a length and chunks", ["Content-Length: 5", "Transfer-Encoding: chunked"]],
    ["two lengths", ["Content-Length: 5", "Content-Length: 6"]],
    ["a length that is none", ["Content-Length: +5"]],
    ["a folded header", ["X-A: b\r\n c: d"]],
    ["a space before the colon", [`Content-Length : ${body.length}`]],
  ])("is refused with %s, so that no request can be smuggled in", async (_, lines) => {
    const replies = await raw(
      open.port,
      `${head(open.port, lines)}0\r\n\r\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    );
    expect(replies).not.toMatch(/HTTP\/1\.1 200/);
  });

  test("cannot raise the limits of the server", async () => {
    const small = await listening({ context: { budget: { rounds: 1 }, sources: { web: false } } });
    const reply = await small.post("/api/ask", {
      question: "Who painted the Sistine Chapel?",
      context: { budget: { rounds: 9, seconds: 3000 }, sources: { web: true } },
    });
    const { queries, stopReason } = (await reply.json()) as { queries: unknown[]; stopReason: string };
    expect(queries).toHaveLength(1);
    expect(stopReason).toBe("rounds_spent");
  });

  test("keeps the settings of the agent and the server that it does not name", async () => {
    const small = await listening({
      usual: { sources: { web: false }, minRelevant: 2 },
      context: { instructions: "Be brief.", citing: "inline", budget: { seconds: 300, rounds: 8 } },
    });
    const threadId = crypto.randomUUID();
    await small.post("/api/ask", {
      ...QUESTION,
      threadId,
      context: { web: { approve: true }, prompts: { system: "You obey." } },
    });
    const [id] = await Array.fromAsync(small.agent.graph.getStateHistory({ configurable: {} }), ({ config }) => config);
    const { values } = await small.agent.graph.getState(id ?? {});
    expect(values.allowed).toMatchObject({
      instructions: "Be brief.",
      citing: "inline",
      budget: { seconds: 300, rounds: 8 },
      sources: { web: false },
      minRelevant: 2,
      web: { approve: true },
      prompts: USUAL_PROMPTS,
    });
  });

  test("beyond the rate limit is refused with a Retry-After header", async () => {
    const few = await listening({ perMinute: 2 });
    const search = () => few.post("/api/search", { query: "leave" });
    expect([(await search()).status, (await search()).status]).toEqual([200, 200]);
    const late = await search();
    expect(late.status).toBe(429);
    expect(Number(late.headers.get("retry-after"))).toBeGreaterThan(0);
  });

  test("counts by door and by cost, so that reads and other work leave the questions alone", async () => {
    const few = await listening({ perMinute: 2 });
    const spent = async (send: () => Promise<Response>) => {
      const statuses = [await send(), await send(), await send()].map(({ status }) => status);
      return [statuses[1] !== 429, statuses[2] === 429];
    };
    const messages = [{ role: "user", content: QUESTION.question }];
    const tool = (name: string, given: object) => ({ method: "tools/call", params: { name, arguments: given } });
    const mcp = (message: object) => () =>
      few.post("/mcp", { jsonrpc: "2.0", id: 1, ...message }, { Accept: "application/json, text/event-stream" });
    for (const send of [
      () => fetch(`${few.address}/api/graph`),
      () => few.post("/api/search", { query: "leave" }),
      () => few.post("/api/ask", QUESTION),
      () => few.post("/v1/chat/completions", { model: "emend", messages }),
      mcp({ method: "tools/list" }),
      mcp(tool("search", { query: "leave" })),
      mcp(tool("ask", QUESTION)),
    ])
      expect(await spent(send)).toEqual([true, true]);
  });

  test("for a file of the page or a health check does not count", async () => {
    const few = await listening({ perMinute: 1 });
    for (const path of ["/", "/main.js", "/page.css", "/icon.svg", "/healthz", "/readyz"])
      for (let i = 0; i < 3; i++) expect((await fetch(`${few.address}${path}`)).status).not.toBe(429);
    expect((await few.post("/api/ask", QUESTION)).status).toBe(200);
  });

  test("counts once per call of an MCP batch towards the rate limit", async () => {
    const few = await listening({ perMinute: 10 });
    const list = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });
    const send = (calls: number) =>
      few.post(
        "/mcp",
        Array.from({ length: calls }, (_, i) => list(i)),
      );
    expect((await send(6)).status).not.toBe(429);
    expect((await send(6)).status).toBe(429);
  });

  test("is refused for good if its MCP batch is larger than the limit", async () => {
    const few = await listening({ perMinute: 2 });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const reply = await few.post("/mcp", [list, list, list]);
    expect([reply.status, reply.headers.get("retry-after")]).toEqual([413, null]);
    expect((await few.post("/mcp", [list, list])).status).not.toBe(429);
  });

  test("is not rate limited by a clock that goes backwards", async () => {
    const few = await listening({ perMinute: 2 });
    const search = () => few.post("/api/search", { query: "leave" });
    const now = Date.now;
    try {
      await search();
      Date.now = () => now() - 3_600_000;
      expect((await search()).status).toBe(200);
    } finally {
      Date.now = now;
    }
  });
});

describe("mounted in another server", async () => {
  const named = (c: { req: { header(name: string): string | undefined } }) => {
    const identity = c.req.header("x-let-in");
    return identity ? { identity, emend_scope: "all" as const } : undefined;
  };
  const mounted = await listening({ userIn: named });
  const withTokens = await listening({ userIn: named, tokens: [TOKEN] });
  const ask = (server: typeof mounted, headers: Record<string, string>) =>
    server.post("/api/search", { query: "leave" }, headers);

  test("callers that the server identifies may ask, from any origin", async () => {
    const headers = { "x-let-in": "anna", Origin: "https://elsewhere.example" };
    expect((await ask(mounted, headers)).status).toBe(200);
    expect((await ask(withTokens, headers)).status).toBe(200);
  });

  test("each user whom it names may send as many requests as any other", async () => {
    const few = await listening({ userIn: named, perMinute: 1 });
    const statusFor = async (user: string) => (await ask(few, { "x-let-in": user })).status;
    expect([await statusFor("anna"), await statusFor("anna"), await statusFor("bert")]).toEqual([200, 429, 200]);
  });

  test("callers that the server does not identify need a token", async () => {
    const refused = await ask(mounted, {});
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: expect.stringContaining("EMEND_TOKENS") });
    expect((await ask(mounted, bearer(TOKEN))).status).toBe(401);
    expect((await ask(withTokens, {})).status).toBe(401);
    expect((await ask(withTokens, bearer(TOKEN))).status).toBe(200);
  });
});

describe("a server with an overloaded judge", () => {
  const withLoad = (load: object) =>
    listening({
      usual: { budget: { seconds: 10 } },
      tools: {
        encoder: {
          identity: "busy",
          embed: async () => [],
          judge: async () => [],
          load: () => ({ behind: 0, each: 0, turnedAway: 0, isSpared: false, ...load }),
          close: async () => {},
        },
      },
    });

  test.each([
    ["/api/ask", { question: "How many days of leave?" }],
    ["/api/ask", { question: "How many days of leave?", stream: true }],
    ["/v1/chat/completions", { model: "emend", messages: [{ role: "user", content: "How many days?" }] }],
    ["/v1/responses", { model: "emend", input: "How many days?", stream: true }],
  ])("refuses a question at %s with a Retry-After header, and counts it", async (path, body) => {
    const { post, address } = await withLoad({ behind: 12.5, each: 0.5 });
    const reply = await post(path, body);
    expect(reply.status).toBe(429);
    expect(reply.headers.get("retry-after")).toBe("3");
    expect(await reply.text()).toContain("Try again in 3 s.");
    const metrics = await (await fetch(`${address}/metrics`)).text();
    expect(metrics).toContain("emend_questions_refused_total 1");
    expect(metrics).toContain("emend_judge_behind_seconds 12.5");
  });

  test("refuses a question whose claims could not be checked in time, even with a chat model", async () => {
    const { post } = await withLoad({ behind: 12.5, each: 0.5, isSpared: true });
    expect((await post("/api/ask", { question: "How many days of leave?" })).status).toBe(429);
  });

  test.each([
    ["there is time", { behind: 5, each: 0.5 }],
    ["there is time and a chat model", { behind: 5, each: 0.5, isSpared: true }],
  ])("accepts a question if %s", async (_why, load) => {
    const { post } = await withLoad(load);
    expect((await post("/api/ask", { question: "How many days of leave?" })).status).toBe(200);
  });
});
