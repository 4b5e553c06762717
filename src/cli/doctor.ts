import { access, constants } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type Settings, variables } from "../config.js";
import { codeOf, toError } from "../errors.js";
import { cutDocument } from "../ingest/chunk.js";
import { openEmbeddings, openReranker, openTools } from "../open.js";
import { nearest } from "../options.js";
import { modelReasoners } from "../prompting/model-reasoners.js";
import { isConclusive, trustFrom, tryModel, withShortReplies } from "../prompting/trial.js";
import { trialInWords, trialKey, trialsIn, usedFor } from "../prompting/trust.js";
import { closeTools } from "../state/tools.js";
import { namedTables } from "../tables/named-tables.js";
import { unpacked } from "../tables/packed.js";
import { saysTooLong } from "../tools/chat/chat-refusal.js";
import { openChat } from "../tools/chat/open-chat.js";
import { RefusedError } from "../tools/chat/port.js";
import { openEncoder } from "../tools/encoder/onnx.js";
import { NO_RUNTIME } from "../tools/encoder/runtime.js";
import type { ModelSettings } from "../tools/endpoint/endpoint.js";
import { neo4jConnection } from "../tools/neo4j/connection.js";
import { countKeys } from "../tools/sign-in/jwt.js";
import { CALLBACK, openProvider } from "../tools/sign-in/provider.js";
import { openDatabase } from "../tools/store/open.js";
import type { Database } from "../tools/store/port.js";
import { isDatabase, storeName } from "../tools/store/settings.js";
import { queryTables, tablesCanBeQueried } from "../tools/tables/query.js";
import type { SourceDocument } from "../types/evidence.js";
import { settingsOf } from "./open.js";
import { progress } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { columns, escapedJson, oneLine, screen, withCount } from "./screen.js";

/** The result for one part. */
interface Finding {
  part: string;
  state: "ok" | "wrong" | "not set";
  /** What works; or the fault and what to do about it. */
  said: string;
}

/** `emend doctor`: tries every part that the settings name. */
export const doctorCommand: CommandRun = async (_words, options, signal) => {
  const findings: Finding[] = [
    { part: "Node.js", state: "ok", said: process.versions.node },
    ...misspeltVariables(variables()),
    ...(await tried(signal, () => settingsOf(options))),
  ];
  const answers = findings.some(({ part, state }) => part === "model" && state === "ok");
  if (answers) {
    const trial = await modelFinding(settingsOf(options), signal);
    findings.push(trial);
    if (trial.state === "ok") findings.push(await contextFinding(settingsOf(options), signal));
  }
  const isWrong = findings.some(({ state }) => state === "wrong");
  if (options.json) process.stdout.write(`${escapedJson({ findings })}\n`);
  else {
    const { paint } = screen(process.stdout);
    const lines = columns(findings.map(({ state, part, said }) => [state, part, oneLine(said)]));
    const painted = lines.map((line) => line.replace(/^wrong/, (mark) => paint("red", mark)));
    process.stdout.write(`${painted.join("\n")}\n`);
  }
  return isWrong ? EXIT.fault : EXIT.done;
};

/** Tries the model anew on all labelled rows, keeps the result in the store, and says what the model is used for. */
async function modelFinding({ model, checkerModel, modelUse, store }: Settings, signal: AbortSignal): Promise<Finding> {
  using line = progress();
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TRIAL_TIMEOUT)]);
  const chat = openChat(model as ModelSettings);
  const checkerChat = checkerModel ? openChat(checkerModel) : chat;
  const reasoners = modelReasoners({ chat: withShortReplies(chat), checkerChat: withShortReplies(checkerChat) });
  const onRow = (done: number, all: number) => line.say(`Trying the model: ${done} of ${all}`);
  const trial = await tryModel(reasoners, limit, { onRow, untilFailed: false }).catch(() => undefined);
  signal.throwIfAborted();
  const part = "model: trial";
  if (!trial || !isConclusive(trial))
    return { part, state: "wrong", said: trial?.failed || `Not done within ${TRIAL_TIMEOUT / 1000} seconds.` };
  const database = openDatabase(store);
  // A store that cannot be written is a finding of its own.
  await trialsIn(database)
    .write(trialKey(chat, checkerChat), trial)
    .catch(() => undefined)
    .finally(() => database.close());
  const isUsed = modelUse === "all" || modelUse === "answers" || trustFrom(trial).answers;
  return { part, state: isUsed ? "ok" : "wrong", said: `${trialInWords(trial)}. ${usedFor(trial, modelUse)}` };
}

/** Milliseconds for all rows together: a model on a processor alone may take 20 minutes. */
const TRIAL_TIMEOUT = 1_800_000;

