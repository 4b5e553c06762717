import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { Hono } from "hono";
import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createServer } from "../../src/server/app.js";
import { meters } from "../../src/server/metrics.js";
import { Answer } from "../../src/types/answer.js";
import { ClaimReason } from "../../src/types/claim-reason.js";
import { listening, stuck } from "./listening.js";

const { post, address } = await listening();
const QUESTION = { question: "How many days of paid leave do full-time staff have?" };
/** The endpoints that stream, each with a question. */
const STREAMED = {
  "/api/ask": QUESTION,
  "/v1/chat/completions": { model: "emend", messages: [{ role: "user", content: QUESTION.question }] },
  "/v1/responses": { model: "emend", input: QUESTION.question },
};
const SOURCES = [{ id: "leave.md", title: "Leave", text: "Full-time staff have 28 days of paid leave." }];

/** Reads the events of a stream. */
async function eventsOf(reply: Response): Promise<{ event: string; data: Record<string, unknown> }[]> {
  const blocks = (await reply.text()).split("\n\n").filter(Boolean);
  return blocks.map((block) => ({
    event: /^event: (.*)$/m.exec(block)?.[1] ?? "",
    data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? "null"),
  }));
}

describe("a question", () => {
  test("is answered with a complete Answer", async () => {
    const answer = Answer.parse(await (await post("/api/ask", QUESTION)).json());
    expect(answer).toMatchObject({ status: "answered", claims: [{ citations: [{ quote: SOURCES[0]?.text }] }] });
  });

  test("can be chosen from /api/examples, which refuses an unknown language", async () => {
    const examples = await (await fetch(`${address}/api/examples?language=zh`)).json();
    expect(examples).toMatchObject({ documents: expect.any(Number), titles: expect.any(Array) });
    expect((await fetch(`${address}/api/examples?language=x`)).status).toBe(400);
  });

  test("streams decisions, checked claims and finally the answer", async () => {
    const reply = await post("/api/ask", { ...QUESTION, stream: true });
    expect(reply.headers.get("content-type")).toMatch(/^text\/event-stream/);
    const events = await eventsOf(reply);
    expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(["decision", "claim", "answer"]));
    expect(Answer.parse(events.at(-1)?.data.answer).status).toBe("answered");
  });

  test("stops if its client disconnects", async () => {
    const slow = await stuck();
    const leave = new AbortController();
    const asked = fetch(`${slow.address}/api/ask`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...QUESTION, stream: true }),
      signal: leave.signal,
    }).then((reply) => reply.text());
    await slow.began;
    leave.abort();
    await expect(asked).rejects.toThrow();
    await slow.stopped;
  });

  test("that takes long streams a sign of life every minute", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    const slow = await stuck();
    const leave = new AbortController();
    try {
      for (const [path, body] of Object.entries(STREAMED)) {
        const asked = await fetch(`${slow.address}${path}`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ ...body, stream: true }),
          signal: leave.signal,
        });
        await slow.began;
        vi.advanceTimersByTime(59_000);
        const reader = asked.body?.pipeThrough(new TextDecoderStream()).getReader();
        let heard = "";
        while (!heard.includes(": at work\n\n")) heard += (await reader?.read())?.value ?? "";
      }
    } finally {
      vi.useRealTimers();
      leave.abort();
    }
  });

  test("is refused while the server stops, and an earlier one is still answered", async () => {
    const stopping = await listening();
    // The head of the reply is sent once the question is accepted.
    const before = await stopping.post("/api/ask", { ...QUESTION, stream: true });
    const drained = stopping.drain(10_000);
    expect((await stopping.post("/api/ask", QUESTION)).status).toBe(503);
    expect((await fetch(`${stopping.address}/readyz`)).status).toBe(503);
    expect(await before.text()).toContain('"status":"answered"');
    await drained;
  });
});

test("/api/verify checks a text against the documents if no sources are given", async () => {
  const reply = await post("/api/verify", { text: "Full-time staff have 30 days of paid leave." });
  expect([reply.status, await reply.json()]).toMatchObject([200, { supported: false }]);
});

test("/api/verify checks a text against sources", async () => {
  const reply = await post("/api/verify", { text: "Full-time staff have 30 days of paid leave.", sources: SOURCES });
  expect(await reply.json()).toMatchObject({ supported: false, claims: [{ verdict: "unsupported" }] });
});

const Reasons = z.object({ claims: z.array(z.object({ reason: ClaimReason, reasonInWords: z.string() })) });

