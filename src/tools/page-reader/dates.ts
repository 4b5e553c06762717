/**
 * The first date in a text as `YYYY-MM-DD`, in the page's own calendar day; empty where there is none. Reads ISO and RFC
 * dates, Chinese, Japanese and Korean ones, names of months in a dozen languages, day before month with dots, and
 * seconds or milliseconds since 1970. A date of two numbers that could be either way round is not guessed.
 */
export function dateIn(text: string): string {
  const sample = text.slice(0, 300);
  for (const read of READERS) {
    const found = read(sample);
    if (found !== "") return found;
  }
  return "";
}

/** The date that an address names: `/2019/11/18/`, `/2019-11-18-`, `/20191118/`. */
export function dateInUrl(url: string): string {
  const match =
    /[/_-]((?:19|20)\d\d)[/_-](\d{1,2})[/_-](\d{1,2})(?!\d)/.exec(url) ??
    /[/_-]((?:19|20)\d\d)[/_-]([a-z]{3})[/_-](\d{1,2})(?!\d)/i.exec(url) ??
    /[/_-]t?((?:19|20)\d\d)-?(\d\d)(\d\d)(?!\d)/.exec(url);
  if (!match) return "";
  const [, year, month = "", day] = match;
  return day ? iso(year, /\d/.test(month) ? month : monthOf(month), day) : "";
}

const READERS: readonly ((text: string) => string)[] = [
  (text) => {
    const m = /(?<!\d)((?:19|20)\d\d)\s*[-/.年년]\s*(\d{1,2})\s*[-/.月월]\s*(\d{1,2})(?!\d)/.exec(text);
    return m ? iso(m[1], m[2], m[3]) : "";
  },
  (text) => {
    const m = /^\s*((?:19|20)\d\d)(\d\d)(\d\d)(?:T?\d{4,6}Z?)?\s*$/.exec(text);
    return m ? iso(m[1], m[2], m[3]) : "";
  },
  (text) => {
    const m = /^\s*(\d{10})(?:\d{3})?\s*$/.exec(text);
    return m ? new Date(Number(m[1]) * 1000).toISOString().slice(0, 10) : "";
  },
  (text) => {
    const m =
      /(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|ª|\.)?(?:\s+(?:de|of))?[\s\-/]+(\p{L}{3,12})\.?,?(?:\s+(?:de|of))?[\s\-/]+((?:19|20)\d\d)/u.exec(
        text,
      );
    return m ? iso(m[3], monthOf(m[2] ?? ""), m[1]) : "";
  },
  (text) => {
    const m = /(\p{L}{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+((?:19|20)\d\d)/u.exec(text);
    return m ? iso(m[3], monthOf(m[1] ?? ""), m[2]) : "";
  },
  (text) => {
    const m = /(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?((?:19|20)\d\d)/.exec(text);
    return m ? iso(m[3], m[2], m[1]) : "";
  },
  (text) => {
    const m = /(?<!\d)(\d{1,2})[/-](\d{1,2})[/-]((?:19|20)\d\d)/.exec(text);
    if (!m) return "";
    const [a, b] = [Number(m[1]), Number(m[2])];
    if (a > 12 || a === b) return iso(m[3], m[2], m[1]);
    return b > 12 ? iso(m[3], m[1], m[2]) : "";
  },
];

function iso(year: string | undefined, month: string | number | undefined, day: string | undefined): string {
  const [y, m, d] = [Number(year), Number(month), Number(day)];
  const date = new Date(Date.UTC(y, m - 1, d));
  const real = y >= 1990 && y <= 2100 && date.getUTCMonth() === m - 1 && date.getUTCDate() === d;
  return real ? date.toISOString().slice(0, 10) : "";
}

/** From 1; 0 where the word names no month. */
function monthOf(word: string): number {
  const own = word.toLowerCase().normalize("NFD").replace(/\p{M}/gu, "");
  return MONTHS.findIndex((names) => names.split(" ").some((name) => own.startsWith(name))) + 1;
}

/** How the months begin in English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian and Turkish. */
const MONTHS = [
  "jan ene gen sty янв oca jän",
  "feb fev fév lut фев sub şub",
  "mar mär maa mrt мар mac mär",
  "apr avr abr kwi апр nis",
  "may mai mag mei maj мая май",
  "jun juin giu cze июн haz",
  "jul juil lug lip июл tem",
  "aug aou ago sie авг agu ağu",
  "sep set wrz сен eyl",
  "oct okt out ott paz окт eki",
  "nov lis ноя kas",
  "dec dez dic gru дек ara",
];
