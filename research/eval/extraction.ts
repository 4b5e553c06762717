import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { Readability } from "@mozilla/readability";
import { load } from "cheerio";
import { parseHTML } from "linkedom";
import { z } from "zod";
import { quantile } from "../../src/evaluate/statistics.js";
import { readHtmlPage } from "../../src/tools/web/read-page.js";
import { BadDataError } from "./data.js";
import type { TruePage } from "./pages.js";
import type { Measured, Metrics } from "./result.js";
import { averaged, shingleScore } from "./shingles.js";

/**
 * Reads each page, and scores its text against the text that people marked. For comparison: Readability on linkedom,
 * the body's text by cheerio, and other extractors' texts from files.
 */
export async function extraction(pages: readonly TruePage[], beside: readonly string[] = []): Promise<Measured> {
  const warm = pages[0];
  if (warm) for (const read of Object.values(EXTRACTORS)) read(warm);
  const runs = Object.entries(EXTRACTORS).map(([name, read]) => ({
    name,
    reads: pages.map((page) => timed(read, page)),
  }));
  const others = beside.map((path) => ({ name: basename(path, ".json"), reads: readTexts(path, pages) }));
  const scored = [...runs, ...others].map(({ name, reads }) => {
    const scores = reads.map(({ text }, i) => shingleScore(pages[i]?.truth ?? "", text));
    return { name, scores, metrics: { ...averaged(scores), ...pace(reads.map((read) => read.ms)) } satisfies Metrics };
  });
  const [own, ...rest] = scored;
  return {
    n: pages.length,
    metrics: own?.metrics ?? {},
    baselines: Object.fromEntries(rest.map(({ name, metrics }) => [name, metrics])),
    items: pages.map(({ id, url }, i) => ({ id, url, ...own?.scores[i] })),
  };
}

const EXTRACTORS: Record<string, (page: TruePage) => string> = {
  emend: ({ html, url }) => readHtmlPage(html, url).text,
  readability: ({ html }) => new Readability(parseHTML(html).document).parse()?.textContent ?? "",
  cheerioBody: ({ html }) => {
    const page = load(html);
    page("script, style, noscript, template").remove();
    return page("body").text();
  },
};

function timed(read: (page: TruePage) => string, page: TruePage) {
  const start = performance.now();
  const text = read(page);
  return { text, ms: performance.now() - start };
}

function pace(ms: readonly (number | undefined)[]): Metrics {
  const known = ms.filter((each) => each !== undefined);
  return known.length === 0 ? {} : { msP50: quantile(known, 0.5), msP99: quantile(known, 0.99) };
}

/** Another extractor's texts: `{id: {articleBody, ms?}}`, as the benchmark keeps them. */
function readTexts(path: string, pages: readonly TruePage[]): { text: string; ms: number | undefined }[] {
  const parsed = Texts.safeParse(json(path));
  if (!parsed.success) throw new BadDataError(`${path}: not of the form {id: {articleBody, ms?}}.`);
  return pages.map(({ id }) => {
    const found = parsed.data[id];
    if (!found) throw new BadDataError(`${path}: holds no ${id}.`);
    return { text: found.articleBody ?? "", ms: found.ms };
  });
}

const Texts = z.record(z.string(), z.object({ articleBody: z.string().nullish(), ms: z.number().optional() }));

function json(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    throw new BadDataError(`${path}: cannot be read as JSON.`);
  }
}
