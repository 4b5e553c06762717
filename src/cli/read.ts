import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { loadSettings } from "../config.js";
import { cannotBe } from "../errors.js";
import { bytesOf } from "../ingest/bytes.js";
import { extensionOf, isReadable } from "../ingest/formats/registry.js";
import { isAddress } from "../ingest/ingest-pages.js";
import { loadInOwnProcess } from "../ingest/load.js";
import { decode } from "../text/decode.js";
import { limitsFor } from "../tools/process/own-process.js";
import { type Page, readPageInOwnProcess } from "../tools/web/read-page.js";
import { fetchOptions, webPageReader } from "../tools/web/web-reader.js";
import type { SourceDocument } from "../types/evidence.js";
import { type Metadata, valuesOf } from "../types/metadata.js";
import { type CommandRun, EXIT } from "./run.js";
import { escapedJson, oneLine, screen, stripControls } from "./screen.js";

/** `emend read`: prints the main text of a web page, or the text of a file as it would be stored, as Markdown. */
export const readCommand: CommandRun = async ([where = ""], { json }, signal) => {
  const out = screen(process.stdout);
  const isFile = !isAddress(where) && isReadable(where) && !/^x?html?$/.test(extensionOf(where));
  const { text, shown, about } = isFile
    ? ofDocument(await readFile(where, signal))
    : ofPage(await (isAddress(where) ? readWebPage(where, signal) : readFilePage(where, signal)));
  out.write(json ? `${escapedJson(about)}\n` : `${stripControls(shown)}\n`);
  return text === "" ? EXIT.notAnswered : EXIT.done;
};

async function readWebPage(url: string, signal: AbortSignal): Promise<Page> {
  const reader = webPageReader(fetchOptions(loadSettings()));
  try {
    return await reader.read(url, { signal });
  } finally {
    await reader.close();
  }
}

/** Reads a page in any encoding, or a PDF, whatever its name. @throws UsageError if the file cannot be read. */
async function readFilePage(path: string, signal: AbortSignal): Promise<Page> {
  const bytes = await bytesOf(path).catch(cannotBe("read", path));
  const isPdf = Buffer.from(bytes).subarray(0, 5).toString("latin1") === "%PDF-";
  // Bytes of an archive or a program are no page.
  try {
    if (!isPdf) decode(bytes.subarray(0, SAMPLE));
  } catch (error) {
    cannotBe("read", path)(error);
  }
  return readPageInOwnProcess(bytes, pathToFileURL(path).href, { signal, ...limitsFor(bytes.length) });
}

/** In bytes. */
const SAMPLE = 50_000;

/** @throws Error that says why the file cannot be read. */
async function readFile(path: string, signal: AbortSignal): Promise<SourceDocument> {
  await bytesOf(path).catch(cannotBe("read", path));
  const document = await loadInOwnProcess([resolve(path), path], { signal });
  if (!document) throw new Error("A file without a known hash is always read.");
  return document;
}

interface Shown {
  text: string;
  /** For people. */
  shown: string;
  /** For programs. */
  about: unknown;
}

/** Shows a document with its metadata, and the place of each of its parts, such as a page. */
function ofDocument({ title, reviewedAt, metadata = {}, text, places = [], uri }: SourceDocument): Shown {
  const starts = places.length === 0 ? [{ start: 0, name: "" }] : places;
  const parts = starts.map(({ start, name }, i) => {
    const part = text.slice(start, starts[i + 1]?.start).trim();
    return name === "" ? part : `[${oneLine(name)}]\n\n${part}`;
  });
  const lines = [...(reviewedAt ? [`reviewed: ${reviewedAt}`] : []), ...stated(metadata)];
  const heading = title === "" || text.trimStart().startsWith(`# ${title}\n`) ? "" : `# ${oneLine(title)}`;
  const shown = [heading, lines.join("\n"), ...parts].filter((part) => part !== "").join("\n\n");
  return { text: text.trim(), shown, about: { url: uri, title, reviewedAt, metadata, places, text } };
}

const stated = (metadata: Metadata) =>
  Object.keys(metadata).map((key) => `${key}: ${oneLine(valuesOf(metadata, key).join(", "))}`);

/** Shows a page with its metadata. */
function ofPage(page: Page): Shown {
  const { canonicalUrl: url, title, markdown, needsJavaScript, byline, published, modified, language, text } = page;
  const said = Object.entries({ url, byline, published, modified, language }).filter(([, value]) => value !== "");
  const shown = [
    title === "" ? "" : `# ${title}`,
    said.map(([name, value]) => `${name}: ${value}`).join("\n"),
    needsJavaScript
      ? "The page loads its text with scripts, which are not run; this is what it says without them."
      : "",
    markdown,
  ];
  return { text, shown: shown.filter((part) => part !== "").join("\n\n"), about: page };
}