/**
 * Sends as many words as the longest prompts have tokens. Each is one token at least, so a model that reports fewer has
 * not read all of them: some servers cut a request without a word.
 */
async function contextFinding({ model }: Settings, signal: AbortSignal): Promise<Finding> {
  const part = "model: context";
  const remedy = "Give it a longer context: see docs/local-models.md.";
  return finding(
    part,
    signal,
    async (limit) => {
      const content = `${"data ".repeat(LONG_PROMPT)}\nReply with the word ok.`;
      const request = {
        messages: [{ role: "user", content }],
        format: "prompt",
        schema: {},
        schemaName: "reply",
      } as const;
      const { usage } = await openChat(model as ModelSettings)
        .send({ ...request, maxTokens: 50, signal: limit })
        .catch((error: unknown) => {
          if (!(error instanceof RefusedError) || !saysTooLong(error)) throw error;
          throw new Error(`It refuses ${LONG_PROMPT} tokens, so it is given fewer sources. ${remedy}`);
        });
      if (usage.inputTokens < LONG_PROMPT)
        throw new Error(
          `It read ${usage.inputTokens} of ${LONG_PROMPT} tokens, and what it was sent first is lost. ${remedy}`,
        );
      return `reads ${LONG_PROMPT} tokens at once`;
    },
    CONTEXT_TIMEOUT,
  );
}

/** The longest prompts that were measured have so many tokens, see docs/local-models.md. */
const LONG_PROMPT = 8000;
/** Milliseconds. */
const CONTEXT_TIMEOUT = 300_000;

/** Returns a finding for each variable that is set and not known. Those of emend's own tests are left alone. */
export function misspeltVariables({ set, known }: ReturnType<typeof variables>): Finding[] {
  return set
    .filter((name) => !known.includes(name) && !name.startsWith("EMEND_TEST_"))
    .map((name) => {
      const near = nearest(name, known);
      const ours = known.filter((other) => other.startsWith("EMEND_")).join(", ");
      const remedy = near ? `Did you mean ${near}?` : `The known names are ${ours}.`;
      return { part: name, state: "wrong", said: `No setting has this name, so it is ignored. ${remedy}` };
    });
}

/** Tries all parts side by side. Settings that cannot be read leave nothing to try. */
async function tried(signal: AbortSignal, read: () => Settings): Promise<Finding[]> {
  let settings: Settings;
  try {
    settings = read();
  } catch (error) {
    return [{ part: "settings", state: "wrong", said: toError(error).message }];
  }
  const { model, checkerModel, embeddings, reranker, neo4j, signIn, url = "" } = settings;
  // The encoder is tried by itself, so that a broken one does not hide the rest.
  const database = openDatabase(settings.store);
  const tools = openTools({ ...settings, encoder: "off" }, { database });
  const { webSearch } = tools;
  const attempt = (part: string, isSet: unknown, work: (limit: AbortSignal) => Promise<string>) =>
    isSet ? finding(part, signal, work) : { part, state: "not set" as const, said: "" };
  const asks = (given: Settings["model"]) => async (limit: AbortSignal) => {
    const chat = openChat(given as ModelSettings);
    const messages = [{ role: "user" as const, content: "Reply with the word ok." }];
    await chat.send({ messages, format: "prompt", schema: {}, schemaName: "reply", signal: limit });
    return `${chat.name} answers`;
  };
  try {
    return await Promise.all([
      { part: "settings", state: "ok", said: "all are well-formed" },
      finding("store", signal, (limit) => tryStore(settings, tools, database, limit), STORE_TIMEOUT),
      tablesFinding(signal),
      attempt("encoder", settings.encoder !== "off", (limit) => tryEncoder(settings, limit)),
      attempt("model", model, asks(model)),
      attempt("checker model", checkerModel, asks(checkerModel)),
      attempt("embeddings", embeddings, async (limit) => {
        const opened = embeddings && openEmbeddings(embeddings);
        const [vector] = (await opened?.embed(["ok"], { as: "question", signal: limit })) ?? [];
        return `${opened?.identity} answers with vectors of ${vector?.length} numbers`;
      }),
      attempt("reranker", reranker, async (limit) => {
        const opened = reranker && openReranker(reranker);
        await opened?.rank("Does it work?", ["It works."], { signal: limit });
        return `${opened?.identity} answers with scores`;
      }),
      attempt("Neo4j", neo4j, async (limit) => {
        if (!neo4j) return "";
        const connection = neo4jConnection(neo4j);
        await connection.read("RETURN 1", {}, { signal: limit }).finally(() => connection.close());
        return `${connection.name} answers`;
      }),
      attempt("sign-in: provider", signIn?.oidc, async () => {
        if (!signIn?.oidc) return "";
        const { issuer } = await openProvider(signIn.oidc, url).about();
        return `${issuer} answers; it has to know the redirect ${url}${CALLBACK}`;
      }),
      attempt("sign-in: keys", signIn?.jwt?.jwksUrl, async () => {
        const { jwksUrl = "" } = signIn?.jwt ?? {};
        return `${jwksUrl} answers with ${withCount(await countKeys(jwksUrl), "key")}`;
      }),
      attempt("web search", webSearch, async (limit) => {
        const query = { text: "weather", language: "en", region: "", recency: "any" } as const;
        const found = await webSearch?.search(query, 1, { signal: limit });
        return found?.length ? "the search engine answers" : "the search engine answers, with no result for “weather”";
      }),
    ]);
  } finally {
    await closeTools(tools);
  }
}

