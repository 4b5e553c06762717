import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { hashOf } from "../../src/answer/links.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { createServer } from "../../src/server/app.js";
import { folder } from "../cli/emend.js";
import { pptx } from "../ingest/formats/writers.js";
import { pdf } from "../tools/web/pdfs.js";
import { broken } from "./accessibility.js";

// What a citation opens, in a real Chromium over a real store.

const CHROMIUM = process.env.EMEND_TEST_CHROMIUM ?? "/usr/bin/chromium";
const TOKEN = "a-token-of-some-length";
const MAIL = `From: Ana Costa <ana@example.org>
To: Bea Lind <bea@example.org>, cy@example.org
Cc: dora@example.org
Subject: The heating
Date: Thu, 05 Feb 2026 09:00:00 +0000
Content-Type: text/plain; charset=utf-8

The new heater is installed on 12 February.
`;
const PARTS = Array.from({ length: 500 }, (_, i) => `P-${i + 1};Bolt size ${i + 1};${i % 9} EUR`);

let here: Awaited<ReturnType<typeof folder>>;
let browser: Browser;
let address: string;
let locked: string;
const ends: (() => Promise<unknown>)[] = [];
const complaints: string[] = [];

beforeAll(async () => {
  here = await folder({
    "docs/ferries.pdf": pdf([["The first ferry leaves at six.", "Dogs travel free."], "The last one leaves at ten."]),
    "docs/heating.eml": MAIL,
    "docs/parts.csv": ["Part;Name;Price", ...PARTS].join("\n"),
    "docs/swift.md": "# Swift\n\nThe swift arrives in May.\n",
  });
  writeFileSync(
    join(here.path, "docs/birds.pptx"),
    pptx([
      { title: "Owls", lines: ["Owls hunt at night."] },
      { title: "Swifts", lines: ["Swifts sleep in the air."] },
    ]),
  );
  copyFileSync(new URL("../tools/ocr/pages/mixed.pdf", import.meta.url), join(here.path, "docs/lease.pdf"));
  await here.run(["ingest", "docs"]);
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

async function served(tokens: string[] = []): Promise<string> {
  const store = join(here.path, ".emend");
  const agent = createAgent({ store, tools: localReasoners() });
  const { app } = createServer({ agent, tokens, originals: here.path, scans: join(store, "scans") });
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  ends.push(async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await agent.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Follows a link to a source. */
async function follow(id: string, quotes: string[], options: BrowserContextOptions = {}, at = address): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(`${at}/${hashOf({ id, quotes })}`);
  return page;
}

/** Where the marks on a page are, in shares of its picture. */
const marks = (page: Page) =>
  page.locator(".paper rect").evaluateAll((all) => all.map((one) => Number(one.getAttribute("y"))));

describe("a link to a source opens", () => {
  test("the page of a PDF with its quote marked, and the pages around it", async () => {
    const page = await follow("docs/ferries.pdf#0", ["Dogs travel free."]);
    await page.getByText("Page 1 of 2").waitFor();
    expect(await marks(page)).toEqual([expect.closeTo(104 / 800, 1)]);
    expect(await page.locator(".paper img").getAttribute("alt")).toBe(
      "Page 1 as it is printed. Marked: “Dogs travel free.”",
    );
    expect(await page.locator(".passages mark").textContent()).toBe("Dogs travel free.");
    expect(await broken(page)).toEqual([]);
    await page.getByRole("button", { name: "Next page" }).press("Enter");
    await page.getByText("Page 2 of 2").waitFor();
    expect(await marks(page)).toEqual([]);
    expect(await page.getByText("was not found on this picture").count()).toBe(0);
    expect(await page.getByRole("button", { name: "Next page" }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Previous page" }).click();
    await page.getByText("Page 1 of 2").waitFor();
    expect(await page.getByRole("link", { name: "Open the PDF at page 1" }).getAttribute("href")).toMatch(/#page=1$/);
  });

  test("a page that can be made larger, by keyboard, with the quote in view", async () => {
    const page = await follow("docs/ferries.pdf#1", ["The last one leaves at ten."], {
      viewport: { width: 390, height: 700 },
    });
    await page.getByText("Page 2 of 2").waitFor();
    const width = async () => (await page.locator(".paper img").boundingBox())?.width ?? 0;
    const before = await width();
    const larger = page.getByRole("button", { name: "Larger" });
    for (let i = 0; i < 3; i++) await larger.press("Space");
    expect(await width()).toBeCloseTo(3 * before, -1);
    expect(await larger.isDisabled()).toBe(true);
    const [mark, sheet] = await Promise.all([".paper rect", ".sheet"].map((name) => page.locator(name).boundingBox()));
    expect(mark?.y).toBeGreaterThan(sheet?.y ?? 0);
    expect(mark?.y).toBeLessThan((sheet?.y ?? 0) + (sheet?.height ?? 0));
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await broken(page)).toEqual([]);
  });

  test("a scanned page with its quote marked", async () => {
    const page = await follow("docs/lease.pdf#1", ["The lease of shed No. 7 runs until 31 October 2026"]);
    await page.getByText("Page 2 of 2").waitFor();
    expect((await marks(page)).length).toBeGreaterThan(0);
  });

  test("a sheet with the row marked among the others", async () => {
    const page = await follow("docs/parts.csv#0", ["| P-300 | Bolt size 300 | 2 EUR |"], { colorScheme: "dark" });
    const row = page.locator(".used");
    await row.waitFor();
    expect(await row.locator("td").allTextContents()).toEqual(["P-300 (quoted)", "Bolt size 300", "2 EUR"]);
    expect(await page.locator(".used").count()).toBe(1);
    const { y = Number.NaN } = (await row.boundingBox()) ?? {};
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(800);
    expect(await page.locator("tr", { hasText: "P-299" }).count()).toBe(1);
    expect(await broken(page)).toEqual([]);
  });

  test("a slide by its number", async () => {
    const page = await follow("docs/birds.pptx#1", ["Swifts sleep in the air."]);
    await page.getByText("Slide 2 of 2").waitFor();
    expect(await page.locator("mark").textContent()).toBe("Swifts sleep in the air.");
  });

  test("a mail with its sender, recipients and date, in Chinese", async () => {
    const page = await follow("docs/heating.eml#0", ["The new heater is installed on 12 February."], {
      locale: "zh-CN",
    });
    await page.locator("mark").waitFor();
    expect(await page.locator(".mail dt").allTextContents()).toEqual(["发件人", "收件人", "抄送", "日期"]);
    const [from, to, , date] = await page.locator(".mail dd").allTextContents();
    expect([from, to]).toEqual(["Ana Costa ana@example.org", "Bea Lind bea@example.org, cy@example.org"]);
    expect(date).toContain("2026年2月5日");
    expect(await broken(page)).toEqual([]);
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByText("保存原文件").click()]);
    expect(download.suggestedFilename()).toBe("heating.eml");
  });

  test("a document that no longer states the words, and says so", async () => {
    const page = await follow("docs/ferries.pdf#7", ["Dogs (.*)+[ pay 5 EUR."]);
    await page.getByText("The document does not state the words of this link, or no longer:").waitFor();
    await page.getByText("The quote was not found on this picture of the page").waitFor();
    expect(await page.locator("mark, rect").count()).toBe(0);
  });

  test("nothing for a source that is not there, and repeats no words of the link", async () => {
    const page = await follow("docs/secret.md#0", ["The password is swordfish."]);
    await page.getByText("There is no passage docs/secret.md#0.").waitFor();
    expect(await page.getByText("swordfish").count()).toBe(0);
    expect(complaints.splice(0)).toHaveLength(1);
  });

  test("after the token was given", async () => {
    const page = await follow("docs/ferries.pdf#0", ["Dogs travel free."], {}, locked);
    await page.getByLabel("Token").fill(TOKEN);
    await page.getByRole("button", { name: "Enter" }).click();
    await page.getByText("Page 1 of 2").waitFor();
    expect(await marks(page)).toHaveLength(1);
    complaints.splice(0);
  });
});

test("a file that is gone since leaves its text", async () => {
  const page = await follow("docs/swift.md#0", ["The swift arrives in May."]);
  await page.getByText("Save the original").waitFor();
  rmSync(join(here.path, "docs/swift.md"));
  await page.reload();
  await page.locator("mark").waitFor();
  expect(await page.getByText("Save the original").count()).toBe(0);
});
