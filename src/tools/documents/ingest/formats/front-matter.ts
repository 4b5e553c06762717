interface FrontMatter {
  /** Empty if there is none. */
  title: string;
  /** An ISO date, or empty. */
  reviewedAt: string;
  /** The offset of the text after the front matter. */
  bodyStart: number;
}

/**
 * Reads title and date from the YAML between `---` lines at the top. A block that begins like front matter counts, even if
 * it is not valid YAML. Reads only values on the key's own line, without a YAML parser: a crafted kilobyte can keep one busy
 * for hours.
 */
export function frontMatter(text: string): FrontMatter {
  const opening = /^---[ \t]*\r?\n/.exec(text)?.[0].length ?? 0;
  const closing = opening > 0 && /^(?:---|\.\.\.)[ \t]*$(?:\r?\n)?/m.exec(text.slice(opening, opening + LONGEST));
  if (!closing) return NONE;
  const lines = text.slice(opening, opening + closing.index).split(/\r?\n/);
  const first = lines.find((line) => line.trim() !== "" && !line.startsWith("#"));
  if (first && !/^(?:["'{]|[\p{L}_][\p{L}\p{N}_ .-]*:(?:\s|$))/u.test(first)) return NONE;
  const value = (key: string) => scalar(lines.find((line) => line.startsWith(`${key}:`))?.slice(key.length + 1) ?? "");
  return {
    title: value("title"),
    reviewedAt: REVIEWED.map((key) => isoDate(value(key))).find((date) => date !== "") ?? "",
    bodyStart: opening + closing.index + closing[0].length,
  };
}

/** Returns the ISO date at the start of a text such as 2024-05-01T09:00Z, 2024/5/1 or 2024年5月1日; else an empty string. */
export function isoDate(text: string): string {
  const [, year = "", month = "", day = ""] = /^\s*(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)/.exec(text) ?? [];
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : "";
}

const NONE: FrontMatter = { title: "", reviewedAt: "", bodyStart: 0 };
const REVIEWED = ["reviewed", "reviewed_at", "updated", "date"];
const LONGEST = 64 * 1024;

/** Reads a string, number or date on one line. Empty for a list, a mapping, a reference or multi-line text. */
function scalar(written: string): string {
  const value = written.trim().slice(0, 500);
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1];
  const single = /^'((?:[^']|'')*)'/.exec(value)?.[1];
  if (double !== undefined) return double.replace(/\\(["\\/])/g, (_, mark: string) => mark).trim();
  if (single !== undefined) return single.replaceAll("''", "'").trim();
  return /^[[{&*!|>%@`"'#]|^[-?:](?:\s|$)/.test(value) ? "" : value.replace(/\s+#.*$/, "");
}
