import { mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { createServer } from "../../src/server/app.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { fakeRun } from "../../src/testing/runs-contract.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { Price } from "../../src/types/price.js";
import type { RunRecord } from "../../src/types/run.js";
import { broken } from "./accessibility.js";

// The operators' page with 10,000 runs of 30 days, in a real Chromium. It is built first (see vitest.config.ts).

const CHROMIUM = process.env.EMEND_TEST_CHROMIUM ?? "/usr/bin/chromium";
const RUNS = 10_000;
const DAYS = 30;
const DAY = 86_400_000;
const SALES = "token-of-the-salesman";
const UNANSWERED = ["Who pays for a taxi at night?", "出差的住宿标准是多少？", "How long is a visitor's badge valid?"];
const ANSWERED = [
  "When does the Lisbon office open?",
  "年假可以延到明年吗？",
  "Who approves travel abroad?",
  "Where do guests park?",
];

const folder = mkdtempSync(join(tmpdir(), "emend-quality-"));
const questions = join(folder, "questions.jsonl");
const PASSAGE = "The Lisbon office opens at eight in the morning.\nVisitors sign the book at the desk.";
const database = openDatabase(":memory:");
const complaints: string[] = [];
const ends: (() => Promise<unknown>)[] = [];
let browser: Browser;
let address: string;
let locked: string;
let priced: string;

beforeAll(async () => {
  await sqlDocuments(database).upsert(
    Array.from({ length: 40 }, (_, i) => {
      const reviewedAt = i < 2 ? `202${i}-03-01` : "";
      return fakePassage(`handbook/chapter-${i + 1}.md`, "Staff ask at the desk.", { reviewedAt });
    }),
  );
  const runs = sqlRuns(database);
  await database.together(async () => {
    for (let i = 0; i < RUNS; i++) runs.add(nth(i), `thread-${i % 997}`);
    for (let i = 0; i < 50; i++) runs.flag(`thread-${i}`, ANSWERED[i % 4] ?? "", "down");
    await runs.close();
  });
  expect(runs.lost()).toBeUndefined();
  address = await served();
  locked = await served(SALES);
  priced = await served(undefined, { input: 0.1, output: 0 });
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });

  async function served(token?: string, price?: Price): Promise<string> {
    const agent = createAgent({
      tools: {
        documents: inMemoryDocuments([
          fakePassage("office", PASSAGE),
          fakePassage("年假", "年假二十五天。"),
          fakePassage("差旅-2022.md", "出差乘火车。"),
          fakePassage("差旅-2024.md", "出差乘飞机。"),
          fakePassage("visitors.md", "A badge is valid for a day.", { metadata: { valid_until: "2023-12-31" } }),
        ]),
      },
    });
    const userOf = () => ({ identity: "sales", emend_scope: [{ key: "department", values: ["sales"] }] });
    const shared = { agent, runs, questions, ...(price && { price }) };
    const { app } = createServer({ ...shared, ...(token && { tokens: [token], userOf }) });
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
    await new Promise((resolve) => server.once("listening", resolve));
    ends.push(async () => {
      if ("closeAllConnections" in server) server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await agent.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
});
afterAll(async () => {
  await browser.close();
  for (const end of ends) await end();
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  expect(complaints.splice(0)).toEqual([]);
});

/** Runs of each day, the newest last. One in ten is refused, fewer lately; one in seven has an unsupported claim. */
function nth(i: number): RunRecord {
  /** A share that rises and falls over the weeks. */
  const sometimes = (share: number, weeks: number) =>
    (i * 61) % 100 < 100 * share * (1 + Math.sin(i / 400 / weeks) / 3);
  const isRefused = i % (i < RUNS / 2 ? 8 : 14) === 0;
  const isBad = i % 7 === 1 && !isRefused;
  const { spend, claims } = fakeRun();
  return fakeRun({
    at: new Date(Date.now() - ((RUNS - i) / RUNS) * (DAYS - 1) * DAY).toISOString(),
    question: (isRefused ? UNANSWERED[i % 3] : ANSWERED[i % 4]) ?? "",
    ...(isRefused && { status: "refused", failures: [i % 3 === 0 ? "NEED_CONTENT" : "NO_RECALL"], used: [] }),
    ...(isBad && { failures: ["OVERGEN"] }),
    ...(!isRefused && { used: [`handbook/chapter-${1 + (i % 30)}.md#${i % 4}`] }),
    ...(i % 500 === 1 && { disagreements: [{ newer: "handbook/chapter-3.md", older: "handbook/faq.md" }] }),
    isFollowUp: !isRefused && sometimes(0.2, 2),
    claims: { ...claims, drafted: 3, quoted: sometimes(0.2, 4) ? 2 : 3, dropped: Number(isBad) },
    spend: {
      ...spend,
      calls: 1 + Number(sometimes(0.3, 1)),
      inputTokens: 900 + ((i * 37) % 800) + Math.round(i / 20),
      milliseconds: 600 + ((i * 7919) % 2_500) + 400 * Math.sin(i / 700),
    },
    route: [
      step("understand", "retrieve", { code: "search_first" }),
      step("retrieve", "grade", { code: "passages_to_grade", count: 8 }),
      step("grade", isRefused ? "respond" : "generate", { code: isRefused ? "nothing_answers" : "evidence_answers" }),
    ],
  });
}

const step = (from: string, to: string, reason: RunRecord["route"][number]["reason"]) => ({
  step: from,
  to,
  reason,
  calls: from === "grade" ? 1 : 0,
  tokens: 0,
  milliseconds: 40,
  faults: [],
});

async function opened(
  options: BrowserContextOptions = {},
  at = address,
  place = "",
  prepare?: (page: Page) => Promise<unknown>,
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: "en-US", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await prepare?.(page);
  await page.goto(`${at}/#/quality${place}`);
  return page;
}

test("10,000 runs are shown as daily curves, with failures and remedies", async () => {
  const began = performance.now();
  const page = await opened();
  const charts = page.locator(".charts figure");
  await charts.first().waitFor();
  expect(performance.now() - began).toBeLessThan(5_000);
  expect(await charts.count()).toBe(11);
  expect(await charts.locator("figcaption").first().textContent()).toBe("Questions 10,000");
  expect(await charts.nth(1).locator("circle").count()).toBe(DAYS);
  expect(await charts.nth(10).locator("polyline").count()).toBe(2);
  const { totals } = sqlRuns(database);
  const { refused, unavailable, partial, unsure, runs } = await totals({});
  const shares = [refused, unavailable, partial, unsure].map((sum) =>
    `${((100 * sum) / runs).toFixed(1)}%`.replace(".0%", "%"),
  );
  expect([
    await charts.nth(1).locator("strong").textContent(),
    await charts.nth(2).locator("strong").textContent(),
    await charts.nth(3).locator("strong").textContent(),
    await charts.nth(4).locator("strong").textContent(),
  ]).toEqual(shares);
  expect(await page.locator("table a").allTextContents()).toEqual(["OVERGEN", "NO_RECALL", "NEED_CONTENT"]);
  expect(await page.locator("tr", { hasText: "NO_RECALL" }).textContent()).toContain("Add a document that covers it");
  await page.locator("tr", { hasText: UNANSWERED[1] ?? "" }).waitFor();
  await page.getByText("10 documents were never cited").waitFor();
  expect(await broken(page)).toEqual([]);
  if (process.env.EMEND_TEST_SHOTS) await page.screenshot({ path: `${process.env.EMEND_TEST_SHOTS}/wide.png` });
  await page.getByLabel("Period").selectOption("Last 7 days");
  await expect.poll(() => charts.nth(1).locator("circle").count()).toBe(7);
});

test("documents that disagree in answers are listed, and old ones with their dates and successors", async () => {
  const page = await opened();
  const cells = (title: string) => page.locator("section", { hasText: title }).locator("tbody tr").allTextContents();
  await page.getByText("2 documents were last reviewed over a year ago").waitFor();
  expect(await cells("over a year ago")).toEqual([
    "handbook/chapter-1.md2020-03-01",
    "handbook/chapter-2.md2021-03-01",
  ]);
  expect(await cells("2 documents are no longer valid")).toEqual([
    "visitors.md2023-12-31",
    "差旅-2022.md2023-12-31差旅-2024.md",
  ]);
  expect(await cells("disagree with each other in answers")).toEqual(["handbook/chapter-3.mdhandbook/faq.md20"]);
  await page.getByText("`emend check` reads all documents").waitFor();
  expect(await broken(page)).toEqual([]);
});

test("without runs in the period, the page says so and still lists old documents", async () => {
  const page = await opened({}, address, "", (page) =>
    page.route("**/api/quality?*", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), days: [] } });
    }),
  );
  await page.getByText("No question was asked in this period.").waitFor();
  await page.getByText("2 documents are no longer valid").waitFor();
  expect(await page.locator("figure").count()).toBe(0);
  expect(await page.getByText("never cited").count()).toBe(0);
  expect(await broken(page)).toEqual([]);
});

