import http, { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import { FetchRefusedError, PageUnavailableError } from "../../errors.js";
import { checkedLookup } from "./connect.js";
import { asFailure } from "./failures.js";
import { type AllowedHosts, checkAddress, hostOf, portOf, shown } from "./policy.js";
import type { FetchLimits, Resolve } from "./port.js";

export interface Wire {
  resolve: Resolve;
  allowed: AllowedHosts;
  limits: FetchLimits;
}

export interface Ask {
  headers: OutgoingHttpHeaders;
  /** Milliseconds until it must be over. */
  ms: number;
  signal: AbortSignal;
}

export interface Reply {
  /** The headers are read, the body is not. */
  message: IncomingMessage;
  status: number;
  /** The IP address that it came from. */
  address: string;
}

/**
 * One request on a connection of its own, which is gone when this settles. `use` may read the body, or leave it.
 * Proxies named by the environment are not used: they would resolve the name themselves, unchecked.
 * @throws FetchRefusedError, PageUnavailableError, or the signal's reason.
 */
export async function exchange<T>(url: URL, ask: Ask, wire: Wire, use: (reply: Reply) => Promise<T>): Promise<T> {
  const { signal, ms } = ask;
  const { limits } = wire;
  signal.throwIfAborted();
  const request = send(url, ask.headers, wire);
  // Whatever Node makes of a connection that was cut here, the reason for cutting it is what the caller hears.
  let why: unknown;
  const cut = (reason: unknown) => {
    why ??= reason;
    request.destroy();
  };
  const late = (after: number, what: string) =>
    setTimeout(() => cut(new PageUnavailableError("timeout", shown(url), what)), after);
  const whole = late(ms, `it did not come within ${limits.totalMs} ms.`);
  const head = late(limits.headersMs, `the server did not answer within ${limits.headersMs} ms.`);
  const aborted = () => cut(signal.reason);
  signal.addEventListener("abort", aborted);
  // A resolver is asked at once, and may be what aborts.
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

function send(url: URL, headers: OutgoingHttpHeaders, { resolve, allowed, limits }: Wire): ClientRequest {
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
  // Said here, since the environment (NODE_TLS_REJECT_UNAUTHORIZED) would otherwise have a say.
  return url.protocol === "https:" ? https.get({ ...options, rejectUnauthorized: true }) : http.get(options);
}

function replyTo(request: ClientRequest, url: URL, wire: Wire, cut: (reason: unknown) => void): Promise<Reply> {
  const { allowed, limits } = wire;
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  let address = "";
  let notes = 0;
  request.on("error", (error) => {
    reject(error);
    // In the middle of a body, only the request hears that what comes is not HTTP; the body just ends.
    if ("code" in error && String(error.code).startsWith("HPE_")) cut(asFailure(error, url));
  });
  request.on("upgrade", (_, socket) => {
    socket.destroy();
    reject(new PageUnavailableError("protocol", shown(url), "the server changes to another protocol."));
  });
  request.on("close", () => reject(new PageUnavailableError("connection", shown(url), "its server hung up.")));
  request.on("socket", (socket) =>
    socket.once("connect", () => {
      address = socket.remoteAddress ?? "";
      // The lookup has seen to this already. It is asked again of the connection itself, which is what counts.
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
      cut(new PageUnavailableError("protocol", shown(url), "the server sends notes (1xx) instead of a reply."));
  });
  request.on("response", (message) => {
    const count = message.rawHeaders.length / 2;
    if (count > limits.headerCount)
      reject(
        new FetchRefusedError(
          "headers",
          shown(url),
          `the server sends ${count} headers or more; ${limits.headerCount} are read.`,
        ),
      );
    else resolve({ message, status: message.statusCode ?? 0, address });
  });
  return promise;
}

const MOST_NOTES = 10;
