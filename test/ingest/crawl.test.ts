import { gzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { pdf } from "../tools/web/pdfs.js";
import { docx } from "./formats/writers.js";
import { page, site, textOf } from "./site.js";

// A process is started, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const urls = (...pages: (string | [page: string, changed: string])[]) =>
  `<urlset>${pages.map((one) => (typeof one === "string" ? `<url><loc>${one}</loc></url>` : `<url><loc>${one[0]}</loc><lastmod>${one[1]}</lastmod></url>`)).join("")}</urlset>`;

describe("what belongs to a site", () => {
  test("pages below the path, and files anywhere on the host; no other page, host, picture or script", async () => {
    const it = await site({
      "/docs/": page(
        "Handbook",
        "leave.html",
        "/about",
        "https://elsewhere.org/",
        "/files/rates.csv",
        "logo.png",
        "#top",
      ),
      "/docs/leave.html": page("Leave", "/docs/deep/visa?lang=en&utm_source=x", "mailto:a@b.c", "javascript:void(0)"),
      "/docs/deep/visa?lang=en": page("Visa"),
      "/about": page("About"),
      "/files/rates.csv": { headers: { "content-type": "text/csv" }, body: "City,Limit\nOslo,120\n" },
    });
    const { failures, skipped, asked, added } = await it.crawl("/docs/");
    expect(failures).toEqual([]);
    expect(await it.stored()).toEqual(["/docs/", "/docs/deep/visa?lang=en", "/docs/leave.html", "/files/rates.csv"]);
    expect(added).toBe(4);
    expect(skipped).toEqual({ ".png": 1 });
    expect(asked).not.toContain("/about");
    const [row] = await it.documents.search({ text: "Oslo" }, 1);
    expect(row?.text).toContain("120");
  });

  test("the folder of a file that is named, or what is below a page that is named", async () => {
    const pages = {
      "/a/index.html": page("Index", "b", "/c", "/a"),
      "/a/b": page("B", "/a/b/c", "/a/bc"),
      "/a/b/c": page("C"),
      "/a": page("A"),
      "/c": page("Other"),
    };
    const whole = await site(pages);
    await whole.crawl("/a/index.html");
    expect(await whole.stored()).toEqual(["/a", "/a/b", "/a/b/c", "/a/index.html"]);
    const part = await site(pages);
    await part.crawl("/a/b");
    expect(await part.stored()).toEqual(["/a/b", "/a/b/c"]);
  });

  test("PDF and Word files are read as files are, by their type or, without one, by their name", async () => {
    const it = await site({
      "/": page("Start", "/get?file=7", "/travel.docx", "/notes"),
      "/get?file=7": { headers: { "content-type": "application/pdf" }, body: pdf(["The ferry leaves at nine."]) },
      "/travel.docx": {
        headers: { "content-type": "application/octet-stream" },
        body: await docx({ text: "The train leaves at ten." }),
      },
      "/notes": { headers: { "content-type": "text/plain; charset=utf-8" }, body: "公交车十一点出发。\n" },
    });
    expect((await it.crawl()).failures).toEqual([]);
    const answers = async (text: string) => (await it.documents.search({ text }, 1))[0];
    expect(await answers("ferry")).toMatchObject({ documentId: `${it.url}/get?file=7` });
    expect((await answers("train"))?.text).toContain("The train leaves at ten.");
    expect((await answers("公交车"))?.text).toContain("公交车十一点出发");
    expect(await it.crawl()).toMatchObject({ unchanged: 4, passages: 0 });
  });

  test("a page of links alone, an empty page and one that only forwards lead on, and are not stored", async () => {
    const links = ["/a", "/b", "/c", "/d"].map((link) => `<li><a href="${link}">About ${link.slice(1)}</a></li>`);
    const it = await site({
      "/": `<title>Topics</title><h1>Topics</h1><ul>${links.join("")}</ul>`,
      "/a": '<meta http-equiv="refresh" content="0; url=/a/new"><p>This page has moved.</p>',
      "/a/new": page("New"),
      "/b": "",
      "/c": page("C"),
    });
    const { ignored } = await it.crawl();
    expect(await it.stored()).toEqual(["/a/new", "/c"]);
    expect(ignored).toEqual({ "without text of its own": 2, "only forwards to another page": 1, "does not exist": 1 });
  });

  test("a short page with scripts, but not a frame whose text comes by scripts", async () => {
    const scripts = '<script src="/app.js"></script>';
    const it = await site({
      "/": page("Start", "/short", "/frame"),
      "/short": `${scripts}<nav><a href="/">Start</a></nav><main><h1>Short</h1><p>The gate opens at six.</p></main>`,
      "/frame": `${scripts}<div id="app">Loading</div><a href="https://elsewhere.org">x</a>`,
    });
    const { failures } = await it.crawl();
    expect(await it.stored()).toEqual(["/", "/short"]);
    expect(failures).toEqual([{ path: "/frame", reason: expect.stringContaining("scripts") }]);
  });

  test("frames, the next page, translations, a page that only forwards, and a base address", async () => {
    const it = await site({
      "/": `<head><base href="/x/"><link rel="next" href="2"><link rel=alternate hreflang=zh href="zh"><link rel="stylesheet" href="style">
        <meta http-equiv="refresh" content="5; url='to'"></head><iframe src="frame"></iframe><p>${textOf("Start")}</p>`,
      "/x/2": page("Second"),
      "/x/zh": page("请假制度"),
      "/x/to": page("Forward"),
      "/x/frame": page("Frame"),
    });
    await it.crawl();
    expect(await it.stored()).toEqual(["/", "/x/2", "/x/frame", "/x/to", "/x/zh"]);
  });
});

describe("what a site asks for", () => {
  test("robots.txt, meta elements, headers and nofollow are obeyed, and told", async () => {
    const it = await site({
      "/robots.txt": "User-agent: *\nDisallow: /private",
      "/": page("Start", "/private/a", "/no-index", "/by-header", "/no-follow", "/for-others"),
      "/private/a": page("Private"),
      "/no-index": `<meta name="robots" content="NOINDEX">${page("Hidden", "/through")}`,
      "/through": page("Through"),
      "/by-header": { headers: { "x-robots-tag": "none" }, body: page("Header", "/never") },
      "/no-follow": `${page("Nofollow")}<a rel="external nofollow" href="/never">x</a>`,
      "/for-others": { headers: { "x-robots-tag": "otherbot: noindex, nofollow" }, body: page("Others") },
      "/never": page("Never"),
    });
    const { ignored, failures, outcomes } = await it.crawl();
    expect(await it.stored()).toEqual(["/", "/for-others", "/no-follow", "/through"]);
    expect(ignored).toEqual({ "forbidden by robots.txt": 1, "asks not to be stored": 2 });
    expect(outcomes).toMatchObject({ "/private/a": "ignored", "/no-index": "ignored", "/by-header": "ignored" });
    expect(failures).toEqual([]);
    await it.crawl("/", { robots: false });
    expect(await it.stored()).toContain("/no-index");
  });

  test("sitemaps are found through robots.txt, indexes and archives, else at the usual places", async () => {
    const it = await site({ "/": page("Start") });
    Object.assign(it.pages, {
      "/robots.txt": `Sitemap: ${it.url}/maps/all.xml\nSitemap: http://127.0.0.1:1/else.xml`,
      "/maps/all.xml": `<sitemapindex><sitemap><loc>${it.url}/maps/one.xml.gz</loc></sitemap></sitemapindex>`,
      "/maps/one.xml.gz": {
        headers: { "content-type": "application/gzip" },
        body: gzipSync(urls(`${it.url}/listed`, `${it.url}/private`, "https://elsewhere.org/x")),
      },
      "/listed": page("Listed"),
      "/private": { status: 403 },
    });
    const { failures, ignored } = await it.crawl();
    expect({ failures, ignored }).toEqual({ failures: [], ignored: { "needs a login": 1 } });
    expect(await it.stored()).toEqual(["/", "/listed"]);

    const usual = await site({ "/guide/": page("Guide"), "/guide/x": page("X") });
    usual.pages["/guide/sitemap.xml"] = urls(`${usual.url}/guide/x`, `${usual.url}/elsewhere`);
    await usual.crawl("/guide/");
    expect(await usual.stored()).toEqual(["/guide/", "/guide/x"]);
  });

  test("Retry-After is waited for, and a long one ends the crawl, which keeps what was read", async () => {
    let tries = 0;
    const it = await site({
      "/": page("Start", "/busy", "/later", "/after"),
      "/busy": () => (++tries < 3 ? { status: 429, headers: { "retry-after": "0" } } : page("Busy")),
      "/later": { status: 503, headers: { "retry-after": "7200" } },
      "/after": page("After"),
    });
    const { failures } = await it.crawl();
    expect(await it.stored()).toEqual(["/", "/busy"]);
    expect(failures).toEqual([
      { path: "/later", reason: expect.stringContaining("503") },
      { path: "/", reason: expect.stringContaining("The site asks for a longer pause") },
    ]);
    it.pages["/later"] = page("Later");
    await it.crawl();
    expect(await it.stored()).toEqual(["/", "/after", "/busy", "/later"]);
  });
});

describe("a second crawl", () => {
  test("requests pages only if they changed, by ETag and date, and writes only what changed", async () => {
    const version = { "/": '"1"', "/tagged": '"1"' };
    const tagged = (path: keyof typeof version, body: () => string) => (request: { headers: NodeJS.Dict<unknown> }) =>
      request.headers["if-none-match"] === version[path]
        ? { status: 304 }
        : { headers: { etag: version[path] }, body: body() };
    const dated = "Sat, 01 Nov 2025 10:00:00 GMT";
    let words = "Tagged";
    const it = await site({
      "/": tagged("/", () => page("Start", "/tagged", "/dated", "/plain")),
      "/tagged": tagged("/tagged", () => page(words)),
      "/dated": ({ headers }) =>
        headers["if-modified-since"] === dated
          ? { status: 304 }
          : { headers: { "last-modified": dated }, body: page("Dated", "/behind") },
      "/plain": page("Plain"),
      "/behind": page("Behind"),
    });
    expect(await it.crawl()).toMatchObject({ added: 5 });
    const second = await it.crawl();
    expect(second).toMatchObject({ added: 0, changed: 0, unchanged: 5, passages: 0, removed: 0 });
    expect(second.headers["/tagged"]).toMatchObject({ "if-none-match": '"1"' });
    [version["/tagged"], words] = ['"2"', "Tagged anew"];
    expect(await it.crawl()).toMatchObject({ changed: 1, unchanged: 4, outcomes: { "/tagged": "changed" } });
    // The store lost it, so that an unchanged page has to be read again.
    await it.documents.remove([`${it.url}/dated`]);
    expect(await it.crawl()).toMatchObject({ added: 1, unchanged: 4 });
  });

  test("does not request what its sitemap lists with the date of the last crawl", async () => {
    const it = await site({ "/": page("Start"), "/old": page("Old"), "/new": page("New"), "/today": page("Today") });
    const today = new Date().toISOString().slice(0, 10);
    const list = (changed: string) =>
      urls([`${it.url}/old`, "2025-01-02"], [`${it.url}/new`, changed], [`${it.url}/today`, today]);
    it.pages["/sitemap.xml"] = list("2025-01-02T10:00:00Z");
    await it.crawl();
    it.pages["/sitemap.xml"] = list("2025-01-03T10:00:00Z");
    it.pages["/new"] = page("Newer");
    const { asked, changed, unchanged } = await it.crawl();
    expect({ changed, unchanged }).toEqual({ changed: 1, unchanged: 3 });
    expect(asked).toContain("/new");
    expect(asked).toContain("/today");
    expect(asked).not.toContain("/old");
  });

  test("removes a page that is gone or asks not to be stored, and keeps one that cannot be read", async () => {
    const it = await site({
      "/": page("Start", "/gone", "/deleted", "/broken", "/hidden", "/forbidden", "/login"),
      "/gone": page("Gone"),
      "/deleted": page("Deleted"),
      "/broken": page("Broken"),
      "/hidden": page("Hidden"),
      "/forbidden": page("Forbidden"),
      "/login": page("Login"),
    });
    expect(await it.crawl()).toMatchObject({ added: 7 });
    Object.assign(it.pages, {
      "/": page("Start"),
      "/gone": { status: 410 },
      "/deleted": { status: 404 },
      "/broken": { status: 500 },
      "/hidden": { headers: { "x-robots-tag": "noindex" }, body: page("Hidden") },
      "/robots.txt": "User-agent: *\nDisallow: /forbidden",
      "/login": { status: 401 },
    });
    const second = await it.crawl();
    expect(await it.stored()).toEqual(["/", "/broken", "/forbidden", "/login"]);
    expect(second).toMatchObject({ removed: 3, removedAsIgnored: 1 });
    expect(second.failures.map(({ path }) => path).sort()).toEqual(["/broken", "/login"]);
    expect((await it.crawl()).asked).not.toContain("/gone");
  });

  test("reads a left-out page again if it may be stored now, or if robots.txt and its like are ignored", async () => {
    const tag = { etag: '"1"' };
    const reply = (headers: Record<string, string>) => (request: { headers: NodeJS.Dict<unknown> }) =>
      request.headers["if-none-match"] === headers.etag ? { status: 304 } : { headers, body: page("Hidden") };
    const it = await site({ "/": page("Start", "/a"), "/a": reply({ ...tag, "x-robots-tag": "noindex" }) });
    await it.crawl();
    expect((await it.crawl()).ignored).toEqual({ "asks not to be stored": 1 });
    await it.crawl("/", { robots: false });
    expect(await it.stored()).toEqual(["/", "/a"]);
  });

  test("removes nothing if the start cannot be read, or if the whole site is gone", async () => {
    const it = await site({ "/docs/": page("Start", "a"), "/docs/a": page("A") });
    await it.crawl("/docs/");
    it.pages["/docs/"] = { status: 404 };
    expect(await it.crawl("/docs/")).toMatchObject({ removed: 0, failures: [{ path: "/docs/" }] });
    it.pages["/docs/"] = "<p></p>";
    it.pages["/docs/a"] = { status: 404 };
    const { failures } = await it.crawl("/docs/");
    expect(failures).toEqual([{ path: "/docs/", reason: expect.stringContaining("They stay") }]);
    expect(await it.stored()).toEqual(["/docs/", "/docs/a"]);
    await it.crawl("/docs/", { missing: "remove" });
    expect(await it.stored()).toEqual([]);
  });

  test("goes on after an interruption, which keeps what was read", async () => {
    const it = await site({ "/": page("Start", "/a", "/b"), "/a": page("A"), "/b": page("B", "/c"), "/c": page("C") });
    const stop = new AbortController();
    const interrupted = it.crawl("/", { signal: stop.signal, onKept: (pages) => pages === 2 && stop.abort() });
    await expect(interrupted).rejects.toThrow();
    expect(await it.stored()).toEqual(["/", "/a"]);
    await it.crawl();
    expect(await it.stored()).toEqual(["/", "/a", "/b", "/c"]);
  });
});

describe("one page with several addresses", () => {
  test("is stored where redirects lead, and moves with a permanent one only", async () => {
    const to = (location: string, status = 302) => ({ status, headers: { location } });
    const it = await site({
      "/": page("Start", "/moving", "/lent", "/short"),
      "/moving": page("Moving"),
      "/lent": page("Lent"),
      "/short": to("/long"),
      "/long": page("Long"),
    });
    await it.crawl();
    expect(await it.stored()).toEqual(["/", "/lent", "/long", "/moving"]);
    Object.assign(it.pages, {
      "/moving": to("/moved", 301),
      "/moved": page("Moving"),
      "/lent": to("/login"),
      "/login": page("Sign in"),
    });
    await it.crawl();
    expect(await it.stored()).toEqual(["/", "/lent", "/login", "/long", "/moved"]);
  });

  test("a redirect to another host or into a private network is not part of the site", async () => {
    const away = await site({ "/": page("Away") });
    const it = await site({
      "/": page("Start", "/out", "/inside"),
      "/out": { status: 302, headers: { location: away.url } },
      "/inside": { status: 302, headers: { location: "http://10.0.0.1/admin" } },
    });
    const { failures, asked } = await it.crawl();
    expect(await it.stored()).toEqual(["/"]);
    expect(failures.map(({ path }) => path).sort()).toEqual(["/inside", "/out"]);
    expect(asked).toHaveLength(new Set(asked).size);
    expect(away.asked).toEqual([]);
  });

  test("is stored under its canonical address, if that has the same text", async () => {
    const canonical = (link: string, title: string) => `<link rel="canonical" href="${link}">${page(title)}`;
    const it = await site({
      "/": page("Start", "/p?sort=up", "/print/p", "/other", "/self"),
      "/p?sort=up": canonical("/p", "Price list"),
      "/print/p": canonical("/p", "Price list"),
      "/p": canonical("/p", "Price list"),
      "/other": canonical("/", "Another thing"),
      "/self": canonical("/self", "Self"),
    });
    const { ignored } = await it.crawl();
    expect(await it.stored()).toEqual(["/", "/other", "/p", "/self"]);
    expect(ignored).toEqual({ "repeats another page": 2 });
    expect(await it.crawl()).toMatchObject({ unchanged: 4, removed: 0, ignored: { "repeats another page": 2 } });
  });

  test("with the same title and text is stored once, and again if the first one goes", async () => {
    const it = await site({
      "/": page("Start", "/a", "/b", "/x200", "/x300"),
      "/a": page("Same"),
      "/b": page("Same"),
      "/x200": page("Manual").replace("<title>Manual", "<title>X200"),
      "/x300": page("Manual").replace("<title>Manual", "<title>X300").replace("<h1>Manual", "<h1>X300"),
    });
    await it.crawl();
    expect(await it.stored()).toEqual(["/", "/a", "/x200", "/x300"]);
    it.pages["/a"] = { status: 404 };
    await it.crawl();
    expect(await it.stored()).toEqual(["/", "/b", "/x200", "/x300"]);
  });
});

describe("a hostile or careless site", () => {
  test("endless calendars, sessions, orders of parameters and paths that grow end before the limit", async () => {
    const it = await site(
      { "/": page("Start", "/calendar/2026/1", "/shop?a=1&b=2", "/shop?b=2&a=1", "/list?session=0", "/loop/x") },
      {
        other: (path) => {
          const [, year = 0, month = 0] = /^\/calendar\/(\d+)\/(\d+)$/.exec(path) ?? [];
          const [y, m] = [Number(year) + Number(Number(month) === 12), (Number(month) % 12) + 1];
          if (year) return page(`Events of month ${month} in ${year}: none`, `/calendar/${y}/${m}`);
          const [, session] = /^\/list\?session=(\d+)$/.exec(path) ?? [];
          if (session) return page("List", `/list?session=${Number(session) + 1}`);
          if (path.startsWith("/loop/")) return page("Loop", "x/y/", "y/x/");
          if (path.startsWith("/shop?")) return page("Shop");
          return { status: 404 };
        },
      },
    );
    const { asked, ignored, failures } = await it.crawl();
    expect(failures).toEqual([]);
    expect(asked.length).toBeLessThan(100);
    expect(asked.filter((path) => path?.startsWith("/shop"))).toHaveLength(1);
    expect(ignored).toMatchObject({ "one of many like it that say nothing new": 2 });
    expect(ignored["has an address that repeats itself"]).toBeGreaterThan(0);
  });

  test("pages that differ in words are all read, whatever their addresses look like", async () => {
    const names = Array.from({ length: 40 }, (_, i) => `Item ${"abcdefgh"[i % 8]}${"klmnopqr"[Math.floor(i / 8)]}`);
    const pages = Object.fromEntries(names.map((name, i) => [`/item?id=${i}`, page(name)]));
    const it = await site({ "/": page("Start", ...Object.keys(pages)), ...pages });
    expect(await it.crawl()).toMatchObject({ added: 41 });
  });

  test("a page that says it is not there is not stored, although its status is 200", async () => {
    const it = await site(
      { "/": page("Start", "/nowhere/7", "/is-there"), "/is-there": page("There") },
      { other: (path) => page(`Sorry, ${path} was not found here`) },
    );
    const { ignored } = await it.crawl();
    expect(await it.stored()).toEqual(["/", "/is-there"]);
    expect(ignored).toEqual({ "does not exist": 1 });
    delete it.pages["/is-there"];
    expect(await it.crawl()).toMatchObject({ removed: 1 });
  });

  test("an address without a page that leads to the start is gone, and one that leads to a login is not", async () => {
    const to = (location: string) => ({ status: 302, headers: { location } });
    const it = await site({ "/": page("Start", "/a"), "/a": page("A") }, { other: to("/") });
    await it.crawl();
    delete it.pages["/a"];
    await it.crawl();
    expect(await it.stored()).toEqual(["/"]);

    const closed = await site(
      { "/": page("Start", "/a"), "/a": page("A") },
      { other: (path) => (path.startsWith("/login") ? page("Sign in") : to(`/login?next=${path}`)) },
    );
    await closed.crawl();
    delete closed.pages["/a"];
    expect(await closed.crawl()).toMatchObject({
      removed: 0,
      ignored: { "leads where addresses without a page lead": 1 },
    });
    expect(await closed.stored()).toEqual(["/", "/a"]);
  });

  test("a site whose every address has the same page is stored as that one page", async () => {
    const it = await site(
      {},
      { other: (path) => (/\.(?:txt|xml)$/.test(path) ? { status: 404 } : page("App", "/a", "/b")) },
    );
    const { ignored } = await it.crawl();
    expect(await it.stored()).toEqual(["/"]);
    expect(ignored).toEqual({ "repeats another page": 2 });
  });

  test("huge pages, pages of other kinds and huge files are refused, and the rest is read", async () => {
    const it = await site({
      "/": page("Start", "/huge", "/sound", "/large.pdf", "/damaged.docx", "/fine"),
      "/huge": `<p>${"x".repeat(6_000_000)}</p>`,
      "/sound": { headers: { "content-type": "audio/mpeg" }, body: "x" },
      "/large.pdf": { headers: { "content-type": "application/pdf", "content-length": "30000000" }, body: "x" },
      "/damaged.docx": { headers: { "content-type": "application/octet-stream" }, body: "not a document" },
      "/robots.txt": `User-agent: *\nDisallow: /none\n${"# nothing\n".repeat(300_000)}Disallow: /fine`,
      "/fine": page("Fine"),
    });
    const { failures, skipped } = await it.crawl();
    expect(await it.stored()).toEqual(["/", "/fine"]);
    expect(failures.map(({ path }) => path)).toEqual(["/huge", "/large.pdf", "/damaged.docx"]);
    expect(skipped).toEqual({ "": 1 });
  });

  test("an answer that nobody asked for is no page", async () => {
    const it = await site({ "/": page("Start", "/a"), "/a": { status: 304 } });
    expect(await it.crawl()).toMatchObject({ added: 1, unchanged: 0, failures: [{ path: "/a" }] });
  });

  test("a server that stops answering is not asked for every page", async () => {
    const links = Array.from({ length: 50 }, (_, i) => `/slow/page${i}x`);
    const it = await site(
      { "/": page("Start", ...links) },
      {
        limits: { headersMs: 200 },
        other: (path) => (path.startsWith("/slow/page") ? { never: true } : { status: 404 }),
      },
    );
    const { failures, asked } = await it.crawl();
    expect(asked.filter((path) => path?.startsWith("/slow"))).toHaveLength(5);
    expect(failures.at(-1)?.reason).toContain("The last 5 pages could not be had");
  });

  test("no more addresses are visited than the limit says, and what is beyond is told", async () => {
    const pages = Object.fromEntries(["one", "two", "three", "four", "five"].map((name) => [`/${name}`, page(name)]));
    const it = await site({ "/": page("Start", ...Object.keys(pages)), ...pages });
    const { ignored, failures } = await it.crawl("/", { limit: 3 });
    expect(await it.stored()).toEqual(["/", "/one", "/two"]);
    expect({ ignored, failures }).toEqual({ ignored: { "beyond the limit of 3": 3 }, failures: [] });
    await it.crawl();
    expect(await it.stored()).toHaveLength(6);
    await it.crawl("/", { limit: 2 });
    expect(await it.stored()).toHaveLength(6);
  });
});
