import { z } from "zod";
import { UsageError } from "../errors.js";
import { check, exactly, type OptionsOf } from "../options.js";
import { inPassages } from "../tables/packed.js";
import { tableId } from "../tables/read-tables.js";
import { deliveredHash, isBelow, passageId, placedBelow, unstamped } from "../tools/documents/document-id.js";
import type { CutDocument } from "./chunk.js";
import { keepingFacts, removeDocuments, withFacts } from "./facts/keep-facts.js";
import type { ReadFailure } from "./find.js";
import { NO_TEXT } from "./formats/registry.js";
import { BATCH, type IngestOptions, sinkOptions } from "./ingest.js";
import { cutOf, digest, type LangchainDocument } from "./langchain.js";

export interface DeliveryOptions extends Pick<IngestOptions, "documents" | "knowledge" | "facts" | "signal"> {
  /**
   * The source that all these documents come from: a name such as "wiki", or the beginning of their ids. It is put before
   * the ids that do not begin with it ("wiki/README.md"), so that no other source replaces them. Stored documents below
   * it that are not delivered are removed once all others are stored. Default: nothing is removed.
   */
  within?: string | undefined;
}

export interface DeliverySummary {
  /** Documents that are new or changed. */
  written: number;
  unchanged: number;
  /** Passages written. */
  passages: number;
  /** Documents removed because they were not delivered. Absent without `within`. */
  removed?: number;
  /** Documents of a loader or a connector that changed in nothing but their collection or who may read them. */
  restamped?: number;
  /** What was not stored or not removed, and why: documents by their ids, or the source. Absent if there is nothing. */
  failures?: ReadFailure[];
  /** Documents of a loader or a connector with more readers than there is room for. Absent if there is none. */
  warnings?: ReadFailure[];
}

const Given = exactly({
  ...sinkOptions,
  given: z.custom((given) => typeof given === "object" && given !== null && isIterable(given), {
    error: "must be documents, in a list or as they come",
  }),
  within: z.string().optional(),
} satisfies OptionsOf<DeliveryOptions & { given: unknown }>);

const isIterable = (given: object) => Symbol.iterator in given || Symbol.asyncIterator in given;

/** Stores a list of LangChain documents, as `ingestDocuments` describes it. */
export async function deliver(
  given: Iterable<LangchainDocument> | AsyncIterable<LangchainDocument>,
  options: DeliveryOptions,
): Promise<DeliverySummary> {
  check(Given, { ...options, given });
  const { documents, knowledge, facts, signal, within } = options;
  if (within?.trim() === "")
    throw new UsageError("within is empty. Name the source of the documents, or leave it out.");
  const delivered = Map.groupBy(await Array.fromAsync(given), (one) => {
    const id = idOf(one);
    return within === undefined ? id : placedBelow(id, within);
  });
  const stored = new Map((await documents.list()).map(({ documentId, hash }) => [documentId, hash]));
  const summary = { written: 0, unchanged: 0, passages: 0 };
  const failures: ReadFailure[] = [];
  const gone: string[] = [];
  let hasText = false;
  let batch: CutDocument = { passages: [], tables: [] };
  const keepFacts = keepingFacts(knowledge, { facts, signal });
  const write = async () => {
    const upsert = async () => {
      const { passages, tables } = batch;
      if (passages.length > 0) await documents.upsert(passages, { tables, ...(signal && { signal }) });
    };
    await withFacts(documents, upsert, () => keepFacts({ written: batch.passages }));
    batch = { passages: [], tables: [] };
  };
  for (const [documentId, all] of delivered) {
    signal?.throwIfAborted();
    const [parts, ...others] = Map.groupBy(all, idOf).values();
    if (others.length > 0) failures.push({ path: documentId, reason: SAME_ID });
    const content = digest(JSON.stringify(parts));
    const hash = deliveredHash(content);
    const known = stored.get(documentId);
    if (known === hash) {
      summary.unchanged += 1;
      hasText = true;
      continue;
    }
    const cuts: CutDocument[] = [];
    for (const part of parts ?? []) cuts.push(await cutOf(part, signal));
    const { passages, tables } = joined(documentId, hash, cuts);
    hasText ||= passages.length > 0;
    if (passages.length === 0) {
      failures.push({ path: documentId, reason: NO_TEXT });
      if (known !== undefined) gone.push(documentId);
      continue;
    }
    if (known !== undefined && FROM_FILE.test(unstamped(known).hash)) {
      failures.push({ path: documentId, reason: FILE_HAS_ID });
      continue;
    }
    batch.passages.push(...passages);
    batch.tables.push(...tables);
    summary.written += 1;
    summary.passages += passages.length;
    if (batch.passages.length >= BATCH) await write();
  }
  await write();
  if (within !== undefined) gone.push(...[...stored.keys()].filter((id) => isBelow(id, within) && !delivered.has(id)));
  if (!hasText && (gone.length > 0 || within !== undefined)) {
    failures.push({ path: within ?? "the delivery", reason: `${NOTHING} ${gone.length}.` });
    gone.length = 0;
  }
  if (gone.length > 0) await removeDocuments(gone, { documents, knowledge, signal });
  await Promise.all([documents.tidy?.(), summary.passages > 0 && knowledge?.tidy?.()]);
  return {
    ...summary,
    ...(within !== undefined && { removed: gone.length }),
    ...(failures.length > 0 && { failures }),
  };
}

/** Joins the parts of a document, without empty passages. */
function joined(documentId: string, hash: string, parts: readonly CutDocument[]): CutDocument {
  const whole: CutDocument = { passages: [], tables: [] };
  for (const part of parts) {
    const filled = part.passages.filter(({ text }) => text.trim() !== "");
    const before = whole.passages.length;
    for (const table of part.tables) {
      const id = tableId(documentId, whole.tables.length);
      const placed = before === 0 ? table : inPassages(table, (position) => before + position);
      whole.tables.push({ ...placed, id, documentId });
    }
    for (const passage of filled) {
      const position = whole.passages.length;
      whole.passages.push({ ...passage, id: passageId(documentId, position), documentId, position, hash });
    }
  }
  return whole;
}

/** Matches the hash of a document that was read from a file or a page. */
const FROM_FILE = /^[0-9a-f]{64}$/;

const SAME_ID =
  "Another document of this delivery gets the same id, so only the first is stored. Give them different sources.";
const FILE_HAS_ID =
  "A file or a page of this name is in the store, so this document is not stored. Deliver it within a source of its own (within), or remove the other one.";
const NOTHING =
  "The delivery has no text, so nothing was removed (removeDocuments does it). Documents that stay although they were not delivered:";

/** Returns the id of a document in its repository, by which loaders of repositories tell equal paths apart. */
function idOf({ pageContent, metadata, id }: LangchainDocument): string {
  const named = (...all: unknown[]) => all.find((one): one is string => typeof one === "string" && one !== "");
  const own = named(metadata?.source, id) ?? digest(pageContent);
  const repository = named(metadata?.repository);
  return repository === undefined ? own : placedBelow(own, repository);
}
