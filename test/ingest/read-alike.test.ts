import { expect, test } from "vitest";
import { htmlToMarkdown } from "../../src/ingest/formats/html.js";
import { visible } from "../../src/text/decode.js";
import { readHtmlPage } from "../../src/tools/web/read-page.js";

/** Files and web pages have separate readers, which must leave out the same parts. */
const READERS: readonly (readonly [reader: string, read: (html: string) => string])[] = [
  ["a file", (html) => visible(htmlToMarkdown(html).markdown)],
  ["a page", (html) => readHtmlPage(html, "https://example.org/").markdown],
];

const LEFT_OUT: readonly (readonly [what: string, html: string, text: string])[] = [
  ["readings", "<ruby>渡輪<rp>(</rp><rt>dùlún</rt><rp>)</rp></ruby>六點開出。", "渡輪六點開出。"],
  ["readings without end tags", "<ruby>渡<rt>dù<rb>輪<rt>lún</ruby>六點開出。", "渡輪六點開出。"],
  ["readings in a part of their own", "<ruby><rb>渡<rb>輪<rtc><rt>dù<rt>lún</rtc></ruby>六點開出。", "渡輪六點開出。"],
  ["places to break a word", "The quay<wbr>side opens at eight.", "The quayside opens at eight."],
  ["soft hyphens", "The quay&shy;side opens at eight.", "The quayside opens at eight."],
  ["marks of notes", "The quay opened in 1990<sup><a href='#note-2'>2</a></sup>.", "The quay opened in 1990."],
  ["templates", "The quay opens<template> never</template> at eight.", "The quay opens at eight."],
  ["what scripts replace", "The quay opens<noscript> never</noscript> at eight.", "The quay opens at eight."],
  ["hidden elements", "The quay opens<span hidden> never</span> at eight.", "The quay opens at eight."],
  [
    "letters without size",
    "The quay opens<span style='font-size:0'> never</span> at eight.",
    "The quay opens at eight.",
  ],
  ["white on white", "The quay opens<span style='color:#fff'> never</span> at eight.", "The quay opens at eight."],
];

const KEPT: readonly (readonly [what: string, html: string, text: string])[] = [
  [
    "what is found when searched for",
    "The quay <span hidden=until-found>opens</span> at eight.",
    "The quay opens at eight.",
  ],
  ["raised words", "The 2<sup>nd</sup> ferry carries CO<sub>2</sub>.", "The 2nd ferry carries CO2."],
  ["raised links elsewhere", "The quay<sup><a href='/plan'>plan</a></sup> opens.", "The quay^(plan) opens."],
  [
    "what is crossed out, as such",
    "A day ticket costs <del>12</del><s>14</s> <ins>16 francs</ins>.",
    "A day ticket costs ~~12~~ ~~14~~ 16 francs.",
  ],
];

test.each(READERS.flatMap(([reader, read]) => LEFT_OUT.map((row) => [reader, ...row, read] as const)))(
  "%s is read without %s",
  (_, __, html, text, read) => expect(read(`<body><p>${html}</p></body>`)).toBe(text),
);

test.each(READERS.flatMap(([reader, read]) => KEPT.map((row) => [reader, ...row, read] as const)))(
  "%s is read with %s",
  (_, __, html, text, read) => expect(read(`<body><p>${html}</p></body>`)).toBe(text),
);
