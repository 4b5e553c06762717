import { randomUUID } from "node:crypto";
import { lstat, readdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { UsageError } from "../../errors.js";
import { isUploaded, passageId } from "../../tools/documents/document-id.js";
import type { Documents } from "../../tools/documents/port.js";
import type { KnowledgeGraph } from "../../tools/knowledge/port.js";
import type { KnownScans } from "../../tools/ocr/read-scan.js";
import { makeFolder } from "../../tools/store/make-folder.js";
import type { Listed, Upload, Uploads } from "../../tools/uploads/port.js";
import { type Filter, meets } from "../../types/filter.js";
import type { Metadata } from "../../types/metadata.js";
import { removeDocuments } from "../facts/keep-facts.js";
import { UPLOADS_FOLDER } from "../find.js";
import { EXTENSIONS, extensionOf, FORMATS_READ, isReadable } from "../formats/registry.js";
import { numbered, uploadId } from "./names.js";
import { uploadReading } from "./reading.js";

/** A file that has arrived. */
export interface Arrived {
  name: string;
  /** Where it is now: a place that `place` gave. */
  path: string;
  bytes: number;
  /** The SHA-256 of its content. */
  digest: string;
}

interface Options {
  uploads: Uploads;
  documents: Documents;
  /** Gets what tables state. */
  knowledge?: KnowledgeGraph | undefined;
  /** False adds nothing to `knowledge`. */
  facts?: boolean | undefined;
  /** The files are in a folder below it, which is created when the first one arrives, and which no ingest searches. */
  folder: string;
  /** Keeps the files of documents, so that they can be opened. */
  keep: boolean;
  /** Remembers what was read on scanned pages. */
  scans?: KnownScans | undefined;
  onFault: (error: Error) => void;
}

export type Inbox = ReturnType<typeof inbox>;

/** Takes files from clients and makes documents of them. A client is known by its scope: it reaches only what meets it. */
export function inbox(options: Options) {
  const { uploads, documents, knowledge, keep, onFault } = options;
  // Absolute, since the process that reads has another working directory.
  const folder = resolve(options.folder, UPLOADS_FOLDER);
  const reading = uploadReading({ ...options, folder });

  /** Returns the first passages that a scope shows, by the ids of their documents. */
  async function firstPassages(ids: readonly string[], scope: Filter) {
    const found = await documents.get(
      ids.map((id) => passageId(id, 0)),
      { filter: scope },
    );
    return new Map(found.filter(({ metadata }) => meets(metadata, scope)).map((one) => [one.documentId, one]));
  }

  async function uploadOf(id: string): Promise<Upload | undefined> {
    const [upload] = isUploaded(id) ? await uploads.get([id]) : [];
    return upload;
  }

  /** True if a scope shows a document, or an upload whose document is not stored. */
  const isShown = async (id: string, upload: Upload | undefined, scope: Filter): Promise<boolean> => {
    const [stored] = await documents.get([passageId(id, 0)]);
    return stored ? meets(stored.metadata, scope) : upload !== undefined && meets(upload.metadata, scope);
  };

  const listed = (id: string, title: string, passages: number, upload: Upload | undefined): Listed => ({
    id,
    title: title || upload?.name || id,
    state: upload?.state ?? "ready",
    reason: upload?.reason ?? "",
    passages,
    uploaded: upload !== undefined,
    ...(upload && { bytes: upload.bytes, at: upload.at }),
    original: keep && upload?.state === "ready",
  });

  async function entryOf(id: string, upload: Upload | undefined): Promise<Listed> {
    const [first] = await documents.get([passageId(id, 0)]);
    const all = first ? await documents.list() : [];
    return listed(id, first?.title ?? "", all.find(({ documentId }) => documentId === id)?.passages ?? 0, upload);
  }

  return {
    /** Begins to read what was not read before the server stopped, and clears up what uploads left behind. */
    begin(): void {
      reading.begin();
      void clearUp().catch(onFault);
    },
    end: () => reading.end(),

    /** The extensions of the files that are taken, without their dots. */
    extensions: EXTENSIONS,
    /** Returns why a file of this name is not taken; empty if it is. */
    refusalOf: (name: string): string =>
      name === ""
        ? "It has no name."
        : isReadable(name)
          ? ""
          : `This kind of file is not read. emend reads ${FORMATS_READ}.`,

    /** Creates the folder, and returns a path for a file that arrives. Whoever fails to deliver it deletes it. */
    async place(): Promise<string> {
      await makeFolder(folder);
      return join(folder, `${randomUUID()}${ARRIVING}`);
    },

    /** True if so much waits to be read that nothing more is taken. */
    async isFull(): Promise<boolean> {
      const unread = await uploads.list(["waiting", "reading"]);
      return unread.length >= MOST_UNREAD || unread.reduce((sum, { bytes }) => sum + bytes, 0) >= MOST_UNREAD_BYTES;
    },

    /**
     * Takes a file, which then waits to be read. A file that is there already, with the same name, content and metadata,
     * is not taken again. One with other content gets a number ("report (2).pdf"), unless the caller names the document.
     * @param id the document to replace, or to create under this name. Default: a new one, called as the file is.
     * @throws StoreUnavailableError if the store fails; the system's error if the disk does. The file is still in its place.
     */
    async take(
      { name, path, bytes, digest }: Arrived,
      { id, metadata, scope }: { id?: string | undefined; metadata: Metadata; scope: Filter },
    ): Promise<Listed> {
      const file = `${randomUUID()}.${extensionOf(name)}`;
      const rest = { name, file, bytes, digest, metadata, scope, at: new Date().toISOString() };
      const named =
        id !== undefined && isUploaded(id) && (await isShown(id, await uploadOf(id), scope)) ? id : undefined;
      for (let number = 1; ; number++) {
        const isOwn = id?.startsWith(uploadId("", scope));
        const documentId = named ?? (id && isOwn ? id : uploadId(id ?? numbered(name, number), scope));
        const before = await uploadOf(documentId);
        const [stored] = await documents.get([passageId(documentId, 0)]);
        const isSame = before?.digest === digest && equal(before.metadata, metadata) && before.state !== "failed";
        // A document that was removed by other means left its upload behind.
        if (before && isSame && (stored || before.state !== "ready")) return entryOf(documentId, before);
        const isTaken = stored !== undefined || (before !== undefined && isUnread(before));
        if (isTaken && id === undefined) continue;
        const upload: Upload = { documentId, ...rest, state: "waiting", reason: "" };
        if (!(await reading.add(upload, before?.file, () => rename(path, join(folder, file))))) continue;
        if (before) {
          await reading.stop(before.file);
          await rm(join(folder, before.file), { force: true });
        }
        return listed(documentId, "", 0, upload);
      }
    },

    /**
     * Lists uploads that are not read or failed, the newest first, and then documents by their ids.
     * @param after goes on behind this id, with documents alone.
     * @returns at most 100 documents, and the id to go on from if there may be more. It looks at 2,000 documents at most, so
     * that a caller who sees few of many may get none of them and still have to go on.
     */
    async list(scope: Filter, after = ""): Promise<{ documents: Listed[]; next?: string }> {
      const open = (await uploads.list(["waiting", "reading", "failed"])).reverse();
      const all = await documents.list();
      const passagesOf = new Map(all.map(({ documentId, passages }) => [documentId, passages]));
      const seen: Listed[] = [];
      if (after === "") {
        const stored = open.filter(({ documentId }) => passagesOf.has(documentId)).map(({ documentId }) => documentId);
        const shown = await firstPassages(stored, scope);
        for (const upload of open) {
          const { documentId, name, metadata } = upload;
          const passages = passagesOf.get(documentId) ?? 0;
          if (passages > 0 ? shown.has(documentId) : meets(metadata, scope))
            seen.push(listed(documentId, name, passages, upload));
        }
      }
      const unsettled = new Set(open.map(({ documentId }) => documentId));
      const ids = [...passagesOf.keys()].filter((id) => id > after && !unsettled.has(id)).sort();
      const enough = seen.length + PAGE;
      for (let at = 0; at < ids.length; at += PAGE) {
        const some = ids.slice(at, at + PAGE);
        if (seen.length >= enough || at >= MOST_LOOKED_AT) return { documents: seen, next: ids[at - 1] ?? after };
        const shown = await firstPassages(some, scope);
        const sent = new Map((await uploads.get(some.filter(isUploaded))).map((upload) => [upload.documentId, upload]));
        for (const id of some) {
          const first = shown.get(id);
          // A damaged document is only shown to those who see everything.
          if (!first && scope.length > 0) continue;
          seen.push(listed(id, first?.title ?? "", passagesOf.get(id) ?? 0, sent.get(id)));
        }
      }
      return { documents: seen };
    },

    /** Returns a document or an upload; undefined if the scope shows none with this id. */
    async about(id: string, scope: Filter): Promise<Listed | undefined> {
      const upload = await uploadOf(id);
      if (!(await isShown(id, upload, scope))) return undefined;
      return entryOf(id, upload);
    },

    /**
     * Deletes an upload with its document and its file.
     * @returns false if the scope shows no document with this id.
     * @throws UsageError for a document that was not uploaded.
     */
    async remove(id: string, scope: Filter): Promise<boolean> {
      const upload = await uploadOf(id);
      if (!(await isShown(id, upload, scope))) return false;
      if (!upload) throw new UsageError(NOT_SENT);
      // So that nobody begins to read it.
      await uploads.settle(upload, upload.state, "failed", BEING_DELETED);
      await reading.stop(upload.file);
      await removeDocuments([id], { documents, knowledge });
      await uploads.remove(upload);
      await rm(join(folder, upload.file), { force: true });
      return true;
    },

    /** Returns the file of an uploaded document, which the caller may open; undefined if it is not kept. */
    async original(id: string): Promise<{ path: string; size: number; name: string } | undefined> {
      const upload = keep ? await uploadOf(id) : undefined;
      if (upload?.state !== "ready") return undefined;
      const path = join(folder, upload.file);
      const about = await lstat(path).catch(() => undefined);
      return about?.isFile() ? { path, size: about.size, name: upload.name } : undefined;
    },
  };

  /**
   * Deletes files that a stopped server was receiving, the files of documents that were removed by other means, and the
   * oldest failures.
   */
  async function clearUp(): Promise<void> {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((one) => one.endsWith(ARRIVING))) {
      const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
      if (mtimeMs < Date.now() - LONGEST_ARRIVAL) await rm(join(folder, name), { force: true });
    }
    const [ready, failed] = [await uploads.list(["ready"]), await uploads.list(["failed"])];
    const stored = new Set((await documents.list()).map(({ documentId }) => documentId));
    const gone = ready.filter(({ documentId }) => !stored.has(documentId));
    for (const upload of [...gone, ...failed.slice(0, -MOST_FAILED)]) {
      await uploads.remove(upload);
      await rm(join(folder, upload.file), { force: true });
    }
  }
}

const isUnread = ({ state }: Upload) => state === "waiting" || state === "reading";

const equal = (one: Metadata, other: Metadata) =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

/** Ends the name of a file that is not complete. */
const ARRIVING = ".part";
/** In milliseconds. No request takes as long. */
const LONGEST_ARRIVAL = 3_600_000;
const MOST_UNREAD = 500;
const MOST_UNREAD_BYTES = 2 * 1024 ** 3;
const MOST_FAILED = 1_000;
const PAGE = 100;
const MOST_LOOKED_AT = 2_000;

const NOT_SENT =
  "This document was not uploaded: emend ingest read it from a file or a page. Delete it there, and run emend ingest again.";
const BEING_DELETED = "It is being deleted.";
