import { once } from "node:events";
import { existsSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import type { Http2ServerRequest } from "node:http2";
import { type AddressInfo, isIPv4 } from "node:net";
import { serve } from "@hono/node-server";
import type { Settings } from "../config.js";
import { UsageError } from "../errors.js";
import { madeQuestions } from "../evaluate/made.js";
import { createServer } from "../server/app.js";
import { tokensIn } from "../server/auth.js";
import { UPLOAD_TIME } from "../server/multipart.js";
import { sqlPasses } from "../tools/passes/sql.js";
import type { Runs } from "../tools/runs/port.js";
import { sqlRuns } from "../tools/runs/sql.js";
import { DEFAULT_CLAIMS, type SignInSettings } from "../tools/sign-in/settings.js";
import { openDatabase } from "../tools/store/open.js";
import type { Database } from "../tools/store/port.js";
import { storeFolder } from "../tools/store/settings.js";
import { sqlThreads } from "../tools/threads/sql.js";
import { metadataKey } from "../types/metadata.js";
import { openAgent, warnOfFault } from "./ask.js";
import { aboutDocuments } from "./collections.js";
import { folderOfIds, scansFolder, settingsOf } from "./open.js";
import { daysAgo } from "./options.js";
import { warnOfWait } from "./progress.js";
import { type CommandRun, EXIT } from "./run.js";
import { warn } from "./screen.js";

/** `emend serve`: answers over HTTP until it is told to stop. */
export const serveCommand: CommandRun = async (_words, options, signal) => {
  const { host = "127.0.0.1", port = 8787, origin = [], widgetOrigin, review } = options;
  const settings = settingsOf(options);
  const { tokens = [], operatorTokens = [], uploadTokens = [], signIn, url } = settings;
  const database = openDatabase(settings.store, { onWait: warnOfWait });
  const passes = sqlPasses(database);
  const made = await passes.tokens();
  const isOpen = tokensIn(settings).length + made.length === 0 && !signIn;
  if (isOpen && !isLoopback(host))
    throw new UsageError(
      `Others can reach ${host}. Say who may ask: make a token with emend token add, set EMEND_TOKENS, or let users sign in (docs/sign-in.md).`,
    );
  if (review !== undefined)
    await checkReview(review, isOpen || hasOperators(settings) || made.some(({ isOperator }) => isOperator));
  const runs = sqlRuns(database);
  const checkAlerts = await alertCheckHere(settings, runs);
  const threads = sqlThreads(database);
  const canAdd =
    isOpen ||
    hasOperators(settings) ||
    uploadTokens.length > 0 ||
    (signIn?.uploaders ?? []).length > 0 ||
    made.some(({ mayUpload, isOperator }) => mayUpload || isOperator);
  const about = await aboutDocuments(settings);
  const agent = await openAgent(options, { checkpointer: threads, onFault: warnOfFault }, canAdd);
  const { threadDays } = settings;
  const deleteOld = async () => {
    if (threadDays !== undefined) await threads.deleteBefore(daysAgo(threadDays)).catch((error) => warn(error.message));
  };
  const hourly = setInterval(deleteOld, HOUR);
  const watching = setInterval(() => checkAlerts?.().catch(({ message }) => warn(message)), ALERT_INTERVAL);
  let drain = async (_patience: number) => {};
  try {
    await deleteOld();
    const { app, ...rest } = createServer({
      agent,
      ...about,
      tokens,
      operatorTokens,
      uploadTokens,
      ...(url && { url }),
      ...(signIn && { signIn }),
      ...(!isOpen && { passes }),
      origins: origin,
      widgetOrigins: widgetOrigin ?? settings.widgetOrigins ?? [],
      originals: folderOfIds(settings),
      scans: scansFolder(settings),
      uploads: {
        database,
        folder: settings.uploads ?? storeFolder(settings),
        keep: settings.uploads !== undefined,
        // A Neo4j may belong to others.
        facts: !settings.neo4j,
      },
      ...(review !== undefined && { questions: review }),
      runs,
      ...(settings.price && { price: settings.price }),
      onFault: ({ message }) => warn(message),
    });
    drain = rest.drain;
    // Before anybody can know that the server is there.
    const terminated = new AbortController();
    process.once("SIGTERM", () => terminated.abort());
    const server = serve({ fetch: app.fetch, hostname: host, port, serverOptions: HTTP_TIMEOUTS });
    server.on("request", closingIfSlow(BODY_TIME));
    await once(server, "listening").catch((error) => {
      throw inUse(error, port);
    });
    const at = (server.address() as AddressInfo).port;
    const address = `http://${host.includes(":") ? `[${host}]` : host}:${at}`;
    process.stdout.write(`emend listens on ${address}\n`);
    if (await agent.tools.documents.isEmpty()) warn("There are no documents yet. Drop some on the page.");
    else if (signIn && !(await isAnyShared(database, signIn))) warn(NOBODY_SEES);
    if (review !== undefined) process.stdout.write(`Go through the questions at ${address}/#/quality/questions\n`);
    const told = AbortSignal.any([signal, terminated.signal]);
    if (!told.aborted) await once(told, "abort");
    warn("Stopping: running questions are answered, new ones are refused.");
    const closed = new Promise((resolve) => server.close(resolve));
    await drain(MAX_SECONDS_TO_END * 1000);
    if ("closeIdleConnections" in server) server.closeIdleConnections();
    await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 1000))]);
    return EXIT.done;
  } finally {
    clearInterval(hourly);
    clearInterval(watching);
    await drain(0);
    await agent.close();
    await threads.close();
  }
};

