import { isUtf8 } from "node:buffer";
import type { Address } from "postal-mime";
import { decode } from "../../text/decode.js";
import { isoDate, metadataOf } from "../../text/metadata.js";
import { type FormatReader, inMarkdown } from "./content.js";
import { allInMarkdown } from "./html.js";
import type { Scans } from "./scans.js";

/**
 * Returns a reader for mail: sender, recipients, date, text, and the attachments whose format is read.
 * @param load reads an attachment.
 */
export const mail =
  (load: (bytes: Uint8Array, name: string, scans?: Scans) => Promise<{ text: string }>): FormatReader =>
  async (bytes, _name, scans) => {
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
    const parts = [
      `# ${subject.replace(/\s+/g, " ") || "(no subject)"}`,
      [...lines, ...(date ? [`- Date: ${date}`] : [])].join("\n"),
      body.trim(),
    ];
    for (const { filename, mimeType, content, related } of attachments) {
      if (related || typeof content === "string") continue;
      const name = filename ?? NAMES[mimeType] ?? mimeType;
      const read = await load(new Uint8Array(content), name, scans).catch(() => ({ text: "(not read)" }));
      parts.push(`# ${name.replace(/\s+/g, " ")}\n\n${read.text.trim()}`);
    }
    return inMarkdown(parts.filter(Boolean).join("\n\n"), {
      title: subject,
      reviewedAt: isoDate(date),
      metadata: metadataOf([...people, ["Date", date]]),
    });
  };

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
