import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { serve } from "@hono/node-server";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { createServer } from "../../src/server/app.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import type { Answer } from "../../src/types/answer.js";
import { folder, OFFICES } from "../cli/emend.js";
import { JOBS, OPEN_JOBS } from "../computed.js";
import { pdf } from "../tools/web/pdfs.js";
import { smallWeb } from "../tools/web/small-web.js";
import { broken } from "./accessibility.js";

// The page in a real Chromium over a real store. It is built before the tests (see vitest.config.ts).

const CHROMIUM = process.env.EMEND_TEST_CHROMIUM ?? "/usr/bin/chromium";
const LISBON = "When does the Lisbon office open?";
const BRIDGE = "In which year was the Vasco da Gama bridge opened?";
const TOKEN = "a-token-of-some-length";
const HOSTILE = `# <img src=x onerror="document.title='owned'">

The harbour gate is closed at <b onclick="alert(1)">eleven</b> at night.
`;

let here: Awaited<ReturnType<typeof folder>>;
let browser: Browser;
let web: Awaited<ReturnType<typeof smallWeb>>;
let address: string;
let locked: string;
const ends: (() => Promise<unknown>)[] = [];
/** A generator whose drafts never end until they are aborted. */
let isEndless = false;
/** The tables that the server has. */
let tablesNow = [JOBS];
/** A question whose quotes the grader is not sure of. */
const DOUBTFUL = "Where may guests park?";
/** Errors and warnings of the browser. */
const complaints: string[] = [];
const runs = sqlRuns(openDatabase(":memory:"));

beforeAll(async () => {
  here = await folder({
    ...OFFICES,
    "docs/ferries.pdf": pdf(["The first ferry leaves at six.", "The last ferry of the day leaves at ten."]),
    "docs/harbour.txt": HOSTILE,
    "docs/jobs.csv": [JOBS.columns.map(({ name }) => name), ...JOBS.cells].map((row) => row.join(";")).join("\n"),
    "docs/parking.md": "# Parking\n\n## Where do guests park?\n\nGuests park behind the gate, on the left.\n",
  });
  await here.run(["ingest", "docs"]);
  web = await smallWeb({ "/bridge": "The Vasco da Gama bridge was opened in 1998, after three years of work." });
  address = await served();
  locked = await served([TOKEN]);
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
});
afterAll(async () => {
  await browser.close();
  for (const end of ends) await end();
  await here[Symbol.asyncDispose]();
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  expect(complaints.splice(0)).toEqual([]);
});

