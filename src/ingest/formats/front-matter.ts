import { isoDate, metadataOf } from "../../text/metadata.js";
import { type Metadata, valuesOf } from "../../types/metadata.js";

interface FrontMatter {
  /** Empty if there is none. */
  title: string;
  /** An ISO date, or empty. */
  reviewedAt: string;
  /** All keys with a value or a list of values. */
  metadata: Metadata;
  /** The offset of the text after the front matter. */
  bodyStart: number;
}

/**
 * Reads the YAML between `---` lines, or the TOML between `+++` lines, at the top of a text. A block that begins like
 * front matter counts, even if it is not valid YAML. Reads only one-line values and lists of them, without a YAML
 * parser: a crafted kilobyte can keep a parser busy for hours.
 */
export function frontMatter(text: string): FrontMatter {
  const opening = /^(?:---|\+\+\+)[ \t]*\r?\n/.exec(text)?.[0].length ?? 0;
  const isToml = text.startsWith("+");
  const end = isToml ? /^\+\+\+[ \t]*$(?:\r?\n)?/m : /^(?:---|\.\.\.)[ \t]*$(?:\r?\n)?/m;
  const closing = opening > 0 && end.exec(text.slice(opening, opening + LONGEST));
  if (!closing) return NONE;
  const written = text.slice(opening, opening + closing.index).split(/\r?\n/);
  const lines = isToml ? inYaml(written) : written;
  const first = lines.find((line) => line.trim() !== "" && !line.startsWith("#"));
  if (first && !/^(?:["'{]|[\p{L}_][\p{L}\p{N}_ .-]*:(?:\s|$))/u.test(first)) return NONE;
  const metadata = metadataOf(entries(lines));
  return {
    title: valuesOf(metadata, "title")[0] ?? "",
    reviewedAt: REVIEWED.map((key) => isoDate(valuesOf(metadata, key)[0] ?? "")).find((date) => date !== "") ?? "",
    metadata,
    bodyStart: opening + closing.index + closing[0].length,
  };
}

/** Returns the lines of TOML before its first section, as YAML. */
function inYaml(lines: readonly string[]): string[] {
  const section = lines.findIndex((line) => line.startsWith("["));
  const top = section < 0 ? lines : lines.slice(0, section);
  return top.map((line) => line.replace(/^(["']?[\w.-]+["']?)[ \t]*=[ \t]*/, "$1: "));
}

const NONE: FrontMatter = { title: "", reviewedAt: "", metadata: {}, bodyStart: 0 };
const REVIEWED = ["reviewed", "reviewed_at", "last_reviewed", "updated", "date"];
const LONGEST = 64 * 1024;

/** In characters. */
const LONGEST_LINE = 5_000;

/** Returns the keys at the left margin with their values. What is indented below a key is read only if it is a list. */
function* entries(lines: readonly string[]): Generator<readonly [key: string, value: string | string[]]> {
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const at = line.indexOf(":");
    if (at < 1 || /^[\s#-]/.test(line) || !/^(?:\s|$)/.test(line.slice(at + 1))) continue;
    const key = scalar(line.slice(0, at)) || line.slice(0, at);
    const written = line.slice(at + 1).trim();
    if (written.startsWith("[")) yield [key, inBrackets(written)];
    else if (written !== "" && !written.startsWith("#")) yield [key, scalar(written)];
    else {
      const items: string[] = [];
      for (; i + 1 < lines.length && /^\s*(?:-\s|#|$)/.test(lines[i + 1] ?? ""); i++) {
        const item = /^\s*-\s+(\S.*)$/.exec(lines[i + 1] ?? "")?.[1] ?? "";
        // A mapping as a list entry is nested, so it is left out.
        if (!/^[\p{L}_][\p{L}\p{N}_ .-]*:(?:\s|$)/u.test(item)) items.push(scalar(item));
      }
      yield [key, items];
    }
  }
}

/** Reads a list such as [a, "b, c"] on one line. Empty if another list or a mapping is nested in it. */
function inBrackets(written: string): string[] {
  if (written.length > LONGEST_LINE) return [];
  const inside = /^\[([^[\]{}]*)\]\s*(?:#.*)?$/.exec(written)?.[1] ?? "";
  return [...inside.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,"'\s][^,]*/g)].map(([item]) => scalar(item));
}

/** Reads a string, number or date on one line. Empty for a list, a mapping, a reference or multi-line text. */
function scalar(written: string): string {
  const value = written.trim();
  if (value.length > LONGEST_LINE) return "";
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(value)?.[1];
  const single = /^'((?:[^']|'')*)'/.exec(value)?.[1];
  if (double !== undefined) return double.replace(/\\(["\\/])/g, (_, mark: string) => mark).trim();
  if (single !== undefined) return single.replaceAll("''", "'").trim();
  return /^[[{&*!|>%@`"'#]|^[-?:](?:\s|$)/.test(value) ? "" : value.replace(/\s#.*$/, "").trim();
}
