import { expect, test } from "vitest";
import { checkedLookup } from "../../../src/tools/web/fetch-exchange.js";
import { safeFetch } from "../../../src/tools/web/safe-fetch.js";
import { reasonOf } from "./servers.js";

/** Addresses that must never be requested, each with the reason. No test here opens a connection. */
const fetching = safeFetch({ resolve: async (host) => Promise.reject(new Error(`${host} was looked up`)) });

const CREDENTIALS = "http://user:secret@example.com/";

test.each([
  // Invalid addresses.
  ["nothing", "", "url"],
  ["words", "the emend handbook", "url"],
  ["a path", "/etc/passwd", "url"],
  ["no host", "http://", "url"],
  ["a space in the host", "http://exa mple.com/", "url"],
  ["a null character in the host", "http://example.com%00.evil.test/", "url"],
  ["a slash in the host", "http://example.com%2fevil.test/", "url"],
  ["an IPv6 address without brackets", "http://::1/", "url"],
  ["an IPv6 address with a name behind it", "http://[::1].example.com/", "url"],
  ["an IPv6 zone", "http://[fe80::1%25eth0]/", "url"],
  ["an IPv6 zone, not escaped", "http://[fe80::1%eth0]/", "url"],
  ["an octal number that is none", "http://08.1.1.1/", "url"],
  ["a number beyond IPv4", "http://4294967296/", "url"],
  ["five numbers", "http://127.0.0.1.1/", "url"],
  ["a port beyond ports", "http://example.com:65536/", "url"],
  ["a port that is a word", "http://example.com:http/", "url"],
  ["a dot as host", "http://./", "url"],
  ["two dots at the end of the host", "http://example.com../", "url"],
  ["two dots inside the host", "http://example..com/", "url"],
  ["an address of 5,000 characters", `http://example.com/${"a".repeat(5000)}`, "url"],
  // Other schemes.
  ["a file", "file:///etc/passwd", "scheme"],
  ["a file in mixed case", "FiLe:///etc/passwd", "scheme"],
  ["a script", "javascript:alert(1)", "scheme"],
  ["data", "data:text/html,<h1>hello</h1>", "scheme"],
  ["ftp", "ftp://example.com/file", "scheme"],
  ["gopher, the way to speak to Redis", "gopher://127.0.0.1:6379/_FLUSHALL", "scheme"],
  ["a blob", "blob:https://example.com/1", "scheme"],
  ["a web socket", "ws://example.com/", "scheme"],
  ["the source of a page", "view-source:http://example.com/", "scheme"],
  ["a dictionary", "dict://127.0.0.1:11211/stats", "scheme"],
  // Credentials.
  ["a user and a password", CREDENTIALS, "credentials"],
  ["a host that looks like a user", "http://example.com@127.0.0.1/", "credentials"],
  ["a host and port that look like a user", "http://example.com:80@127.0.0.1/", "credentials"],
  ["an escaped at sign before the at sign", "http://a%40b@127.0.0.1/", "credentials"],
  ["two at signs", "http://a@b@127.0.0.1/", "credentials"],
  ["a backslash before the at sign", "http://127.0.0.1\\@example.com/", "address"],
  // Ports.
  ["SSH", "http://example.com:22/", "port"],
  ["mail", "http://example.com:25/", "port"],
  ["Redis", "http://example.com:6379/", "port"],
  ["port 0", "http://example.com:0/", "port"],
  ["https on an odd port", "https://example.com:9200/", "port"],
  // Private and special IPv4 addresses.
  ["loopback", "http://127.0.0.1/", "address"],
  ["loopback over https", "https://127.0.0.1/", "address"],
  ["another loopback", "http://127.8.8.8/", "address"],
  ["a dot at the end", "http://127.0.0.1./", "address"],
  ["a decimal number", "http://2130706433/", "address"],
  ["a hexadecimal number", "http://0x7f000001/", "address"],
  ["an octal number", "http://017700000001/", "address"],
  ["octal parts", "http://0177.0.0.01/", "address"],
  ["hexadecimal parts in capitals", "HTTP://0X7F.0X0.0X0.0X1/", "address"],
  ["mixed parts", "http://0x7f.0.0.01/", "address"],
  ["a short form", "http://127.1/", "address"],
  ["a shorter form", "http://0/", "address"],
  ["full-width digits", "http://１２７.０.０.１/", "address"],
  ["circled digits", "http://①②⑦.⓪.⓪.①/", "address"],
  ["ideographic full stops", "http://127。0。0。1/", "address"],
  ["escaped digits", "http://%31%32%37.0.0.1/", "address"],
  ["line ends and tabs inside", "ht\ntp://127\t.0.0.1/", "address"],
  ["spaces around", "  http://127.0.0.1/  ", "address"],
  ["no slashes", "http:127.0.0.1/", "address"],
  ["backslashes", "http:\\\\127.0.0.1\\", "address"],
  ["an allowed port", "http://127.0.0.1:8080/", "address"],
  ["unspecified", "http://0.0.0.0/", "address"],
  ["this network", "http://0.1.2.3/", "address"],
  ["private 10/8", "http://10.0.0.1/", "address"],
  ["private 172.16/12, its last", "http://172.31.255.255/", "address"],
  ["private 192.168/16", "http://192.168.1.1/", "address"],
  ["shared by a provider", "http://100.64.0.1/", "address"],
  ["link-local", "http://169.254.1.1/", "address"],
  ["metadata of AWS, GCP and Azure", "http://169.254.169.254/latest/meta-data/", "address"],
  ["the same, decimal", "http://2852039166/", "address"],
  ["the same, octal", "http://0251.0376.0251.0376/", "address"],
  ["metadata of containers", "http://169.254.170.2/v2/credentials", "address"],
  ["metadata of Alibaba", "http://100.100.100.200/latest/meta-data/", "address"],
  ["metadata of Oracle", "http://192.0.0.192/latest/", "address"],
  ["Azure's agent, on a public address", "http://168.63.129.16/machine?comp=goalstate", "address"],
  ["benchmarks", "http://198.18.0.1/", "address"],
  ["documentation 1", "http://192.0.2.1/", "address"],
  ["documentation 2", "http://198.51.100.1/", "address"],
  ["documentation 3", "http://203.0.113.1/", "address"],
  ["a relay of 6to4", "http://192.88.99.1/", "address"],
  ["multicast", "http://224.0.0.1/", "address"],
  ["reserved", "http://240.0.0.1/", "address"],
  ["broadcast", "http://255.255.255.255/", "address"],
  // Private and special IPv6 addresses.
  ["IPv6 loopback", "http://[::1]/", "address"],
  ["IPv6 loopback in full", "http://[0000:0000:0000:0000:0000:0000:0000:0001]/", "address"],
  ["IPv6 unspecified", "http://[::]/", "address"],
  ["IPv4-mapped", "http://[::ffff:127.0.0.1]/", "address"],
  ["IPv4-mapped in hexadecimal", "http://[::FFFF:7f00:1]/", "address"],
  ["IPv4-mapped, and public", "http://[::ffff:8.8.8.8]/", "address"],
  ["IPv4-translated", "http://[::ffff:0:127.0.0.1]/", "address"],
  ["IPv4-compatible", "http://[::127.0.0.1]/", "address"],
  ["NAT64", "http://[64:ff9b::7f00:1]/", "address"],
  ["NAT64 of a local network", "http://[64:ff9b:1::10.0.0.1]/", "address"],
  ["6to4", "http://[2002:7f00:1::1]/", "address"],
  ["Teredo", "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/", "address"],
  ["unique local", "http://[fc00::1]/", "address"],
  ["metadata of AWS over IPv6", "http://[fd00:ec2::254]/latest/", "address"],
  ["metadata of GCP over IPv6", "http://[fd20:ce::254]/", "address"],
  ["IPv6 link-local", "http://[fe80::1]/", "address"],
  ["site-local", "http://[fec0::1]/", "address"],
  ["IPv6 multicast", "http://[ff02::1]/", "address"],
  ["IPv6 documentation", "http://[2001:db8::1]/", "address"],
  ["IPv6 documentation, the newer", "http://[3fff::1]/", "address"],
  ["IPv6 benchmarks", "http://[2001:2::1]/", "address"],
  ["IPv6 discard", "http://[100::1]/", "address"],
  ["segment routing", "http://[5f00::1]/", "address"],
  ["never handed out", "http://[4000::1]/", "address"],
])("%s is refused before any request: %s (%s)", async (_, url, reason) => {
  expect(await reasonOf(fetching.fetch(url))).toBe(`refused: ${reason}`);
});

