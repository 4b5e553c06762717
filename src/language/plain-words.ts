/** What a piece of Markdown says to its reader: without marks, and on one line. */
export function plainWords(text: string): string {
  return text
    .replace(/!?\[([^\][\n]{1,300})\]\([^()\s]{0,500}(?:\s+"[^"\n]{0,200}")?\)/g, (_, words: string) => words)
    .replace(/^[ \t]*>+[ \t]?/gm, "")
    .replace(/\*{1,3}|`|~~|(?<![\p{L}\p{N}])_{1,3}|_{1,3}(?![\p{L}\p{N}])/gu, "")
    .replace(/(?<=\p{Script=Han})\s*\n\s*(?=\p{Script=Han})/gu, "")
    .replace(/\s+/g, " ")
    .trim();
}
