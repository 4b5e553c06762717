import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Answer } from "../../src/types/answer.js";
import { fakeServer, hangs, refuses } from "../tools/chat/fake-server.js";
import { ended, folder, OFFICES } from "./emend.js";

let offices: Awaited<ReturnType<typeof folder>>;
beforeAll(async () => {
  offices = await folder(OFFICES);
  const { code, stderr } = await offices.run(["ingest", "docs"]);
  if (code !== 0) throw new Error(stderr);
}, 30_000);
afterAll(() => offices[Symbol.asyncDispose]());

const QUESTION = "When does the Lisbon office open?";

describe.each([
  [
    QUESTION,
    "The Lisbon office opens at eight in the morning [1].",
    "Sources",
    "docs/offices.md · reviewed 2026-02-01",
  ],
  ["上海办公室几点开门？", "上海办公室早上九点开门，晚上六点关门[1]。", "来源", "docs/办公室.md · "],
])("%s", (question, sentence, heading, place) => {
  test("is answered with its quote and exit code 0", async () => {
    const { code, stdout, stderr } = await offices.run(["ask", question]);
    const lines = stdout.split("\n").map((line) => line.trim());
    expect(lines[0]).toContain(sentence);
    expect(lines).toContain(heading);
    expect(stdout).toContain(place);
    expect(lines).toContain(`“${sentence.replace(/ ?\[1\]/, "")}”`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test("prints one JSON document on stdout with --json, and the trace on stderr", async () => {
    const { code, stdout, stderr } = await offices.run(["ask", question, "--json", "--trace"]);
    const answer = Answer.parse(JSON.parse(stdout));
    expect(answer.text).toContain(sentence);
    expect(stderr).toMatch(/^step +next +calls +tokens +ms +why\nunderstand +retrieve +0 +0 +\d+ {2}\S.*\n/);
    expect(stderr).toContain("(supported)");
    expect(code).toBe(0);
  });
});

describe.each([
  ["Who painted the ceiling of the chapel?", "Not found in these documents."],
  ["教堂的天花板是谁画的？", "这些文档里没有找到。"],
])("%s", (question, refusal) => {
  test("is refused with a message and exit code 3", async () => {
    const { code, stdout, stderr } = await offices.run(["ask", question]);
    expect(stdout).toContain(refusal);
    expect({ code, stderr }).toEqual({ code: 3, stderr: "" });
  });
});

test("a question needs no quotation marks on the command line", async () => {
  const { stdout } = await offices.run(["ask", "When", "does", "the", "Lisbon", "office", "open?"]);
  expect(stdout).toContain("opens at eight");
});

test("FORCE_COLOR colours the output even with NO_COLOR, and piped output has no colours", async () => {
  const forced = await offices.run(["ask", QUESTION], { FORCE_COLOR: "1" });
  const refused = await offices.run(["ask", QUESTION], { FORCE_COLOR: "1", NO_COLOR: "1" });
  const piped = await offices.run(["ask", QUESTION]);
  expect(forced.stdout).toContain("\u001b[36m[1]\u001b[39m");
  expect(piped.stdout).not.toContain("\u001b");
  expect(refused.stdout).toBe(forced.stdout);
});

describe("a model that fails is reported in one line, and the question is still answered", () => {
  test.each([
    ["a bad key", refuses(401, "Incorrect API key provided: wrong."), /^emend: went on without the model: .*key.*\n$/i],
    ["a server in trouble", refuses(500, "boom for wrong"), /^emend: went on without the model: .*\n$/],
  ])("%s", async (_name, script, line) => {
    await using server = await fakeServer(script);
    const settings = { EMEND_MODEL: "some", OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: "wrong" };
    const { code, stdout, stderr } = await offices.run(["ask", QUESTION], settings);
    expect(stdout).toContain("opens at eight in the morning [1].");
    expect(stderr).toMatch(line);
    expect(stderr).not.toContain("wrong");
    expect(code).toBe(0);
  });

  test("an endpoint that does not exist", async () => {
    const settings = { EMEND_MODEL: "some", OPENAI_BASE_URL: "http://127.0.0.1:9/v1" };
    const { code, stdout, stderr } = await offices.run(["ask", QUESTION, "--json"], settings);
    expect(Answer.parse(JSON.parse(stdout)).status).toBe("answered");
    expect(stderr).toMatch(/^emend: went on without the model: .*127\.0\.0\.1:9.*\n$/);
    expect(code).toBe(0);
  });
});

test("Ctrl-C ends a run at once, with exit code 130 and no output", async () => {
  await using server = await fakeServer(hangs);
  const child = offices.start(["ask", QUESTION], { EMEND_MODEL: "slow", OPENAI_BASE_URL: server.baseURL });
  const end = ended(child);
  await expect.poll(() => server.requests.length, { timeout: 20_000 }).toBe(1);
  child.kill("SIGINT");
  expect(await end).toEqual({ code: 130, stdout: "", stderr: "" });
});

test("a reader that closes stdout early, as head does, causes no error", async () => {
  const child = offices.start(["ask", QUESTION, "--trace"]);
  child.stdout.destroy();
  const { code, stderr } = await ended(child);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});