/** A server over the store that asks which office "the office" means. */
async function served(tokens: string[] = []): Promise<string> {
  const { grader, generator } = localReasoners();
  const agent = createAgent({
    store: join(here.path, ".emend"),
    web: { engine: "searxng", url: web.baseURL },
    allowPrivateHosts: [new URL(web.baseURL).host],
    checkpointer: sqlThreads(openDatabase(":memory:")),
    tools: {
      tables: {
        search: async () => [],
        heads: async () => tablesNow,
        get: async () => tablesNow,
        query: async () => OPEN_JOBS,
      },
      grader: {
        grade: async (task, call) => {
          const grade = await grader.grade(task, call);
          const isOpen = task.question === "When does the office open?";
          if (isOpen) return { ...grade, answerability: "none", clarification: "Which office?" };
          if (task.question !== DOUBTFUL) return grade;
          const relevance = grade.relevance.map((strips) => strips.map((strip) => strip / 2));
          return { ...grade, relevance, answerability: "unknown", probability: 0.4 };
        },
      },
      generator: {
        generate: async (task, call, onClaim) => {
          const draft = await generator.generate(task, call, onClaim);
          call.spent({ calls: 1, inputTokens: 100, cachedTokens: 0, outputTokens: 20 });
          if (isEndless)
            await new Promise((_, reject) => call.signal.addEventListener("abort", () => reject(call.signal.reason)));
          return draft;
        },
      },
    },
  });
  const { app } = createServer({ agent, tokens, originals: here.path, runs });
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  ends.push(async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await agent.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function opened(options: BrowserContextOptions = {}, at = address): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(at);
  return page;
}

/** Asks a question and returns its turn once it is answered. */
async function ask(page: Page, question: string) {
  await page.locator("#question").fill(question);
  await page.keyboard.press("Enter");
  const turn = page.locator("article.turn").last();
  await turn.locator("h2", { hasText: question }).waitFor();
  await page.locator("article.turn[aria-busy=true]").waitFor({ state: "detached" });
  return turn;
}

describe("a question", () => {
  test("is answered; its marker opens the quoted passage, and the passage opens its document", async () => {
    const page = await opened();
    const turn = await ask(page, LISBON);
    expect(await turn.locator(".prose").textContent()).toContain("The Lisbon office opens at eight in the morning");
    await turn.locator(".marker").click();
    const panel = page.locator(".panel");
    await panel.locator("mark").waitFor();
    expect(await panel.locator("mark").textContent()).toBe("The Lisbon office opens at eight in the morning.");
    await panel.getByText("Show the whole document").click();
    await panel.getByText("Travel abroad is approved by the head of the department.").waitFor();
    expect(await broken(page)).toEqual([]);
  });

  test("shows the steps of its run with their reasons", async () => {
    const page = await opened();
    const turn = await ask(page, LISBON);
    expect(await page.locator(".route").count()).toBe(0);
    expect(await turn.locator(".took").textContent()).toMatch(/^read \d+ passages?, checked \d+ statements? · \d/);
    await turn.locator(".took").click();
    const route = page.locator(".route");
    expect(await route.locator("li strong").allTextContents()).toEqual([
      "understand",
      "search",
      "judge",
      "write",
      "check",
      "answer",
    ]);
    expect(await route.locator("svg .node.taken").count()).toBe(6);
    expect(await route.locator(".sum").textContent()).toMatch(/^6 steps · 1 call · 120 tokens · \d/);
  });

  test("can be followed up, and is found again after the page was closed", async () => {
    const page = await opened();
    await ask(page, LISBON);
    const turn = await ask(page, "And the Utrecht office?");
    expect(await turn.locator(".prose").textContent()).toContain("The Utrecht office opens at nine");
    await page.reload();
    await page.locator("article.turn").nth(1).waitFor();
    await page.getByRole("button", { name: "New conversation" }).click();
    await page.locator(".welcome").waitFor();
    await page.reload();
    expect(await page.locator("article.turn").count()).toBe(0);
    await page.locator(".entry", { hasText: LISBON }).click();
    await page.locator("article.turn").nth(1).waitFor();
    await page.locator(".marker").last().click();
    expect(await page.locator(".panel mark").textContent()).toBe("The Utrecht office opens at nine.");
    await page.getByRole("button", { name: /^Remove “When does/ }).click();
    expect(await page.locator(".entry").count()).toBe(0);
    expect(await page.locator("article.turn").count()).toBe(0);
  });

  test("can be one that the empty page suggests", async () => {
    const page = await opened();
    const start = page.locator(".welcome");
    await start.getByText(/^\d+ documents, such as “/).waitFor();
    expect(await start.locator("code").textContent()).toBe("emend ingest <folder>");
    expect(await broken(page)).toEqual([]);
    await start.getByRole("button", { name: "Where do guests park?" }).click();
    await page.getByText("Guests park behind the gate, on the left").first().waitFor();
  });

  test("is at the top of the screen with its answer below it", async () => {
    const page = await opened({ viewport: { width: 1280, height: 400 } });
    await ask(page, LISBON);
    const turn = await ask(page, "And the Utrecht office?");
    const box = await turn.boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(100);
    const { y = 0, height = 0 } = (await turn.locator(".prose").boundingBox()) ?? {};
    expect(y + height).toBeLessThan(400);
  });

  test("that is small talk is answered without sources", async () => {
    const page = await opened();
    const turn = await ask(page, "hello");
    expect(await turn.locator(".prose").textContent()).toMatch(/^Hello! /);
    expect(await turn.locator(".sources, .feedback").count()).toBe(0);
    expect(await turn.getByRole("button", { name: /^Copy/ }).allTextContents()).toEqual(["Copy"]);
  });

  test("has an answer that can be copied with and without its sources", async () => {
    const page = await opened({ permissions: ["clipboard-read", "clipboard-write"] });
    const turn = await ask(page, LISBON);
    const copied = async (name: string) => {
      await turn.getByRole("button", { name, exact: true }).click();
      await turn.getByText("Copied.").waitFor();
      return page.evaluate<string>("navigator.clipboard.readText()");
    };
    expect(await copied("Copy")).toBe("The Lisbon office opens at eight in the morning.");
    expect(await copied("Copy with sources")).toMatch(/morning \[1\]\.\n\nSources\n\[1\] .*docs.*\.md\)$/);
  });

  test("that quotes may answer has a badge of its own, and says so above them", async () => {
    const page = await opened({ colorScheme: "dark" });
    const turn = await ask(page, DOUBTFUL);
    await turn.getByText("Don't search").click();
    await turn.locator(".status").waitFor();
    expect(await turn.locator(".status").textContent()).toBe("May answer it");
    expect(await turn.locator(".prose p").first().textContent()).toBe("This may answer it:");
    expect(await turn.locator(".marker").count()).toBeGreaterThan(0);
    expect(await broken(page)).toEqual([]);
    await page.reload();
    expect(await turn.locator(".status").textContent()).toBe("May answer it");
  });

  test("that is refused is shown as not answered", async () => {
    const page = await opened();
    const turn = await ask(page, "谁画了西斯廷教堂的天顶？");
    if (await turn.getByText("Don't search").isVisible()) await turn.getByText("Don't search").click();
    await turn.locator(".status").waitFor();
    expect(await turn.locator(".status").textContent()).toBe("Not answered");
    expect(await broken(page)).toEqual([]);
  });

  test("shows each sentence once it is checked and the current step, and can be stopped", async () => {
    const page = await opened();
    await page.locator("#question").fill(LISBON);
    isEndless = true;
    await page.getByRole("button", { name: "Ask" }).last().click();
    await page.locator(".sentence", { hasText: "The Lisbon office opens at eight" }).waitFor();
    expect(await page.locator(".doing").textContent()).toBe("write …");
    await page.locator(".took").click();
    expect(await page.locator(".node.now").textContent()).toBe("write");
    expect(await broken(page)).toEqual([]);
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    isEndless = false;
    expect(await (await ask(page, LISBON)).locator(".prose").textContent()).toContain("eight");
  });

  test("that is ambiguous leads to a clarifying question, and the next input is the reply", async () => {
    const page = await opened();
    const turn = await ask(page, "When does the office open?");
    expect(await turn.locator(".prose").textContent()).toBe("Which office?");
    expect(await page.locator("#question").getAttribute("placeholder")).toBe("Your reply …");
    expect(await (await ask(page, "The Lisbon office")).locator(".prose").textContent()).toContain("eight");
  });
});

