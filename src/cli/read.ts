import { pathToFileURL } from "node:url";
import { loadSettings } from "../config.js";
import { cannotBe } from "../errors.js";
import { bytesOf } from "../ingest/bytes.js";
import { isAddress } from "../ingest/ingest-pages.js";
import { limitsFor } from "../tools/process/own-process.js";
import { type Page, readPageInOwnProcess } from "../tools/web/read-page.js";
import { fetchOptions, webPageReader } from "../tools/web/web-reader.js";
import { type CommandRun, EXIT } from "./run.js";
import { escapedJson, screen, stripControls } from "./screen.js";

/** `emend read`: prints the main text of a web page or a file as Markdown. */
export const readCommand: CommandRun = async ([where = ""], { json }, signal) => {
  const out = screen(process.stdout);
  const page = await (isAddress(where) ? readWebPage(where, signal) : readFilePage(where, signal));
  out.write(json ? `${escapedJson(page)}\n` : `${stripControls(shownPage(page))}\n`);
  return page.text === "" ? EXIT.notAnswered : EXIT.done;
};

async function readWebPage(url: string, signal: AbortSignal): Promise<Page> {
  const reader = webPageReader(fetchOptions(loadSettings()));
  try {
    return await reader.read(url, { signal });
  } finally {
    await reader.close();
  }
}

/** Reads HTML in any encoding, or a PDF. @throws UsageError if the file cannot be read. */
async function readFilePage(path: string, signal: AbortSignal): Promise<Page> {
  const bytes = await bytesOf(path).catch(cannotBe("read", path));
  return readPageInOwnProcess(bytes, pathToFileURL(path).href, { signal, ...limitsFor(bytes.length) });
}

/** Formats the metadata of a page, then its text. */
function shownPage({ canonicalUrl: url, title, markdown, needsJavaScript, ...rest }: Page): string {
  const { byline, published, modified, language } = rest;
  const about = { url, byline, published, modified, language };
  const said = Object.entries(about).filter(([, value]) => value !== "");
  return [
    title === "" ? "" : `# ${title}`,
    said.map(([name, value]) => `${name}: ${value}`).join("\n"),
    needsJavaScript
      ? "The page loads its text with scripts, which are not run; this is what it says without them."
      : "",
    markdown,
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}
