import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blocks, codeIn } from "../../src/text/blocks.js";
import { outlineOf } from "../../src/text/outline.js";
import { strips } from "../../src/text/strips.js";
import { hasWords } from "../../src/text/tokens.js";

const cut = (text: string) => outlineOf(text).map(({ start, end }) => text.slice(start, end));

describe("sentences", () => {
  test.each([
    ["full stops", "It opens at nine. It closes at five.", ["It opens at nine.", "It closes at five."]],
    ["questions and calls", "Really? Yes! Go.", ["Really?", "Yes!", "Go."]],
    ["initials before a name", "It is by Robert J. May. It is long.", ["It is by Robert J. May.", "It is long."]],
    ["titles", "Dr. Smith met Mr. J. K. Lee. They spoke.", ["Dr. Smith met Mr. J. K. Lee.", "They spoke."]],
    [
      "abbreviations",
      "Use tools, e.g. hammers, in the U.S. market. The rest waits.",
      ["Use tools, e.g. hammers, in the U.S. market.", "The rest waits."],
    ],
    [
      "an abbreviation that ends one",
      "We moved to the U.S. The office grew.",
      ["We moved to the U.S.", "The office grew."],
    ],
    [
      "decimals and versions",
      "It costs 3.5 euros. See No. 5 for v2.3.1 notes.",
      ["It costs 3.5 euros.", "See No. 5 for v2.3.1 notes."],
    ],
    [
      "closing quotes and footnotes",
      "He said “stop.” Then left.[12] Nobody came.",
      ["He said “stop.”", "Then left.[12]", "Nobody came."],
    ],
    [
      "hard-wrapped lines",
      "The office opens\nat nine. It closes\nat five.",
      ["The office opens\nat nine.", "It closes\nat five."],
    ],
    ["paragraphs", "First thing\n\nSecond thing", ["First thing", "Second thing"]],
    [
      "中文句号",
      "公司九点开门。五点关门！有问题吗？请来电；谢谢",
      ["公司九点开门。", "五点关门！", "有问题吗？", "请来电；", "谢谢"],
    ],
    ["中文引号", "他说：“可以。”大家同意。", ["他说：“可以。”", "大家同意。"]],
    ["中文小数与网址", "价格为3.5元。见 a.b.com 说明。", ["价格为3.5元。", "见 a.b.com 说明。"]],
    ["headings", "# Leave policy\nStaff get 20 days.", ["Leave policy", "Staff get 20 days."]],
    [
      "list items",
      "- one thing\n- two things\n  go on here\n1. three",
      ["one thing", "two things\n  go on here", "three"],
    ],
    ["中文列表", "一、申请\n二、审批\n（三）归档", ["申请", "审批", "归档"]],
    ["table rows", "| Plan | Price |\n|---|---|\n| Pro. Max | $20. |", ["| Plan | Price |", "| Pro. Max | $20. |"]],
    [
      "code",
      "Run:\n\n```sh\nnpm ci. Then\nnpm test\n\nls\n```\nDone.",
      ["Run:", "npm ci. Then\nnpm test", "ls", "Done."],
    ],
    ["code on a line of its own", "```npm ci```\nThen test.", ["```npm ci```\nThen test."]],
    ["a quoted paragraph", "> Stay calm.\n> Go on.", ["Stay calm.", "Go on."]],
    ["no words", "--- … ！\n\n***", []],
  ])("keeps %s", (_name, text, expected) => {
    expect(cut(text)).toEqual(expected);
  });

  test("give the kind of every unit: heading, prose, item, row or code", () => {
    const text = "# Title\nText.\n- item\n| a | b |\n```\ncode\n```";
    expect(outlineOf(text).map(({ kind }) => kind)).toEqual(["heading", "prose", "item", "row", "code"]);
  });

  test("are cut at a maximum length if they never end", () => {
    for (const text of ["word ".repeat(20_000), "字".repeat(20_000), "x".repeat(20_000), "😀".repeat(5_000)]) {
      for (const { start, end } of outlineOf(text)) expect(end - start).toBeLessThanOrEqual(1200);
    }
  });
});

