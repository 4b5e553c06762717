import type { Socket } from "node:net";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { fetchFrom, rawServer, reasonOf, type TestServer } from "./servers.js";

/** Hostile and broken servers, each with the result of a fetch. All are real servers on loopback. */
const LIMITS = { bytes: 100_000, totalMs: 20_000, headersMs: 20_000 };
const SOON = { ...LIMITS, totalMs: 250 };

const OK = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
const say = (text: string | Buffer) => (socket: Socket) => socket.end(text);
const redirect = (location: string, status = 302) =>
  say(`HTTP/1.1 ${status} Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`);
const packed = (coding: string, body: Buffer) => (socket: Socket) => {
  socket.write(`${OK}Content-Encoding: ${coding}\r\nContent-Length: ${body.length}\r\n\r\n`);
  socket.end(body);
};
const zeros = (bytes: number) => Buffer.alloc(bytes);

/** Repeats the same data, as fast as it is read or slowly. */
const forever =
  (head: string, again: string, everyMs = 0) =>
  (socket: Socket) => {
    socket.write(head);
    const go = () => {
      if (socket.destroyed) return;
      if (everyMs) setTimeout(go, everyMs);
      else setImmediate(go);
      if (socket.writableLength < 1_000_000) socket.write(again);
    };
    go();
  };

type Row = [what: string, reply: (socket: Socket, server: TestServer) => void, gets: string, limits?: typeof LIMITS];

