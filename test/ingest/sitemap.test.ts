import { gzipSync } from "node:zlib";
import { afterAll, expect, test, vi } from "vitest";
import { isSitemap, pagesOfSitemap } from "../../src/ingest/ingest-pages.js";
import { readSitemap } from "../../src/ingest/load.js";
import { ingestSources, notNamed, sourcesNamed } from "../../src/ingest/sources.js";
import { inMemoryDocuments } from "../../src/testing/documents.js";
import { webPageReader } from "../../src/tools/web/web-reader.js";
import { webServer } from "../tools/web/servers.js";

// A process is started, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const urls = (...pages: string[]) =>
  `<urlset>${pages.map((page) => `<url><loc>${page}</loc></url>`).join("")}</urlset>`;
const index = (...maps: string[]) =>
  `<sitemapindex>${maps.map((map) => `<sitemap><loc>${map}</loc></sitemap>`).join("")}</sitemapindex>`;
const text = (words: string) =>
  `<html><body><main><h1>${words}</h1><p>${`${words}. `.repeat(30)}</p></main></body></html>`;

/** The content of the server by path; a missing entry is a 404. */
const site = new Map<string, { type: string; body: string | Uint8Array }>();
const server = await webServer(({ url = "" }, response) => {
  const { type, body } = site.get(url) ?? {};
  response.writeHead(type ? 200 : 404, { "content-type": type ?? "text/plain" }).end(body);
});
const pageReader = webPageReader({ allowPrivateHosts: [server.allowed], politeness: { delayMs: 0 } });
afterAll(() => pageReader.close());

function serve(
  path: string,
  body: string | Uint8Array,
  type = path.includes(".xml") ? "text/xml" : "text/html",
): string {
  site.set(path, { type, body });
  return server.url + path;
}

const ingested = async (documents: ReturnType<typeof inMemoryDocuments>, ...words: string[]) =>
  ingestSources(sourcesNamed(words, "/"), { documents, pageReader, cwd: "/" });
const stored = async (documents: ReturnType<typeof inMemoryDocuments>) =>
  (await documents.list()).map(({ documentId }) => documentId.slice(server.url.length)).sort();

test("every page of a sitemap is read once, and no page of another host is read", async () => {
  const pages = [serve("/a", text("Leave is requested")), serve("/b", text("请假须提前申请"))];
  const sitemap = serve("/map.xml", urls(...pages, `${pages[0]}#part`, pages[0] ?? "", "https://elsewhere.org/c", "x"));
  const documents = inMemoryDocuments();
  const first = await ingested(documents, sitemap, pages[0] ?? "");
  expect(first).toMatchObject({ added: 2, failures: [], ignored: { [`${sitemap} on other hosts`]: 2 } });
  expect(await stored(documents)).toEqual(["/a", "/b"]);
  expect(await ingested(documents, sitemap)).toMatchObject({ added: 0, unchanged: 2 });
});

test.each([
  ["https://example.org", "https://www.example.org"],
  ["https://www.example.org", "https://example.org"],
])("a sitemap on %s may list pages on %s, but not on another host", async (own, other) => {
  const listed = [`${own}/a`, `${other}/b`, "https://wiki.example.org/c"];
  const page = { status: 200, contentType: "text/xml", fetchedAt: new Date(0), fromCache: false };
  const bytes = new TextEncoder().encode(urls(...listed));
  const fetchSitemap = async (url: string) => ({ ...page, url, bytes });
  const { pages, elsewhere } = await pagesOfSitemap(`${own}/map.xml`, { pageReader: { fetchSitemap } });
  expect({ pages, elsewhere }).toEqual({ pages: listed.slice(0, 2), elsewhere: 1 });
});

test("an index leads to sitemaps, compressed ones too, and one that fails does not stop the others", async () => {
  const [c, d] = [serve("/c", text("Pay comes on Friday")), serve("/d", text("Rooms are booked"))];
  const one = serve("/one.xml.gz", gzipSync(urls(c)), "application/gzip");
  const two = serve("/two.xml", urls(d), "application/xml; charset=utf-8");
  const none = serve("/none.xml", "<html></html>");
  const sitemap = serve("/index.xml", index(one, `${server.url}/gone.xml`, none, two, "https://elsewhere.org/map.xml"));
  serve("/index.xml", index(one, `${server.url}/gone.xml`, none, two, sitemap, "https://elsewhere.org/map.xml"));
  const documents = inMemoryDocuments();
  expect(await ingested(documents, sitemap)).toMatchObject({
    added: 2,
    ignored: { [`${sitemap} on other hosts`]: 1 },
    failures: [
      { path: `${server.url}/gone.xml`, reason: expect.stringContaining("404") },
      { path: none, reason: "It is not a sitemap." },
    ],
  });
  expect(await stored(documents)).toEqual(["/c", "/d"]);
});

