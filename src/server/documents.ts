import { createReadStream } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { Readable } from "node:stream";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import type { Agent } from "../agent.js";
import { pageOf } from "../answer/links.js";
import { isDrawn, pageDrawn, placesOnPage } from "../ingest/original-page.js";
import type { Inbox } from "../ingest/uploads/inbox.js";
import { hasScheme, isDelivered } from "../tools/documents/document-id.js";
import type { Documents } from "../tools/documents/port.js";
import type { Passage } from "../types/evidence.js";
import { type Metadata, valuesOf } from "../types/metadata.js";
import { whoAsks } from "./auth.js";

const Around = z.coerce.number().int().min(0).max(500).default(1);

const After = z.coerce.number().int().min(0).default(0);
const MAX_ROWS = 500;

/** Of a page, from 1. */
const Page = z.coerce.number().int().min(1).max(1_000_000);

const Quotes = z.array(z.string().max(5_000)).max(50);

interface Originals {
  /** The folder that document ids are relative to. Without it, no files there are served. */
  originals: string | undefined;
  /** Has the files that clients sent. */
  inbox: Promise<Inbox> | undefined;
  /** The folder with what was read on scanned pages. */
  scans: string | undefined;
}

/**
 * Serves what citations rest on, within the client's scope: passages with their neighbours, rows of tables, the files of
 * documents, and their pages as pictures with the places of quotes.
 */
export function documents(agent: Agent, { originals, inbox, scans }: Originals): Hono {
  const originalOf = async (passage: Passage) =>
    (await (await inbox)?.original(passage.documentId)) ?? (await fileOf(passage, originals));

  return new Hono()
    .get("/passages/:id{.+}", async (c) => {
      const around = Around.parse(c.req.query("around"));
      const tools = await agent.toolsFor(whoAsks(c));
      const found = await passagesAround(tools.documents, c.req.param("id"), around);
      const [first] = found;
      if (!first) throw gone(`There is no passage ${c.req.param("id")}.`);
      const { documentId, title, uri, reviewedAt, metadata } = first;
      const file = await originalOf(first);
      const passages = found.map(({ id, section, text }) => ({ id, section, text }));
      const mail = mailHead(metadata);
      return c.json({
        ...{
          documentId,
          title,
          uri,
          reviewedAt,
          original: file !== undefined,
          drawn: file !== undefined && isDrawn(file.name),
        },
        ...(mail && { mail }),
        ...(await slideOf(first, tools.documents)),
        passages,
      });
    })
    .get("/pages/:id{.+}", async (c) => {
      const tools = await agent.toolsFor(whoAsks(c));
      const [passage] = await passagesAround(tools.documents, c.req.param("id"), 0);
      const file = passage && (await originalOf(passage));
      if (!file || !isDrawn(file.name)) throw gone(`There is no page to show of ${c.req.param("id")}.`);
      const { section, text } = passage;
      const page = Page.parse(c.req.query("page") ?? (pageOf(section) || 1));
      const quotes = Quotes.parse(c.req.queries("quote") ?? []);
      const asked = { path: file.path, page, text, quotes, scans };
      const places = await placesOnPage(asked, c.req.raw.signal).catch(notShown(c.req.raw.signal));
      if (page > places.pages) throw gone(`There is no page ${page}: it has ${places.pages}.`);
      return c.json({ page, ...places });
    })
    .get("/tables/:id{.+}", async (c) => {
      const after = After.parse(c.req.query("after"));
      const tools = await agent.toolsFor(whoAsks(c));
      const [table] = (await tools.tables?.get([c.req.param("id")])) ?? [];
      if (!table) throw gone(`There is no table ${c.req.param("id")}.`);
      const { columns, rows, cells } = table;
      return c.json({ columns: columns.map(({ name }) => name), cells: cells.slice(after, after + MAX_ROWS), rows });
    })
    .get("/originals/:id{.+}", async (c) => {
      const id = c.req.param("id");
      const number = Page.optional().parse(c.req.query("page"));
      const tools = await agent.toolsFor(whoAsks(c));
      const [passage] = await tools.documents.get([`${id}#0`]);
      const file = passage && (await originalOf(passage));
      if (!file) throw gone(`There is no file of ${id}.`);
      if (number !== undefined) {
        const picture = isDrawn(file.name)
          ? await pageDrawn({ path: file.path, page: number }, c.req.raw.signal).catch(notShown(c.req.raw.signal))
          : undefined;
        if (!picture) throw gone(`There is no page ${number} to show of ${id}.`);
        return c.body(picture as Uint8Array<ArrayBuffer>, 200, {
          "Content-Type": "image/webp",
          "Content-Security-Policy": "default-src 'none'; sandbox",
          "Cache-Control": "private, no-cache",
        });
      }
      // Whatever else a file is, a browser saves it: a page in it would run on this origin.
      const isPdf = /\.pdf$/i.test(file.name);
      const head = {
        "Content-Type": isPdf ? "application/pdf" : "application/octet-stream",
        "Content-Length": `${file.size}`,
        "Content-Disposition": `${isPdf ? "inline" : "attachment"}; filename*=UTF-8''${encoded(file.name)}`,
        // A browser's own viewer may need what "default-src 'none'" forbids.
        "Content-Security-Policy": isPdf ? "sandbox" : "default-src 'none'; sandbox",
        "Cache-Control": "private, no-cache",
      };
      // A HEAD request reads no body, so a stream opened for it would never be closed.
      if (c.req.method === "HEAD") return c.body(null, 200, head);
      return c.body(Readable.toWeb(createReadStream(file.path)) as ReadableStream, 200, head);
    });
}

