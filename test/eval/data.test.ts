import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { AnswerabilityItem, CorpusLine, fileIn, QaItem, readLines, readRetrieval } from "../../research/eval/data.js";

const folder = mkdtempSync(join(tmpdir(), "emend-eval-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, ...lines: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, lines.join("\n"));
  return path;
}

describe("data", () => {
  test("is read line by line, even with blank lines and a byte order mark", () => {
    const path = file("a.jsonl", '\uFEFF{"id":"1","text":"Eight."}', "", '{"id":2,"title":"时间","text":"八点。"}', "");
    expect(readLines(path, CorpusLine)).toEqual([
      { id: "1", title: "", text: "Eight." },
      { id: "2", title: "时间", text: "八点。" },
    ]);
  });

  test("has defaults for optional fields", () => {
    const path = file("q.jsonl", '{"id":"1","question":"何时？","answerable":false}');
    expect(readLines(path, QaItem)).toEqual([
      { id: "1", question: "何时？", answerable: false, answers: [], also: [], history: [] },
    ]);
  });

  test.each([
    ["that is not JSON", '{"id":"2",', /bad\.jsonl:2: not JSON/],
    ["without a field", '{"id":"2","passages":[{"id":"p","text":"t"}],"answerable":true}', /bad\.jsonl:2: question: /],
    [
      "with a field of another type",
      '{"id":"2","question":"q","passages":[{"id":"p","text":"t"}],"answerable":"yes"}',
      /bad\.jsonl:2: answerable: /,
    ],
    [
      "with a fault inside a list",
      '{"id":"2","question":"q","passages":[{"id":"p"}],"answerable":true}',
      /bad\.jsonl:2: passages\.0\.text: /,
    ],
    ["that is no object", "7", /bad\.jsonl:2: the line: /],
    [
      "whose id came before",
      '{"id":"1","question":"q","passages":[{"id":"p","text":"t"}],"answerable":true}',
      /bad\.jsonl:2: the id "1" comes twice/,
    ],
  ])("is refused, with the line number, for a line %s", (_, line, message) => {
    const path = file(
      "bad.jsonl",
      '{"id":"1","question":"q","passages":[{"id":"p","text":"t"}],"answerable":true}',
      line,
    );
    expect(() => readLines(path, AnswerabilityItem)).toThrow(message);
  });

  test("is refused by name if it is a missing file, an empty file or a folder", () => {
    expect(() => readLines(join(folder, "none.jsonl"), QaItem)).toThrow(/none\.jsonl: there is no such file/);
    expect(() => readLines(file("empty.jsonl", ""), QaItem)).toThrow(/empty\.jsonl: holds no items/);
    expect(() => readLines(folder, QaItem)).toThrow(/not a file/);
  });

  test("is refused if a query names a passage that does not exist", () => {
    file("corpus.jsonl", '{"id":"p1","text":"Eight."}');
    file(
      "queries.jsonl",
      '{"id":"1","question":"When?","relevant":["p1"]}',
      '{"id":"2","question":"谁？","relevant":["p2"]}',
    );
    expect(() => readRetrieval(folder)).toThrow(/queries\.jsonl:2: relevant: corpus\.jsonl holds no "p2"/);
  });

  test("may be named by the folder that contains it", () => {
    expect(fileIn(folder, "qa.jsonl")).toBe(join(folder, "qa.jsonl"));
    expect(fileIn(join(folder, "a.jsonl"), "qa.jsonl")).toBe(join(folder, "a.jsonl"));
  });
});
