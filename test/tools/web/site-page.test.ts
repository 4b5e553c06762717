import { describe, expect, test } from "vitest";
import { parseRobotsTag, readSitePage } from "../../../src/tools/web/site-page.js";

const read = (html: string) => readSitePage(new TextEncoder().encode(html), "https://a.org/x/", "text/html");

describe("a page of a site", () => {
  test.each([
    ["the address of a link", '<a href="b?c=d#e">B</a><a href="b?c=d">B</a>', ["https://a.org/x/b?c=d"]],
    ["what a base is for", '<base href="/y/"><a href="b">B</a>', ["https://a.org/y/b"]],
    ["an area, a frame and a page in a frame", "<area href=a><frame src=b><iframe src=c></iframe>", ["a", "c"]],
    ["no link for people alone", '<a rel="ugc NoFollow" href=b>B</a><a href="mailto:a@b.c">M</a>', []],
    ["no style", "<link rel=stylesheet href=s><link rel=next href=n>", ["n"]],
    ["no script and no broken address", "<a href='javascript:x()'>J</a><a href='https://[::'>B</a><a href>E</a>", []],
  ])("gives %s", (_, html, links) =>
    expect(read(html).links).toEqual(links.map((link) => new URL(link, "https://a.org/x/").href)),
  );

  test("gives at most 2,000 links", () => {
    const many = Array.from({ length: 3_000 }, (_, i) => `<a href="${i}">x</a>`).join("");
    expect(read(many).links).toHaveLength(2_000);
  });

  test.each([
    ['<meta http-equiv="refresh" content="0; url=/new">', true, ["https://a.org/new"]],
    [`<meta http-equiv="Refresh" content="0;URL='/new'">`, true, ["https://a.org/new"]],
    ['<meta http-equiv="refresh" content="30; url=/news">', false, ["https://a.org/news"]],
    ['<meta http-equiv="refresh" content="0">', false, []],
    ['<meta http-equiv="refresh" content="0; url=https://a.org/x/">', false, []],
  ])("that says %s only forwards: %s", (html, forward, links) => expect(read(html)).toMatchObject({ forward, links }));

  test("gives what it asks of all programs and of this one", () => {
    const html = '<meta name=ROBOTS content="nofollow"><meta name=emend content=noindex><meta name=other content=none>';
    expect(read(html).robotsTag).toBe("nofollow,noindex");
  });
});

test.each([
  ["", true, true],
  ["index, follow", true, true],
  ["NoIndex", false, true],
  ["noarchive, nofollow", true, false],
  ["none", false, false],
  ["other: noindex, nofollow", true, true],
  ["emend: noindex, other: nofollow", false, true],
  ["other: nofollow, emend: noindex", false, true],
  ["unavailable_after: 25 Jun 2030 15:00:00 PST, noindex", false, true],
  ["max-snippet:-1, noindex", false, true],
])("a tag that says %j lets be stored: %s, and followed: %s", (tag, isStored, isFollowed) =>
  expect(parseRobotsTag(tag, "emend")).toEqual({ isStored, isFollowed }),
);
