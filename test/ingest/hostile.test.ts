import { describe, expect, test } from "vitest";
import { chunk } from "../../src/ingest/chunk.js";
import { frontMatter } from "../../src/ingest/formats/front-matter.js";
import { htmlToMarkdown } from "../../src/ingest/formats/html.js";
import { decode, visible } from "../../src/text/decode.js";
import { headingText } from "../../src/text/markup.js";
import { CHINESE, flaw, markdown, plainText } from "./documents.js";

/** A parser with quadratic time exceeds the time limit of each test here. */
const levels = (n: number, line: (depth: number) => string) =>
  Array.from({ length: n }, (_, i) => line(i + 1)).join("\n");

describe("a hostile document is split into passages:", { timeout: 20_000 }, () => {
  test.each([
    ["one line of a megabyte", "word ".repeat(200_000)],
    ["one Chinese line of a megabyte", "字".repeat(350_000)],
    ["one word of a megabyte", "x".repeat(1_000_000)],
    ["a megabyte of sentences of one letter", "a. ".repeat(330_000)],
    ["lists 1,000 levels deep", levels(1000, (depth) => `${"  ".repeat(depth)}- item ${depth}`)],
    ["lists 2,000 levels deep on one line", `${"- ".repeat(2000)}a`],
    ["quotes 2,000 levels deep", levels(2000, (depth) => `${">".repeat(depth)} line ${depth}`)],
    ["quotes begun 20,000 times", "> ```\na\n".repeat(20_000)],
    ["quotes in lists begun 20,000 times", "- > ```\na\n".repeat(20_000)],
    ["100,000 lazy lines", `> > > a\n${"b\n".repeat(100_000)}`],
    ["20,000 underlined headings", "a\n=\n".repeat(20_000)],
    ["20,000 headings", "# a\n".repeat(20_000)],
    ["a heading of a megabyte", `# ${"*a [b](c ".repeat(110_000)}`],
    ["an unclosed code fence", `\`\`\`\n${"let a = 1;\n".repeat(30_000)}`],
    ["fences opened 30,000 times", "```\n~~~\n".repeat(30_000)],
    ["open brackets", "[".repeat(300_000)],
    ["open emphasis", "*a **a ".repeat(50_000)],
    ["100,000 definitions", "[a]: b\n".repeat(100_000)],
    ["unclosed comments", "<!--\n".repeat(30_000)],
    ["a ruler of 100,000 columns", `${"|".repeat(100_000)}\n${"|-".repeat(100_000)}\n| a |\n`],
    ["200,000 blank lines", `a${"\n".repeat(200_000)}b`],
    ["a million spaces", `a${" ".repeat(1_000_000)}b`],
    ["lines of nothing but spaces", `a\n${`${" ".repeat(1000)}\n`.repeat(1000)}b`],
    ["line separators", "a\u2028b\u2029\u0085c ".repeat(50_000)],
    ["lone surrogates", "\ud800 a \udc00".repeat(50_000)],
    ["zero-width joiners", "\u200d".repeat(200_000)],
    ["combining marks", `e${"\u0301".repeat(200_000)}`],
  ])("%s", (_name, text) => {
    expect(flaw(text, chunk(markdown(text)))).toBe("");
    expect(flaw(text, chunk(plainText(text)))).toBe("");
  });

  test("a cell of ten megabytes", () => {
    const text = `| a | b |\n|---|---|\n| ${"cell text ".repeat(1_000_000)} | y |\n| last | row |\n`;
    const passages = chunk(markdown(text));
    expect(flaw(text, passages)).toBe("");
    expect(Math.max(...passages.map((passage) => passage.text.length))).toBeLessThan(20_000);
  });

  test("a table header of a megabyte is not repeated above every part of the table", () => {
    const text = `| ${"column ".repeat(100_000)} | b |\n|---|---|\n${"| x | y |\n".repeat(2000)}`;
    const passages = chunk(markdown(text));
    expect(flaw(text, passages)).toBe("");
    expect(passages.reduce((sum, passage) => sum + passage.text.length, 0)).toBeLessThan(text.length * 1.1);
  });

  test("a table of 50,000 rows", () => {
    const text = `| a | b |\n|---|---|\n${Array.from({ length: 50_000 }, (_, i) => `| ${i} | b |\n`).join("")}`;
    const passages = chunk(markdown(text));
    expect(flaw(text, passages)).toBe("");
    expect(passages.every((passage) => passage.text.startsWith("| a | b |\n|---|---|\n"))).toBe(true);
  });
});

