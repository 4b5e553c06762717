import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalUrl, mergeResults } from "../../../src/tools/web/merge-results.js";

const result = (url: string) => ({ url, title: url, snippet: "", published: "" });
const urls = (lists: string[][], policy = {}) =>
  mergeResults(
    lists.map((list) => list.map(result)),
    { allow: [], deny: [], prefer: [], ...policy },
  ).map(({ url }) => url);

describe("merging result lists", () => {
  test("ranks pages first that rank high in several lists", () => {
    expect(
      urls([
        ["https://a.org/", "https://b.org/"],
        ["https://c.org/", "https://b.org/"],
      ])[0],
    ).toBe("https://b.org/");
  });
  test("lists a page once, under its first address", () => {
    expect(urls([["https://www.a.org/x/?utm_source=n#top"], ["http://a.org/x"]])).toEqual([
      "https://www.a.org/x/?utm_source=n#top",
    ]);
  });
  test("counts a page once per list, even if the list repeats it", () => {
    const padded = ["https://spam.org/", "https://spam.org/#1", "https://spam.org/#2"];
    expect(urls([[...padded, "https://b.org/"], ["https://b.org/"]])[0]).toBe("https://b.org/");
  });
  test("leaves out denied domains, and all others if some are allowed", () => {
    const list = ["https://docs.a.org/x", "https://nota.org/", "https://b.org/"];
    expect(urls([list], { deny: ["a.org"] })).toEqual(
      ["https://b.org/", "https://nota.org/"].toSorted((x, y) => list.indexOf(x) - list.indexOf(y)),
    );
    expect(urls([list], { allow: ["a.org"] })).toEqual(["https://docs.a.org/x"]);
  });
  test("ranks preferred domains first", () => {
    expect(urls([["https://a.org/", "https://b.org/"]], { prefer: ["*.b.org"] })[0]).toBe("https://b.org/");
  });
  test("leaves out invalid web addresses", () => {
    expect(urls([["javascript:alert(1)", "file:///etc/passwd", "https://user:pw@a.org/", "nonsense"]])).toEqual([]);
  });
});

test("normalising an address twice changes nothing", () => {
  fc.assert(
    fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
      const once = canonicalUrl(url);
      expect(once === undefined ? undefined : canonicalUrl(once)).toBe(once);
    }),
  );
});