/** True if the settings name operators. */
const hasOperators = ({ operatorTokens = [], signIn }: Settings) =>
  operatorTokens.length > 0 || (signIn?.operators ?? []).length > 0;

/** True if some document states one of the keys by which users who sign in see documents. */
async function isAnyShared(database: Database, { claims = DEFAULT_CLAIMS }: SignInSettings): Promise<boolean> {
  if (claims === "all") return true;
  const sql = `SELECT key FROM emend.pairs WHERE ${database.dialect.isOneOf("key", "$1")} LIMIT 1`;
  const [rows = []] = await database.read([{ sql, values: [Object.keys(claims).map(metadataKey)] }]);
  return rows.length > 0;
}

const NOBODY_SEES =
  "No document states who may read it, so those who sign in see none: documents without readers are seen by nobody (docs/sign-in.md).";

/**
 * @param isGuarded true if only operators, or this machine's user, see the questions.
 * @throws UsageError if the file has no questions to go through, or two with the same id, or if others than this
 *   machine's users could do so.
 */
async function checkReview(path: string, isGuarded: boolean) {
  if (!isGuarded)
    throw new UsageError(
      "--review: everyone with a token could change the questions. Set EMEND_OPERATOR_TOKENS to the tokens of those who may.",
    );
  const made = await madeQuestions(path).list();
  if (made.length === 0) throw new UsageError(`--review ${path}: it has no questions that emend eval make wrote.`);
  const seen = new Set<string>();
  const twice = made.find(({ id }) => seen.size === seen.add(id).size);
  if (twice)
    throw new UsageError(`--review ${path}: two questions have the id ${JSON.stringify(twice.id)}. Change one.`);
}

/** Returns the check of the alerts in `emend.json`, if there are any. Its code loads the readers of sources too. */
async function alertCheckHere(settings: Settings, runs: Runs) {
  if (!existsSync("emend.json")) return undefined;
  const [{ readProject }, { alertCheck }] = await Promise.all([import("./project.js"), import("./alerts.js")]);
  const alerts = (await readProject())?.alerts;
  return alerts && alertCheck(settings, runs, alerts);
}

const HOUR = 3_600_000;
const ALERT_INTERVAL = 300_000;

/**
 * Limits how long a client can hold a connection by sending its head or body slowly. Node checks every half second. The
 * time for a request is that of an upload; `closingIfSlow` gives others less.
 */
export const HTTP_TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: UPLOAD_TIME,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 500,
};

/** Milliseconds for a body that brings no files. */
export const BODY_TIME = 30_000;

/** Returns a listener that closes the connection of a request whose body has not arrived after `ms` milliseconds. */
export const closingIfSlow = (ms: number) => (request: IncomingMessage | Http2ServerRequest) => {
  if (request.method === "POST" && request.url?.startsWith("/api/documents")) return;
  const timer = setTimeout(() => request.complete || request.destroy(), ms).unref();
  request.once("close", () => clearTimeout(timer));
};

const MAX_SECONDS_TO_END = 30;

const isLoopback = (host: string) =>
  host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));

const inUse = (error: NodeJS.ErrnoException, port: number) =>
  error.code === "EADDRINUSE" ? new UsageError(`Port ${port} is taken. Choose another one with --port.`) : error;