/** Encodes a name for a header (RFC 5987): `encodeURIComponent` leaves some letters that are not allowed there. */
const encoded = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Returns a passage and up to `distance` passages on either side, in order. `name` is the passage's id, or its
 * document's for the first passage, which is also returned if the document has no passage of this id any more.
 */
export async function passagesAround(documents: Documents, name: string, distance: number) {
  // A document that has become shorter has no passage of this number any more.
  const [passage] = await documents.get([name, `${name.replace(/#\d+$/, "")}#0`]);
  if (!passage) return [];
  const others = await documents.neighbours(passage.id, distance);
  return [passage, ...others].toSorted((a, b) => a.position - b.position);
}

/**
 * Returns the file that a document was read from; undefined if it was not read from a file in or below the folder. A file
 * that is a link is not served; one behind a link to a folder is only if it is still what was read.
 */
async function fileOf({ documentId, hash }: Passage, folder: string | undefined) {
  // What a program delivers may have any name, such as that of a file which nobody ingested.
  if (folder === undefined || hasScheme(documentId) || isDelivered(hash)) return undefined;
  const path = resolve(folder, documentId);
  const file = await lstat(path).catch(() => undefined);
  if (!file?.isFile()) return undefined;
  const isLinked = (await realpath(path)) !== resolve(await realpath(folder), documentId);
  if (isLinked && !(await isAsRead(path, hash))) return undefined;
  return { path, size: file.size, name: basename(path) };
}

async function isAsRead(path: string, hash: string): Promise<boolean> {
  const [{ bytesOf }, { hashOf }] = await Promise.all([import("../ingest/bytes.js"), import("../ingest/load.js")]);
  return bytesOf(path).then(
    (bytes) => hashOf(bytes) === hash,
    () => false,
  );
}

/** Which slide a passage is of, and how many there are; nothing for a passage of anything else. */
async function slideOf({ documentId, section }: Passage, documents: Documents) {
  const number = SLIDES.test(documentId) ? slideIn(section) : 0;
  if (number === 0) return {};
  const all = (await documents.open?.(documentId)) ?? [];
  return { slide: { number, of: Math.max(number, ...all.map((one) => slideIn(one.section))) } };
}

const SLIDES = /\.(?:pptx?|pptm|ppsx?|odp|key)$/i;

const slideIn = (section: string) => Number(/(?:^| › )(?:slide |第)(\d+)/.exec(section)?.[1] ?? 0);

/** Who wrote a mail to whom, and when; undefined for anything else. */
function mailHead(metadata: Metadata | undefined) {
  const head = Object.fromEntries(["from", "to", "cc", "date"].map((key) => [key, valuesOf(metadata, key)] as const));
  return head.from?.length && (head.to?.length || head.date?.length) ? head : undefined;
}

/** What cannot be read now could be when it was ingested: the file has changed since, or the machine is busy. */
const notShown =
  (signal: AbortSignal) =>
  (error: unknown): never => {
    signal.throwIfAborted();
    throw new HTTPException(422, { message: "This page cannot be shown.", cause: error });
  };

const gone = (message: string) => new HTTPException(404, { message });
