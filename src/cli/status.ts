import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "../config.js";
import { toError } from "../errors.js";
import { trialKey, trialsIn, usedFor } from "../prompting/trust.js";
import { withoutPassword } from "../text/address.js";
import { type AnyChat, openChat } from "../tools/chat/open-chat.js";
import { isEndpoint } from "../tools/endpoint/endpoint.js";
import { signInInWords } from "../tools/sign-in/settings.js";
import { openDatabase } from "../tools/store/open.js";
import type { Database } from "../tools/store/port.js";
import { isDatabase, storeName } from "../tools/store/settings.js";
import { contextInWords, settingsOf, usingTools } from "./open.js";
import { type CommandRun, EXIT } from "./run.js";
import { columns, escapedJson, oneLine, screen, warn, withCount } from "./screen.js";

/**
 * `emend status`: counts what the store holds, and lists the settings in force. A part that cannot be read does not hide
 * the others: its line, and a line on stderr, say why.
 */
export const statusCommand: CommandRun = async (_words, options) => {
  const settings = settingsOf(options);
  const database = openDatabase(settings.store);
  await using tools = await usingTools(settings, { database });
  const { documents, knowledge, encoder } = tools;
  const [store, graph, tried, bytes] = await Promise.all([
    settled(async () => counted(await documents.list(), await documents.describe?.())),
    settled(async () => (await knowledge?.sources()) ?? []),
    settled(async () => settings.model && (await trialOf(settings.model, settings.checkerModel, database))),
    isDatabase(settings.store) ? undefined : sizeOf(settings.store),
  ]);
  const faults = new Set([store, graph, tried].flatMap(({ fault }) => fault ?? []));
  for (const fault of faults) warn(fault);
  const code = faults.size > 0 ? EXIT.fault : EXIT.done;
  const sources = graph.value && {
    sources: graph.value.length,
    triples: graph.value.reduce((sum, source) => sum + source.triples, 0),
  };
  const inForce = settingsShown(settings, encoder?.identity);
  if (options.json) {
    const { writtenAt = null, ...held } = store.value ?? NOTHING_KNOWN;
    const report = {
      store: { folder: storeName(settings), bytes: bytes ?? null, writtenAt },
      ...held,
      graph: sources ?? null,
      ...(settings.model && { trial: tried.value ?? null }),
      ...(faults.size > 0 && { faults: [...faults] }),
      settings: inForce,
    };
    process.stdout.write(`${escapedJson(report)}\n`);
    return code;
  }
  const { paint } = screen(process.stdout);
  const size = bytes === undefined ? "" : `, ${(bytes / 1_000_000).toFixed(1)} MB`;
  const held = [
    ["store", `${storeName(settings)}${size}${store.fault === undefined ? written(store.value) : `: ${store.fault}`}`],
    ...(store.value ? rowsOf(store.value, settings.embeddings !== undefined || encoder !== undefined) : []),
    [
      "graph",
      sources
        ? `${withCount(sources.triples, "triple")} from ${withCount(sources.sources, "source")}`
        : (graph.fault ?? ""),
    ],
    ...(settings.model
      ? [["model", tried.fault ?? (tried.value ? usedFor(tried.value, settings.modelUse) : NOT_TRIED)]]
      : []),
  ];
  const set = Object.entries(inForce).map(([name, value]) => [
    name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
    value ?? "none",
  ]);
  const lines = columns([...held, ...set].map((row) => row.map(oneLine)));
  process.stdout.write(
    [...lines.slice(0, held.length), "", paint("bold", "Settings in force"), ...lines.slice(held.length), ""].join(
      "\n",
    ),
  );
  return code;
};

/** Returns what some work finds, or the message of its error. */
const settled = <T>(work: () => Promise<T>): Promise<{ value?: T; fault?: string }> =>
  work().then(
    (value) => ({ value }),
    (error: unknown) => ({ fault: toError(error).message }),
  );

type Documents = Awaited<ReturnType<typeof usingTools>>["documents"];
type Held = ReturnType<typeof counted>;