test.each([
  ["loopback", ["127.0.0.1"]],
  ["IPv6 loopback", ["::1"]],
  ["a private address", ["10.11.12.13"]],
  ["metadata", ["169.254.169.254"]],
  ["an IPv4-mapped address", ["::ffff:10.0.0.1"]],
  ["a translated address", ["64:ff9b::a00:1"]],
  ["a public address and a private one", ["93.184.215.14", "192.168.0.1"]],
  ["a private one first", ["192.168.0.1", "93.184.215.14"]],
  ["a public IPv4 address and IPv6 loopback", ["93.184.215.14", "::1"]],
  ["a link-local address with its zone", ["fe80::1%lo"]],
  ["what is no address", ["localhost"]],
  ["an octal spelling", ["0177.0.0.1"]],
])("a public name that resolves to %s is refused: %j", async (_, addresses) => {
  const resolving = safeFetch({ robots: false, politeness: { delayMs: 0 }, resolve: async () => addresses });
  for (const url of ["http://pages.example/", "https://pages.example/", "http://例え.example./"])
    expect(await reasonOf(resolving.fetch(url))).toBe("refused: address");
});

test.each([
  ["an unknown name", "ENOTFOUND"],
  ["a resolver that is out of order", "EAI_AGAIN"],
])("%s is reported as a DNS failure", async (_, code) => {
  const resolving = safeFetch({
    robots: false,
    resolve: () => Promise.reject(Object.assign(new Error(), { code })),
  });
  expect(await reasonOf(resolving.fetch("http://pages.example/"))).toBe("unavailable: dns");
});

