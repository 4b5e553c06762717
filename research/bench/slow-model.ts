import { fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The default milliseconds until a reply begins. */
export const LATENCY = 500;

const SELF = fileURLToPath(import.meta.url);
if (process.send && process.argv[1] === SELF) serve(...(process.argv.slice(2).map(Number) as [number, number]));

/** Starts a chat model in a process of its own. Its replies come in this many pieces. */
export async function slowModel(pieces: number, latency = LATENCY) {
  const server = fork(SELF, [String(pieces), String(latency)], { execArgv: process.execArgv });
  const [baseURL] = (await once(server, "message")) as [string];
  return { baseURL, stop: () => void server.kill() };
}

/** A model that waits, and then quotes the sentence of the sources that has most words of the question. */
function serve(pieces: number, latency: number) {
  process.once("disconnect", () => process.exit());
  const server = createServer(async (request, response) => {
    const { messages } = JSON.parse(await text(request)) as { messages: { content: string }[] };
    const prompt = messages.at(-1)?.content ?? "";
    const reply = replyTo(prompt);
    await sleep(latency);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const size = Math.ceil(reply.length / pieces);
    for (let from = 0; from < reply.length; from += size) response.write(event(reply.slice(from, from + size)));
    response.write(event("", "stop"));
    const usage = { prompt_tokens: prompt.length >> 2, completion_tokens: reply.length >> 2, total_tokens: 0 };
    response.end(`data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
  });
  server.listen(0, "127.0.0.1", () => {
    process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`);
  });
}

function event(content: string, finish: string | null = null) {
  const choices = [{ index: 0, delta: { role: "assistant", content }, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices })}\n\n`;
}

function replyTo(prompt: string): string {
  if (prompt.includes('"answerable"')) return JSON.stringify(graded(prompt));
  if (prompt.includes('"contradicted"')) return JSON.stringify(checked(prompt));
  const { source, sentence } = found(prompt);
  return source > 0 ? `${sentence} [${source}]` : "I don't know.";
}

/** The sentence that shares most words with the question, its source, and the label of its part if parts have one. */
function found(prompt: string) {
  const asked = new Set(wordsIn(/^Question: (.*)$/m.exec(prompt)?.[1] ?? ""));
  let best = { shared: 0, source: 0, label: "", sentence: "" };
  for (const [, source, parts = ""] of prompt.matchAll(/^<source (\d+)>.*\n([\s\S]*?)^<\/source>/gm)) {
    let label = "";
    for (const [, own, words = ""] of parts.matchAll(/^(?:\[(\d+\.\d+)\] )?(.*)$/gm)) {
      label = own ?? label;
      for (const sentence of words.split(/(?<=[.。])\s*/)) {
        const shared = new Set(wordsIn(sentence).filter((word) => asked.has(word))).size;
        if (shared > best.shared) best = { shared, source: Number(source), label, sentence };
      }
    }
  }
  return best;
}

const wordsIn = (text: string) => text.toLowerCase().match(/\p{Script=Han}|[\p{L}\p{N}]{4,}/gu) ?? [];

function graded(prompt: string) {
  const { source, label, sentence } = found(prompt);
  const nothing = { missing: "", entities: [], clarification: "", helps: [] };
  return source > 0
    ? { ...nothing, found: sentence.slice(0, 40), answerable: "full", states: [label] }
    : { ...nothing, found: "", answerable: "none", states: [] };
}

/** Supports every claim: each quotes its source. */
const checked = (prompt: string) =>
  Object.fromEntries(
    [...prompt.matchAll(/^(\d+)\. .*\(source /gm)].map(([, n]) => [n, { reason: "quoted", verdict: "supported" }]),
  );
