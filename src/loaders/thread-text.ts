/** What somebody wrote in a discussion. */
export interface Said {
  by: string;
  /** In ISO form. */
  at: string;
  text: string;
}

/** Returns a discussion in Markdown: its title, who began it with what, and each comment below a heading of its own. */
export function threadText(title: string, [first, ...comments]: readonly [Said, ...Said[]]): string {
  const heading = `# ${oneLine(title)}\n\n${named(first)}\n\n${first.text.trim()}`;
  const parts = comments
    .filter(({ text }) => text.trim() !== "")
    .map((one) => `## ${named(one)}\n\n${one.text.trim()}`);
  return `${[heading, ...parts].join("\n\n")}\n`;
}

const named = ({ by, at }: Said) => `${oneLine(by)}, ${at.slice(0, 10)}`;
const oneLine = (text: string) => text.replace(/\s+/g, " ").trim();