test("robots.txt and the rules for private networks apply to sitemaps and their pages", async () => {
  serve("/robots.txt", "User-agent: *\nDisallow: /private", "text/plain");
  const [open, closed] = [serve("/open", text("Open hours")), serve("/private/x", text("Secret hours"))];
  const polite = webPageReader({ allowPrivateHosts: [server.allowed], politeness: { delayMs: 0 } });
  const documents = inMemoryDocuments();
  const sources = sourcesNamed([serve("/all.xml", urls(open, closed)), serve("/private/map.xml", urls(open))], "/");
  const summary = await ingestSources(sources, { documents, pageReader: polite, cwd: "/" });
  await polite.close();
  expect(summary).toMatchObject({
    added: 1,
    failures: [
      { path: `${server.url}/private/map.xml`, reason: expect.stringContaining("robots.txt") },
      { path: closed, reason: expect.stringContaining("robots.txt") },
    ],
  });
  const stranger = webPageReader();
  const refused = await ingestSources(sources, { documents, pageReader: stranger, cwd: "/" });
  await stranger.close();
  expect(refused.failures.map(({ reason }) => reason)).toEqual([
    expect.stringContaining("allowed private hosts"),
    expect.stringContaining("allowed private hosts"),
  ]);
});

test("stored pages that no source names any more are reported, unless a source could not be read", async () => {
  const [e, f] = [serve("/e", text("Travel is approved")), serve("/f", text("Parking is free"))];
  const sitemap = serve("/now.xml", urls(e, f));
  const documents = inMemoryDocuments();
  await ingested(documents, sitemap);
  const ids = [e, f, "docs/a.md", "docs/sub/b.md", "elsewhere/c.md", "stdin:d.md", "upload:e.md"];
  const named = async (...pages: string[]) => {
    serve("/now.xml", urls(...pages));
    const sources = sourcesNamed(["docs/*.md", sitemap], "/team");
    const found = new Set<string>();
    const onOutcome = (_: string, id: string) => found.add(id);
    const { failures } = await ingestSources({ ...sources, paths: [] }, { documents, pageReader, cwd: "/", onOutcome });
    return notNamed(sources, ids, { found, failures, cwd: "/team" });
  };
  expect(await named(e)).toEqual([f, "docs/sub/b.md", "elsewhere/c.md", "stdin:d.md"]);
  expect(await named(e, `${server.url}/nowhere`)).toEqual(["docs/sub/b.md", "elsewhere/c.md", "stdin:d.md"]);
});

test.each([
  [
    "an entity and CDATA",
    "<url><loc> https://a.org/?x=1&amp;y=2 </loc></url><url><loc><![CDATA[https://a.org/年]]></loc></url>",
    ["https://a.org/?x=1&y=2", "https://a.org/年"],
  ],
  [
    "pictures of a page",
    "<url><image:image><image:loc>https://a.org/p.png</image:loc></image:image><loc>https://a.org/</loc></url>",
    ["https://a.org/"],
  ],
  [
    "comments",
    "<!-- <url><loc>https://a.org/old</loc></url> --><url><loc>https://a.org/</loc></url>",
    ["https://a.org/"],
  ],
  [
    "an entity of its own",
    '<!DOCTYPE x [<!ENTITY a "aaaa">]><url><loc>https://a.org/&a;</loc></url>',
    ["https://a.org/&a;"],
  ],
])("a sitemap with %s lists its pages", (_, entries, pages) => {
  const bytes = new TextEncoder().encode(`<?xml version="1.0"?><urlset>${entries}</urlset>`);
  expect(readSitemap(bytes).pages.map(({ address }) => address)).toEqual(pages);
});

test("a compressed sitemap is decompressed to 50 MB and no further", () => {
  expect(() => readSitemap(gzipSync(Buffer.alloc(60_000_000)))).toThrow("larger than 50 MB when unpacked");
});

test.each([
  ["https://a.org/sitemap.xml", true],
  ["https://a.org/sitemap-1.XML.gz?page=2", true],
  ["https://a.org/sitemap", false],
  ["https://a.org/?x.xml", false],
])("whether %s is a sitemap: %s", (address, expected) => expect(isSitemap(address)).toBe(expected));
