import "../node-version.js";

import { resolve } from "node:path";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { secureHeaders } from "hono/secure-headers";
import { z } from "zod";
import type { Agent } from "../agent.js";
import { About, CollectionForm, type CollectionSettings, collectionsOf } from "../collections.js";
import { settingsOptions } from "../config.js";
import { toError } from "../errors.js";
import type { Inbox } from "../ingest/uploads/inbox.js";
import { withinTrace } from "../open-telemetry.js";
import { aFunction, anOrigin, check, exactly, type OptionsOf, part } from "../options.js";
import { Context, type ContextInput } from "../state/context.js";
import type { Runs } from "../tools/runs/port.js";
import { A_PRICE } from "../tools/runs/settings.js";
import { openSignIn } from "../tools/sign-in/sign-in.js";
import { aDatabase, type Database } from "../tools/store/port.js";
import { sqlUploads } from "../tools/uploads/sql.js";
import type { Price } from "../types/price.js";
import { unlessAborted } from "../waiting.js";
import { api } from "./api.js";
import { asking, type ClientError } from "./asking.js";
import {
  type Auth,
  authFrom,
  authOptions,
  isForThisMachine,
  isUpload,
  knownOrigin,
  QUESTIONS,
  rateLimit,
  withToken,
} from "./auth.js";
import { collectionsFor } from "./collections.js";
import { documents } from "./documents.js";
import { mcp } from "./mcp.js";
import { meters } from "./metrics.js";
import { openai } from "./openai.js";
import { description } from "./openapi.js";
import { page } from "./page.js";
import { quality } from "./quality.js";
import { openaiError } from "./reply.js";
import { signInRoutes } from "./sign-in.js";
import { withSite } from "./site.js";
import { uploads as uploadsRoutes } from "./uploads.js";
import { widget } from "./widget.js";

export type { CollectionSettings } from "../collections.js";

export { tokenUsers } from "./token-users.js";

/** Where documents that clients send go. */
export interface UploadOptions {
  /** The store that the agent's documents are in. */
  database: Database;
  /** The folder where files wait until they are read. */
  folder: string;
  /** True keeps the files of documents after that, so that citations open them. Default false. */
  keep?: boolean;
  /** False adds nothing to the knowledge graph, such as one that other programs fill. Default true. */
  facts?: boolean;
}

export interface ServerOptions extends Partial<Auth> {
  agent: Agent;
  /**
   * The address at which people reach the server, such as `https://emend.example.org`: links of citations begin with it,
   * and users are led back to it when they sign in. Default: the address that a request is sent to; for a server that is
   * mounted in another, none, and then only web pages have links.
   */
  url?: string;
  /** What the documents are called, which MCP clients are told. Default: "emend". */
  title?: string;
  /** What the documents are about, in a sentence, by which a model that has other tools too decides. Default: none. */
  description?: string;
  /**
   * Named parts of the documents, by their names: up to 40 small letters, digits and hyphens, a letter first. Clients
   * choose among those that they may read. Default: none.
   */
  collections?: Readonly<Record<string, CollectionSettings>>;
  /** The most that a question may spend and search. A client can only narrow it. */
  context?: ContextInput;
  /**
   * The folder that document ids are relative to. With it, the files of documents can be opened, and pages of PDFs and
   * pictures are shown. Default: only their text is shown.
   */
  originals?: string;
  /**
   * The folder where what is read on scanned pages is kept, such as `.emend/scans`. With it, quotes are marked on them.
   * Default: they are not.
   */
  scans?: string;
  /**
   * Origins whose pages may embed the widget, such as `https://www.example.org`. They may not call the API: that is what
   * `origins` is for. Default: none, and then there is no widget.
   */
  widgetOrigins?: readonly string[];
  /**
   * Takes documents from clients that may send some (`uploadTokens`), and reads them in the background from now on, until
   * `drain`. Default: none are taken.
   */
  uploads?: UploadOptions;
  /**
   * A JSON Lines file with questions that `emend eval make` wrote. The page for operators keeps, edits and drops them,
   * unless the server has tokens and none of an operator. Default: the page shows none.
   */
  questions?: string;
  /**
   * The records of runs, and the store of opinions of answers. The records are shown to clients that no scope restricts:
   * to operators alone if there are operators' tokens, and without the questions if there are only others. Default: no
   * records are shown, and opinions are refused.
   */
  runs?: Runs;
  /** What a million tokens cost in US dollars, for the cost on the page for operators. Default: no cost is shown. */
  price?: Price;
  /** Called with every error whose details are withheld from clients. */
  onFault?: (error: Error) => void;
}

