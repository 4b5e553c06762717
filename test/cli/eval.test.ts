import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeFeedback } from "../../src/testing/runs-contract.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { fakeServer, refuses, type Script, says, saysJson } from "../tools/chat/fake-server.js";
import { folder, OFFICES } from "./emend.js";

const QUESTIONS = [
  { question: "When does the Lisbon office open?", answer: "eight", tags: ["hours"], passages: ["offices.md"] },
  { question: "出国差旅由谁审批？", answer: "部门负责人" },
  { question: "Who paints the boats in Lisbon?", answer: null },
]
  .map((row) => JSON.stringify(row))
  .join("\n");

async function asked() {
  const here = await folder({ ...OFFICES, "q.jsonl": QUESTIONS });
  await here.run(["ingest", "docs"]);
  return here;
}

test("eval compares the answers with plain search, and writes a page, a summary and JUnit XML", async () => {
  await using here = await asked();
  await writeFile(
    join(here.path, "t.json"),
    '{"minimum": {"faithfulness": 0.9}, "maximum": {"answered_wrongly": 0.4}}',
  );
  const reports = ["eval.html", "eval.md", "eval.xml"];
  const words = ["eval", "q.jsonl", "--beside", "plain", "--json", "--thresholds", "t.json", "--report", ...reports];
  const { code, stdout, stderr } = await here.run(words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { about, figures, rows } = JSON.parse(stdout);
  expect(about).toMatchObject({ documents: 2, model: "none", judge: "words" });
  expect(figures.find((one: { name: string }) => one.name === "answer_correctness")).toMatchObject({ value: 1 });
  expect(rows.map(({ system, outcome }: { system: string; outcome: string }) => `${system} ${outcome}`)).toEqual([
    "emend right",
    "plain right",
    "emend right",
    "plain right",
    "emend refusedRightly",
    "plain answeredUnanswerable",
  ]);
  const [page = "", summary = "", xml = ""] = await Promise.all(
    reports.map((name) => readFile(join(here.path, name), "utf8")),
  );
  expect(page).toContain("出国差旅由谁审批？");
  expect(page).not.toMatch(/<script|https?:\/\/|src=/);
  expect(summary).toContain("- ✅ faithfulness: 1.000, at least 0.9");
  expect(xml).toContain('tests="2" failures="0"');
});

test("eval exits with 1 if a demand is not met, and names the demand", async () => {
  await using here = await asked();
  await writeFile(join(here.path, "t.json"), '{"minimum": {"refused_wrongly": 0.5}}');
  const { code, stdout } = await here.run(["eval", "q.jsonl", "--thresholds", "t.json", "--limit", "3"]);
  expect(code).toBe(1);
  expect(stdout).toContain("refused_wrongly is 0, not at least 0.5.");
});

test("eval lists ten questions that went wrong, and says where the others are", async () => {
  await using here = await asked();
  const rows = Array.from({ length: 12 }, (_, i) => ({ question: `Who leads room ${i}?`, answer: `Somebody ${i}` }));
  await writeFile(join(here.path, "wrong.jsonl"), rows.map((row) => JSON.stringify(row)).join("\n"));
  expect((await here.run(["eval", "wrong.jsonl"])).stdout).toContain("  and 2 more: --report eval.html lists them");
  const { stdout } = await here.run(["eval", "wrong.jsonl", "--report", "sum.md", "all.html"]);
  expect(stdout).toContain("  and 2 more: see all.html");
});

test("eval continues a saved run, and diff compares two runs", async () => {
  await using here = await asked();
  await here.run(["eval", "q.jsonl", "--save", "monday.jsonl", "--limit", "2"]);
  const { stderr } = await here.run(["eval", "q.jsonl", "--save", "monday.jsonl"]);
  expect(stderr).toContain("2 answers are there already");

  const strict = { EMEND_CONTEXT: '{"filter": [{"key": "department", "values": ["hr"]}]}' };
  expect(await here.run(["eval", "q.jsonl", "--save", "monday.jsonl"], strict)).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining('another context ({}, now {"filter":') },
  });
  const { stdout: refused } = await here.run(["eval", "q.jsonl", "--json"], strict);
  expect(JSON.parse(refused).rows[0].outcome).toBe("refusedWrongly");

  await here.run(["remove", "docs/办公室.md"]);
  expect(await here.run(["eval", "q.jsonl", "--save", "monday.jsonl"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("another documents (2, now 1)"),
  });
  await here.run(["eval", "q.jsonl", "--save", "tuesday.jsonl"]);
  const { code, stdout } = await here.run(["eval", "diff", "monday.jsonl", "tuesday.jsonl", "--report", "diff.html"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/answer_correctness +0\.500.* 1\.000 +−0\.500/);
  expect(stdout).toContain("documents: 2 → 1");
  expect(stdout).toMatch(/right +→ +refused, but there is an answer +出国差旅由谁审批？/);
  expect(await readFile(join(here.path, "diff.html"), "utf8")).toContain("monday.jsonl: right");
});

