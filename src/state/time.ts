import type { Understood } from "./state.js";

/**
 * Returns the periods in one of which a document has to hold for a question: the time that it asks about, else the present;
 * both where it is not certain that the question asks about the time that it names. `label` names the time asked about, to
 * be put behind a title.
 */
export function timeOf(understood: Pick<Understood, "time" | "language"> | undefined, now = new Date()) {
  const today = now.toISOString().slice(0, "2026-01-31".length);
  const present = { from: today, until: today };
  const time = understood?.time;
  const periods = !time ? [present] : time.isCertain ? [time] : [time, present];
  const label = !time?.isCertain ? "" : understood?.language === "zh" ? `（${time.words}）` : ` (${time.words})`;
  return { today, periods, label };
}
