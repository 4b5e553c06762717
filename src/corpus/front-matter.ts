import { parse } from "yaml";

export interface FrontMatter {
  /** Empty where there is none. */
  title: string;
  /** An ISO date, or empty. */
  reviewedAt: string;
  /** Where the document's own text begins. */
  bodyStart: number;
}

/**
 * What the YAML between `---` lines at the very top says. A block that is no YAML mapping is front matter when it
 * begins like one (it is skipped and says nothing), and text when it does not.
 */
export function frontMatter(text: string): FrontMatter {
  const none: FrontMatter = { title: "", reviewedAt: "", bodyStart: 0 };
  const opening = /^---[ \t]*\r?\n/.exec(text)?.[0].length ?? 0;
  if (opening === 0) return none;
  const closing = /^(?:---|\.\.\.)[ \t]*$\r?\n?/m.exec(text.slice(opening, opening + LONGEST));
  if (!closing) return none;
  const yaml = text.slice(opening, opening + closing.index);
  const fields = mapping(yaml);
  if (!fields && !/^\s*(?:#.*\s+)*["']?[\p{L}_][\p{L}\p{N}_ .-]*["']?[ \t]*:(?:\s|$)/u.test(yaml) && yaml.trim() !== "")
    return none;
  return {
    title: word(fields?.title),
    reviewedAt: REVIEWED.map((key) => isoDate(word(fields?.[key]))).find((date) => date !== "") ?? "",
    bodyStart: opening + closing.index + closing[0].length,
  };
}

/** The ISO date at the start of a text such as 2024-05-01T09:00Z, 2024/5/1 or 2024年5月1日; empty when there is none. */
export function isoDate(text: string): string {
  const [, year = "", month = "", day = ""] = /^\s*(\d{4})[-/.年](\d{1,2})[-/.月](\d{1,2})(?!\d)/.exec(text) ?? [];
  const iso = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : "";
}

const REVIEWED = ["reviewed", "reviewed_at", "updated", "date"];
const LONGEST = 64 * 1024;

function mapping(yaml: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parse(yaml, { maxAliasCount: 0, logLevel: "silent", prettyErrors: false });
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

const word = (value: unknown) =>
  typeof value === "string" || typeof value === "number" ? String(value).replace(/\s+/g, " ").trim() : "";
