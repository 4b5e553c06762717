import { isUtf8 } from "node:buffer";
import type { Address } from "postal-mime";
import { decode } from "../../text/decode.js";
import { headingText } from "../../text/markup.js";
import { isoDate, metadataOf } from "../../text/metadata.js";
import { type Content, type DocumentPart, inLine, inMarkdown, inParts, type ReadInside } from "./content.js";
import { allInMarkdown } from "./html.js";
import { messagesIn } from "./thread.js";

/**
 * Mail: sender, recipients, date, text, the attachments whose format is read, and the older messages that it quotes, each
 * with its own date.
 */
export async function mail(bytes: Uint8Array, _name: string, inside: ReadInside): Promise<Content> {
  const { default: PostalMime } = await import("postal-mime");
  const {
    subject = "",
    from,
    to = [],
    cc = [],
    date = "",
    text,
    html,
    attachments,
  } = await PostalMime.parse(inUtf8(bytes)).catch((error: Error) => {
    throw new Error(`It cannot be read as mail (${error.message}).`, { cause: error });
  });
  const people = Object.entries({ From: from ? [from] : [], To: to, Cc: cc }).map(
    ([name, those]) => [name, those.map(nameOf)] as const,
  );
  const lines = people.flatMap(([name, those]) => (those.length === 0 ? [] : [`- ${name}: ${those.join(", ")}`]));
  // Markdown reads a paragraph right above a line of dashes, such as the one before a signature, as a heading.
  const plain = (text ?? "").replace(/\n(?=[ \t]*(?:-+|=+)[ \t]*$)/gm, "\n\n");
  const body = html === undefined ? plain : allInMarkdown(html) || plain;
  const reviewedAt = isoDate(date);
  const [own, ...older] = messagesIn(body, subject, reviewedAt);
  const parts = [
    `# ${subject.replace(/\s+/g, " ") || "(no subject)"}`,
    [...lines, ...(date ? [`- Date: ${date}`] : [])].join("\n"),
    own?.text ?? "",
  ];
  for (const { filename, mimeType, content, related } of attachments) {
    if (related || typeof content === "string") continue;
    const name = filename ?? NAMES[mimeType] ?? mimeType;
    const read = await inside(new Uint8Array(content), name).catch(() => ({ text: "(not read)" }));
    parts.push(`# ${name.replace(/\s+/g, " ")}\n\n${read.text.trim()}`);
  }
  const about = { title: subject, reviewedAt, metadata: metadataOf([...people, ["Date", date]]) };
  const newest = { name: "", text: parts.filter(Boolean).join("\n\n"), reviewedAt };
  const quoted = older.map(({ about: written, date: day, text: words }) => {
    const name = headingText(written.replace(/[<>]/g, ""));
    return { name, text: `## ${name}\n\n${words}`, reviewedAt: day };
  });
  return older.length === 0 ? inMarkdown(newest.text, about) : inParts([newest, ...quoted], about);
}

/** Names for attachments that have none. */
const NAMES: Readonly<Record<string, string>> = {
  "application/pdf": "attachment.pdf",
  "message/rfc822": "attachment.eml",
  "text/csv": "attachment.csv",
  "text/html": "attachment.html",
  "text/plain": "attachment.txt",
};

/** Converts a mail that declares no encoding from its likeliest encoding to UTF-8. */
const inUtf8 = (bytes: Uint8Array): Uint8Array =>
  isUtf8(bytes) ||
  Buffer.from(bytes)
    .toString("latin1")
    .match(/charset\s*=|=\?/i)
    ? bytes
    : Buffer.from(decode(bytes));

const nameOf = (person: Address): string =>
  person.group ? person.group.map(nameOf).join(", ") : [person.name, person.address].filter(Boolean).join(" ");

/** A mailbox: its mails, the oldest first, each with its subject as its place. */
export async function mailbox(bytes: Uint8Array, name: string, inside: ReadInside): Promise<Content> {
  const whole = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  // Each mail begins with a line "From somebody, when". A line of a mail that begins so has a mark before it.
  const mails = whole.split(/^From [^\n]*\d{4}[^\n]*\r?\n(?=[\w-]+:)/m).filter((text) => text.trim() !== "");
  const parts: { date: string; part: DocumentPart }[] = [];
  for (const text of mails.map((one) => one.replace(/^>(?=>*From )/gm, ""))) {
    const { title, metadata, text: written } = await mail(Buffer.from(text, "latin1"), name, inside);
    const date = metadata?.date ?? "";
    parts.push({ date, part: { name: inLine(title) || "(no subject)", text: written } });
  }
  const sorted = parts.toSorted((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
  return inParts(
    sorted.map(({ part }) => part),
    { title: "", reviewedAt: isoDate(sorted.at(-1)?.date ?? "") },
  );
}