test("eval diff exits with 1 if the later run does not meet a demand", async () => {
  await using here = await asked();
  await here.run(["eval", "q.jsonl", "--save", "monday.jsonl"]);
  const demand = (least: number) =>
    writeFile(join(here.path, "t.json"), `{"minimum": {"answer_correctness": ${least}}}`);
  const words = ["eval", "diff", "monday.jsonl", "monday.jsonl", "--thresholds", "t.json", "--report", "diff.xml"];
  await demand(1);
  expect(await here.run(words)).toMatchObject({ code: 0, stdout: expect.stringContaining("answer_correctness is") });
  await demand(1.1);
  const { code, stdout } = await here.run(words);
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining("is 1, not at least 1.1.") });
  expect(await readFile(join(here.path, "diff.xml"), "utf8")).toContain('tests="1" failures="1"');
});

test("eval accepts the exported feedback of readers", async () => {
  await using here = await asked();
  const database = openDatabase(join(here.path, ".emend"));
  const opinion = { id: "1", question: "When does the Lisbon office open?", expected: "eight", claims: ["At nine."] };
  await sqlRuns(database).addFeedback(fakeFeedback(opinion), { thread: "a" });
  await database.close();
  await writeFile(join(here.path, "said.jsonl"), (await here.run(["feedback", "--as", "eval"])).stdout);
  const { code, stdout } = await here.run(["eval", "said.jsonl", "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout).rows).toMatchObject([{ id: "1", expected: ["eight"], outcome: "right" }]);
});

test("eval has a chat model compare the answers with the expected ones, and says what that took", async () => {
  const isRight: Script = (request, response) => {
    const isAsked = /Reply with one word: yes/.test(request.messages.at(-1)?.content ?? "");
    return (isAsked ? says("yes") : refuses(500, "busy"))(request, response);
  };
  await using server = await fakeServer(isRight);
  await using here = await asked();
  const settings = { EMEND_MODEL: "fake", OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: "none" };
  const { code, stdout } = await here.run(["eval", "q.jsonl", "--price", "1"], settings);
  expect(code).toBe(0);
  expect(stdout).toMatch(/answer_correctness_by_model +1\.000/);
  expect(stdout).toContain(
    "By the model: 2 of 2 answers compared, no verdict on 0. Besides the above, this took 2 calls",
  );
});

/** A model that writes a question about the office in the language of the passage. */
const writer: Script = (request, response) => {
  const asked = request.messages.at(-1)?.content ?? "";
  const reply = asked.includes("上海")
    ? { question: "上海办公室早上几点开门？", answer: "九点" }
    : { question: "When does the Lisbon office open?", answer: "eight" };
  return saysJson(reply)(request, response);
};

test("eval make writes checked questions that eval reads, continues where it stopped, and stops at its budget", async () => {
  await using server = await fakeServer(writer);
  await using here = await folder(OFFICES);
  const settings = { EMEND_ENCODER: "", EMEND_MODEL: "fake", OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: "none" };
  await here.run(["ingest", "docs"], settings);
  // A call uses 1,020 tokens.
  const poor = await here.run(["eval", "make", "--price", "100", "--budget", "0.001"], settings);
  expect(poor.code).toBe(1);
  expect(poor.stderr).toContain("The money was spent.");
  expect(server.requests).toHaveLength(1);

  const whole = await here.run(["eval", "make", "--questions", "1"], settings);
  expect(whole.code).toBe(0);
  const made = await readFile(join(here.path, "questions.jsonl"), "utf8");
  expect(JSON.parse(made)).toMatchObject({ tags: ["made", "one passage"] });
  const again = await here.run(["eval", "make", "--questions", "2"], settings);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 question written to questions\.jsonl/) });
  expect((await readFile(join(here.path, "questions.jsonl"), "utf8")).startsWith(made)).toBe(true);
  const { code, stdout } = await here.run(["eval", "questions.jsonl", "--json"]);
  expect({ code, rows: JSON.parse(stdout).rows.length }).toEqual({ code: 0, rows: 2 });
});

