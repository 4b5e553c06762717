import { decode } from "../../text/decode.js";
import { checkBox, struckOut, superscript } from "../../text/marks.js";
import { isoDate, metadataOf } from "../../text/metadata.js";
import { fenced } from "../../tools/web/page-markdown.js";
import { allowance, type FormatReader, finished, firstLine, linesOf, type SpendCharacters } from "./content.js";
import { frontMatter } from "./front-matter.js";
import { rowsOf, tables } from "./table.js";

export const asciiDoc: FormatReader = (bytes) => {
  const front = frontMatter(decode(bytes));
  const lines = linesOf(bytes, front.bodyStart);
  const spend = allowance(bytes);
  const written: string[] = [];
  const stated: [key: string, value: string][] = [];
  let reviewedAt = "";
  let language = "";
  let columns = 0;
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const heading = /^(={1,6}|#{1,6}) +(\S.*)$/.exec(line);
    const attribute = /^:([\w-]+): *(.*)$/.exec(line);
    const list = /^\s*([*.-]+) +(\S.*)$/.exec(line);
    if (/^(-{4,}|\.{4,}|\/{4,}|\+{4,})\s*$/.test(line)) {
      const end = firstLine(lines, i + 1, (each) => each.trim() === line.trim());
      if (!line.startsWith("/")) written.push("", fenced(lines.slice(i + 1, end).join("\n"), language), "");
      i = end;
    } else if (/^[|,:!]===\s*$/.test(line)) {
      const end = firstLine(lines, i + 1, (each) => each.trim() === line.trim());
      written.push(
        "",
        tables(asciiRows(lines.slice(i + 1, end), columns, line.startsWith(":") ? ":" : ",", spend), spend),
        "",
      );
      i = end;
    } else if (/^\[.*\]\s*$/.test(line)) {
      language = /^\[(?:source)?,([\w+#-]+)/.exec(line)?.[1] ?? language;
      const widths = /\bcols="?([^"\]]+)/.exec(line)?.[1]?.split(",") ?? [];
      columns = widths.reduce(
        (sum, each) => sum + Math.min(100, Number.parseInt(/(\d{1,3})\*/.exec(each)?.[1] ?? "1", 10)),
        0,
      );
      continue;
    } else if (attribute) {
      stated.push([attribute[1] ?? "", attribute[2] ?? ""]);
      reviewedAt ||= /^(?:revdate|docdate|date|updated)$/.test(attribute[1] ?? "") ? isoDate(attribute[2] ?? "") : "";
    } else if (heading)
      written.push(
        "",
        `${"#".repeat(heading[1]?.length ?? 1)} ${inAscii((heading[2] ?? "").replace(/(?<! ) +=+$/, ""))}`,
        "",
      );
    else if (/^image::[^[]*\[/.test(line)) written.push("", altOf(line), "");
    else if (/^\/\/(?!\/)|^(?:include|toc|ifdef|ifndef|endif)::|^\+$|^(?:\*{4,}|={4,}|_{4,}|-{2})\s*$/.test(line))
      written.push("");
    else if (list && /^(?:\*+|\.+|-)$/.test(list[1] ?? "")) {
      const [, mark = "", words = ""] = list;
      written.push(
        `${"   ".repeat(mark.length - 1)}${mark.startsWith(".") ? "1." : "-"} ${inAscii(words.replace(/^\[[*xX]\](?= )/, checkBox(true)))}`,
      );
    } else written.push(inAscii(line.replace(/^\.(?=[^\s.])/, "").replace(/^(.*\S)::(?: +|$)/, "- $1: ")));
    language = "";
    columns = 0;
  }
  const metadata = { ...front.metadata, ...metadataOf(stated) };
  return finished(written, { title: front.title, reviewedAt: reviewedAt || front.reviewedAt, metadata });
};

/** Limits the length of links and marks, since many that open and never close would take quadratic time. */
const inAscii = (line: string) =>
  line
    .replace(
      /(?:link:|xref:|mailto:)([^\s[\]]{1,500})\[([^\]]{0,500})\]/g,
      (_, url: string, words: string) => words || url,
    )
    .replace(
      /(https?:\/\/[^\s[\]]{1,500})\[([^\]]{0,500})\]/g,
      (_, url: string, words: string) => words.replace(/[,^].*$/, "") || url,
    )
    .replace(/<<([^,>]{1,500})(?:,([^>]{1,500}))?>>/g, (_, id: string, words?: string) => words ?? id)
    .replace(/image:[^\s[]{1,500}\[[^\]]{0,500}\]/g, altOf)
    .replace(/\[\[[^\]]{0,500}\]\]/g, "")
    .replace(/\[\.?line-through\](##?)([^#\n]{1,500})\1/g, (_, __, words: string) => struckOut(words))
    .replace(/(?<=[\p{L}\p{N})])\^([^\s^]{1,20})\^/gu, (_, words: string) => superscript(words))
    .replace(/(?<=\p{L})~(\d{1,3}|\p{L})~(?!\d)/gu, "$1");

/** Returns the alternative text of a picture: its first attribute, or the one named so. */
const altOf = (picture: string): string => {
  const attributes = /\[([^\]]{0,500})\]/.exec(picture)?.[1] ?? "";
  const [, named] = /\balt="?([^",]*)/.exec(attributes) ?? [];
  const [, quoted, first = ""] = /^\s*(?:"([^"]*)"|([^,=]*)(?=,|$))/.exec(attributes) ?? [];
  return (named ?? quoted ?? first).trim();
};

