import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { evict } from "../../../src/tools/web/page-cache.js";
import { fetchFrom, html, reasonOf, type TestServer, webServer } from "./servers.js";

const root = await mkdtemp(join(tmpdir(), "emend-pages-"));
afterAll(() => rm(root, { recursive: true, force: true }));
afterEach(() => void vi.useRealTimers());
let folders = 0;
const newFolder = () => join(root, String(++folders));

const HOUR = 60 * 60 * 1_000;
/** Moves the clock without waiting. */
const later = (ms: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });

/** A server with these headers whose pages contain the number of requests so far. */
const counting = (headers: Record<string, string>, unchanged?: (request: IncomingMessage) => boolean) =>
  webServer((request, response, { asked }) =>
    unchanged?.(request) ? response.writeHead(304, headers).end() : html(response, `${asked.length}`, headers),
  );

async function kept(server: TestServer, folder = newFolder(), bytes?: number) {
  const fetching = fetchFrom([server], { cache: { folder, ...(bytes && { bytes }) } });
  const get = async (path = "/") => {
    const { bytes, fromCache } = await fetching.fetch(server.url + path);
    return `${new TextDecoder().decode(bytes)}${fromCache ? " kept" : ""}`;
  };
  return { get, fetching, folder };
}

describe("a cached page", () => {
  test("is not requested again while it is fresh, not even by the next process", async () => {
    const server = await counting({ "cache-control": "max-age=3600" });
    const { get, folder } = await kept(server);
    expect([await get(), await get(), await get("/other")]).toEqual(["1", "1 kept", "2"]);
    expect(await (await kept(server, folder)).get()).toBe("1 kept");
    later(2 * HOUR);
    expect(await get()).toBe("3");
  });

  test("keeps the time when it was fetched", async () => {
    const server = await counting({ "cache-control": "max-age=3600" });
    const { fetching } = await kept(server);
    const first = await fetching.fetch(server.url);
    later(HOUR / 2);
    const second = await fetching.fetch(server.url);
    expect(second).toEqual({ ...first, fromCache: true });
  });

  test("is revalidated by its ETag when it is stale, and is fresh again afterwards", async () => {
    const headers = { "cache-control": "max-age=60", etag: '"v1"' };
    const server = await counting(headers, (request) => request.headers["if-none-match"] === '"v1"');
    const { get, fetching } = await kept(server);
    await get();
    later(HOUR);
    expect(await get()).toBe("1 kept");
    expect(server.asked).toHaveLength(2);
    const { fetchedAt } = await fetching.fetch(server.url);
    expect(fetchedAt.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(server.asked).toHaveLength(2);
  });

  test("is revalidated by its Last-Modified date", async () => {
    const changed = new Date(Date.now() - HOUR).toUTCString();
    const headers = { "cache-control": "no-cache", "last-modified": changed };
    const server = await counting(headers, (request) => request.headers["if-modified-since"] === changed);
    const { get } = await kept(server);
    expect([await get(), await get()]).toEqual(["1", "1 kept"]);
    expect(server.asked).toHaveLength(2);
  });

  test("is revalidated by a 304 reply without headers", async () => {
    const server = await webServer((request, response, { asked }) => {
      if (request.headers["if-none-match"]) response.writeHead(304).end();
      else html(response, `${asked.length}`, { "cache-control": "max-age=60", etag: 'W/"v1"' });
    });
    const { get } = await kept(server);
    await get();
    later(HOUR);
    expect([await get(), await get()]).toEqual(["1 kept", "1 kept"]);
    expect(server.asked).toHaveLength(2);
  });

  test("is replaced when it has changed", async () => {
    const { get } = await kept(await counting({ "cache-control": "max-age=60", etag: '"v1"' }));
    await get();
    later(HOUR);
    expect([await get(), await get()]).toEqual(["2", "2 kept"]);
  });

  test("is requested in full if the server confirms another version", async () => {
    const server = await webServer((request, response, { asked }) => {
      const headers = { "cache-control": "max-age=60", etag: `"v${asked.length}"` };
      if (request.headers["if-none-match"]) response.writeHead(304, headers).end();
      else html(response, `${asked.length}`, headers);
    });
    const { get } = await kept(server);
    await get();
    later(HOUR);
    expect(await get()).toBe("3");
    expect([await get(), await get()]).toEqual(["4", "4 kept"]);
  });

  test("is at most a day old, whatever the server allows", async () => {
    const { get } = await kept(await counting({ "cache-control": "max-age=31536000, immutable" }));
    await get();
    later(23 * HOUR);
    expect(await get()).toBe("1 kept");
    later(2 * HOUR);
    expect(await get()).toBe("2");
  });

  test("is deleted if the server forbids caching later", async () => {
    const server = await webServer((_, response, { asked }) =>
      html(response, `${asked.length}`, { "cache-control": asked.length === 1 ? "max-age=60" : "no-store" }),
    );
    const { get, folder } = await kept(server);
    await get();
    expect(await readdir(folder)).toHaveLength(1);
    later(HOUR);
    await get();
    expect(await readdir(folder)).toEqual([]);
  });

  test("is stored decompressed, with its type", async () => {
    const server = await webServer((_, response) =>
      response
        .writeHead(200, { "content-type": "text/plain; charset=big5", "cache-control": "max-age=60" })
        .end(Buffer.from([0xa4, 0xa4, 0x00, 0x0a, 0xff])),
    );
    const { fetching } = await kept(server);
    const [first, second] = [await fetching.fetch(server.url), await fetching.fetch(server.url)];
    expect(second).toEqual({ ...first, fromCache: true });
  });
});

describe("nothing is cached", () => {
  test.each([
    ["no-store", { "cache-control": "no-store" }],
    ["a page for one variant that no request names", { "cache-control": "max-age=60", vary: "*" }],
  ])("of %s", async (_, headers) => {
    const { get } = await kept(await counting(headers));
    expect([await get(), await get()]).toEqual(["1", "2"]);
  });

  test("of a page that could not be fetched", async () => {
    const server = await webServer((_, response, { asked }) =>
      asked.length === 1
        ? response.writeHead(404, STATUS_CODES[404], { "cache-control": "max-age=3600" }).end()
        : html(response, "found"),
    );
    const { get, fetching } = await kept(server);
    expect(await reasonOf(fetching.fetch(server.url))).toBe("unavailable: status");
    expect(await get()).toBe("found");
  });

  test("without a folder", async () => {
    const server = await counting({ "cache-control": "max-age=3600" });
    const fetching = fetchFrom([server]);
    await fetching.fetch(server.url);
    expect((await fetching.fetch(server.url)).fromCache).toBe(false);
  });

  test("if the folder cannot be created, and pages are still fetched", async () => {
    const file = newFolder();
    await writeFile(file, "a file, not a folder");
    const { get } = await kept(await counting({ "cache-control": "max-age=3600" }), join(file, "pages"));
    expect([await get(), await get()]).toEqual(["1", "2"]);
  });
});

describe("the rules apply to cached pages too:", () => {
  test("a cached page of a host that is no longer allowed is refused", async () => {
    const server = await counting({ "cache-control": "max-age=3600" });
    const folder = newFolder();
    // On a port that is allowed for public pages, so that only the address is a reason to refuse.
    const name = "wiki.corp:8080";
    const url = `http://${name}/`;
    await kept(server, folder).then(({ get }) => get());
    const [file = ""] = await readdir(folder);
    const content = (await readFile(join(folder, file), "utf8")).replaceAll(`${server.url}/`, url);
    await writeFile(join(folder, `${sha256(url)}.page`), content);

    const resolve = async () => ["127.0.0.1"];
    const allowing = fetchFrom([], { allowPrivateHosts: [name], cache: { folder }, resolve });
    expect((await allowing.fetch(url)).fromCache).toBe(true);
    const refusing = fetchFrom([], { cache: { folder }, resolve });
    expect(await reasonOf(refusing.fetch(url))).toBe("refused: address");
  });

  test("robots.txt is checked before a cached page is returned", async () => {
    const server = await webServer((request, response) =>
      request.url === "/robots.txt"
        ? response.end("User-agent: *\nDisallow: /")
        : html(response, "hello", { "cache-control": "max-age=3600" }),
    );
    const cache = { folder: newFolder() };
    await fetchFrom([server], { cache }).fetch(server.url);
    expect(await reasonOf(fetchFrom([server], { cache, robots: true }).fetch(server.url))).toBe("refused: robots");
  });
});

describe("a damaged cache file", () => {
  test.each<[string, (content: Buffer) => Buffer | string]>([
    ["empty", () => ""],
    ["noise", () => Buffer.from([0, 1, 2, 255])],
    ["cut in its head", (content) => content.subarray(0, 40)],
    ["cut in its body", (content) => content.subarray(0, content.length - 1)],
    ["longer than it was", (content) => Buffer.concat([content, Buffer.from("x")])],
    ["changed in its body", (content) => Buffer.concat([content.subarray(0, -1), Buffer.from("9")])],
    ["of another page", (content) => content.toString().replace('"url":"http', '"url":"https')],
    ["without its policy", (content) => content.toString().replace('"policy"', '"polity"')],
    ["with a policy of noise", (content) => content.toString().replace(/"policy":\{.*\}\}/, '"policy":{"v":7}}')],
  ])("(%s) is ignored and replaced", async (_, damage) => {
    const { get, folder } = await kept(await counting({ "cache-control": "max-age=3600" }));
    await get();
    const [name = ""] = await readdir(folder);
    await writeFile(join(folder, name), damage(await readFile(join(folder, name))));
    expect([await get(), await get()]).toEqual(["2", "2 kept"]);
  });
});

