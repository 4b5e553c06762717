import { chromium, type Page } from "playwright-core";
import { afterAll, expect, test } from "vitest";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { sqlPasses } from "../../src/tools/passes/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { freePort, listening } from "../server/listening.js";
import { provider } from "../server/sign-in/provider.js";
import { broken } from "./accessibility.js";

// Signing in and out on the page, in a real Chromium and at a real provider.

const PASSAGES = [
  { ...fakePassage("safe", "The password of the safe is swordfish."), metadata: { readers: "group:hr" } },
  { ...fakePassage("stand", "The stand at the fair is in hall three."), metadata: { readers: "everyone" } },
];
const at = await freePort();
const url = `http://127.0.0.1:${at}`;
const { issuer, as } = await provider({
  clients: () => [
    {
      ...{ client_id: "emend", client_secret: "a-secret", redirect_uris: [`${url}/auth/callback`] },
      post_logout_redirect_uris: [`${url}/`],
    },
  ],
});
const signIn = { oidc: { issuer, clientId: "emend", clientSecret: "a-secret" } };
const passes = sqlPasses(openDatabase(":memory:"));
await listening({ tools: { documents: inMemoryDocuments(PASSAGES) }, url, signIn, passes, at });
const browser = await chromium.launch({
  executablePath: process.env.EMEND_TEST_CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
afterAll(() => browser.close());

async function opened(locale = "en-US"): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(url);
  return page;
}

async function ask(page: Page, question: string): Promise<string> {
  await page.locator("#question").fill(question);
  await page.keyboard.press("Enter");
  const turn = page.locator("article.turn").last();
  await turn.locator("h2", { hasText: question }).waitFor();
  await page.locator("article.turn[aria-busy=true]").waitFor({ state: "detached" });
  return `${await turn.textContent()}`;
}

test("users sign in by keyboard, ask, are named, and sign out; the next one on the browser sees nothing of theirs", async () => {
  as("ada");
  const page = await opened();
  const enter = page.getByRole("link", { name: "Sign in" });
  await enter.waitFor();
  expect(await page.getByLabel("Token").count()).toBe(0);
  expect(await broken(page)).toEqual([]);
  await enter.focus();
  await page.keyboard.press("Enter");
  await page.getByText("Ada Lovelace").waitFor();
  expect(await broken(page)).toEqual([]);
  expect(await ask(page, "What is the password of the safe?")).toContain("swordfish");
  expect(await page.evaluate("document.cookie")).toBe("");
  await page.setViewportSize({ width: 360, height: 720 });
  const language = await page.getByRole("button", { name: "中文" }).boundingBox();
  expect(language && language.x + language.width).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("button", { name: /yes/i }).click();
  await enter.waitFor();
  expect(new URL(page.url()).origin).toBe(url);
  as("ben");
  await page.goto(`${url}/#/quality`);
  await enter.click();
  await page.waitForURL(`${url}/#/quality`);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await page.getByText("Ben 本").waitFor();
  expect(await page.locator("body").textContent()).not.toContain("password");
  expect(await ask(page, "What is the password of the safe?")).not.toContain("swordfish");
});

test("a sign-in that fails is said, in Chinese too, and a token can be given where there are some", async () => {
  const page = await opened("zh-CN");
  await page.goto(`${url}/auth/callback?code=1&state=2`);
  expect(await page.getByRole("alert").textContent()).toBe("登录未成功，请重试。原因见服务器日志。");
  expect(await broken(page)).toEqual([]);
  const secret = `emend_${"t".repeat(43)}`;
  await passes.addToken(secret, "t", { kind: "token", scope: "all", mayUpload: false, isOperator: false });
  await page.reload();
  await page.getByLabel("令牌").fill(secret);
  await page.keyboard.press("Enter");
  expect(await ask(page, "What is the password of the safe?")).toContain("swordfish");
});
