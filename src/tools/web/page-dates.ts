/**
 * Returns the first date in a text as `YYYY-MM-DD`, without converting time zones, or an empty string. Reads ISO and
 * RFC dates, Chinese and Korean ones, English month names, and day before month with dots. An ambiguous order of day
 * and month counts as no date.
 */
export function dateIn(text: string): string {
  return firstOf(FORMS, text.slice(0, 300));
}

/** Returns the date in a URL: `/2019/11/18/`, `/2019-11-18-`, `/20191118/`. */
export function dateInUrl(url: string): string {
  return firstOf(IN_URL, url);
}

function firstOf(forms: readonly RegExp[], text: string): string {
  for (const form of forms) {
    const { y, m, d } = form.exec(text)?.groups ?? {};
    // With slashes or dashes, day and month come in either order: a date if only one order is valid.
    const dates = new Set([iso(y, m, d), form === EITHER_WAY ? iso(y, d, m) : ""].filter((date) => date !== ""));
    const [date] = dates;
    if (date && dates.size === 1) return date;
  }
  return "";
}

/** What is written before the date of the last change, as the source of a regular expression without groups. */
export const MODIFIED_WORDS =
  "(?:last\\s+)?(?:modified|updated|edited|revised|reviewed)|last\\s+(?:changed?|update|edit|review|revision)|(?:最后|最近|上次)?(?:更新|修改|修订|编辑|审核|复核|审阅)(?:于|时间|日期)?";

const EITHER_WAY = /(?<!\d)(?<d>\d{1,2})[/-](?<m>\d{1,2})[/-](?<y>(?:19|20)\d\d)/;
const FORMS: readonly RegExp[] = [
  /(?<!\d)(?<y>(?:19|20)\d\d)\s*[-/.年년]\s*(?<m>\d{1,2})\s*[-/.月월]\s*(?<d>\d{1,2})(?!\d)/,
  /^\s*(?<y>(?:19|20)\d\d)(?<m>\d\d)(?<d>\d\d)(?:T?\d{4,6}Z?)?\s*$/,
  /(?<!\d)(?<d>\d{1,2})(?:st|nd|rd|th|\.)?(?:\s+of)?[\s\-/]+(?<m>[a-z]{3,9})\.?,?[\s\-/]+(?<y>(?:19|20)\d\d)/i,
  /(?<m>[a-z]{3,9})\.?\s+(?<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<y>(?:19|20)\d\d)/i,
  /(?<!\d)(?<d>\d{1,2})\.\s?(?<m>\d{1,2})\.\s?(?<y>(?:19|20)\d\d)/,
  EITHER_WAY,
];
const IN_URL: readonly RegExp[] = [
  /[/_-](?<y>(?:19|20)\d\d)[/_-](?<m>\d{1,2}|[a-z]{3})[/_-](?<d>\d{1,2})(?!\d)/i,
  /[/_-]t?(?<y>(?:19|20)\d\d)-?(?<m>\d\d)(?<d>\d\d)(?!\d)/,
];

/** Returns an empty string unless this is a day of the calendar. */
function iso(year = "", month = "", day = ""): string {
  const name = MONTHS.indexOf(month.slice(0, 3).toLowerCase());
  const [y, m, d] = [Number(year), /^\d/.test(month) ? Number(month) : name + 1, Number(day)];
  const date = new Date(Date.UTC(y, m - 1, d));
  // A future date is when something ends or takes place, not when the page was written. A time zone may be a day ahead.
  const real =
    y >= 1990 && date.getTime() <= Date.now() + 86_400_000 && date.getUTCMonth() === m - 1 && date.getUTCDate() === d;
  return real ? date.toISOString().slice(0, 10) : "";
}

const MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
