import { readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { buffer } from "node:stream/consumers";
import { openPromise } from "yauzl";
import { z } from "zod";
import { cannotBe, toError } from "../errors.js";
import { bytesOf, LARGEST_FILE } from "../ingest/bytes.js";
import { check, exactly, type OptionsOf } from "../options.js";
import { digestOf } from "../text/digest.js";
import type { Reader } from "../types/reader.js";
import type { Connector, Listed } from "./port.js";

export interface SlackExportOptions {
  /** The ZIP file that Slack gave out, or the folder that it was unpacked to. It must hold the whole history. */
  path: string;
  /** The address of the workspace, such as `https://acme.slack.com`, for links to messages. Default: there are none. */
  workspace?: string;
}

const some = z.string().min(1);
const Given = exactly({
  path: some,
  workspace: z.url({ protocol: /^https?$/, error: "must be the address of the workspace" }).optional(),
} satisfies OptionsOf<SlackExportOptions>);

/**
 * The channels of an export of Slack. A thread is a document, and so is what was said on one day outside of threads; days and
 * times are those of UTC. Everyone may read public channels; the members of private ones are named by e-mail address. Direct
 * messages are left out.
 * @throws UsageError if an option is wrong.
 */
export function slackExport(options: SlackExportOptions): Connector {
  check(Given, options);
  const { path, workspace } = options;
  let opened: Promise<Export> | undefined;
  let last: { channel: string; documents: ReadonlyMap<string, Document> } | undefined;

  const open = () => {
    opened ??= openExport(path);
    return opened;
  };

  async function documentsIn(channel: Channel, all: Export): Promise<ReadonlyMap<string, Document>> {
    if (last?.channel === channel.id) return last.documents;
    const messages = (await all.messages(channel)).filter(({ subtype }) => !subtype || !NOTICES.test(subtype));
    const documents = documentsOf(channel, messages, all, workspace);
    last = { channel: channel.id, documents };
    return documents;
  }

  return {
    async *list({ signal }) {
      const all = await open();
      for (const channel of all.channels) {
        signal.throwIfAborted();
        for (const { listed } of (await documentsIn(channel, all)).values()) yield listed;
      }
    },
    async read({ id }, { signal }) {
      signal.throwIfAborted();
      const all = await open();
      const channel = all.channels.find((one) => id.startsWith(`${one.id}/`));
      const text = channel && (await documentsIn(channel, all)).get(id)?.text;
      return text === undefined ? undefined : { text };
    },
    async close() {
      const all = await opened?.catch(() => undefined);
      opened = undefined;
      all?.close();
    },
  };
}

interface Document {
  listed: Listed;
  text: string;
}

interface Export {
  /** Without direct messages. */
  channels: readonly Channel[];
  people: ReadonlyMap<string, User>;
  /** In the order in which they were written. */
  messages(channel: Channel): Promise<Message[]>;
  close(): void;
}

/** Messages that Slack writes itself, such as that somebody joined, and the places of deleted ones. */
const NOTICES =
  /^(?:(?:channel|group)_(?:join|leave|topic|purpose|name|archive|unarchive|posting_permissions)|bot_(?:add|remove)|(?:un)?pinned_item|reminder_add|tombstone|message_(?:deleted|changed))$/;

async function openExport(path: string): Promise<Export> {
  const files = await filesIn(path);
  try {
    const lists = [...files.names].filter((name) => /(?:^|\/)channels\.json$/.test(name));
    // The archive may hold the folder, or other things beside it.
    const [first] = lists.sort((a, b) => a.length - b.length);
    if (first === undefined)
      throw new Error(
        `The path ${path} holds no export of Slack: there is no channels.json. Unpack the export, or name the ZIP file.`,
      );
    const root = first.slice(0, -"channels.json".length);
    const json = async <T>(name: string, schema: z.ZodType<T>): Promise<T> => {
      const { data, error } = schema.safeParse(jsonIn(await files.read(`${root}${name}`)));
      if (error)
        throw new Error(
          `The file ${name} of the export cannot be read (${z.core.toDotPath(error.issues[0]?.path ?? [])}). Export it again.`,
        );
      return data;
    };
    const users = await json("users.json", z.array(User));
    const open = await json("channels.json", z.array(Channel));
    const closed = files.names.has(`${root}groups.json`) ? await json("groups.json", z.array(Channel)) : [];
    const channels = [...open, ...closed.map((channel) => ({ ...channel, is_private: true }))].filter(
      ({ is_im, is_mpim }) => !is_im && !is_mpim,
    );
    const inChannels = Map.groupBy(files.names, (name) => name.slice(root.length).split("/")[0] ?? "");
    return {
      channels,
      people: new Map(users.map((user) => [user.id, user])),
      async messages({ id, name }) {
        const days = [...new Set([name, id])]
          .flatMap((folder) => inChannels.get(folder) ?? [])
          .filter((file) => DAY.test(file));
        const all: Message[] = [];
        for (const day of days) all.push(...(await json(day.slice(root.length), z.array(Message))));
        return all.sort((a, b) => Number(a.ts) - Number(b.ts));
      },
      close: files.close,
    };
  } catch (error) {
    files.close();
    throw error;
  }
}

const DAY = /\/\d{4}-\d\d-\d\d\.json$/;

function jsonIn(bytes: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** The files of a folder or a ZIP archive, by names with slashes. */
interface Files {
  names: ReadonlySet<string>;
  /** Undefined if there is no such file. @throws Error if it is damaged, or larger than 20 MB. */
  read(name: string): Promise<Uint8Array | undefined>;
  close(): void;
}

async function filesIn(path: string): Promise<Files> {
  const about = await stat(path).catch(cannotBe("read", `The export ${path}`));
  return about.isDirectory() ? folder(path) : archive(path);
}

async function folder(path: string): Promise<Files> {
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  // Links may lead out of the folder.
  const files = found.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name));
  const paths = new Map(files.map((file) => [relative(path, file).replaceAll(sep, "/"), file]));
  return {
    names: new Set(paths.keys()),
    async read(name) {
      const file = paths.get(name);
      return file === undefined ? undefined : bytesOf(file);
    },
    close() {},
  };
}

