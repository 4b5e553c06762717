import { basename, join } from "node:path";
import { Command } from "commander";
import { containsAnswer } from "../../src/evaluate/match.js";
import { calibrationError, sample } from "../../src/evaluate/statistics.js";
import { FEATURES, meaningReader, type Reading } from "../../src/reading/reading.js";
import { onnxEncoder } from "../../src/tools/encoder/onnx.js";
import { bm25 } from "./baseline.js";
import { AnswerabilityItem, readLines } from "./data.js";
import { logistic, odds, type Row } from "./logistic.js";
import { auc, balancedAccuracy, confusion, negativeRecall, positiveRecall } from "./metrics.js";
import { asEvidence } from "./passages.js";

/**
 * Fits the weights by which a sentence's probability to answer is computed (from the features of
 * src/reading/reading.ts), and measures them on suites that the fit has not seen: each family of suites ("xquad",
 * "xquad-zh") is judged by weights fitted on the others.
 *
 * npx tsx research/eval/calibrate.ts <folder with answerability.jsonl>...
 *
 * If a suite has one passage per question, three cases are judged: the passage alone, the passage with the seven others
 * that fit the question's words best, and the others alone.
 */
const program = new Command("calibrate")
  .argument("<folders...>", "folders that hold an answerability.jsonl, as research/eval/convert.ts makes them")
  .option("--questions <n>", "how many items of a suite are taken", Number, 60)
  .option("--seed <n>", "what the choice depends on", Number, 1)
  .action(async (folders: string[], { questions, seed }: { questions: number; seed: number }) => {
    const encoder = onnxEncoder();
    const { read } = meaningReader(encoder);
    const cases: Case[] = [];
    for (const folder of folders)
      for (const given of casesOf(folder, questions, seed)) {
        const evidence = given.texts.map((text, i) => asEvidence({ id: String(i), text }));
        const found = await read(
          { question: given.question, evidence },
          {
            signal: new AbortController().signal,
            fault: (error) => {
              throw error;
            },
          },
        );
        cases.push({ ...given, found: found.map((one) => ({ ...one, holds: given.answerable && isIn(one, given) })) });
      }
    await encoder.close();
    for (const family of new Set(cases.map(familyOf))) {
      const weights = fitted(cases.filter((one) => familyOf(one) !== family));
      report(
        weights,
        cases.filter((one) => familyOf(one) === family),
      );
    }
    const weights = fitted(cases);
    process.stdout.write(`bias, ${FEATURES.join(", ")}: ${weights.map((weight) => weight.toFixed(2)).join(", ")}\n`);
  });

interface Given {
  suite: string;
  kind: "one" | "many" | "others";
  question: string;
  texts: readonly string[];
  answerable: boolean;
  answers: readonly string[];
}

interface Case extends Given {
  found: (Reading & { holds: boolean })[];
}

const familyOf = ({ suite }: Given) => suite.split("-")[0];
const isIn = ({ evidence, from, end }: Reading, { answers }: Given) =>
  containsAnswer(evidence.text.slice(from, end), answers);

function casesOf(folder: string, questions: number, seed: number): Given[] {
  const items = readLines(join(folder, "answerability.jsonl"), AnswerabilityItem);
  const texts = new Set(items.flatMap(({ passages }) => (passages.length === 1 ? passages.map((p) => p.text) : [])));
  const search = bm25([...texts].map((text) => ({ id: text, text })));
  const suite = basename(folder);
  const hasTwin = new Set(items.filter((item) => item.answerable).map((item) => item.question));
  return sample(items, questions, seed).flatMap(({ question, passages, answerable, answers = [] }): Given[] => {
    const common = { suite, question, answers };
    const [own, ...more] = passages.map(({ text }) => text);
    if (own === undefined) return [];
    if (more.length > 0) return [{ ...common, kind: "many", texts: [own, ...more], answerable }];
    const others = search(question)
      .map(({ id }) => id)
      .filter((text) => text !== own && !containsAnswer(text, answers));
    const one: Given = { ...common, kind: "one", texts: [own], answerable };
    // Its passage is the wrong one, but the right one may be among the others.
    if (!answerable && hasTwin.has(question)) return [one];
    const among: Given = {
      ...common,
      kind: "many",
      texts: [...others.slice(0, 3), own, ...others.slice(3, 7)],
      answerable,
    };
    return answerable
      ? [one, among, { ...common, kind: "others", texts: others.slice(0, 8), answerable: false }]
      : [one, among];
  });
}

/** Fits the most probable sentence that has the answer against the most probable ones that do not. */
function fitted(cases: readonly Case[]): number[] {
  const sizes = Map.groupBy(cases, (one) => `${one.suite} ${one.kind} ${one.answerable}`);
  const rows = cases.flatMap((one): Row[] => {
    const weight = SUITE_WEIGHT / (sizes.get(`${one.suite} ${one.kind} ${one.answerable}`)?.length ?? 1);
    const ranked = one.found.toSorted((a, b) => b.answers - a.answers);
    const right = ranked.filter(({ holds }) => holds).slice(0, 1);
    const wrong = ranked.filter(({ holds }) => !holds).slice(0, 3);
    return [
      ...right.map(({ features }) => ({ x: features, y: true, weight })),
      ...wrong.map(({ features }, i) => ({ x: features, y: false, weight: i === 0 ? weight : weight / 3 })),
    ];
  });
  return logistic(rows);
}

/** Each suite has the weight of this many cases of each kind. */
const SUITE_WEIGHT = 60;

function report(weights: readonly number[], cases: readonly Case[]): void {
  for (const [name, group] of Map.groupBy(cases, ({ suite, kind }) => `${suite}, ${kind}`)) {
    const best = group.map((one) => {
      const scored = one.found.map((found) => ({ ...found, score: odds(weights, found.features) }));
      return scored.reduce<(typeof scored)[number] | undefined>((a, b) => (a && a.score >= b.score ? a : b), undefined);
    });
    const judged = group.map((one, i) => ({
      score: best[i]?.score ?? -20,
      predicted: (best[i]?.score ?? -1) >= 0,
      positive: one.answerable,
    }));
    const c = confusion(judged);
    const said = best.flatMap((one) => (one ? [{ score: 1 / (1 + Math.exp(-one.score)), positive: one.holds }] : []));
    const answered = said.filter(({ score }) => score >= 0.5);
    const numbers = {
      auc: auc(judged),
      balanced: balancedAccuracy(c),
      answers: positiveRecall(c),
      refuses: negativeRecall(c),
      right: answered.filter(({ positive }) => positive).length / group.length,
      wrong: answered.filter(({ positive }) => !positive).length / group.length,
      ece: calibrationError(said),
    };
    const shown = Object.entries(numbers).map(([measure, value]) => `${measure} ${value?.toFixed(3)}`);
    process.stdout.write(`${name.padEnd(20)} n ${String(group.length).padStart(4)}  ${shown.join("  ")}\n`);
  }
}

await program.parseAsync();
