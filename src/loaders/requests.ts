import { lookup } from "node:dns/promises";
import { z } from "zod";
import { EndpointError, UsageError } from "../errors.js";
import { withoutPassword } from "../text/address.js";
import { parsedJson } from "../text/decode.js";
import { waitIn } from "../tools/endpoint/endpoint.js";
import { addressRefusal, hostOf } from "../tools/web/fetch-policy.js";
import { deadline, sleep } from "../waiting.js";

/** Requests to the API of one source. */
export interface Requests {
  /** Returns the body of a reply, or undefined if there is nothing at the address (404, 410). @throws as `reply` does. */
  bytes(path: string, options: RequestOptions): Promise<Uint8Array | undefined>;
  /** @throws EndpointError, without secrets, if the source refuses or fails; RangeError if it sends more than 25 MB. */
  reply(path: string, options: RequestOptions): Promise<Reply>;
}

interface Reply {
  headers: Headers;
  /** Undefined if there is nothing at the address (404, 410). */
  bytes: Uint8Array | undefined;
  /** Returns the JSON as the schema reads it. @throws Error if there is nothing at the address, or no JSON of this shape. */
  as<Shape>(schema: z.ZodType<Shape>): Shape;
}

interface RequestOptions {
  signal: AbortSignal;
  headers?: Readonly<Record<string, string>>;
  method?: string;
  body?: string;
}

/**
 * Sends requests to one source. A request that meets a fault (5xx, a broken or no connection) or a limit is repeated up to
 * five times, after what the reply asks for (`Retry-After`, `X-RateLimit-Reset`), up to an hour, or else after 1, 2, 4, 8
 * and 16 seconds. Redirects are followed: with all headers within the origin, and with none to another one, which must be
 * public or as private as the source itself.
 * @param options.source names the source in messages, such as "GitLab".
 * @param options.baseURL the address that paths are appended to. A path may also be a whole address. `headers`, which hold
 * secrets, are only sent to the origin of `baseURL`.
 * @param options.perSecond requests a second at most, on average. Default 10.
 */
