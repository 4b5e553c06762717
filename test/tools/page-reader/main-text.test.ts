import { describe, expect, test } from "vitest";
import { measure } from "../../../src/tools/page-reader/blocks.js";
import { keep } from "../../../src/tools/page-reader/main-text.js";
import { parseTree } from "../../../src/tools/page-reader/tree.js";

const sentence = "The council met on Tuesday evening and spoke for two hours about the old bridge over the river. ";
const paragraphs = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `<p>Part ${from + i}: ${sentence.repeat(2)}</p>`).join("");
const container = (inside: string, name = "text wide") =>
  `<div class="${name}"><div class="inner">${inside}</div></div>`;

/** The numbers of the parts that are kept where the first of them are likely text, and nothing else is. */
function kept(html: string, likely: number): number[] {
  const measured = measure(parseTree(`<body><article>${html}</article></body>`));
  const numberOf = (text: string) => Number(/Part (\d+)/.exec(text)?.[1] ?? Number.NaN);
  const odds = measured.blocks.map(({ text }) => (numberOf(text) < likely ? 4 : -3));
  return keep(measured, odds).map(({ text }) => numberOf(text));
}

describe("a text of which a large part looks like something else", () => {
  test("is kept whole where it goes on in containers of the same form", () => {
    const picture =
      '<div class="picture"><div class="inner"><p>A caption of the picture, which is long enough.</p></div></div>';
    const html = container(paragraphs(0, 4)) + picture + container(paragraphs(4, 7), "text narrow");
    expect(kept(html, 4)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test("is kept whole where most of it is among what is likely", () => {
    expect(kept(container(paragraphs(0, 8)), 4)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });
});

describe("what stands at the end of a text", () => {
  test("stays out where it is a small part, whatever its form", () => {
    expect(kept(container(paragraphs(0, 7)), 5)).toEqual([0, 1, 2, 3, 4]);
    expect(kept(container(paragraphs(0, 6)) + container(paragraphs(6, 8)), 6)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("stays out where it has another form, or is another article", () => {
    expect(kept(container(paragraphs(0, 4)) + container(paragraphs(4, 8), "related"), 4)).toEqual([0, 1, 2, 3]);
    const next = `</article><article>${container(paragraphs(4, 8))}`;
    expect(kept(container(paragraphs(0, 4)) + next, 4)).toEqual([0, 1, 2, 3]);
  });
});