test("a name without addresses is reported as a DNS failure", async () => {
  expect(await reasonOf(safeFetch({ robots: false, resolve: async () => [] }).fetch("http://pages.example/"))).toBe(
    "unavailable: dns",
  );
});

test.each([
  ["mixed case", "http://EXAMPLE.Com/", "example.com"],
  ["Cyrillic letters that look Latin", "http://аpple.com/", "xn--pple-43d.com"],
  ["Chinese", "http://例子.测试/", "xn--fsqu00a.xn--0zwm56d"],
  ["full-width letters", "http://ｅｘａｍｐｌｅ.com/", "example.com"],
  ["a soft hyphen", "http://exam\u00adple.com/", "example.com"],
  ["a dot at the end", "http://example.com./", "example.com"],
])("a host written in %s is looked up in its canonical form", async (_, url, host) => {
  const asked: string[] = [];
  const resolving = safeFetch({
    robots: false,
    resolve: async (name) => {
      asked.push(name);
      return [];
    },
  });
  await resolving.fetch(url).catch(() => {});
  expect(asked).toEqual([host]);
});

test("a changed DNS answer is checked again for each connection", async () => {
  const answers = [["93.184.215.14"], ["127.0.0.1"], ["93.184.215.14"]];
  const lookup = checkedLookup(new URL("http://pages.example/"), async () => answers.shift() ?? [], new Set());
  const asked = () =>
    new Promise((settled) =>
      lookup("pages.example", { all: true }, (error, found) => settled(error ? error.name : found)),
    );
  expect(await asked()).toEqual([{ address: "93.184.215.14", family: 4 }]);
  expect(await asked()).toBe("FetchRefusedError");
  expect(await asked()).toEqual([{ address: "93.184.215.14", family: 4 }]);
});

test("an error explains how to allow a host only if it can be allowed", async () => {
  const message = (url: string) => fetching.fetch(url).catch((error: Error) => error.message);
  expect(await message("http://10.1.2.3/wiki")).toContain("put 10.1.2.3:80 among the allowed private hosts");
  expect(await message("http://169.254.169.254/")).not.toContain("allowed");
});

test("an error shows no password", async () => {
  for (const url of [CREDENTIALS, "http:user:secret@example.com/", "http://user:secret@exa mple.com/"]) {
    const error = await fetching.fetch(url).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(JSON.stringify([String(error), { ...(error as object) }])).not.toContain("secret");
  }
});