async function archive(path: string): Promise<Files> {
  const damaged = (error: unknown) => {
    throw new Error(`The export ${path} is damaged or incomplete, or no ZIP file. Export it again.`, {
      cause: toError(error),
    });
  };
  const zip = await openPromise(path, { lazyEntries: true, autoClose: false }).catch(damaged);
  const entries = await Array.fromAsync(zip.eachEntry(), (entry) => [entry.fileName, entry] as const).catch((error) => {
    zip.close();
    return damaged(error);
  });
  const named = new Map(entries);
  return {
    names: new Set(named.keys()),
    async read(name) {
      const entry = named.get(name);
      if (!entry) return undefined;
      if (entry.uncompressedSize > LARGEST_FILE)
        throw new Error(`The file ${name} of the export is larger than 20 MB. Leave its channel out.`);
      // The stream ends with an error if it has more bytes than the archive claims.
      return zip.openReadStreamPromise(entry).then(buffer).catch(damaged);
    },
    close: () => zip.close(),
  };
}

function documentsOf(
  channel: Channel,
  messages: readonly Message[],
  { people, channels }: Export,
  workspace: string | undefined,
): Map<string, Document> {
  const readers = readersOf(channel, people);
  const names = new Map(channels.map(({ id, name }) => [id, name]));
  const link = ({ ts }: Message) =>
    workspace && `${workspace.replace(/\/+$/, "")}/archives/${encodeURIComponent(channel.id)}/p${ts.replace(".", "")}`;
  const parts = Map.groupBy(messages, ({ ts, thread_ts }) => thread_ts ?? timeOf(ts).slice(0, 10));
  const documents = [...parts].flatMap(([part, said]): Document[] => {
    const written = said
      .map((message) => ({ message, text: textOf(message, people, names) }))
      .filter(({ text }) => text !== "");
    const [first] = written;
    if (!first) return [];
    const isThread = first.message.thread_ts !== undefined;
    const start = first.text.replace(/\s+/g, " ");
    const title = isThread
      ? `#${channel.name}: ${start.length > 80 ? `${start.slice(0, 79)}…` : start}`
      : `#${channel.name}, ${part}`;
    const lines = written.map(({ message, text }) => {
      // A thread may last for days.
      const time = timeOf(message.ts)
        .replace("T", " ")
        .slice(isThread ? 0 : 11, 16);
      const address = link(message);
      return `${authorOf(message, people)}, ${address ? `[${time}](${address})` : time}: ${text}`;
    });
    const text = `# ${title}\n\n${lines.join("\n\n")}\n`;
    return [
      {
        text,
        listed: {
          id: `${channel.id}/${part}`,
          version: digestOf(text),
          title,
          url: link(first.message),
          changedAt: timeOf(written.at(-1)?.message.ts ?? first.message.ts),
          readers,
          metadata: {
            channel: channel.name,
            author: [...new Set(written.map(({ message }) => authorOf(message, people)))],
          },
        },
      },
    ];
  });
  return new Map(documents.map((document) => [document.listed.id, document]));
}