describe("a PDF", () => {
  test.each([
    ["without a token", undefined],
    ["with one", TOKEN],
  ])("opens at its page, %s", async (_, token) => {
    const page = await opened({}, token ? locked : address);
    if (token) await page.getByLabel("Token").fill(token);
    if (token) await page.keyboard.press("Enter");
    complaints.splice(0);
    const turn = await ask(page, "When does the last ferry of the day leave?");
    await turn.locator(".marker").first().click();
    const link = page.getByText("Open the PDF at page 2");
    await link.waitFor();
    const [tab] = await Promise.all([page.context().waitForEvent("page"), link.click()]);
    await tab.waitForURL(token ? /^blob:.*#page=2$/ : /\/api\/originals\/docs%2Fferries\.pdf#page=2$/);
  });
});

describe("a figure", () => {
  const QUOTE = "added up: 4 of 12 rows of jobs.csv where State is Open";
  const place = { title: "jobs", uri: "docs/jobs.csv", section: "", date: "2026-05-12" };
  const answer: Pick<Answer, "status" | "stopReason" | "segments" | "claims" | "references" | "text"> = {
    status: "answered",
    stopReason: "supported",
    text: "4 jobs are open [1].",
    segments: [
      {
        kind: "text",
        pieces: [{ text: "4 jobs are open" }, { text: " [1]", reference: 1, claimIndex: 0 }, { text: "." }],
      },
    ],
    claims: [
      {
        text: "4 jobs are open.",
        support: "supported",
        citations: [{ reference: 1, quote: QUOTE, start: 0, end: QUOTE.length }],
      },
    ],
    references: [{ number: 1, evidenceId: "table:1", source: "table", ...place, computed: OPEN_JOBS }],
  };

  /** Asks for a figure, and opens what it rests on. */
  async function figure(options: BrowserContextOptions = {}) {
    const page = await opened(options);
    await page.route("**/api/ask", (route) =>
      route.fulfill({
        contentType: "text/event-stream",
        body: `data: ${JSON.stringify({ type: "answer", answer })}\n\n`,
      }),
    );
    const turn = await ask(page, "How many jobs are open?");
    await turn.locator(".marker").click();
    const panel = page.locator(".panel");
    await panel.getByRole("button", { name: /^(?:Show all rows|显示所有行)$/ }).waitFor();
    return { page, panel, rows: panel.locator("tbody tr") };
  }

  test("opens the rows that it rests on, with their numbers, and on request its query", async () => {
    const { page, panel, rows } = await figure();
    expect(await panel.locator("blockquote").textContent()).toBe(QUOTE);
    expect(await panel.getByRole("heading", { name: "4 of 12 rows of jobs" }).isVisible()).toBe(true);
    expect(await rows.evaluateAll((all) => all.map(({ textContent }) => textContent))).toEqual([
      "3RoofOpen1.204,50 EUR",
      "8WallOpen95 EUR",
      "9LiftOpen310 EUR",
      "10LampOpen12 EUR",
    ]);
    expect(await panel.getByText(/^1 cell of Cost has no value/).isVisible()).toBe(true);
    expect(await panel.locator(".sql pre").isVisible()).toBe(false);
    await panel.getByText("The query (SQL)").click();
    expect(await panel.locator(".sql pre").textContent()).toBe(OPEN_JOBS.sql);
    expect(await broken(page)).toEqual([]);
  });

  test("shows them among all rows of the table, and again alone", async () => {
    const { page, panel, rows } = await figure({ colorScheme: "dark" });
    await panel.getByRole("button", { name: "Show all rows" }).click();
    await panel.locator(".among").waitFor();
    expect(await rows.count()).toBe(12);
    expect(await panel.locator("tr.used th").allTextContents()).toEqual([3, 8, 9, 10].map((row) => `${row} (used)`));
    expect(await broken(page)).toEqual([]);
    await panel.getByRole("button", { name: "Show all rows" }).click();
    expect(await rows.count()).toBe(4);
  });

  test("says if the table has changed since, and then marks nothing", async () => {
    const { panel, rows } = await figure();
    tablesNow = [{ ...JOBS, cells: JOBS.cells.slice(1), rows: 11 }];
    await panel.getByRole("button", { name: "Show all rows" }).click();
    await panel.getByText("The table has changed since.").waitFor();
    tablesNow = [JOBS];
    expect(await rows.count()).toBe(11);
    expect(await panel.locator("tr.used").count()).toBe(0);
  });

  test("fits a phone, in Chinese too", async () => {
    const { page, panel } = await figure({ viewport: { width: 360, height: 720 }, locale: "zh-CN" });
    expect(await panel.getByRole("heading", { name: "jobs共12行中的4行" }).isVisible()).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    expect((await panel.boundingBox())?.width).toBe(360);
    expect(await broken(page)).toEqual([]);
  });
});

describe("queries for the web", () => {
  test("are shown before they are sent, and can be changed", async () => {
    const page = await opened();
    const turn = await ask(page, BRIDGE);
    expect(await turn.locator("textarea").inputValue()).toBe(BRIDGE);
    expect(await broken(page)).toEqual([]);
    const before = web.searched().length;
    await turn.locator("textarea").fill("Ponte Vasco da Gama");
    await turn.getByRole("button", { name: "Search the web" }).click();
    await turn.locator(".prose", { hasText: "1998" }).waitFor();
    expect(web.searched().slice(before)).toEqual(["Ponte Vasco da Gama"]);
    await turn.locator(".marker").first().click();
    expect(await page.getByText("Open the page at the quote").getAttribute("href")).toContain("/bridge#:~:text=");
  });

  test("can be rejected, even after the page was closed in between", async () => {
    const page = await opened();
    await ask(page, BRIDGE);
    const before = web.searched().length;
    await page.reload();
    await page.locator(".entry").first().click();
    const turn = page.locator("article.turn").last();
    await turn.getByText("Don't search").click();
    await turn.locator(".status", { hasText: "Not answered" }).waitFor();
    expect(web.searched().length).toBe(before);
  });
});

test("the opinion of a reader is stored with the answer", async () => {
  const page = await opened();
  const turn = await ask(page, LISBON);
  await turn.getByRole("button", { name: "This is wrong" }).click();
  await turn.getByLabel("What is right or wrong about it?").fill("Too early");
  await turn.getByLabel(/^What should it say/).fill("half past eight");
  expect(await broken(page)).toEqual([]);
  await turn.getByRole("button", { name: "Send" }).click();
  await turn.getByText("Thanks!").waitFor();
  expect((await runs.feedback()).opinions).toMatchObject([
    { question: LISBON, verdict: "down", reason: "Too early", expected: "half past eight", status: "answered" },
  ]);
});

describe("a text", () => {
  test("is checked against the documents, sentence by sentence", async () => {
    const page = await opened();
    await page.getByRole("button", { name: "Check a text" }).click();
    await page
      .getByLabel("The text to check")
      .fill("The Lisbon office opens at eight in the morning. The Utrecht office opens at six.");
    await page.getByRole("button", { name: "Check", exact: true }).click();
    await page.getByText("1 of 2 sentences are supported.").waitFor();
    expect(await page.locator(".judged .verdict").allTextContents()).toEqual([
      "supported",
      expect.not.stringMatching(/^supported|likely/),
    ]);
    expect(await broken(page)).toEqual([]);
  });

  test("is checked against pasted sources", async () => {
    const page = await opened({ locale: "zh-CN" });
    await page.getByRole("button", { name: "核对文本" }).click();
    await page.getByLabel("要核对的文本").fill("渡轮每天六点开出。桥在早上关闭。渡轮每天八点开出。");
    await page.getByLabel("我粘贴的来源").check();
    await page.locator("textarea").last().fill("渡轮每天六点开出。\n---\n桥在晚上关闭。");
    await page.getByRole("button", { name: "核对", exact: true }).click();
    await page.getByText("3句话中有1句得到支持。").waitFor();
    const reasons = await page.locator(".judged .hint").allTextContents();
    expect(reasons).toEqual([expect.stringMatching(/^来源.*。$/), "来源的相关内容没有提到“八点”。"]);
  });
});

test("the page is in the language of the browser, and can be switched to the other one", async () => {
  const page = await opened({ locale: "zh-CN" });
  await page.getByText("向你的文档提问").waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("zh");
  const turn = await ask(page, "上海办公室几点开门？");
  expect(await turn.locator(".prose").textContent()).toContain("上海办公室早上九点开门");
  await turn.locator(".marker").click();
  expect(await page.locator(".panel mark").textContent()).toContain("九点开门");
  expect(await broken(page)).toEqual([]);
  await page.getByRole("button", { name: "English" }).click();
  await page.locator("html[lang=en]").waitFor();
  await page.reload();
  await page.locator("html[lang=en]").waitFor();
});

test("the page can be used with the keyboard alone", async () => {
  const page = await opened();
  // The page sets the focus once it is drawn; earlier keystrokes are lost.
  await page.locator("#question:focus").waitFor();
  await page.keyboard.type(LISBON);
  await page.keyboard.press("Enter");
  const marker = page.locator(".marker");
  await marker.waitFor();
  await page.locator("article.turn[aria-busy=true]").waitFor({ state: "detached" });
  for (let i = 0; i < 30 && (await page.locator(".marker:focus").count()) === 0; i++)
    await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("Enter");
  await page.locator(".panel mark").waitFor();
  await page.locator(".panel:focus").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".marker:focus").waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".panel:focus").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.locator(".marker:focus").waitFor();
});

