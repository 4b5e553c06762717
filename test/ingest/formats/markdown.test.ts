import { describe, expect, test } from "vitest";
import { asShown } from "../../../src/ingest/formats/markdown.js";
import { contentOf } from "../../../src/ingest/formats/registry.js";

const read = (text: string) => contentOf(new TextEncoder().encode(text), "a.md");

test("front matter in TOML gives a title and no text", async () => {
  const text =
    '+++\ntitle = "Ferry rules"\ndate = 2024-05-01\n[extra]\ntitle = "other"\n+++\nThe ferry leaves at six.\n';
  expect(await read(text)).toMatchObject({
    title: "Ferry rules",
    reviewedAt: "2024-05-01",
    text: "The ferry leaves at six.\n",
  });
});

test("a table in HTML becomes a Markdown table, even with blank lines in it", async () => {
  const html =
    '<div class="table-wrapper">\n<table>\n<tr><th>Boat</th><th>Leaves</th></tr>\n\n<tr><td><b>North</b></td><td>at six</td></tr>\n</table>\n</div>\n';
  const { text } = await read(`# Boats\n\n${html}\nNobody waits.\n`);
  expect(text).toBe("# Boats\n\n| Boat | Leaves |\n| --- | --- |\n| North | at six |\n\nNobody waits.\n");
});

test("entities form no mark of Markdown and no invisible character", async () => {
  const { text } = await read("a | b | c\n\n| d&#124;e | f |\n\ng&#8203;h&#10;# i\n");
  expect(text).toBe("a | b | c\n\n| d\\|e | f |\n\ngh # i\n");
});

test("a title has no anchor, template or emphasis", async () => {
  expect(await read('---\ntitle: "**Boats** {{ year }}{#boats}"\n---\n\nSix.\n')).toMatchObject({ title: "Boats" });
});

describe("invisible parts are left out:", () => {
  test.each([
    ["emphasis", "**Bold**, __bold__, *leaning*, _leaning_.", "Bold, bold, leaning, leaning."],
    ["emphasis in Chinese", "这是**重要**的*规定*。", "这是重要的规定。"],
    ["the target of a link", `See [the *rules*](https://a.org/#${"x".repeat(3_000)} "Rules").`, "See the rules."],
    ["a target with brackets", "See [rules](https://a.org/b_(c)) now.", "See rules now."],
    ["a picture's data", `![A boat](data:image/png;base64,${"A".repeat(300_000)}) here`, "A boat here"],
    ["a picture in a link", "[![Boat](b.png)](https://a.org) here", "Boat here"],
    ["a target behind brackets", "See [end( a [, b] )](https://a.org/#end) now.", "See end( a [, b] ) now."],
    ["a picture in a link by names", "[![Boat][b]][a] here\n\n[a]:https://a.org\n[b]:\n  b.png\n", "Boat here\n\n"],
    ["a tag alone in a list", "- six\n\n  <details>\n\n  seven\n\n  </details>\n", "- six\n\n  \n\n  seven\n\n  \n"],
    ["escapes", "Six \\[more\\] and a \\* b.", "Six [more] and a * b."],
    ["where names lead", "See [rules][r] and [r].\n\n[r]: https://a.org\n", "See rules and r.\n\n"],
    ["tags", 'Six<br/>seven <span class="a" @click="b">eight</span> <Badge text="x" />.', "Six seven eight ."],
    ["templates and anchors", "## Boats {#boats}\n\nAt {{ time }}six{% if a %}.\n", "## Boats\n\nAt six.\n"],
    ["marks of containers", "::: tip Note\nSix.\n:::\n", "Note\n\nSix.\n\n"],
    ["templates of Ruby", "# <%= current_page.title %>\n\nAt <% if a > b %>six<% end %>.\n", "\n\nAt six.\n"],
    ["comments of MDX", "At six. {/* at seven\n<b> */}\n", "At six. \n"],
    ["modules of MDX", 'import { Tab } from "tabs"\nexport const meta = { a: 1 }\n\nSix.\n', "\n\n\nSix.\n"],
    ["a place for contents", "[[toc]]\n\n[[_TOC_]]\n\n[TOC]\n\nSix.\n", "\n\n\n\n\n\nSix.\n"],
    ["the kind of a quote", "> [!WARNING]\n> Six.\n\n> [!note] Now\n", "> Six.\n\n> Now\n"],
    ["marks of footnotes", "Six[^1].\n\n[^1]: From May.\n", "Six.\n\nFrom May.\n"],
    ["processing instructions", '<?php echo 1; ?>\nSee [rules](<https://a.org/b c> "R").\n', "See rules.\n"],
    ["entities", "Six&nbsp;&ndash;&#32;7 &amp; &#x4e03; &unknown; `&amp;`\n", "Six – 7 & 七 &unknown; `&amp;`\n"],
    [
      "block tags in a cell",
      "| a | b |\n|-|-|\n| c | <ul><li>d</li><li>e</li></ul> |\n",
      "| a | b |\n|-|-|\n| c |  d  e  |\n",
    ],
    [
      "admonitions",
      '!!! warning "Deadline"\n    Book by **May**.\n\n    - or June\n\nSix.\n',
      "Deadline\n\nBook by May.\n\n- or June\n\nSix.\n",
    ],
    ["comments and scripts", "<!-- no -->\n\n<script>\nlet a\n\nlet b\n</script>\n\nSix.\n", "Six.\n"],
  ])("%s", (_name, markdown, shown) => {
    expect(asShown(markdown)).toBe(shown);
  });
});

