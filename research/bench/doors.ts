import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { serve } from "@hono/node-server";
import { createAgent } from "../../src/agent.js";
import { quantile } from "../../src/evaluate/statistics.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { createServer } from "../../src/server/app.js";
import { realFolders, realQuestions } from "./real.js";
import { slowModel } from "./slow-model.js";

/**
 * `node --expose-gc --import tsx research/bench/doors.ts [questions] [rounds]`: measures what each door costs, that is,
 * each way to ask the server. Many questions at once go straight to the agent and then, from another process, through
 * each door, with a model that takes half a second for every reply. The rounds alternate, and the medians are compared.
 * Before that, it measures 1,000 waiting streams, clients that do not read, and bodies that are too large. Default: 200
 * questions, 3 rounds.
 */
const [QUESTIONS = 200, ROUNDS = 3] = process.argv.slice(2, 4).map(Number);
const SELF = fileURLToPath(import.meta.url);
const JSON_TYPE = { "Content-Type": "application/json" };

type Door = (question: string) => { path: string; body: object };
const chat = (question: string, stream: boolean) => ({
  path: "/v1/chat/completions",
  body: { model: "emend", messages: [{ role: "user", content: question }], stream },
});
const DOORS: Record<string, Door> = {
  "chat completions": (question) => chat(question, false),
  "chat completions, streamed": (question) => chat(question, true),
  "responses, streamed": (question) => ({
    path: "/v1/responses",
    body: { model: "emend", input: question, stream: true },
  }),
  "/api/ask": (question) => ({ path: "/api/ask", body: { question } }),
  "/api/ask, streamed": (question) => ({ path: "/api/ask", body: { question, stream: true } }),
  MCP: (question) => ({
    path: "/mcp",
    body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask", arguments: { question } } },
  }),
};

interface Job {
  address: string;
  requests: { path: string; body: object }[];
  /** Reads each stream up to its first event, and keeps it open. */
  isHeld?: boolean;
  /** Sends this many bytes in place of each body. */
  bytes?: number;
}

if (process.send) client();
else await measure();

async function measure() {
  const store = await mkdtemp(join(tmpdir(), "emend-bench-"));
  const model = await slowModel(7);
  const { agent, address, port, close } = await listening(store, model.baseURL);
  const clients = fork(SELF, [], { execArgv: process.execArgv });

  await ingestFiles(realFolders, { documents: agent.tools.documents });
  await agent.tools.documents.embed?.();
  const questions = realQuestions(QUESTIONS);
  const through = (door: Door, asked: readonly string[]) => told(clients, { address, requests: asked.map(door) });
  const straight = (asked: readonly string[]) =>
    timed(asked.map((one) => async () => (await agent.ask(one)).status === "answered"));
  const warm = realQuestions(10).map((one) => `${one} ?`);
  await straight(warm);
  for (const door of Object.values(DOORS)) await through(door, warm);

  // Memory is measured first: later, memory that the questions have freed would be used again and hide what is taken.
  console.log(`100 readers that do not read: ${await unread(port, questions[0] ?? "")}`);
  console.log(`20 bodies of 10 MB: ${await large(address, clients)}`);
  console.log(`1,000 streams that wait: ${await idle(store, clients, questions)}`);

  const ways = {
    "straight to the agent": straight,
    ...mapped(DOORS, (door) => (asked: readonly string[]) => through(door, asked)),
  };
  const rounds = mapped(ways, (): Figures[] => []);
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, ask] of Object.entries(ways)) rounds[name]?.push(await figures(() => ask(questions)));
  report(rounds);

  clients.kill();
  await close();
  model.stop();
  await rm(store, { recursive: true });
}

async function listening(store: string, baseURL: string) {
  const context = { budget: { seconds: 600 } };
  const agent = createAgent({ store, model: { model: "slow", baseURL }, context });
  const { app } = createServer({ agent, context, perMinute: 1_000_000 });
  const server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
    await agent.close();
  };
  return { agent, port, address: `http://127.0.0.1:${port}`, close };
}

interface Figures {
  times: number[];
  answered: number;
  cpu: number;
  resident: number;
}

/** Adds what this process, which is the server, used: seconds of processor time, and the highest MB of memory. */
async function figures(work: () => Promise<Pick<Figures, "times" | "answered">>): Promise<Figures> {
  global.gc?.();
  let resident = 0;
  const look = setInterval(() => (resident = Math.max(resident, process.memoryUsage.rss())), 50);
  const before = process.cpuUsage();
  const done = await work();
  const { user, system } = process.cpuUsage(before);
  clearInterval(look);
  return { ...done, cpu: (user + system) / 1e6, resident: resident / 2 ** 20 };
}