describe("hostile markup is read to the end:", { timeout: 20_000 }, () => {
  test.each([
    ["elements 100,000 levels deep", `${"<div>".repeat(100_000)}end`],
    ["lists 20,000 levels deep", `${"<ul><li>".repeat(20_000)}end`],
    ["quotes 20,000 levels deep", `${"<blockquote>".repeat(20_000)}end`],
    ["tables 3,000 levels deep", `${"<table><tr><td>".repeat(3000)}end`],
    ["links 10,000 levels deep", `${"<a><b>".repeat(10_000)}end`],
    ["headers in articles", `<article></article><article>${"<header>".repeat(50_000)}end`],
    [
      "a cell that spans everything",
      '<table><tr><td colspan="1000000000">a</td><td rowspan="9999999">b</td></tr><tr><td>end</td><td>c</td></tr></table>',
    ],
    ["a list that starts at the end of numbers", '<ol start="99999999999999999999"><li>end</li></ol>'],
    ["angle brackets", `${"<".repeat(1_000_000)} end`],
    ["fences in code", `<pre>${"```` ".repeat(100_000)}end</pre>`],
    ["attributes without end", `<p ${Array.from({ length: 20_000 }, (_, i) => `x${i}=1`).join(" ")}>end`],
    ["nothing closed", "<html><body><main><h1>end<table><tr><td>x<p><ul><li><em><pre>y"],
  ])("%s", (_name, html) => {
    expect(htmlToMarkdown(html).markdown).toContain("end");
  });

  test("empty markup has no text", () => {
    for (const html of ["", "\u0000", "<", "<!--", "</p></div>"])
      expect(htmlToMarkdown(html).markdown.trim().length).toBeLessThan(2);
  });
});

describe("hostile front matter", { timeout: 20_000 }, () => {
  test.each([
    ["an alias bomb", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b]\ntitle: *b"],
    ["lists without end", `a: ${"[".repeat(20_000)}`],
    ["mappings without end", "a: {".repeat(10_000)],
    ["keys without end", `title: ${"? ".repeat(10_000)}`],
    ["spaces without end", `date: a${" ".repeat(60_000)}b`],
    ["tags and prototypes", "__proto__: {title: x}\ntitle: !!js/function x"],
    ["quotes without end", `a: [${"'\"\\".repeat(20_000)}`],
    ["a list without end", `a: [${"x, ".repeat(20_000)}`],
    ["items without end", `a:\n${"- - - -\n".repeat(5_000)}`],
    ["no YAML at all", "title\n\t: [}"],
  ])("is ignored and is not in the text: %s", (_name, yaml) => {
    const text = `---\nkey: 1\n${yaml}\n---\nBody.`;
    const { title, reviewedAt, bodyStart } = frontMatter(text);
    expect([title, reviewedAt, text.slice(bodyStart)]).toEqual(["", "", "Body."]);
  });

  test("that never ends is text", () => {
    const text = `---\ntitle: x\n${"key: value\n".repeat(100_000)}`;
    expect(frontMatter(text).bodyStart).toBe(0);
  });
});

test("removing invisible characters keeps every word", { timeout: 20_000 }, () => {
  expect(visible(`${"\u200b\u202e\u{e0041}\0".repeat(100_000)}${CHINESE}`)).toBe(CHINESE);
});

test("any bytes give a text or a reason", () => {
  for (let length = 0; length < 300; length++) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 197 + length * 31) % 256);
    try {
      expect(typeof decode(bytes)).toBe("string");
    } catch (error) {
      expect(String(error)).toMatch(/Save it as UTF-8/);
    }
  }
});

test("the text of any heading is short and on one line", () => {
  expect(headingText(`# ${"[a](".repeat(100_000)}`).length).toBeLessThanOrEqual(200);
});
