import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import { FetchRefusedError, PageUnavailableError } from "../../../errors.js";
import { shown } from "./policy.js";
import type { FetchLimits } from "./port.js";

/**
 * A reply's body, unpacked. Counted while it comes, as sent and as unpacked, so that no more than the limit is ever held.
 * @param cut whether a body over the limit is cut there instead of refused.
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
  const tooLarge = new FetchRefusedError("too_large", shown(url), `it has more than ${limit} bytes.`);
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
        throw new FetchRefusedError("compression", shown(url), `it unpacks to more than ${ratio} times its size.`);
      if (!whole) throw tooLarge;
    }
  }
  try {
    const unpack = unpacking(message.headers["content-encoding"], url);
    if (unpack) await pipeline(message, counted, unpack, collect);
    else await pipeline(message, counted, collect);
  } catch (error) {
    if (error === tooLarge && cut) return body.bytes();
    if (error instanceof Error && "code" in error && error.code === "ECONNRESET")
      throw new PageUnavailableError("truncated", shown(url), "the connection ended in the middle of it.", {
        cause: error,
      });
    throw error;
  }
  return body.bytes();
}

/** What is asked for. The others are understood where a server sends them all the same. */
export const CODINGS = "gzip, br";

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  // Node has it since 22.15. The window is what RFC 9659 allows on the web: 8 MB.
  ...("createZstdDecompress" in zlib && {
    zstd: () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }),
  }),
};

function unpacking(coding: string | undefined, url: URL): Transform | undefined {
  const name = coding?.trim().toLowerCase() ?? "";
  if (name === "" || name === "identity") return undefined;
  // One coding, not a list of them: nobody packs a page twice but to make a bomb.
  const decoder = Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined;
  if (!decoder)
    throw new PageUnavailableError(
      "encoding",
      shown(url),
      `it is packed as "${name.slice(0, 40)}", which is not asked for.`,
    );
  return decoder();
}

/** Bytes in one piece of memory: kept as they come, a million small pieces would each hold on to the buffer they came in. */
function growing(limit: number) {
  let memory = Buffer.allocUnsafe(Math.min(limit, 64 * 1024));
  let size = 0;
  return {
    size: () => size,
    bytes: () => new Uint8Array(memory.subarray(0, size)),
    /** Whether all of the piece was within the limit. */
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

const RATIO_FROM = 1_000_000;
