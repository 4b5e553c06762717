import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wordsOf } from "../../src/ingest/formats/scans.js";
import { isUncertain } from "../../src/text/marks.js";
import { readScan } from "../../src/tools/ocr/read-scan.js";
import { DAMAGES, drawScans } from "./draw-scans.js";
import { memory, say } from "./measure.js";
import { SCAN_PAGES } from "./scan-pages.js";

/**
 * Measures how scans are read: `tsx research/bench/scans.ts FONT`, where FONT is a font file with Chinese characters,
 * such as noto-sans-sc-chinese-simplified-400-normal.woff2 of @fontsource/noto-sans-sc. Draws each page in Chromium at
 * 200 dpi, damages it, and reads it on one core.
 *
 * "letters" is the share of letters that are read, whatever their order, without spaces and with wide forms as narrow
 * ones: 1 less the letters that lack or are added, whichever are more. A word (in Chinese, a clause) is wrong if it is
 * not on the page. "marked" words have [?].
 */
async function main([font]: readonly string[]): Promise<void> {
  if (!font) throw new Error("Give a font file with Chinese characters.");
  const folder = await mkdtemp(join(tmpdir(), "emend-scans-"));
  try {
    await drawScans(folder, font);
    const files = await readdir(folder);
    say("| | letters, en | zh | words | wrong | of these marked | marked, but right | s a page |\n|-|-|-|-|-|-|-|-|");
    for (const damage of Object.keys(DAMAGES)) {
      const rows = [];
      for (const file of files.filter((name) => name.split(".")[1] === damage)) rows.push(await measured(folder, file));
      say(`| ${damage} | ${summary(rows)} |`);
    }
    say(`Memory at the end: ${memory()}.`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Row = Awaited<ReturnType<typeof measured>>;

function summary(rows: readonly Row[]): string {
  const mean = (some: readonly Row[]) => some.reduce((sum, { letters }) => sum + letters, 0) / some.length;
  const total = (of: (row: Row) => number) => rows.reduce((sum, row) => sum + of(row), 0);
  return [
    mean(rows.filter(({ language }) => language === "en")).toFixed(4),
    mean(rows.filter(({ language }) => language === "zh")).toFixed(4),
    total(({ words }) => words),
    total(({ wrong }) => wrong),
    total(({ caught }) => caught),
    total(({ marked, caught }) => marked - caught),
    (total(({ seconds }) => seconds) / rows.length).toFixed(1),
  ].join(" | ");
}

async function measured(folder: string, file: string) {
  const page = SCAN_PAGES.find(({ name }) => name === file.split(".")[0]);
  if (!page) throw new Error(`There is no page ${file}.`);
  const before = process.cpuUsage();
  const read = await readScan({ key: "", bytes: await readFile(join(folder, file)), page: 0 });
  const { user, system } = process.cpuUsage(before);
  const wanted = plain(page.text);
  const words = read.lines.flat();
  const isWrong = words.map(({ text }) => !wanted.includes(plain(text)));
  const isMarked = words.map((word) =>
    wordsOf({ ...read, lines: [[word]] }).words.some(({ text }) => isUncertain(text)),
  );
  return {
    language: page.language,
    letters: 1 - differing(plain(words.map(({ text }) => text).join("")), wanted) / wanted.length,
    words: words.length,
    wrong: isWrong.filter(Boolean).length,
    marked: isMarked.filter(Boolean).length,
    caught: isMarked.filter((marked, i) => marked && isWrong[i]).length,
    seconds: (user + system) / 1_000_000,
  };
}

const plain = (text: string) => text.normalize("NFKC").replace(/\s+/g, "");

function differing(read: string, wanted: string): number {
  const counts = new Map<string, number>();
  for (const letter of wanted) counts.set(letter, (counts.get(letter) ?? 0) + 1);
  for (const letter of read) counts.set(letter, (counts.get(letter) ?? 0) - 1);
  const sum = (sign: number) => [...counts.values()].reduce((all, count) => all + Math.max(0, sign * count), 0);
  return Math.max(sum(1), sum(-1));
}

await main(process.argv.slice(2));