const table: Row[] = [
  // Slow and endless.
  ["says nothing", () => {}, "unavailable: timeout", SOON],
  ["stops in the middle of its headers", (s) => s.write(OK), "unavailable: timeout", SOON],
  [
    "stops in the middle of its body",
    (s) => s.write(`${OK}Content-Length: 9\r\n\r\nabc`),
    "unavailable: timeout",
    SOON,
  ],
  ["drips its headers", forever(OK, "X: 1\r\n", 20), "unavailable: timeout", SOON],
  ["drips its body", forever(`${OK}\r\n`, "a", 20), "unavailable: timeout", SOON],
  ["drips chunks", forever(`${OK}Transfer-Encoding: chunked\r\n\r\n`, "1\r\na\r\n", 20), "unavailable: timeout", SOON],
  ["never ends", forever(`${OK}\r\n`, "a".repeat(1000)), "refused: too_large"],
  [
    "never ends, in chunks",
    forever(`${OK}Transfer-Encoding: chunked\r\n\r\n`, `3e8\r\n${"a".repeat(1000)}\r\n`),
    "refused: too_large",
  ],
  [
    "never ends, byte by byte",
    forever(`${OK}Transfer-Encoding: chunked\r\n\r\n`, "1\r\na\r\n".repeat(5000)),
    "refused: too_large",
  ],
  [
    "sends 20,000 chunks of a byte",
    say(`${OK}Transfer-Encoding: chunked\r\n\r\n${"1\r\na\r\n".repeat(20_000)}0\r\n\r\n`),
    "fetched",
  ],
  ["never ends its notes", forever("", "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"), "unavailable: protocol"],
  ["never ends its headers", forever("HTTP/1.1 200 OK\r\n", "X-A: b\r\n"), "refused: headers"],
  ["never ends one header", forever("HTTP/1.1 200 OK\r\nX-A: ", "b".repeat(1000)), "refused: headers"],
  ["never ends its status line", forever("HTTP/1.1 200 ", "OK".repeat(1000)), "refused: headers"],
  // A trailer counts as headers.
  ["never ends its trailer", forever(`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n`, "X-A: b\r\n"), "refused: headers"],
  [
    "never ends a chunk's extension",
    forever(`${OK}Transfer-Encoding: chunked\r\n\r\n1;a=`, "b".repeat(1000)),
    "unavailable: protocol",
  ],
  // Too many bytes.
  ["announces too much", (s) => s.write(`${OK}Content-Length: 100001\r\n\r\n`), "refused: too_large"],
  ["announces more than there is", say(`${OK}Content-Length: 99999999999999999999\r\n\r\n`), "unavailable: protocol"],
  ["sends one byte too many", say(`${OK}\r\n${"a".repeat(100_001)}`), "refused: too_large"],
  ["sends 150 headers", say(`${OK}${"X-A: b\r\n".repeat(150)}\r\n`), "refused: headers"],
  ["sends 20 kB of headers", say(`${OK}${`X-A: ${"b".repeat(1000)}\r\n`.repeat(20)}\r\nhello`), "fetched"],
  ["sends 40 kB of headers", say(`${OK}${`X-A: ${"b".repeat(1000)}\r\n`.repeat(40)}\r\n`), "refused: headers"],
  // Compression bombs: 30 MB of zeros each, or exactly the allowed size of a page.
  ["sends a gzip bomb", packed("gzip", gzipSync(zeros(30_000_000))), "refused: too_large"],
  ["sends a deflate bomb", packed("deflate", deflateSync(zeros(30_000_000))), "refused: too_large"],
  ["sends a Brotli bomb", packed("br", brotliCompressSync(zeros(30_000_000))), "refused: too_large"],
  ["sends a zstd bomb", packed("zstd", zstdCompressSync(zeros(30_000_000))), "refused: too_large"],
  [
    "sends a bomb that would fit",
    packed("gzip", gzipSync(zeros(3_000_000))),
    "refused: compression",
    { ...LIMITS, bytes: 4_000_000 },
  ],
  ["packs a bomb twice", packed("gzip, gzip", gzipSync(gzipSync(zeros(30_000_000)))), "unavailable: encoding"],
  ["sends a gzip stream without end", endlessGzip, "refused: too_large"],
  ["packs nothing, without end", emptyBlocks, "refused: too_large"],
  // Broken compression.
  ["says gzip and is not", packed("gzip", Buffer.from("<p>plain</p>")), "unavailable: encoding"],
  ["says br and is not", packed("br", Buffer.from("<p>plain</p>")), "unavailable: encoding"],
  ["says zstd and is not", packed("zstd", Buffer.from("<p>plain</p>")), "unavailable: encoding"],
  ["cuts its gzip short", packed("gzip", gzipSync("a".repeat(5000)).subarray(0, 20)), "unavailable: truncated"],
  ["breaks its gzip's checksum", packed("gzip", spoiled(gzipSync("a".repeat(5000)))), "unavailable: encoding"],
  ["packs in a way of its own", packed("rot13", Buffer.from("cynva")), "unavailable: encoding"],
  ["packs as constructor", packed("constructor", Buffer.from("plain")), "unavailable: encoding"],
  // Replies that are not HTTP.
  ["hangs up", (s) => s.destroy(), "unavailable: connection"],
  ["resets the connection", (s) => s.resetAndDestroy(), "unavailable: connection"],
  ["answers as HTTP/0.9", say("<html><p>Hello</p></html>"), "unavailable: protocol"],
  ["answers noise", say(Buffer.from([0, 255, 1, 254, 13, 10, 13, 10])), "unavailable: protocol"],
  ["answers as SSH", say("SSH-2.0-OpenSSH_9.6\r\n"), "unavailable: protocol"],
  ["answers as HTTP/2", say(Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 100])), "unavailable: protocol"],
  ["has a status that is a word", say("HTTP/1.1 fine OK\r\n\r\n"), "unavailable: protocol"],
  ["writes a null into a header", say(`${OK}X-A: a\0b\r\n\r\n`), "unavailable: protocol"],
  ["folds a header", say(`${OK}X-A: a\r\n b\r\n\r\nhello`), "unavailable: protocol"],
  ["ends lines with line feeds", say("HTTP/1.1 200 OK\nContent-Type: text/html\n\nhello"), "unavailable: protocol"],
  [
    "switches protocols",
    say("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
    "unavailable: protocol",
  ],
  // Lengths and chunks.
  ["sends less than it announced", say(`${OK}Content-Length: 100\r\n\r\nshort`), "unavailable: truncated"],
  ["sends more than it announced", say(`${OK}Content-Length: 5\r\n\r\nhello, and more`), "fetched"],
  ["has two lengths", say(`${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello`), "unavailable: protocol"],
  ["has a length below nothing", say(`${OK}Content-Length: -5\r\n\r\nhello`), "unavailable: protocol"],
  [
    "has a length and chunks",
    say(`${OK}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`),
    "unavailable: protocol",
  ],
  ["has a chunk without a size", say(`${OK}Transfer-Encoding: chunked\r\n\r\nhello\r\n`), "unavailable: protocol"],
  [
    "has a chunk of more than there is",
    say(`${OK}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello`),
    "unavailable: protocol",
  ],
  ["has no last chunk", say(`${OK}Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n`), "unavailable: truncated"],
  // Types.
  ["is a picture", say("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"), "refused: content_type"],
  ["is a program", say("HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n"), "refused: content_type"],
  ["is a script", say("HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\n\r\n"), "refused: content_type"],
  ["is drawn in XML", say("HTTP/1.1 200 OK\r\nContent-Type: image/svg+xml\r\n\r\n"), "refused: content_type"],
  ["does not say what it is", say("HTTP/1.1 200 OK\r\n\r\nhello"), "refused: content_type"],
  ["is almost HTML", say("HTTP/1.1 200 OK\r\nContent-Type: text/htmlx\r\n\r\n"), "refused: content_type"],
  [
    "is a stream without end",
    forever("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n", "a".repeat(1000)),
    "refused: content_type",
  ],
  // Statuses.
  ["is not found", say("HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\ngone"), "unavailable: status"],
  ["fails", say("HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\n\r\n"), "unavailable: status"],
  ["has not changed since never", say("HTTP/1.1 304 Not Modified\r\n\r\n"), "unavailable: status"],
  ["has a status from nowhere", say("HTTP/1.1 999 Request Denied\r\n\r\n"), "unavailable: status"],
  ["fails without end", forever("HTTP/1.1 500 Oops\r\n\r\n", "a".repeat(1000)), "unavailable: status"],
  // Redirects.
  ["redirects to a file", redirect("file:///etc/passwd", 301), "refused: scheme"],
  ["redirects to a script", redirect("javascript:alert(1)"), "refused: scheme"],
  ["redirects to data", redirect("data:text/html,hello"), "refused: scheme"],
  ["redirects to a password", redirect("http://user:secret@example.com/"), "refused: credentials"],
  ["redirects to Redis", redirect("http://example.com:6379/"), "refused: port"],
  ["redirects to metadata", redirect("http://169.254.169.254/latest/meta-data/"), "refused: address"],
  ["redirects to metadata, in decimal", redirect("//2852039166/", 307), "refused: address"],
  ["redirects to another port of its own", redirect("http://127.0.0.1:8080/", 308), "refused: address"],
  ["redirects to IPv6 loopback", redirect("http://[::1]/", 303), "refused: address"],
  ["redirects to no address", redirect("http://"), "refused: url"],
  ["redirects to nowhere", say("HTTP/1.1 302 Found\r\n\r\n"), "unavailable: status"],
  ["redirects to itself", redirect("/"), "refused: redirect_loop"],
  ["redirects to itself with a fragment", redirect("/#again"), "refused: redirect_loop"],
  ["redirects with nothing written", redirect(""), "refused: redirect_loop"],
  [
    "redirects in a circle of three",
    (s, { asked }) => redirect(`/${["b", "c", ""][(asked.length - 1) % 3]}`)(s),
    "refused: redirect_loop",
  ],
  ["redirects on and on", (s, { asked }) => redirect(`/${asked.length}`)(s), "refused: redirect_limit"],
  [
    "redirects with a body without end",
    forever("HTTP/1.1 302 Found\r\nLocation: ftp://a/\r\n\r\n", "a".repeat(1000)),
    "refused: scheme",
  ],
];

