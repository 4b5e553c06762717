import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { readQuestions } from "../../src/evaluate/questions.js";

const folder = mkdtempSync(join(tmpdir(), "emend-questions-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (name: string, content: string | Uint8Array) => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return readQuestions(path);
};

const row = (question: string, answers: string[]) => ({
  ...{ id: question, question, answers, also: [], answerable: answers.length > 0 },
  ...{ passages: [], tags: [], history: [] },
});

describe("questions are read", () => {
  test("from JSON Lines, where a null or missing answer means that there is none", async () => {
    const lines = ['{"question": "When?", "answer": "eight"}', "", '{"question": "谁？", "answer": null}'];
    lines.push('{"question": "Why?", "answer": " "}');
    expect(await read("q.jsonl", lines.join("\r\n"))).toEqual([
      row("When?", ["eight"]),
      row("谁？", []),
      row("Why?", []),
    ]);
  });

  test.each([
    ["commas", 'Question,Answer,Tags\n"When, exactly?",eight,"hours, Lisbon"\nWho?,,\n'],
    [
      "semicolons and a byte order mark",
      '\uFEFFquestion;answer;tags\n"When, exactly?";eight;hours,Lisbon\nWho?;NULL;\n',
    ],
    ["tabs", "question\tanswer\ttags\r\nWhen, exactly?\teight\thours; Lisbon\r\nWho?\t\t\r\n"],
  ])("from a table with %s", async (_name, text) => {
    const found = await read("q.csv", text);
    expect(found).toEqual([{ ...row("When, exactly?", ["eight"]), tags: ["hours", "Lisbon"] }, row("Who?", [])]);
  });

  test("from a Chinese spreadsheet in GBK", async () => {
    const gbk = Buffer.from("question,answer\n", "ascii");
    // 几点开门？,八点 and 谁批准出国差旅？,部门负责人 in GBK.
    const rows = "bcb8b5e3bfaac3c5a3bf2cb0cbb5e30acbadc5fad7bcb3f6b9fab2eec2c3a3bf2cb2bfc3c5b8bad4f0c8cb0a";
    const found = await read("q.csv", Buffer.concat([gbk, Buffer.from(rows, "hex")]));
    expect(found).toEqual([row("几点开门？", ["八点"]), row("谁批准出国差旅？", ["部门负责人"])]);
  });

  test("from JSON Lines and a table in UTF-16", async () => {
    const lines = '{"question": "几点开门？", "answer": "八点"}\n';
    for (const text of [lines, "question,answer\n几点开门？,八点\n"])
      expect(await read("q.jsonl", Buffer.from(`\uFEFF${text}`, "utf16le"))).toEqual([row("几点开门？", ["八点"])]);
  });

  test("with names of documents, and from the output of `emend feedback`", async () => {
    const line = { id: 7, question: "When?", answerable: true, answers: ["At eight."], also: ["In Lisbon."] };
    const given = { ...line, documents: ["leave.md"], passages: ["The office"], kind: "table", tags: ["hours"] };
    expect(await read("q.jsonl", JSON.stringify(given))).toEqual([
      {
        ...row("When?", ["At eight."]),
        id: "7",
        also: ["In Lisbon."],
        passages: ["The office", "leave.md"],
        tags: ["hours", "table"],
      },
    ]);
  });
});

describe("a file of questions is refused, with the reason, for", () => {
  test.each([
    ["a missing answer", '{"question": "When?"}', /line 1: answer is missing/],
    ["a line that is no JSON", '{"question": "a", "answer": "b"}\nnonsense', /line 2: not JSON/],
    ["an answer that is no text", '{"question": "a", "answer": 3}', /line 1: answer: /],
    [
      "an id that comes twice",
      '{"id": 1, "question": "a", "answer": "b"}\n{"id": 1, "question": "c", "answer": "d"}',
      /line 2: the id "1" is also in line 1/,
    ],
    [
      "a question that comes twice",
      "question,answer\na,b\na,c\n",
      /line 3: the question, without an id, is also in line 2/,
    ],
    ["other columns", "Frage,Antwort\na,b\n", /begins with "Frage,Antwort", which does not name the columns/],
    ["a comma too many", "question,answer\na,b,c\n", /line 2.*Quote cells/s],
    ["answerable without an answer", '{"question": "a", "answerable": true}', /no answer is given/],
    ["no rows", "question,answer\n", /holds no questions/],
    ["an empty file", "", /holds no questions/],
    ["blank lines", "\n \r\n", /holds no questions/],
    ["one JSON array", '[\n{"question": "a", "answer": "b"}\n]', /one JSON array. Write each .* on a line of its own/],
    ["a list of more faults than are named", "{\n{\n{\n{\n{", /line 3: not JSON; and 2 more\./],
  ])("%s", async (_name, text, said) => {
    await expect(read("bad", text)).rejects.toThrow(said);
  });

  test("being missing, being binary or having a gigabyte", async () => {
    await expect(readQuestions(join(folder, "nowhere"))).rejects.toThrow(/cannot be read/);
    await expect(readQuestions(folder)).rejects.toThrow(/cannot be read/);
    await expect(read("q.csv", Buffer.from([0, 1, 2, 0, 0, 200, 3, 0]))).rejects.toThrow(/Save it as UTF-8/);
    const path = join(folder, "huge.csv");
    writeFileSync(path, "question,answer\n");
    truncateSync(path, 1_000_000_000);
    await expect(readQuestions(path)).rejects.toThrow(/has more than 50 MB.*Take a sample/);
  });

  test.skipIf(process.platform === "win32")("never ending", async () => {
    await expect(readQuestions("/dev/zero")).rejects.toThrow(/has more than 50 MB/);
  });
});
