import { execFile } from "node:child_process";
import { resolve as pathOf } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { UsageError } from "../../../src/errors.js";
import { exchange, systemResolve } from "../../../src/tools/web/fetch-exchange.js";
import { nextHop } from "../../../src/tools/web/fetch-policy.js";
import { safeFetch } from "../../../src/tools/web/safe-fetch.js";
import { fetchFrom, html, reasonOf, webServer } from "./servers.js";

const LIMITS = {
  totalMs: 5_000,
  headersMs: 5_000,
  bytes: 1_000,
  ratio: 100,
  headerBytes: 16_384,
  headerCount: 100,
  redirects: 5,
};
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

describe("a fetched page", () => {
  test("has its final address, its type and the time of the fetch", async () => {
    const server = await webServer((_, response) => html(response, "<p>你好，世界</p>"));
    const before = Date.now();
    const page = await fetchFrom([server]).fetch(`${server.url}/a?b=c#d`);
    expect(page).toMatchObject({
      url: `${server.url}/a?b=c`,
      contentType: "text/html; charset=utf-8",
      fromCache: false,
    });
    expect(text(page.bytes)).toBe("<p>你好，世界</p>");
    expect(page.fetchedAt.getTime()).toBeGreaterThanOrEqual(before);
    expect(server.asked).toEqual(["GET /a?b=c"]);
  });

  test.each([
    ["en", "en,*;q=0.5"],
    ["zh", "zh-CN,zh;q=0.9,*;q=0.5"],
    [undefined, undefined],
  ] as const)("is requested in the language of the question: %s", async (language, header) => {
    const server = await webServer((request, response) => html(response, String(request.headers["accept-language"])));
    expect(text((await fetchFrom([server]).fetch(server.url, { language })).bytes)).toBe(String(header));
  });

  test.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
    ["ZSTD", zstdCompressSync],
  ])("compressed with %s is decompressed", async (coding, pack) => {
    const server = await webServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html", "content-encoding": coding });
      response.end(pack(Buffer.from("<p>Hello</p>".repeat(1000))));
    });
    expect(text((await fetchFrom([server]).fetch(server.url)).bytes)).toBe("<p>Hello</p>".repeat(1000));
  });

  test.each([
    "text/html",
    "Text/HTML ; charset=gb2312",
    "application/xhtml+xml",
    "text/plain",
    "text/markdown",
    "application/pdf",
  ])("may be %s", async (type) => {
    const server = await webServer((_, response) => response.writeHead(200, { "content-type": type }).end("hello"));
    expect((await fetchFrom([server]).fetch(server.url)).contentType).toBe(type);
  });

  test("of exactly the allowed size is accepted", async () => {
    const server = await webServer((_, response) => html(response, "a".repeat(100_000)));
    const page = await fetchFrom([server], { limits: { bytes: 100_000 } }).fetch(server.url);
    expect(page.bytes.length).toBe(100_000);
  });
});

describe("a request", () => {
  test("sends the user agent and no cookie or referrer, on every hop", async () => {
    const heard: Record<string, unknown>[] = [];
    const server = await webServer((request, response) => {
      heard.push(request.headers);
      if (request.url === "/") response.writeHead(302, { location: "/next", "set-cookie": "id=1" }).end();
      else html(response, "arrived", { "set-cookie": "id=2" });
    });
    const fetching = fetchFrom([server], { userAgent: "emend/9 (test)" });
    await fetching.fetch(server.url);
    await fetching.fetch(`${server.url}/next`);
    expect(heard).toHaveLength(3);
    for (const headers of heard) {
      expect(headers["user-agent"]).toBe("emend/9 (test)");
      expect(Object.keys(headers).sort()).toEqual(["accept", "accept-encoding", "connection", "host", "user-agent"]);
    }
  });

  test("names emend unless told otherwise", async () => {
    let agent: string | undefined;
    const server = await webServer((request, response) => {
      agent = request.headers["user-agent"];
      html(response, "");
    });
    await fetchFrom([server]).fetch(server.url);
    expect(agent).toMatch(/^emend\/\d/);
  });

  test.each(["", "(nobody)", "emend/1\r\nCookie: a=b", "表情/1"])("refuses the user agent %j", (userAgent) => {
    expect(() => safeFetch({ userAgent })).toThrow(UsageError);
  });

  test("ignores a proxy in the environment", async () => {
    const proxy = await webServer((_, response) => html(response, "from the proxy"));
    const server = await webServer((_, response) => html(response, "from the server"));
    const module = pathToFileURL(pathOf("src/tools/web/safe-fetch.ts")).href;
    const program = `const { safeFetch } = await import(${JSON.stringify(module)});
      const page = await safeFetch({ robots: false, allowPrivateHosts: ["${server.allowed}"] }).fetch("${server.url}");
      process.stdout.write(page.bytes);`;
    const words = ["--import", "tsx", "--input-type=module", "--eval", program];
    const environment = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: proxy.url, http_proxy: proxy.url, ALL_PROXY: proxy.url };
    const { stdout } = await promisify(execFile)(process.execPath, words, { env: { ...process.env, ...environment } });
    expect(stdout).toBe("from the server");
    expect(proxy.asked).toEqual([]);
  }, 60_000);
});

