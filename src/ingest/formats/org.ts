import { checkBox, struckOut, superscript } from "../../text/marks.js";
import { isoDate, metadataOf } from "../../text/metadata.js";
import { fenced } from "../../tools/web/page-markdown.js";
import { allowance, type FormatReader, finished, firstLine, linesOf } from "./content.js";
import { tables } from "./table.js";

export const org: FormatReader = (bytes) => {
  const lines = linesOf(bytes);
  const written: string[] = [];
  const stated: [key: string, value: string][] = [];
  let title = "";
  let reviewedAt = "";
  const spend = allowance(bytes);
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i] ?? "";
    const heading = /^(\*+) +(.*)$/.exec(line.trimEnd());
    const block = /^\s*#\+begin_(\w+)(?: +(\S+))?/i.exec(line);
    const setting = /^\s*#\+(\w+): *(.*)$/.exec(line);
    if (heading)
      written.push(
        "",
        `${"#".repeat(Math.min(6, heading[1]?.length ?? 1))} ${inOrg((heading[2] ?? "").replace(/(?<!\s)\s+:[\w@:]+:$/, ""))}`,
        "",
      );
    else if (block && /^(?:src|example|comment)$/i.test(block[1] ?? "")) {
      const end = firstLine(lines, i + 1, (each) => /^\s*#\+end_/i.test(each));
      if (!/^comment$/i.test(block[1] ?? ""))
        written.push("", fenced(lines.slice(i + 1, end).join("\n"), block[2] ?? ""), "");
      i = end;
    } else if (/^\s*:(?:PROPERTIES|LOGBOOK):\s*$/i.test(line)) {
      const end = firstLine(lines.slice(i, i + LONGEST_DRAWER), 1, (each) => DRAWER_END.test(each));
      if (DRAWER_END.test(lines[i + end] ?? "")) i += end;
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
          spend,
        ),
        "",
      );
      i = end - 1;
    } else if (setting) {
      stated.push([setting[1] ?? "", setting[2] ?? ""]);
      if (/^title$/i.test(setting[1] ?? "")) title = setting[2] ?? "";
      if (/^caption$/i.test(setting[1] ?? "")) written.push(inOrg(setting[2] ?? ""), "");
      if (/^date$/i.test(setting[1] ?? "")) reviewedAt = isoDate((setting[2] ?? "").replace(/^[<[]/, ""));
    } else if (!/^\s*#(?:\s|\+|$)/.test(line)) written.push(inOrg(line));
  }
  return finished(written, { title, reviewedAt, metadata: metadataOf(stated) });
};

/** In lines. A longer drawer, or one without an end, is text. */
const LONGEST_DRAWER = 50;
const DRAWER_END = /^\s*:END:\s*$/i;

const inOrg = (line: string) =>
  line
    .replace(/\[\[([^\][]*)\](?:\[([^\][]*)\])?\]/g, (_, url: string, words?: string) => words ?? url)
    .replace(/^(\s*(?:[-+]|\d{1,9}[.)])\s+)\[X\](?=\s)/, `$1${checkBox(true)}`)
    .replace(
      /(?<=^|[\s({'"-])\+(?=[^\s+])([^+]{1,500}?)(?<=\S)\+(?=$|[\s)}'".,;:!?，。；：！？-])/g,
      (_, words: string) => struckOut(words),
    )
    .replace(/(?<=[\p{L}\p{N})])\^\{([^{}]{1,40})\}/gu, (_, words: string) => superscript(words));
