/**
 * True if a source has a quote word for word. Only differences in white space are ignored. Shares no code with the
 * product.
 */
export function standsIn(source: string, quote: string): boolean {
  const wanted = folded(quote);
  return wanted !== "" && folded(source).indexOf(wanted) >= 0;
}

/**
 * The same for Markdown, HTML and CSV, where a quote has no markup, or other marks for tables and lists: only letters
 * and digits are compared, which must all follow each other in order.
 */
export function standsInPage(html: string, quote: string): boolean {
  const wanted = letters(shown(quote));
  return wanted !== "" && letters(shown(html)).indexOf(wanted) >= 0;
}

const folded = (text: string) => text.replace(/\s+/g, " ").trim();

const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");

const shown = (html: string) =>
  html
    .replace(/\]\([^()\s]*\)/g, "]")
    .replace(/<!--.*?-->|<(script|style)\b.*?<\/\1>|<[^>]*>/gis, "")
    .replace(/&#(x?)([0-9a-f]+);/gi, (_, hex: string, code: string) =>
      String.fromCodePoint(Math.min(0x10ffff, Number.parseInt(code, hex ? 16 : 10))),
    )
    .replace(/&\w+;/g, "");
