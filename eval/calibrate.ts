import { basename, join } from "node:path";
import { Command } from "commander";
import { sentences } from "../src/text/sentences.js";
import { FEATURES, type Match, matches } from "../src/tools/reasoner/local/match.js";
import { readQuestion } from "../src/tools/reasoner/local/question.js";
import { bm25 } from "./baseline.js";
import { AnswerabilityItem, readLines } from "./data.js";
import { logistic, odds, type Row } from "./logistic.js";
import { says } from "./match.js";
import { auc, balancedAccuracy, confusion, negativeRecall, positiveRecall } from "./metrics.js";
import { sample } from "./sample.js";

/**
 * Fits the weights of the local grader (src/tools/reasoner/local/weights.ts) and says how they do on suites they have not
 * seen: each suite is judged by weights fitted on the others. Suites whose folders begin alike ("xquad", "xquad-zh") are
 * left out together.
 *
 *   npx tsx eval/calibrate.ts <folder with answerability.jsonl>...
 *
 * Where a suite gives one passage a question, three more cases are made of each answerable one: without the sentences that
 * hold the answer; among the seven other passages that fit the question's words best; and these alone.
 */
const program = new Command("calibrate")
  .argument("<folders...>", "folders that hold an answerability.jsonl, as eval/convert.ts makes them")
  .option("--questions <n>", "how many items of a suite are taken", Number, 260)
  .option("--seed <n>", "what the choice depends on", Number, 1)
  .action((folders: string[], { questions, seed }: { questions: number; seed: number }) => {
    const cases = folders.flatMap((folder) => casesOf(folder, questions, seed));
    const families = [...new Set(cases.map(familyOf))];
    for (const family of families) {
      const weights = fitted(cases.filter((one) => familyOf(one) !== family));
      report(
        weights,
        cases.filter((one) => familyOf(one) === family),
      );
    }
    const all = fitted(cases);
    const names = ["bias", ...FEATURES];
    for (const [i, weight] of all.entries()) process.stdout.write(`  ${names[i]}: ${weight.toFixed(2)},\n`);
  });

interface Case {
  suite: string;
  kind: string;
  answerable: boolean;
  met: (Match & { holdsAnswer: boolean; x: number[] })[];
}

const familyOf = ({ suite }: Case) => suite.split("-")[0];

function casesOf(folder: string, questions: number, seed: number): Case[] {
  const items = readLines(join(folder, "answerability.jsonl"), AnswerabilityItem);
  const texts = new Set(items.flatMap(({ passages }) => (passages.length === 1 ? passages.map((p) => p.text) : [])));
  const search = bm25([...texts].map((text) => ({ id: text, text })));
  const suite = basename(folder);
  const hasTwin = new Set(items.filter((item) => item.answerable).map((item) => item.question));
  return sample(items, questions, seed).flatMap(({ question, passages, answerable, answers = [] }) => {
    const made = (kind: string, given: readonly string[], can: boolean) =>
      oneCase(suite, kind, question, given, can, answers);
    const [own, ...more] = passages.map(({ text }) => text);
    if (own === undefined) return [];
    if (more.length > 0) return [made("many", [own, ...more], answerable)];
    const others = search(question)
      .map(({ id }) => id)
      .filter((text) => text !== own && !says(text, answers));
    const among = (text: string) => [...others.slice(0, 3), text, ...others.slice(3, 7)];
    // Its passage is the wrong one, but the right one may be among the others.
    if (!answerable && hasTwin.has(question)) return [made("one", [own], false)];
    const whole = [made("one", [own], answerable), made("many", among(own), answerable)];
    const cut = withoutAnswer(own, answers);
    if (!answerable || cut === "") return whole;
    return [
      ...whole,
      made("one", [cut], false),
      made("many", among(cut), false),
      made("many", others.slice(0, 8), false),
    ];
  });
}

