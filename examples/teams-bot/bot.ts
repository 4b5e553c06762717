import { createHmac } from "node:crypto";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createRemoteJWKSet, jwtVerify } from "jose";

export interface TeamsBotOptions {
  /** The bot's app id, and a client secret of it. */
  appId: string;
  appPassword: string;
  /** The id of the only tenant whose people may ask. */
  tenant: string;
  /** The address of `emend serve`. */
  emend: string;
  /** The token for emend: what it shows is shown to whoever asks in Teams. */
  token?: string;
  /** Tokens for single channels, by their ids (`19:…`), in place of `token`. */
  channelTokens?: Readonly<Record<string, string>>;
  /** The origins of Bot Connectors that the bot replies to. Default: that of Teams. */
  connectors?: readonly string[];
  /** Where the keys of the Bot Connector are found. Default: Microsoft's. */
  metadata?: string;
  /** Where the bot gets its own token. Default: Microsoft's. */
  login?: string;
  onFault?: (error: Error) => void;
}

/** Answers messages in Teams by emend. The Bot Connector sends them to `/api/messages`. */
export function teamsBot({
  appId,
  appPassword,
  tenant,
  emend,
  token = "",
  channelTokens = {},
  connectors = ["https://smba.trafficmanager.net"],
  metadata = "https://login.botframework.com/v1/.well-known/openidconfiguration",
  login = "https://login.microsoftonline.com",
  onFault = () => {},
}: TeamsBotOptions): Hono {
  /** The activities that were taken. The Bot Connector sends one again if it hears nothing. */
  const taken = new Set<string>();
  let keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined;
  let own = { token: "", until: 0 };

  function isNew(id: string): boolean {
    if (taken.has(id)) return false;
    taken.add(id);
    if (taken.size > MAX_TAKEN) taken.delete(taken.values().next().value ?? "");
    return true;
  }

  /** @throws unless the Bot Connector signed this for this bot, for the channel and the address in the activity. */
  async function verify(authorization: string, { channelId, serviceUrl }: Activity): Promise<void> {
    keys ??= keysOf(metadata).catch((error) => {
      keys = undefined;
      throw error;
    });
    const known = await keys;
    const { payload, protectedHeader } = await jwtVerify(/^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? "", known, {
      issuer: "https://api.botframework.com",
      audience: appId,
      algorithms: ["RS256"],
      clockTolerance: 300,
      requiredClaims: ["exp"],
    });
    const key = known.jwks()?.keys.find(({ kid }) => kid === protectedHeader.kid) as Endorsed | undefined;
    if (channelId !== "msteams" || !key?.endorsements?.includes(channelId)) throw new Error("The key is not for Teams.");
    if ((payload.serviceurl ?? payload.serviceUrl) !== serviceUrl) throw new Error("The token is for another address.");
  }

  /** The conversation of a chat, or of a thread in a channel. Its id cannot be guessed. */
  function conversationOf({ conversation }: Activity): string {
    const hex = createHmac("sha256", appPassword).update(conversation.id).digest("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
  }

  function askEmend(path: string, { channelData }: Activity, body: object): Promise<Response> {
    const bearer = channelTokens[channelData?.channel?.id ?? ""] ?? token;
    return fetch(new URL(path, emend), {
      method: "POST",
      headers: { "Content-Type": "application/json", ...(bearer && { Authorization: `Bearer ${bearer}` }) },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(MAX_WAIT),
    });
  }

  async function answerTo(question: string, activity: Activity): Promise<Message> {
    const words = wordsFor(question);
    if (question === "") return plain(words.empty);
    if (question.length > MAX_QUESTION) return plain(words.long);
    try {
      const reply = await askEmend("api/ask", activity, { question, threadId: conversationOf(activity) });
      // 503 brings an answer too, which says what could not be reached.
      const answer = (await reply.json()) as Answer;
      if (!answer.segments) throw new Error(`emend replied ${reply.status}: ${JSON.stringify(answer).slice(0, 300)}`);
      return messageOf(answer, question);
    } catch (error) {
      onFault(error as Error);
      return plain(words.failed);
    }
  }

  /** The bot's own token, which is used until five minutes before its end. */
  async function ownToken(): Promise<string> {
    if (Date.now() < own.until) return own.token;
    const reply = await fetch(`${login}/${tenant}/oauth2/v2.0/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: appId,
        client_secret: appPassword,
        scope: "https://api.botframework.com/.default",
      }),
      signal: AbortSignal.timeout(MAX_POST),
    });
    const { access_token, expires_in = 0 } = (await reply.json()) as { access_token?: string; expires_in?: number };
    if (!access_token) throw new Error(`The bot got no token of its own: ${reply.status}`);
    own = { token: access_token, until: Date.now() + (expires_in - 300) * 1000 };
    return access_token;
  }

  /** Replies to an activity, or below its conversation. */
  async function post({ serviceUrl, id, conversation, recipient, from }: Activity, message: object, isReply = true) {
    const path = ["v3", "conversations", conversation.id, "activities", ...(isReply ? [id] : [])];
    const reply = await fetch(`${serviceUrl.replace(/\/$/, "")}/${path.map(encodeURIComponent).join("/")}`, {
      method: "POST",
      redirect: "error",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${await ownToken()}` },
      body: JSON.stringify({ conversation, from: recipient, recipient: from, replyToId: id, ...message }),
      signal: AbortSignal.timeout(MAX_POST),
    });
    if (!reply.ok) throw new Error(`The Bot Connector refused a reply: ${reply.status}`);
  }

  async function onMessage(activity: Activity): Promise<void> {
    const { emend: verdict, question } = activity.value ?? {};
    if (verdict === "up" || verdict === "down") {
      const opinion = { threadId: conversationOf(activity), question, verdict };
      const kept = await askEmend("api/feedback", activity, opinion);
      // Teams itself tells the user that a click was heard.
      if (!kept.ok) await post(activity, plain(wordsFor(`${question}`).failed));
      return;
    }
    await post(activity, { type: "typing" }, false).catch(onFault);
    await post(activity, await answerTo(questionIn(activity), activity));
  }

  return new Hono().post("/api/messages", bodyLimit({ maxSize: MAX_BODY }), async (c) => {
    const activity = (await c.req.json().catch(() => ({}))) as Activity;
    try {
      await verify(c.req.header("authorization") ?? "", activity);
    } catch (error) {
      onFault(error as Error);
      return c.text("The token is not valid.", 401);
    }
    // Only what is verified is read from here on, and the bot's token goes to no other host all the same.
    const { type, id, serviceUrl, conversation, channelData } = activity;
    if (!connectors.includes(URL.parse(serviceUrl)?.origin ?? "")) return c.text("The service is not known.", 403);
    if ((channelData?.tenant?.id ?? conversation?.tenantId) !== tenant) return c.text("The tenant is not known.", 403);
    // The Bot Connector waits for 15 seconds, so the work goes on behind the reply.
    if (type === "message" && isNew(`${conversation.id}/${id}`)) void onMessage(activity).catch(onFault);
    return c.body(null);
  });
}

