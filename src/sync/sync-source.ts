import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, parse } from "node:path";
import { toError } from "../errors.js";
import { LARGEST_FILE } from "../ingest/bytes.js";
import { type CutDocument, cutInOwnProcess } from "../ingest/chunk.js";
import { keepingFacts, removeDocuments, withFacts } from "../ingest/facts/keep-facts.js";
import { kindOf } from "../ingest/find.js";
import { extensionOf, isReadable, NO_TEXT } from "../ingest/formats/registry.js";
import {
  BATCH,
  countKept,
  type IngestOptions,
  type IngestSummary,
  isInShard,
  nothingIngested,
} from "../ingest/ingest.js";
import { hashOf, loadInOwnProcess } from "../ingest/load.js";
import { isStampedWith, readersLeftOut, restamp, type Stamp, stamped } from "../ingest/stamp.js";
import type { Connector, Content, Listed } from "../loaders/port.js";
import { visible } from "../text/decode.js";
import { digestOf } from "../text/digest.js";
import { isoDate, metadataOf, restated } from "../text/metadata.js";
import { deliveredHash, idIn, isBelow, isDelivered, unstamped } from "../tools/documents/document-id.js";
import { PRIVATE } from "../tools/store/make-folder.js";
import type { SourceDocument } from "../types/evidence.js";
import type { Metadata } from "../types/metadata.js";
import { aReader, type Reader } from "../types/reader.js";
import { unlessAborted } from "../waiting.js";

export interface SyncOptions extends Omit<IngestOptions, "cwd" | "here" | "missing" | "isKnown" | "stamp"> {
  /** The name of the source. The ids of its documents are below it. */
  as: string;
  /** The collection of its documents, and who may read those of which the source does not say it. */
  stamp?: Stamp | undefined;
  /** Only says what would be done, and reads only documents without a version. Default false. */
  isTrial?: boolean | undefined;
}

/** A document of a source, as it is stored. */
interface Item {
  listed: Listed;
  documentId: string;
  stamp: Stamp;
  about: { title: string; uri: string; reviewedAt: string; metadata: Metadata };
}

/**
 * Brings the store up to date with a source: first removes what it no longer lists and sets who may read what, then reads
 * and writes what is new or changed, four documents at a time, in small durable batches. After an interruption, the next
 * call continues. A list that is empty or fails removes nothing. A document that cannot be read stays as it is stored,
 * except for its readers.
 * @throws StoreUnavailableError if the store or the graph fails; the signal's reason if aborted.
 */
export async function syncSource(source: Connector, options: SyncOptions): Promise<IngestSummary> {
  const signal = options.signal ?? new AbortController().signal;
  const folder = await mkdtemp(join(tmpdir(), "emend-sync-"));
  try {
    return await synced(source, { ...options, signal, folder });
  } finally {
    await rm(folder, { recursive: true, force: true });
    await unlessAborted(Promise.resolve(source.close?.()), signal).catch(() => {});
  }
}