function withoutAnswer(text: string, answers: readonly string[]): string {
  const kept = sentences(text).map(({ start, end }) => text.slice(start, end));
  return kept.filter((sentence) => !says(sentence, answers)).join(/\p{Script=Han}/u.test(text) ? "" : " ");
}

function oneCase(
  suite: string,
  kind: string,
  question: string,
  texts: readonly string[],
  answerable: boolean,
  answers: readonly string[],
): Case {
  const evidence = texts.map((text) => ({ text, title: "", section: "" }));
  const met = matches(readQuestion(question), evidence).map((match) => ({
    ...match,
    holdsAnswer: answerable && says(texts[match.piece]?.slice(match.start, match.end) ?? "", answers),
    x: FEATURES.map((name) => match.features[name]),
  }));
  return { suite, kind, answerable, met };
}

/** First, which sentence holds the answer; then, whether the best one does. Both in one row of weights. */
function fitted(cases: readonly Case[]): number[] {
  const sizes = Map.groupBy(cases, (one) => `${one.suite} ${one.kind} ${one.answerable}`);
  const weightOf = (one: Case) => SUITE_WEIGHT / (sizes.get(`${one.suite} ${one.kind} ${one.answerable}`)?.length ?? 1);
  const long = FEATURES.indexOf("long");
  const within = (x: readonly number[]) => x.map((value, i) => (i === long ? 0 : value));

  const which = logistic(
    cases.flatMap((one) => sentenceRows(one, weightOf(one))).map((row) => ({ ...row, x: within(row.x) })),
  );
  const [bias = 0, slope = 1, longer = 0] = logistic(
    cases.flatMap((one) => {
      const best = bestBy(one, (x) => odds(which, within(x)));
      return best
        ? [{ x: [odds(which, within(best.x)), best.x[long] ?? 0], y: one.answerable, weight: weightOf(one) }]
        : [];
    }),
  );
  const [first = 0, ...rest] = which;
  return [bias + slope * first, ...rest.map((weight, i) => (i === long ? longer : slope * weight))];
}

/** Each suite counts as much as this many cases of each kind. */
const SUITE_WEIGHT = 300;

/** The sentence with the answer that shares most with the question, against the sentences that do not hold it. */
function sentenceRows(one: Case, weight: number): Row[] {
  const holders = one.met.filter(({ holdsAnswer }) => holdsAnswer);
  const others = one.met.filter(({ holdsAnswer }) => !holdsAnswer);
  const best = holders.toSorted((a, b) => b.features.covered - a.features.covered)[0];
  if (one.answerable && !best) return [];
  const against = others.map(({ x }): Row => ({ x, y: false, weight: weight / Math.sqrt(others.length) }));
  return best ? [{ x: best.x, y: true, weight }, ...against] : against;
}

const bestBy = ({ met }: Case, score: (x: readonly number[]) => number) =>
  met.reduce<Case["met"][number] | undefined>(
    (best, next) => (best && score(best.x) >= score(next.x) ? best : next),
    undefined,
  );

function report(weights: readonly number[], cases: readonly Case[]): void {
  for (const [name, group] of Map.groupBy(cases, ({ suite, kind }) => `${suite}, ${kind}`)) {
    const judged = group.map((one) => {
      const scores = one.met.map(({ x, besides }) => ({ score: odds(weights, x), besides }));
      const score = Math.max(-20, ...scores.map((s) => s.score));
      return { score, predicted: scores.some((s) => s.score >= 0 && !s.besides), positive: one.answerable };
    });
    const c = confusion(judged);
    const numbers = {
      auc: auc(judged),
      balanced: balancedAccuracy(c),
      answers: positiveRecall(c),
      refuses: negativeRecall(c),
    };
    const shown = Object.entries(numbers).map(([measure, value]) => `${measure} ${value?.toFixed(3)}`);
    process.stdout.write(`${name.padEnd(16)} n ${String(group.length).padStart(5)}  ${shown.join("  ")}\n`);
  }
}

program.parse();