/** The keys that sign what the Bot Connector sends. They are read again when an unknown one is used. */
async function keysOf(metadata: string) {
  const reply = await fetch(metadata, { signal: AbortSignal.timeout(MAX_POST) });
  const { jwks_uri = "" } = (await reply.json()) as { jwks_uri?: string };
  return createRemoteJWKSet(new URL(jwks_uri));
}

/** In milliseconds; in bytes; in characters. */
const MAX_WAIT = 180_000;
const MAX_POST = 15_000;
const MAX_BODY = 1_000_000;
const MAX_QUESTION = 20_000;
const MAX_TAKEN = 10_000;

/** A key of the Bot Connector, with the channels that it is for. */
interface Endorsed {
  endorsements?: string[];
}

/** What the bot reads of an activity. */
interface Activity {
  type: string;
  id: string;
  channelId: string;
  serviceUrl: string;
  conversation: { id: string; tenantId?: string };
  from: { id: string };
  recipient: { id: string };
  text?: string;
  entities?: { type: string; text?: string; mentioned?: { id: string } }[];
  /** What a button sends. */
  value?: { emend?: unknown; question?: unknown };
  channelData?: { tenant?: { id: string }; channel?: { id: string } };
}

/** What the bot reads of emend's answers. */
interface Answer {
  status: string;
  segments?: { kind: string; pieces: { text: string; reference?: number }[] }[];
  claims: { citations: { reference: number; quote: string }[] }[];
  references: { number: number; title: string; uri: string; section: string }[];
}

