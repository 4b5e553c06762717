import { decode, visible } from "../../../language/decode.js";
import { headingText, markdownNodes } from "../../../language/markdown.js";
import { declaredCharsets } from "../../web/page/charset.js";
import type { SourceDocument } from "./chunk.js";
import { frontMatter } from "./front-matter.js";
import { htmlToMarkdown } from "./html.js";

/** What a file says, read from its bytes. An empty title stands for none. */
type Content = Pick<SourceDocument, "title" | "reviewedAt" | "format" | "text">;

/** Reads one kind of file. Throws an Error whose message says why the file cannot be read. */
export type Loader = (bytes: Uint8Array) => Content | Promise<Content>;

/** Part of every document's hash: raise it when a loader reads the same file differently. */
export const LOADING = 2;

/** The loader for a file by its name; undefined when no format fits. */
export function loaderFor(path: string): Loader | undefined {
  return LOADERS.get(/\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? "");
}

const markdown: Loader = (bytes) => {
  const whole = visible(decode(bytes));
  const { title, reviewedAt, bodyStart } = frontMatter(whole);
  const text = whole.slice(bodyStart);
  return { title: title || firstHeading(text), reviewedAt, format: "markdown", text };
};

const text: Loader = (bytes) => ({ title: "", reviewedAt: "", format: "text", text: visible(decode(bytes)) });

const html: Loader = (bytes) => {
  // Afterwards: a page can also write what nobody sees as an entity.
  const page = htmlToMarkdown(decode(bytes, declaredCharsets(bytes)));
  return {
    title: visible(page.title),
    reviewedAt: page.modified,
    format: "markdown",
    text: visible(page.markdown),
  };
};

const LOADERS: ReadonlyMap<string, Loader> = new Map([
  ...["md", "markdown", "mdown", "mkd", "mdx"].map((extension) => [extension, markdown] as const),
  ...["txt", "text"].map((extension) => [extension, text] as const),
  ...["html", "htm", "xhtml"].map((extension) => [extension, html] as const),
]);

/** The extensions that can be read, for messages. */
export const EXTENSIONS: readonly string[] = [...LOADERS.keys()].map((extension) => `.${extension}`);

function firstHeading(text: string): string {
  const heading = markdownNodes(text.slice(0, 64 * 1024)).find((node) => node.kind === "heading");
  return heading ? headingText(text.slice(heading.start, heading.end)) : "";
}
