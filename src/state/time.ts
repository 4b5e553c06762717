import type { Understood } from "./state.js";

/**
 * Returns the periods of a question; a document must be valid in one of them. They are the time that the question asks
 * about, or the present if it names none, or both if it is uncertain whether the question asks about the time it names.
 * `label` is the time asked about, for use after a title; empty if uncertain.
 */
export function timeOf(understood: Pick<Understood, "time" | "language"> | undefined, now = new Date()) {
  const today = now.toISOString().slice(0, "2026-01-31".length);
  const present = { from: today, until: today };
  const time = understood?.time;
  const periods = !time ? [present] : time.isCertain ? [time] : [time, present];
  const label = !time?.isCertain ? "" : understood?.language === "zh" ? `（${time.words}）` : ` (${time.words})`;
  return { today, periods, label };
}
