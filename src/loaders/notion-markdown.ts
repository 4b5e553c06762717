/**
 * Returns Notion's Markdown as plain Markdown: without its tags, colours and the tabs that nest blocks in blocks other than
 * lists. Code stays as it is.
 */
export function markdownOf(text: string): string {
  const lines: string[] = [];
  /** The depths, in tabs, of the list entries that the line is in. */
  let entries: number[] = [];
  let fence: { mark: string; depth: number; indent: string } | undefined;
  for (const line of text.split("\n")) {
    const depth = /^\t*/.exec(line)?.[0].length ?? 0;
    if (fence) {
      const code = line.replace(new RegExp(`^\\t{0,${fence.depth}}`), "");
      lines.push(fence.indent + code);
      if (code.trim() === fence.mark) fence = undefined;
      continue;
    }
    const content = untagged(line.slice(depth));
    if (content.trim() === "" || content.startsWith(":::")) {
      lines.push("");
      continue;
    }
    entries = entries.filter((entry) => entry < depth);
    const indent = "    ".repeat(entries.length);
    const [mark] = /^`{3,}/.exec(content) ?? [];
    if (mark) fence = { mark, depth, indent };
    if (/^(?:-|\d+\.)\s/.test(content)) entries.push(depth);
    lines.push(indent + content);
  }
  return lines
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Tags that Markdown readers know stay: those of tables, and line ends. A `<` that is text is escaped. */
const untagged = (line: string) =>
  line
    .replace(/(?<!\\)<mention-date start="([^"]*)"(?: end="([^"]*)")?[^>]*>/g, (_, start: string, end?: string) =>
      end ? `${start} – ${end}` : start,
    )
    .replace(/(?<!\\)<\/?(?!(?:table|tr|td|th|br)\b)[a-z][\w-]*(?:\s[^<>]*)?\/?>/g, "")
    .replace(/\s*\{(?:[\w-]+="[^"]*"\s*)+\}\s*$/, "");
