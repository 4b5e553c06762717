import type { Span } from "../types/evidence.js";

/**
 * The lines that list sources and state nothing: definitions ("[^1]: …", "[1]: …"), numbered lines with an address, and
 * what stands below a line that says "Sources" or 参考文献, as far as it is a list.
 */
export function referenceLines(text: string): Span[] {
  const found: Span[] = [];
  let listing = false;
  for (const match of text.matchAll(/[^\n]+/g)) {
    const line = match[0];
    if (line.trim() === "") continue;
    const title = TITLE.test(line);
    const entry = ENTRY.test(line);
    listing = title || (listing && entry);
    if (listing || DEFINITION.test(line) || (NUMBERED.test(line) && ADDRESS.test(line)))
      found.push({ start: match.index, end: match.index + line.length });
  }
  return found;
}

const TITLE =
  /^[\s#>*_]{0,20}(?:sources?|references?|bibliography|citations?|footnotes?|works cited|来源|资料来源|信息来源|参考文献|参考资料|参考来源|引用|引用来源|脚注)(?:\s?\/\s?\p{L}{1,20})?[\s:：*_]{0,8}$/iu;
const ENTRY = /^\s{0,8}(?:>\s?)?(?:[-*+•]\s|\[?\^?\d{1,3}[\].)、:：]|【\d{1,3}】|［\d{1,3}］|<?https?:)/;
const NUMBERED = /^\s{0,8}(?:[-*+•]\s)?(?:\[\^?\d{1,3}\]|【\d{1,3}】|［\d{1,3}］)/;
const DEFINITION = /^ {0,3}\[\^?[^\]\n]{1,40}\]:/;
const ADDRESS = /https?:\/\//;
