import { expect, test } from "vitest";
import { emend } from "../../src/cli/program.js";
import { nearestLine } from "../../src/cli/search.js";
import { fakeEndpoint } from "../tools/encoder/endpoint.js";
import { folder, OFFICES } from "./emend.js";

const ON = { EMEND_ENCODER: "" };

test("search shows the rank of each passage by words, by meaning and combined, with its judgement", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"], ON);
  const { code, stdout } = await here.run(["search", "--json", "--limit", "2", "Who", "approves travel abroad?"], ON);
  expect(code).toBe(0);
  const { query, passages } = JSON.parse(stdout);
  expect(query).toBe("Who approves travel abroad?");
  expect(passages).toHaveLength(2);
  const [first, second] = passages;
  expect(first).toMatchObject({
    rank: 1,
    words: { rank: 1 },
    meaning: { rank: expect.any(Number) },
    uri: "docs/offices.md",
    title: "Offices",
    text: expect.stringContaining("Travel abroad is approved"),
    line: "Travel abroad is approved by the head of the department.",
  });
  expect(first.score).toBeGreaterThan(second.score);
  for (const { meaning, relevance, answerability } of passages)
    for (const part of [meaning.score, relevance, answerability]) expect(part).toEqual(expect.any(Number));
  expect(first.answerability).toBeGreaterThan(second.answerability);
  const chinese = JSON.parse((await here.run(["search", "--json", "出国差旅由谁审批？"], ON)).stdout);
  expect(chinese.passages[0]).toMatchObject({ words: { rank: 1 }, line: "出国差旅由部门负责人审批。" });
});

test("search prints an aligned row of numbers for each passage, with its place and its nearest line", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  const { code, stdout, stderr } = await here.run(["search", "approves travel abroad"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [head = "", row = "", place, line] = stdout.split("\n");
  expect(head).toMatch(/^ {3}fused {2}words$/);
  expect(row).toMatch(/^1 +\d+\.\d\d\d +1 +\d+\.\d\d {2}docs\/offices\.md$/);
  expect(place).toBe("    Offices");
  expect(line).toBe("    Travel abroad is approved by the head of the department.");
});

test("search without embeddings shows no rank by meaning, and orders passages by words", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  const { passages } = JSON.parse((await here.run(["search", "--json", "Lisbon office"])).stdout);
  expect(passages.map(({ words, meaning }: { words: object; meaning: null }) => [words, meaning])).toEqual(
    passages.map(({ rank, score }: { rank: number; score: number }) => [{ rank, score }, null]),
  );
  const notYet = JSON.parse((await here.run(["search", "--json", "Lisbon office"], ON)).stdout);
  expect(notYet.passages[0].meaning).toBeNull();
});

test("search reports an unreachable endpoint and still finds passages by words", async () => {
  await using here = await folder(OFFICES);
  const fake = { EMEND_EMBEDDINGS_MODEL: "fake", EMEND_EMBEDDINGS_BASE_URL: "http://127.0.0.1:9/v1" };
  await using endpoint = await fakeEndpoint();
  await here.run(["ingest", "docs"], { ...fake, EMEND_EMBEDDINGS_BASE_URL: endpoint.baseURL });
  const { code, stdout, stderr } = await here.run(["search", "Lisbon office"], fake);
  expect(code).toBe(0);
  expect(stdout).toContain("docs/offices.md");
  expect(stderr).toMatch(/^emend: No embeddings endpoint answers .* found by words alone\.\n$/);
});

test.each([
  ["nothing that fits is no fault, but no success", ["search", "zeppelin"], 3, ""],
  ["a limit above 200 is refused", ["search", "office", "--limit", "201"], 2, "1 to 200"],
  ["an empty query is refused", ["search", " "], 2, "Give the words"],
  ["an empty store is a fault that says what to do", ["search", "office", "--store", "other"], 1, "emend ingest"],
])("%s", async (_name, words, code, said) => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  expect(await here.run(words)).toMatchObject({ code, stderr: expect.stringContaining(said) });
});

test("the nearest line has the most words of the query, in English and in Chinese", () => {
  expect(nearestLine("# Hours\n\nThe office opens at eight.\n\nIt closes at six.", "When does it close?")).toBe(
    "It closes at six.",
  );
  expect(nearestLine("上海办公室九点开门。\n出国差旅由部门负责人审批。", "谁审批差旅")).toBe(
    "出国差旅由部门负责人审批。",
  );
});

test("--where narrows a search, a question and a conversation, in both languages", async () => {
  await using here = await folder({
    "docs/hr.md": "---\ndepartment: hr\n状态: [终稿, 公开]\n---\n# Leave\n\nAnnual leave is 27 days. 年假为27天。\n",
    "docs/it.md": "---\ndepartment: it\n---\n# Leave\n\nAnnual leave is 30 days. 年假为30天。\n",
  });
  await here.run(["ingest", "docs"]);
  const { stdout } = await here.run(["search", "--json", "--where", "department!=hr,sales", "annual leave"]);
  expect(JSON.parse(stdout).passages).toMatchObject([{ documentId: "docs/it.md" }]);
  const answer = await here.run(["ask", "--where", "状态=公开，草稿", "年假有多少天？"]);
  expect(answer).toMatchObject({ code: 0, stdout: expect.stringContaining("27天") });
  expect(answer.stdout).not.toContain("30天");
  const chat = await here.run(["chat", "--where", "department=it"], {}, "How many days is annual leave?\n");
  expect(chat).toMatchObject({ code: 0, stdout: expect.stringContaining("30 days") });
  expect(chat.stdout).not.toContain("27 days");
});

const where = emend()
  .commands.find((command) => command.name() === "ask")
  ?.options.find(({ long }) => long === "--where");
const parsed = (value: string, before?: unknown) => where?.parseArg?.(value, before);

test("--where takes one value, alternatives, exclusions and several conditions", () => {
  const hr = { key: "department", values: ["hr"] };
  expect(parsed("Department = hr")).toEqual([hr]);
  expect(parsed("tags!=a，b, c", [hr])).toEqual([hr, { key: "tags", values: ["a", "b", "c"], not: true }]);
  expect(parsed("部门=人事")).toEqual([{ key: "部门", values: ["人事"] }]);
  expect(parsed("formula=a=b!=c")).toEqual([{ key: "formula", values: ["a=b!=c"] }]);
});

test.each(["department", "=hr", "department=", "department=hr,,it", "__proto__=x", "a:b=c"])(
  "--where refuses %j, and says what it accepts",
  (wrong) => expect(() => parsed(wrong)).toThrow("Give key=value, such as department=hr."),
);
