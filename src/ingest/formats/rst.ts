import { struckOut, superscript } from "../../text/marks.js";
import { isoDate, metadataOf } from "../../text/metadata.js";
import { fenced } from "../../tools/web/page-markdown.js";
import { allowance, type FormatReader, finished, linesOf } from "./content.js";
import { tables } from "./table.js";

/** reStructuredText: titles (ranked by when their marks first appear), code, notes, tables and links. */
export const restructuredText: FormatReader = (bytes) => {
  const lines = linesOf(bytes);
  const spend = allowance(bytes);
  const styles: string[] = [];
  const written: string[] = [];
  const fields = lines.slice(0, HEAD).map((line): [name: string, value: string] => {
    const [, name = "", value = ""] = /^:([\w -]+): +(.*)$/.exec(line) ?? [];
    return [name, value];
  });
  const dates = fields.map(([name, value]) => (/^(?:date|updated)$/i.test(name) ? isoDate(value) : ""));
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const over = RULE.test(line) && (lines[i + 1] ?? "").trim() !== "" && lines[i + 2]?.trim() === line.trim();
    const title = over ? (lines[i + 1] ?? "") : line;
    const under = over ? (lines[i + 2] ?? "") : (lines[i + 1] ?? "");
    const directive = /^( *)\.\. (?:([\w:+-]+):: *(.*)|(\[[^\]]+\] .*)|.*)$/.exec(line);
    if (title.trim() !== "" && !/^\s/.test(over ? "" : title) && RULE.test(under) && under.trim().length >= 3) {
      const style = `${over}${under.trim()[0]}`;
      if (!styles.includes(style)) styles.push(style);
      written.push("", `${"#".repeat(Math.min(6, styles.indexOf(style) + 1))} ${inRst(title.trim())}`, "");
      i += over ? 2 : 1;
    } else if (directive) {
      const { body, next } = indented(lines, i + 1, (directive[1] ?? "").length);
      const [, , whole = "", argument = "", note] = directive;
      const name = whole.split(":").at(-1) ?? "";
      const options = body.findIndex((each) => !OPTION.test(each));
      const content = body.map((each, at) => (at < options || options < 0 ? "" : each));
      if (/^(?:code|code-block|sourcecode|parsed-literal)$/.test(name)) {
        written.push("", fenced(content.join("\n").trim(), argument), "");
        i = next - 1;
      } else if (name === "image") {
        written.push("", inRst(altIn(body)), "");
        i = next - 1;
      } else if (note === undefined && (name === "" || WITHOUT_TEXT.test(name))) i = next - 1;
      else {
        const label = NOTES.test(name) ? `${name[0]?.toUpperCase()}${name.slice(1)}: ${argument}` : argument;
        written.push("", inRst(note ?? (name === "figure" ? altIn(body) : NAMED.test(name) ? "" : label)));
        if (name === "figure") written.push("");
        overwrite(lines, i + 1, content);
      }
    } else if (/^\+(?:[-=]+\+)+\s*$/.test(line) || /^=+(?: +=+)+\s*$/.test(line)) {
      const { rows, next } = line.startsWith("+") ? gridTable(lines, i) : simpleTable(lines, i);
      written.push(
        "",
        tables(
          rows.map((row) => row.map(inRst)),
          spend,
        ),
        "",
      );
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
  return finished(written, { reviewedAt: dates.find(Boolean) ?? "", metadata: metadataOf(fields) });
};

/**
 * In lines. Fields at the beginning of a document are about the document; later ones belong to the text around them.
 */
const HEAD = 40;
const OPTION = /^:[\w-]+:( |$)/;
const NOTES = /^(?:note|warning|tip|important|caution|danger|attention|hint|seealso)$/;

/** Directives that have no body, or one that is not text. */
const WITHOUT_TEXT =
  /^(?:include|literalinclude|toctree|contents|raw|meta|index|highlight|role|default-role|default-domain|replace|unicode|date|sectnum|target-notes|tabularcolumns|auto\w+)$/;

/** Directives whose argument is a name or a path. */
const NAMED = /^(?:figure|class|rst-class|cssclass|container|only|ifconfig)$/;

const RULE = /^([=\-`:'"~^_*+#<>.])\1{2,}\s*$/;

/** Returns the alternative text of a picture. */
const altIn = (options: readonly string[]): string =>
  options.map((option) => /^:alt: +(.*)$/.exec(option)?.[1] ?? "").find((words) => words !== "") ?? "";

const inRst = (line: string) =>
  line
    .replace(/(?:\\ )?:(?:sup|superscript):`([^`]{1,100})`(?:\\ )?/g, (_, words: string) => superscript(words))
    .replace(/(?:\\ )?:(?:sub|subscript):`([^`]{1,100})`(?:\\ )?/g, "$1")
    .replace(/:(?:strike|strikethrough|del|line-through):`([^`]{1,500})`/g, (_, words: string) => struckOut(words))
    .replace(/``([^`]+)``/g, "`$1`")
    .replace(/:[\w:+-]{1,60}:`([^`<]+)(?:<[^`>]*>)?`/g, (_, words: string) => words.trim())
    .replace(/`([^`<]+)<[^`>]*>`__?/g, (_, words: string) => words.trim())
    .replace(/`([^`]+)`__?/g, "$1");

/** Overwrites the lines to be read next, so that the body of a note is read without its indentation. */
function overwrite(lines: string[], from: number, body: readonly string[]): void {
  body.forEach((line, i) => {
    lines[from + i] = line;
  });
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
    else {
      const wide = line.replace(WIDE, "$&\0");
      const row = starts.map((start, i) =>
        wide
          .slice(start, starts[i + 1])
          .replaceAll("\0", "")
          .trim(),
      );
      const above = row[0] === "" ? rows.at(-1) : undefined;
      if (above) for (const [i, cell] of row.entries()) above[i] = `${above[i] ?? ""} ${cell}`.trim();
      else rows.push(row);
    }
  }
  return { rows, next };
}

/** Characters that are two columns wide. */
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60]/gu;