async function synced(
  source: Connector,
  options: SyncOptions & { signal: AbortSignal; folder: string },
): Promise<IngestSummary> {
  const { as, documents, knowledge, facts, signal, onProgress, onKept, onOutcome, shard, isTrial = false } = options;
  const isMine = (id: string) => !shard || isInShard(id, shard);
  const summary = nothingIngested();
  const fail = (path: string, reason: string) => summary.failures.push({ path, reason });
  const tell = (outcome: "added" | "changed" | "unchanged" | "restamped" | "removed", id: string) => {
    summary[outcome] += 1;
    onOutcome?.(outcome, id);
  };
  const { items, isWhole } = await listedIn(source, options, summary);
  const all = await documents.list();
  const stored = new Map(
    all.filter(({ documentId }) => isBelow(documentId, as)).map((one) => [one.documentId, one.hash]),
  );
  for (const [id, hash] of stored)
    if (!isDelivered(hash)) {
      stored.delete(id);
      if (items.delete(id)) fail(id, FILE_HAS_ID);
    }

  const unlisted = [...stored.keys()].filter((id) => !items.has(id) && isMine(id));
  if (isWhole && items.size === 0 && !source.keepsOld) fail(as, unlisted.length > 0 ? `${EMPTY} ${KEPT}` : EMPTY);
  else if (isWhole && !source.keepsOld) await remove(unlisted);

  const mine = [...items.values()].filter(({ documentId }) => isMine(documentId));
  const before = new Set(stored.keys());
  const stamps = mine.map(({ documentId, stamp }) => [documentId, stamp] as const);
  const restamped = await restamp(stamps, stored, { documents, knowledge, signal });
  const same = (id: string) => tell(restamped.has(id) ? "restamped" : "unchanged", id);
  const isSame = ({ documentId, stamp }: Item, hash: string) => {
    const known = stored.get(documentId) ?? "";
    return unstamped(known).hash === hash && isStampedWith(known, stamp);
  };

  const unread: Item[] = [];
  for (const item of mine)
    if (item.listed.version !== undefined && isSame(item, hashFor(item, item.listed.version))) same(item.documentId);
    else unread.push(item);
  onKept?.(countKept(summary));

  const keepFacts = keepingFacts(knowledge, { facts, signal });
  const gone: string[] = [];
  let batch: { id: string; cut: CutDocument }[] = [];
  let done = mine.length - unread.length;
  let strikes = 0;
  const stop = new AbortController();
  const reading = AbortSignal.any([signal, stop.signal]);
  for await (const [item, read] of inLanes(unread, readItem, signal)) {
    const id = item.documentId;
    done += 1;
    onProgress?.(done, mine.length, id);
    strikes = read instanceof SourceFault ? strikes + 1 : 0;
    if (read instanceof Error) fail(id, read.message);
    else if (read === SAME) same(id);
    else if (read === WRITTEN_IN_TRIAL) tell(before.has(id) ? "changed" : "added", id);
    else if (typeof read === "string") {
      if (stored.has(id)) gone.push(id);
      if (read === NO_TEXT) summary.empty.push(id);
      else if (read !== "") {
        summary.skipped[read] = (summary.skipped[read] ?? 0) + 1;
        summary.examples[read] ??= id;
      }
    } else batch.push({ id, cut: read });
    if (batch.length >= MOST_IN_BATCH || batch.reduce((sum, { cut }) => sum + cut.passages.length, 0) >= BATCH)
      await write();
    if (strikes < MOST_STRIKES || done === mine.length) continue;
    fail(as, `The last ${strikes} documents could not be had, so the other ${mine.length - done} were not tried.`);
    stop.abort();
    break;
  }
  await write();
  await remove(gone);
  await Promise.all([documents.tidy?.(), summary.passages > 0 && knowledge?.tidy?.()]);
  return summary;

  async function remove(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await removeDocuments(ids, { documents, knowledge, signal });
    for (const id of ids) {
      stored.delete(id);
      tell("removed", id);
    }
  }

  /** Returns the document; or why there is none: its kind, that it has no text, or nothing. */
  async function readItem(item: Item): Promise<CutDocument | typeof SAME | typeof WRITTEN_IN_TRIAL | string | Error> {
    if (isTrial && item.listed.version !== undefined) return WRITTEN_IN_TRIAL;
    try {
      const content = await unlessAborted(source.read(item.listed, { signal: reading }), reading).catch(unlessTooLarge);
      if (content === undefined) return "";
      checkContent(content);
      const hash = hashFor(item, item.listed.version ?? versionOf(content));
      if (isSame(item, hash)) return SAME;
      if ("name" in content && !isReadable(content.name)) return kindOf(content.name);
      const { metadata, ...document } = await documentOf(item, content, { ...options, signal: reading });
      const own = { ...document, hash, metadata: restated(metadata, item.about.metadata) };
      const cut = stamped(await cutInOwnProcess(own, reading), item.stamp);
      return cut.passages.some(({ text }) => text.trim() !== "") ? cut : NO_TEXT;
    } catch (error) {
      reading.throwIfAborted();
      return toError(error);
    }
  }

  async function write(): Promise<void> {
    if (batch.length === 0) return;
    // Another sync may have listed this source later than this one did.
    const now = new Map((await documents.list()).map(({ documentId, hash }) => [documentId, hash]));
    const [own = [], others = []] = [true, false].map((isOwn) =>
      batch.filter(({ id }) => (now.get(id) === stored.get(id)) === isOwn),
    );
    batch = [];
    for (const { id } of others) fail(id, MEANWHILE);
    const passages = own.flatMap(({ cut }) => cut.passages);
    const tables = own.flatMap(({ cut }) => cut.tables);
    const upsert = async () => {
      if (passages.length > 0) await documents.upsert(passages, { signal, embed: shard !== undefined, tables });
    };
    await withFacts(documents, upsert, () => keepFacts({ written: passages }));
    for (const { id, cut } of own) {
      stored.set(id, cut.passages[0]?.hash ?? "");
      tell(before.has(id) ? "changed" : "added", id);
    }
    summary.passages += passages.length;
    onKept?.(countKept(summary));
  }
}

