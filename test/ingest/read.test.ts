import { describe, expect, test } from "vitest";
import { chunk } from "../../src/ingest/chunk.js";
import { frontMatter } from "../../src/ingest/formats/front-matter.js";
import { htmlToMarkdown } from "../../src/ingest/formats/html.js";
import { decode, visible } from "../../src/text/decode.js";
import { isoDate } from "../../src/text/metadata.js";
import { markdown } from "./documents.js";

const bytes = (...values: number[]) => Uint8Array.from(values);
const utf8 = (text: string) => new TextEncoder().encode(text);

describe("the text of a file", () => {
  test("is UTF-8, with or without a byte order mark", () => {
    expect(decode(utf8("Größe 年假 😀"))).toBe("Größe 年假 😀");
    expect(decode(utf8("\ufeff年假"))).toBe("年假");
  });

  test("is UTF-16 with a byte order mark", () => {
    expect(decode(bytes(0xff, 0xfe, 0x74, 0x5e, 0x47, 0x50))).toBe("年假");
    expect(decode(bytes(0xfe, 0xff, 0x5e, 0x74, 0x50, 0x47))).toBe("年假");
  });

  test("is GB18030 if it is not valid UTF-8", () => {
    expect(decode(bytes(0xc4, 0xea, 0xbc, 0xd9, 0xa3, 0xac, 0x41))).toBe("年假，A");
  });

  test("is recognised as Big5, and as UTF-16 without a byte order mark", () => {
    const traditional = "第一班渡輪六點開出，末班十一點。";
    expect(decode(Buffer.from("b2c4a440af5ab4e7bdfca4bbc249b67da558a141a5bdaf5aa451a440c249a143", "hex"))).toBe(
      traditional,
    );
    const simplified = "第一班渡轮六点开出，末班十一点。";
    for (const text of [simplified, "The first ferry leaves at six."]) {
      expect(decode(Buffer.from(text, "utf16le"))).toBe(text);
      expect(decode(Buffer.from(text, "utf16le").swap16())).toBe(text);
    }
  });

  test("is windows-1252 if it has isolated accented bytes", () => {
    expect(decode(bytes(...utf8("R"), 0xe9, ...utf8("sum"), 0xe9, ...utf8(" of a caf"), 0xe9, 0x21))).toBe(
      "Résumé of a café!",
    );
  });

  test("keeps its words if a byte is invalid", () => {
    expect(decode(bytes(...utf8("公司为全体员工提供带薪年休假"), 0xff, ...utf8("五天")))).toBe(
      "公司为全体员工提供带薪年休假\ufffd五天",
    );
  });

  test("is in the encoding that the file declares", () => {
    expect(decode(bytes(0xa6, 0x7e, 0xb0, 0xb2), ["big5"])).toBe("年假");
    expect(decode(bytes(0xc4, 0xea, 0xbc, 0xd9, 0xa3, 0xac), ["no-such-encoding"])).toBe("年假，");
  });

  test("is refused with a reason if it is binary", () => {
    expect(() => decode(bytes(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1))).toThrow(/binary/);
    expect(() => decode(utf8("a\0b\0c\0"))).toThrow(/binary.*cannot be determined\. Save it as UTF-8/);
    expect(() => decode(bytes(0xff, 0xff, 0xff, 0xff))).toThrow(/encoding cannot be determined\. Save it as UTF-8/);
  });

  test("loses invisible characters, and keeps emoji and line ends", () => {
    expect(visible("a\u200bb\u202ec\u2066d\u00ade\0f\u0007g\ufeffh\u{e0041}")).toBe("abcdefgh");
    expect(visible("👩🏽‍💻 ❤️ a\tb\r\nc\u3000d")).toBe("👩🏽‍💻 ❤️ a\tb\r\nc\u3000d");
    expect(visible("年\u200d假")).toBe("年假");
    expect(visible("page one\fpage two")).toBe("page one\npage two");
  });
});