test("the cost of a question has a curve if the price of tokens is set", async () => {
  const page = await opened({}, priced);
  const chart = page.locator(".charts figure").nth(10);
  await chart.waitFor();
  const label = chart.locator("svg text").first();
  const [labelled, framed] = [await label.boundingBox(), await chart.locator("svg").boundingBox()];
  expect(labelled?.x).toBeGreaterThanOrEqual(framed?.x ?? Number.POSITIVE_INFINITY);
  const { inputTokens, runs } = await sqlRuns(database).totals({});
  const mean = (inputTokens / runs / 1e7).toPrecision(3);
  expect(await chart.locator("figcaption").textContent()).toBe(`Cost per question $${mean}`);
  expect(await chart.locator("circle").count()).toBe(DAYS);
  expect(await broken(page)).toEqual([]);
});

test("a tag leads to its runs, and a run shows its steps", async () => {
  const page = await opened();
  await page.locator("details").nth(49).waitFor();
  await page.getByRole("link", { name: "NEED_CONTENT" }).click();
  await page.getByRole("heading", { name: "Newest runs with NEED_CONTENT" }).waitFor();
  const others = page.locator("summary").filter({ hasNotText: "NEED_CONTENT" });
  await expect.poll(() => others.count()).toBe(0);
  await page.locator("summary").first().click();
  const route = page.locator(".route");
  expect(await route.locator("li strong").allTextContents()).toEqual(["understand", "search", "judge"]);
  expect(await route.locator("svg .node.taken").count()).toBe(4);
  expect(await broken(page)).toEqual([]);
  await page.getByLabel("Words that a right answer has").fill("the company");
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByText("Saved.").waitFor();
  if (process.env.EMEND_TEST_SHOTS) await page.screenshot({ path: `${process.env.EMEND_TEST_SHOTS}/run.png` });
  expect((await sqlRuns(database).feedback()).opinions).toMatchObject([
    { expected: "the company", label: "NEED_CONTENT" },
  ]);
  await page.goBack();
  await page.getByRole("heading", { name: "Newest failed runs" }).waitFor();
  await page.locator("summary", { hasText: "OVERGEN" }).first().waitFor();
  await page.getByRole("button", { name: "Ask" }).click();
  await page.locator(".welcome").waitFor();
  expect(new URL(page.url()).hash).toBe("");
});

