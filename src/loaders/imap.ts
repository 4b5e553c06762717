import type { FetchMessageObject, ImapFlow } from "imapflow";
import { z } from "zod";
import { codeOf, UsageError } from "../errors.js";
import { LARGEST_FILE } from "../ingest/bytes.js";
import { aCount, check, exactly, type OptionsOf } from "../options.js";
import { unlessAborted } from "../waiting.js";
import type { Connector, Listed } from "./port.js";

export interface ImapOptions {
  host: string;
  /** Default 993, or 143 without `secure`. */
  port?: number;
  /** False begins without encryption and demands STARTTLS, except on this machine. Default true. */
  secure?: boolean;
  user: string;
  /** Of the user, or for this program alone where the mailbox has such passwords. Give either it or `accessToken`. */
  password?: string;
  /** An OAuth 2.0 token for IMAP, which is not renewed. */
  accessToken?: string;
  /** The folders to read, by their whole names, such as `INBOX` or `Team/Announcements`. Default `INBOX`. */
  folders?: readonly string[];
  /** Mail that arrived before this day, such as `2024-01-01`, is left out. Default: none is. */
  since?: string;
}

const some = z.string().min(1);
const Given = exactly({
  host: some,
  port: aCount(1).max(65_535).optional(),
  secure: z.boolean().optional(),
  user: some,
  password: some.optional(),
  accessToken: some.optional(),
  folders: z.array(some).min(1).optional(),
  since: z.iso.date({ error: "must be a day such as 2024-01-01" }).optional(),
} satisfies OptionsOf<ImapOptions>);

/**
 * The mails in a mailbox, by IMAP. Nothing in it is changed, and no mail is marked as read. A mail in two folders is one
 * document. Rights are not told: a mailbox has none but its owner's. Needs the package `imapflow`.
 * @throws UsageError if an option is wrong.
 */
export function imap(options: ImapOptions): Connector {
  check(Given, options);
  const { host, folders = ["INBOX"], since } = options;
  if ((options.password === undefined) === (options.accessToken === undefined))
    throw new UsageError("IMAP: give either the password of the user, or an access token.");
  let opened: Promise<ImapFlow> | undefined;

  function connected(signal: AbortSignal): Promise<ImapFlow> {
    const before = opened;
    opened = (async () => {
      const client = await before?.catch(() => undefined);
      return client?.usable ? client : connect(options);
    })();
    return unlessAborted(opened, signal);
  }

  /** Does something in a folder, which no other call changes meanwhile. */
  async function within<T>(folder: string, signal: AbortSignal, work: (client: ImapFlow) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    let client: ImapFlow | undefined;
    try {
      client = await connected(signal);
      const lock = await unlessAborted(client.getMailboxLock(folder, { readOnly: true }), signal);
      try {
        return await unlessAborted(work(client), signal);
      } finally {
        lock.release();
      }
    } catch (error) {
      // What was asked goes on, so the connection is of no more use.
      if (signal.aborted) client?.close();
      signal.throwIfAborted();
      throw await failure(error, folder, client);
    }
  }

  async function failure(error: unknown, folder: string, client: ImapFlow | undefined): Promise<Error> {
    if (error instanceof UsageError || error instanceof RangeError || error instanceof Refusal) return error;
    const { authenticationFailed, mailboxMissing } = Object(error) as Record<string, unknown>;
    if (authenticationFailed)
      return new Error(
        `${SOURCE} at ${host} refused the credentials. Check them, and whether the mailbox allows IMAP.`,
      );
    if (mailboxMissing) {
      const all = await client?.list().catch(() => undefined);
      const names = all?.map(({ path }) => path).join(", ");
      return new Error(`The mailbox has no folder “${folder}”. ${names ? `It has: ${names}.` : "Check its name."}`);
    }
    // The server's words may repeat what was sent.
    return new Error(
      `${SOURCE} at ${host} cannot be reached, or broke off (${codeOf(error)}). Check the host and the port.`,
    );
  }

  // A list that is not whole must not look so: what is missing would be removed.
  const notWhole = (folder: string) =>
    new Refusal(`${SOURCE} at ${host} did not list all mails in “${folder}”. Try again later.`);

  async function numbersIn(folder: string, client: ImapFlow): Promise<number[]> {
    const asked = since === undefined ? { all: true } : { since: new Date(since) };
    const found = await client.search(asked, { uid: true });
    if (!found || (since === undefined && found.length < mailboxOf(client).exists)) throw notWhole(folder);
    return found;
  }

  async function mailsIn(folder: string, uids: readonly number[], client: ImapFlow): Promise<Listed[]> {
    const rows = await client.fetchAll(uids.join(","), { envelope: true, internalDate: true }, { uid: true });
    // Some rows only tell that a mail has another mark.
    const mails = new Map(rows.flatMap((row) => (row.envelope ? [[row.uid, row] as const] : [])));
    const missing = uids.filter((uid) => !mails.has(uid));
    // Those may have been deleted since they were counted.
    if (missing.length > 0) {
      const left = await client.search({ uid: missing.join(",") }, { uid: true });
      if (!left || left.length > 0) throw notWhole(folder);
    }
    return [...mails.values()].map((mail) => listed(mail, folder, mailboxOf(client).uidValidity));
  }

  return {
    async *list({ signal }) {
      const seen = new Set<string>();
      for (const folder of folders) {
        const uids = await within(folder, signal, (client) => numbersIn(folder, client));
        for (let start = 0; start < uids.length; start += AT_ONCE) {
          const some = uids.slice(start, start + AT_ONCE);
          for (const mail of await within(folder, signal, (client) => mailsIn(folder, some, client))) {
            if (seen.has(mail.id)) continue;
            seen.add(mail.id);
            yield mail;
          }
        }
      }
    },
    async read({ version = "" }, { signal }) {
      const [, folder, validity, uid = ""] = VERSION.exec(version) ?? [];
      if (folder === undefined) return undefined;
      return within(folder, signal, async (client) => {
        if (`${mailboxOf(client).uidValidity}` !== validity) return undefined;
        const about = await client.fetchOne(uid, { size: true }, { uid: true });
        if (!about) return undefined;
        if ((about.size ?? 0) > LARGEST_FILE)
          throw new RangeError("Its attachments make it larger than 20 MB, so it is left out.");
        const mail = (await client.fetchOne(uid, { source: true }, { uid: true })) || undefined;
        return mail?.source && { name: "mail.eml", bytes: mail.source };
      });
    },
    async close() {
      const client = await opened?.catch(() => undefined);
      opened = undefined;
      await client?.logout().catch(() => {});
      client?.close();
    },
  };
}