function readersOf({ is_private, members }: Channel, people: ReadonlyMap<string, User>): Reader[] {
  if (!is_private) return ["everyone"];
  return (members ?? []).flatMap((member): Reader[] => {
    const { deleted, profile } = people.get(member) ?? {};
    return profile?.email && !deleted ? [`user:${profile.email}`] : [];
  });
}

/** In ISO form. */
const timeOf = (ts: string) => new Date(Number(ts) * 1000).toISOString();

const authorOf = (
  { user = "", user_profile, username, bot_profile }: Message,
  people: ReadonlyMap<string, User>,
): string =>
  (nameOf(people.get(user)) || user_profile?.real_name || username || bot_profile?.name || user || "Somebody").replace(
    /\s+/g,
    " ",
  );

const nameOf = (user: User | undefined) =>
  user?.profile?.real_name || user?.real_name || user?.profile?.display_name || user?.name;

/** Returns what a message says in Markdown, with the names of its files. */
function textOf(
  { text, attachments, files }: Message,
  people: ReadonlyMap<string, User>,
  channels: ReadonlyMap<string, string>,
): string {
  const parts = [text, ...(attachments ?? []).map((one) => one.text || one.fallback)].map((part) =>
    markdownOf(part ?? "", people, channels).trim(),
  );
  const names = (files ?? []).flatMap(({ name, title }) => title || name || []);
  return [...parts, ...(names.length > 0 ? [`(${names.join(", ")})`] : [])].filter((part) => part !== "").join("\n\n");
}

/** Slack writes mentions and links as `<target|label>`, and `<`, `>` and `&` as entities. */
const markdownOf = (text: string, people: ReadonlyMap<string, User>, channels: ReadonlyMap<string, string>): string =>
  text
    .replace(/<([^<>|]+)(?:\|([^<>]*))?>/g, (_, target: string, label = "") => {
      const id = target.slice(1);
      if (target.startsWith("@")) return `@${nameOf(people.get(id)) || label || id}`;
      if (target.startsWith("#")) return `#${label || (channels.get(id) ?? id)}`;
      if (target.startsWith("!")) return label || `@${id.replace(/\^.*/, "")}`;
      return label && /^https?:/.test(target) ? `[${label.replace(/[[\]]/g, "")}](${target})` : label || target;
    })
    .replace(/^• /gm, "- ")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");

const optional = z.string().nullish();

const User = z.object({
  id: some,
  name: optional,
  real_name: optional,
  deleted: z.boolean().nullish(),
  profile: z.object({ real_name: optional, display_name: optional, email: optional }).nullish(),
});
type User = z.infer<typeof User>;

const Channel = z.object({
  id: some,
  name: some,
  members: z.array(z.string()).nullish(),
  is_private: z.boolean().nullish(),
  is_im: z.boolean().nullish(),
  is_mpim: z.boolean().nullish(),
});
type Channel = z.infer<typeof Channel>;

const Message = z.object({
  ts: z.string().regex(/^\d{1,11}(?:\.\d+)?$/),
  thread_ts: z.string().optional(),
  subtype: optional,
  user: z.string().optional(),
  username: optional,
  text: optional,
  user_profile: z.object({ real_name: optional }).nullish(),
  bot_profile: z.object({ name: optional }).nullish(),
  attachments: z.array(z.object({ text: optional, fallback: optional })).nullish(),
  files: z.array(z.object({ name: optional, title: optional })).nullish(),
});
type Message = z.infer<typeof Message>;
