import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { Busboy, type BusboyFileStream } from "@fastify/busboy";
import { HTTPException } from "hono/http-exception";
import { toError } from "../errors.js";
import { LARGEST_FILE } from "../ingest/bytes.js";
import { PRIVATE } from "../tools/store/make-folder.js";

/** A file of a form, as it was sent: on disk, or the reason why it was not taken. */
export type Sent = { name: string } & ({ path: string; bytes: number; digest: string } | { refused: string });

interface Receiving {
  /** Returns a new path on disk. */
  place(): Promise<string>;
  /** Returns what a file is called, and why it is not taken; empty if it is. */
  nameOf(given: string): { name: string; refused: string };
}

/** The most files in a form, and the most bytes of all of it. */
export const MOST_FILES = 100;
const MOST_BYTES = 500 * 1024 * 1024;
/** In milliseconds, for the whole form. */
export const UPLOAD_TIME = 600_000;

/**
 * Streams the files of a form to disk, and passes them on with the form's fields. Afterwards deletes what is still in
 * the places that were given for them, also if the client leaves or something fails.
 * @throws HTTPException if it is no form or exceeds a limit; what `use` throws.
 */
export async function withForm<T>(
  request: Request,
  { place, nameOf }: Receiving,
  use: (files: Sent[], fields: ReadonlyMap<string, string>) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(UPLOAD_TIME)]);
  const places: string[] = [];
  const fields = new Map<string, string>();
  const arriving: Promise<Sent>[] = [];
  const fail = (error: unknown) => stop.abort(error);

  async function arrive(stream: BusboyFileStream, given: string): Promise<Sent> {
    // From the beginning: an error without a listener would end the program.
    stream.on("error", fail);
    const { name, refused } = nameOf(given);
    if (refused !== "") {
      stream.resume();
      return { name, refused };
    }
    try {
      const path = await place();
      places.push(path);
      const hash = createHash("sha256");
      let bytes = 0;
      const measured = async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          hash.update(piece);
          bytes += piece.length;
          yield piece;
        }
      };
      await pipeline(stream, measured, createWriteStream(path, { flags: "wx", ...PRIVATE }), { signal });
      return stream.truncated ? { name, refused: TOO_LARGE } : { name, path, bytes, digest: hash.digest("hex") };
    } catch (error) {
      fail(error);
      throw error;
    }
  }

  try {
    const form = formOf(request)
      .on("file", (_, stream, given) => {
        const file = arrive(stream, given ?? "");
        // Awaited later, when the form has ended.
        file.catch(() => {});
        arriving.push(file);
      })
      .on("field", (name, value, isNameCut, isValueCut) => {
        if (isNameCut || isValueCut) fail(refused(413, "A field is longer than 64 kB."));
        else fields.set(name, value);
      });
    for (const limit of ["filesLimit", "fieldsLimit", "partsLimit"] as const)
      form.on(limit, () => fail(refused(413, `A form may have ${MOST_FILES} files and ten fields.`)));
    let bytes = 0;
    const limited = async function* (pieces: AsyncIterable<Uint8Array>) {
      for await (const piece of pieces) {
        bytes += piece.length;
        if (bytes > MOST_BYTES) throw refused(413, `A form may have ${MOST_BYTES / 1024 / 1024} MB.`);
        yield piece;
      }
    };
    const body = Readable.fromWeb(request.body as ReadableStream<Uint8Array>);
    const files = await pipeline(body, limited, form, { signal })
      .then(() => Promise.all(arriving))
      .catch((error: unknown) => {
        // The first failure is the reason for the others.
        throw stop.signal.aborted ? stop.signal.reason : error;
      });
    return await use(files, fields);
  } catch (error) {
    fail(error);
    throw isOfForm(error) ? refused(400, `The form cannot be read: ${toError(error).message}.`) : error;
  } finally {
    await Promise.allSettled(arriving);
    await Promise.all(places.map((path) => rm(path, { force: true })));
  }
}

/** @throws HTTPException if the request has no form. */
function formOf(request: Request) {
  const type = request.headers.get("content-type") ?? "";
  if (!request.body) throw refused(400, "The form is empty.");
  try {
    return new Busboy({
      headers: { "content-type": type },
      preservePath: true,
      limits: {
        fileSize: LARGEST_FILE,
        files: MOST_FILES,
        fields: 10,
        fieldSize: 64 * 1024,
        headerPairs: 20,
        headerSize: 16 * 1024,
      },
    });
  } catch (error) {
    throw refused(400, `The form cannot be read: ${toError(error).message}.`);
  }
}

/** True for an error of the parser, which has no class or code of its own. */
const isOfForm = (error: unknown) => error instanceof Error && /multipart|terminated early/i.test(error.message);

const TOO_LARGE = `Larger than ${LARGEST_FILE / 1024 / 1024} MB. Split it, or leave it out.`;

const refused = (status: 400 | 413, message: string) => new HTTPException(status, { message });