describe("an outline knows", () => {
  test.each([
    ["marks", "# A\n\n## B\n\nb.\n\n### C\n\nc.\n\n## D\n\nd."],
    ["underlines, of one mark too", "A\n=\n\nB\n--\n\nb.\n\n### C\n\nc.\n\nD\n-----\nd."],
    ["lines that end as they did on old Macs", "# A\r\r## B\r\rb.\r\r### C\r\rc.\r\r## D\r\rd."],
  ])("the headings above a sentence, by %s", (_name, text) => {
    const prose = outlineOf(text).filter(({ kind }) => kind === "prose");
    expect(prose.map(({ text, headings }) => [...headings, text].join(" "))).toEqual(["A B b.", "A B C c.", "A D d."]);
  });

  test("the header above a row, also if one table follows another", () => {
    const text = "| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |\n| 3 |";
    const rows = outlineOf(text);
    expect(rows.map(({ head }) => head?.text)).toEqual([undefined, "| a |", undefined, "| b |", "| b |"]);
    expect(new Set(rows.map(({ group }) => group)).size).toBe(2);
    expect(rows.map(({ states }) => states)).toEqual([false, true, false, true, true]);
  });

  test("whether a table has a ruler below its header", () => {
    const rows = (text: string) => outlineOf(text).map(({ isRuled }) => isRuled);
    expect(rows("| a |\n| 1 |")).toEqual([false, false]);
    expect(rows("| a |\n|---|\n| 1 |")).toEqual([true, true]);
    expect(rows("| a |\n\n---\n| 1 |")).toEqual([false, false]);
  });

  test("the sentence that introduces a list or a nested list", () => {
    const items = outlineOf("Bring:\n\n- a pass\n- tools:\n  - a saw\n- 茶\n\nThat is all.\n\n- no lead");
    expect(items.filter(({ kind }) => kind === "item").map(({ text, lead }) => `${lead?.text} ${text}`)).toEqual([
      "Bring: a pass",
      "Bring: tools:",
      "tools: a saw",
      "Bring: 茶",
      "undefined no lead",
    ]);
  });

  test.each([
    [
      "English",
      "Ann Lee runs the shop. She is in on Mondays.\n\nShe left.",
      "Ann Lee runs the shop. She is in on Mondays.",
    ],
    ["Chinese", "罗听雪管理码头。她每周三在馆。\n\n她走了。", "罗听雪管理码头。她每周三在馆。"],
    [
      "an answer",
      "**Q: Do you ship to Brazil?**\nA: Not directly.\n\nWe ship.",
      "**Q: Do you ship to Brazil?**\nA: Not directly.",
    ],
    ["回答", "问：可以退货吗？\n答：不可以。\n\n再见。", "问：可以退货吗？\n答：不可以。"],
  ])(
    "the sentence before one that begins with a pronoun or answers it, within a paragraph: %s",
    (_name, text, expected) => {
      const [, leaning, last] = outlineOf(text);
      expect(text.slice(leaning?.from, leaning?.end)).toBe(expected);
      expect(last?.from).toBe(last?.start);
    },
  );

  test.each([
    ["a heading", "# Leave"],
    ["a question", "Who pays?"],
    ["a link", "[Guide](https://a.example/b)"],
    ["the first row of a table", "| Plan | Price |"],
  ])("that %s states nothing", (_name, text) => {
    expect(outlineOf(text).map(({ states }) => states)).toEqual([false]);
  });
});

