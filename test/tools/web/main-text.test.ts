import { describe, expect, test } from "vitest";
import { readHtmlPage } from "../../../src/tools/web/read-page.js";
import { KINDS } from "./kinds.js";
import { ENGLISH, framed, paragraphs } from "./pages.js";

const plain = (text: string) => text.replace(/\s+/g, " ");
const read = (html: string) => plain(readHtmlPage(html, "https://example.org/a").text);

describe.each(KINDS)("$kind", ({ html, kept, left }) => {
  test("keeps its whole main text", () => {
    const text = read(html);
    expect(kept.filter((piece) => !text.includes(plain(piece)))).toEqual([]);
  });

  test("loses the parts around the main text", () => {
    const text = read(html);
    expect(left.filter((piece) => text.includes(plain(piece)))).toEqual([]);
  });
});

test.each(["comments", "references", "author-bio", "related-posts", "cookie-consent"])(
  "a part named %s is left out if there is other text, and is the main text if there is none",
  (name) => {
    const others = ["Nobody ever asked the people who live below the old pier.", "Nine miles is a long way to walk."];
    const box = `<div class="${name}">${paragraphs([...others, ...others])}</div>`;
    const framedBox = framed({ ...ENGLISH, body: paragraphs(ENGLISH.paragraphs) + box });
    for (const text of ENGLISH.paragraphs) expect(read(framedBox)).toContain(text);
    if (name !== "author-bio") for (const text of others) expect(read(framedBox)).not.toContain(text);
    const alone = read(`<body><div>${box}</div></body>`);
    for (const text of others) expect(alone).toContain(text);
  },
);
