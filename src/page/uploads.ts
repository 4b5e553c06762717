import { useEffect, useRef, useState } from "preact/hooks";
import { messagesIn } from "../answer/messages/index.js";
import {
  ConnectionLost,
  type ListedDocument,
  postFile,
  type Readers,
  type Rights,
  readDocument,
  readDocuments,
  TokenWanted,
} from "./server.js";
import type { Words } from "./words.js";

/** A file that was added on this page, from its choice until it is read. */
export interface Added {
  key: number;
  name: string;
  bytes: number;
  /** How much of it was sent, 0 to 1. */
  share: number;
  /** "queued" and "sending" are states on this page; the others are the server's. */
  state: "queued" | "sending" | ListedDocument["state"];
  reason: string;
  /** True if the server had it already. */
  isOld?: boolean;
  /** What the server has of it; absent until it is sent. */
  document?: ListedDocument;
}

const AT_ONCE = 3;
/** In milliseconds, between two looks at what is being read. */
const PAUSE = 1_000;

const isOpen = ({ state }: Pick<Added, "state">) => state !== "ready" && state !== "failed";

/**
 * The documents of the store, and the files that are added. They go on being sent while another view is shown.
 * @param collection the one that files go into; empty for none.
 */
export function useUploads(upload: Rights["upload"], { language }: Words, collection: string) {
  const words = messagesIn(language).documents;
  const [added, setAdded] = useState<readonly Added[]>([]);
  const [listed, setListed] = useState<readonly ListedDocument[]>();
  const [next, setNext] = useState<string>();
  const [chosen, setReaders] = useState<readonly Readers[]>([]);
  const readers = chosen.filter(({ key }) => upload?.scope.some((one) => one.key === key));
  const [fault, setFault] = useState("");
  const queue = useRef<{ key: number; file: File; collection: string; scope: readonly Readers[] }[]>([]);
  const sending = useRef(0);
  const keys = useRef(0);

  const change = (key: number, to: Partial<Added>) =>
    setAdded((all) => all.map((one) => (one.key === key ? { ...one, ...to } : one)));
  const inWords = (error: unknown): string => {
    if (error instanceof ConnectionLost || error instanceof TypeError) return words.lost;
    if (error instanceof TokenWanted) return messagesIn(language).page.wrongToken;
    return error instanceof Error ? error.message : String(error);
  };
  const failed = (error: unknown) => setFault(inWords(error));

  function forget(id: string): void {
    setAdded((all) => all.filter(({ document }) => document?.id !== id));
    setListed((all) => all?.filter((one) => one.id !== id));
  }

  /** Reads the list from its beginning. */
  async function refresh() {
    const found = await readDocuments("");
    setListed(found.documents);
    setNext(found.next);
  }

  async function more() {
    const found = await readDocuments(next ?? "");
    setListed((all = []) => [...all, ...found.documents]);
    setNext(found.next);
  }

  /** Adds files, and sends those that the server takes. */
  function add(files: readonly { file: File; isFolder: boolean }[]) {
    if (!upload) return;
    setFault("");
    if (readers.length < upload.scope.length) return setFault(words.needsReaders);
    const megabytes = Math.floor(upload.bytes / 1024 / 1024);
    const fresh = files.map(({ file, isFolder }) => {
      const isKnown = upload.extensions.includes(/\.([^.]+)$/.exec(file.name)?.[1]?.toLowerCase() ?? "");
      const reason = isFolder
        ? words.folder
        : !isKnown
          ? words.kind
          : file.size > upload.bytes
            ? words.large(megabytes)
            : "";
      const key = keys.current++;
      if (reason === "") queue.current.push({ key, file, collection, scope: readers });
      const state = reason === "" ? ("queued" as const) : ("failed" as const);
      return { key, name: file.name, bytes: file.size, share: 0, state, reason };
    });
    setAdded((all) => [...fresh, ...all]);
    for (let i = sending.current; i < AT_ONCE; i++) void sendQueued();
  }

  async function sendQueued() {
    sending.current++;
    for (let one = queue.current.shift(); one; one = queue.current.shift()) {
      const { key, file, collection, scope } = one;
      change(key, { state: "sending" });
      try {
        const document = await postFile(file, collection, scope, (share) => change(key, { share }));
        const { state, reason } = document;
        if ("id" in document) {
          // Also if it was added here before.
          setAdded((all) => all.filter((other) => other.key === key || other.document?.id !== document.id));
          change(key, { document, state, reason, isOld: state === "ready" });
        } else change(key, { state, reason });
      } catch (error) {
        change(key, { state: "failed", reason: inWords(error) });
      }
    }
    sending.current--;
  }

  const latest = useRef({ added, listed });
  latest.current = { added, listed };
  const isReading = [...added, ...(listed ?? [])].some(({ state }) => state === "waiting" || state === "reading");
  useEffect(() => {
    if (!isReading) return;
    let isWanted = true;
    const look = async () => {
      const { documents } = await readDocuments("").catch(() => ({ documents: undefined }));
      if (!isWanted || !documents) return;
      const { added, listed = [] } = latest.current;
      const known = new Map(documents.map((one) => [one.id, one]));
      const open = [...added.flatMap(({ document }) => document ?? []), ...listed].filter(isOpen);
      // What was read may be far down in the list.
      for (const { id } of open.filter(({ id }) => !known.has(id))) {
        const now = await readDocument(id).catch((error) => !(error instanceof TypeError) && forget(id));
        if (now) known.set(id, now);
      }
      if (!isWanted) return;
      setListed((all = []) =>
        merged(
          documents,
          all.map((one) => known.get(one.id) ?? one),
        ),
      );
      setAdded((all) =>
        all.map((one) => {
          const now = known.get(one.document?.id ?? "");
          return now ? { ...one, document: now, state: now.state, reason: now.reason } : one;
        }),
      );
    };
    let timer = setTimeout(function again() {
      void look().then(() => {
        if (isWanted) timer = setTimeout(again, PAUSE);
      });
    }, PAUSE);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [isReading]);

  return {
    added,
    listed,
    next,
    readers,
    setReaders,
    fault,
    add,
    refresh: () => refresh().catch(failed),
    more: () => more().catch(failed),
    /** Takes an entry off the list of what was added here. */
    dismiss: (key: number) => setAdded((all) => all.filter((one) => one.key !== key)),
    forget,
    failed,
    open: added.filter(isOpen).length,
  };
}

export type PageUploads = ReturnType<typeof useUploads>;

/** The first documents anew, and behind them those that were shown before. */
function merged(first: readonly ListedDocument[], before: readonly ListedDocument[]): ListedDocument[] {
  const known = new Set(first.map(({ id }) => id));
  return [...first, ...before.filter(({ id }) => !known.has(id))];
}