describe("front matter", () => {
  test.each([
    ["title: Leave: who and when # note\nreviewed: 2024-05-01", "Leave: who and when", "2024-05-01"],
    ['title: "The \\"old\\" rules"\nreviewed_at: 2024-05-01T09:00:00Z', 'The "old" rules', "2024-05-01"],
    ["title: 'It''s 年假'\nupdated: '2024/5/1'", "It's 年假", "2024-05-01"],
    ["date: 2024年5月1日\ntags: [a]", "", "2024-05-01"],
    ["date: 2023-01-01\nreviewed: 2024-05-01", "", "2024-05-01"],
    ["date: 2024-02-31\ntitle: {x: y}", "", ""],
    ["# comment\n\ntitle: x", "x", ""],
  ])("gives title and date: %s", (yaml, title, reviewedAt) => {
    for (const end of ["\n", "\r\n"]) {
      const text = `---\n${yaml}\n---\n# Body`.replaceAll("\n", end);
      const found = frontMatter(text);
      expect([found.title, found.reviewedAt, text.slice(found.bodyStart)]).toEqual([title, reviewedAt, "# Body"]);
    }
  });

  test.each([
    ['department: hr\nAuthor: "O\'Neil" # lead\n部门: 人事部', { department: "hr", author: "O'Neil", 部门: "人事部" }],
    [
      "validFrom: 2024-05-01\nvalid-until: 2025\n'Last reviewed': x",
      { valid_from: "2024-05-01", valid_until: "2025", last_reviewed: "x" },
    ],
    ["tags: [a, 'b, c', \"d\", a, ]", { tags: "a\nb, c\nd" }],
    ['tags:\n  - a\n  # no\n  - "b"\n\n- c\nowner: x', { tags: "a\nb\nc", owner: "x" }],
    ["a: b\na: c", { a: "b\nc" }],
    ["nested:\n  department: hr\n  tags:\n    - x\nlist:\n  - name: x\n  - y", { list: "y" }],
    ["text: |\n  department: hr\n  - x\nfolded: >-\n  more\nalias: *a\nmap: {a: b}\nempty:\nurl:x", {}],
    ["__proto__: hr\n__PROTO__:\n  - hr\n1st: x\na:b: x\n- c: d\nconstructor: x", { constructor: "x" }],
    [`long: ${"x".repeat(501)}\nlist: [${"y".repeat(501)}, z]\n${"k".repeat(61)}: x`, { list: "z" }],
  ])("gives all keys that have a value or a list: %j", (yaml, metadata) => {
    for (const end of ["\n", "\r\n"])
      expect(frontMatter(`---\n${yaml}\n---\nBody`.replaceAll("\n", end)).metadata).toEqual(metadata);
  });

  test("is limited in the size of a key and in total", () => {
    const many = frontMatter(`---\n${Array.from({ length: 1_000 }, (_, i) => `k${i}: ${i}`).join("\n")}\n---\n`);
    expect(Object.keys(many.metadata)).toHaveLength(50);
    const wide = frontMatter(
      `---\n${Array.from({ length: 40 }, (_, i) => `k${i}: ${"x".repeat(499)}${i}`).join("\n")}\n---\n`,
    );
    expect(Object.values(wide.metadata).join("").length).toBeLessThanOrEqual(4_000);
  });

  test("is not any text between rulers", () => {
    for (const text of ["---\nJust a sentence.\n---\n", "---\n- a\n---\n", "--- \n\n# A", "a\n---\ntitle: x\n---"])
      expect(frontMatter(text).bodyStart).toBe(0);
    expect(frontMatter("---\n---\nBody").bodyStart).toBe(8);
  });

  test("accepts only real dates", () => {
    expect(["2024-13-01", "20240501", "May 1", "2024-05-011", ""].map(isoDate)).toEqual(["", "", "", "", ""]);
  });
});

