import { posix } from "node:path";
import { isoDate, metadataOf } from "../../text/metadata.js";
import { childrenOf, descendants, statedTexts, textOf, unzip, xmlIn } from "./archive.js";
import { type FormatReader, inMarkdown } from "./content.js";
import { allInMarkdown, decodeHtml } from "./html.js";

/** An e-book: its chapters in reading order. A chapter that is missing from the file is named as not read. */
export const epub: FormatReader = async (bytes) => {
  const archive = await unzip(bytes, mayHoldText);
  const [root] = descendants(xmlIn(archive, "META-INF/container.xml"), "rootfile");
  const path = root?.attribs["full-path"] ?? "";
  const book = xmlIn(archive, path);
  const [metadata] = descendants(book, "metadata");
  const items = descendants(book, "item").filter(({ attribs }) => !/\bnav\b/.test(attribs.properties ?? ""));
  const files = new Map(items.map(({ attribs: { id, href = "" } }) => [id, hrefOf(path, href)]));
  const chapters = descendants(book, "itemref").flatMap(({ attribs: { idref } }) => files.get(idref) ?? []);
  const locked = new Set(
    descendants(xmlIn(archive, "META-INF/encryption.xml"), "CipherReference").map(({ attribs: { URI = "" } }) => URI),
  );
  if (chapters.some((chapter) => locked.has(chapter))) throw new Error("It is encrypted (DRM), so it cannot be read.");
  const field = (name: string) => textOf(childrenOf(metadata, name)[0]).trim();
  const text = [...new Set(chapters)].filter(mayHoldText).map((chapter) => {
    const page = archive.get(chapter);
    return page ? allInMarkdown(closed(decodeHtml(page))) : `# ${posix.basename(chapter)}\n\n(not read)`;
  });
  return inMarkdown(text.filter(Boolean).join("\n\n"), {
    title: field("title"),
    reviewedAt: isoDate(field("date")),
    metadata: metadataOf(statedTexts(metadata)),
  });
};

const mayHoldText = (name: string) => !/\.(?:jpe?g|png|gif|webp|svg|css|js|[ot]tf|woff2?|mp[34]|m4a)$/i.test(name);

const hrefOf = (from: string, href: string) => {
  const file = href.split("#")[0] ?? "";
  try {
    return posix.join(posix.dirname(from), decodeURIComponent(file));
  } catch {
    return posix.join(posix.dirname(from), file);
  }
};

/** Writes `<title/>` of XHTML as `<title></title>`: in HTML, everything that follows would be its content. */
const closed = (xhtml: string) =>
  xhtml.replace(
    /<((?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)[a-z][\w-]*)((?:\s[^<>]*)?)\/>/gi,
    "<$1$2></$1>",
  );