describe("blocks", () => {
  const kinds = (text: string) => blocks(text).map(({ kind, lines }) => [kind, text.slice(lines.start, lines.end)]);

  test("include their marks, fences, rulers and underlines", () => {
    const parts = [
      "A\n=",
      "- item\n  goes on",
      "```ts\ncode\n\nmore\n```",
      "| a |\n|---|",
      "> said",
      "<div>\nwords\n</div>",
    ];
    expect(kinds(parts.join("\n\n")).map(([, lines]) => lines)).toEqual(parts);
  });

  test.each([
    ["up to a blank line", "<div>\nin\n\nout", "<div>\nin"],
    ["up to the end of a comment", "<!-- in\n\nin -->\nout", "<!-- in\n\nin -->"],
    ["up to the end of a script", "<script>\nin\n\nin</script>\nout", "<script>\nin\n\nin</script>"],
  ])("of HTML extend %s", (_name, text, expected) => {
    expect(kinds(text)).toEqual([
      ["html", expected],
      ["prose", "out"],
    ]);
  });

  test.each(["Press <b>now</b> and wait.", "Give\n<name>\nand a date.", "2 <5 and 7> 3"])(
    "of HTML are not assumed in: %s",
    (text) => {
      expect(kinds(text)).toEqual([["prose", text]]);
    },
  );

  test.each([
    ["fenced", "~~~\nrun();\n~~~", true],
    ["indented", "    run();", true],
    ["indented, but a sentence", "    It opens at eight.", false],
    ["indented in a list", "- item\n\n    run()", false],
  ])("of code are distinguished from prose: %s", (_name, text, expected) => {
    expect(codeIn(text).length > 0).toBe(expected);
  });
});

const unit = fc.constantFrom(
  "a",
  "B",
  " ",
  "\n",
  "\n\n",
  ". ",
  ".",
  "。",
  "！",
  "”",
  "- ",
  "# ",
  "| ",
  "|",
  "```",
  "```\n",
  "1. ",
  "> ",
  "e.g. ",
  "3.5",
  "年",
  "😀",
  "\ud83d",
  "\r",
  "\t",
  "[1]",
  "---",
  "一、",
);
const hostile = fc.array(unit, { maxLength: 60 }).map((parts) => parts.join(""));

describe("offsets of an outline", () => {
  test("are trimmed, in order, do not overlap, and cover every word that is not markup", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const found = outlineOf(text);
        for (const [i, { start, end }] of found.entries()) {
          const words = text.slice(start, end);
          expect(words).toBe(words.trim());
          expect(hasWords(words)).toBe(true);
          expect(start).toBeGreaterThanOrEqual(found[i - 1]?.end ?? 0);
        }
        const inside = found.map(({ start, end }) => text.slice(start, end)).join("");
        // The info string of a fence is not text.
        if (text.includes("```")) return;
        const letters = (s: string) => s.replace(/[^aB年]/g, "");
        expect(letters(inside)).toBe(letters(text));
      }),
      { numRuns: 1000 },
    );
  });

  test("of strips cover complete sentences, in order", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const groups = strips(text);
        for (const sentence of outlineOf(text)) {
          expect(groups.filter(({ start, end }) => start <= sentence.start && sentence.end <= end)).toHaveLength(1);
        }
        for (const [i, { start }] of groups.entries()) expect(start).toBeGreaterThanOrEqual(groups[i - 1]?.end ?? 0);
      }),
      { numRuns: 1000 },
    );
  });
});

describe("strips", () => {
  const cutStrips = (text: string) => strips(text).map(({ start, end }) => text.slice(start, end));

  test("have about three sentences", () => {
    const text = Array.from({ length: 7 }, (_, i) => `Sentence ${i} has some words in it.`).join(" ");
    expect(cutStrips(text).map((strip) => strip.split(". ").length)).toEqual([3, 3, 1]);
  });

  test("have at most about 60 words or 120 Chinese characters", () => {
    expect(cutStrips(`${"word ".repeat(40)}. ${"Word ".repeat(40)}.`)).toHaveLength(2);
    expect(cutStrips(`${"字".repeat(80)}。${"字".repeat(80)}。`)).toHaveLength(2);
  });

  test("keep a heading with the text below it", () => {
    expect(cutStrips("First part.\n\n## Leave\n\nStaff get 20 days.")).toEqual([
      "First part.",
      "Leave\n\nStaff get 20 days.",
    ]);
  });
});