/** Stand for a document that is stored as it is now, and for one that a trial would write. */
const SAME = Symbol("same");
const WRITTEN_IN_TRIAL = Symbol("written in a trial");

/** Documents in a batch, at most: little is lost if it is interrupted, also of a slow source. */
const MOST_IN_BATCH = 100;
const AT_ONCE = 4;

/** A source did not give a document, as it may not give others. */
class SourceFault extends Error {}

const unlessTooLarge = (error: unknown): never => {
  throw error instanceof RangeError ? error : new SourceFault(toError(error).message, { cause: error });
};

/** The number of documents in a row that cannot be had after which the others are not tried. */
const MOST_STRIKES = 20;

/** The hash of a document. A source that says its version says by it that its content is the same. */
const hashFor = ({ about }: Item, version: string) => deliveredHash(hashOf(JSON.stringify([about, version])));

const versionOf = (content: Content) =>
  "bytes" in content ? `${extensionOf(content.name)} ${digestOf(content.bytes)}` : digestOf(content);

/** Lists what a source has, by the ids of documents. Reports what is wrong with it as failures. */
async function listedIn(
  source: Connector,
  { as, stamp = {}, signal, onProgress }: SyncOptions & { signal: AbortSignal },
  summary: IngestSummary,
): Promise<{ items: Map<string, Item>; isWhole: boolean }> {
  const items = new Map<string, Item>();
  const fail = (path: string, reason: string) => summary.failures.push({ path, reason });
  let isWhole = true;
  try {
    for await (const given of unlessHanging(source.list({ signal }), signal)) {
      const id = typeof given?.id === "number" ? `${given.id}` : given?.id;
      if (typeof id !== "string" || id.trim() === "") {
        if (isWhole) fail(as, `${NO_ID} ${KEPT}`);
        isWhole = false;
        continue;
      }
      const item = itemOf({ ...given, id }, idIn(as, nameOf(id)), stamp);
      const other = items.get(item.documentId);
      if (!other) items.set(item.documentId, item);
      else if (digestOf(other) !== digestOf(item)) fail(item.documentId, SAME_ID);
      if (items.size % TELLING === 0) onProgress?.(0, items.size, `${as}: listing`);
    }
  } catch (error) {
    signal.throwIfAborted();
    isWhole = false;
    fail(as, `${toError(error).message.replace(/(?<![.?!])$/, ".")} ${KEPT}`);
  }
  const stamps = [...items.values()].map(({ stamp }) => stamp);
  if (stamps.length > 0 && stamps.every(({ readers }) => readers?.length === 0))
    summary.warnings.push({ path: as, reason: NOBODY });
  for (const { documentId, stamp } of items.values()) {
    const lacking = readersLeftOut(stamp);
    if (lacking.length > 0) summary.warnings.push({ path: documentId, reason: `${lacking.length} ${NO_ROOM}` });
  }
  return { items, isWhole };
}

/** Listed documents after which progress is told. */
const TELLING = 100;

/** Yields what comes, until the signal aborts, even if nothing comes. */
async function* unlessHanging<T>(all: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = all[Symbol.asyncIterator]();
  for (;;) {
    const next = await unlessAborted(iterator.next(), signal);
    if (next.done) return;
    yield next.value;
  }
}

/** Returns an id without what is invisible or could be taken for a way up. Different ids stay different. */
function nameOf(id: string): string {
  const name = id
    .toWellFormed()
    .replace(/[%\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}]/gu, (letter) => encodeURIComponent(letter))
    .replace(/(?<=^|\/)\.{1,2}(?=\/|$)/g, (dots) => dots.replaceAll(".", "%2E"));
  return name.length > LONGEST_ID ? `${name.slice(0, LONGEST_ID).toWellFormed()}-${digestOf(id).slice(0, 16)}` : name;
}

/** In characters. A key of Postgres has at most 2,700 bytes. */
const LONGEST_ID = 400;

