import { decode } from "../../text/decode.js";
import { fenced } from "../../tools/web/page-markdown.js";
import { type FormatReader, inMarkdown } from "./content.js";

/**
 * Source code. A declaration at the left margin begins a section, which has its name and includes the comments and
 * decorators above it. This needs no parser, so it works for any language that is indented.
 */
export const code: FormatReader = (bytes, name) => {
  const language = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const sections: { name: string; lines: string[] }[] = [{ name: "", lines: [] }];
  let before: string[] = [];
  let inString = false;
  for (const line of decode(bytes).split(/\r\n?|\n/)) {
    const declared = inString ? "" : declaration(line);
    // A line of a multi-line string, as in Python, may look like a declaration.
    if ((line.split('"""').length + line.split("'''").length) % 2 === 1) inString = !inString;
    if (declared !== "") sections.push({ name: declared, lines: [...before, line] });
    else if (LEADING.test(line) && !inString) {
      before.push(line);
      continue;
    } else sections.at(-1)?.lines.push(...before, line);
    before = [];
  }
  sections.at(-1)?.lines.push(...before);
  const parts = sections.map(({ name: declared, lines }) => {
    const text = lines.join("\n").replace(/^(?:[ \t]*\n)+/, "");
    if (text.trim() === "") return "";
    return `${declared === "" ? "" : `## ${declared}\n\n`}${fenced(text, language)}`;
  });
  return inMarkdown(parts.filter(Boolean).join("\n\n"), { title: name.split("/").at(-1) ?? name });
};

/** A comment, a decorator or a blank line: it belongs to the line that follows. */
const LEADING = /^(?:\/\/|\/\*| \*|#(?!include|define|if|endif|pragma|import)|--|@|\[[A-Z]|;;|%)|^\s*$/;

/** Returns the name that a line at the left margin declares; empty if none. */
function declaration(line: string): string {
  if (!/^[A-Za-z_$]/.test(line) || line.length > 400) return "";
  return (
    DECLARATIONS.map((pattern) => pattern.exec(line)?.[1] ?? "")
      .find((name) => name !== "")
      ?.replace(/[.:]+$/, "") ?? ""
  );
}

const BEFORE =
  "(?:(?:export|default|declare|public|private|protected|internal|abstract|final|sealed|static|async|pub(?:\\([^)]*\\))?|unsafe|extern|inline|open|data|partial|override|virtual|local|const(?=\\s+(?:fn|enum))|case(?=\\s+class)) +)*";
const DECLARATIONS: readonly RegExp[] = [
  new RegExp(
    `^${BEFORE}(?:class|interface|struct|enum|union|trait|protocol|extension|record|object|module|namespace|type|function\\*?|def|defp|defmodule|fn|func|fun|sub|proc|message|service|macro|mod|impl(?:<[^>]*>)?) +(?:\\([^)]*\\) *)?([\\p{L}_$][\\p{L}\\p{N}_$.:]*)`,
    "u",
  ),
  new RegExp(
    `^${BEFORE}(?:const|let|var|val) +([\\p{L}_$][\\p{L}\\p{N}_$]*)[^=]*= *(?:async *)?(?:\\(|function|\\{|\\[|class)`,
    "u",
  ),
  /^create +(?:or +replace +)?(?:temp(?:orary)? +)?(?:table|view|function|procedure|index|trigger|type)(?: +if +not +exists)? +([\w."`]+)/i,
  // C, C++, C#, Java: a type, a name and parameters, and the body or its brace.
  /^(?!return|else|if|for|while|switch|typedef|using|import)[\w:<>,*&[\]~]+(?: +[\w:<>,*&[\]~]+)* +[*&]*([\w:~]+) *\([^;{]*(?:\{.*)?$/,
  // Shell.
  /^([\w-]+) *\(\) *\{/,
];
