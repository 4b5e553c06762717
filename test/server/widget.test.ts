import { describe, expect, test } from "vitest";
import { loadSettings } from "../../src/config.js";
import { listening } from "./listening.js";

const SITE = "https://www.example.org";
const TOKEN = "a-token-of-some-length";
const off = await listening();
const on = await listening({ tokens: [TOKEN], widgetOrigins: [SITE] });

test("without origins that may embed it there is no widget, and a sentence says how to get it", async () => {
  for (const path of ["/widget.js", "/widget", "/widget-frame.js"]) {
    const reply = await fetch(off.address + path);
    expect(reply.status).toBe(404);
    expect(await reply.json()).toEqual({ error: expect.stringContaining("EMEND_WIDGET_ORIGINS") });
  }
});

test("an origin that may embed the widget may not use the API, and is not named to browsers", async () => {
  const who = { Authorization: `Bearer ${TOKEN}` };
  const reply = await on.post("/api/search", { query: "leave" }, { ...who, Origin: SITE });
  expect(reply.status).toBe(403);
  expect(reply.headers.get("access-control-allow-origin")).toBeNull();
});

describe("an origin that may embed the widget", () => {
  test.each([
    "*",
    "null",
    "https:",
    "www.example.org",
    "https://*.example.org",
    "https://www.example.org/",
    "https://www.example.org/shop",
    "https://www.example.org; script-src *",
    "https://www.example.org https://evil.example.org",
    "javascript://www.example.org",
    "",
  ])("cannot be %j", async (origin) => {
    await expect(listening({ widgetOrigins: [origin] })).rejects.toThrow(/widgetOrigins\[0\]: must be .*example\.org/);
  });

  test("is read from the environment, also with others", () => {
    const { widgetOrigins } = loadSettings({}, { EMEND_WIDGET_ORIGINS: `${SITE}, http://localhost:3000` });
    expect(widgetOrigins).toEqual([SITE, "http://localhost:3000"]);
    expect(() => loadSettings({}, { EMEND_WIDGET_ORIGINS: `${SITE},*` })).toThrow(/EMEND_WIDGET_ORIGINS.*must be/);
  });
});
