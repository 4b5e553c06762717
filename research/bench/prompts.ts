import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createAgent } from "../../src/agent.js";
import { quantile } from "../../src/evaluate/statistics.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { realFolders, realQuestions } from "./real.js";

/**
 * `tsx research/bench/prompts.ts http://127.0.0.1:8080 [questions] [folder…]`: measures how long the prompts of a question are,
 * in tokens of the model that llama.cpp's server at this address has (its `/tokenize`; nothing is generated). The model is
 * played: it first asks for one more search, then says a sentence of each of the first four sources. Default: 60
 * questions over the texts of eval; other folders are asked the same questions.
 */
const [TOKENIZER = "", QUESTIONS = "60", ...given] = process.argv.slice(2);
const folders = given.length > 0 ? given : realFolders;

type Kind = "answer" | "answer, after a search" | "check";
const prompts: { kind: Kind; said: string }[] = [];

const server = createServer(async (request, response) => {
  const { messages } = JSON.parse(await text(request)) as { messages: { content: string }[] };
  const said = messages.map(({ content }) => content).join("\n");
  const [kind, reply] = replyTo(said);
  prompts.push({ kind, said });
  const choices = [{ index: 0, delta: { role: "assistant", content: reply }, finish_reason: "stop" }];
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`data: ${JSON.stringify({ choices })}\n\ndata: [DONE]\n\n`);
});

const asked = new Set<string>();

function replyTo(prompt: string): [Kind, string] {
  if (prompt.includes('"contradicted"')) {
    const claims = [...prompt.matchAll(/^(\d+)\. /gm)].map(([, n]) => [
      n,
      { words: [], verdict: "supported", reason: "" },
    ]);
    return ["check", JSON.stringify(Object.fromEntries(claims))];
  }
  const sources = [...prompt.matchAll(/^<source (\d+)>(.*)\n([\s\S]*?)^<\/source>/gm)];
  const question = /^Question: (.*)$/m.exec(prompt)?.[1] ?? "";
  if (!asked.has(question)) {
    asked.add(question);
    return ["answer", `Search: ${sources.at(-1)?.[2]?.trim() || question}`];
  }
  // Reworded, so that the check is not done by code alone.
  const sentences = sources.flatMap(([, n, , body = ""]) => {
    const [sentence] = /(?<=^|[.。] ?)[^\n#|.。-][^\n.。]{20,200}[.。]/m.exec(body) ?? [];
    return sentence ? [`As we know, ${sentence} [${n}]`] : [];
  });
  return ["answer, after a search", sentences.slice(0, 4).join("\n") || "I don't know."];
}

await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
const store = await mkdtemp(join(tmpdir(), "emend-bench-"));
const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
const agent = createAgent({
  store,
  model: { model: "played", baseURL },
  modelUse: "all",
  context: { budget: { seconds: 600 } },
});
const { documents } = agent.tools;
const { passages } = await ingestFiles(folders, { documents });
await documents.embed?.();
for (const question of realQuestions(Number(QUESTIONS))) await agent.ask(question);
await agent.close();
await rm(store, { recursive: true });
server.close();

console.log(`${QUESTIONS} questions over ${passages} passages`);
for (const kind of ["answer", "answer, after a search", "check"] as const) {
  const own = prompts.filter((prompt) => prompt.kind === kind);
  const tokens = await Promise.all(own.map(({ said }) => tokensIn(said)));
  console.log(
    `${kind}: ${own.length} prompts, tokens: median ${quantile(tokens, 0.5)}, largest ${Math.max(...tokens)}`,
  );
}

async function tokensIn(content: string): Promise<number> {
  const reply = await fetch(`${TOKENIZER}/tokenize`, { method: "POST", body: JSON.stringify({ content }) });
  return ((await reply.json()) as { tokens: unknown[] }).tokens.length;
}
