import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { createAgent } from "../../src/agent.js";
import { quantile } from "../../src/evaluate/statistics.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import type { Answer } from "../../src/types/answer.js";
import { realFolders, realQuestions } from "./real.js";
import { LATENCY, slowModel } from "./slow-model.js";

/**
 * `tsx research/bench/load.ts [questions] [pieces] [answers.json]`: measures how one process answers many questions at
 * once, over the texts and questions of eval. The model is another process that takes half a second for every reply;
 * with 0 pieces there is no model. `EMEND_ENCODER=off` leaves the encoder out. The baseline, in the same run, is the
 * least it could take: a LangGraph with as many nodes that only waits as often. It also asks ten questions one after
 * the other. If a file is named, it gets the answers, for comparison with another run. Default: 200 questions, replies
 * in 7 pieces. With `--expose-gc` (`node --expose-gc --import tsx`) it also prints how the heap grew.
 */
const [QUESTIONS = 200, PIECES = 7] = process.argv.slice(2, 4).map(Number);

await measure();

async function measure() {
  const store = await mkdtemp(join(tmpdir(), "emend-bench-"));
  const model = PIECES > 0 ? await slowModel(PIECES) : undefined;
  const agent = createAgent({
    store,
    ...(model && { model: { model: "half-a-second", baseURL: model.baseURL } }),
    // Long enough for every run to end the same way, even on a busy machine.
    context: { budget: { seconds: 600 } },
  });
  const { documents } = agent.tools;
  const { passages } = await ingestFiles(realFolders, { documents });
  await documents.embed?.();
  const questions = realQuestions(QUESTIONS);
  // Worded differently from the questions asked later, whose judgements would be cached.
  for (const one of realQuestions(10)) await agent.ask(`${one.replace(/[?？]$/, "")} ?`);
  const waits = idleGraph();
  const wait = () => waits.invoke({ step: 0 });
  await Promise.all(Array.from({ length: 20 }, wait));

  const apart = performance.now();
  for (const one of realQuestions(20).slice(10)) await agent.ask(`${one.replace(/[?？]$/, "")} ?`);
  console.log(`one after the other: ${((performance.now() - apart) / 10).toFixed(0)} ms each`);
  const floor = await timed("a graph that only waits", Array(QUESTIONS).fill(wait));
  const heapBefore = heap();
  const answers: Answer[] = [];
  const whole = await timed(
    `${QUESTIONS} questions at once, ${passages} passages, ${model ? `replies in ${PIECES} pieces` : "no model"}`,
    questions.map((one, i) => async () => {
      answers[i] = await agent.ask(one);
    }),
  );
  const heapAfter = heap();
  console.log(`  ratio    ${(whole / floor).toFixed(2)}`);
  if (heapBefore !== undefined && heapAfter !== undefined)
    console.log(
      `  heap     ${((heapAfter - heapBefore) / QUESTIONS / 1024).toFixed(1)} KiB more a question, after a collection`,
    );
  const spent = answers.reduce((sum, { spend }) => sum + spend.calls, 0);
  const load = agent.tools.encoder?.load?.();
  console.log(`  calls    ${(spent / QUESTIONS).toFixed(2)} a question`);
  if (load)
    console.log(
      `  judge    ${(load.each * 1000).toFixed(0)} ms a question that it judges; busy ${load.turnedAway} times`,
    );
  const timers = process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length;
  console.log(`  timers   ${timers} left`);
  const statuses = Object.entries(Object.groupBy(answers, ({ status }) => status));
  console.log(`  answers  ${statuses.map(([status, all]) => `${all?.length} ${status}`).join(", ")}`);
  const file = process.argv[4];
  if (file) await writeFile(file, JSON.stringify(answers.map(comparable), null, 1));
  await agent.close();
  model?.stop();
  await rm(store, { recursive: true });
}

/**
 * Runs all at once. Prints the whole time, the times of each, the longest block of the event loop, and the CPU time.
 * Returns the whole time, in milliseconds.
 */
async function timed(name: string, work: (() => Promise<unknown>)[]): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  const times: number[] = [];
  const cpu = process.cpuUsage();
  delay.enable();
  const start = performance.now();
  await Promise.all(
    work.map(async (one) => {
      await one();
      times.push(performance.now() - start);
    }),
  );
  const whole = performance.now() - start;
  delay.disable();
  const { user, system } = process.cpuUsage(cpu);
  console.log(name);
  console.log(`  whole    ${whole.toFixed(0)} ms; each p50 ${at(times, 0.5)} ms, p99 ${at(times, 0.99)} ms`);
  console.log(
    `  loop     blocked ${(delay.max / 1e6).toFixed(0)} ms at most, p99 ${(delay.percentile(99) / 1e6).toFixed(0)} ms`,
  );
  console.log(`  CPU      ${(user / 1e6).toFixed(2)} s user, ${(system / 1e6).toFixed(2)} s system`);
  return whole;
}

/** As many nodes as a question takes, two of which wait for as long as the model. */
function idleGraph() {
  const State = Annotation.Root({ step: Annotation<number> });
  let graph = new StateGraph(State) as unknown as StateGraph<
    typeof State.spec,
    { step: number },
    { step?: number },
    string
  >;
  const nodes = ["understand", "retrieve", "grade", "generate", "checkAnswer", "respond"];
  for (const [step, name] of nodes.entries()) {
    graph = graph.addNode(name, async () => {
      if (name.startsWith("g")) await sleep(LATENCY);
      return { step };
    }) as typeof graph;
    graph.addEdge(nodes[step - 1] ?? START, name);
  }
  graph.addEdge("respond", END);
  return graph.compile();
}

/** The part of an answer that the load must not change: everything but times. */
function comparable({ spend: { milliseconds: _, ...used }, references, report, ...answer }: Answer) {
  const undated = references.map(({ date: __, ...reference }) => reference);
  const stages = report.stages.map(({ milliseconds: ___, ...stage }) => stage);
  return { ...answer, used, references: undated, report: { ...report, stages } };
}

function heap(): number | undefined {
  global.gc?.();
  return global.gc && process.memoryUsage().heapUsed;
}

function at(times: readonly number[], share: number): string {
  return (quantile(times, share) ?? 0).toFixed(0);
}
