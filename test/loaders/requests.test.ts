import { expect, test } from "vitest";
import { z } from "zod";
import { type Requests, requests } from "../../src/loaders/requests.js";
import { type Asked, smallServer } from "./server.js";

const SECRET = "s3cret-token";
const headers = { authorization: `Bearer ${SECRET}`, "private-token": SECRET };
const signal = new AbortController().signal;
const to = (baseURL: string) => requests({ source: "The wiki", baseURL, headers, perSecond: 1000 });
const json = async (wiki: Requests, ...asked: Parameters<Requests["reply"]>) =>
  (await wiki.reply(...asked)).as(z.unknown());

test("a limit and a fault are waited for, and the request is repeated", async () => {
  const replies = [
    { status: 429, headers: { "retry-after": "0" } },
    { status: 403, headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "1500000000" } },
    { status: 503, headers: { "retry-after": "0" } },
    { json: "here" },
  ];
  await using server = await smallServer(() => replies.shift());
  expect(await json(to(server.address), "/a", { signal })).toBe("here");
  expect(server.asked).toHaveLength(4);
});

test("a limit that is lifted too late is an error", async () => {
  await using server = await smallServer(() => ({ status: 429, headers: { "retry-after": "90000" } }));
  await expect(json(to(server.address), "/a", { signal })).rejects.toThrow("has reached its limit of requests");
  expect(server.asked).toHaveLength(1);
});

test("after the last request that a limit allows, the next one waits until it is lifted", async () => {
  const reset = `${Math.ceil(Date.now() / 1000) + 600}`;
  await using server = await smallServer(() => ({
    json: 1,
    headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset },
  }));
  const wiki = to(server.address);
  await json(wiki, "/a", { signal });
  await expect(json(wiki, "/b", { signal: AbortSignal.timeout(100) })).rejects.toThrow(/timeout/);
  expect(server.asked).toEqual(["GET /a"]);
});

test("a redirect keeps the headers within its origin, and loses them all elsewhere", async () => {
  const seen: Asked[] = [];
  await using elsewhere = await smallServer((asked) => {
    seen.push(asked);
    return { json: "there" };
  });
  await using server = await smallServer((asked) => {
    seen.push(asked);
    if (asked.url.pathname === "/far") return { status: 302, headers: { location: `${elsewhere.address}/b` } };
    return asked.url.pathname === "/near" ? { status: 301, headers: { location: "/far" } } : undefined;
  });
  const more = { "x-more": SECRET };
  expect(await json(to(server.address), "/near", { signal, method: "POST", body: "{}", headers: more })).toBe("there");
  expect(seen.map(({ method, headers }) => [method, headers["private-token"], headers["x-more"]])).toEqual([
    ["POST", SECRET, SECRET],
    ["GET", SECRET, SECRET],
    ["GET", undefined, undefined],
  ]);
  expect(JSON.stringify(seen.at(-1)?.headers)).not.toContain(SECRET);
});

test("an address of another origin is asked without the secret headers", async () => {
  await using server = await smallServer(({ headers }) => ({ json: headers["private-token"] ?? "none" }));
  expect(await json(to("http://127.0.0.1:9"), `${server.address}/a`, { signal })).toBe("none");
});

test("a source leads to no address that is more private than its own", async () => {
  for (const location of ["http://169.254.169.254/latest", "http://10.0.0.1/a", "http://[::ffff:a9fe:a9fe]/latest"]) {
    await using server = await smallServer(() => ({ status: 302, headers: { location } }));
    await expect(json(to(server.address), "/a", { signal })).rejects.toThrow(/leads to .* which is not followed/);
    expect(server.asked).toEqual(["GET /a"]);
  }
  await using here = await smallServer(() => ({ json: "secret" }));
  await expect(json(to("http://192.0.2.1"), `${here.address}/a`, { signal })).rejects.toThrow("a loopback address");
  expect(here.asked).toEqual([]);
});

test("endless redirects, and those to other protocols, are an error", async () => {
  for (const location of ["/again", "file:///etc/passwd"]) {
    await using server = await smallServer(() => ({ status: 302, headers: { location } }));
    await expect(json(to(server.address), "/again", { signal })).rejects.toThrow("may not be followed");
  }
});

test("what is not there is undefined as bytes, and an error as JSON", async () => {
  await using server = await smallServer(() => undefined);
  expect(await to(server.address).bytes("/gone?x=1", { signal })).toBeUndefined();
  await expect(json(to(server.address), "/gone?x=1", { signal })).rejects.toThrow(/has nothing at \/gone\. /);
});

test("a reply of more than 25 MB is an error that says it is too large", async () => {
  await using server = await smallServer(() => ({ body: new Uint8Array(25 * 2 ** 20 + 1) }));
  const failure = await to(server.address)
    .bytes("/a", { signal })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(RangeError);
  expect(failure).toHaveProperty("message", "The wiki sent more than 25 MB at once.");
});

test("a reply that breaks off is asked for again", async () => {
  let tries = 0;
  await using server = await smallServer((_, __, response) => {
    if (tries++ > 0) return { json: "whole" };
    response.writeHead(200, { "content-length": "100" }).write("half");
    setTimeout(() => response.destroy(), 10);
    return "written";
  });
  expect(await json(to(server.address), "/a", { signal })).toBe("whole");
});

test("messages contain no secret, also where the address holds one", async () => {
  await using server = await smallServer(() => ({ status: 401 }));
  const address = `${server.address}?key=${SECRET}`;
  const message = await json(to(address), "/a", { signal }).catch(({ message }: Error) => message);
  expect(message).toMatch(/refused the credentials \(401\)/);
  expect(message).not.toContain(SECRET);
  expect(() => to(`http://ada:${SECRET}@127.0.0.1`)).toThrow("must not contain a password");
  expect(() => to("ftp://127.0.0.1")).toThrow("must begin with https://");
});
