import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import type { CollectionSettings } from "../../src/collections.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { createServer, type ServerOptions } from "../../src/server/app.js";
import { fakePassage } from "../../src/testing/index.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import { broken } from "./accessibility.js";

// The choice of a collection on the page, in a real Chromium.

const CHROMIUM = process.env.EMEND_TEST_CHROMIUM ?? "/usr/bin/chromium";
const COLLECTIONS: Record<string, CollectionSettings> = {
  hr: { title: "Human resources", description: "Leave, pay and travel.", readers: ["group:hr"] },
  it: { title: "信息技术", description: "Laptops and passwords.", readers: ["group:it"] },
};
const ADA = "token-of-ada-in-hr";
const users: Partial<ServerOptions> = {
  tokens: [ADA],
  userOf: () => ({
    identity: "ada",
    emend_scope: [{ key: "readers", values: ["everyone", "group:hr"] }],
    emend_may_upload: true,
  }),
};
const LEAVE = "How many days of paid leave do full-time staff have?";

let browser: Browser;
const ends: (() => Promise<unknown>)[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
});
afterAll(async () => {
  await browser.close();
  for (const end of ends) await end();
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
  expect(complaints.splice(0)).toEqual([]);
});

/** A server over a store with a document in each collection. */
async function served(options: Partial<ServerOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "emend-page-"));
  const store = join(folder, "store");
  const database = openDatabase(store);
  const agent = createAgent({ store, checkpointer: sqlThreads(openDatabase(":memory:")), tools: localReasoners() });
  const { documents } = agent.tools;
  const passage = (id: string, text: string, name: string) =>
    fakePassage(`${id}#0`, text, {
      documentId: id,
      title: id,
      metadata: { collection: name, readers: `group:${name}` },
    });
  await documents.upsert([
    passage("leave", "Full-time staff have 28 days of paid leave.", "hr"),
    passage("laptop", "A broken laptop is replaced within 2 days.", "it"),
  ]);
  const { app, drain } = createServer({ agent, uploads: { database, folder }, collections: COLLECTIONS, ...options });
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  ends.push(async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await drain(0);
    await agent.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, documents };
}

async function opened(address: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(address);
  return page;
}

const choice = (page: Page) => page.getByLabel("Ask in");
const turn = (page: Page) => page.locator("article.turn").last();

async function ask(page: Page, question: string) {
  const before = await page.locator("article.turn").count();
  await page.locator("#question").fill(question);
  await page.keyboard.press("Enter");
  await page.locator("article.turn h2").nth(before).waitFor();
  await page.locator("article.turn[aria-busy=true]").waitFor({ state: "detached" });
}

test("a question is asked in the collection that is chosen, and its sources name it", async () => {
  const page = await opened((await served()).address);
  await choice(page).selectOption("Human resources");
  await page.getByText("Leave, pay and travel.").waitFor();
  await ask(page, LEAVE);
  expect(await turn(page).locator(".sources").textContent()).toContain("leave · Human resources");
  expect(await broken(page)).toEqual([]);
  await page.locator(".marker").first().click();
  expect(await page.locator(".panel").textContent()).toContain("Human resources");
  await ask(page, "Within how many days is a broken laptop replaced?");
  expect(await turn(page).locator(".status").textContent()).toBe("Not answered");
  await choice(page).selectOption("All documents");
  await ask(page, "Within how many days is a broken laptop replaced?");
  expect(await turn(page).locator(".sources").textContent()).toContain("信息技术");
});

test("each conversation keeps its collection, also after the page was loaded again", async () => {
  const page = await opened((await served()).address);
  await choice(page).selectOption("hr");
  await ask(page, LEAVE);
  await page.getByRole("button", { name: "New conversation" }).click();
  expect(await choice(page).inputValue()).toBe("hr");
  await choice(page).selectOption("it");
  await ask(page, "When is a broken laptop replaced?");
  await page.locator(".history .entry", { hasText: "paid leave" }).click();
  expect(await choice(page).inputValue()).toBe("hr");
  await page.reload();
  await page.getByText("28 days of paid leave").first().waitFor();
  expect(await choice(page).inputValue()).toBe("hr");
});

test("the choice is reached with the keyboard, and has a name in Chinese too", async () => {
  const page = await opened((await served()).address, { locale: "zh-CN" });
  await page.getByLabel("提问范围").waitFor();
  await page.locator("#question").focus();
  await page.keyboard.press("Shift+Tab");
  expect(await page.evaluate("document.activeElement.labels[0].textContent")).toContain("提问范围");
  await page.keyboard.press("ArrowDown");
  expect(await page.getByLabel("提问范围").inputValue()).toBe("hr");
  expect(await broken(page)).toEqual([]);
});

test("there is no choice without collections", async () => {
  const page = await opened((await served({ collections: {} })).address);
  await page.getByText("28 days").or(page.locator(".welcome h2")).first().waitFor();
  await page
    .getByRole("navigation")
    .getByRole("button", { name: /^Documents/ })
    .waitFor();
  expect(await page.locator("select").count()).toBe(0);
});

test("a user sees only those that are theirs, and what they upload goes into the chosen one", async () => {
  const { address, documents } = await served(users);
  const page = await opened(address);
  await page.locator("input[type=password]").fill(ADA);
  await page.keyboard.press("Enter");
  await choice(page).waitFor();
  expect(await choice(page).locator("option").allTextContents()).toEqual(["All documents", "Human resources"]);
  await page
    .getByRole("navigation")
    .getByRole("button", { name: /^Documents/ })
    .click();
  const into = page.getByLabel("Add to the collection");
  // Without a collection, the user says who may read the files.
  await page.getByLabel("Who may read them (readers)").waitFor();
  await into.selectOption("Human resources");
  await page.getByLabel("Who may read them (readers)").waitFor({ state: "detached" });
  expect(await broken(page)).toEqual([]);
  const text = "---\nreaders: everyone\n---\n# Pay\n\nPay day is the 25th.\n";
  await page.locator("input[type=file]").setInputFiles([{ name: "pay.md", mimeType: "", buffer: Buffer.from(text) }]);
  await page.getByText("1 file read", { exact: true }).waitFor();
  const [stored] = (await documents.find?.("Pay day", 1)) ?? [];
  expect(stored?.metadata).toMatchObject({ collection: "hr", readers: "group:hr" });
});