test("the page works in Chinese on a phone in dark mode, and nothing is wider than the screen", async () => {
  const phone = { viewport: { width: 360, height: 720 }, hasTouch: true, isMobile: true };
  const page = await opened({ ...phone, locale: "zh-CN", colorScheme: "dark" });
  await page.getByRole("heading", { name: "回答质量" }).waitFor();
  await page.getByText("10篇文档从未被引用").waitFor();
  await page.getByText("2篇文档的上次审核已超过一年").waitFor();
  await page.getByText("2篇文档已失效").waitFor();
  await page.locator("summary").first().tap();
  await page.locator(".route svg").waitFor();
  expect(await page.locator(".quality").evaluate((main) => main.scrollWidth > main.clientWidth)).toBe(false);
  expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
  expect(await broken(page)).toEqual([]);
  if (process.env.EMEND_TEST_SHOTS) {
    await page.screenshot({ path: `${process.env.EMEND_TEST_SHOTS}/run-phone.png` });
    await page.locator(".charts").scrollIntoViewIfNeeded();
    await page.screenshot({ path: `${process.env.EMEND_TEST_SHOTS}/phone.png` });
    await page.getByText("2篇文档已失效").scrollIntoViewIfNeeded();
    await page.screenshot({ path: `${process.env.EMEND_TEST_SHOTS}/old-phone.png` });
  }
});