test("eval make keeps the finished questions if the model fails, and says why", async () => {
  await using server = await fakeServer(refuses(401, "no such key"));
  await using here = await folder(OFFICES);
  const settings = { EMEND_MODEL: "fake", OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: "none" };
  await here.run(["ingest", "docs"], settings);
  expect(await here.run(["eval", "make"])).toMatchObject({ code: 2, stderr: expect.stringContaining("EMEND_MODEL") });
  expect(await here.run(["eval", "make"], settings)).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining("EMEND_ENCODER is off") },
  });
  const { code, stderr } = await here.run(["eval", "make"], { ...settings, EMEND_ENCODER: "" });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/401/) });
});

test.each([
  ["a file that is not there", ["eval", "nowhere.csv"], /nowhere\.csv cannot be read: there is no such file\. Check/],
  ["other columns", ["eval", "bad.csv"], /begins with "Frage;Antwort"/],
  ["a report of another kind", ["eval", "q.jsonl", "--report", "eval.pdf"], /ends with \.html .* \.md .* or \.xml/],
  ["JUnit without demands", ["eval", "q.jsonl", "--report", "eval.xml"], /--thresholds/],
  [
    "JUnit with a file of no demand",
    ["eval", "q.jsonl", "--report", "eval.xml", "--thresholds", "none.json"],
    /--thresholds/,
  ],
  [
    "JUnit of a comparison without demands",
    ["eval", "diff", "q.jsonl", "q.jsonl", "--report", "diff.xml"],
    /--thresholds/,
  ],
  [
    "a demand on no metric",
    ["eval", "q.jsonl", "--thresholds", "t.json"],
    /no figure "bliss"\. There are: answer_correctness,/,
  ],
  ["a budget without a price", ["eval", "q.jsonl", "--budget", "2"], /--budget needs --price/],
  ["a price in words", ["eval", "q.jsonl", "--price", "cheap"], /Give an amount/],
  ["a file of questions to make that is no JSON Lines", ["eval", "make", "--out", "q.csv"], /ends with \.jsonl/],
  ["a file of questions to make that is not UTF-8", ["eval", "make", "--out", "utf16.jsonl"], /is not UTF-8/],
  ["no saved run", ["eval", "diff", "q.jsonl", "q.jsonl"], /is not a saved evaluation/],
] as const)("%s is reported in one line before any question is asked", async (_name, words, said) => {
  await using here = await folder({
    ...OFFICES,
    "q.jsonl": QUESTIONS,
    "bad.csv": "Frage;Antwort\na;b\n",
    "t.json": '{"minimum": {"bliss": 1}}',
    "none.json": "{}",
  });
  await writeFile(join(here.path, "utf16.jsonl"), `\uFEFF${QUESTIONS}`, "utf16le");
  const { code, stdout, stderr } = await here.run(words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(said);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});