/** An emend server: an app to serve, or to mount in another Hono app. */
export interface Server {
  app: Hono;
  /**
   * Reports not ready and refuses POST requests from now on. Waits for the running questions, and stops those that take
   * longer than `patience` milliseconds. Stops reading uploads, which the next server goes on with.
   */
  drain(patience: number): Promise<void>;
}

const Given = exactly({
  agent: part<Agent>("ask", "stream", "toolsFor", "scopeFor", "conversation", "forget"),
  url: settingsOptions.url.optional(),
  title: About.shape.title,
  description: About.shape.description,
  collections: collectionsOf(CollectionForm).optional(),
  context: Context.optional(),
  ...authOptions,
  originals: z.string().optional(),
  scans: z.string().min(1).optional(),
  widgetOrigins: z.array(anOrigin).optional(),
  uploads: exactly({
    database: aDatabase,
    folder: z.string().min(1),
    keep: z.boolean().optional(),
    facts: z.boolean().optional(),
  } satisfies OptionsOf<UploadOptions>).optional(),
  questions: z.string().optional(),
  runs: part<Runs>("find", "get", "totals", "quality", "addFeedback", "feedback").optional(),
  price: A_PRICE.optional(),
  onFault: aFunction.optional(),
} satisfies OptionsOf<ServerOptions>);

/**
 * The HTTP API of an agent: OpenAI's endpoints, questions with checked claims as events, verifying, citing, searching
 * and MCP; and a web page for people. See docs/serve.md. Conversations need an agent with a checkpointer.
 * @throws UsageError for an invalid value or an unknown option.
 */
