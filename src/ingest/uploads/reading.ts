import { randomUUID } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { StoreUnavailableError, toError } from "../../errors.js";
import { restated } from "../../text/metadata.js";
import type { Documents } from "../../tools/documents/port.js";
import type { KnowledgeGraph } from "../../tools/knowledge/port.js";
import type { KnownScans } from "../../tools/ocr/read-scan.js";
import type { Upload, Uploads } from "../../tools/uploads/port.js";
import { meets } from "../../types/filter.js";
import type { Metadata } from "../../types/metadata.js";
import { COLLECTION } from "../../types/metadata.js";
import { keepingFacts, removeDocuments, withFacts } from "../facts/keep-facts.js";
import { NO_TEXT } from "../formats/registry.js";
import { loadCutInOwnProcess } from "../load.js";

export interface ReadingOptions {
  uploads: Uploads;
  documents: Documents;
  knowledge?: KnowledgeGraph | undefined;
  facts?: boolean | undefined;
  /** Where the files are. */
  folder: string;
  /** Keeps files after they were read. */
  keep: boolean;
  /** Remembers what was read on scanned pages. */
  scans?: KnownScans | undefined;
  onFault: (error: Error) => void;
}

/**
 * Reads uploaded files, two at a time, in order of arrival. Goes on with those that another server, or this one before
 * it was stopped, left unread, if their files are here.
 */
