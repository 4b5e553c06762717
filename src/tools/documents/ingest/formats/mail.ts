import type { Address } from "postal-mime";
import { inMarkdown, type Loader } from "./content.js";
import { isoDate } from "./front-matter.js";
import { htmlToMarkdown } from "./html.js";

/**
 * Returns a loader of mail: who wrote it to whom and when, the text, and the attachments of kinds that are read.
 * @param load reads an attachment.
 */
export const mail =
  (load: (bytes: Uint8Array, name: string) => Promise<{ text: string }>): Loader =>
  async (bytes) => {
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
    } = await PostalMime.parse(bytes).catch((error: Error) => {
      throw new Error(`It cannot be read as mail (${error.message}).`, { cause: error });
    });
    const lines = Object.entries({ From: from ? [from] : [], To: to, Cc: cc }).flatMap(([name, people]) =>
      people.length === 0 ? [] : [`- ${name}: ${people.map(nameOf).join(", ")}`],
    );
    const body = html === undefined ? (text ?? "") : htmlToMarkdown(html).markdown || (text ?? "");
    const parts = [
      `# ${subject.replace(/\s+/g, " ") || "(no subject)"}`,
      [...lines, ...(date ? [`- Date: ${date}`] : [])].join("\n"),
      body.trim(),
    ];
    for (const { filename, content, related } of attachments) {
      if (filename === null || related || typeof content === "string") continue;
      const read = await load(new Uint8Array(content), filename).catch(() => ({ text: "(not read)" }));
      parts.push(`# ${filename}\n\n${read.text.trim()}`);
    }
    return inMarkdown(parts.filter(Boolean).join("\n\n"), { title: subject, reviewedAt: isoDate(date) });
  };

const nameOf = (person: Address): string =>
  person.group ? person.group.map(nameOf).join(", ") : [person.name, person.address].filter(Boolean).join(" ");
