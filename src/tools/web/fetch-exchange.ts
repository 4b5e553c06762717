import { promises as dns } from "node:dns";
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import { FetchRefusedError, PageUnavailableError } from "../../errors.js";
import { type AllowedHosts, checkAddress, hostOf, portOf, printableUrl } from "./fetch-policy.js";
import type { FetchLimits, Resolve } from "./port.js";

export interface Wire {
  resolve: Resolve;
  allowed: AllowedHosts;
  limits: FetchLimits;
}

export interface HttpRequest {
  headers: OutgoingHttpHeaders;
  /** Time limit in milliseconds. */
  ms: number;
  signal: AbortSignal;
}

export interface HttpResponse {
  /** Its body is still unread. */
  message: IncomingMessage;
  status: number;
  /** The server's IP address. */
  address: string;
}

/**
 * Sends one request on its own connection, which is closed when this settles. `use` need not read the body.
 * Ignores the proxies in the environment: they would resolve the host name themselves, unchecked.
 * @throws FetchRefusedError, PageUnavailableError, or the signal's reason.
 */
export async function exchange<T>(
  url: URL,
  ask: HttpRequest,
  wire: Wire,
  use: (reply: HttpResponse) => Promise<T>,
): Promise<T> {
  const { signal, ms } = ask;
  const { limits } = wire;
  signal.throwIfAborted();
  // Loaded here, because importing node:http loads Node's fetch and WebSocket as well.
  const { get } = await (url.protocol === "https:" ? import("node:https") : import("node:http"));
  const request = send(get, url, ask.headers, wire);
  // The caller gets the reason for closing the connection, not Node's error about it.
  let why: unknown;
  const cut = (reason: unknown) => {
    why ??= reason;
    request.destroy();
  };
  const late = (after: number, what: string) =>
    setTimeout(() => cut(new PageUnavailableError("timeout", printableUrl(url), what)), after);
  const whole = late(ms, `it did not come within ${limits.totalMs} ms.`);
  const head = late(limits.headersMs, `the server did not answer within ${limits.headersMs} ms.`);
  const aborted = () => cut(signal.reason);
  signal.addEventListener("abort", aborted);
  // The resolver was called synchronously and may have aborted the signal.
  if (signal.aborted) aborted();
  try {
    const reply = await replyTo(request, url, wire, cut);
    clearTimeout(head);
    return await use(reply);
  } catch (error) {
    throw why ?? asFailure(error, url);
  } finally {
    clearTimeout(whole);
    clearTimeout(head);
    signal.removeEventListener("abort", aborted);
    request.destroy();
  }
}

type Get = typeof import("node:https").get;

function send(get: Get, url: URL, headers: OutgoingHttpHeaders, { resolve, allowed, limits }: Wire): ClientRequest {
  const options = {
    hostname: hostOf(url),
    port: portOf(url),
    path: url.pathname + url.search,
    headers,
    agent: false,
    lookup: checkedLookup(url, resolve, allowed),
    maxHeaderSize: limits.headerBytes,
    insecureHTTPParser: false,
  } as const;
  // Set here so that NODE_TLS_REJECT_UNAUTHORIZED in the environment cannot turn it off.
  return get({ ...options, rejectUnauthorized: true });
}

function replyTo(request: ClientRequest, url: URL, wire: Wire, cut: (reason: unknown) => void): Promise<HttpResponse> {
  const { allowed, limits } = wire;
  const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
  let address = "";
  let notes = 0;
  request.on("error", (error) => {
    reject(error);
    // A parse error within the body is reported to the request only; the body just ends.
    if ("code" in error && String(error.code).startsWith("HPE_")) cut(asFailure(error, url));
  });
  request.on("upgrade", (_, socket) => {
    socket.destroy();
    reject(new PageUnavailableError("protocol", printableUrl(url), "the server changes to another protocol."));
  });
  request.on("close", () => reject(new PageUnavailableError("connection", printableUrl(url), "its server hung up.")));
  request.on("socket", (socket) =>
    socket.once("connect", () => {
      address = socket.remoteAddress ?? "";
      // The lookup has checked its addresses already; this checks the connection itself.
      try {
        checkAddress(url, address, allowed);
      } catch (error) {
        cut(error);
      }
    }),
  );
  request.on("information", () => {
    notes += 1;
    if (notes > MOST_NOTES)
      cut(new PageUnavailableError("protocol", printableUrl(url), "the server sends notes (1xx) instead of a reply."));
  });
  request.on("response", (message) => {
    const count = message.rawHeaders.length / 2;
    const why = `the server sends ${count} headers or more; ${limits.headerCount} are read.`;
    if (count > limits.headerCount) reject(new FetchRefusedError("headers", printableUrl(url), why));
    else resolve({ message, status: message.statusCode ?? 0, address });
  });
  return promise;
}

const MOST_NOTES = 10;

/** Translates an error of Node's into one of ours; ours are returned unchanged. */
function asFailure(error: unknown, url: URL): unknown {
  if (error instanceof FetchRefusedError || error instanceof PageUnavailableError) return error;
  const code = codeOf(error);
  if (code === "HPE_HEADER_OVERFLOW")
    return new FetchRefusedError("headers", printableUrl(url), "the server's headers are too long.", { cause: error });
  const fault = FAULTS.find(({ codes }) => codes.test(code));
  if (!fault) return error;
  return new PageUnavailableError(fault.reason, printableUrl(url), `${fault.why} (${code})`, { cause: error });
}

const FAULTS: readonly { reason: PageUnavailableError["reason"]; codes: RegExp; why: string }[] = [
  { reason: "dns", codes: /^(?:ENOTFOUND|ENODATA|ESERVFAIL|EAI_\w+)$/, why: "no such host is known." },
  { reason: "truncated", codes: /^(?:Z_BUF_ERROR|ERR_STREAM_PREMATURE_CLOSE)$/, why: "it ends in the middle." },
  { reason: "encoding", codes: /^(?:Z_|ERR__|ZSTD_|ERR_ZSTD)/, why: "its compressed form is broken." },
  { reason: "protocol", codes: /^(?:HPE_|ERR_HTTP_|ERR_INVALID_)/, why: "what the server sends is not HTTP." },
  {
    reason: "tls",
    codes: /^(?:EPROTO|ERR_TLS_|ERR_SSL_|CERT_|CRL_|HOSTNAME_|DEPTH_|SELF_SIGNED_|UNABLE_TO_|INVALID_CA|PATH_LENGTH)/,
    why: "its server cannot show that it is the one it claims to be.",
  },
  { reason: "connection", codes: /^E[A-Z]+$/, why: "its server cannot be reached, or hung up." },
];

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/**
 * A `lookup` for sockets that returns only allowed addresses. The socket connects to what it returns without resolving
 * the name again, which defeats DNS rebinding. A single forbidden address refuses the host: no honest server has one.
 */
export function checkedLookup(url: URL, resolve: Resolve, allowed: AllowedHosts): LookupFunction {
  return (hostname, options, callback) => {
    const found = resolve(hostname).then((addresses) => {
      for (const address of addresses) checkAddress(url, address, allowed);
      return addresses.map((address) => ({ address, family: isIP(address) }));
    });
    found.then(
      (all) => {
        const [first] = all;
        if (!first) callback(Object.assign(new Error("no address"), { code: "ENOTFOUND" }), "");
        else if (options.all) callback(null, all);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, ""),
    );
  };
}

/** The system's resolver, with its hosts file and caches. */
export const systemResolve: Resolve = async (hostname) =>
  (await dns.lookup(hostname, { all: true })).map(({ address }) => address);