function itemOf(listed: Listed, documentId: string, usual: Stamp): Item {
  const { title, url, changedAt, metadata, readers = usual.readers ?? [] } = listed;
  const entries = typeof metadata === "object" && metadata !== null ? Object.entries(metadata) : [];
  return {
    listed,
    documentId,
    stamp: { collection: usual.collection, readers: Array.isArray(readers) ? readers.filter(isReader) : [] },
    about: {
      title: typeof title === "string" ? visible(title).replace(/\s+/g, " ").trim().slice(0, 200) : "",
      uri: typeof url === "string" && /^https?:/.test(URL.parse(url)?.protocol ?? "") ? url : documentId,
      reviewedAt: typeof changedAt === "string" ? isoDate(changedAt) : "",
      metadata: metadataOf(entries),
    },
  };
}

/** False also for a reader that would be stored as another one. */
const isReader = (given: unknown): given is Reader =>
  typeof given === "string" && aReader.safeParse(given).success && visible(given).replace(/\s+/g, " ").trim() === given;

function checkContent(content: Content): void {
  const isText = "text" in content && typeof content.text === "string";
  const isFile = "name" in content && typeof content.name === "string" && content.bytes instanceof Uint8Array;
  if (!isText && !isFile) throw new Error("The source returned neither a text nor a file.");
  const size = isText ? content.text.length : "bytes" in content ? content.bytes.length : 0;
  if (size > LARGEST_FILE) throw new RangeError(`It has more than ${LARGEST_FILE / 1_000_000} MB.`);
}

/** Returns what was read as a document. A file is read as one on disk is. */
async function documentOf(
  { documentId, about }: Item,
  content: Content,
  { folder, signal, stopped, scans, onScan }: SyncOptions & { signal: AbortSignal; folder: string },
): Promise<SourceDocument> {
  if (!("name" in content)) {
    const title = about.title || parse(basename(documentId)).name;
    return { documentId, format: "markdown", hash: "", ...about, ...cleaned(content), title };
  }
  const path = join(folder, `${digestOf(documentId).slice(0, 32)}.${extensionOf(content.name)}`);
  try {
    await writeFile(path, content.bytes, PRIVATE);
    const read = await loadInOwnProcess([path, `file:${basename(content.name)}`], {
      ...{ signal, stopped, scans },
      onScan: (done, found) => onScan?.(documentId, done, found),
    });
    if (!read) throw new Error(NO_TEXT);
    const { title, reviewedAt, uri } = about;
    return { ...read, documentId, uri, title: title || read.title, reviewedAt: reviewedAt || read.reviewedAt };
  } finally {
    await rm(path, { force: true });
  }
}

/** Returns a text and its places without invisible characters. */
function cleaned({ text, places = [] }: Extract<Content, { text: string }>) {
  const starts = places.map(({ start }) => start);
  const parts = [0, ...starts].map((start, i) => visible(text.slice(start, starts[i])));
  let start = 0;
  const named = places.map(({ name }, i) => {
    start += parts[i]?.length ?? 0;
    return { start, name };
  });
  return { text: parts.join(""), ...(named.length > 0 && { places: named }) };
}

/** Yields each item with what work makes of it, in any order, with a few at once and no more than these in memory. */
async function* inLanes<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  signal: AbortSignal,
): AsyncGenerator<[T, R]> {
  const running = new Map<T, Promise<[T, R]>>();
  for (const item of items) {
    signal.throwIfAborted();
    const begun = work(item).then((result): [T, R] => [item, result]);
    // It is observed below, unless the reading ends before.
    begun.catch(() => {});
    running.set(item, begun);
    if (running.size >= AT_ONCE) yield await next();
  }
  while (running.size > 0) yield await next();

  async function next(): Promise<[T, R]> {
    const first = await Promise.race(running.values());
    running.delete(first[0]);
    return first;
  }
}

const KEPT = "Nothing of it was removed.";
const EMPTY = "The source lists no document. Check its options, and what its credentials may see.";
const NOBODY =
  "The source names no reader of any document, so nobody who signs in sees one. Check where it says who may read, and what its credentials may see.";
const NO_ID = "The source lists a document without an id, so it is not known which one that is.";
const SAME_ID = "The source lists two documents with this id, so only the first is stored.";
const FILE_HAS_ID =
  "A file or a page has this name, so the document is not stored. Give the source another name (`as`).";
const MEANWHILE = "Another sync has stored it meanwhile. The next one brings it up to date.";
const NO_ROOM = "of its readers are left out, since there is no room for more. Name groups instead.";
