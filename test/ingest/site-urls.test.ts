import { describe, expect, test } from "vitest";
import { addressIn, formOf, isGrown, isMedia, keyOf, scopeOf } from "../../src/ingest/site-urls.js";

describe("the part of a site that an address stands for", () => {
  test.each([
    ["https://a.org", "https://a.org/", "https://a.org/", "/"],
    ["https://a.org/docs", "https://a.org/docs/", "https://a.org/docs/", "/docs"],
    ["https://a.org/docs/index.html", "https://a.org/docs/index.html", "https://a.org/docs/index.html", "/docs/"],
    ["https://a.org/", "https://www.a.org/en/", "https://www.a.org/en/", "/"],
    ["https://a.org/old", "https://a.org/new/", "https://a.org/new/", "/new/"],
    ["https://a.org/docs", "https://docs.a.org/", "https://docs.a.org/", "/"],
  ])("of %s, found at %s", (given, found, start, path) => {
    const scope = scopeOf(given, found);
    expect({ start: scope.start.href, path: scope.path }).toEqual({ start, path });
  });

  const scope = scopeOf("https://www.a.org/docs", "https://www.a.org/docs/");
  test.each([
    ["https://www.a.org/docs/x", "https://www.a.org/docs/x"],
    ["http://a.org/docs/x#part", "https://www.a.org/docs/x"],
    ["https://www.a.org/docs", "https://www.a.org/docs"],
    ["https://www.a.org/docs/x;jsessionid=A1.b?utm_source=mail&id=2&PHPSESSID=f00", "https://www.a.org/docs/x?id=2"],
    ["https://www.a.org/docs/x?q=a%20b+c", "https://www.a.org/docs/x?q=a%20b+c"],
    ["https://www.a.org/files/Leave.PDF", "https://www.a.org/files/Leave.PDF"],
    ["https://www.a.org/files/leave.html", undefined],
    ["https://www.a.org/docsearch", undefined],
    ["https://b.org/docs/x", undefined],
    ["https://evil.www.a.org/docs/x", undefined],
    ["https://www.a.org:8443/docs/x", undefined],
    ["https://user:secret@www.a.org/docs/x", undefined],
    ["not an address", undefined],
  ])("%s is in it as %s", (link, expected) => expect(addressIn(scope, link)).toBe(expected));
});

test.each([
  ["https://a.org/x/y/x/y/x/y", true],
  ["https://a.org/x/y/x/y", false],
  [`https://a.org/${"x".repeat(1_000)}`, true],
  [`https://a.org/${Array.from({ length: 21 }, (_, i) => i).join("/")}`, true],
])("whether %s has grown out of itself: %s", (address, expected) => expect(isGrown(address)).toBe(expected));

test.each([
  ["https://a.org/a.JPG?x=1", true],
  ["https://a.org/a.pdf", false],
  ["https://a.org/jpg", false],
])("whether %s is a picture or the like: %s", (address, expected) => expect(isMedia(address)).toBe(expected));

test("addresses that differ in the order of their parameters have the same key", () => {
  expect(keyOf("https://a.org/?b=1&a=2")).toBe(keyOf("https://a.org/?a=2&b=1"));
  expect(keyOf("https://a.org/?a=1")).not.toBe(keyOf("https://a.org/?a=2"));
});

test.each([
  ["https://a.org/calendar/2026/11?view=day", "https://a.org/calendar/2027/1?view=week", true],
  ["https://a.org/s1a2b/list", "https://a.org/s9f8e/list", true],
  ["https://a.org/leave", "https://a.org/travel", false],
  ["https://a.org/list?a=1", "https://a.org/list?b=1", false],
])("whether %s and %s have the same form: %s", (one, other, expected) =>
  expect(formOf(one) === formOf(other)).toBe(expected),
);