describe("what changes the meaning of words is written in one way:", () => {
  test.each([
    [
      "struck text",
      "~~a~~ ~b~ <s>c</s> <del>d **e**</del> {--f--} {~~g~>h~~}",
      "~~a~~ ~~b~~ ~~c~~ ~~d e~~ ~~f~~ ~~g~~ h",
    ],
    ["struck text in Chinese", "餐费~~50元~~60元，<s>旧</s>", "餐费~~50元~~60元，~~旧~~"],
    [
      "powers",
      "10^5^ 10<sup>-5</sup> m<sup>2</sup> $10^{5}$ x<sup>a+b</sup> $4 \\times 10^5$",
      "10⁵ 10⁻⁵ m² 10⁵ x^(a+b) 4 × 10⁵",
    ],
    ["fractions and indices", "2<sup>1</sup>/<sub>2</sub> H~2~O log<sub>10</sub>5", "2 1/2 H2O log₁₀5"],
    ["references", 'Six.<sup><a href="#n1">1</a></sup>', "Six."],
    ["tasks", '- [X] a\n1. [ ] b\n- <input type="checkbox" checked> c\n', "- [x] a\n1. [ ] b\n- [x] c\n"],
    ["pictures", '<img src="a.png" alt="A boat"> here', "A boat here"],
  ])("%s", (_name, markdown, shown) => {
    expect(asShown(markdown)).toBe(shown);
  });
});

test.each([
  ["distances and homes", "from ~5 to ~7 km, 5~7天，8~10天, ~/a and ~/b\n"],
  ["prices", "costs $5 for 2^3 and $7, or $x_1^2$, 2^3^2\n"],
  ["inline code", "Set `__VUE_PROD_DEVTOOLS__` to `^20.19.0` or ``a `**b**` {{ c }}``.\n"],
  ["a code block", "```html\n<b>**a**</b> {{ b }} [c](d)\n```\n"],
  ["a code block in a list", "- step\n\n  ```\n  <b>**a**</b>\n  ```\n- next\n"],
  ["an indented code block", "a\n\n    <b>**a**</b>\n"],
  ["products, names and gaps", "2 * 3 * 4 and snake_case_name in room <number>, a < b > c, {a: 1}\n"],
  ["lists, tables and quotes", "* one\n  * two\n1. three\n\n| a | b |\n|---|---|\n| c | d |\n\n> e\n"],
  ["brackets", "Six [sic] and a[^b.\n"],
])("%s are unchanged", (_name, markdown) => {
  expect(asShown(markdown)).toBe(markdown);
});

test.each([
  "**a ",
  "[a](",
  "[a[b]",
  "[a [b] ",
  "[a](b",
  "![",
  "<a ",
  "{{ ",
  "`a ``b ",
  "<!-- ",
  "_a ",
  "*a ",
  "[a][",
  "<div>\n\n",
  "<% ",
  "{/* ",
  "&amp;",
  "&#9;",
  "!!! a\n",
  "<li>",
  "[a]: ",
])("200 kB of %j are read quickly", (mark) => {
  const start = process.cpuUsage();
  asShown(mark.repeat(200_000 / mark.length));
  // Microseconds of processor time, which a busy machine does not change.
  expect(process.cpuUsage(start).user).toBeLessThan(3_000_000);
});

test("the text of a notebook is read as Markdown, and its code is kept", async () => {
  const cells = [
    { cell_type: "markdown", source: "The <b>ferry</b> leaves **at six**." },
    { cell_type: "code", source: "a = '**b**'" },
  ];
  const notebook = new TextEncoder().encode(JSON.stringify({ cells, metadata: {}, nbformat: 4 }));
  const { text } = await contentOf(notebook, "a.ipynb");
  expect(text).toBe("The ferry leaves at six.\n\n```\na = '**b**'\n```");
});

describe("the date of the last review", () => {
  const body = "# Ferry\n\nThe filter was changed.\n\n".concat("Dogs are free.\n\n".repeat(20));
  const dateOf = async (text: string, name = "a.md") => (await contentOf(Buffer.from(text), name)).reviewedAt;

  test.each([
    ["Last reviewed: 2024-03-14", "a.md"],
    ["**Last updated:** 14 March 2024", "a.md"],
    ["_最后审核：2024年3月14日_", "a.md"],
    ["更新日期：2024年3月14日。", "a.txt"],
    ["Reviewed: 2024-03-14.", "a.txt"],
  ])("is read from a line of its own near the top or the end: %s", async (line, name) => {
    expect(await dateOf(`# Fares\n\n${line}\n\n${body}`, name)).toBe("2024-03-14");
    expect(await dateOf(`${body}${line}\n`, name)).toBe("2024-03-14");
  });

  test.each([
    ["in the middle", `${body}Last reviewed: 2024-03-14\n\n${body}`],
    ["of something else", `The map was last reviewed: 2024-03-14\n\n${body}`],
    ["in a sentence", `Updated: 2024-03-14 the fares of the night boat\n\n${body}`],
    ["that is no date", `Last reviewed: every spring\n\n${body}`],
  ])("is not read from a line %s", async (_name, text) => {
    expect(await dateOf(text)).toBe("");
  });

  test("is that of the front matter if there are both", async () => {
    expect(await dateOf(`---\nreviewed: 2024-05-01\n---\nLast reviewed: 2024-03-14\n`)).toBe("2024-05-01");
  });
});
