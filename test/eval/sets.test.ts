import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  AnswerabilityItem,
  CorpusLine,
  QaItem,
  RelevanceItem,
  RetrievalItem,
  SupportItem,
} from "../../research/eval/data.js";
import { type Asked, readingSuites } from "../../research/eval/sets/reading.js";
import { rgb } from "../../research/eval/sets/rgb.js";
import { squad2 } from "../../research/eval/sets/squad2.js";
import { wice } from "../../research/eval/sets/support.js";

const folder = mkdtempSync(join(tmpdir(), "emend-sets-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, ...lines: object[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  return path;
}

describe("a reading set", () => {
  const paragraph = (id: string, article: string, text: string) => ({ id, article, text });
  const office = paragraph("0-0", "0 office", "The office opens at 8. It was built by Anna Berg in 1998.");
  const bakery = paragraph("1-0", "1 bakery", "The bakery opens at 6. It is led by Omar Said.");
  const museum = paragraph("2-0", "2 博物馆", "博物馆于1952年开放。馆长是李明。");
  const library = paragraph("3-0", "3 图书馆", "图书馆于1987年开放。馆长是王芳。");
  const ask = (id: string, question: string, answer: string, from: typeof office): Asked => ({
    id,
    question,
    answers: [answer],
    paragraph: from,
  });
  const asked = [
    ask("o1", "When was the office built?", "1998", office),
    ask("o2", "Who built the office?", "Anna Berg", office),
    ask("b1", "Who leads the bakery?", "Omar Said", bakery),
    ask("m1", "博物馆哪一年开放？", "1952年", museum),
    ask("l1", "图书馆哪一年开放？", "1987年", library),
  ];
  const suites = readingSuites(asked, { seed: 1 });

  test("is converted to the format of every suite", () => {
    const parsed = (schema: z.ZodType, name: string) => z.array(schema).parse(suites[name]);
    expect(parsed(CorpusLine, "retrieval/corpus.jsonl")).toHaveLength(4);
    expect(parsed(RetrievalItem, "retrieval/queries.jsonl")).toHaveLength(5);
    expect(parsed(AnswerabilityItem, "answerability.jsonl").length).toBeGreaterThan(5);
    expect(parsed(SupportItem, "support.jsonl").length).toBeGreaterThan(0);
    expect(parsed(QaItem, "qa/qa.jsonl")).toHaveLength(5);
  });

  test("an unanswerable question comes with a paragraph that does not contain its answer", () => {
    const others = z
      .array(AnswerabilityItem)
      .parse(suites["answerability.jsonl"])
      .filter((item) => !item.answerable);
    expect(others.length).toBeGreaterThan(0);
    for (const other of others) {
      const answer = asked.find((item) => other.id === `${item.id}-other`)?.answers[0] ?? "";
      expect(other.passages[0]?.text).not.toContain(answer);
    }
  });

  test("a false claim is a true one with its answer replaced by another of the same kind", () => {
    const claims = new Map(
      z
        .array(SupportItem)
        .parse(suites["support.jsonl"])
        .map((item) => [item.id, item]),
    );
    expect(claims.get("m1-true")).toMatchObject({
      claim: "博物馆于1952年开放。",
      sources: [museum.text],
      supported: true,
    });
    expect(claims.get("m1-swapped")).toMatchObject({ claim: "博物馆于1987年开放。", supported: false });
    expect(claims.get("o2-swapped")?.claim).toBe("It was built by Omar Said in 1998.");
  });

  test("questions become unanswerable because whole articles are removed from the corpus", () => {
    for (const questions of [undefined, 2, 4]) {
      const some = readingSuites(asked, { seed: 3, ...(questions && { questions }) });
      const left = z
        .array(CorpusLine)
        .parse(some["qa/corpus.jsonl"])
        .map((line) => line.text);
      const lines = z.array(QaItem).parse(some["qa/qa.jsonl"]);
      if (questions) expect(lines.filter((line) => line.answerable)).toHaveLength(questions / 2);
      if (questions) expect(lines.filter((line) => !line.answerable)).toHaveLength(questions / 2);
      for (const line of lines) {
        const own = asked.find((item) => item.id === line.id)?.paragraph.text ?? "";
        expect(left.includes(own)).toBe(line.answerable);
      }
    }
  });
});

describe("SQuAD 2.0", () => {
  const line = (id: string, unanswerable: boolean) => ({
    id,
    context: "The office opens at eight.",
    question: `When ${id}?`,
    answers: unanswerable ? [""] : ["eight", "eight"],
    unanswerable,
  });
  const path = file("squad2.jsonl", line("a", false), line("b", true), line("c", false), line("d", true));

  test("asks each question of its paragraph and of all paragraphs, and lists each paragraph once", () => {
    const suites = squad2(path, { seed: 1 });
    expect(suites["qa/corpus.jsonl"]).toEqual([{ id: "p0", text: "The office opens at eight." }]);
    expect(suites["answerability.jsonl"]?.[0]).toMatchObject({ id: "a", answerable: true, answers: ["eight"] });
    expect(suites["qa/qa.jsonl"]).toHaveLength(4);
    expect(suites["qa/qa.jsonl"]?.find((item) => "id" in item && item.id === "b")).toMatchObject({ answers: [] });
  });

  test("takes equally many questions of each kind if their number is given", () => {
    const lines = z.array(QaItem).parse(squad2(path, { seed: 1, questions: 2 })["qa/qa.jsonl"]);
    expect(lines.map((one) => one.answerable)).toEqual([true, false]);
  });
});

describe("RGB", () => {
  const path = file("rgb.jsonl", {
    id: 7,
    query: "谁夺冠？",
    answer: [["王芳", "芳"], "李明"],
    positive: ["王芳夺冠。", "冠军是\r\n   王芳。"],
    negative: ["天气晴。", "票价十元。", "观众很多。"],
    positive_wrong: ["王芳夺冠。", "冠军是张伟。"],
  });
  const suites = rgb(path, { seed: 1 });

  test("is converted to items for relevance, rejection and changed facts", () => {
    const [item] = z.array(RelevanceItem).parse(suites["relevance.jsonl"]);
    expect(
      item?.passages
        .filter((p) => p.relevant)
        .map((p) => p.text)
        .sort(),
    ).toEqual(["冠军是 王芳。", "王芳夺冠。"]);
    const [positive, negative] = z.array(AnswerabilityItem).parse(suites["answerability.jsonl"]);
    expect(positive).toMatchObject({ answerable: true, answers: ["王芳", "芳", "李明"] });
    expect(positive?.passages).toHaveLength(5);
    expect(negative).toMatchObject({ answerable: false });
    expect(negative?.passages.map((p) => p.text).sort()).toEqual(["天气晴。", "票价十元。", "观众很多。"].sort());
    const [same, changed] = z.array(SupportItem).parse(suites["support.jsonl"]);
    expect(same?.sources).toEqual([same?.claim]);
    expect(changed).toMatchObject({ sources: ["冠军是张伟。"], supported: false });
  });
});

test("WiCE: a partly supported claim counts as unsupported", () => {
  const line = (id: string, label: string) => ({ label, claim: "c", evidence: ["one.", "two."], meta: { id } });
  const path = file("wice.jsonl", line("a", "supported"), line("b", "partially_supported"), line("c", "not_supported"));
  const lines = z.array(SupportItem).parse(wice(path, { seed: 1 })["support.jsonl"]);
  expect(lines.map((item) => item.supported)).toEqual([true, false, false]);
  expect(lines[0]?.sources).toEqual(["one.\ntwo."]);
});
