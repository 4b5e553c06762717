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
  test("sets first what stands high in more lists", () => {
    expect(
      urls([
        ["https://a.org/", "https://b.org/"],
        ["https://c.org/", "https://b.org/"],
      ])[0],
    ).toBe("https://b.org/");
  });
  test("shows a page once, under the address it came with first", () => {
    expect(urls([["https://www.a.org/x/?utm_source=n#top"], ["http://a.org/x"]])).toEqual([
      "https://www.a.org/x/?utm_source=n#top",
    ]);
  });
  test("counts a page once a list, however often the list has it", () => {
    const padded = ["https://spam.org/", "https://spam.org/#1", "https://spam.org/#2"];
    expect(urls([[...padded, "https://b.org/"], ["https://b.org/"]])[0]).toBe("https://b.org/");
  });
  test("leaves out what the policy denies, and all but what it allows", () => {
    const list = ["https://docs.a.org/x", "https://nota.org/", "https://b.org/"];
    expect(urls([list], { deny: ["a.org"] })).toEqual(
      ["https://b.org/", "https://nota.org/"].toSorted((x, y) => list.indexOf(x) - list.indexOf(y)),
    );
    expect(urls([list], { allow: ["a.org"] })).toEqual(["https://docs.a.org/x"]);
  });
  test("sets preferred domains first", () => {
    expect(urls([["https://a.org/", "https://b.org/"]], { prefer: ["*.b.org"] })[0]).toBe("https://b.org/");
  });
  test("leaves out what is no web address", () => {
    expect(urls([["javascript:alert(1)", "file:///etc/passwd", "https://user:pw@a.org/", "nonsense"]])).toEqual([]);
  });
});

test("one spelling of an address is stable", () => {
  fc.assert(
    fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
      const once = canonicalUrl(url);
      expect(once === undefined ? undefined : canonicalUrl(once)).toBe(once);
    }),
  );
});