/** Writes a file with a question of somebody's own and three that a model wrote. */
async function writeQuestions() {
  const first = { question: "When does the Lisbon office open?", answer: "eight in the morning" };
  const made = [
    { id: "one passage: office", ...first, passages: ["office"], tags: ["made", "one passage"] },
    {
      ...{ id: "follow-up: office", question: "Who signs there?", answer: "Visitors", passages: ["office"] },
      ...{ tags: ["made", "follow-up"], history: [first] },
    },
    {
      id: "unanswerable: 年假",
      question: "年假由谁审批？",
      answer: null,
      passages: [],
      tags: ["made", "unanswerable"],
    },
  ];
  const lines = [{ question: "Who paints?", answer: null }, ...made].map((line) => JSON.stringify(line));
  await writeFile(questions, `${lines.join("\n")}\n`);
}
const writtenQuestions = async () =>
  (await readFile(questions, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

test("questions that a model wrote are kept, edited and dropped one after the other by keyboard", async () => {
  await writeQuestions();
  const page = await opened({}, address, "/questions");
  await page.getByText("0 of 3 kept").waitFor();
  expect(await page.locator("summary").count()).toBe(3);
  await expect.poll(() => page.locator("mark").allTextContents()).toEqual(["eight in the morning"]);
  expect(await broken(page)).toEqual([]);
  if (process.env.EMEND_TEST_SHOTS) await page.screenshot({ path: `${process.env.EMEND_TEST_SHOTS}/made.png` });
  await page.getByLabel("Words that a right answer has").fill("eight");
  await page.keyboard.press("Enter");
  await page.getByText("1 of 3 kept").waitFor();

  // The next question is open, and has the focus.
  await page.getByText("Asked before it: When does the Lisbon office open?").waitFor();
  expect(await page.evaluate("document.activeElement.value")).toBe("Who signs there?");
  for (let i = 0; i < 4; i++) await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.textContent")).toBe("Drop");
  await page.keyboard.press("Enter");
  await page.getByText("1 of 2 kept").waitFor();

  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await page.getByLabel("Words that a right answer has").fill("二十五天");
  await page.keyboard.press("Enter");
  await page.getByText("2 of 2 kept").waitFor();
  expect(await page.locator("form").count()).toBe(0);
  expect(await page.evaluate("document.activeElement.id")).toBe("question");
  const dropped = page.locator("summary", { hasText: "dropped" });
  expect(await dropped.locator("s").textContent()).toBe("Who signs there?");
  expect(await writtenQuestions()).toMatchObject([
    { question: "Who paints?", answer: null },
    { id: "one passage: office", answer: "eight", tags: ["made", "one passage", "kept"] },
    { question: "Who signs there?", tags: ["made", "follow-up", "dropped"] },
    { id: "unanswerable: 年假", answer: "二十五天", tags: ["made", "unanswerable", "kept"] },
  ]);

  await dropped.click();
  expect(await page.getByRole("button", { name: "Drop" }).count()).toBe(0);
  await page.getByRole("button", { name: "Keep" }).click();
  await page.getByText("3 of 3 kept").waitFor();
  expect((await writtenQuestions())[2]).toMatchObject({ tags: ["made", "follow-up", "kept"] });
  await page.getByRole("link", { name: "Quality of answers" }).click();
  await page.getByRole("link", { name: "Questions that a model wrote" }).click();
  await page.getByText("3 of 3 kept").waitFor();
});

test("a question that left the file meanwhile is told in words, and the form keeps what was typed", async () => {
  await writeQuestions();
  const page = await opened({}, address, "/questions");
  await page.getByLabel("Words that a right answer has").fill("eight");
  await writeFile(questions, "");
  await page.getByRole("button", { name: "Keep" }).click();
  await page.getByRole("alert").getByText("no generated question").waitFor();
  expect(await page.getByLabel("Words that a right answer has").inputValue()).toBe("eight");
  expect(complaints.splice(0).every((text) => text.includes("400"))).toBe(true);
});

test("the questions that a model wrote are gone through in Chinese on a phone in dark mode", async () => {
  await writeQuestions();
  const phone = { viewport: { width: 360, height: 720 }, hasTouch: true, isMobile: true };
  const page = await opened({ ...phone, locale: "zh-CN", colorScheme: "dark" }, address, "/questions");
  await page.getByText("共3条，已保留0条").waitFor();
  await page.locator("summary").last().tap();
  await page.getByText("年假二十五天。").waitFor();
  expect(await page.locator("details[open]").count()).toBe(1);
  expect(await page.locator(".quality").evaluate((main) => main.scrollWidth > main.clientWidth)).toBe(false);
  expect(await broken(page)).toEqual([]);
  if (process.env.EMEND_TEST_SHOTS) await page.screenshot({ path: `${process.env.EMEND_TEST_SHOTS}/made-phone.png` });
  await page.getByRole("button", { name: "删除" }).tap();
  await page.getByText("共2条，已保留0条").waitFor();
  expect((await writtenQuestions()).filter(({ tags }) => tags?.includes("dropped"))).toHaveLength(1);
});

test("a user with a scope is told that the page is not for them", async () => {
  const page = await opened({}, locked);
  await page.getByLabel("Token").fill(SALES);
  await page.keyboard.press("Enter");
  await page.getByText("Only those who may see every document").waitFor();
  expect(await page.locator(".charts").count()).toBe(0);
  // The browser logs every refused request.
  expect(complaints.splice(0).every((text) => /401|403/.test(text))).toBe(true);
});

test("the page for readers does not load the operators' code", async () => {
  const page = await opened();
  await page.locator(".charts").waitFor();
  const loaded = () => page.evaluate<string[]>("performance.getEntriesByType('resource').map(({ name }) => name)");
  expect((await loaded()).some((name) => name.endsWith("/quality.js"))).toBe(true);
  await page.goto("about:blank");
  await page.goto(address);
  await page.locator("#question").waitFor();
  expect((await loaded()).some((name) => /quality/.test(name))).toBe(false);
});
