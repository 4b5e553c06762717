import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createAgent } from "../../src/agent.js";
import { loadSettings } from "../../src/config.js";
import { quantile } from "../../src/evaluate/statistics.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { fakePassage } from "../../src/testing/passage.js";
import type { Documents } from "../../src/tools/documents/port.js";
import { openEncoder, tokensOf } from "../../src/tools/encoder/onnx.js";
import type { Passage } from "../../src/types/evidence.js";
import { generatedCorpus } from "./corpus.js";
import { realFolders, realQuestions } from "./real.js";

/**
 * `tsx research/bench/answer.ts [--vectors] [file.jsonl] [passages...]`: measures the time from a question to its answer
 * without a model, how it divides among the nodes, and how many tokens are judged, beside the time of a search and of
 * one pair of 120 tokens. Default: 1,000 and 100,000 passages of drawn text, 100 questions each. With a file of lines
 * `{"text": …}`, it asks questions of eval, whose files stand among this many passages of the file. With `--vectors`
 * these passages, or those of drawn text, have vectors too (100,000 take 40 minutes).
 */
const QUESTIONS = 100;
const BATCH = 1_000;

/** Of model/model.json. */
const LIMITS = { longest: 320, window: 320 };

/** 119 tokens of the model. */
const PAIR = {
  text: "How long are all the invoices kept by the finance department today?",
  passage: "Invoices of the finance department are kept for ten years, and minutes for ninety days. ".repeat(5),
};

const given = process.argv.slice(2);
const hasVectors = given.includes("--vectors");
const file = given.find((word) => word.endsWith(".jsonl"));
const sizes = given.map(Number).filter((size) => size > 0);
for (const size of sizes.length > 0 ? sizes : [1_000, 100_000]) await measure(size);

async function measure(size: number) {
  const store = await mkdtemp(join(tmpdir(), "emend-bench-"));
  const encoder = openEncoder(loadSettings());
  let tokens = 0;
  const counting = encoder && {
    ...encoder,
    judge: (...[pairs, options]: Parameters<typeof encoder.judge>) => {
      tokens += pairs.length === 0 ? 0 : tokensOf({ pairs }, LIMITS);
      return encoder.judge(pairs, options);
    },
  };
  const agent = createAgent({ store, ...(counting && { tools: { encoder: counting } }) });
  const { documents } = agent.tools;
  const { name, questions } = file ? await filledFrom(file, size, documents) : await filledByDrawing(size, documents);
  if (hasVectors) await documents.embed?.();
  // As ingest does at its end: a search is slower while rows are not in the index, since it reads them one by one.
  await documents.tidy?.();
  // Worded differently, since judgements are cached.
  for (const warm of questions.slice(0, 5)) await agent.ask(`${warm.replace(/[?？]$/, "")} ?`);

  const whole: number[] = [];
  const searching: number[] = [];
  const judging: number[] = [];
  const judged: number[] = [];
  const byNode = new Map<string, number>();
  const ends = new Map<string, number>();
  for (const asked of questions.slice(0, QUESTIONS)) {
    const searchStart = performance.now();
    await documents.search({ text: asked }, 8);
    searching.push(performance.now() - searchStart);
    const judgeStart = performance.now();
    await encoder?.judge([PAIR]);
    judging.push(performance.now() - judgeStart);
    tokens = 0;
    const start = performance.now();
    for await (const event of agent.stream(asked)) {
      if (event.type === "answer") ends.set(event.answer.status, (ends.get(event.answer.status) ?? 0) + 1);
      if (event.type !== "decision") continue;
      const { step: node, milliseconds } = event.decision;
      byNode.set(node, (byNode.get(node) ?? 0) + milliseconds);
    }
    whole.push(performance.now() - start);
    judged.push(tokens);
  }
  const total = whole.reduce((sum, ms) => sum + ms, 0);
  const inNodes = [...byNode.values()].reduce((sum, ms) => sum + ms, 0);
  const share = (ms: number) => `${Math.round((100 * ms) / total)} %`;
  const ratio = (times: readonly number[]) => ((quantile(whole, 0.5) ?? 0) / (quantile(times, 0.5) ?? 0)).toFixed(1);
  console.log(`${name}, ${whole.length} questions: ${[...ends].map(([s, n]) => `${n} ${s}`).join(", ")}`);
  console.log(`  whole    p50 ${at(whole, 0.5)} ms, p99 ${at(whole, 0.99)} ms`);
  console.log(`  search   p50 ${at(searching, 0.5)} ms, p99 ${at(searching, 0.99)} ms`);
  if (encoder) {
    console.log(`  one pair p50 ${at(judging, 0.5)} ms, p99 ${at(judging, 0.99)} ms`);
    console.log(`  judged   p50 ${at(judged, 0.5)} tokens, p90 ${at(judged, 0.9)}, by estimate`);
  }
  console.log(`  ratio    ${ratio(searching)} to a search${encoder ? `, ${ratio(judging)} to a pair` : ""}, at p50`);
  console.log(
    `  goes to  ${[...byNode].map(([node, ms]) => `${node} ${share(ms)}`).join(", ")}, around ${share(total - inNodes)}`,
  );
  console.log(`  memory   ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB resident`);
  await agent.close();
  await rm(store, { recursive: true });
}

/** Fills a store with the files of eval, with vectors, and with passages of a file. */
async function filledFrom(path: string, size: number, documents: Documents) {
  const { passages: real } = await ingestFiles(realFolders, { documents });
  await documents.embed?.();
  let count = 0;
  const batch: Passage[] = [];
  for (const line of linesOf(path)) {
    if (count === size) break;
    const { text } = JSON.parse(line) as { text: string };
    batch.push(fakePassage(`among-${count}`, text, { title: "" }));
    count += 1;
    if (batch.length === BATCH) await documents.upsert(batch.splice(0));
  }
  await documents.upsert(batch);
  return { name: `${real} passages of eval among ${count} of ${basename(path)}`, questions: realQuestions(QUESTIONS) };
}

/** Not all as one string, which would count as memory. */
function* linesOf(path: string): Generator<string> {
  const bytes = readFileSync(path);
  for (let from = 0, end = 0; from < bytes.length; from = end + 1) {
    end = bytes.indexOf("\n", from);
    if (end < 0) end = bytes.length;
    yield bytes.toString("utf8", from, end);
  }
}

/** Fills a store with drawn text. */
async function filledByDrawing(size: number, documents: Documents) {
  const { passages, question } = generatedCorpus();
  const questions: string[] = [];
  const step = Math.floor(size / QUESTIONS);
  for (let first = 0; first < size; first += BATCH) {
    const batch = passages(first, Math.min(BATCH, size - first));
    questions.push(...batch.filter((_, i) => (first + i) % step === 0).map(question));
    await documents.upsert(batch);
  }
  return { name: `${size} passages`, questions };
}

function at(times: readonly number[], share: number): string {
  return (quantile(times, share) ?? 0).toFixed(1);
}