const SOURCE = "IMAP";
/** Mails. */
const AT_ONCE = 200;

/** An error whose message is for the user. */
class Refusal extends Error {}

async function connect({ host, port, secure = true, user, password, accessToken }: ImapOptions): Promise<ImapFlow> {
  const { ImapFlow } = await import("imapflow").catch((error: unknown) => {
    throw new UsageError("Mailboxes are read by the package imapflow. Install it: npm install imapflow", {
      cause: error,
    });
  });
  const isHere = /^(?:localhost|127\.\d+\.\d+\.\d+|::1)$/.test(host);
  const client = new ImapFlow({
    host,
    port: port ?? (secure ? 993 : 143),
    secure,
    ...(!secure && !isHere && { doSTARTTLS: true }),
    auth: {
      user,
      ...(password !== undefined && { pass: password }),
      ...(accessToken !== undefined && { accessToken }),
    },
    logger: false,
    disableAutoIdle: true,
    maxLiteralSize: 2 * LARGEST_FILE,
  });
  // The command under way fails too. An unhandled event would end the program.
  client.on("error", () => {});
  await client.connect();
  return client;
}

function mailboxOf({ mailbox }: ImapFlow): { exists: number; uidValidity: bigint } {
  if (!mailbox) throw new Error("No folder is open.");
  return mailbox;
}

/** The version says where a mail is: its folder, and its number there. What has that number never changes. */
const VERSION = /^(.*)\/(\d+)\/(\d+)$/s;

function listed({ uid, envelope, internalDate }: FetchMessageObject, folder: string, uidValidity: bigint): Listed {
  const version = `${folder}/${uidValidity}/${uid}`;
  const messageId = envelope?.messageId?.trim() ?? "";
  const time = new Date(envelope?.date ?? internalDate ?? Number.NaN);
  return {
    id: messageId !== "" && messageId.length <= LONGEST_ID ? messageId : version,
    version,
    title: envelope?.subject || undefined,
    changedAt: Number.isNaN(time.getTime()) ? undefined : time.toISOString(),
    metadata: { folder },
  };
}

/** In characters. */
const LONGEST_ID = 500;
