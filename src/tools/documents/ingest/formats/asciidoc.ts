import { metadataOf } from "../../../../types/metadata.js";
import { fenced, type Loader } from "./content.js";
import { isoDate } from "./front-matter.js";
import { finished, firstLine, linesOf } from "./lines.js";
import { rowsOf, tables } from "./table.js";

export const asciiDoc: Loader = (bytes) => {
  const lines = linesOf(bytes);
  const written: string[] = [];
  const stated: [key: string, value: string][] = [];
  let reviewedAt = "";
  let language = "";
  let columns = 0;
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
      written.push("", tables(asciiRows(lines.slice(i + 1, end), columns, line.startsWith(":") ? ":" : ",")), "");
      i = end;
    } else if (/^\[.*\]\s*$/.test(line)) {
      language = /^\[(?:source)?,([\w+#-]+)/.exec(line)?.[1] ?? language;
      const widths = /\bcols="?([^"\]]+)/.exec(line)?.[1]?.split(",") ?? [];
      columns = widths.reduce(
        (sum, each) => sum + Math.min(100, Number.parseInt(/(\d+)\*/.exec(each)?.[1] ?? "1", 10)),
        0,
      );
      continue;
    } else if (attribute) {
      stated.push([attribute[1] ?? "", attribute[2] ?? ""]);
      reviewedAt ||= /^(?:revdate|docdate|date|updated)$/.test(attribute[1] ?? "") ? isoDate(attribute[2] ?? "") : "";
    } else if (heading) written.push("", `${"#".repeat(heading[1]?.length ?? 1)} ${inAscii(heading[2] ?? "")}`, "");
    else if (/^\/\/(?!\/)|^(?:include|image|toc|ifdef|ifndef|endif)::|^\+$|^(?:\*{4,}|={4,}|_{4,}|-{2})\s*$/.test(line))
      written.push("");
    else if (list && /^(?:\*+|\.+|-)$/.test(list[1] ?? "")) {
      const [, mark = "", words = ""] = list;
      written.push(`${"   ".repeat(mark.length - 1)}${mark.startsWith(".") ? "1." : "-"} ${inAscii(words)}`);
    } else written.push(inAscii(line.replace(/^\.(?=[^\s.])/, "").replace(/^(.*\S)::(?: +|$)/, "- $1: ")));
    language = "";
    columns = 0;
  }
  return finished(written, { reviewedAt, metadata: metadataOf(stated) });
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

/**
 * Returns the rows of a table, of as many cells as there are columns or else as the first line with cells has.
 * @param mark the delimiter of a table without bars.
 */
function asciiRows(lines: readonly string[], columns: number, mark: string): string[][] {
  const cells: string[] = [];
  let width = columns;
  for (const line of lines) {
    const [rest = "", ...more] = line.split(CELL).map((cell) => inAscii(cell.trim()));
    if (rest !== "" && cells.length > 0) cells[cells.length - 1] += ` ${rest}`;
    cells.push(...more);
    width ||= cells.length;
  }
  if (cells.length === 0) return rowsOf(lines.join("\n"), mark);
  return Array.from({ length: Math.ceil(cells.length / width) }, (_, i) => cells.slice(i * width, (i + 1) * width));
}

/** The bar before a cell, with what it may say of it: a span or repetition, an alignment, a style. */
const CELL = /(?<!\\)(?:(?:^|(?<=\s))(?:[\d.]+[+*])?[<^>]?(?:\.[<^>])?[aehlmsd]?)?\|/;