describe("the cache folder", () => {
  test("exceeds its size limit by at most a tenth, and loses the least recently used pages", async () => {
    const server = await webServer((_, response) =>
      html(response, "a".repeat(10_000), { "cache-control": "max-age=3600" }),
    );
    const { get, folder } = await kept(server, newFolder(), 100_000);
    for (let i = 0; i < 30; i++) {
      await get(`/${i}`);
      expect(await sizeOf(folder)).toBeLessThan(111_000);
    }
    expect(await sizeOf(folder)).toBeGreaterThan(70_000);
    expect(await get("/29")).toMatch(/ kept$/);
    expect(await get("/0")).not.toMatch(/ kept$/);
  });

  test("loses the least recently used pages and old unfinished files, and no other files", async () => {
    const folder = newFolder();
    await mkdir(folder);
    const file = async (name: string, hoursAgo: number) => {
      await writeFile(join(folder, name), "a".repeat(100));
      const used = new Date(Date.now() - hoursAgo * HOUR);
      await utimes(join(folder, name), used, used);
    };
    await file("old.page", 5);
    await file("older.page", 9);
    await file("new.page", 1);
    await file("left.page.1.unfinished", 5);
    await file("going-on.page.2.unfinished", 0);
    await file("notes.txt", 99);
    await evict(folder, 250);
    expect((await readdir(folder)).sort()).toEqual(["going-on.page.2.unfinished", "new.page", "notes.txt", "old.page"]);
  });

  test("keeps an old page that was requested again", async () => {
    const { get, folder } = await kept(await counting({ "cache-control": "max-age=3600" }));
    await get("/asked-again");
    const [askedAgain = ""] = await readdir(folder);
    await get("/other");
    for (const name of await readdir(folder)) await utimes(join(folder, name), 0, name === askedAgain ? 1_000 : 2_000);
    await get("/asked-again");
    await evict(folder, (await sizeOf(folder)) - 1);
    expect(await readdir(folder)).toEqual([askedAgain]);
  });

  test("contains only complete files, even with many concurrent writes", async () => {
    const server = await counting({ "cache-control": "max-age=3600" });
    const folder = newFolder();
    const several = await Promise.all(Array.from({ length: 4 }, () => kept(server, folder)));
    await Promise.all(several.map(({ get }) => get("/same")));
    expect(await readdir(folder)).toHaveLength(1);
    expect(await several[0]?.get("/same")).toMatch(/ kept$/);
  });
});

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function sizeOf(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((a, b) => a + b, 0);
}
