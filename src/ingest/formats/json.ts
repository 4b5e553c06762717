import { decode, visible } from "../../text/decode.js";
import { fenced } from "../../tools/web/page-markdown.js";
import { allowance, type Content, type FormatReader, inLine, inMarkdown, type SpendCharacters } from "./content.js";
import { frontMatter } from "./front-matter.js";
import { allInMarkdown } from "./html.js";
import { asShown } from "./markdown.js";
import { tables } from "./table.js";

export const json: FormatReader = (bytes) => {
  const value = parsed(decode(bytes));
  return titled(titleOf(value), value, bytes);
};

/** JSON Lines. @throws Error that names the first line that is not JSON. */
export const jsonLines: FormatReader = (bytes) => {
  const lines = decode(bytes).split("\n");
  const values = lines.flatMap((line, i) => (line.trim() === "" ? [] : [parsed(line, ` in line ${i + 1}`)]));
  return titled("", values, bytes);
};

/** Data without a title is named after its file, not after the first heading, which is only a key. */
const titled = (title: string, value: unknown, bytes: Uint8Array): Content => ({
  ...inMarkdown(dataInMarkdown(value, allowance(bytes))),
  title: visible(title).trim(),
});

/** A Jupyter notebook: its text, its code and the text that the code printed. */
export const notebook: FormatReader = (bytes) => {
  const { cells, metadata } = fieldsOf(parsed(decode(bytes)));
  if (!Array.isArray(cells)) throw new Error("It has no cells, so it is not a notebook of this format (nbformat 4).");
  const language = String(fieldsOf(fieldsOf(metadata).language_info).name ?? "");
  const all = cells.map(fieldsOf);
  // Quarto and nbdev put front matter into the first cell.
  const [first = {}] = all;
  const front = frontMatter(sourceText(first.source));
  const parts = all.flatMap(({ cell_type: type, source, outputs }, i) => {
    const text = sourceText(source).slice(i === 0 && type !== "code" ? front.bodyStart : 0);
    if (text.trim() === "") return [];
    return type === "code" ? [fenced(text, language), ...printed(outputs)] : [asShown(text)];
  });
  return inMarkdown(parts.join("\n\n"), front);
};

const printed = (outputs: unknown): string[] =>
  (Array.isArray(outputs) ? outputs : []).map(fieldsOf).flatMap(({ text, data }) => {
    const page = sourceText(fieldsOf(data)["text/html"]);
    // A table is printed as text too, but without its header above each value.
    if (/<table[\s>]/i.test(page)) return [allInMarkdown(page)];
    const shown = sourceText(text ?? fieldsOf(data)["text/plain"]);
    return shown.trim() === "" ? [] : [fenced(shown)];
  });

const sourceText = (source: unknown): string =>
  Array.isArray(source) ? source.map(String).join("") : String(source ?? "");

function parsed(text: string, where = ""): unknown {
  try {
    return JSON.parse(text, asWritten);
  } catch (error) {
    if (error instanceof RangeError) throw new Error("It is nested too deeply to be read.", { cause: error });
    throw new Error(`It is not valid JSON${where}: ${error instanceof Error ? error.message : "unknown"}.`);
  }
}

/** Keeps a number as it is written if parsing would change it, such as 10.50 or a long id. */
const asWritten = (_: string, value: unknown, context?: { source?: string }) =>
  typeof value === "number" && String(value) !== context?.source ? (context?.source ?? value) : value;

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const isScalar = (value: unknown) => typeof value !== "object" || value === null;

/** Returns the value of `title` or `name` of an object. */
const titleOf = (value: unknown): string =>
  [fieldsOf(value).title, fieldsOf(value).name].find((name) => typeof name === "string")?.toString() ?? "";

/**
 * Writes data as Markdown: a list of flat objects as a table, an object as a list of `key: value`, and nested values
 * under headings with their keys.
 */
export function dataInMarkdown(value: unknown, spend: SpendCharacters, depth = 1): string {
  if (isScalar(value)) return shown(value);
  if (depth > DEEPEST) return fenced(JSON.stringify(value, undefined, 1), "json");
  if (Array.isArray(value)) return listInMarkdown(value, spend, depth);
  const entries = Object.entries(fieldsOf(value));
  const flat = entries.filter(([, each]) => isFlat(each));
  const lines = flat.map(([key, each]) => `- ${inLine(key)}: ${shown(each)}`);
  const nested = entries.filter(([, each]) => !isFlat(each));
  return [lines.join("\n"), ...nested.map(([key, each]) => section(key, each, spend, depth))]
    .filter(Boolean)
    .join("\n\n");
}

/** Markdown has six levels of headings. Deeper data is written as JSON. */
const DEEPEST = 6;

function listInMarkdown(values: readonly unknown[], spend: SpendCharacters, depth: number): string {
  if (values.every(isFlat)) return values.map((each) => `- ${shown(each)}`).join("\n");
  const rows = values.filter(isFields);
  const columns = new Set(rows.flatMap((row) => Object.keys(row)));
  const isTable = rows.length === values.length && rows.every((row) => Object.values(row).every(isFlat));
  if (isTable && columns.size <= MOST_COLUMNS) {
    spend(columns.size * rows.length);
    return tables([[...columns], ...rows.map((row) => [...columns].map((name) => shown(row[name])))], spend);
  }
  return values.map((each, i) => section(titleOf(each) || `${i + 1}`, each, spend, depth)).join("\n\n");
}

const MOST_COLUMNS = 1_000;

const section = (name: string, value: unknown, spend: SpendCharacters, depth: number) =>
  `${"#".repeat(depth)} ${inLine(name)}\n\n${dataInMarkdown(value, spend, depth + 1)}`;

const isFlat = (value: unknown) => isScalar(value) || (Array.isArray(value) && value.every(isScalar));
const shown = (value: unknown): string =>
  Array.isArray(value) ? value.map(shown).join(", ") : inLine(String(value ?? ""));
