import { describe, expect, test } from "vitest";
import { loadSettings } from "../src/config.js";
import { UsageError } from "../src/errors.js";
import { fetchOptions, pagesKept } from "../src/tools/web/page/web-reader.js";

describe("how pages of the web are read", () => {
  test("is up to the defaults where nothing is set: robots.txt honoured, 100 MB of pages beside the documents", () => {
    const settings = loadSettings({ store: "s" }, {});
    expect(fetchOptions(settings)).toEqual({});
    expect(pagesKept(settings)).toMatchObject({ cache: { bytes: 100_000_000 } });
  });

  test("follows the environment", () => {
    const settings = loadSettings(
      {},
      { EMEND_ROBOTS_TXT: "ignore", EMEND_CONTACT: "https://example.org/bot", EMEND_PAGE_CACHE_MB: "0" },
    );
    expect(fetchOptions(settings)).toEqual({
      robots: false,
      userAgent: "emend/0.1 (https://example.org/bot; reads a page to answer a question that a person asked)",
    });
    expect(pagesKept(settings)).toEqual({});
  });

  test("is what a program says before what the environment does", () => {
    const settings = loadSettings({ robots: true, pageCache: 5 }, { EMEND_ROBOTS_TXT: "ignore" });
    expect(fetchOptions(settings)).toEqual({ robots: true });
    expect(pagesKept(settings)).toMatchObject({ cache: { bytes: 5_000_000 } });
  });

  test.each([
    ["EMEND_ROBOTS_TXT", "no"],
    ["EMEND_CONTACT", "line\r\nbreak"],
    ["EMEND_CONTACT", "(brackets)"],
    ["EMEND_PAGE_CACHE_MB", "-1"],
    ["EMEND_PAGE_CACHE_MB", "much"],
  ])("is refused where it cannot be right, by name: %s=%j", (name, value) => {
    expect(() => loadSettings({}, { [name]: value })).toThrow(UsageError);
    expect(() => loadSettings({}, { [name]: value })).toThrow(name);
  });
});
