import { inert, verbatim } from "../citing/inert.js";
import type { Answer, Citation } from "../types/answer.js";
import { linkTo, placeOf, quotesShown } from "./citations.js";
import { messagesIn, SPOKEN } from "./messages/index.js";

/** Formats an answer for a reader that renders Markdown: its text, and the list of its sources with links and quotes. */
export const answerAsMarkdown = (answer: Answer): string =>
  [answer.text, sourceList(answer)].filter((part) => part !== "").join("\n\n");

/** Lists the sources as Markdown, each with a link to the place of its first quote. Empty without sources. */
export function sourceList({
  references,
  claims,
  language,
}: Pick<Answer, "references" | "claims" | "language">): string {
  if (references.length === 0) return "";
  const say = messagesIn(language);
  const items = references.map(({ number, title, section, uri, validFrom = "", validUntil = "" }) => {
    const quotes = quotesOf(number, claims);
    const name = inert(placeOf(title, section) || uri);
    const address = linkTo(uri, quotes[0]?.quote);
    const shown = address
      ? `[${name.replace(/[[\]]/g, "")}](${address})`
      : `${name} (\`${verbatim(uri.replaceAll("`", ""))}\`)`;
    const shownQuotes = quotesShown(quotes)
      .map((quote) => `> ${inert(quote)}`)
      .join("\n>\n");
    const valid = say.valid(inert(validFrom), inert(validUntil));
    return [[`[${number}] ${shown}`, valid].filter(Boolean).join(" · "), shownQuotes].filter(Boolean).join("\n");
  });
  return `**${say.sources}**\n\n${items.join("\n\n")}`;
}

/** Removes the list of sources from an earlier answer that a client sends back. */
export const withoutSources = (text: string): string => text.replace(LISTED, "");

const HEADINGS = Object.values(SPOKEN).map(({ sources }) => sources);
const LISTED = new RegExp(`\\n\\n(?:\\*\\*)?(?:${HEADINGS.join("|")})[:：]?(?:\\*\\*)?\\n[\\s\\S]*$`, "u");

const quotesOf = (reference: number, claims: Answer["claims"]) =>
  claims.flatMap(({ citations }) => citations.filter(isOf(reference)));

const isOf = (reference: number) => (citation: Citation) => citation.reference === reference;
