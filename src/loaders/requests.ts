import { UsageError } from "../errors.js";
import { withoutPassword } from "../text/address.js";
import { deadline, sleep } from "../waiting.js";

/** Requests to the API of one source. */
export interface Requests {
  /** Returns the JSON of a reply. @throws as `bytes` does, and if the reply is no JSON. */
  json(path: string, options: RequestOptions): Promise<unknown>;
  /**
   * Returns the body of a reply, or undefined if there is nothing at the address (404, 410).
   * @throws an Error in one sentence, without secrets, if the source refuses, fails or sends too much.
   */
  bytes(path: string, options: RequestOptions): Promise<Uint8Array | undefined>;
  /** Returns a reply whose status is not an error, with its body unread. @throws as `bytes` does. */
  reply(path: string, options: RequestOptions): Promise<Response>;
}

interface RequestOptions {
  signal: AbortSignal;
  headers?: Readonly<Record<string, string>>;
  method?: string;
  body?: string;
}

/**
 * Sends requests to one source, one after the other. A request that meets a limit (429) or a fault (5xx, no connection) is
 * repeated up to five times, after what `Retry-After` asks for, up to two minutes, or else after 1, 2, 4, 8 and 16 seconds.
 * @param options.source names the source in messages, such as "GitLab".
 * @param options.baseURL the address that paths are appended to. A path may also be a whole address of the same origin:
 * headers, which hold secrets, are never sent elsewhere.
 * @param options.perSecond requests a second at most. Default 10.
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
  if (!/^https?:/.test(URL.parse(baseURL)?.protocol ?? ""))
    throw new UsageError(`${source}: the address must begin with https:// or http://.`);
  const base = baseURL.replace(/\/+$/, "");
  const where = withoutPassword(base);
  let next = 0;

  async function turn(signal: AbortSignal): Promise<void> {
    const now = performance.now();
    const at = Math.max(now, next);
    next = at + 1000 / perSecond;
    if (at > now) await sleep(at - now, signal);
  }

  async function once(path: string, { signal, ...given }: RequestOptions): Promise<Response | Repeatable> {
    await turn(signal);
    const address = new URL(/^https?:/.test(path) ? path : `${base}${path}`);
    const isOwn = address.origin === new URL(base).origin;
    const time = deadline(TIMEOUT_MS, signal);
    try {
      const reply = await fetch(address, {
        ...given,
        headers: { ...(isOwn ? headers : {}), ...given.headers },
        signal: time.signal,
      });
      if (reply.status !== 429 && reply.status < 500) return reply;
      await reply.body?.cancel();
      return { wait: waitIn(reply.headers), message: `${source} at ${where} failed with status ${reply.status}.` };
    } catch {
      signal.throwIfAborted();
      const what = time.isOver() ? "did not answer in time" : "cannot be reached";
      return { wait: undefined, message: `${source} at ${where} ${what}. Is the address right?` };
    } finally {
      time.clear();
    }
  }

  async function reply(path: string, options: RequestOptions): Promise<Response> {
    for (let tries = 0; ; tries++) {
      const got = await once(path, options);
      if (got instanceof Response) {
        if (got.ok || GONE.has(got.status)) return got;
        await got.body?.cancel();
        throw new Error(refusal(got.status));
      }
      if (tries === MOST_REPEATS) throw new Error(got.message);
      await sleep(got.wait ?? FIRST_WAIT_MS * 2 ** tries, options.signal);
    }
  }

  const refusal = (status: number) =>
    status === 401 || status === 403
      ? `${source} at ${where} refused the credentials (${status}). Check them, and what they may read.`
      : `${source} at ${where} refused the request (${status}). Check the options.`;

  async function bytes(path: string, options: RequestOptions): Promise<Uint8Array | undefined> {
    const got = await reply(path, options);
    if (!GONE.has(got.status)) return bodyOf(got, source);
    await got.body?.cancel();
    return undefined;
  }

  return {
    reply,
    bytes,
    async json(path, options) {
      const body = await bytes(path, options);
      if (!body) throw new Error(`${source} at ${where} has nothing at ${path.split("?")[0]}. Check the options.`);
      try {
        return JSON.parse(new TextDecoder().decode(body));
      } catch {
        throw new Error(`${source} at ${where} did not reply with JSON. Is the address that of its API?`);
      }
    },
  };
}

interface Repeatable {
  /** In milliseconds. */
  wait: number | undefined;
  message: string;
}

async function bodyOf(reply: Response, source: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of reply.body ?? []) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new Error(`${source} sent more than ${LARGEST_BODY / 2 ** 20} MB at once.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns the milliseconds that `Retry-After` asks for, as seconds or as a date. */
function waitIn(headers: Headers): number | undefined {
  const after = headers.get("retry-after") ?? "";
  const ms = /^\d+$/.test(after) ? Number(after) * 1000 : Date.parse(after) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), LONGEST_WAIT_MS) : undefined;
}

const GONE: ReadonlySet<number> = new Set([404, 410]);
const MOST_REPEATS = 5;
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 120_000;
const TIMEOUT_MS = 60_000;
const LARGEST_BODY = 25 * 2 ** 20;
