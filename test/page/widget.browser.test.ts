import { createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { serve } from "@hono/node-server";
import { type Browser, type BrowserContextOptions, chromium, type Frame, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { createServer } from "../../src/server/app.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";
import { broken } from "./accessibility.js";

// The widget in a real Chromium, on pages of another site: `localhost` is another one than 127.0.0.1.

const CHROMIUM = process.env.EMEND_TEST_CHROMIUM ?? "/usr/bin/chromium";
const LISBON = "When does the Lisbon office open?";
const TOKEN = "a-token-of-some-length";
const PASSAGES = [
  fakePassage("offices", "The Lisbon office opens at eight in the morning. The Utrecht office opens at nine.", {
    uri: "https://wiki.example.org/offices",
  }),
  fakePassage("差旅", "出国差旅由部门负责人审批。"),
  fakePassage("harbour", "The harbour gate is closed at eleven at night.", { metadata: { collection: "support" } }),
];

let browser: Browser;
let address: string;
/** Pages that may embed the widget, one of the same site as the server; and pages that may not. */
let site: string;
let neighbour: string;
let stranger: string;
/** What those pages consist of. */
let html = "";
let policy = "";
const complaints: string[] = [];
const ends: (() => Promise<unknown>)[] = [];
const runs = sqlRuns(openDatabase(":memory:"));

beforeAll(async () => {
  site = await pages("localhost");
  neighbour = await pages("127.0.0.1");
  stranger = await pages("127.0.0.1");
  const agent = createAgent({
    checkpointer: sqlThreads(openDatabase(":memory:")),
    tools: { documents: inMemoryDocuments(PASSAGES), ...localReasoners() },
  });
  const { app } = createServer({
    agent,
    tokens: [TOKEN],
    widgetOrigins: [site, neighbour],
    runs,
    collections: { support: {} },
  });
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await new Promise((resolve) => server.once("listening", resolve));
  ends.push(async () => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await agent.close();
  });
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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

/** A site with a single page, under a strict policy that allows the widget. */
async function pages(name: string): Promise<string> {
  const server = createHttpServer((_, response) => {
    response
      .setHeader("Content-Type", "text/html; charset=utf-8")
      .setHeader("Content-Security-Policy", policy)
      .end(html);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  ends.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://${name}:${(server.address() as AddressInfo).port}`;
}

interface Opened {
  attributes?: string;
  lang?: string;
  at?: string;
  options?: BrowserContextOptions;
  token?: string;
}

/** Opens a page with the widget. */
async function opened({ attributes = "", lang = "en", at = site, options = {}, token = TOKEN }: Opened = {}) {
  policy = `default-src 'none'; script-src ${address}; frame-src ${address}; require-trusted-types-for 'script'`;
  html = `<!doctype html><html lang="${lang}"><head><title>A shop</title>
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <script src="${address}/widget.js" data-token="${token}" ${attributes} defer></script></head>
    <body><main><h1>A shop</h1><p>With <a href="#top">a link</a>.</p></main></body></html>`;
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US", ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(at);
  return page;
}

/** Opens the panel, and returns its frame. */
async function panel(page: Page): Promise<Frame> {
  await page.locator("emend-widget button").click();
  const frame = await (await page.locator("emend-widget iframe").elementHandle())?.contentFrame();
  if (!frame) throw new Error("There is no frame.");
  await frame.locator("#question").waitFor();
  return frame;
}

/** Asks a question and returns its turn once it is answered. */
async function ask(frame: Frame, question: string) {
  await frame.locator("#question").fill(question);
  await frame.locator("#question").press("Enter");
  const turn = frame.locator("article.turn").last();
  await turn.locator("h2", { hasText: question }).waitFor();
  await frame.locator("article.turn[aria-busy=true]").waitFor({ state: "detached" });
  return turn;
}

describe("the widget", () => {
  test("answers with quotes on a page of another site with a strict policy, and goes on with follow-ups", async () => {
    const page = await opened();
    const frame = await panel(page);
    const turn = await ask(frame, LISBON);
    expect(await turn.locator(".prose").textContent()).toContain("The Lisbon office opens at eight in the morning");
    await turn.locator(".marker").click();
    await frame.locator(".panel mark", { hasText: "The Lisbon office opens at eight in the morning." }).waitFor();
    const link = frame.locator(".panel").getByText("Open the page at the quote");
    expect(await link.getAttribute("href")).toMatch(/^https:\/\/wiki\.example\.org\/offices#:~:text=/);
    expect(await broken(frame)).toEqual([]);
    await frame.getByRole("button", { name: "Close" }).last().click();
    const next = await ask(frame, "And the Utrecht office?");
    expect(await next.locator(".prose").textContent()).toContain("The Utrecht office opens at nine");
    expect(await frame.locator(".took, .route").count()).toBe(0);
    expect(await broken(frame)).toEqual([]);
    expect(await broken(page)).toEqual([]);
  });

  test("shows a refusal as the page does, and takes the reader's opinion", async () => {
    const frame = await panel(await opened());
    const turn = await ask(frame, "Who painted the ceiling of the chapel?");
    expect(await turn.locator(".status").textContent()).toBe("Not answered");
    await turn.getByRole("button", { name: "This is wrong" }).click();
    await turn.getByRole("button", { name: "Send" }).click();
    await turn.getByText("Thanks!").waitFor();
    expect((await runs.feedback()).opinions).toMatchObject([{ verdict: "down", status: "refused" }]);
    expect(await broken(frame)).toEqual([]);
  });

  test("searches one collection alone if the page names it", async () => {
    const frame = await panel(await opened({ attributes: 'data-collection="support"' }));
    expect(await (await ask(frame, LISBON)).locator(".status").textContent()).toBe("Not answered");
    const turn = await ask(frame, "When is the harbour gate closed?");
    expect(await turn.locator(".prose").textContent()).toContain("eleven");
  });

  test("goes on with the conversation on the next page of the site, until a new one is begun", async () => {
    const page = await opened({ at: neighbour });
    await ask(await panel(page), LISBON);
    await page.reload();
    const frame = await panel(page);
    await frame.locator("article.turn h2", { hasText: LISBON }).waitFor();
    await frame.getByRole("button", { name: "New conversation" }).click();
    await frame.locator(".greeting").waitFor();
    expect(await frame.locator("article.turn").count()).toBe(0);
  });

  test("works where the browser denies a storage to frames of other sites, as this one does", async () => {
    const frame = await panel(await opened());
    await expect(frame.evaluate("sessionStorage")).rejects.toThrow("Access is denied");
    expect(await (await ask(frame, LISBON)).locator(".prose").textContent()).toContain("eight");
  });

  test("is used with the keyboard alone: focus goes in, Escape closes the quote, then the panel, and gives it back", async () => {
    const page = await opened();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    const button = page.locator("emend-widget button");
    expect(await button.evaluate((it) => it.matches(":focus"))).toBe(true);
    expect(await button.getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("Enter");
    const frame = (await (await page.locator("emend-widget iframe").elementHandle())?.contentFrame()) as Frame;
    await frame.locator("#question:focus").waitFor();
    expect(await button.getAttribute("aria-expanded")).toBe("true");
    await page.keyboard.type(LISBON);
    await page.keyboard.press("Enter");
    await frame.locator(".marker").waitFor();
    await frame.locator("article.turn[aria-busy=true]").waitFor({ state: "detached" });
    expect(await frame.locator(".unseen[role=status]").textContent()).toContain("The answer is complete");
    for (let i = 0; i < 30 && (await frame.locator(".marker:focus").count()) === 0; i++)
      await page.keyboard.press("Shift+Tab");
    const shown = "getComputedStyle(document.querySelector('.marker:focus-visible'), '::after').content";
    expect(await frame.evaluate(shown)).toContain("The Lisbon office opens at eight in the morning.");
    await page.keyboard.press("Enter");
    await frame.locator(".panel:focus").waitFor();
    await page.keyboard.press("Escape");
    await frame.locator(".marker:focus").waitFor();
    expect(await page.locator("emend-widget dialog").isVisible()).toBe(true);
    await page.keyboard.press("Escape");
    await page.locator("emend-widget dialog").waitFor({ state: "hidden" });
    expect(await button.evaluate((it) => it.matches(":focus"))).toBe(true);
    // What was said is still there.
    await page.keyboard.press("Enter");
    await frame.locator("article.turn").waitFor();
    await page.keyboard.press("Escape");
    await page.locator("emend-widget dialog").waitFor({ state: "hidden" });
  });

  test.each([
    ["in Chinese, on a Chinese page", { lang: "zh-CN" }, "提问"],
    ["in dark colours", { attributes: 'data-theme="dark"' }, "Ask a question"],
    ["in the colours of the visitor", { options: { colorScheme: "dark" as const } }, "Ask a question"],
    ["in a light colour of the page", { attributes: 'data-accent="#ffd400" data-theme="light"' }, "Ask a question"],
    ["in a dark colour of the page", { attributes: 'data-accent="navy" data-theme="dark"' }, "Ask a question"],
    ["in words of the page", { attributes: 'data-title="Need help?" data-lang="en"', lang: "zh" }, "Need help?"],
  ])("can be read %s", async (_, how, title) => {
    const page = await opened(how);
    const frame = await panel(page);
    expect(await page.locator("emend-widget button").textContent()).toBe(title);
    expect(await frame.locator("h1").textContent()).toBe(title);
    const turn = await ask(frame, "lang" in how && how.lang === "zh-CN" ? "出国差旅由谁审批？" : LISBON);
    await turn.locator(".marker").first().waitFor();
    expect(await broken(frame)).toEqual([]);
    expect(await broken(page)).toEqual([]);
    await turn.locator(".marker").first().click();
    await frame.locator(".panel mark").waitFor();
    expect(await broken(frame)).toEqual([]);
  });

  test("is in the corner that the page chooses, and says what the page gives it to say, as text", async () => {
    const words = 'data-greeting="<b>Hello</b>" data-placeholder="What is it?"';
    const page = await opened({ attributes: `data-corner="top-left" data-edge="3rem" ${words}` });
    const box = await page.locator("emend-widget button").boundingBox();
    expect([box?.x, box?.y]).toEqual([16, 48]);
    const frame = await panel(page);
    expect(await frame.locator(".greeting").textContent()).toBe("<b>Hello</b>");
    expect(await frame.locator("#question").getAttribute("placeholder")).toBe("What is it?");
  });

  test("covers a phone, where nothing behind it can be reached, and nothing is wider than the screen", async () => {
    const phone = { viewport: { width: 360, height: 720 }, hasTouch: true, isMobile: true };
    const page = await opened({ options: phone });
    const frame = await panel(page);
    expect(await page.locator("emend-widget dialog").boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 720 });
    const turn = await ask(frame, LISBON);
    expect(await frame.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    expect(await broken(frame)).toEqual([]);
    await turn.locator(".marker").tap();
    await frame.locator(".panel mark").waitFor();
    expect(await broken(frame)).toEqual([]);
    await frame.getByRole("button", { name: "Close" }).last().tap();
    await frame.getByRole("button", { name: "Close" }).tap();
    await page.locator("emend-widget dialog").waitFor({ state: "hidden" });
    expect(await broken(page)).toEqual([]);
  });
});

describe("a page", () => {
  test("that may not embed the widget shows no frame", async () => {
    const page = await opened({ at: stranger });
    await page.locator("emend-widget button").click();
    await expect.poll(() => complaints.join()).toContain("frame-ancestors");
    complaints.splice(0);
    const frame = await (await page.locator("emend-widget iframe").elementHandle())?.contentFrame();
    expect(await frame?.locator("#question").count()).toBe(0);
  });

  test("that may embed the widget may not ask itself", async () => {
    const page = await opened();
    policy = "";
    await page.reload();
    const reply = `fetch("${address}/api/search", { method: "POST", body: '{"query": "Lisbon"}',
      headers: { "Content-Type": "application/json", Authorization: "Bearer ${TOKEN}" } }).then(() => "read", () => "refused")`;
    expect(await page.evaluate(reply)).toBe("refused");
    complaints.splice(0);
  });

  test("cannot close the panel by a message that is not of the frame", async () => {
    const page = await opened();
    const frame = await panel(page);
    await page.evaluate("postMessage('emend: close', '*')");
    await ask(frame, LISBON);
    expect(await page.locator("emend-widget dialog").isVisible()).toBe(true);
  });

  test("that a link opens instead of a frame is the server's own", async () => {
    const page = await opened({ at: `${address}/widget#title=Your%20bank&token=${TOKEN}` });
    await page.getByText("This server requires a token.").waitFor();
    expect(page.url()).toBe(`${address}/`);
    complaints.splice(0);
  });
});

test("the token of a page is used alone and is not kept, and a wrong one is said to be wrong", async () => {
  const page = await opened({ at: neighbour });
  await page.context().addCookies([{ name: "emend", value: "session", url: address }]);
  const frame = await panel(page);
  const [asked] = await Promise.all([page.waitForRequest("**/api/ask"), ask(frame, LISBON)]);
  const { authorization, cookie } = await asked.allHeaders();
  expect([authorization, cookie]).toEqual([`Bearer ${TOKEN}`, undefined]);
  expect(await frame.evaluate("JSON.stringify(sessionStorage) + JSON.stringify(localStorage)")).not.toContain(TOKEN);
  const wrong = await panel(await opened({ token: "another-token-of-length" }));
  await wrong.locator("#question").fill(LISBON);
  await wrong.locator("#question").press("Enter");
  await wrong.getByText("This token was not accepted.").waitFor();
  // The browser logs every reply with status 401.
  expect(complaints.splice(0).every((text) => text.includes("401"))).toBe(true);
});

test("what a site loads of the widget is small, and the frame may load nothing from elsewhere", async () => {
  const [script, frame, ...rest] = await Promise.all(
    ["/widget.js", "/widget", "/widget-frame.js", "/widget-frame.css"].map((path) => fetch(address + path)),
  );
  expect(script?.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  expect(frame?.headers.get("content-security-policy")).toBe(
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ${site} ${neighbour}; require-trusted-types-for 'script'; trusted-types 'none'`,
  );
  // A browser that asks whether it has changed would keep the origins that it knows.
  expect(frame?.headers.get("etag")).toBeNull();
  expect(frame?.headers.get("x-frame-options")).toBeNull();
  const size = async (file: Response | undefined) => gzipSync((await file?.text()) ?? "").length;
  expect(await size(script)).toBeLessThan(2_500);
  const sizes = await Promise.all([frame, ...rest].map(size));
  expect(sizes.reduce((sum, each) => sum + each, 0)).toBeLessThan(36_000);
});
