import { packed } from "../tables/packed.js";
import { readTables } from "../tables/read-tables.js";
import { blocks } from "../text/blocks.js";
import { languageOf } from "../text/language.js";
import { headingText } from "../text/markup.js";
import { lastAtOrBefore } from "../text/spans.js";
import { passageId } from "../tools/documents/document-id.js";
import { inOwnProcess, limitsFor } from "../tools/process/own-process.js";
import type { Passage, SourceDocument, Span } from "../types/evidence.js";
import type { PackedTable } from "../types/table.js";
import { type Group, LARGEST, type PassageBlock, pack, piecesOf, SMALL } from "./pieces.js";
import { wideRowsInWords } from "./wide-rows.js";

/**
 * Cuts a document into passages of 200 to 400 tokens (300 to 500 Chinese characters), in order. Each passage is a
 * verbatim slice of the text. Together they cover everything but blank lines, without overlap. A long table is cut
 * between rows, and its header is repeated in each part; so is the sentence that introduces a long list. Rows whose header
 * is too long for that are the exception: they are rewritten, each cell after the name of its column. Small sections under
 * one heading may be joined; other sections stay separate. Sentences, list items, rows and code blocks stay whole unless
 * one alone is too long.
 */
export function chunk(document: SourceDocument): Passage[] {
  return passagesOf(document, blocksOf(document)).passages;
}

/** What a document is cut into. */
export interface CutDocument {
  passages: Passage[];
  tables: PackedTable[];
}

/** Cuts a document into passages, as `chunk` does, and reads its tables. */
export function cutDocument(document: SourceDocument): CutDocument {
  const all = blocksOf(document);
  const { passages, passageAt } = passagesOf(document, all);
  if (!all.some(({ head }) => head)) return { passages, tables: [] };
  const dates = datesOf(document);
  const sections = inOrder(sectionsOf(document, all)).map((section) => ({
    ...section,
    name: sectionName(section),
    reviewedAt: dates(section),
  }));
  return { passages, tables: readTables(document, sections, passageAt).map(packed) };
}

/** @returns also a function that returns the passage that holds an offset of the text. */
function passagesOf(given: SourceDocument, all: readonly PassageBlock[]) {
  const { document, moved } = wideRowsInWords(given, all) ?? { document: given, moved: (offset: number) => offset };
  const { documentId, uri, title, hash, text, metadata = {} } = document;
  const dates = datesOf(document);
  const parts = partsOf(text, sectionsOf(document, document === given ? all : blocksOf(document)))
    .map((part) => ({ part, text: wording(text, part) }))
    .filter((part) => part.text !== "");
  const passages = parts.map(
    ({ part: { section }, text }, position): Passage => ({
      id: passageId(documentId, position),
      documentId,
      position,
      title,
      uri,
      section: sectionName(section),
      text,
      reviewedAt: dates(section),
      language: languageOf(text),
      hash,
      metadata,
    }),
  );
  const passageAt = (offset: number) =>
    passages[
      Math.max(
        0,
        lastAtOrBefore(parts, moved(offset), ({ part }) => part.start),
      )
    ];
  return { passages, passageAt };
}

const sectionName = ({ path, place }: Section) => [...new Set([...path, place])].filter(Boolean).join(" › ");

/** Returns a function that returns the date of a section: that of its place, or else of the document. */
function datesOf({ reviewedAt, places = [] }: SourceDocument) {
  const dates = new Map(places.map((place) => [place.name, place.reviewedAt]));
  return ({ place }: Section) => dates.get(place) ?? reviewedAt;
}

interface Section {
  depth: number;
  /** The headings above it and its own heading, without the document's title. */
  path: readonly string[];
  /** The page or time of its blocks; empty if the document has none. */
  place: string;
  /** Its heading and the blocks before the next one. */
  blocks: PassageBlock[];
  children: Section[];
}

/**
 * Returns the blocks of a document, which together cover it. Each place begins a new block; otherwise a list or an
 * unclosed code block would run on into it.
 */
function blocksOf({ text, format, places = [] }: SourceDocument): PassageBlock[] {
  const starts = [0, ...places.map(({ start }) => start).filter((start) => start > 0)];
  return starts.flatMap((start, i) => {
    const part = text.slice(start, starts[i + 1]);
    const all = blocks(part);
    // Only marks, such as a ruler.
    if (all.length === 0) return { kind: "prose", depth: 0, start, end: start + part.length };
    return all.map(({ kind, depth, isRuled, lines, ...own }, at) => ({
      kind: format === "text" && kind === "heading" ? "prose" : kind,
      depth,
      start: start + (at === 0 ? 0 : lines.start),
      end: start + (all[at + 1]?.lines.start ?? part.length),
      ...(kind === "row" && { row: { start: start + own.start, end: start + own.end } }),
      ...(isRuled && { head: { start: start + lines.start, end: start + lines.end } }),
    }));
  });
}

/** Each heading begins a section. So does each place, as a child of the current heading's section. */
function sectionsOf({ text, title, places = [] }: SourceDocument, all: readonly PassageBlock[]): Section {
  const root: Section = { depth: 0, path: [], place: "", blocks: [], children: [] };
  const open = [root];
  let next = 0;
  for (const block of all) {
    while ((places[next]?.start ?? Number.POSITIVE_INFINITY) <= block.start) next += 1;
    const place = places[next - 1]?.name ?? "";
    if (block.kind === "heading") {
      while (open.length > 1 && (open.at(-1)?.depth ?? 0) >= block.depth) open.pop();
      const parent = open.at(-1) ?? root;
      const name = headingText(text.slice(block.start, block.end));
      const named = name !== "" && !(block.depth === 1 && name === title);
      const path = named ? [...parent.path, name] : parent.path;
      const section = { depth: block.depth, path, place, blocks: [], children: [] };
      parent.children.push(section);
      open.push(section);
    } else if (place !== open.at(-1)?.place) {
      if (open.at(-1)?.depth === BELOW_HEADINGS) open.pop();
      const parent = open.at(-1) ?? root;
      const section = { depth: BELOW_HEADINGS, path: parent.path, place, blocks: [], children: [] };
      parent.children.push(section);
      open.push(section);
    }
    open.at(-1)?.blocks.push(block);
  }
  return root;
}