describe("allowed private hosts", () => {
  test("can be fetched on the named port and on no other", async () => {
    const server = await webServer((_, response) => html(response, "the wiki"));
    const other = await webServer((_, response) => html(response, "not the wiki"));
    const fetching = fetchFrom([], {
      allowPrivateHosts: [`Wiki.Corp:${server.port}`],
      resolve: async () => ["127.0.0.1"],
    });
    expect(text((await fetching.fetch(`http://wiki.corp.:${server.port}/`)).bytes)).toBe("the wiki");
    expect(await reasonOf(fetching.fetch("http://wiki.corp/"))).toBe("refused: address");
    expect(await reasonOf(fetching.fetch(`http://wiki.corp:${other.port}/`))).toBe("refused: port");
    expect(await reasonOf(fetching.fetch(`http://other.corp:${server.port}/`))).toBe("refused: port");
    expect(await reasonOf(fetching.fetch(server.url))).toBe("refused: port");
    expect(other.asked).toEqual([]);
  });

  test("without a port are allowed on ports 80 and 443", async () => {
    const fetching = fetchFrom([], { allowPrivateHosts: ["wiki.corp"], resolve: async () => ["169.254.169.254"] });
    for (const url of ["http://wiki.corp/", "https://wiki.corp/"])
      expect(await reasonOf(fetching.fetch(url))).toBe("refused: address");
    expect(await reasonOf(fetching.fetch("http://wiki.corp:81/"))).toBe("refused: port");
  });

  test.each([
    "169.254.169.254",
    "fd00:ec2::254",
    "100.100.100.200",
    "168.63.129.16",
    "0.0.0.0",
    "224.0.0.1",
    "::ffff:127.0.0.1",
    "64:ff9b::a00:1",
    "fe80::1",
  ])("are still refused at %s", async (address) => {
    const fetching = fetchFrom([], { allowPrivateHosts: ["wiki.corp"], resolve: async () => [address] });
    expect(await reasonOf(fetching.fetch("http://wiki.corp/"))).toBe("refused: address");
    const literal = address.includes(":") ? `[${address}]` : address;
    const naming = fetchFrom([], { allowPrivateHosts: [literal] });
    expect(await reasonOf(naming.fetch(`http://${literal}/`))).toBe("refused: address");
  });

  test("cannot redirect to another private host", async () => {
    const other = await webServer((_, response) => html(response, "secret"));
    const server = await webServer((_, response) => response.writeHead(302, { location: other.url }).end());
    const fetching = fetchFrom([server], { allowPrivateHosts: [server.allowed] });
    expect(await reasonOf(fetching.fetch(server.url))).toBe("refused: port");
    expect(other.asked).toEqual([]);
  });

  test("can redirect to each other", async () => {
    const other = await webServer((_, response) => html(response, "the other"));
    const server = await webServer((_, response) =>
      response.writeHead(302, { location: Buffer.from(`${other.url}/页`).toString("latin1") }).end(),
    );
    expect((await fetchFrom([server, other]).fetch(server.url)).url).toBe(`${other.url}/%E9%A1%B5`);
  });

  test.each(["", "http://wiki.corp", "wiki.corp/page", "user@wiki.corp", "wiki corp", "wiki.corp:99999", "::1", "*"])(
    "cannot be written as %j",
    (entry) => {
      expect(() => safeFetch({ allowPrivateHosts: [entry] })).toThrow(UsageError);
    },
  );

  test("are resolved once per request, and every answer is checked", async () => {
    const server = await webServer((_, response) => html(response, "the wiki"));
    const answers = ["127.0.0.1", "169.254.169.254", "127.0.0.1"];
    const resolve = vi.fn(async () => [answers.shift() ?? "0.0.0.0"]);
    const fetching = fetchFrom([], { allowPrivateHosts: [`wiki.corp:${server.port}`], resolve });
    const url = `http://wiki.corp:${server.port}/`;
    expect(await reasonOf(fetching.fetch(url))).toBe("fetched");
    expect(await reasonOf(fetching.fetch(url))).toBe("refused: address");
    expect(await reasonOf(fetching.fetch(url))).toBe("fetched");
    expect(resolve).toHaveBeenCalledTimes(3);
    expect(server.asked).toHaveLength(2);
  });
});

