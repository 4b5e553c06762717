import { readPages } from "../eval/pages.js";
import { readPage } from "../src/tools/page-reader/read-page.js";

/**
 * `tsx --expose-gc bench/extraction.ts <data> [pages]`: reads the pages of an extraction set over and over, and prints the
 * memory that is left after each eighth, and the time of this process that a page takes (what else runs does not count).
 * Default: 10,000 pages.
 */
const [folder = "", count = "10000"] = process.argv.slice(2);
const pages = readPages(folder).map(({ html, url }) => ({ bytes: Buffer.from(html), url }));
const times: number[] = [];
const titles: string[] = [];
const step = Math.ceil(Number(count) / 8);
for (let i = 0; i < Number(count); i++) {
  const { bytes, url } = pages[i % pages.length] ?? { bytes: Buffer.from(""), url: "" };
  const start = process.cpuUsage();
  const { title } = await readPage(bytes, url);
  const { user, system } = process.cpuUsage(start);
  times.push((user + system) / 1000);
  titles.push(title);
  if ((i + 1) % step !== 0) continue;
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  console.log(`${i + 1} pages: heap ${Math.round(heapUsed / 2 ** 20)} MiB, resident ${Math.round(rss / 2 ** 20)} MiB`);
}
const sorted = times.slice(pages.length).toSorted((a, b) => a - b);
const at = (share: number) => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1);
console.log(`processor time a page: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