test("a screen reader announces an answer as it grows and its end", async () => {
  const page = await opened();
  await ask(page, LISBON);
  expect(await page.locator(".unseen[role=status]").textContent()).toContain(
    "The answer is complete, with one source.",
  );
});

test("on a phone, one panel is shown at a time, and nothing is wider than the screen", async () => {
  const page = await opened({ viewport: { width: 360, height: 720 }, hasTouch: true, isMobile: true });
  const turn = await ask(page, LISBON);
  const isWide = () => page.evaluate("document.documentElement.scrollWidth > innerWidth");
  expect(await isWide()).toBe(false);
  await turn.locator(".took").tap();
  await page.locator(".route svg").waitFor();
  expect(await isWide()).toBe(false);
  expect(await broken(page)).toEqual([]);
  await page.getByRole("button", { name: "Close" }).tap();
  await page.locator(".panel").waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Conversations" }).tap();
  await page.locator(".entry", { hasText: LISBON }).waitFor();
  expect(await broken(page)).toEqual([]);
  await page.locator(".entry", { hasText: LISBON }).tap();
  await ask(page, "Who painted the ceiling of the chapel?");
  if (await page.getByText("Don't search").isVisible()) await page.getByText("Don't search").tap();
  await page.locator(".status.refused").waitFor();
  expect(await page.locator(".turns").evaluate((turns) => turns.scrollWidth > turns.clientWidth)).toBe(false);
});

