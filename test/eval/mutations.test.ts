import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { type Case, casesOf, isUntouched, KINDS } from "../../research/eval/mutate.js";
import { readTriples } from "../../research/eval/mutate-triples.js";
import { asEvidence } from "../../research/eval/passages.js";
import { checkByCode } from "../../src/checking/cascade.js";

const folder = mkdtempSync(join(tmpdir(), "emend-mutations-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ask = (id: string, question: string, text: string) => ({ id, question, answers: [{ text }] });
const article = (title: string, context: string, ...qas: object[]) => ({ title, paragraphs: [{ context, qas }] });

const set = join(folder, "set.json");
writeFileSync(
  set,
  JSON.stringify({
    data: [
      article(
        "Harbour",
        "The old harbour was built by Anna Berg in March 1898, which made the town rich. It is 35 kilometres long and has more than 20 large cranes (all of steel). The harbour was not closed during the war with Norway.",
        ask("h1", "Who built the harbour?", "Anna Berg"),
        ask("h2", "How long is it?", "35 kilometres"),
        ask("h4", "In what year was it built?", "1898"),
        ask("h3", "With whom was the war?", "Norway"),
      ),
      article(
        "Bakery",
        "The first bakery of the street was opened by Omar Said in July 1921, because the workers of Hamburg asked for it. In 1950 the bakery sold 1,200 loaves a day to the Hotel Atlantic.",
        ask("b1", "Who opened the bakery?", "Omar Said"),
        ask("b2", "How many loaves were sold?", "1,200"),
      ),
      article(
        "博物馆",
        "该博物馆于1952年3月由建筑师李雷在北京建成，是当时最大的博物馆。馆内有三十五个展厅，面积为4500平方米，每年超过20万人参观。博物馆不是免费开放的，游客在开馆之前可以买票。",
        ask("m1", "谁建成了博物馆？", "李雷"),
        ask("m2", "博物馆有几个展厅？", "三十五个"),
        ask("m3", "游客什么时候买票？", "开馆之前"),
      ),
      article(
        "图书馆",
        "图书馆于1987年9月由王芳在上海创办，因为学生没有地方读书。读者可以借阅6本书，为期3个星期，馆长是赵明。",
        ask("l1", "谁创办了图书馆？", "王芳"),
        ask("l2", "读者可以借几本书？", "6本"),
      ),
    ],
  }),
);
const lines = join(folder, "lines.jsonl");
writeFileSync(
  lines,
  JSON.stringify({
    id: "s1",
    context: "The mill was closed by Ada King in 1990. It has two wheels.",
    question: "Who?",
    answers: ["Ada King"],
  }),
);

const triples = readTriples([set, lines]);
const cases = casesOf(triples, 1);
const of = (kind: Case["kind"]) => cases.filter((item) => item.kind === kind);
const quotesOf = ({ claim }: Case) => claim.citations.map(({ quote }) => quote);
const stands = ({ claim, sources }: Case) =>
  claim.citations.every(({ evidenceId, quote }) =>
    sources.some(({ id, text }) => id === evidenceId && text.includes(quote)),
  );

describe("triples", () => {
  test("are sentences that contain the answer, each once, from both file formats and in both languages", () => {
    expect(triples).toHaveLength(11);
    for (const { sentence, answer, quote, paragraph } of triples) {
      expect(sentence).toContain(answer);
      expect(quote.startsWith(sentence)).toBe(true);
      expect(paragraph.text).toContain(quote);
    }
    expect(new Set(triples.map(({ language }) => language))).toEqual(new Set(["en", "zh"]));
  });

  test("of one paragraph are all in the same half", () => {
    const halves = Map.groupBy(triples, ({ paragraph }) => paragraph.id);
    for (const some of halves.values()) expect(new Set(some.map(({ half }) => half)).size).toBe(1);
  });

  test("cannot be read from a missing file", () => {
    expect(() => readTriples([join(folder, "none.json")])).toThrow(/no such file/);
  });
});

describe("changed claims", () => {
  test.each(KINDS)("of the kind %s are made in both languages", (kind) => {
    expect(new Set(of(kind).map(({ language }) => language))).toEqual(new Set(["en", "zh"]));
  });

  test("are the same for the same seed and differ for another seed", () => {
    expect(casesOf(triples, 1)).toEqual(cases);
    expect(casesOf(triples, 2)).not.toEqual(cases);
  });

  test.each(["number", "date", "unit", "name", "negation", "relation", "addition"] as const)(
    "with another %s are not in their quote, which is in its source",
    (kind) => {
      for (const item of of(kind)) {
        expect(quotesOf(item).join()).not.toContain(item.claim.text);
        expect(stands(item)).toBe(true);
      }
    },
  );

  test("with a fabricated quote or a wrong source quote nothing that the source contains", () => {
    for (const item of [...of("fabricated quote"), ...of("wrong source")]) expect(stands(item), item.how).toBe(false);
  });

  test("merge statements of two sources, and quote one or both of them", () => {
    expect(new Set(of("merged halves").map(({ claim }) => claim.citations.length))).toEqual(new Set([1, 2]));
    for (const item of of("merged halves")) expect(stands(item)).toBe(true);
  });

  test("are never settled as supported by exact code, and unchanged claims are never settled as false", () => {
    for (const item of cases) {
      const { verdict, settledBy, reason } = checkByCode(item.claim, item.sources.map(asEvidence));
      const told = `${item.how}: ${item.claim.text} (${reason})`;
      if (isUntouched(item.kind)) expect(settledBy === undefined || verdict === "supported", told).toBe(true);
      else expect(settledBy !== undefined && verdict === "supported", told).toBe(false);
      if (["number", "date", "fabricated quote", "wrong source"].includes(item.kind))
        expect(settledBy, told).toBeDefined();
    }
  });
});

test("the command prints a row for each kind and language, or every claim as JSON", () => {
  const run = (...options: string[]) =>
    execFileSync(process.execPath, ["--import", "tsx", "research/eval/mutations.ts", set, lines, ...options], {
      encoding: "utf8",
    });
  expect(run()).toMatch(/^fabricated quote +zh +\d+ +100\.0 +0\.0 +100\.0$/m);
  const { rows, items } = JSON.parse(run("--json", "--limit", "3"));
  expect(rows).toHaveLength(KINDS.length * 2);
  expect(items[0]).toMatchObject({ kind: "untouched", verdict: "supported" });
}, 60_000);