type Message = Record<string, unknown>;

const plain = (text: string): Message => ({ type: "message", text, textFormat: "plain" });

/** The words of a message, without the mention of the bot. */
function questionIn({ text = "", entities = [], recipient }: Activity): string {
  const mentions = entities.filter(({ type, mentioned }) => type === "mention" && mentioned?.id === recipient.id);
  return mentions
    .reduce((left, mention) => left.replaceAll(mention.text ?? "", " "), text)
    .replace(/&(lt|gt|amp|nbsp);/g, (_, name: "lt" | "gt" | "amp" | "nbsp") => ({ lt: "<", gt: ">", amp: "&", nbsp: " " })[name])
    .replace(/\s+/g, " ")
    .trim();
}

/** An answer as a card. Its runs of text are shown as they are: nothing in a document is read as Markdown or HTML. */
function messageOf({ segments = [], claims, references, status }: Answer, question: string): Message {
  const links = new Map(references.map(({ number, uri }) => [number, addressOf(uri)]));
  let step = 0;
  const body: object[] = segments.map(({ kind, pieces }) => {
    step = kind === "step" ? step + 1 : 0;
    const mark = kind === "bullet" ? "• " : kind === "step" ? `${step}. ` : "";
    return line([run(mark), ...pieces.map(({ text, reference = 0 }) => run(text, links.get(reference)))]);
  });
  for (const { number, title, section, uri } of references) {
    const quotes = claims.flatMap(({ citations }) => citations.filter(({ reference }) => reference === number));
    const place = [title || uri, section !== title && section].filter(Boolean).join(" › ");
    body.push(line([run(`${number}. `), run(place, links.get(number))], { separator: number === 1 }));
    const shown = [...new Set(quotes.map(({ quote }) => quote))].slice(0, MAX_QUOTES);
    for (const quote of shown) body.push(line([{ ...run(`“${cut(quote, MAX_QUOTE)}”`), isSubtle: true }], { spacing: "None" }));
  }
  while (Buffer.byteLength(JSON.stringify(body)) > MAX_CARD) body.pop();
  const isJudged = status !== "needs_clarification" && claims.length > 0 && question.length <= MAX_VALUE;
  const button = (verdict: "up" | "down", title: string) => ({ type: "Action.Submit", title, data: { emend: verdict, question } });
  return {
    type: "message",
    summary: cut(segments.flatMap(({ pieces }) => pieces.map(({ text }) => text)).join(""), MAX_QUOTE),
    attachments: [
      {
        contentType: "application/vnd.microsoft.card.adaptive",
        content: {
          $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
          type: "AdaptiveCard",
          version: "1.5",
          msteams: { width: "Full" },
          body,
          actions: isJudged ? [button("up", "👍"), button("down", "👎")] : [],
        },
      },
    ],
  };
}

const line = (inlines: object[], look: object = {}) => ({ type: "RichTextBlock", inlines, ...look });

const run = (text: string, url?: string) => ({
  type: "TextRun",
  text: cut(text, MAX_RUN),
  ...(url && { selectAction: { type: "Action.OpenUrl", url } }),
});

/** The address of a web page; undefined for a path, and for anything else that Teams should not open. */
function addressOf(uri: string): string | undefined {
  const url = URL.parse(uri);
  return url && /^https?:$/.test(url.protocol) ? url.href : undefined;
}

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;

/** In characters; in bytes, of which Teams takes 28 KB in all; a number. */
const MAX_RUN = 4_000;
const MAX_QUOTE = 300;
const MAX_VALUE = 2_000;
const MAX_CARD = 20_000;
const MAX_QUOTES = 3;

const EN = {
  empty: "Ask me a question, such as “How many days of leave do we have?”",
  long: "This is too long for a question. Ask in fewer words.",
  failed: "This could not be looked up just now. Please try again later.",
};

const ZH: typeof EN = {
  empty: "请向我提问，例如“我们有几天年假？”",
  long: "问题太长了，请缩短后再问。",
  failed: "现在无法查找，请稍后再试。",
};

const wordsFor = (question: string) => (/\p{Script=Han}/u.test(question) ? ZH : EN);