test("a connection to a forbidden address is closed before a request is sent", async () => {
  const server = await webServer((_, response) => html(response, "secret"));
  const wire = { resolve: systemResolve, allowed: new Set<string>(), limits: LIMITS };
  const ask = { headers: {}, ms: 5_000, signal: new AbortController().signal };
  const asked = exchange(new URL(server.url), ask, wire, async () => "read");
  expect(await reasonOf(asked)).toBe("refused: address");
  expect(server.asked).toEqual([]);
});

describe("a redirect", () => {
  const allowed = new Set(["wiki.corp:80"]);
  const hop = async (from: string, to: string) => nextHop([new URL(from)], to, 5, allowed).href;

  test("from https to http is not followed", async () => {
    expect(await reasonOf(hop("https://example.com/a", "http://example.com/b"))).toBe("refused: redirect_downgrade");
    expect(await hop("http://example.com/a", "https://example.com/a")).toBe("https://example.com/a");
  });

  test("from a public page into the allowed hosts is not followed", async () => {
    expect(await reasonOf(hop("http://example.com/", "http://wiki.corp/"))).toBe("refused: redirect_inward");
    expect(await hop("http://wiki.corp/", "http://example.com/")).toBe("http://example.com/");
  });

  test.each([
    ["b", "http://example.com/a/b"],
    ["../b", "http://example.com/b"],
    ["//example.org/b", "http://example.org/b"],
    ["?q", "http://example.com/a/?q"],
    ["/%e4%bd%a0", "http://example.com/%e4%bd%a0"],
    [Buffer.from("/你好").toString("latin1"), "http://example.com/%E4%BD%A0%E5%A5%BD"],
  ])("to %s is resolved against the redirecting page", async (to, url) => {
    expect(await hop("http://example.com/a/", to)).toBe(url);
  });
});

describe("stopping", () => {
  test("an aborted fetch fails with the caller's reason and closes its connection", async () => {
    const gone = Promise.withResolvers<void>();
    const stop = new AbortController();
    const server = await webServer((request) => {
      request.socket.on("close", () => gone.resolve());
      stop.abort(new Error("enough"));
    });
    await expect(fetchFrom([server]).fetch(server.url, { signal: stop.signal })).rejects.toThrow("enough");
    await gone.promise;
  });

  test("an aborted fetch ends in the middle of a body", async () => {
    const stop = new AbortController();
    const server = await webServer((_, response) => {
      response.writeHead(200, { "content-type": "text/html" }).write("a");
      setTimeout(() => stop.abort(new Error("enough")), 20);
    });
    await expect(fetchFrom([server]).fetch(server.url, { signal: stop.signal })).rejects.toThrow("enough");
  });

  test("an aborted fetch does not wait for a slow resolver", async () => {
    const stop = new AbortController();
    const fetching = fetchFrom([], {
      resolve: () => {
        stop.abort(new Error("enough"));
        return new Promise(() => {});
      },
    });
    await expect(fetching.fetch("http://pages.example/", { signal: stop.signal })).rejects.toThrow("enough");
  });

  test("a fetch with an aborted signal sends no request", async () => {
    const server = await webServer((_, response) => html(response, ""));
    await expect(fetchFrom([server]).fetch(server.url, { signal: AbortSignal.abort(new Error("no")) })).rejects.toThrow(
      "no",
    );
    expect(server.asked).toEqual([]);
  });

  test("close ends running fetches and refuses new ones", async () => {
    const asked = Promise.withResolvers<void>();
    const server = await webServer(() => asked.resolve());
    const fetching = fetchFrom([server]);
    const page = fetching.fetch(server.url);
    await asked.promise;
    await Promise.all([expect(page).rejects.toThrow("closed"), fetching.close()]);
    await fetching.close();
    await expect(fetching.fetch(server.url)).rejects.toThrow(UsageError);
  });
});