describe("a page", () => {
  const page = (body: string, head = "") =>
    htmlToMarkdown(`<!doctype html><html><head>${head}</head><body>${body}</body></html>`);

  test("keeps headings, lists, tables and code as Markdown", () => {
    const { markdown: text } = page(`<h1>Leave &amp; pay</h1><p>Five <b>days</b> of
      <a href="/x">leave</a>.</p><ol start="3"><li>one<ul><li>under<br>it</li></ul></li><li><p>two</p><p>more</p></li></ol>
      <table><caption>Days</caption><thead><tr><th>Name</th><th>Days</th></tr></thead><tr><td>Sick</td><td>10</td></tr>
      <tr><td colspan=2>all</td></tr></table><pre><code>if (a &lt; b) {\n  run();\n}\n</code></pre><blockquote><p>Said.</p></blockquote>
      <dl><dt>年假</dt><dd>五天</dd><dd>带薪</dd><dt>Sick leave:</dt><dd><p>ten days</p></dd>
      <dt><pre>run()</pre></dt><dd>runs it</dd></dl>`);
    expect(text).toBe(
      [
        "# Leave & pay",
        "Five days of leave.",
        "3. one\n   - under\n     it\n4. two\n   more",
        "Days",
        "|  | Name | Days |\n| --- | --- | --- |\n|  | Sick | 10 |\n| all |  |  |",
        "```\nif (a < b) {\n  run();\n}\n```",
        "> Said.",
        "年假:\n- 五天\n- 带薪",
        "Sick leave:\n- ten days",
        "```\nrun()\n```",
        "- runs it",
      ].join("\n\n"),
    );
  });

  test("leaves out invisible parts and the site around the text", () => {
    const { markdown: text } =
      page(`<header>Site</header><nav>Menu</nav><p>Body.</p><script>x()</script><style>p{}</style><!-- secret -->
      <p hidden>h1</p><p aria-hidden="true">h2</p><p style="color:red; display : none">h3</p><template>h4</template><noscript>h5</noscript>
      <form><input value="h6">Search</form><aside>Ad</aside><footer>Imprint</footer>`);
    expect(text).toBe("Body.");
  });

  test("consists of its main part with the header of that part", () => {
    const long = "This sentence is here to make the main part long enough. ".repeat(5).trim();
    expect(page(`<p>Promo</p><main><header><h1>T</h1></header><p>${long}</p></main>`).markdown).toBe(`# T\n\n${long}`);
    expect(page(`<p>Promo</p><div role="main"><p>${long}</p></div>`).markdown).toBe(long);
    expect(page(`<p>Promo</p><article><p>${long}</p></article>`).markdown).toBe(long);
    expect(page(`<article>${long}</article><article>Second</article>`).markdown).toContain("Second");
    expect(page(`<main>Loading</main><div>${long}</div>`).markdown).toContain(long);
  });

  test("has a title and a date", () => {
    const head = '<title> Leave \n policy</title><meta property="article:modified_time" content="2024-05-01T10:00Z">';
    expect(page("<h1>Other</h1>", head)).toMatchObject({ title: "Leave policy", modified: "2024-05-01" });
    expect(page("<h1>请假<br>制度</h1>")).toMatchObject({ title: "请假 制度", modified: "", markdown: "# 请假 制度" });
  });

  test("whose tables are only layout is read as text", () => {
    expect(page("<table><tr><td><h2>A</h2><p>one</p></td><td>two</td></tr></table>").markdown).toBe(
      "## A\n\none\n\ntwo",
    );
    expect(page("<table><tr><td>only</td></tr><tr><td>column</td></tr></table>").markdown).toBe("only\n\ncolumn");
  });

  test("has code fences that are longer than any inside its code", () => {
    const { markdown: text } = page("<pre>```js\nx\n```</pre><p>after</p>");
    expect(text).toBe("````\n```js\nx\n```\n````\n\nafter");
    expect(chunk(markdown(text))).toHaveLength(1);
  });
});
