import type { Passage, SourceDocument } from "../../src/types/evidence.js";

export const markdown = (text: string, title = ""): SourceDocument => ({
  documentId: "docs/a.md",
  uri: "docs/a.md",
  title,
  reviewedAt: "2024-05-01",
  format: "markdown",
  text,
  hash: "h1",
});

export const plainText = (text: string): SourceDocument => ({ ...markdown(text), format: "text" });

export const ENGLISH =
  "Employees may carry over at most five days of leave into the next year. Requests are filed in the portal two weeks ahead. Dr. Smith approves them on Mondays. ";
export const CHINESE =
  "公司为全体正式员工提供带薪年休假。员工累计工作已满一年不满十年的，年休假五天；已满十年不满二十年的，年休假十天。国家法定休假日、休息日不计入年休假的假期。";

/**
 * The faults of passages that should contain every word of a text once, in order and verbatim. A passage may begin with
 * a repeated header: two whole lines of the text, or one line that ends with a colon. Empty if there are none.
 */
export function flaw(text: string, passages: readonly Passage[]): string {
  const lines = new Set(text.split(/\r\n?|\n/));
  let at = 0;
  for (const { id, text: wording } of passages) {
    at = skipBlank(text, at);
    const [first = "", second = "", ...rest] = wording.split(/\r\n?|\n/);
    const body = wording.trimStart();
    if (text.startsWith(body, at)) {
      at += body.length;
      continue;
    }
    const isLead = /[:：]$/.test(first) && text.includes(first);
    const head = isLead ? /^[^\r\n]*(?:\r\n?|\n)/ : /^(?:[^\r\n]*(?:\r\n?|\n)){2}/;
    const behindHead = wording.slice(head.exec(wording)?.[0].length ?? 0).trimStart();
    const isHead = isLead || (rest.length > 0 && lines.has(first) && lines.has(second) && second.includes("-"));
    if (!isHead || !text.startsWith(behindHead, at))
      return `${id} does not continue the text at ${at}: ${body.slice(0, 200)}`;
    at += behindHead.length;
  }
  const left = text.slice(at).trim();
  return left === "" ? "" : `left out: ${left.slice(0, 200)}`;
}

function skipBlank(text: string, at: number): number {
  let next = at;
  while (next < text.length && /\s/.test(text.charAt(next))) next += 1;
  return next;
}
