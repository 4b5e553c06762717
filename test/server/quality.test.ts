import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { User } from "../../src/graph/scope.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { fakeRun } from "../../src/testing/runs-contract.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { QualityReply } from "../../src/types/run.js";
import { listening } from "./listening.js";

const database = openDatabase(":memory:");
afterAll(() => database.close());
await database.write(async () => {});
const runs = sqlRuns(database);
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
runs.add(fakeRun({ at: daysAgo(40) }), "");
runs.add(fakeRun({ at: daysAgo(3), status: "refused", failures: ["NO_RECALL"], used: [] }), "");
runs.add(fakeRun({ at: daysAgo(2), failures: ["OVERGEN"] }), "");
runs.add(fakeRun(), "");
await runs.close();

const OPERATOR = "token-of-an-operator";
const SALES = "token-of-the-salesman";
const SCOPED_OPERATOR = "token-of-scoped-operator";
const SCOPED = [SALES, SCOPED_OPERATOR];
const userOf = (token: string): User => ({
  identity: token,
  emend_scope: !SCOPED.includes(token) ? "all" : [{ key: "department", values: ["sales"] }],
});
const { address } = await listening({
  runs,
  tokens: [OPERATOR, SALES],
  userOf,
});
const get = (query: string, token: string) =>
  fetch(`${address}/api/quality${query}`, { headers: { Authorization: `Bearer ${token}` } });

test("an operator sees totals of the last days and the failed runs, for all tags or one", async () => {
  const read = async (query: string) => QualityReply.parse(await (await get(query, OPERATOR)).json());
  const all = await read("");
  expect(all.since).toBe(daysAgo(29).slice(0, 10));
  expect(all.days.map(({ runs, refused }) => [runs, refused])).toEqual([
    [1, 1],
    [1, 0],
    [1, 0],
  ]);
  expect(all.failed.map(({ failures }) => failures)).toEqual([["OVERGEN"], ["NO_RECALL"]]);
  const { days, failed } = await read("?days=60&tag=NO_RECALL");
  expect(days).toHaveLength(4);
  expect(failed.map(({ failures }) => failures)).toEqual([["NO_RECALL"]]);
  expect((await read("?days=1")).days.map(({ day }) => day)).toEqual([daysAgo(0).slice(0, 10)]);
});

test("documents that are no longer valid are listed, those without a successor first", async () => {
  const stating = (id: string, metadata: Record<string, string>) => fakePassage(id, "Trains only.", { metadata });
  const documents = inMemoryDocuments([
    stating("travel-2022.md", {}),
    stating("travel-2024.md", {}),
    stating("visitors.md", { valid_until: "2023-12-31" }),
    stating("budget.md", { valid_from: "2999-01-01" }),
    stating("parking.md", { valid_until: "2999-12-31" }),
    stating("hours.md", {}),
  ]);
  const { address } = await listening({ runs, tools: { documents } });
  const { expired } = QualityReply.parse(await (await fetch(`${address}/api/quality`)).json());
  expect(expired).toEqual({
    count: 2,
    documents: [
      { document: "visitors.md", until: "2023-12-31", successor: "" },
      { document: "travel-2022.md", until: "2023-12-31", successor: "travel-2024.md" },
    ],
  });
});

test("the price of tokens is part of the reply if it is set", async () => {
  const price = { input: 0.15, output: 0.6 };
  const at = async (given: object) => {
    const { address } = await listening({ runs, ...given });
    return QualityReply.parse(await (await fetch(`${address}/api/quality`)).json()).price;
  };
  expect([await at({ price }), await at({})]).toEqual([price, null]);
});

test("questions are hidden if the server has tokens, so that their holders cannot read each other's", async () => {
  const shown = async (base: string) => {
    const reply = await fetch(`${base}/api/quality`, { headers: { Authorization: `Bearer ${OPERATOR}` } });
    const { failed, unanswered } = QualityReply.parse(await reply.json());
    return [...failed, ...unanswered].map(({ question }) => question !== "");
  };
  expect(new Set(await shown(address))).toEqual(new Set([false]));
  expect(new Set(await shown((await listening({ runs })).address))).toEqual(new Set([true]));
});

