import { expect, test } from "vitest";
import { readHtmlPage } from "../../../src/tools/web/read-page.js";
import { ENGLISH } from "./pages.js";

/** Work of quadratic time on these would exceed the limit, which is far above their normal time. */
const MANY = 100_000;
const LIMIT = 60_000;
const TEXT = ENGLISH.paragraphs.map((text) => `<p>${text}</p>`).join("");

test.each([
  ["elements inside each other", "<div>".repeat(MANY)],
  ["lists inside each other", "<ul><li>".repeat(MANY)],
  ["quotes inside each other", "<blockquote>".repeat(MANY)],
  ["tables inside each other", "<table><tr><td>".repeat(MANY)],
  ["lines inside each other", "<span>".repeat(MANY)],
  ["unclosed paragraphs", "<p>a".repeat(MANY)],
  ["bold that is never closed, in paragraphs", "<b><p>x".repeat(MANY)],
  ["links that close in the wrong order", "<a><div>x</a>".repeat(MANY)],
  ["formats that close in the wrong order", `${"<b><i><u><div>".repeat(70)}${"</b></i></u>".repeat(MANY)}`],
  ["ends without a start", "</div></p></span>".repeat(MANY)],
  ["ends without a start, deep down", "<div>".repeat(MANY) + "</section>".repeat(MANY)],
  ["a large attribute", `<div class="${"a".repeat(10_000_000)}">`],
  ["a large style", `<div style="${"color:red;".repeat(1_000_000)}">`],
  ["many attributes", `<div ${Array.from({ length: MANY }, (_, i) => `a${i}=1`).join(" ")}>`],
  ["an attribute that is never closed", `<div class="${"<p>x".repeat(MANY)}`],
  ["a comment that is never closed", `<!--${"<!-".repeat(MANY)}`],
  ["a script that is never closed", `<script>${"</scrip".repeat(MANY)}`],
  ["less-than signs", "<".repeat(1_000_000)],
  ["tags that are only begun", "<a ".repeat(MANY)],
  ["equals signs", `<a ${"=".repeat(1_000_000)}>`],
  ["references", "&amp;&#x41;&notin".repeat(MANY)],
  ["line breaks", "<br>".repeat(MANY)],
  ["spaces", " \n".repeat(1_000_000)],
  ["one word", "x".repeat(5_000_000)],
  ["one heading", `<h1>${"title ".repeat(MANY)}</h1>`],
  ["a wide table", `<table><tr>${"<td>x".repeat(MANY)}</table>`],
  ["a long list", `<ol>${"<li>x".repeat(MANY)}</ol>`],
  ["back quotes", `<pre>${"`".repeat(1_000_000)}</pre>`],
  ["deep JSON", `<script type="application/ld+json">${"[".repeat(MANY)}</script>`],
  ["wide JSON", `<script type="application/ld+json">[${"{},".repeat(MANY)}{}]</script>`],
  ["a long title", `<title>${"| ".repeat(MANY)}</title>`],
])(
  "reading a page finishes in spite of %s",
  (_, bomb) => {
    const { markdown } = readHtmlPage(`<html><body><article>${TEXT}</article>${bomb}`, "https://example.org/");
    expect(markdown).toContain(ENGLISH.paragraphs[0]);
  },
  LIMIT,
);
