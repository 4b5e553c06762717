import { quantile } from "../../src/evaluate/statistics.js";
import { readHtmlPage, readPageInOwnProcess } from "../../src/tools/web/read-page.js";
import { readPages } from "../eval/pages.js";

/**
 * `tsx --expose-gc research/bench/extraction.ts <data> [pages]`: reads the pages of an extraction set over and over,
 * and prints the memory in use at the start and after each fifth. It also prints the processor time per page, which
 * other programs do not affect, and the time on the clock, which they do. The last line is the time on the clock for
 * the same pages read in a separate process, as emend does. Default: 10,000 pages.
 */
const [folder = "", count = "10000"] = process.argv.slice(2);
const pages = readPages(folder).map(({ html, url }) => ({ bytes: Buffer.from(html), url }));
const times: number[] = [];
const titles: string[] = [];
const clock: number[] = [];
const step = Math.ceil(Number(count) / 5);
left(0);
for (let i = 0; i < Number(count); i++) {
  const { bytes, url } = pages[i % pages.length] ?? { bytes: Buffer.from(""), url: "" };
  const start = process.cpuUsage();
  const began = performance.now();
  const { title } = readHtmlPage(bytes, url);
  const { user, system } = process.cpuUsage(start);
  clock.push(performance.now() - began);
  times.push((user + system) / 1000);
  titles.push(title);
  if ((i + 1) % step === 0) left(i + 1);
}
// Leaves out the first round, in which the JavaScript engine has not optimised the code yet.
console.log(`processor time a page: ${spread(times.slice(pages.length))}`);
console.log(`time on the clock: ${spread(clock.slice(pages.length))}`);
const apart: number[] = [];
for (const { bytes, url } of [...pages, ...pages]) {
  const began = performance.now();
  await readPageInOwnProcess(bytes, url);
  apart.push(performance.now() - began);
}
console.log(`in a process of its own: ${spread(apart.slice(pages.length))}`);

function left(read: number): void {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  console.log(`${read} pages: heap ${Math.round(heapUsed / 2 ** 20)} MiB, resident ${Math.round(rss / 2 ** 20)} MiB`);
}

function spread(milliseconds: readonly number[]): string {
  const at = (share: number) => (quantile(milliseconds, share) ?? 0).toFixed(1);
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`;
}