describe("a document of a site", () => {
  const most = () => 10_000;

  test("comes with its version, its wishes, and whether it has moved for good", async () => {
    const server = await webServer(({ url }, response) => {
      const location = { "/lent": "/page", "/moved": "/page", "/both": "/lent" }[url ?? ""];
      if (location) response.writeHead(url === "/lent" ? 302 : 301, { location }).end();
      else {
        response.setHeader("x-robots-tag", ["noarchive", "emend: noindex"]);
        response.writeHead(200, { "content-type": "text/html", etag: '"1"', "last-modified": "yesterday" }).end("x");
      }
    });
    const fetching = fetchFrom([server]);
    expect(await fetching.fetchDocument(`${server.url}/page`, { most })).toMatchObject({
      validators: { etag: '"1"', lastModified: "yesterday" },
      robotsTag: "noarchive, emend: noindex",
      isMoved: false,
    });
    const moved = async (path: string) => (await fetching.fetchDocument(server.url + path, { most })).isMoved;
    expect([await moved("/moved"), await moved("/lent"), await moved("/both")]).toEqual([true, false, false]);
  });

  test("is requested by its version only at the address that had it", async () => {
    const seen: (string | undefined)[] = [];
    const server = await webServer(({ url, headers }, response) => {
      seen.push(headers["if-none-match"]);
      if (url === "/from") response.writeHead(302, { location: "/to" }).end();
      else response.writeHead(304).end();
    });
    const validators = { url: `${server.url}/to`, etag: '"1"' };
    const fetching = fetchFrom([server]).fetchDocument(`${server.url}/from`, { most, validators });
    await expect(fetching).rejects.toMatchObject({ reason: "status", status: 304 });
    expect(seen).toEqual([undefined, '"1"']);
  });

  test("is refused by its type, and by the size that its type may have", async () => {
    const server = await webServer(({ url }, response) => {
      response.writeHead(200, { "content-type": url === "/a" ? "audio/ogg" : "text/html" }).end("x".repeat(2_000));
    });
    const limited = (type: string) => (type === "text/html" ? 1_000 : undefined);
    const fetching = (path: string) => fetchFrom([server]).fetchDocument(server.url + path, { most: limited });
    await expect(fetching("/a")).rejects.toMatchObject({ reason: "content_type" });
    await expect(fetching("/b")).rejects.toMatchObject({ reason: "too_large" });
  });

  test.each([
    ["120", 120_000],
    ["Wed, 21 Oct 2015 07:28:00 GMT", 0],
    ["soon", undefined],
    ["", undefined],
  ])("says when a busy server wants to be asked again: %j", async (header, retryAfterMs) => {
    const server = await webServer((_, response) => response.writeHead(503, { "retry-after": header }).end());
    const fetching = fetchFrom([server]).fetchDocument(server.url, { most });
    await expect(fetching).rejects.toMatchObject({ status: 503, retryAfterMs });
  });

  test("comes with the sitemaps of its site, unless robots.txt is ignored", async () => {
    const server = await webServer((_, response) => response.end("Sitemap: /map.xml"));
    expect(await fetchFrom([server], { robots: true }).sitemaps(`${server.url}/a`)).toEqual(["/map.xml"]);
    expect(await fetchFrom([server]).sitemaps(`${server.url}/a`)).toEqual([]);
  });
});
