import { dateIn, MODIFIED_WORDS } from "../../tools/web/page-dates.js";

/**
 * Returns the ISO date that a line of its own near the top or the end of a text gives as that of its last change, such
 * as "Last reviewed: 2026-03-14" or 最后审核：2026年3月14日. Empty if there is none.
 */
export function reviewLine(text: string): string {
  const first = text.trim().split("\n", NEAR);
  const last = text.trim().slice(-FAR).split("\n").slice(1);
  const dates = [...first, ...last.slice(-NEAR)].map((line) => dateIn(LINE.exec(line)?.[1] ?? ""));
  return dates.find((date) => date !== "") ?? "";
}

/** In lines. */
const NEAR = 8;
/** In characters. */
const FAR = 2_000;
const LINE = new RegExp(
  `^[\\s>*_]{0,9}(?:${MODIFIED_WORDS})[*_]{0,3}\\s?[:：][*_]{0,3}\\s*([^\\s:：][^:：]{5,19}?)[\\s*_.。]*$`,
  "i",
);
