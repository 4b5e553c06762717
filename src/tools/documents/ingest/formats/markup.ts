import { decode } from "../../../../language/decode.js";
import { type Content, fenced, inMarkdown, type Loader } from "./content.js";
import { isoDate } from "./front-matter.js";
import { tables } from "./table.js";

// Relatives of Markdown, rewritten line by line: headings, code, tables, links and notes. What is not known stays as text.

export const restructuredText: Loader = (bytes) => {
  const lines = linesOf(bytes);
  const styles: string[] = [];
  const written: string[] = [];
  const date = isoDate(lines.map((line) => /^:(?:Date|Updated): *(.*)$/i.exec(line)?.[1] ?? "").join(""));
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const over = RULE.test(line) && (lines[i + 1] ?? "").trim() !== "" && lines[i + 2]?.trim() === line.trim();
    const title = over ? (lines[i + 1] ?? "") : line;
    const under = over ? (lines[i + 2] ?? "") : (lines[i + 1] ?? "");
    const directive = /^( *)\.\. (?:([\w-]+):: *(.*)|.*)$/.exec(line);
    if (title.trim() !== "" && !/^\s/.test(over ? "" : title) && RULE.test(under) && under.trim().length >= 3) {
      const style = `${over}${under.trim()[0]}`;
      if (!styles.includes(style)) styles.push(style);
      written.push("", `${"#".repeat(Math.min(6, styles.indexOf(style) + 1))} ${inRst(title.trim())}`, "");
      i += over ? 2 : 1;
    } else if (directive) {
      const { body, next } = indented(lines, i + 1, (directive[1] ?? "").length);
      const [, , name = "", argument = ""] = directive;
      const content = body.map((each) => (/^:[\w-]+:( |$)/.test(each) ? "" : each));
      if (/^(?:code|code-block|sourcecode|literalinclude|parsed-literal)$/.test(name)) {
        written.push("", fenced(content.join("\n").trim(), argument), "");
        i = next - 1;
      } else if (/^(?:note|warning|tip|important|caution|danger|attention|hint|admonition|seealso)$/.test(name)) {
        const kind = name === "admonition" ? argument : `${name[0]?.toUpperCase()}${name.slice(1)}: ${argument}`;
        written.push("", inRst(kind));
        lay(lines, i + 1, body);
      } else if (
        /^(?:csv-table|table|list-table|topic|sidebar|rubric|container|versionadded|versionchanged|deprecated)$/.test(
          name,
        )
      ) {
        written.push("", inRst(argument));
        lay(lines, i + 1, content);
      } else i = next - 1;
    } else if (/^\+(?:[-=]+\+)+\s*$/.test(line) || /^=+(?: +=+)+\s*$/.test(line)) {
      const { rows, next } = line.startsWith("+") ? gridTable(lines, i) : simpleTable(lines, i);
      written.push("", tables(rows.map((row) => row.map(inRst))), "");
      i = next - 1;
    } else if (/::\s*$/.test(line) && (lines[i + 1] ?? "").trim() === "" && /^\s/.test(lines[i + 2] ?? "")) {
      const { body, next } = indented(lines, i + 1, /^ */.exec(line)?.[0].length ?? 0);
      written.push(
        inRst(line.replace(/\s*::\s*$/, line.trim() === "::" ? "" : ":")),
        "",
        fenced(body.join("\n").trim()),
        "",
      );
      i = next - 1;
    } else written.push(inRst(line.replace(/^(\s*)#\. /, "$11. ")));
  }
  return finished(written, { reviewedAt: date });
};

const RULE = /^([=\-`:'"~^_*+#<>.])\1{2,}\s*$/;

const inRst = (line: string) =>
  line
    .replace(/``([^`]+)``/g, "`$1`")
    .replace(/:[\w:+-]+:`([^`<]+?)(?:\s*<[^`>]*>)?`/g, "$1")
    .replace(/`([^`<]+?)\s*<[^`>]*>`__?/g, "$1")
    .replace(/`([^`]+)`__?/g, "$1");

/** Writes lines in the place of others, to be read next: the body of a note is read without its indentation. */
function lay(lines: string[], from: number, body: readonly string[]): void {
  body.forEach((line, i) => {
    lines[from + i] = line;
  });
}

/** Returns the first line from `from` that fits, or the number of lines. */
function firstLine(lines: readonly string[], from: number, fits: (line: string) => boolean): number {
  for (let i = from; i < lines.length; i++) if (fits(lines[i] ?? "")) return i;
  return lines.length;
}

/** Returns the lines from `from` that are blank or indented more than `margin`, without their common indentation. */
function indented(lines: readonly string[], from: number, margin: number): { body: string[]; next: number } {
  let next = from;
  for (let i = from; i < lines.length; i++) {
    const line = lines[i] ?? "";
    if (line.trim() === "") continue;
    if ((/^ */.exec(line.replaceAll("\t", "    "))?.[0].length ?? 0) <= margin) break;
    next = i + 1;
  }
  const body = lines.slice(from, next).map((line) => line.replaceAll("\t", "    "));
  const depth = body.reduce((least, line) => (line.trim() === "" ? least : Math.min(least, line.search(/\S/))), 99);
  return { body: body.map((line) => line.slice(depth)), next };
}

function gridTable(lines: readonly string[], from: number): { rows: string[][]; next: number } {
  const rows: string[][] = [];
  let row: string[] = [];
  let next = from;
  for (; next < lines.length && /^[+|]/.test(lines[next] ?? ""); next++) {
    const line = lines[next] ?? "";
    if (line.startsWith("+")) {
      if (row.length > 0) rows.push(row);
      row = [];
    } else
      line
        .split("|")
        .slice(1, -1)
        .forEach((cell, i) => {
          row[i] = `${row[i] ?? ""} ${cell.trim()}`.trim();
        });
  }
  return { rows, next };
}

function simpleTable(lines: readonly string[], from: number): { rows: string[][]; next: number } {
  const starts = [...(lines[from] ?? "").matchAll(/=+/g)].map(({ index }) => index);
  const rows: string[][] = [];
  let rules = 1;
  let next = from + 1;
  for (; next < lines.length && rules < 3; next++) {
    const line = lines[next] ?? "";
    if (/^=+(?: +=+)*\s*$/.test(line)) rules += (lines[next + 1] ?? "").trim() === "" ? 2 : 1;
    else if (line.trim() === "" && rules < 2) break;
    else rows.push(starts.map((start, i) => line.slice(start, starts[i + 1]).trim()));
  }
  return { rows, next };
}

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
    const cells = line.split(/(?<!\\)(?:^|\s)?[\d.+*^<>]*[aehlmsd]?\|/);
    const [rest = "", ...more] = cells;
    if (rest.trim() !== "" && row.length > 0) row[row.length - 1] += ` ${rest.trim()}`;
    row.push(...more.map((cell) => inAscii(cell.trim())));
    if (width === 0 && row.length > 0) width = row.length;
    while (width > 0 && row.length >= width) rows.push(row.splice(0, width));
  }
  return row.length > 0 ? [...rows, row] : rows;
}

export const org: Loader = (bytes) => {
  const lines = linesOf(bytes);
  const written: string[] = [];
  let title = "";
  let reviewedAt = "";
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const heading = /^(\*+) +(.*?)(?:\s+:[\w@:]+:)?\s*$/.exec(line);
    const block = /^\s*#\+begin_(\w+)(?: +(\S+))?/i.exec(line);
    const setting = /^\s*#\+(\w+): *(.*)$/.exec(line);
    if (heading) written.push("", `${"#".repeat(Math.min(6, heading[1]?.length ?? 1))} ${inOrg(heading[2] ?? "")}`, "");
    else if (block && /^(?:src|example|comment)$/i.test(block[1] ?? "")) {
      const end = firstLine(lines, i + 1, (each) => /^\s*#\+end_/i.test(each));
      if (!/^comment$/i.test(block[1] ?? ""))
        written.push("", fenced(lines.slice(i + 1, end).join("\n"), block[2] ?? ""), "");
      i = end;
    } else if (/^\s*:(?:PROPERTIES|LOGBOOK):\s*$/i.test(line)) {
      const end = firstLine(lines.slice(i, i + LONGEST_DRAWER), 1, (each) => /^\s*:END:\s*$/i.test(each));
      if (end < LONGEST_DRAWER) i += end;
    } else if (/^\s*\|/.test(line)) {
      const end = firstLine(lines, i + 1, (each) => !/^\s*\|/.test(each));
      const rows = lines.slice(i, end).filter((row) => !/^\s*\|[-+]+\|?\s*$/.test(row));
      written.push(
        "",
        tables(
          rows.map((row) =>
            row
              .trim()
              .replace(/^\||\|$/g, "")
              .split("|")
              .map(inOrg),
          ),
        ),
        "",
      );
      i = end - 1;
    } else if (setting) {
      if (/^title$/i.test(setting[1] ?? "")) title = setting[2] ?? "";
      if (/^date$/i.test(setting[1] ?? "")) reviewedAt = isoDate((setting[2] ?? "").replace(/^[<[]/, ""));
    } else if (!/^\s*#(?:\s|\+|$)/.test(line)) written.push(inOrg(line));
  }
  return finished(written, { title, reviewedAt });
};

/** In lines. A longer one, or one without an end, is text. */
const LONGEST_DRAWER = 50;

const inOrg = (line: string) =>
  line.replace(/\[\[([^\][]*)\](?:\[([^\][]*)\])?\]/g, (_, url: string, words?: string) => words ?? url);

const linesOf = (bytes: Uint8Array) => decode(bytes).split(/\r\n?|\n/);

const finished = (lines: readonly string[], about: { title?: string; reviewedAt: string }): Content =>
  inMarkdown(
    lines
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim(),
    about,
  );
