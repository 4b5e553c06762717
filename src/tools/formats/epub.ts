import { posix } from "node:path";
import { isoDate, metadataOf } from "../../text/metadata.js";
import { inMarkdown, type Loader } from "./content.js";
import { allInMarkdown, decodeHtml } from "./html.js";
import { stated } from "./office.js";
import { below, childrenOf, parseXml, textOf } from "./xml.js";
import { textIn, unzip } from "./zip.js";

/** An e-book: its chapters in their order. */
export const epub: Loader = async (bytes) => {
  const archive = await unzip(
    bytes,
    (name) => !/\.(?:jpe?g|png|gif|webp|svg|css|js|[ot]tf|woff2?|mp[34]|m4a)$/i.test(name),
  );
  const [root] = below(parseXml(textIn(archive, "META-INF/container.xml")), "rootfile");
  const path = root?.attributes["full-path"] ?? "";
  const book = parseXml(textIn(archive, path));
  const [metadata] = below(book, "metadata");
  const items = below(book, "item").filter(({ attributes }) => !/\bnav\b/.test(attributes.properties ?? ""));
  const files = new Map(items.map(({ attributes: { id, href = "" } }) => [id, hrefOf(path, href)]));
  const chapters = below(book, "itemref").flatMap(({ attributes: { idref } }) => files.get(idref) ?? []);
  const locked = new Set(
    below(parseXml(textIn(archive, "META-INF/encryption.xml")), "CipherReference").map(
      ({ attributes: { URI = "" } }) => URI,
    ),
  );
  if (chapters.some((chapter) => locked.has(chapter))) throw new Error("It is encrypted (DRM), so it cannot be read.");
  const said = (name: string) => textOf(childrenOf(metadata, name)[0]).trim();
  const text = [...new Set(chapters)].map((chapter) =>
    allInMarkdown(closed(decodeHtml(archive.get(chapter) ?? new Uint8Array()))),
  );
  return inMarkdown(text.filter(Boolean).join("\n\n"), {
    title: said("title"),
    reviewedAt: isoDate(said("date")),
    metadata: metadataOf(stated(metadata)),
  });
};

const hrefOf = (from: string, href: string) => {
  const file = href.split("#")[0] ?? "";
  try {
    return posix.join(posix.dirname(from), decodeURIComponent(file));
  } catch {
    return posix.join(posix.dirname(from), file);
  }
};

/** Writes `<title/>` of XHTML as `<title></title>`: HTML would take all that follows for its content. */
const closed = (xhtml: string) =>
  xhtml.replace(
    /<((?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)[a-z][\w-]*)((?:\s[^<>]*)?)\/>/gi,
    "<$1$2></$1>",
  );