function report(rounds: Record<string, Figures[]>) {
  const [base = { whole: 1, cpu: 1 }, ...others] = Object.entries(rounds).map(([name, all]) => {
    const middle = (of: (one: Figures) => number) => at(all.map(of), 0.5);
    return {
      name,
      whole: middle(({ times }) => Math.max(...times)),
      p50: middle(({ times }) => at(times, 0.5)),
      p99: middle(({ times }) => at(times, 0.99)),
      cpu: middle(({ cpu }) => cpu),
      resident: middle(({ resident }) => resident),
      answered: Math.min(...all.map(({ answered }) => answered)),
    };
  });
  console.log(`${QUESTIONS} questions at once, medians of ${ROUNDS} rounds`);
  console.table(
    [base as (typeof others)[number], ...others].map(({ name, whole, p50, p99, cpu, resident, answered }) => ({
      way: name,
      answered,
      "a second": (QUESTIONS / (whole / 1000)).toFixed(0),
      "p50 ms": p50.toFixed(0),
      "p99 ms": p99.toFixed(0),
      "CPU s": cpu.toFixed(2),
      "MB at most": resident.toFixed(0),
      "time, ratio": (whole / base.whole).toFixed(2),
      "CPU, ratio": (cpu / base.cpu).toFixed(2),
    })),
  );
}

/** Opens streams of questions whose model takes a minute; then the clients disconnect. */
async function idle(store: string, clients: ChildProcess, questions: readonly string[]): Promise<string> {
  const model = await slowModel(7, 60_000);
  const { address, close } = await listening(store, model.baseURL);
  const ask = DOORS["/api/ask, streamed"] as Door;
  global.gc?.();
  const before = process.memoryUsage.rss();
  const requests = Array.from({ length: 1_000 }, (_, i) => ask(questions[i % questions.length] ?? ""));
  await told(clients, { address, requests, isHeld: true });
  const running = async () =>
    /emend_questions_running (\d+)/.exec(await (await fetch(`${address}/metrics`)).text())?.[1];
  const held = await running();
  global.gc?.();
  const more = (process.memoryUsage.rss() - before) / requests.length / 1024;
  const start = performance.now();
  await (await fetch(`${address}/healthz`)).text();
  const late = performance.now() - start;
  await told(clients, { address, requests: [] });
  await sleep(2_000);
  global.gc?.();
  const after = (process.memoryUsage.rss() - before) / 2 ** 20;
  const left = await running();
  await close();
  model.stop();
  return `${held} run, ${more.toFixed(0)} KiB each; /healthz takes ${late.toFixed(0)} ms. 2 s after all have left, ${left} run, and ${after.toFixed(0)} MB are kept`;
}

/** Clients ask for the largest reply, and read nothing of it. */
async function unread(port: number, query: string): Promise<string> {
  global.gc?.();
  const before = process.memoryUsage.rss();
  const sent = JSON.stringify({ query, limit: 200 });
  const head = `POST /api/search HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\n`;
  const sockets = Array.from({ length: 100 }, () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write(`${head}Content-Length: ${Buffer.byteLength(sent)}\r\n\r\n${sent}`);
    return socket;
  });
  const seen: string[] = [];
  for (let second = 0; second < 4; second++) {
    await sleep(3_000);
    global.gc?.();
    seen.push(((process.memoryUsage.rss() - before) / 2 ** 20).toFixed(0));
  }
  for (const socket of sockets) socket.destroy();
  return `${seen.join(", ")} MB more after 3, 6, 9 and 12 s`;
}

async function large(address: string, clients: ChildProcess): Promise<string> {
  global.gc?.();
  const before = process.memoryUsage.rss() / 2 ** 20;
  const requests = Array.from({ length: 20 }, () => ({ path: "/api/ask", body: {} }));
  const { answered, times, resident } = await figures(() => told(clients, { address, requests, bytes: 10_000_000 }));
  const took = Math.max(...times).toFixed(0);
  return `${answered} refused with 413 in ${took} ms, ${Math.max(resident - before, 0).toFixed(0)} MB more at most`;
}

/**
 * The clients' process: sends all requests at once, and reports how long each took until its last byte. Held streams
 * are closed when the next job comes.
 */
function client() {
  let left = new AbortController();
  process.once("disconnect", () => process.exit());
  process.on("message", async ({ address, requests, isHeld, bytes }: Job) => {
    left.abort();
    left = new AbortController();
    const { signal } = left;
    const headers = { ...JSON_TYPE, Accept: "application/json, text/event-stream" };
    const figures = await timed(
      requests.map(({ path, body }) => async () => {
        const sent = bytes ? "x".repeat(bytes) : JSON.stringify(body);
        const reply = await fetch(address + path, { method: "POST", headers, body: sent, signal });
        if (bytes) return reply.status === 413;
        if (!isHeld) return (await reply.text()).includes("answered");
        const { value } = (await reply.body?.getReader().read()) ?? {};
        return value !== undefined;
      }),
    );
    process.send?.(figures);
  });
}

async function told(clients: ChildProcess, job: Job): Promise<Pick<Figures, "times" | "answered">> {
  clients.send(job);
  const [figures] = await once(clients, "message");
  return figures;
}

/** Begins all at once. @returns the milliseconds of each, and how many returned true. */
async function timed(work: (() => Promise<boolean>)[]) {
  const start = performance.now();
  const done = await Promise.all(
    work.map(async (one) => {
      const isAnswered = await one();
      return { isAnswered, ms: performance.now() - start };
    }),
  );
  return { times: done.map(({ ms }) => ms), answered: done.filter(({ isAnswered }) => isAnswered).length };
}

function mapped<From, To>(record: Record<string, From>, change: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

function at(times: readonly number[], share: number): number {
  return quantile(times, share) ?? 0;
}