test("the reasons of a checked text are codes, and sentences in the language of the text", async () => {
  const sources = [...SOURCES, { text: "全职员工每年有28天带薪假。" }];
  const reasonsFor = async (path: string, text: string) => {
    const { claims } = Reasons.parse(await (await post(path, { text, sources })).json());
    return claims.map(({ reason, reasonInWords }) => [reason, reasonInWords]);
  };
  const [zh, en] = ["全职员工每年有30天带薪假。", "Full-time staff have 30 days of paid leave."];
  for (const path of ["/api/verify", "/api/cite"]) {
    expect(await reasonsFor(path, zh)).toEqual([
      [{ code: "not_mentioned", missing: ["30天"] }, "来源的相关内容没有提到“30天”。"],
    ]);
    expect(await reasonsFor(path, en)).toEqual([
      [{ code: "not_mentioned", missing: ["30 days"] }, "The source doesn't mention “30 days” here."],
    ]);
  }
});

test("/api/cite adds markers to a text", async () => {
  const reply = await post("/api/cite", { text: "Full-time staff have 28 days of paid leave.", sources: SOURCES });
  expect(await reply.json()).toMatchObject({ text: "Full-time staff have 28 days of paid leave [1]." });
});

test("/api/search finds passages", async () => {
  const reply = await post("/api/search", { query: "paid leave", limit: 1 });
  expect(await reply.json()).toMatchObject({ passages: [{ id: "leave" }] });
});

test.each([
  ["/api/ask", { ...QUESTION, context: { filters: [] } }, "Unknown option `context.filters`. Did you mean `filter`?"],
  ["/api/ask", { ...QUESTION, context: { budget: { second: 5 } } }, "`context.budget.second`. Did you mean `seconds`?"],
  ["/api/ask", { ...QUESTION, contxt: {} }, "Unknown option `contxt`. Did you mean `context`?"],
  [
    "/api/ask",
    { ...QUESTION, history: [{ question: "Q?", anwser: "A." }] },
    "`history[0].anwser`. Did you mean `answer`?",
  ],
  ["/api/search", { query: "leave", limits: 1 }, "Unknown option `limits`. Did you mean `limit`?"],
  ["/api/verify", { text: "A.", source: [] }, "Unknown option `source`. Did you mean `sources`?"],
  ["/api/cite", { text: "A.", sources: [{ text: "A.", titel: "B" }] }, "`sources[0].titel`. Did you mean `title`?"],
  ["/api/feedback", { threadid: "t", question: "Q?", verdict: "up" }, "`threadid`. Did you mean `threadId`?"],
])("%s refuses %j, which would otherwise mean something else", async (path, body, said) => {
  const reply = await post(path, body);
  expect(reply.status).toBe(400);
  expect(await reply.json()).toEqual({ error: expect.stringContaining(said) });
});

test("the app can be served below a path of another Hono app, or by any server of Node.js", async () => {
  const { agent } = await listening();
  const { app } = createServer({ agent });
  const asked = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(QUESTION) };
  const reply = await new Hono().route("/emend", app).request("http://127.0.0.1/emend/api/ask", asked);
  expect(await reply.json()).toMatchObject({ status: "answered" });
  // Express strips the path that it serves something below, and passes on the rest.
  const listener = getRequestListener(app.fetch);
  const server = createHttpServer((request, response) => {
    request.url = request.url?.replace("/emend", "");
    void listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const other = await fetch(`http://127.0.0.1:${port}/emend/api/ask`, asked);
  expect(await other.json()).toMatchObject({ status: "answered" });
  server.close();
});

test("/openapi.json describes the API", async () => {
  const described = z
    .object({ openapi: z.literal("3.1.0"), paths: z.record(z.string(), z.object({}).loose()) })
    .parse(await (await fetch(`${address}/openapi.json`)).json());
  expect(Object.keys(described.paths)).toContain("/v1/chat/completions");
  expect(Object.keys(described.paths["/api/threads/{id}"] ?? {})).toEqual(["get", "delete"]);
});

test("/metrics counts questions by status", async () => {
  const counted = await listening();
  await counted.post("/api/ask", QUESTION);
  const text = await (await fetch(`${counted.address}/metrics`)).text();
  expect(text).toContain('emend_questions_total{status="answered"} 1');
  expect(text).toContain("emend_questions_running 0");
});

test("a question without an answer is not timed", async () => {
  const meter = meters();
  meter.begun()("stopped");
  expect(await meter.text()).toContain("emend_question_seconds_count 0");
});