export function uploadReading({ uploads, documents, knowledge, facts, folder, keep, scans, onFault }: ReadingOptions) {
  const me = randomUUID();
  const ending = new AbortController();
  /** What is being read here, or is still being moved into the folder, by the names of the files. */
  const held = new Map<string, { stop: AbortController; done: Promise<unknown> }>();
  /** How often the store failed for a file. */
  const attempts = new Map<string, number>();
  let hasNews = false;
  let beat: NodeJS.Timeout | undefined;

  const read = repeated(async () => {
    const lanes = await Promise.allSettled([readAll(), readAll()]);
    if (hasNews) embed();
    hasNews = false;
    for (const lane of lanes) if (lane.status === "rejected") throw lane.reason;
  });
  /** Apart from reading, since it takes longest: meanwhile documents are found by words. */
  const embed = repeated(async () => {
    await documents.tidy?.();
    await documents.embed?.({ signal: ending.signal });
  });

  /** Returns a function that has the work done, once more if it is called while the work is done. */
  function repeated(work: () => Promise<void>) {
    let isWanted = false;
    let running: Promise<void> | undefined;
    const begin = () => {
      isWanted = true;
      if (running || ending.signal.aborted) return;
      isWanted = false;
      running = work()
        .catch((error: unknown) => {
          if (!ending.signal.aborted) onFault(toError(error));
        })
        .then(() => {
          running = undefined;
          if (isWanted) begin();
        });
    };
    return Object.assign(begin, { ended: () => running });
  }

  async function readAll(): Promise<void> {
    for (let next = await claimed(); next && !ending.signal.aborted; next = await claimed()) {
      const stop = new AbortController();
      const done = readOne(next, AbortSignal.any([ending.signal, stop.signal]));
      held.set(next.file, { stop, done });
      try {
        await done;
      } finally {
        held.delete(next.file);
      }
    }
  }

  /** Returns the next upload that is to be read here. */
  async function claimed(): Promise<Upload | undefined> {
    for (const upload of await uploads.list(["waiting", "reading"])) {
      const { file, owner, ownedUntil } = upload;
      const now = Date.now();
      if (held.has(file) || (owner !== me && ownedUntil >= now)) continue;
      held.set(file, NOT_BEGUN);
      const isHere = await stat(join(folder, file)).then(
        (it) => it.isFile(),
        () => false,
      );
      if (isHere && (await uploads.claim(upload, me, now + LEASE))) return upload;
      held.delete(file);
      if (!isHere && (owner === me || ownedUntil < now - MISSED))
        await uploads.settle(upload, upload.state, "failed", LOST);
    }
    return undefined;
  }

  async function readOne(upload: Upload, signal: AbortSignal): Promise<void> {
    const { documentId, file } = upload;
    let reason = "";
    try {
      await store(upload, signal);
    } catch (error) {
      if (signal.aborted) return;
      const count = (attempts.get(file) ?? 0) + 1;
      attempts.set(file, count);
      // It is tried again, with everything behind it, at the next beat.
      if (error instanceof StoreUnavailableError && count < MOST_ATTEMPTS) throw error;
      reason = toError(error).message.slice(0, LONGEST_REASON);
    }
    attempts.delete(file);
    const isSettled = await uploads.settle(upload, "reading", reason ? "failed" : "ready", reason);
    hasNews ||= reason === "";
    if (!isSettled) {
      const [now] = await uploads.get([documentId]);
      // It was removed while it was read, by another server.
      if (now === undefined || now.file === file) await removeDocuments([documentId], { documents, knowledge });
    }
    if (reason !== "" || !keep || !isSettled) await rm(join(folder, file), { force: true });
  }

  async function store({ documentId, file, metadata, scope }: Upload, signal: AbortSignal): Promise<void> {
    const cut = await loadCutInOwnProcess([join(folder, file), documentId], { signal, scans });
    if (!cut || cut.passages.length === 0) throw new Error(NO_TEXT);
    const stated = <T extends { metadata?: Metadata | undefined }>(all: readonly T[]) =>
      all.map((one) => ({ ...one, metadata: restated(one.metadata, { [COLLECTION]: "", ...metadata }) }));
    const [written, tables] = [stated(cut.passages), stated(cut.tables)];
    if (!written.every((passage) => meets(passage.metadata, scope))) throw new Error(OUTSIDE);
    const keepFacts = keepingFacts(knowledge, { facts, signal });
    const upsert = () => documents.upsert(written, { signal, tables });
    await withFacts(documents, upsert, () => keepFacts({ written }));
  }

  async function onBeat(): Promise<void> {
    try {
      const unread = await uploads.list(["waiting", "reading"]);
      if (unread.some(({ owner }) => owner === me)) await uploads.renew(me, Date.now() + LEASE);
      if (unread.length > 0) read();
    } catch (error) {
      onFault(toError(error));
    }
  }

  return {
    begin(): void {
      beat ??= setInterval(onBeat, BEAT).unref();
      void onBeat();
    },
    /** Adds an upload that waits. `move` puts its file into the folder, once nobody else can have its id. */
    async add(upload: Upload, replaced: string | undefined, move: () => Promise<void>): Promise<boolean> {
      held.set(upload.file, NOT_BEGUN);
      try {
        if (!(await uploads.add(upload, me, Date.now() + LEASE, replaced))) return false;
        await move().catch(async (error: unknown) => {
          await uploads.remove(upload);
          throw error;
        });
      } finally {
        held.delete(upload.file);
      }
      read();
      return true;
    },
    /** Stops the reading of a file, and waits until it has ended. */
    async stop(file: string): Promise<void> {
      held.get(file)?.stop.abort();
      await held.get(file)?.done.catch(() => {});
    },
    /** Stops reading. What was not read is read by the next server that has the files. */
    async end(): Promise<void> {
      clearInterval(beat);
      ending.abort();
      await Promise.all([read.ended(), embed.ended()]);
      await uploads.renew(me, Date.now() - 1).catch((error: unknown) => onFault(toError(error)));
    },
  };
}

const NOT_BEGUN = { stop: new AbortController(), done: Promise.resolve() };

/** All in milliseconds: between two looks for work, how long a server is sure to run, and how long a file may be missed. */
const BEAT = 20_000;
const LEASE = 60_000;
const MISSED = 600_000;
const MOST_ATTEMPTS = 5;
const LONGEST_REASON = 500;

const LOST = "The server that received it stopped before it was read. Send it again.";
const OUTSIDE = "It says of itself what you may not see, so you cannot add it.";
