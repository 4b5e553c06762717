import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fakeFeedback, fakeRun } from "../../src/testing/runs-contract.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { folder, OFFICES } from "./emend.js";
import { recorded } from "./recorded.js";

test("runs lists questions and totals, for people and programs, and shows the steps of one run", async () => {
  await using here = await folder(OFFICES);
  expect(await here.run(["runs"])).toMatchObject({ code: 3, stdout: expect.stringMatching(/^No such run/) });
  await here.run(["ingest", "docs"]);
  await here.run(["ask", "When does the Lisbon office open?"]);
  await here.run(["ask", '=Who owns the moon, or "Mars"?'], { EMEND_RUNS: "on" });
  await here.run(["ask", "上海办公室几点开门？"], { EMEND_RUNS: "hashed" });
  await here.run(["ask", "When does the Utrecht office open?"], { EMEND_RUNS: "off" });
  await here.run(["ask", "Hello!"]);
  await writeFile(
    join(here.path, "questions.jsonl"),
    '{"question": "When does the Lisbon office open?", "answer": "eight"}',
  );
  expect(await here.run(["eval", "questions.jsonl"])).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await here.run(["runs"]);
  expect([code, stderr]).toEqual([0, ""]);
  const [head, third, second, first, , sums] = stdout.split("\n");
  expect(head).toMatch(/^run +when \(UTC\) +status/);
  expect(third).toMatch(/^ +3 .*#[0-9a-f]{16}$/);
  expect(second).toMatch(/^ +2 .* refused .* NO_RECALL .*=Who owns the moon/);
  expect(first).toMatch(/^ +1 .* answered .*When does the Lisbon office open\?$/);
  expect(sums).toMatch(
    /^3 runs: 33 % refused, 0 % unavailable, 0 % in part, 0 % unsure, 0 % follow-ups; 0 of the \d claims drafted were rejected; readers: 0 up/,
  );

  expect((await here.run(["runs", "--status", "refused", "--since", "1"])).stdout).toContain("\n1 run: 100 % refused");
  const json = JSON.parse((await here.run(["runs", "--json"])).stdout);
  const lines = (await here.run(["runs", "--as", "jsonl"])).stdout.trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line))).toEqual(json);
  expect(json).toMatchObject([{ id: 3, question: "" }, { id: 2 }, { id: 1, used: [expect.stringContaining("#")] }]);
  const csv = (await here.run(["runs", "--as", "csv", "--tag", "NO_RECALL"])).stdout.split("\r\n");
  expect(csv[0]).toMatch(/^id,at,question,/);
  expect(csv[1]).toContain(`,"'=Who owns the moon, or ""Mars""?",`);

  const shown = await here.run(["runs", "show", "2"]);
  expect(shown.stdout).toMatch(/^question +=Who owns/);
  expect(shown.stdout).toMatch(/\nstep +next .*\nunderstand +retrieve /);
  expect(await here.run(["runs", "show", "9"])).toMatchObject({
    code: 2,
    stderr: "emend: There is no run 9. See: emend runs\n",
  });
  expect(await here.run(["runs"], { EMEND_RUNS: "yes" })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("on, hashed or off"),
  });
});

test("runs shows what runs cost once the price of tokens is set, and nothing of it before", async () => {
  await using here = await folder();
  const { spend } = fakeRun();
  await recorded(here.path, 1, 1, { spend: { ...spend, inputTokens: 2_000_000, outputTokens: 500_000 } });
  await recorded(here.path, 1, 0.1, { spend: { ...spend, inputTokens: 1_000, outputTokens: 0 } });
  const run = async (words: string[], price: string) => (await here.run(words, { EMEND_PRICE: price })).stdout;
  const [head, cheap, dear, , sums] = (await run(["runs"], "0.15/0.60")).split("\n");
  expect([head, cheap, dear]).toEqual([
    expect.stringMatching(/ tokens +cost +ms /),
    expect.stringMatching(/ 1000 +\$0\.00015 +1500 /),
    expect.stringMatching(/ 2500000 +\$0\.60 +1500 /),
  ]);
  expect(sums).toMatch(/; \$0\.60 in all, \$0\.30 a run$/);
  const json = async (price: string) => JSON.parse(await run(["runs", "--json"], price)) as { cost?: number }[];
  expect((await json("1")).map(({ cost }) => cost)).toEqual([0.001, 2.5]);
  expect((await run(["runs", "--as", "csv"], "1")).split("\r\n").slice(0, 2)).toEqual([
    expect.stringMatching(/,milliseconds,cost$/),
    expect.stringMatching(/,1500,0\.001$/),
  ]);
  expect(await run(["runs", "show", "1"], "1")).toMatch(/\ncost +\$2\.50\n/);
  for (const words of [["runs"], ["runs", "show", "1"], ["runs", "--json"], ["runs", "--as", "csv"]])
    expect(await run(words, "")).not.toMatch(/cost|\$/);
  expect(await here.run(["runs"], { EMEND_PRICE: "cheap" })).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining("EMEND_PRICE: must be the price of a million") },
  });
});

test("runs can be limited to a scope, and to a time in the past", async () => {
  await using here = await folder();
  await recorded(here.path, 1, 9, { scope: "abc" });
  await recorded(here.path, 1, 5);
  await recorded(here.path, 1, 1, { scope: "abc" });
  const ids = async (...words: string[]) =>
    JSON.parse((await here.run(["runs", "--json", ...words])).stdout).map(({ id }: { id: number }) => id);
  expect(await ids("--until", "3")).toEqual([2, 1]);
  expect(await ids("--since", "7", "--until", "3")).toEqual([2]);
  expect(await ids("--scope", "abc")).toEqual([3, 1]);
  expect(await ids("--scope", "")).toEqual([2]);
  expect((await here.run(["runs", "--scope", "abc", "--until", "3"])).stdout).toContain("\n1 run: ");
});

test("feedback prints the opinions of readers as an evaluation, and says which it omits", async () => {
  await using here = await folder(OFFICES);
  const none = { code: 2, stderr: expect.stringContaining("emend serve") };
  expect(await here.run(["feedback"])).toMatchObject(none);
  await here.run(["ingest", "docs"]);
  expect(await here.run(["feedback"])).toMatchObject(none);
  const database = openDatabase(join(here.path, ".emend"));
  const runs = sqlRuns(database);
  for (const id of ["1", "2"]) {
    const verdict = id === "1" ? "up" : "down";
    const said = fakeFeedback({ id, verdict, question: `问${id}？`, text: "八点 [1]。", claims: ["八点。"] });
    await runs.addFeedback(said, { thread: id });
  }
  await runs.addFeedback(fakeFeedback({ id: "3" }), { thread: "3" });
  await database.write((to) => to.all("UPDATE emend.feedback SET record = '{' WHERE id = '3'"));
  await database.close();
  const { code, stdout, stderr } = await here.run(["feedback", "--as", "eval"]);
  expect(code).toBe(0);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toEqual([{ id: "1", question: "问1？", language: "zh", answerable: true, answers: ["八点。"], also: [] }]);
  expect(stderr).toBe(
    "emend: 1 opinion is damaged in the store, and left out. Check the disk.\n" +
      "emend: 1 answer is left out: nobody said what is right in place of it, or a later opinion does.\n",
  );
});
