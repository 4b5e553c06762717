import { expect, test } from "vitest";
import { contentOf } from "../../src/ingest/formats/registry.js";
import { rss } from "../../src/loaders/rss.js";
import { connectorContract, listed, textOf } from "./contract.js";
import { type Replied, smallServer } from "./server.js";

const signal = new AbortController().signal;

const RSS = (items: string) => `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/">
<channel><title>News</title><link>https://example.org</link>${items}</channel></rss>`;
const item = (id: string, text: string) =>
  `<item><guid isPermaLink="false">${id}</guid><title>${id}</title><link>https://example.org/${id}</link><description>${text}</description></item>`;

async function feed(reply: (path: string) => Replied | undefined) {
  const server = await smallServer(({ url }) => reply(url.pathname));
  return { ...server, url: `${server.address}/feed/?key=feed-very-secret` };
}

connectorContract("rss", async () => {
  const items = new Map([
    ["one", item("one", "First")],
    ["two", item("two", "Second")],
  ]);
  let isOpen = true;
  const server = await feed(() => (isOpen ? { body: RSS([...items.values()].join("")) } : { status: 401 }));
  return {
    ...server,
    connect: () => rss({ url: server.url }),
    id: "one",
    change: () => items.set("one", item("one", "First, and more")),
    remove: () => items.delete("one"),
    refuse: () => (isOpen = false),
    secrets: ["feed-very-secret"],
  };
});

test("an entry of RSS has its whole text, its address, date, author and categories", async () => {
  await using server = await feed(() => ({
    body: RSS(`<item><media:title>No</media:title><media:content url="x">No</media:content>
      <title>Leave &amp;amp; pay</title><link>/news/1</link><guid>n1</guid><description>Short</description>
      <content:encoded><![CDATA[<p>The <b>whole</b> text.</p>]]></content:encoded>
      <dc:creator>Ada</dc:creator><category>HR</category><category>Pay</category>
      <pubDate>Wed, 01 May 2024 09:00:00 GMT</pubDate></item>`),
  }));
  const [one] = await listed(rss({ url: server.url }));
  expect(one).toEqual({
    id: "n1",
    version: expect.any(String),
    title: "Leave & pay",
    url: `${server.address}/news/1`,
    changedAt: "2024-05-01T09:00:00.000Z",
    metadata: { author: ["Ada"], category: ["HR", "Pay"] },
  });
  const html = await textOf(rss({ url: server.url }), "n1");
  expect(html).toContain("<h1>Leave &#38; pay</h1>\n<p>The <b>whole</b> text.</p>");
});

test("an entry of Atom has its whole text, its address, date, author and categories", async () => {
  await using server = await feed(() => ({
    body: `<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><link href="https://example.org/"/>
      <entry><id>urn:1</id><title type="html">休假</title><link rel="self" href="/self"/><link rel="alternate" href="/1"/>
      <updated>2024-05-01T09:00:00Z</updated><published>2023-01-01T00:00:00Z</published><author><name>Ada</name></author>
      <category term="HR"/><summary>Short</summary>
      <content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>每年十天。</p></div></content></entry></feed>`,
  }));
  const [one] = await listed(rss({ url: server.url }));
  expect(one).toMatchObject({
    id: "urn:1",
    title: "休假",
    url: `${server.address}/1`,
    changedAt: "2024-05-01T09:00:00.000Z",
    metadata: { author: ["Ada"], category: ["HR"] },
  });
  const html = await textOf(rss({ url: server.url }), "urn:1");
  expect(await contentOf(Buffer.from(html ?? ""), "entry.html")).toMatchObject({
    title: "休假",
    text: "# 休假\n\n每年十天。",
  });
});

test("the pages behind the links are read, if they are on the host of the feed or public", async () => {
  await using inside = await smallServer(() => ({ headers: { "content-type": "text/html" }, body: "<p>secret</p>" }));
  const page =
    "<html><body><nav>Menu</nav><main><h1>Leave</h1><p>Staff get ten days of paid leave every year.</p></main></body></html>";
  await using server = await feed((path) => {
    if (path === "/feed/")
      return {
        body: RSS(
          ["/1", "/gone", `${inside.address}/x`, "javascript:alert(1)"]
            .map(
              (link, i) =>
                `<item><guid isPermaLink="false">${i}</guid><link>${link}</link><description>Short</description></item>`,
            )
            .join(""),
        ),
      };
    return path === "/1" ? { headers: { "content-type": "text/html" }, body: page } : undefined;
  });
  const connector = rss({ url: server.url, pages: true });
  const all = (await listed(connector)).sort((a, b) => (a.id < b.id ? -1 : 1));
  const read = (i: number) => connector.read(all[i] ?? { id: "" }, { signal });
  expect(await read(0)).toEqual({ text: expect.stringContaining("ten days of paid leave") });
  expect(await read(1)).toBeUndefined();
  await expect(read(2)).rejects.toThrow("is not fetched");
  expect(inside.asked).toEqual([]);
  expect(all[3]?.url).toBeUndefined();
  expect(await read(3)).toMatchObject({ name: "entry.html" });
  await connector.close?.();
});

test("what leaves the feed is kept, the first of two with one id counts, and one without an id gets one", async () => {
  await using server = await feed(() => ({
    body: RSS(`${item("a", "First")}${item("a", "Second")}<item><description>Alone</description></item>`),
  }));
  const connector = rss({ url: server.url });
  expect(connector.keepsOld).toBe(true);
  expect(await listed(connector)).toHaveLength(2);
  expect(await textOf(connector, "a")).toContain("First");
});

test("what is no feed is an error that says so", async () => {
  await using server = await feed((path) => (path === "/feed/" ? { body: "<html><item>No</item></html>" } : undefined));
  await expect(listed(rss({ url: server.url }))).rejects.toThrow(`What is at ${server.address}/feed/ is no feed`);
  await expect(listed(rss({ url: `${server.address}/none?key=1` }))).rejects.toThrow(
    `no feed at ${server.address}/none.`,
  );
  expect(() => rss({ url: "file:///etc/passwd" })).toThrow("the address of a feed");
});