async function finding(
  part: string,
  signal: AbortSignal,
  work: (limit: AbortSignal) => Promise<string>,
  patience = TIMEOUT,
): Promise<Finding> {
  const limit = AbortSignal.timeout(patience);
  try {
    return { part, state: "ok", said: await work(AbortSignal.any([signal, limit])) };
  } catch (error) {
    signal.throwIfAborted();
    const late = `No answer within ${patience / 1000} seconds. Is it overloaded, or still loading its model? Try again.`;
    return { part, state: "wrong", said: limit.aborted ? late : toError(error).message };
  }
}

/** Milliseconds for each part. */
const TIMEOUT = 15_000;
/** Milliseconds for reading the whole store. */
const STORE_TIMEOUT = 600_000;

/**
 * Checks the store for damage, reads documents and graph, and checks whether its folder, or the folder that it would be
 * made in, can be written.
 */
async function tryStore(
  settings: Settings,
  { documents, knowledge }: ReturnType<typeof openTools>,
  database: Database,
  signal: AbortSignal,
): Promise<string> {
  const store = storeName(settings);
  const faults = await database.check();
  if (faults.length > 0)
    throw new Error(
      `${store} is damaged: ${faults.slice(0, 3).join("; ")}. Put a backup in its place (emend backup makes one), or delete it and ingest the documents again.`,
    );
  const [isEmpty, described, damaged = []] = await Promise.all([
    documents.isEmpty(),
    documents.describe?.(),
    documents.damaged?.({ signal }),
    // A graph in Neo4j is a part of its own.
    settings.neo4j ? undefined : knowledge?.schema(),
  ]);
  if (damaged.length > 0)
    throw new Error(
      `${store} is damaged in ${withCount(damaged.length, "document")}: ${damaged.slice(0, 3).join(", ")}. Answers leave out what is damaged. Take each document out (emend remove) and ingest it again, and check the disk.`,
    );
  const isFolder = !isDatabase(settings.store);
  if (isFolder) await mayWrite(resolve(settings.store));
  const { languages: { en, zh, other } = { en: 0, zh: 0, other: 0 }, tables = 0 } = described ?? {};
  return isEmpty
    ? `${store} is empty: emend ingest <folder>`
    : `${store} can be read${isFolder ? " and written" : ""}, and is whole: ${en + zh + other} passages${tables === 0 ? "" : ` and ${withCount(tables, "table")}`}`;
}

/** Counts the rows of a small table as a question would. An older Node is no fault: nothing else needs a newer one. */
async function tablesFinding(signal: AbortSignal): Promise<Finding> {
  const why = tablesCanBeQueried();
  if (why !== "") return { part: "tables", state: "not set", said: why };
  return finding("tables", signal, async (limit) => {
    const named = namedTables(cutDocument(TRIED).tables.flatMap((table) => unpacked(table) ?? []));
    await queryTables(`SELECT count(*) FROM "${named[0]?.name}"`, named, { signal: limit });
    return "can be queried";
  });
}

const TRIED: SourceDocument = {
  ...{ documentId: "tried", uri: "", title: "tried", reviewedAt: "", hash: "", format: "markdown" },
  text: "| name | number |\n| --- | --- |\n| one | 1 |\n| two | 2 |",
};

async function mayWrite(folder: string): Promise<void> {
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOENT" && dirname(folder) !== folder) return mayWrite(dirname(folder));
    throw new Error(
      `${folder} cannot be written (${code}). Check its permissions, or name another folder with --store or EMEND_STORE.`,
    );
  }
}

/** @throws if the encoder does not load. */
async function tryEncoder(settings: Settings, signal: AbortSignal): Promise<string> {
  const encoder = openEncoder(settings);
  try {
    if (!encoder) throw new Error(NO_RUNTIME);
    await encoder.judge([{ text: "Does it work?", passage: "It works." }], { signal });
    return `${encoder.identity} loads and judges`;
  } finally {
    await encoder?.close();
  }
}