export function requests({
  source,
  baseURL,
  headers = {},
  perSecond = 10,
}: {
  source: string;
  baseURL: string;
  headers?: Readonly<Record<string, string>>;
  perSecond?: number;
}): Requests {
  const home = URL.parse(baseURL);
  if (!home || !/^https?:$/.test(home.protocol))
    throw new UsageError(`${source}: the address must begin with https:// or http://.`);
  if (home.username || home.password)
    throw new UsageError(`${source}: the address must not contain a password. There are options for it.`);
  const base = baseURL.replace(/\/+$/, "");
  const where = withoutPassword(base);
  let next = Number.NEGATIVE_INFINITY;

  async function turn(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    // After a second of rest, the requests of a second may come at once.
    next = Math.max(next, now - 1000) + 1000 / perSecond;
    if (next > now) await sleep(next - now, signal);
  }

  /**
   * A source must not choose what is read on this machine, in its network, or where a cloud keeps credentials.
   * @throws EndpointError unless an address is public, or as private as that of the source.
   */
  async function checkElsewhere(address: URL): Promise<void> {
    const [kinds, own] = await Promise.all([address, new URL(base)].map(kindsOf));
    const kind = kinds?.find((one) => one !== undefined && !own?.includes(one));
    if (kind)
      throw new EndpointError(`${source} at ${where} leads to ${kind}, ${address.host}, which is not followed.`);
  }

  /** Follows redirects, and leaves the last reply unread. */
  async function fetched(path: string, { signal, ...given }: RequestOptions): Promise<Response> {
    let address = new URL(/^https?:\/\//.test(path) ? path : `${base}${path}`);
    let request = given;
    for (let redirects = 0; ; redirects++) {
      const own = address.origin === home?.origin ? headers : {};
      if (own !== headers) await checkElsewhere(address);
      const reply = await fetch(address, {
        ...request,
        headers: { ...own, ...request.headers },
        redirect: "manual",
        signal,
      });
      const to = REDIRECTS.has(reply.status) && URL.parse(reply.headers.get("location") ?? "", address.href);
      if (!to) return reply;
      await reply.body?.cancel();
      if (redirects === MOST_REDIRECTS || !/^https?:$/.test(to.protocol) || (isSafe(address) && !isSafe(to)))
        throw new EndpointError(
          `${source} at ${where} redirects to where it may not be followed. Is the address right?`,
        );
      if (to.origin !== address.origin) request = {};
      else if (reply.status < 307 && request.method === "POST") request = { headers: request.headers ?? {} };
      address = to;
    }
  }

  async function once(path: string, options: RequestOptions): Promise<Reply | Fault> {
    await turn(options.signal);
    const time = deadline(TIMEOUT_MS, options.signal);
    try {
      const reply = await fetched(path, { ...options, signal: time.signal });
      const rest = restOf(reply.headers);
      if (rest !== undefined) next = Math.max(next, performance.now() + Math.min(rest, LONGEST_WAIT_MS));
      if (reply.ok) return replyOf(path, reply, await bodyOf(reply, time.extend));
      await reply.body?.cancel();
      if (GONE.has(reply.status)) return replyOf(path, reply, undefined);
      const wait = waitIn(reply.headers.get("retry-after")) ?? rest;
      const isLimit = reply.status === 429 || (reply.status === 403 && wait !== undefined);
      if (!isLimit && reply.status < 500 && reply.status !== 408)
        throw new EndpointError(refusal(reply.status), reply.status);
      const what = isLimit ? "has reached its limit of requests" : `failed with status ${reply.status}`;
      return { wait, message: `${source} at ${where} ${what}. Try again later.` };
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof EndpointError || error instanceof RangeError) throw error;
      // The cause may repeat an address with its query.
      const what = time.isOver() ? "did not answer in time" : "cannot be reached, or broke off";
      return { wait: undefined, message: `${source} at ${where} ${what}. Is the address right?` };
    } finally {
      time.clear();
    }
  }

  const replyOf = (path: string, { headers }: Response, bytes: Uint8Array | undefined): Reply => ({
    headers,
    bytes,
    as(schema) {
      if (!bytes) throw new Error(`${source} at ${where} has nothing at ${path.split("?")[0]}. Check the options.`);
      const json = parsedJson(new TextDecoder().decode(bytes));
      if (json === undefined)
        throw new Error(`${source} at ${where} did not reply with JSON. Is the address that of its API?`);
      const { data, error } = schema.safeParse(json);
      if (!error) return data;
      const place = z.core.toDotPath(error.issues[0]?.path ?? []);
      throw new Error(`${source} at ${where} sent an unexpected reply${place && ` (${place})`}. Is the address right?`);
    },
  });

  async function bodyOf(reply: Response, onPiece: () => void): Promise<Uint8Array> {
    const pieces: Uint8Array[] = [];
    let size = 0;
    const claimed = Number(reply.headers.get("content-length"));
    for await (const piece of reply.body ?? []) {
      onPiece();
      size += piece.length;
      // Leaving the loop ends the transfer.
      if (Math.max(size, claimed) > LARGEST_BODY)
        throw new RangeError(`${source} sent more than ${LARGEST_BODY / 2 ** 20} MB at once.`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  }

  const refusal = (status: number) =>
    status === 401 || status === 403
      ? `${source} at ${where} refused the credentials (${status}). Check them, and what they may read.`
      : `${source} at ${where} refused the request (${status}). Check the options.`;

  async function reply(path: string, options: RequestOptions): Promise<Reply> {
    for (let tries = 0; ; tries++) {
      const got = await once(path, options);
      if ("as" in got) return got;
      const wait = got.wait ?? FIRST_WAIT_MS * 2 ** tries;
      if (tries === MOST_REPEATS || wait > LONGEST_WAIT_MS) throw new EndpointError(got.message);
      await sleep(wait, options.signal);
    }
  }

  return { reply, bytes: async (path, options) => (await reply(path, options)).bytes };
}

/**
 * Yields each entry of a JSON list, and of the further lists that its `Link` header names as the next ones.
 * @throws as `Reply.as` does, and if the pages repeat.
 */
export async function* entries<Entry>(
  api: Requests,
  path: string,
  entry: z.ZodType<Entry>,
  signal: AbortSignal,
): AsyncGenerator<Entry> {
  const seen = new Set<string>();
  for (let next: string | undefined = path; next !== undefined; ) {
    if (seen.has(next)) throw new Error("The pages of a list repeat, so it cannot be had whole. Try again later.");
    seen.add(next);
    const reply: Reply = await api.reply(next, { signal });
    yield* reply.as(z.array(entry));
    next = /<([^>]+)>\s*;[^,]*\brel="?next"?/.exec(reply.headers.get("link") ?? "")?.[1];
  }
}

/** What another try may mend. */
interface Fault {
  /** In milliseconds, if the source says so. */
  wait: number | undefined;
  message: string;
}

/** Returns the milliseconds until a limit is lifted that was just reached, as GitHub and GitLab say it. */
function restOf(headers: Headers): number | undefined {
  const header = (name: string) => headers.get(`x-ratelimit-${name}`) ?? headers.get(`ratelimit-${name}`);
  const reset = Number(header("reset") ?? Number.NaN);
  if (header("remaining") !== "0" || !Number.isFinite(reset)) return undefined;
  // In seconds: of a point in time, or from now on.
  return Math.max(0, reset * 1000 - (reset > 1e9 ? Date.now() : 0));
}

/** Says in words how each address of a host is not public; undefined for one that is. */
const kindsOf = async (url: URL): Promise<(string | undefined)[]> =>
  (await lookup(hostOf(url), { all: true }).catch(() => [])).map(({ address }) => addressRefusal(address));

const isSafe = ({ protocol }: URL) => protocol === "https:";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const GONE: ReadonlySet<number> = new Set([404, 410]);
const MOST_REDIRECTS = 5;
const MOST_REPEATS = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 3_600_000;
/** For the head of a reply, and for each piece of its body. */
const TIMEOUT_MS = 60_000;
const LARGEST_BODY = 25 * 2 ** 20;
