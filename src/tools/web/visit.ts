import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import zlib from "node:zlib";
import CachePolicy from "http-cache-semantics";
import { FetchRefusedError, PageUnavailableError } from "../../errors.js";
import { exchange, type HttpResponse, type Wire } from "./fetch-exchange.js";
import { addressRefusal, hostAndPort, isRedirect, printableUrl } from "./fetch-policy.js";
import type { KeptPage, PageCache } from "./page-cache.js";
import type { FetchedPage, FetchLimits } from "./port.js";

/** A request and the responses it accepts. */
export interface Want {
  headers: Record<string, string>;
  /** The media types accepted. Default: all. */
  types?: readonly string[];
  /** Replaces `types` and the limit of bytes: returns the most bytes of a media type, or undefined if it is not wanted. */
  most?: ((type: string, url: URL) => number | undefined) | undefined;
  /** Bytes after which the body is truncated instead of refused. */
  cutAt?: number;
  cache?: PageCache | undefined;
}

/** A page with the headers of its reply, or the `location` header of a redirect. */
export type Visited =
  | { page: FetchedPage; headers: IncomingHttpHeaders }
  | { location: string | undefined; isPermanent: boolean };

/** Runs a request when its turn comes, with its time limit and signal. */
export type RunInTurn = <T>(work: (ask: { ms: number; signal: AbortSignal }) => Promise<T>) => Promise<T>;

/** Requests a URL that was checked already, unless a cached copy is still fresh. */
export async function visit(url: URL, want: Want, wire: Wire, inTurn: RunInTurn): Promise<Visited> {
  const kept = await keptCopy(url, want, wire);
  const request = { url: url.href, method: "GET", headers: want.headers };
  if (kept && isFresh(kept, request)) return { page: { ...kept.page, fromCache: true }, headers: {} };

  const asked = kept ? kept.policy.revalidationHeaders(request) : want.headers;
  const { status, headers, address, page } = await inTurn((ask) =>
    exchange(url, { ...ask, headers: asked }, wire, async (reply) => {
      const { status, message, address } = reply;
      const isPage = !isRedirect(status) && !(kept && status === 304);
      const page = isPage ? await pageOf(reply, url, want, wire) : undefined;
      return { status, headers: message.headers, address, page };
    }),
  );
  if (page) {
    const policy = new CachePolicy(request, { status, headers }, { shared: false });
    await keep(want.cache, url, { page, policy, address });
    return { page: { ...page, fromCache: false }, headers };
  }
  if (!kept || isRedirect(status)) return { location: headers.location, isPermanent: status === 301 || status === 308 };

  // A 304 without a validator is about the version that was asked for.
  const { etag, "last-modified": changed } = kept.policy.responseHeaders();
  const named = { ...(etag && { etag }), ...(changed && { "last-modified": changed }), ...headers };
  const { policy, matches } = kept.policy.revalidatedPolicy(request, { status, headers: named });
  if (!matches) {
    // Without the cache, so that a server that always answers like this does not cause an endless loop.
    await want.cache?.drop(url.href);
    return visit(url, { ...want, cache: undefined }, wire, inTurn);
  }
  const confirmed = { ...kept.page, fetchedAt: new Date() };
  await keep(want.cache, url, { ...kept, page: confirmed, policy });
  return { page: { ...confirmed, fromCache: true }, headers };
}

async function keep(cache: PageCache | undefined, url: URL, kept: KeptPage): Promise<void> {
  if (kept.policy.storable()) await cache?.put(url.href, kept);
  else await cache?.drop(url.href);
}

async function keptCopy(url: URL, { cache }: Want, { allowed }: Wire): Promise<KeptPage | undefined> {
  const kept = await cache?.get(url.href);
  // The host may have been allowed when the page was cached, but not any more.
  return kept && !addressRefusal(kept.address, allowed.has(hostAndPort(url))) ? kept : undefined;
}

/** True if HTTP allows the copy to be used and it is less than a day old, since answers need fresh pages. */
function isFresh({ page, policy }: KeptPage, request: CachePolicy.HttpRequest): boolean {
  return policy.satisfiesWithoutRevalidation(request) && Date.now() - page.fetchedAt.getTime() < DAY;
}

async function pageOf(
  { status, message }: HttpResponse,
  url: URL,
  want: Want,
  { limits }: Wire,
): Promise<KeptPage["page"]> {
  if (status < 200 || status > 299) {
    const why = `the server answers ${status}${MEANINGS[status] ?? ""}.`;
    const retryAfterMs = waitIn(message.headers["retry-after"]);
    throw new PageUnavailableError("status", printableUrl(url), why, { status, retryAfterMs });
  }
  const contentType = message.headers["content-type"] ?? "";
  const most = mostBytes(contentType, url, want, limits);
  const bytes = await readBody(message, url, { ...limits, bytes: most }, want.cutAt !== undefined);
  return { url: url.href, contentType, bytes, fetchedAt: new Date() };
}

/** Returns the most bytes to read of a body with this type. @throws FetchRefusedError if the type is not wanted. */
function mostBytes(contentType: string, url: URL, { types, most, cutAt }: Want, { bytes }: FetchLimits): number {
  const type = contentType.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const found = most ? most(type, url) : !types || types.includes(type) ? (cutAt ?? bytes) : undefined;
  if (found !== undefined) return found;
  const what = type ? `it is ${type.slice(0, 60)}` : "the server does not say what it is";
  const wanted = types && !types.includes("text/html") ? "A sitemap is XML." : "Web pages, text and PDF are read.";
  throw new FetchRefusedError("content_type", printableUrl(url), `${what}. ${wanted}`);
}

/** Returns the milliseconds that a Retry-After header stands for, in seconds or as a date; undefined if it is neither. */
function waitIn(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\s*\d{1,9}\s*$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

const MEANINGS: Readonly<Record<number, string>> = {
  401: ", it wants a login",
  403: ", it does not want to show this page",
  404: ", there is no such page",
  410: ", the page is gone",
  429: ", it has been asked too often",
  503: ", it is busy",
};

const DAY = 24 * 60 * 60 * 1_000;

/**
 * Reads and decompresses the body of a response. Both sizes are counted on the way, so memory never exceeds the limit.
 * @param cut true to truncate a body at the limit instead of refusing it.
 * @throws FetchRefusedError `too_large` or `compression`.
 * @throws PageUnavailableError `encoding` or `truncated`.
 */
async function readBody(
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
  // RFC 9659 limits the window to 8 MB on the web.
  zstd: () => zlib.createZstdDecompress({ params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } }),
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
