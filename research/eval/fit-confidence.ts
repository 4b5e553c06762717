import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Command } from "commander";
import { type Agent, createAgent } from "../../src/agent.js";
import { gradingFeatures } from "../../src/answer/confidence.js";
import { containsAnswer } from "../../src/evaluate/match.js";
import { calibrationError, mean, sample } from "../../src/evaluate/statistics.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import type { State } from "../../src/state/state.js";
import { openCorpus } from "./corpus.js";
import { QaItem, readLines } from "./data.js";
import { logistic, odds } from "./logistic.js";
import { auc } from "./metrics.js";

/**
 * Fits the weights of an answer's confidence (src/answer/confidence.ts) and containsAnswer how well it is calibrated on suites it
 * has not seen: each suite's answers are scored by weights fitted on the others. An answer is right if it containsAnswer one of
 * the expected ones; refusals have no confidence and are left out. No chat model is used.
 *
 *   npx tsx research/eval/fit-confidence.ts <folder with qa.jsonl and corpus.jsonl>...
 */
const program = new Command("fit-confidence")
  .argument("<folders...>", "folders as research/eval/convert.ts makes them")
  .option("--questions <n>", "how many questions of a suite are asked", Number, 200)
  .option("--seed <n>", "what the choice depends on", Number, 1)
  .action(async (folders: string[], { questions, seed }: { questions: number; seed: number }) => {
    const answers: Answered[] = [];
    for (const folder of folders) answers.push(...(await askedIn(folder, questions, seed)));
    for (const suite of new Set(answers.map((one) => one.suite))) {
      const weights = fitted(answers.filter((one) => familyOf(one.suite) !== familyOf(suite)));
      report(
        suite,
        answers.filter((one) => one.suite === suite),
        weights,
      );
    }
    const weights = fitted(answers);
    report("all, on what it was fitted on", answers, weights);
    report("all, by five parts, each held out", answers, undefined);
    process.stdout.write(`bias, relevance, answerable: ${weights.map((weight) => weight.toFixed(2)).join(", ")}\n`);
  });

interface Answered {
  suite: string;
  features: readonly number[];
  right: boolean;
}

async function askedIn(folder: string, questions: number, seed: number): Promise<Answered[]> {
  const store = await mkdtemp(join(tmpdir(), "emend-confidence-"));
  const agent = createAgent({ store, tools: localReasoners() });
  try {
    await openCorpus(join(folder, "corpus.jsonl"), agent.tools.documents);
    const items = sample(readLines(join(folder, "qa.jsonl"), QaItem), questions, seed);
    const suite = basename(join(folder, ".."));
    const answered: Answered[] = [];
    for (const { question, answers } of items) {
      const { answer, verdict } = await lastState(agent, question);
      if (answer && answer.claims.length > 0)
        answered.push({ suite, features: gradingFeatures(verdict), right: containsAnswer(answer.text, answers) });
    }
    return answered;
  } finally {
    await agent.close();
    await rm(store, { recursive: true, force: true });
  }
}

async function lastState({ graph }: Agent, question: string): Promise<State> {
  let last: State | undefined;
  for await (const state of await graph.stream({ question }, { streamMode: "values" })) last = state as State;
  if (!last) throw new Error(`The run ended without a state: ${question}`);
  return last;
}

/** "xquad-en" and "xquad-zh" are the same questions. */
const familyOf = (suite: string) => suite.split("-")[0];

/** Two features need only a weak ridge. */
const fitted = (answers: readonly Answered[]) =>
  logistic(
    answers.map(({ features, right }) => ({ x: features, y: right, weight: 1 })),
    0.1,
  );

/** A reliability table: how sure it was, and how often it was right. */
function report(suite: string, answers: readonly Answered[], given: readonly number[] | undefined) {
  const parts = [0, 1, 2, 3, 4].map((part) => given ?? fitted(answers.filter((_, i) => i % 5 !== part)));
  const scored = answers.map(({ features, right }, i) => ({
    score: 1 / (1 + Math.exp(-odds(parts[i % 5] ?? [], features))),
    positive: right,
  }));
  const [error, area] = [calibrationError(scored), auc(scored)];
  process.stdout.write(`${suite}: n=${scored.length}, ECE ${error?.toFixed(3)}, AUC ${area?.toFixed(3)}\n`);
  for (let bin = 0; bin < 5; bin++) {
    const inside = scored.filter(({ score }) => Math.min(4, Math.floor(score * 5)) === bin);
    const sure = mean(inside.map(({ score }) => score))?.toFixed(2) ?? "-";
    const right = mean(inside.map(({ positive }) => Number(positive)))?.toFixed(2) ?? "-";
    process.stdout.write(
      `  ${(bin / 5).toFixed(1)}  n=${String(inside.length).padStart(4)}  sure ${sure}  right ${right}\n`,
    );
  }
}

await program.parseAsync();
