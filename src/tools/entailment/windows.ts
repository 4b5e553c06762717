import { sentences } from "../../text/sentences.js";

/**
 * A text in stretches of whole sentences, each of at most about `most` words (two Chinese characters are one); each begins
 * with the last third of the one before it. A sentence that is longer stands alone.
 */
export function windows(text: string, most: number): string[] {
  const spans = sentences(text).map(({ start, end }) => ({ start, end, size: sizeOf(text.slice(start, end)) }));
  const found: string[] = [];
  let from = 0;
  while (from < spans.length) {
    let to = from;
    let size = 0;
    while (to < spans.length && (to === from || size + (spans[to]?.size ?? 0) <= most)) size += spans[to++]?.size ?? 0;
    found.push(text.slice(spans[from]?.start ?? 0, spans[to - 1]?.end ?? 0));
    if (to === spans.length) break;
    let shared = 0;
    let back = to;
    while (back > from + 1 && shared + (spans[back - 1]?.size ?? 0) <= most / 3) shared += spans[--back]?.size ?? 0;
    from = back;
  }
  return found;
}

const sizeOf = (text: string) =>
  (text.match(/\p{Script=Han}/gu)?.length ?? 0) / 2 +
  (text.match(/(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu)?.length ?? 0);
