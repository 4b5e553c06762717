import { createReadStream } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import { Readable } from "node:stream";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import { z } from "zod";
import type { Agent } from "../agent.js";
import type { Inbox } from "../ingest/uploads/inbox.js";
import type { Documents } from "../tools/documents/port.js";
import { whoAsks } from "./auth.js";

const Around = z.coerce.number().int().min(0).max(500).default(1);

const After = z.coerce.number().int().min(0).default(0);
const MAX_ROWS = 500;

interface Originals {
  /** The folder that document ids are relative to. Without it, no files there are served. */
  originals: string | undefined;
  /** Has the files that clients sent. */
  inbox: Promise<Inbox> | undefined;
}

/**
 * Serves what citations rest on, within the client's scope: passages with their neighbours, rows of tables, original PDFs, and the files
 * that clients sent.
 */
export function documents(agent: Agent, { originals, inbox }: Originals): Hono {
  const originalOf = async (id: string) => (await (await inbox)?.original(id)) ?? (await pdfOf(id, originals));

  return new Hono()
    .get("/passages/:id{.+}", async (c) => {
      const around = Around.parse(c.req.query("around"));
      const tools = await agent.toolsFor(whoAsks(c));
      const found = await passagesAround(tools.documents, c.req.param("id"), around);
      const [first] = found;
      if (!first) throw gone(`There is no passage ${c.req.param("id")}.`);
      const { documentId, title, uri, reviewedAt } = first;
      const original = (await originalOf(documentId)) !== undefined;
      const passages = found.map(({ id, section, text }) => ({ id, section, text }));
      return c.json({ documentId, title, uri, reviewedAt, original, passages });
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
      const tools = await agent.toolsFor(whoAsks(c));
      const [passage] = await tools.documents.get([`${id}#0`]);
      const file = passage && (await originalOf(passage.documentId));
      if (!file) throw gone(`There is no file of ${id}.`);
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
 * document's for the first passage.
 */
export async function passagesAround(documents: Documents, name: string, distance: number) {
  const [passage] = await documents.get([name, `${name}#0`]);
  if (!passage) return [];
  const others = await documents.neighbours(passage.id, distance);
  return [passage, ...others].toSorted((a, b) => a.position - b.position);
}

/** Returns the file that a document was read from, if it is a PDF and not a symbolic link. */
async function pdfOf(documentId: string, folder: string | undefined) {
  if (folder === undefined || !/\.pdf$/i.test(documentId)) return undefined;
  const path = resolve(folder, documentId);
  const file = await lstat(path).catch(() => undefined);
  return file?.isFile() ? { path, size: file.size, name: basename(path) } : undefined;
}

const gone = (message: string) => new HTTPException(404, { message });