const BELOW_HEADINGS = 7;

/** Returns a section and all below it, in the order of the text. */
const inOrder = (section: Section): Section[] => [section, ...section.children.flatMap(inOrder)];

/** A future passage: a span of the document, and the table's header or the list's introduction if it begins inside one. */
interface Part extends Span {
  size: number;
  section: Section;
  heading: Span | undefined;
  /** True if it covers its whole section. */
  whole: boolean;
  /** True if all of it is directly under its section's own heading. */
  own: boolean;
}

function partsOf(text: string, section: Section): Part[] {
  const own = ownParts(text, section);
  const below = section.children.flatMap((child) => {
    const parts = partsOf(text, child);
    return parts.map((part) => ({ ...part, whole: parts.length === 1 }));
  });
  return withTinyJoined(text, withSmallJoined(text, [...own, ...below]));
}

function ownParts(text: string, section: Section): Part[] {
  return pack(piecesOf(text, section.blocks)).map((group, _, { length }) => {
    const [{ start, heading, head }] = group;
    return { start, ...endAndSize(group, head), section, heading, whole: length === 1, own: true };
  });
}

/** Joins neighbouring small sections under one heading, as many as fit. */
function withSmallJoined(text: string, parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  let run: Part[] = [];
  const close = () => {
    joined.push(...pack(run).map((group) => join(text, group)));
    run = [];
  };
  for (const part of parts) {
    if (run[0] && run[0].section.place !== part.section.place) close();
    if (part.whole && part.size < SMALL) run.push(part);
    else {
      close();
      joined.push(part);
    }
  }
  close();
  return joined;
}

/**
 * Joins neighbours into one part. Its section path is the headings that they share; introductions and bare headings do
 * not count.
 */
function join(text: string, parts: Group<Part>): Part {
  const [first] = parts;
  const weighty = parts.filter((part) => !isTiny(text, part));
  const counting = parts.filter(
    (part) => !weighty.some((other) => isBare(text, part) || introduces(text, part, other)),
  );
  const path = counting.map(({ section }) => section.path).reduce(shared);
  const own = parts.every((part) => part.own && part.section === first.section);
  return { ...first, ...endAndSize(parts), section: { ...first.section, path }, own };
}

/**
 * True for a line or two of prose above the sections that it introduces. False for tables and `key: value` lines, which
 * state facts themselves.
 */
function introduces(text: string, part: Part, other: Part): boolean {
  const { blocks, path } = part.section;
  const isProse = blocks.every(({ kind }) => kind === "heading" || kind === "prose");
  return part.own && isProse && isTiny(text, part) && shared(path, other.section.path).length === path.length;
}

/** Returns the headings that two paths begin with. */
function shared(a: readonly string[], b: readonly string[]): readonly string[] {
  const end = a.findIndex((name, i) => name !== b[i]);
  return end < 0 ? a : a.slice(0, end);
}

const endAndSize = (group: Group<Span & { size: number }>, before = 0) => ({
  end: (group.at(-1) ?? group[0]).end,
  size: group.reduce((sum, { size }) => sum + size, before),
});

/** Joins a part of one or two lines with the next one, or the last part with the one before. */
function withTinyJoined(text: string, parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isTogether = last?.section.place === part.section.place;
    if (last && isTogether && (isTiny(text, last) || (part === parts.at(-1) && isTiny(text, part))))
      joined[joined.length - 1] = join(text, [last, part]);
    else joined.push(part);
  }
  return joined;
}

const TINY = LARGEST / 8;

const isTiny = (text: string, part: Part) => part.size <= TINY && linesIn(text, part) <= 2;

/** True for a heading with nothing under it. */
const isBare = (text: string, part: Part) => part.size <= TINY && linesIn(text, part) === 0;

/** Counts the lines that are neither blank nor headings. */
function linesIn(text: string, part: Part): number {
  const own = text.slice(part.start, part.end);
  return blocks(own)
    .filter(({ kind }) => kind !== "heading")
    .flatMap(({ lines }) => own.slice(lines.start, lines.end).match(/\S[^\r\n]*/g) ?? []).length;
}

function wording(text: string, part: Part): string {
  const body = unpadded(text.slice(part.start, part.end));
  if (!part.heading || body === "") return body;
  const head = unpadded(text.slice(part.heading.start, part.heading.end));
  return head + (head.includes("\r\n") ? "\r\n" : "\n") + body;
}

/** Removes blank lines at both ends. The first line keeps its indentation. */
const unpadded = (text: string) => text.replace(/^\s*[\r\n]/, "").trimEnd();

/** Like `cutDocument`, without blocking this process. @throws ReadingStoppedError, or the signal's reason. */
export const cutInOwnProcess = async (document: SourceDocument, signal?: AbortSignal): Promise<CutDocument> =>
  document.text.length < SHORT
    ? cutDocument(document)
    : inOwnProcess(import.meta.url, cutDocument, [document], { signal, ...limitsFor(document.text.length) });

/** In characters. Cutting a shorter text, even a hostile one, is faster than passing it to another process. */
const SHORT = 4_000;
