import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Command } from "commander";
import { randomFrom } from "../../src/evaluate/statistics.js";
import { FUNCTION_WORDS } from "../../src/text/lexicon.js";
import { misspeltWords } from "../../src/text/spelling.js";
import { plain, terms } from "../../src/text/tokens.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { openCorpus } from "./corpus.js";
import { QaItem, readLines } from "./data.js";

/**
 * Counts how spelling correction (src/text/spelling.ts) reads words, without the encoder: in the questions as they are,
 * where every correction is doubtful, and with one random typing error in a word that the documents have. Also counts which
 * of the words in `words`, rare right ones and misspelt ones, are taken as right.
 *
 *   npx tsx research/eval/spelling.ts <qa.jsonl> <corpus.jsonl or folder>
 */
const program = new Command("spelling")
  .argument("<questions>")
  .argument("<corpus>")
  .option("--seed <n>", "what the typing errors depend on", Number, 1)
  .action(async (questions: string, corpus: string, { seed }: { seed: number }) => {
    const folder = await mkdtemp(join(tmpdir(), "emend-spelling-"));
    const documents = sqlDocuments(openDatabase(folder));
    try {
      await openCorpus(corpus, documents);
      const textsFor = async (text: string) =>
        (await documents.search({ text }, 8)).map((one) => `${one.title}\n${one.section}\n${one.text}`);
      const has = async (text: string) => (await documents.search({ text, mode: "fullText" }, 1)).length > 0;
      const random = randomFrom(seed);
      const items = readLines(questions, QaItem);
      const doubtful: string[] = [];
      const read = { n: 0, right: 0, wrong: 0, left: 0 };
      for (const { question, answerable } of items) {
        for (const word of misspeltWords(question, await textsFor(question)))
          if (!(await has(word.written))) doubtful.push(`${word.written} -> ${word.read}: ${question}`);
        const words = [...question.matchAll(/(?<![\p{L}\p{N}'-])[a-z]{5,}(?![\p{L}\p{N}'-])/gu)].map(([word]) => word);
        const known = words.filter((word) => !FUNCTION_WORDS.en.has(plain(word)));
        const word = known[Math.floor(random() * known.length)];
        if (!answerable || !word || !(await has(word))) continue;
        const typed = mistyped(word, random);
        if (typed === word || (await has(typed))) continue;
        const asked = question.replace(word, typed);
        const found = misspeltWords(asked, await textsFor(asked)).find(({ written }) => written === typed);
        read.n += 1;
        read[!found ? "left" : terms(found.read).join() === terms(word).join() ? "right" : "wrong"] += 1;
      }
      const words = { right: takenAsRight("right"), misspelt: takenAsRight("misspelt") };
      process.stdout.write(`${JSON.stringify({ questions: items.length, doubtful, read, words }, null, 1)}\n`);
    } finally {
      await documents.close();
      await rm(folder, { recursive: true });
    }
  });

/** Counts the words of a list, and those that are never corrected, though a text has a word that is one error away. */
function takenAsRight(list: string) {
  const words = readFileSync(new URL(`words/${list}.txt`, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return {
    n: words.length,
    takenAsRight: words.filter((word) => misspeltWords(word, [`the ${word}x`]).length === 0).length,
  };
}

/** One letter dropped, doubled, swapped with the next, or replaced by its neighbour on the keyboard. */
function mistyped(word: string, random: () => number): string {
  const at = Math.floor(random() * (word.length - 1));
  const [before, letter = "", next = "", after] = [word.slice(0, at), word[at], word[at + 1], word.slice(at + 2)];
  const row = ROWS.find((keys) => keys.includes(letter)) ?? "";
  const beside = row[row.indexOf(letter) + 1] ?? row.at(-2) ?? "";
  const forms = [next + after, letter + letter + next + after, next + letter + after, beside + next + after];
  return before + forms[Math.floor(random() * forms.length)];
}

const ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];

await program.parseAsync();