/**
 * Returns the rows of a table. Each has `columns` cells or, if that is 0, as many as the first line with cells.
 * @param mark the delimiter of a table without bars.
 */
function asciiRows(lines: readonly string[], columns: number, mark: string, spend: SpendCharacters): string[][] {
  const cells: { text: string; span: string }[] = [];
  let width = columns;
  for (const line of lines) {
    const [rest = "", ...more] = line.split(CELL);
    const last = cells.at(-1);
    if (rest.trim() !== "" && last) last.text += ` ${inAscii(rest.trim())}`;
    for (let i = 0; i < more.length; i += 2)
      cells.push({ span: more[i] ?? "", text: inAscii((more[i + 1] ?? "").trim()) });
    width ||= cells.reduce((sum, { span }) => sum + spanOf(span).across, 0);
  }
  if (cells.length === 0) return rowsOf(lines.join("\n"), mark);
  const rows: string[][] = [];
  let at = 0;
  const place = (text: string, across: number, down: number) => {
    spend(text.length * down + across * down);
    while (rows[Math.floor(at / width)]?.[at % width] !== undefined) at += 1;
    const [row, column] = [Math.floor(at / width), at % width];
    for (let i = row; i < row + down; i++)
      for (let j = column; j < Math.min(width, column + across); j++) {
        rows[i] ??= [];
        (rows[i] ?? [])[j] = j === column ? text : "";
      }
  };
  for (const { text, span } of cells) {
    const { across, down, times } = spanOf(span);
    for (let i = 0; i < times; i++) place(text, across, down);
  }
  return rows.map((row) => Array.from(row, (cell) => cell ?? ""));
}

/** Reads a span such as `2+`, `.3+` or `2.3+`, or a repetition such as `3*`. */
function spanOf(span: string): { across: number; down: number; times: number } {
  const [, across, down, mark] = /^(\d*)\.?(\d*)([+*])$/.exec(span) ?? [];
  const count = (digits?: string) => Math.min(100, Math.max(1, Number(digits || 1)));
  if (mark === "*") return { across: 1, down: 1, times: count(across) };
  return { across: count(across), down: count(down), times: 1 };
}

/** The bar before a cell, with the optional span or repetition, alignment and style of the cell. */
const CELL = /(?<!\\)(?:(?:^|(?<=\s))([\d.]+[+*])?[<^>]?(?:\.[<^>])?[aehlmsd]?)?\|/;
