import { fenced, type Loader } from "./content.js";
import { isoDate } from "./front-matter.js";
import { finished, firstLine, linesOf } from "./lines.js";
import { tables } from "./table.js";

export const asciiDoc: Loader = (bytes) => {
  const lines = linesOf(bytes);
  const written: string[] = [];
  let reviewedAt = "";
  let language = "";
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const heading = /^(={1,6}|#{1,6}) +(\S.*?)(?: +=+)?$/.exec(line);
    const attribute = /^:([\w-]+): *(.*)$/.exec(line);
    const list = /^\s*([*.-]+) +(\S.*)$/.exec(line);
    if (/^(-{4,}|\.{4,}|\/{4,}|\+{4,})\s*$/.test(line)) {
      const end = firstLine(lines, i + 1, (each) => each.trim() === line.trim());
      if (!line.startsWith("/")) written.push("", fenced(lines.slice(i + 1, end).join("\n"), language), "");
      i = end;
    } else if (/^[|,:!]===\s*$/.test(line)) {
      const end = firstLine(lines, i + 1, (each) => each.trim() === line.trim());
      written.push("", tables(asciiRows(lines.slice(i + 1, end))), "");
      i = end;
    } else if (/^\[.*\]\s*$/.test(line)) {
      language = /^\[(?:source)?,([\w+#-]+)/.exec(line)?.[1] ?? language;
      continue;
    } else if (attribute)
      reviewedAt ||= /^(?:revdate|docdate|date|updated)$/.test(attribute[1] ?? "") ? isoDate(attribute[2] ?? "") : "";
    else if (heading) written.push("", `${"#".repeat(heading[1]?.length ?? 1)} ${inAscii(heading[2] ?? "")}`, "");
    else if (/^\/\/(?!\/)|^(?:include|image|toc|ifdef|ifndef|endif)::|^\+$|^(?:\*{4,}|={4,}|_{4,}|-{2})\s*$/.test(line))
      written.push("");
    else if (list && /^(?:\*+|\.+|-)$/.test(list[1] ?? "")) {
      const [, mark = "", words = ""] = list;
      written.push(`${"   ".repeat(mark.length - 1)}${mark.startsWith(".") ? "1." : "-"} ${inAscii(words)}`);
    } else written.push(inAscii(line.replace(/^\.(?=[^\s.])/, "").replace(/^(.*\S)::(?: +|$)/, "- $1: ")));
    language = "";
  }
  return finished(written, { reviewedAt });
};

const inAscii = (line: string) =>
  line
    .replace(/(?:link:|xref:|mailto:)([^\s[\]]+)\[([^\]]*)\]/g, (_, url: string, words: string) => words || url)
    .replace(
      /(https?:\/\/[^\s[\]]+)\[([^\]]*)\]/g,
      (_, url: string, words: string) => words.replace(/[,^].*$/, "") || url,
    )
    .replace(/<<([^,>]+)(?:,([^>]+))?>>/g, (_, id: string, words?: string) => words ?? id)
    .replace(/\[\[[^\]]*\]\]|image:[^\s[]*\[[^\]]*\]/g, "");

/** A row is a line of cells, or, after the first one, as many cells on lines of their own as that has. */
function asciiRows(lines: readonly string[]): string[][] {
  const rows: string[][] = [];
  let width = 0;
  const row: string[] = [];
  for (const line of lines) {
    const cells = line.split(/(?<!\\)(?:(?:^|\s)[\d.+*^<>]*[aehlmsd]?)?\|/);
    const [rest = "", ...more] = cells;
    if (rest.trim() !== "" && row.length > 0) row[row.length - 1] += ` ${rest.trim()}`;
    row.push(...more.map((cell) => inAscii(cell.trim())));
    if (width === 0 && row.length > 0) width = row.length;
    while (width > 0 && row.length >= width) rows.push(row.splice(0, width));
  }
  return row.length > 0 ? [...rows, row] : rows;
}
