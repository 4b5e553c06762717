import { describe, expect, test } from "vitest";
import { parseRobots } from "../../../src/tools/web/robots.js";
import { fetchFrom, html, reasonOf, type TestServer, webServer } from "./servers.js";

describe("a parsed robots.txt", () => {
  test.each([
    ["nothing allows", "", "/a", true],
    ["a rule for all forbids", "User-agent: *\nDisallow: /a", "/abc", false],
    ["a rule for others does not", "User-agent: other\nDisallow: /", "/a", true],
    [
      "a group of its own replaces the one for all",
      "User-agent: *\nDisallow: /\nUser-agent: Emend\nDisallow: /b",
      "/a",
      true,
    ],
    ["a version behind the name does not matter", "User-agent: emend/2.0\nDisallow: /", "/a", false],
    ["a longer name is another program", "User-agent: emendation\nDisallow: /", "/a", true],
    [
      "groups of the same name count together",
      "User-agent: emend\nDisallow: /a\nUser-agent: emend\nDisallow: /b",
      "/a",
      false,
    ],
    ["several names share a group", "User-agent: other\nUser-agent: emend\nDisallow: /", "/a", false],
    [
      "a map between the names does not part them",
      "User-agent: emend\nSitemap: /s\nUser-agent: b\nDisallow: /",
      "/a",
      false,
    ],
    ["a rule before any group is for nobody", "Disallow: /\nUser-agent: other\nAllow: /", "/a", true],
    ["the longer rule counts", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true],
    ["the longer rule counts in any order", "User-agent: *\nAllow: /a\nDisallow: /a/b", "/a/b/c", false],
    ["of two as long, the allowing one counts", "User-agent: *\nDisallow: /a\nAllow: /a", "/a", true],
    ["an empty rule says nothing", "User-agent: *\nDisallow:", "/a", true],
    ["an asterisk stands for anything", "User-agent: *\nDisallow: /*.pdf", "/a/b.pdf?c", false],
    ["a dollar ends the path", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf?c", true],
    ["a dollar ends the path, found late", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf.pdf", false],
    ["a dollar without an asterisk means the very path", "User-agent: *\nDisallow: /$", "/", false],
    ["a dollar leaves longer paths alone", "User-agent: *\nDisallow: /$", "/a", true],
    ["parts may not overlap", "User-agent: *\nDisallow: /ab*ba$", "/aba", true],
    ["a query belongs to the path", "User-agent: *\nDisallow: /a?secret", "/a?secret=1", false],
    ["comments and spaces do not matter", "  user-AGENT :  *  # all\r\n disallow:/a# b\r", "/a", false],
    ["a mark at the beginning does not matter", "\uFEFFUser-agent: *\nDisallow: /", "/a", false],
    ["needless escapes are the letters", "User-agent: *\nDisallow: /secret", "/s%65cret", false],
    ["escapes are the same in capitals", "User-agent: *\nDisallow: /a%2fb", "/a%2Fb", false],
    ["Chinese is the same as its escapes", "User-agent: *\nDisallow: /内部", "/%E5%86%85%E9%83%A8/a", false],
    ["half a character breaks nothing", "User-agent: *\nDisallow: /\uD800", "/a", true],
    ["robots.txt itself may be read", "User-agent: *\nDisallow: /", "/robots.txt", true],
    ["a page is not a robots.txt", "<html><body>Disallow: /</body></html>", "/a", true],
  ])("follows the rule: %s", (_, robots, path, allows) => {
    expect(parseRobots(robots, "emend").allows(path)).toBe(allows);
  });

  test.each([
    ["User-agent: *\nCrawl-delay: 2.5", 2.5],
    ["User-agent: *\nCrawl-delay: -1", undefined],
    ["User-agent: *\nCrawl-delay: soon", undefined],
    ["User-agent: other\nCrawl-delay: 2", undefined],
  ])("gives the crawl delay of %j", (robots, seconds) => {
    expect(parseRobots(robots, "emend").crawlDelay).toBe(seconds);
  });

  test("names its sitemaps, wherever they stand, and at most 100", () => {
    const some = "Sitemap: https://a.org/1.xml\nUser-agent: other\nDisallow: /\nsitemap:/2.xml # second\nSitemap:";
    expect(parseRobots(some, "emend").sitemaps).toEqual(["https://a.org/1.xml", "/2.xml"]);
    expect(parseRobots("Sitemap: /s\n".repeat(1_000), "emend").sitemaps).toHaveLength(100);
  });

  test.each([
    ["names without end and rules without end", names(20_000) + "Allow: /\n".repeat(25_000), "/a"],
    ["asterisks without end", `User-agent: *\nDisallow: /${"*a".repeat(200_000)}$\n`, `/${"a".repeat(4_000)}b`],
    [
      "rules with many asterisks",
      `User-agent: *\n${`Disallow: /${"*a".repeat(500)}b\n`.repeat(500)}`,
      `/${"a".repeat(4_000)}`,
    ],
    [
      "rules that nearly fit",
      `User-agent: *\n${`Disallow: /*${"a".repeat(1_000)}b\n`.repeat(500)}`,
      `/${"a".repeat(4_000)}`,
    ],
    ["one line", `User-agent${" ".repeat(500_000)}`, "/a"],
    ["escapes", `User-agent: *\nDisallow: /${"%".repeat(500_000)}`, "/a"],
  ])("of %s is parsed without an error or delay", (_, robots, path) => {
    expect(parseRobots(robots, "emend").allows(path)).toBe(true);
  });
});

function names(count: number): string {
  return Array.from({ length: count }, (_, i) => `User-agent: a${i}\n`).join("");
}

/** A site with this robots.txt, whose pages all have the same text. */
const site = (status: number, robots = "", headers: Record<string, string> = {}) =>
  webServer((request, response) => {
    if (request.url === "/robots.txt") response.writeHead(status, headers).end(robots);
    else html(response, "hello");
  });
const from = (server: TestServer, ...more: TestServer[]) => fetchFrom([server, ...more], { robots: true });

describe("before a page is requested", () => {
  test("the robots.txt of its host is requested, once", async () => {
    const server = await site(200, "User-agent: *\nDisallow: /private\nDisallow: /*?print");
    const fetching = from(server);
    const reasons = ["/a", "/private/b", "/a?print=1", "/c"].map((path) => reasonOf(fetching.fetch(server.url + path)));
    expect(await Promise.all(reasons)).toEqual(["fetched", "refused: robots", "refused: robots", "fetched"]);
    expect(server.asked.toSorted()).toEqual(["GET /a", "GET /c", "GET /robots.txt"]);
  });

  test("robots.txt is ignored if configured", async () => {
    const server = await site(200, "User-agent: *\nDisallow: /");
    await fetchFrom([server], { robots: false }).fetch(`${server.url}/a`);
    expect(server.asked).toEqual(["GET /a"]);
  });

  test("the product name of the user agent selects the rules", async () => {
    const server = await site(200, "User-agent: Reader\nDisallow: /\n\nUser-agent: *\nAllow: /");
    const fetching = fetchFrom([server], { robots: true, userAgent: "reader/1.0 (test)" });
    expect(await reasonOf(fetching.fetch(server.url))).toBe("refused: robots");
  });

  test.each([
    ["is missing", 404, "fetched"],
    ["is not shown", 403, "fetched"],
    ["cannot be made", 500, "refused: robots"],
    ["is busy", 503, "refused: robots"],
    ["redirects to nowhere", 302, "unavailable: status"],
  ])("a robots.txt that %s (%i) means what RFC 9309 says", async (_, status, gets) => {
    const server = await site(status);
    expect(await reasonOf(from(server).fetch(server.url))).toBe(gets);
    expect(server.asked).toHaveLength(gets === "fetched" ? 2 : 1);
  });

  test("a robots.txt with a redirect loop counts as none", async () => {
    const server = await site(302, "", { location: "/robots.txt" });
    expect(await reasonOf(from(server).fetch(server.url))).toBe("fetched");
  });

  test("a robots.txt may redirect to another host under the same rules as a page", async () => {
    const other = await site(200, "User-agent: *\nDisallow: /");
    const server = await site(301, "", { location: `${other.url}/robots.txt` });
    expect(await reasonOf(from(server, other).fetch(server.url))).toBe("refused: robots");
    const trap = await site(301, "", { location: "http://169.254.169.254/robots.txt" });
    expect(await reasonOf(from(trap).fetch(trap.url))).toBe("refused: address");
    expect(trap.asked).toEqual(["GET /robots.txt"]);
  });

  test("only the first 500 KiB of a robots.txt count", async () => {
    const filling = `# ${"x".repeat(98)}\n`;
    const early = await site(200, `${filling.repeat(5_060)}User-agent: *\nDisallow: /\n${filling.repeat(20_000)}`);
    expect(await reasonOf(from(early).fetch(early.url))).toBe("refused: robots");
    const late = await site(200, `${filling.repeat(20_000)}User-agent: *\nDisallow: /\n`);
    expect(await reasonOf(from(late).fetch(late.url))).toBe("fetched");
  });

  test("the robots.txt of a redirect's target host is checked too", async () => {
    const other = await site(200, "User-agent: *\nDisallow: /");
    const server = await webServer((request, response) =>
      request.url === "/robots.txt"
        ? response.writeHead(404).end()
        : response.writeHead(302, { location: `${other.url}/a` }).end(),
    );
    expect(await reasonOf(from(server, other).fetch(server.url))).toBe("refused: robots");
    expect(other.asked).toEqual(["GET /robots.txt"]);
  });

  test("a timeout of the robots.txt fails the page", async () => {
    const server = await webServer(() => {});
    const fetching = fetchFrom([server], { robots: true, limits: { totalMs: 100 } });
    expect(await reasonOf(fetching.fetch(server.url))).toBe("unavailable: timeout");
    expect(server.asked).toEqual(["GET /robots.txt"]);
  });

  test("an unreachable server is reported with the address of the page, not of its robots.txt", async () => {
    const server = await site(200);
    const away = fetchFrom([{ ...server, allowed: "127.0.0.1:1" }], { robots: true });
    await expect(away.fetch("http://127.0.0.1:1/page")).rejects.toThrow(
      "http://127.0.0.1:1/page could not be had: its server cannot be reached, or hung up. (ECONNREFUSED)",
    );
    const unknown = fetchFrom([], { robots: true, resolve: async () => ["10.0.0.1"] });
    await expect(unknown.fetch("http://wiki.corp/page")).rejects.toThrow(/^http:\/\/wiki\.corp\/page is not fetched/);
  });

  test("a fault of the robots.txt alone is reported as such", async () => {
    const trap = await site(301, "", { location: "http://169.254.169.254/robots.txt" });
    await expect(from(trap).fetch(`${trap.url}/page`)).rejects.toThrow(
      /\/page is not fetched: its robots\.txt cannot be read \(.* redirects to what is not allowed/,
    );
  });

  test("the robots.txt of a redirect's target has only the remaining time", async () => {
    const silent = await webServer(() => {});
    const server = await webServer((request, response) =>
      request.url === "/robots.txt"
        ? response.writeHead(404).end()
        : setTimeout(() => response.writeHead(302, { location: silent.url }).end(), 200),
    );
    const fetching = fetchFrom([server, silent], { robots: true, limits: { totalMs: 1_500 } });
    await expect(fetching.fetch(server.url)).rejects.toThrow("its robots.txt did not come in time");
  });

  test("an abort by one caller does not cancel a robots.txt for the others", async () => {
    const stop = new AbortController();
    const asked = Promise.withResolvers<() => void>();
    const server = await webServer((request, response) => {
      if (request.url === "/robots.txt") asked.resolve(() => response.writeHead(404).end());
      else html(response, "hello");
    });
    const fetching = from(server);
    const left = reasonOf(fetching.fetch(`${server.url}/a`, { signal: stop.signal })).catch(
      (error: Error) => error.message,
    );
    const stayed = reasonOf(fetching.fetch(`${server.url}/b`));
    const answer = await asked.promise;
    stop.abort(new Error("enough"));
    expect(await left).toBe("enough");
    answer();
    expect(await stayed).toBe("fetched");
    expect(server.asked).toEqual(["GET /robots.txt", "GET /b"]);
  });
});