test("in dark mode, all text has enough contrast", async () => {
  const page = await opened({ colorScheme: "dark" });
  const turn = await ask(page, LISBON);
  await turn.locator(".marker").click();
  await page.locator(".panel mark").waitFor();
  expect(await broken(page)).toEqual([]);
});

test("in print, the quotes are below the answer, and controls are hidden", async () => {
  const page = await opened();
  const turn = await ask(page, LISBON);
  await page.emulateMedia({ media: "print" });
  expect(await turn.locator("blockquote").first().isVisible()).toBe(true);
  for (const hidden of [".composer", ".top", ".panel", ".history", ".turn footer"])
    expect(await page.locator(hidden).first().isVisible()).toBe(false);
});

test("markup in a document is shown as text", async () => {
  const page = await opened();
  const turn = await ask(page, "When is the harbour gate closed?");
  await turn.locator(".marker").first().click();
  await page.locator(".panel mark").waitFor();
  expect(await page.locator(".panel").textContent()).toContain('<b onclick="alert(1)">eleven</b>');
  expect(await page.locator("img:not([src='icon.svg']), [onclick], [onerror], .prose b").count()).toBe(0);
  expect(await page.title()).toBe("emend");
});

test("if the server has tokens, the page asks for one and keeps it for this tab", async () => {
  const page = await opened({}, locked);
  await page.getByText("This server requires a token.").waitFor();
  expect(await broken(page)).toEqual([]);
  await page.getByLabel("Token").fill("another-token-of-length");
  await page.keyboard.press("Enter");
  await page.getByText("This token was not accepted.").waitFor();
  await page.getByLabel("Token").fill(TOKEN);
  await page.keyboard.press("Enter");
  await ask(page, LISBON);
  await page.reload();
  await page.locator("#question").waitFor();
  // The browser logs every reply with status 401.
  expect(complaints.splice(0).every((text) => text.includes("401"))).toBe(true);
  expect(await page.evaluate("JSON.stringify(localStorage)")).not.toContain(TOKEN);
});

test("the page may load nothing from elsewhere, and is small", async () => {
  const files = await Promise.all(
    ["/", "/main.js", "/chunk.js", "/quality.js", "/page.css", "/icon.svg"].map((path) => fetch(address + path)),
  );
  for (const { status, headers } of files) {
    expect(status).toBe(200);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
    expect(headers.get("content-security-policy")).not.toContain("unsafe");
  }
  const sizes = await Promise.all(files.map(async (file) => gzipSync(Buffer.from(await file.arrayBuffer())).length));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(48_000);
  const again = await fetch(`${address}/main.js`, {
    headers: { "If-None-Match": files[1]?.headers.get("etag") ?? "" },
  });
  expect(again.status).toBe(304);
});
