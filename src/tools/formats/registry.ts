import { decode, visible } from "../../text/decode.js";
import { allowance } from "./allowance.js";
import { asciiDoc } from "./asciidoc.js";
import { code } from "./code.js";
import type { Content, Loader } from "./content.js";
import { html } from "./html.js";
import { json, jsonLines, notebook } from "./json.js";
import { holdsPdf, isPacked, type Kind, kindOf } from "./kind.js";
import { mail } from "./mail.js";
import { markdown } from "./markdown.js";
import { org } from "./org.js";
import { restructuredText } from "./rst.js";
import { subtitles } from "./subtitles.js";
import { csv } from "./table.js";

/** Loaders of formats that are told by their first bytes. They are loaded when they are needed, since they are large. */
const PACKED: Readonly<Record<Kind, Loader>> = {
  pdf: async (...file) => (await import("./pdf.js")).pdf(...file),
  docx: async (...file) => (await import("./docx.js")).docx(...file),
  pptx: async (...file) => (await import("./pptx.js")).pptx(...file),
  xlsx: async (...file) => (await import("./xlsx.js")).xlsx(...file),
  odt: async (...file) => (await import("./odf.js")).openDocument(...file),
  epub: async (...file) => (await import("./epub.js")).epub(...file),
};

const text: Loader = (bytes) => ({ title: "", reviewedAt: "", format: "text", text: visible(decode(bytes)) });

/** The loaders by extension. */
const LOADERS: ReadonlyMap<string, Loader> = new Map(
  (
    [
      ["md markdown mdown mkd mdx qmd rmd", markdown],
      ["txt text", text],
      ["html htm xhtml", html],
      ["rst", restructuredText],
      ["adoc asciidoc", asciiDoc],
      ["org", org],
      ["csv tsv tab", csv],
      ["json", json],
      ["jsonl ndjson", jsonLines],
      ["ipynb", notebook],
      ["srt vtt", subtitles],
      ["eml mht mhtml", mail((bytes, name) => contentOf(bytes, name))],
      ["pdf", PACKED.pdf],
      ["docx docm dotx", PACKED.docx],
      ["pptx pptm ppsx", PACKED.pptx],
      ["xlsx xlsm", PACKED.xlsx],
      ["odt ods odp", PACKED.odt],
      ["epub", PACKED.epub],
      [
        "c cc cjs clj cpp cs css cts cxx dart elm erl ex exs fs go graphql groovy h hpp hrl hs ini java jl js jsx kt kts lua m mjs ml mts php pl pm proto ps1 py pyi r rb rs scala scss sh sql svelte swift tf toml ts tsx vb vue yaml yml zig",
        code,
      ],
    ] as const
  ).flatMap(([extensions, loader]) => extensions.split(" ").map((extension) => [extension, loader] as const)),
);

/** What is read, for messages. */
export const READ =
  "PDF, Word, PowerPoint, Excel, OpenDocument, EPUB, mail, HTML, Markdown, reStructuredText, AsciiDoc, Org, plain text, CSV, JSON, notebooks, subtitles and source code (docs/documents.md names the extensions)";

/** True if the name says that a file can be read. */
export const isReadable = (path: string): boolean => LOADERS.has(extensionOf(path));

/** Returns a file's extension in lower case, without its dot; empty if there is none. */
export const extensionOf = (path: string) => /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "";

/** True for text that is read as it stands, which takes time and memory linear in its length. */
export const isSimple = (bytes: Uint8Array, path: string): boolean =>
  !isPacked(bytes) && !/^(?:eml|mht|mhtml|pdf)$/.test(extensionOf(path));

/**
 * Reads the content of a file: by its first bytes if they tell the format, else by its name.
 * @throws Error with a message for the user if it cannot be read, or becomes far more text than its size allows.
 */
export async function contentOf(bytes: Uint8Array, path: string): Promise<Content> {
  const content = await read(bytes, path);
  allowance(bytes)(content.text.length);
  return content;
}

async function read(bytes: Uint8Array, path: string): Promise<Content> {
  const extension = extensionOf(path);
  const loader = LOADERS.get(extension);
  if (!loader) throw new Error(`This kind of file is not read. Read are ${READ}.`);
  const kind = (await kindOf(bytes)) ?? (extension === "pdf" && holdsPdf(bytes) ? "pdf" : undefined);
  if (kind) return PACKED[kind](bytes, path);
  if (bytes.length === 0) throw new Error("There is no text in it.");
  if (Object.values(PACKED).includes(loader))
    throw new Error(`It is no ${extension.toUpperCase()} file, whatever its name says, or it is damaged.`);
  return loader(bytes, path);
}
