import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import { FetchRefusedError, PageUnavailableError } from "../../errors.js";
import { printableUrl } from "./fetch-policy.js";
import type { FetchLimits } from "./port.js";

/**
 * Reads and decompresses the body of a response. Both sizes are counted on the way, so memory never exceeds the limit.
 * @param cut true to truncate a body at the limit instead of refusing it.
 * @throws FetchRefusedError `too_large` or `compression`.
 * @throws PageUnavailableError `encoding` or `truncated`.
 */
export async function readBody(
  message: IncomingMessage,
  url: URL,
  limits: Pick<FetchLimits, "bytes" | "ratio">,
  cut = false,
): Promise<Uint8Array> {
  const { bytes: limit, ratio } = limits;
  const tooLarge = new FetchRefusedError("too_large", printableUrl(url), `it has more than ${limit} bytes.`);
  const announced = Number(message.headers["content-length"] ?? 0);
  if (announced > limit && !cut) throw tooLarge;

  const body = growing(limit);
  let sent = 0;
  async function* counted(source: AsyncIterable<Buffer>) {
    for await (const piece of source) {
      sent += piece.length;
      if (sent > limit && !cut) throw tooLarge;
      yield piece;
    }
  }
  async function collect(source: AsyncIterable<Buffer>) {
    for await (const piece of source) {
      const whole = body.add(piece);
      if (body.size() > RATIO_FROM && body.size() > sent * ratio)
        throw new FetchRefusedError(
          "compression",
          printableUrl(url),
          `it unpacks to more than ${ratio} times its size.`,
        );
      if (!whole) throw tooLarge;
    }
  }
  try {
    const unpack = unpacking(message.headers["content-encoding"], url);
    if (unpack) await pipeline(message, counted, unpack, collect);
    else await pipeline(message, counted, collect);
  } catch (error) {
    if (error === tooLarge && cut) return body.bytes();
    if (!(error instanceof Error && "code" in error && error.code === "ECONNRESET")) throw error;
    const why = "the connection ended in the middle of it.";
    throw new PageUnavailableError("truncated", printableUrl(url), why, { cause: error });
  }
  return body.bytes();
}

/** For `Accept-Encoding`. The other decoders are for servers that ignore it. */
export const CODINGS = "gzip, br";

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  // Needs Node 22.15. RFC 9659 limits the window to 8 MB on the web.
  ...("createZstdDecompress" in zlib && {
    zstd: () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }),
  }),
};

function unpacking(coding: string | undefined, url: URL): Transform | undefined {
  const name = coding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return undefined;
  // A list of codings is refused: only decompression bombs are compressed twice.
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  const why = `it is packed as "${name.slice(0, 40)}", which is not asked for.`;
  if (!decoder) throw new PageUnavailableError("encoding", printableUrl(url), why);
  return decoder();
}

/** Collects bytes in one buffer: a list of small pieces would keep alive the whole buffer that each one arrived in. */
function growing(limit: number) {
  let memory = Buffer.allocUnsafe(Math.min(limit, 64 * 1024));
  let size = 0;
  return {
    size: () => size,
    bytes: () => new Uint8Array(memory.subarray(0, size)),
    /** True if the whole piece was within the limit. */
    add(piece: Buffer): boolean {
      const needed = Math.min(limit, size + piece.length);
      if (needed > memory.length) {
        const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(needed, 2 * memory.length)));
        memory.copy(larger, 0, 0, size);
        memory = larger;
      }
      piece.copy(memory, size, 0, needed - size);
      const whole = size + piece.length <= limit;
      size = needed;
      return whole;
    },
  };
}

/** The compression ratio is checked above this many bytes. */
const RATIO_FROM = 1_000_000;
