import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { UsageError } from "../errors.js";
import { type Page, readPage } from "../tools/page-reader/read-page.js";

/** The page that a file holds: HTML in any encoding, or a PDF. @throws UsageError when the file cannot be read. */
export async function readFilePage(path: string): Promise<Page> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  return readPage(bytes, pathToFileURL(path).href);
}

/** What `emend read` prints: what the page says of itself, then its text. */
export function shownPage({
  title,
  byline,
  published,
  modified,
  language,
  canonicalUrl,
  markdown,
  needsJavaScript,
}: Page): string {
  const about = { url: canonicalUrl, byline, published, modified, language };
  const said = Object.entries(about).filter(([, value]) => value !== "");
  return [
    title === "" ? "" : `# ${title}`,
    said.map(([name, value]) => `${name}: ${value}`).join("\n"),
    needsJavaScript ? "The page shows its text only where scripts run; this is what it says without." : "",
    markdown,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
