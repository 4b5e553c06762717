import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "../../src/agent.js";
import { quantile } from "../../src/evaluate/statistics.js";
import { generatedCorpus } from "./corpus.js";

/**
 * `tsx research/bench/answer.ts [passages...]`: measures the time from a question to its answer without a model and how
 * it divides among the nodes, beside the search alone. Default: 1,000 and 100,000 passages, 100 questions each.
 */
const QUESTIONS = 100;
const BATCH = 1_000;

const sizes = process.argv.slice(2).map(Number);
for (const size of sizes.length > 0 ? sizes : [1_000, 100_000]) await measure(size);

async function measure(size: number) {
  const store = await mkdtemp(join(tmpdir(), "emend-bench-"));
  const agent = createAgent({ store });
  const { passages, question } = generatedCorpus();
  const questions: string[] = [];
  const step = Math.floor(size / QUESTIONS);
  for (let first = 0; first < size; first += BATCH) {
    const batch = passages(first, Math.min(BATCH, size - first));
    questions.push(...batch.filter((_, i) => (first + i) % step === 0).map(question));
    await agent.tools.documents.upsert(batch);
  }
  // As ingest does at its end: a search is slower while rows are not in the index, since it reads them one by one.
  await agent.tools.documents.tidy?.();
  for (const warm of questions.slice(0, 5)) await agent.ask(warm);

  const whole: number[] = [];
  const searching: number[] = [];
  const byNode = new Map<string, number>();
  const ends = new Map<string, number>();
  for (const asked of questions.slice(0, QUESTIONS)) {
    const searchStart = performance.now();
    await agent.tools.documents.search({ text: asked }, 8);
    searching.push(performance.now() - searchStart);
    const start = performance.now();
    for await (const event of agent.stream(asked)) {
      if (event.type === "answer") ends.set(event.answer.status, (ends.get(event.answer.status) ?? 0) + 1);
      if (event.type !== "decision") continue;
      const { step: node, milliseconds } = event.decision;
      byNode.set(node, (byNode.get(node) ?? 0) + milliseconds);
    }
    whole.push(performance.now() - start);
  }
  const total = whole.reduce((sum, ms) => sum + ms, 0);
  const inNodes = [...byNode.values()].reduce((sum, ms) => sum + ms, 0);
  const share = (ms: number) => `${Math.round((100 * ms) / total)} %`;
  console.log(`${size} passages, ${whole.length} questions: ${[...ends].map(([s, n]) => `${n} ${s}`).join(", ")}`);
  console.log(`  whole    p50 ${at(whole, 0.5)} ms, p99 ${at(whole, 0.99)} ms`);
  console.log(`  search   p50 ${at(searching, 0.5)} ms, p99 ${at(searching, 0.99)} ms`);
  console.log(`  ratio    ${(Number(at(whole, 0.5)) / Number(at(searching, 0.5))).toFixed(1)} at p50`);
  console.log(
    `  goes to  ${[...byNode].map(([node, ms]) => `${node} ${share(ms)}`).join(", ")}, around ${share(total - inNodes)}`,
  );
  console.log(`  memory   ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB resident`);
  await agent.close();
  await rm(store, { recursive: true });
}

function at(times: readonly number[], share: number): string {
  return (quantile(times, share) ?? 0).toFixed(1);
}
