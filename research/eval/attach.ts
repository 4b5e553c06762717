import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { attacher } from "../../src/citing/attach.js";
import { outlineOf } from "../../src/text/outline.js";
import { chineseWords } from "../../src/text/tokens.js";

/**
 * `npx tsx research/eval/attach.ts <folder>`: measures how well `attach` finds the sentences that support a claim. It
 * uses the files that the folder has, of these: wice/claim_dev.jsonl has sentences named by people, reported for each
 * half of the articles, since the weights were chosen on one half. From xquad/xquad.{en,zh}.json and
 * cmrc2018/cmrc2018_trial.json it takes the sentence with an answer, drops a third of its words, and looks for it among
 * ten paragraphs; it also counts how often something is attached when the paragraph is missing.
 */
function main(folder: string) {
  const at = (path: string) => (existsSync(join(folder, path)) ? join(folder, path) : undefined);
  const wice = at("wice/claim_dev.jsonl");
  if (wice) reportNamed(readFileSync(wice, "utf8").trim().split("\n"));
  for (const path of ["xquad/xquad.en.json", "xquad/xquad.zh.json", "cmrc2018/cmrc2018_trial.json"]) {
    const file = at(path);
    if (file) reportDropped(path, paragraphsOf(JSON.parse(readFileSync(file, "utf8"))));
  }
}

interface Named {
  label: string;
  claim: string;
  evidence: string[];
  supporting_sentences: number[][];
  meta: { claim_title: string };
}

/** Compares with the set of sentences that fits best, of the sets that people named. */
function reportNamed(lines: readonly string[]) {
  for (const half of ["tuned on", "held out"]) {
    const items = lines.map((line) => JSON.parse(line) as Named).filter((item) => halfOf(item) === half);
    const supported = items.filter(({ label }) => label !== "not_supported").map(scored);
    const other = items.filter(({ label }) => label === "not_supported").map(foundIn);
    const mean = (of: (score: Score) => number) =>
      share(
        supported.reduce((sum, score) => sum + of(score), 0),
        supported.length,
      );
    const row = {
      n: supported.length,
      precision: mean(({ precision }) => precision),
      recall: mean(({ recall }) => recall),
      f1: mean(({ f1 }) => f1),
      nothing: mean(({ size }) => (size === 0 ? 1 : 0)),
      unsupported: other.length,
      "nothing for these": share(other.filter((found) => found.size === 0).length, other.length),
    };
    process.stdout.write(`wice, ${half}: ${JSON.stringify(row)}\n`);
  }
}

const halfOf = ({ meta }: Named) =>
  [...meta.claim_title].reduce((sum, character) => sum + character.charCodeAt(0), 0) % 2 === 1
    ? "tuned on"
    : "held out";

interface Score {
  precision: number;
  recall: number;
  f1: number;
  size: number;
}

function scored(item: Named): Score {
  const found = foundIn(item);
  const scores = item.supporting_sentences.map((wanted) => {
    const met = wanted.filter((i) => found.has(i)).length;
    const [precision, recall] = [share(met, found.size), share(met, wanted.length)];
    return { precision, recall, f1: share(2 * precision * recall, precision + recall), size: found.size };
  });
  return scores.reduce((best, next) => (next.f1 > best.f1 ? next : best));
}

/** The sentences that were attached. One that a quote only touches at its edge does not count. */
function foundIn({ claim, evidence }: Named): Set<number> {
  let text = "";
  const spans = evidence.map((sentence) => {
    const start = text.length;
    text += `${sentence}\n\n`;
    return { start, end: start + sentence.length };
  });
  const attached = attacher([{ id: "page", text }])(claim);
  const overlap = (a: { start: number; end: number }, b: { start: number; end: number }) =>
    Math.min(a.end, b.end) - Math.max(a.start, b.start);
  const isFound = (span: { start: number; end: number }) =>
    attached.some((quote) => overlap(quote, span) > Math.min(20, (span.end - span.start) / 2));
  return new Set(spans.flatMap((span, i) => (isFound(span) ? [i] : [])));
}

interface Paragraph {
  text: string;
  answers: { text: string; start: number }[];
}

function reportDropped(name: string, paragraphs: readonly Paragraph[]) {
  const random = seeded(7);
  const count = { n: 0, found: 0, nothing: 0, "attached without its paragraph": 0 };
  paragraphs.forEach(({ text, answers }, i) => {
    const sources = Array.from({ length: 10 }, (_, k) => {
      const place = (i + k) % paragraphs.length;
      return { id: `${place}`, text: paragraphs[place]?.text ?? "" };
    });
    const [find, findElsewhere] = [attacher(sources), attacher(sources.slice(1))];
    for (const answer of answers) {
      const sentence = outlineOf(text).find(({ start, end }) => start <= answer.start && answer.start < end);
      const words = sentence ? wordsOf(text.slice(sentence.start, sentence.end)) : [];
      if (!sentence || words.length < 6) continue;
      const claim = words.filter(() => random() > 1 / 3).join("");
      const found = find(claim);
      const isIt = found.some(
        ({ evidenceId, start, end }) => evidenceId === `${i}` && start < sentence.end && end > sentence.start,
      );
      count.n += 1;
      count.found += isIt ? 1 : 0;
      count.nothing += found.length === 0 ? 1 : 0;
      count["attached without its paragraph"] += findElsewhere(claim).length > 0 ? 1 : 0;
    }
  });
  const shares = Object.entries(count).map(([key, value]) => [key, key === "n" ? value : share(value, count.n)]);
  process.stdout.write(`${name}: ${JSON.stringify(Object.fromEntries(shares))}\n`);
}

const wordsOf = (text: string) => (/\p{Script=Han}/u.test(text) ? chineseWords(text) : text.split(/(?<=\s)/));

/** SQuAD's form, or CMRC's trial form. */
function paragraphsOf(data: unknown): Paragraph[] {
  type Qa = { answers: (string | { text: string; answer_start: number })[] };
  type Given = { context?: string; context_text?: string; qas: Qa[] };
  const given = Array.isArray(data)
    ? (data as Given[])
    : (data as { data: { paragraphs: Given[] }[] }).data.flatMap(({ paragraphs }) => paragraphs);
  return given.map(({ context, context_text, qas }) => {
    const text = context ?? context_text ?? "";
    const answers = qas.flatMap(({ answers: [answer] }) => {
      if (answer === undefined) return [];
      const words = typeof answer === "string" ? answer : answer.text;
      const start = typeof answer === "string" ? text.indexOf(answer) : answer.answer_start;
      return start < 0 ? [] : [{ text: words, start }];
    });
    return { text, answers };
  });
}

function seeded(seed: number) {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((1000 * part) / whole) / 1000);

main(process.argv[2] ?? ".");
