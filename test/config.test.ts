import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadSettings, withoutPassword } from "../src/config.js";
import { UsageError } from "../src/errors.js";
import { fetchOptions, pagesKept } from "../src/tools/web/page/web-reader.js";

describe("where the store is", () => {
  test.each(["notes", "./s3", "C:\\\\notes", "s3://bucket", "s3://bucket/a/b"])("may be %s", (store) => {
    expect(loadSettings({ store }, {}).store).toBe(store);
  });

  test.each(["s3://", "s3:///a", "s3://bucket/a?b", "gs://bucket/a", "https://example.org/a"])("is not %s", (store) => {
    expect(() => loadSettings({}, { EMEND_STORE: store })).toThrow(UsageError);
  });

  test("on object storage is reached by the names that Amazon's tools use, and keeps no pages beside it", () => {
    const environment = { EMEND_STORE: "s3://b/p", AWS_ENDPOINT_URL: "http://localhost:9000", AWS_REGION: "eu-west-1" };
    const settings = loadSettings({}, environment);
    expect(settings.s3).toEqual({ endpoint: "http://localhost:9000", region: "eu-west-1" });
    expect(pagesKept(settings)).toEqual({});
    expect(loadSettings({}, {}).s3).toBeUndefined();
  });
});

describe("where conversations are kept", () => {
  test.each([
    ["beside the documents", {}, join(".emend", "conversations.sqlite")],
    ["in .emend where the store is no folder", { EMEND_STORE: "s3://b/p" }, join(".emend", "conversations.sqlite")],
    ["in a file", { EMEND_THREADS: "/var/lib/对话.sqlite" }, "/var/lib/对话.sqlite"],
    ["in Postgres", { EMEND_THREADS: "postgres://u:p%23@h:5433/d" }, "postgres://u:p%23@h:5433/d"],
    ["in Postgres by its longer name", { EMEND_THREADS: "postgresql:///d?host=/run" }, "postgresql:///d?host=/run"],
  ])("may be %s", (_, environment, threads) => {
    expect(loadSettings({}, environment).threads).toBe(threads);
  });

  test.each(["mysql://u:secret@h/d", "https://u:secret@h", "postgres://u:sec#ret/@h/d", "postgres://u:secret@h:x/d"])(
    "is not %s, which is said without its password",
    (threads) => {
      expect(() => loadSettings({}, { EMEND_THREADS: threads })).toThrow(
        /^EMEND_THREADS: must be (?!.*(?:secret|sec#))/,
      );
    },
  );

  test("is named without user and password", () => {
    expect(withoutPassword("postgres://u:secret@h:5433/d?password=secret")).toBe("postgres://h:5433/d");
    expect(withoutPassword("https://u:secret@h:443/v1/")).toBe("https://h/v1");
  });
});

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