test.each(table)("a server that %s", async (_, reply, gets, limits = LIMITS) => {
  const server = await rawServer(reply);
  expect(await reasonOf(fetchFrom([server], { limits }).fetch(server.url))).toBe(gets);
});

test("a server without TLS behind an https address is an error", async () => {
  const server = await rawServer(say(`${OK}\r\nhello`));
  const secure = server.url.replace("http:", "https:");
  expect(await reasonOf(fetchFrom([server], { limits: LIMITS }).fetch(secure))).toBe("unavailable: tls");
});

test("a port without a server is an error", async () => {
  const gone = { allowed: "127.0.0.1:1", url: "http://127.0.0.1:1", port: 1, asked: [] };
  expect(await reasonOf(fetchFrom([gone]).fetch(gone.url))).toBe("unavailable: connection");
});

test("every connection is closed when the fetch ends, whatever its result", async () => {
  const open = new Set<Socket>();
  for (const [, reply, , limits = LIMITS] of table) {
    const server = await rawServer((socket, self) => {
      open.add(socket);
      socket.on("close", () => open.delete(socket));
      reply(socket, self);
    });
    await reasonOf(fetchFrom([server], { limits }).fetch(server.url));
  }
  await expect.poll(() => open.size, { timeout: 10_000 }).toBe(0);
}, 60_000);

test("a sixth redirect is not followed", async () => {
  const server = await rawServer((socket, { asked }) => redirect(`/${asked.length}`)(socket));
  expect(await reasonOf(fetchFrom([server]).fetch(server.url))).toBe("refused: redirect_limit");
  expect(server.asked).toHaveLength(6);
});

test("five redirects are followed, and each hop is requested once", async () => {
  const server = await rawServer((socket, { asked }) =>
    asked.length <= 5 ? redirect(`/${asked.length}`)(socket) : say(`${OK}\r\narrived`)(socket),
  );
  const page = await fetchFrom([server]).fetch(server.url);
  expect(page.url).toBe(`${server.url}/5`);
  expect(server.asked.map((request) => request.split(" ")[1])).toEqual(["/", "/1", "/2", "/3", "/4", "/5"]);
});

/** Compressed data that expands endlessly. */
function endlessGzip(socket: Socket) {
  const member = gzipSync(zeros(1_000_000));
  forever(`${OK}Content-Encoding: gzip\r\n\r\n`, member.toString("latin1"))(asLatin1(socket));
}

/** Empty blocks of compressed data, each of five bytes. */
function emptyBlocks(socket: Socket) {
  const block = "\x00\x00\x00\xff\xff";
  forever(`${OK}Content-Encoding: deflate\r\n\r\n\x78\x01`, block.repeat(1_000))(asLatin1(socket));
}

/** Writes strings byte by byte, not as UTF-8. */
function asLatin1(socket: Socket): Socket {
  socket.setDefaultEncoding("latin1");
  return socket;
}

function spoiled(packed: Buffer): Buffer {
  const at = packed.length - 6;
  packed.writeUInt8(packed.readUInt8(at) ^ 0xff, at);
  return packed;
}
