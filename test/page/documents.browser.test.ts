import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import type { User } from "../../src/graph/scope.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { createServer, type ServerOptions } from "../../src/server/app.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import { broken } from "./accessibility.js";

// Documents on the page, in a real Chromium over a real store.

const CHROMIUM = process.env.EMEND_TEST_CHROMIUM ?? "/usr/bin/chromium";
const TOKEN = "a-token-of-some-length";
const LEAVE = "# Leave\n\nFull-time staff have 28 days of paid leave.\n";

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

/** A server over an empty store. */
async function served(options: Partial<ServerOptions> = {}): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "emend-page-"));
  const store = join(folder, "store");
  const database = openDatabase(store);
  const checkpointer = sqlThreads(openDatabase(":memory:"));
  const agent = createAgent({ store, checkpointer, tools: localReasoners() });
  const uploads = { database, folder, keep: true };
  const { app, drain } = createServer({ agent, uploads, ...options });
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
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function opened(address: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(address);
  return page;
}

const tab = (page: Page) => page.getByRole("navigation").getByRole("button", { name: /^Documents/ });
const file = (name: string, text: string) => ({ name, mimeType: "", buffer: Buffer.from(text) });
const choose = (page: Page, files: ReturnType<typeof file>[]) => page.locator("input[type=file]").setInputFiles(files);
const entry = (page: Page, title: string) => page.locator(".documents li", { hasText: title });

/** Drags files over the page and drops them there. */
async function drop(page: Page, files: Record<string, string>) {
  await tab(page).waitFor();
  const dataTransfer = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    for (const [name, text] of Object.entries(${JSON.stringify(files)})) data.items.add(new File([text], name));
    return data;
  })()`);
  await page.dispatchEvent("body", "dragenter", { dataTransfer });
  await page.getByText("Drop the files to add them").waitFor();
  await page.dispatchEvent("body", "drop", { dataTransfer });
}

describe("files that are dropped on the page", () => {
  test("are sent and read, and then questions are answered from them", async () => {
    const page = await opened(await served());
    await page.getByText("To add documents, drop files anywhere on this page.").waitFor();
    await drop(page, { "leave.md": LEAVE, "empty.md": "", "setup.exe": "MZ" });
    await page.getByText("1 file read, 2 not read", { exact: true }).waitFor();
    expect(await entry(page, "Leave").textContent()).toContain("Read: 1 passage");
    expect(await entry(page, "empty.md").textContent()).toContain("There is no text in it.");
    expect(await entry(page, "setup.exe").textContent()).toContain("This kind of file is not read.");
    expect(await page.locator(".dropping").count()).toBe(0);
    expect(await broken(page)).toEqual([]);
    await page.getByRole("button", { name: "Ask", exact: true }).click();
    await page.locator("#question").fill("How many days of paid leave do full-time staff have?");
    await page.keyboard.press("Enter");
    await page.getByText("Full-time staff have 28 days of paid leave").first().waitFor();
    await page.locator(".marker").first().click();
    const saved = page.waitForEvent("download");
    await page.locator(".panel").getByText("Save the original").click();
    expect((await saved).suggestedFilename()).toBe("leave.md");
  });

  test("twenty at once are all read, and are listed after the page was loaded again", async () => {
    const page = await opened(await served());
    const notes = Array.from({ length: 20 }, (_, i) => [`note ${i}.md`, `# Note ${i}\n\nThis is number ${i}.\n`]);
    await drop(page, Object.fromEntries(notes));
    await page.getByText("20 files read", { exact: true }).waitFor({ timeout: 30_000 });
    await page.reload();
    await tab(page).click();
    await page.locator(".documents li.ready").nth(19).waitFor();
    expect(await page.locator(".documents li.ready").count()).toBe(20);
  });
});

describe("documents", () => {
  test("can be chosen and deleted with the keyboard", async () => {
    const page = await opened(await served());
    await tab(page).click();
    await page.getByText("There are no documents yet.").waitFor();
    const chooser = page.waitForEvent("filechooser");
    await page.getByRole("button", { name: "Choose files" }).press("Enter");
    await (await chooser).setFiles([file("leave.md", LEAVE)]);
    await page.getByText("1 file read", { exact: true }).waitFor();
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Delete “Leave”" }).press("Enter");
    await page.getByText("“Leave” is deleted.").waitFor();
    expect(await page.locator(".documents li").count()).toBe(0);
    await page.reload();
    await tab(page).click();
    await page.getByText("There are no documents yet.").waitFor();
  });

  test("with the name of another one get a number, and the same one is not added twice", async () => {
    const page = await opened(await served());
    await tab(page).click();
    await choose(page, [file("leave.md", LEAVE)]);
    await page.getByText("1 file read", { exact: true }).waitFor();
    await choose(page, [file("leave.md", LEAVE)]);
    await page.getByText("It was there already, with the same content.").waitFor();
    expect(await page.locator(".documents li").count()).toBe(1);
    await choose(page, [file("leave.md", "# Holidays\n\nThere are nine of them.\n")]);
    await entry(page, "Holidays").getByText("this one is called “leave (2).md”").waitFor();
    expect(await broken(page)).toEqual([]);
  });

  test("fit on a phone, in Chinese and in dark colours", async () => {
    const address = await served();
    const options = { viewport: { width: 360, height: 740 }, locale: "zh-CN", colorScheme: "dark" } as const;
    const page = await opened(address, options);
    await page.getByRole("button", { name: "文档", exact: true }).click();
    await choose(page, [file(`${"很长的名字".repeat(20)}.md`, "# 年假\n\n全职员工每年有二十八天带薪年假。\n")]);
    await page.getByText("已读取1个文件").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await broken(page)).toEqual([]);
  });
});

describe("who", () => {
  test("may not add documents sees nothing of them", async () => {
    const page = await opened(await served({ uploads: undefined } as unknown as ServerOptions));
    await page.getByText("emend ingest <folder>").waitFor();
    expect(await tab(page).count()).toBe(0);
  });

  test("has a choice of readers makes it first", async () => {
    const user: User = {
      identity: "ana",
      emend_scope: [{ key: "department", values: ["hr", "finance"] }],
      emend_may_upload: true,
    };
    const page = await opened(await served({ tokens: [TOKEN], userOf: () => user }));
    complaints.length = 0;
    await page.locator("input").fill(TOKEN);
    await page.getByRole("button", { name: "Enter" }).click();
    await tab(page).click();
    complaints.length = 0;
    await drop(page, { "leave.md": LEAVE });
    await page.getByText("Choose first who may read the files.").waitFor();
    await page.getByLabel("Who may read them (department)").selectOption("finance");
    await drop(page, { "leave.md": LEAVE });
    await page.getByText("1 file read", { exact: true }).waitFor();
    expect(await broken(page)).toEqual([]);
  });
});
