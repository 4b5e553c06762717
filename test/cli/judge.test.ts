import { expect, test } from "vitest";
import { folder } from "./emend.js";

const ON = { EMEND_ENCODER: "" };
const ROWS = [
  {
    id: "q",
    question: "How long are invoices kept?",
    passages: ["Invoices are kept for ten years.", "Lunch is at noon."],
  },
  { id: 7, claim: "发票须保存十年。", sources: ["发票须保存十年。会议纪要九十天后删除。"] },
  { question: "Anything?", passages: [] },
];
const lines = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("judge prints one line per row, in order, from a file and from stdin", async () => {
  const text = ROWS.map((row) => JSON.stringify(row)).join("\n");
  await using there = await folder({ "rows.jsonl": `${text}\n\n` });
  const { code, stdout } = await there.run(["judge", "rows.jsonl"], ON);
  expect(code).toBe(0);
  const [question, claim, empty] = lines(stdout);
  expect(question.id).toBe("q");
  expect(question.answerability[0]).toBeGreaterThan(question.answerability[1]);
  expect(question.answerable).toBe(Math.max(...question.answerability));
  const [span] = question.spans;
  expect(ROWS[0]?.passages?.[0]?.slice(span.start, span.end)).toBe(span.text);
  expect(claim).toMatchObject({ id: 7, quote: "发票须保存十年。" });
  expect(claim.supported + claim.contradicted + claim.neither).toBeCloseTo(1, 6);
  expect(empty).toEqual({ answerable: 0, relevance: [], answerability: [], spans: [] });
  expect((await there.run(["judge"], ON, text)).stdout).toBe(stdout);
});

test.skipIf(process.platform === "win32")("a line that never ends is refused with a message", async () => {
  await using there = await folder();
  expect(await there.run(["judge", "/dev/zero"], ON)).toMatchObject({
    code: 2,
    stderr: "emend: /dev/zero has a line of more than 10 million characters. Give JSON Lines.\n",
  });
});

test("Windows and Unix line ends are read wherever a file is split into chunks", async () => {
  const row = JSON.stringify({ id: "q", question: "多久？".repeat(9_000), passages: [] });
  await using there = await folder({ "rows.jsonl": [row, row, row].join("\r\n") });
  expect(lines((await there.run(["judge", "rows.jsonl"], ON)).stdout).map(({ id }) => id)).toEqual(["q", "q", "q"]);
});

test("a line that is not a row becomes a line with an error, and the other rows are judged", async () => {
  await using there = await folder();
  const { code, stdout } = await there.run(["judge"], ON, `nonsense\n{"id":1}\n${JSON.stringify(ROWS[2])}\n`);
  const [first, second, third] = lines(stdout);
  expect(code).toBe(1);
  expect(first.error).toMatch(/A row is \{"id"/);
  expect(first).not.toHaveProperty("id");
  expect(second.error).toMatch(/A row is \{"id"/);
  expect(second.id).toBe(1);
  expect(third.answerable).toBe(0);
});

test.each([
  ["a file that is not there", ["judge", "nowhere.jsonl"], ON, /nowhere\.jsonl cannot be read/],
  ["an encoder that is off", ["judge"], { EMEND_ENCODER: "off" }, /EMEND_ENCODER is off/],
  ["a folder without a model", ["judge"], { EMEND_ENCODER: "/" }, /holds no encoder/],
] as const)("%s is reported in one line", async (_name, words, environment, said) => {
  await using there = await folder();
  const { code, stderr } = await there.run(words, environment);
  expect(code).toBe(2);
  expect(stderr).toMatch(said);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});