function counted(
  all: Awaited<ReturnType<Documents["list"]>>,
  described: Awaited<ReturnType<NonNullable<Documents["describe"]>>> | undefined,
) {
  const {
    writtenAt = "",
    tables = null,
    languages = { en: 0, zh: 0, other: 0 },
    embedded = 0,
    embeddedByOthers = 0,
  } = described ?? {};
  const passages = all.reduce((sum, document) => sum + document.passages, 0);
  return {
    writtenAt,
    documents: all.length,
    passages,
    languages,
    tables,
    vectors: { current: embedded, ofOtherModels: embeddedByOthers },
  };
}

const NOTHING_KNOWN = {
  writtenAt: null,
  documents: null,
  passages: null,
  languages: null,
  tables: null,
  vectors: null,
};

const written = ({ writtenAt = "" }: Partial<Held> = {}) =>
  writtenAt ? `, written ${writtenAt.slice(0, "2026-01-31T12:00".length).replace("T", " ")} UTC` : "";

function rowsOf(
  { documents, passages, languages: { en, zh, other }, tables, vectors }: Held,
  embeds: boolean,
): string[][] {
  const others =
    vectors.ofOtherModels > 0 ? `, ${vectors.ofOtherModels} by another model: emend ingest replaces them` : "";
  const left = embeds ? passages - vectors.current - vectors.ofOtherModels : 0;
  const rest = left > 0 ? `, ${left} found by words alone: emend ingest embeds them` : "";
  return [
    ["documents", `${documents}`],
    ["passages", `${passages}: ${en} English, ${zh} Chinese${other > 0 ? `, ${other} in other languages` : ""}`],
    ["embedded", `${vectors.current} of ${passages}${others}${rest}`],
    ...(tables === null ? [] : [["tables", `${tables}`]]),
  ];
}

const NOT_TRIED = "not tried yet: its first question tries it, or emend doctor";

async function trialOf(model: AnyChat, checkerModel: AnyChat | undefined, database: Database) {
  const chat = openChat(model);
  return trialsIn(database).read(trialKey(chat, checkerModel ? openChat(checkerModel) : chat));
}

/** The settings for people to read: no key, no password. */
export function settingsShown(settings: Settings, encoder: string | undefined) {
  const { model, checkerModel, embeddings, reranker, neo4j, web, signIn } = settings;
  const endpoint = (given: Settings["model"] | Settings["embeddings"] | Settings["reranker"]) => {
    if (!given) return null;
    return isEndpoint(given) ? `${given.model} at ${withoutPassword(given.baseURL ?? OPENAI)}` : "LangChain";
  };
  return {
    model: endpoint(model),
    checkerModel: endpoint(checkerModel ?? model),
    embeddings: endpoint(embeddings) ?? encoder ?? null,
    reranker: endpoint(reranker),
    encoder: encoder ?? null,
    graphStore: neo4j ? [neo4j.uri, neo4j.database, `as ${neo4j.username}`].filter(Boolean).join(" ") : "in the store",
    web: web ? [web.engine, ...("url" in web ? [`at ${withoutPassword(web.url)}`] : [])].join(" ") : null,
    privateHosts: settings.allowPrivateHosts?.join(", ") || null,
    robotsTxt: settings.robots === false ? "ignored" : "honoured",
    contact: settings.contact ?? null,
    pageCache: `${settings.pageCache ?? 100} MB`,
    aliases: settings.aliases ? `${settings.aliases.length} groups of names` : null,
    context: settings.context ? contextInWords(settings.context) : null,
    url: settings.url ?? null,
    signIn: signIn ? signInInWords(signIn) : null,
    claims: signIn?.claims ? JSON.stringify(signIn.claims) : null,
    operators: signIn?.operators?.join(", ") ?? null,
    uploaders: signIn?.uploaders?.join(", ") ?? null,
    replyCache: settings.replyCache ?? null,
    runs: settings.runs === "off" ? null : `${settings.runs ?? "on"}, ${settings.runDays ?? 90} days`,
  };
}

const OPENAI = "https://api.openai.com/v1";

/** Returns the bytes of all files in a folder; 0 if there is none. Files that vanish meanwhile do not count. */
async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) =>
      stat(join(parentPath, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