test("a user with a scope is refused, and a server without records has no such page", async () => {
  const refused = await get("", SALES);
  expect([refused.status, await refused.text()]).toEqual([403, expect.not.stringContaining("paid leave")]);
  expect((await get("", "no-token-of-this-server")).status).toBe(401);
  const other = await listening();
  expect((await fetch(`${other.address}/api/quality`)).status).toBe(404);
});

describe("who sees the questions, takes reviews and goes through a file of generated questions:", () => {
  const folder = mkdtempSync(join(tmpdir(), "emend-operators-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const ASKER = "token-of-a-usual-asker";
  const questions = join(folder, "questions.jsonl");
  const made = { id: "one", question: "How many days?", answer: "28", passages: [], tags: ["made", "one passage"] };
  const all = { runs, questions };
  const tokens = [ASKER, SALES];
  const operatorTokens = [OPERATOR, SCOPED_OPERATOR];
  const NONE = { status: 403, review: 403, list: 403, decision: 403 };
  const EVERYTHING = { status: 200, isShown: true, review: 200, list: 200, decision: 200 };
  const HIDDEN = { status: 200, isShown: false, review: 400, list: 404, decision: 404 };

  test.each([
    ["everybody of this machine, without tokens", {}, "", EVERYTHING],
    ["nobody, with tokens that are all alike", { tokens }, ASKER, HIDDEN],
    ["nobody within a scope, with tokens that are all alike", { tokens }, SALES, NONE],
    ["an operator, by the token", { tokens, operatorTokens }, OPERATOR, EVERYTHING],
    ["an operator who is among all who may ask", { tokens: [OPERATOR], operatorTokens }, OPERATOR, EVERYTHING],
    ["an operator, if nobody else may ask", { operatorTokens }, OPERATOR, EVERYTHING],
    ["nobody else, if there are operators", { tokens, operatorTokens }, ASKER, NONE],
    ["nobody else within a scope", { tokens, operatorTokens }, SALES, NONE],
    ["not an operator within a scope", { tokens, operatorTokens }, SCOPED_OPERATOR, NONE],
  ])("%s", async (_name, given, token, expected) => {
    writeFileSync(questions, `${JSON.stringify(made)}\n`);
    const { address, post } = await listening({ ...all, ...given, ...(token && { userOf }) });
    const headers = { Authorization: `Bearer ${token}` };
    const reply = await fetch(`${address}/api/quality`, { headers });
    const failed = reply.ok ? QualityReply.parse(await reply.json()).failed : undefined;
    const [run] = await runs.find({ status: "refused" }, 1);
    const review = await post("/api/quality/reviews", { run: run?.id, expected: "28 days" }, headers);
    const list = await fetch(`${address}/api/quality/questions`, { headers });
    const decision = await post("/api/quality/questions", { id: made.id, kept: null }, headers);
    expect({
      status: reply.status,
      ...(failed && { isShown: failed.every(({ question }) => question !== "") }),
      review: review.status,
      list: list.status,
      decision: decision.status,
    }).toEqual(expected);
    expect(readFileSync(questions, "utf8").includes("dropped")).toBe(decision.ok);
  });

  test("an operator may ask as well, and a token of nobody may neither ask nor see", async () => {
    const { address, post } = await listening({ ...all, tokens, operatorTokens });
    const search = (token: string) => post("/api/search", { query: "leave" }, { Authorization: `Bearer ${token}` });
    expect([(await search(OPERATOR)).status, (await search("")).status]).toEqual([200, 401]);
    expect((await fetch(`${address}/api/quality`)).status).toBe(401);
    const other = await listening({ ...all, operatorTokens });
    expect((await fetch(`${other.address}/api/quality`)).status).toBe(401);
  });
});

test.each(["?days=0", "?days=many", "?tag=BAD"])("%s is refused with a message", async (query) => {
  const reply = await get(query, OPERATOR);
  expect([reply.status, await reply.json()]).toEqual([400, { error: expect.stringMatching(/days|tag/) }]);
});

describe("the questions of a file that a model wrote", () => {
  const folder = mkdtempSync(join(tmpdir(), "emend-made-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const questions = join(folder, "questions.jsonl");
  const made = {
    ...{ id: "one passage: leave#0", question: "How many days of leave?", answer: "28", passages: ["leave"] },
    tags: ["made", "one passage"],
  };
  const reset = () => writeFileSync(questions, `${JSON.stringify(made)}\n{"question": "Own?", "answer": null}\n`);
  const post = (base: string, body: unknown, token = OPERATOR) =>
    fetch(`${base}/api/quality/questions`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });

  test("are shown to operators, kept as edited, dropped, and kept after all", async () => {
    reset();
    const { address } = await listening({ questions });
    const list = async () => {
      const reply = await fetch(`${address}/api/quality/questions`);
      return ((await reply.json()) as { questions: unknown }).questions;
    };
    expect(await list()).toEqual([{ ...made, isKept: false, isDropped: false }]);
    const kept = { question: " How long is the leave? ", answer: "28 days" };
    expect((await post(address, { id: made.id, kept })).status).toBe(200);
    expect(await list()).toMatchObject([{ question: "How long is the leave?", answer: "28 days", isKept: true }]);
    expect((await post(address, { id: made.id, kept: null })).status).toBe(200);
    expect(await list()).toMatchObject([{ question: "How long is the leave?", isKept: false, isDropped: true }]);
    expect((await post(address, { id: made.id, kept })).status).toBe(200);
    expect(await list()).toMatchObject([{ isKept: true, isDropped: false }]);
    expect(readFileSync(questions, "utf8")).toMatch(/\n\{"question": "Own\?", "answer": null\}\n$/);
  });

  test.each([
    ["an empty question", { id: made.id, kept: { question: " ", answer: "28" } }, /kept\.question/],
    ["an empty answer", { id: made.id, kept: { question: "Q?", answer: "" } }, /kept\.answer/],
    ["no decision", { id: made.id }, /kept/],
    ["a question that nobody made", { id: "Own?", kept: null }, /no generated question "Own\?"/],
  ])("%s is refused in words, and the file stays as it was", async (_name, body, said) => {
    reset();
    const before = readFileSync(questions, "utf8");
    const { address } = await listening({ questions });
    const reply = await post(address, body);
    expect([reply.status, await reply.json()]).toEqual([400, { error: expect.stringMatching(said) }]);
    expect(readFileSync(questions, "utf8")).toBe(before);
  });

  test("are neither shown nor changed on a server with tokens, or one that names no file", async () => {
    reset();
    const before = readFileSync(questions, "utf8");
    const userOf = () => ({ identity: "sales", emend_scope: [{ key: "department", values: ["sales"] }] });
    const shared = (await listening({ questions, tokens: [OPERATOR] })).address;
    const scoped = (await listening({ questions, tokens: [SALES], userOf })).address;
    const without = (await listening()).address;
    const drop = { id: made.id, kept: null };
    expect((await post(shared, drop)).status).toBe(404);
    expect((await post(scoped, drop, SALES)).status).toBe(403);
    expect(await (await post(without, drop)).json()).toEqual({
      error: expect.stringContaining("emend serve --review"),
    });
    const get = await fetch(`${shared}/api/quality/questions`, { headers: { Authorization: `Bearer ${OPERATOR}` } });
    expect([get.status, await get.text()]).toEqual([404, expect.not.stringContaining("leave?")]);
    expect(readFileSync(questions, "utf8")).toBe(before);
  });
});
