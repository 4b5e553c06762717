import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "../config.js";
import { withoutPassword } from "../text/address.js";
import { isEndpoint } from "../tools/endpoint/endpoint.js";
import { type AnyChat, openChat } from "../tools/models/open-chat.js";
import { trialKey, trialsIn, usedFor } from "../tools/models/trust.js";
import { openDatabase } from "../tools/store/open.js";
import type { Database } from "../tools/store/port.js";
import { isDatabase, storeName } from "../tools/store/settings.js";
import { contextInWords, settingsOf, usingTools } from "./open.js";
import { type CommandRun, EXIT } from "./run.js";
import { columns, escapedJson, oneLine, screen, withCount } from "./screen.js";

/** `emend status`: counts what the store holds, and lists the settings in force. */
export const statusCommand: CommandRun = async (_words, options) => {
  const settings = settingsOf(options);
  const database = openDatabase(settings.store);
  await using tools = await usingTools(settings, { database });
  const { documents, knowledge, encoder } = tools;
  const [all, described, sources, bytes, trial] = await Promise.all([
    documents.list(),
    documents.describe?.(),
    knowledge?.sources() ?? [],
    isDatabase(settings.store) ? undefined : sizeOf(settings.store),
    settings.model ? trialOf(settings.model, settings.checkerModel, database) : undefined,
  ]);
  const {
    writtenAt = "",
    languages = { en: 0, zh: 0, other: 0 },
    embedded = 0,
    embeddedByOthers = 0,
  } = described ?? {};
  const passages = all.reduce((sum, document) => sum + document.passages, 0);
  const triples = sources.reduce((sum, source) => sum + source.triples, 0);
  const inForce = settingsShown(settings, encoder?.identity);
  if (options.json) {
    const vectors = { current: embedded, ofOtherModels: embeddedByOthers };
    const graph = { sources: sources.length, triples };
    const store = { folder: storeName(settings), bytes: bytes ?? null, writtenAt };
    const report = {
      ...{ store, documents: all.length, passages, languages, vectors, graph },
      ...(settings.model && { trial: trial ?? null }),
      settings: inForce,
    };
    process.stdout.write(`${escapedJson(report)}\n`);
    return EXIT.done;
  }
  const { paint } = screen(process.stdout);
  const when = writtenAt ? `, written ${writtenAt.slice(0, "2026-01-31T12:00".length).replace("T", " ")} UTC` : "";
  const size = bytes === undefined ? "" : `, ${(bytes / 1_000_000).toFixed(1)} MB`;
  const others = embeddedByOthers > 0 ? `, ${embeddedByOthers} by another model: emend ingest replaces them` : "";
  const held = [
    ["store", `${storeName(settings)}${size}${when}`],
    ["documents", `${all.length}`],
    [
      "passages",
      `${passages}: ${languages.en} English, ${languages.zh} Chinese${languages.other > 0 ? `, ${languages.other} in other languages` : ""}`,
    ],
    ["embedded", `${embedded} of ${passages}${others}`],
    ["graph", `${withCount(triples, "triple")} from ${withCount(sources.length, "source")}`],
    ...(settings.model ? [["model", trial ? usedFor(trial, settings.modelUse) : NOT_TRIED]] : []),
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
  return EXIT.done;
};

const NOT_TRIED = "not tried yet: its first question tries it, or emend doctor";

async function trialOf(model: AnyChat, checkerModel: AnyChat | undefined, database: Database) {
  const chat = openChat(model);
  return trialsIn(database).read(trialKey(chat, checkerModel ? openChat(checkerModel) : chat));
}

/** The settings for people to read: no key, no password. */
export function settingsShown(settings: Settings, encoder: string | undefined) {
  const { model, checkerModel, embeddings, reranker, neo4j, web } = settings;
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