export function createServer(options: ServerOptions): Server {
  check(Given, options);
  const {
    agent,
    title,
    description: text,
    collections = {},
    context,
    originals,
    scans,
    widgetOrigins = [],
    uploads,
    questions,
    runs,
    price,
    onFault,
    ...given
  } = options;
  const auth = authFrom(given);
  const { operatorTokens, origins, url } = auth;
  const signIn = openSignIn(auth.signIn ?? {}, { url, passes: auth.passes, onFault });
  const qualityFor =
    operatorTokens.length > 0 || auth.signIn ? "operators" : isForThisMachine(auth) ? "all" : "all without questions";
  const meter = meters(agent.tools.encoder);
  const ask = asking(agent, meter, context, onFault);
  const shownTo = collectionsFor(agent, collections);
  const inbox = uploads && inboxOf(agent, uploads, scans, onFault);
  let isDraining = false;

  const app = new Hono();
  // Before what keeps other origins out: it holds no data.
  app.route("/", widget(widgetOrigins));
  app.use(secureHeaders({ referrerPolicy: "no-referrer" }));
  app.use(withSite({ url, isMounted: auth.userIn !== undefined }));
  app.use(knownOrigin(auth));
  if (origins.length > 0) app.use(cors({ origin: [...origins], allowMethods: ["GET", "POST", "DELETE"], maxAge: 600 }));
  // The page needs no token: it holds no data, and asks its user for one.
  app.route("/", page());
  app.route("/", signInRoutes(auth, signIn, onFault));
  // Some proxies would keep a reply, and show it to somebody who may not see what is in it.
  app.use(async (c, next) => {
    await next();
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
  });
  app.use(withToken(auth, signIn, agent.toolsFor, onFault));
  app.use(({ req }, next) =>
    withinTrace({ traceparent: req.header("traceparent"), tracestate: req.header("tracestate") }, next),
  );
  const limited = bodyLimit({
    maxSize: MAX_BODY_BYTES,
    onError: () => {
      throw new HTTPException(413, { message: TOO_LARGE });
    },
  });
  // Files have limits of their own.
  app.use((c, next) => (isUpload(c) ? next() : limited(c, next)));
  // After the body limit, since it reads the body to count the calls in it.
  app.use(rateLimit(auth));
  app.post("*", async (_, next) => {
    if (isDraining) throw new HTTPException(503, { message: STOPPING });
    await next();
  });
  for (const path of QUESTIONS)
    app.post(path, async (c, next) => {
      const seconds = ask.fullFor();
      if (seconds > 0) c.header("Retry-After", `${seconds}`);
      ask.admit();
      await next();
    });
  app.get("/healthz", (c) => c.json({ ok: true }));
  const isSearchable = sharedFor(READY_FOR, async () => {
    const signal = AbortSignal.timeout(MAX_PROBE_TIME);
    try {
      await unlessAborted(agent.tools.documents.search({ text: "ready", mode: "fullText" }, 1, { signal }), signal);
      return true;
    } catch (error) {
      onFault?.(toError(error));
      return false;
    }
  });
  app.get("/readyz", async (c) => {
    if (isDraining) return c.json({ ok: false, reason: STOPPING }, 503);
    if (await isSearchable()) return c.json({ ok: true });
    return c.json({ ok: false, reason: "The documents cannot be searched. The log of the server says why." }, 503);
  });
  app.get("/metrics", async (c) => c.text(await meter.text(), 200, { "Content-Type": meter.contentType }));
  app.get("/openapi.json", (c) => c.json(description()));
  app.route("/api", api(agent, ask, shownTo, runs));
  app.route("/api", documents(agent, { originals, inbox, scans: scans && resolve(scans) }));
  app.route("/api", uploadsRoutes(agent, { inbox, shownTo, hasCollections: Object.keys(collections).length > 0 }));
  app.route("/api", quality(agent, { runs, price, shownTo: qualityFor, questions }));
  app.route("/v1", openai(ask, shownTo));
  app.route("/mcp", mcp(agent, ask, shownTo, { title, description: text }));
  app.notFound((c) => {
    const message = `There is no ${c.req.method} ${c.req.path}.`;
    return c.json(problem(c.req.path, { status: 404, message }), 404);
  });
  app.onError((error, c) => {
    // What fails since the client left, such as reading the rest of its body, is not a fault to log.
    const told = c.req.raw.signal.aborted ? LEFT : ask.told(error);
    return c.json(problem(c.req.path, told), told.status, headersOf(c.res));
  });
  return {
    app,
    async drain(patience) {
      isDraining = true;
      await Promise.all([ask.drain(patience), inbox?.then((it) => it.end())]);
    },
  };
}

/** Opens the inbox, which begins to read what is left in it. Loads the readers of files, without waiting for them. */
async function inboxOf(
  { tools: { documents, knowledge } }: Agent,
  { database, folder, keep = false, facts }: UploadOptions,
  scansFolder: string | undefined,
  onFault: (error: Error) => void = () => {},
): Promise<Inbox> {
  const [{ inbox }, { scansIn }] = await Promise.all([
    import("../ingest/uploads/inbox.js"),
    import("../tools/ocr/read-scan.js"),
  ]);
  const scans = scansFolder === undefined ? undefined : scansIn(resolve(scansFolder));
  const opened = inbox({ uploads: sqlUploads(database), documents, knowledge, facts, folder, keep, scans, onFault });
  opened.begin();
  return opened;
}

/** Does the work one at a time; calls until `ms` milliseconds after its end share its outcome. */
function sharedFor<Outcome>(ms: number, work: () => Promise<Outcome>): () => Promise<Outcome> {
  let outcome: Promise<Outcome>;
  let until = Number.NEGATIVE_INFINITY;
  return () => {
    if (performance.now() > until) {
      until = Number.POSITIVE_INFINITY;
      outcome = work().finally(() => {
        until = performance.now() + ms;
      });
    }
    return outcome;
  };
}

/** Both in milliseconds. Probes come every few seconds and need no token. */
const READY_FOR = 2_000;
const MAX_PROBE_TIME = 10_000;

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const LEFT: ClientError = { status: 503, message: "The client left." };
const STOPPING = "The server is stopping.";
const TOO_LARGE = "The body is larger than 4 MB.";

/** OpenAI's clients read their own form of error. */
const problem = (path: string, told: ClientError) =>
  path.startsWith("/v1/") ? openaiError(told) : { error: told.message };

/** The headers that were set for the error before it was thrown. */
const headersOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => ["retry-after", "www-authenticate"].includes(name)));
