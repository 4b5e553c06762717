import { createHmac, timingSafeEqual } from "node:crypto";
import { Hono } from "hono";
import { bodyLimit } from "hono/body-limit";

export interface SlackBotOptions {
  /** "Signing Secret" of the Slack app. */
  signingSecret: string;
  /** "Bot User OAuth Token" of the Slack app, `xoxb-…`. */
  botToken: string;
  /** The address of `emend serve`. */
  emend: string;
  /** The token for emend: what it shows is shown to whoever asks in Slack. */
  token?: string;
  /** Tokens for single channels, by their ids, in place of `token`. */
  channelTokens?: Readonly<Record<string, string>>;
  /** Default: Slack's API. */
  slack?: string;
  /** The origin of Slack's response addresses. Default: Slack's. */
  hooks?: string;
  onFault?: (error: Error) => void;
}

/** Answers mentions, direct messages and a slash command by emend. All of Slack's requests go to `/slack`. */
export function slackBot({
  signingSecret,
  botToken,
  emend,
  token = "",
  channelTokens = {},
  slack = "https://slack.com/api",
  hooks = "https://hooks.slack.com",
  onFault = () => {},
}: SlackBotOptions): Hono {
  /** The events, commands and clicks that were taken. Slack sends an event up to four times. */
  const taken = new Set<string>();

  function isNew(id: string): boolean {
    if (taken.has(id)) return false;
    taken.add(id);
    if (taken.size > MAX_TAKEN) taken.delete(taken.values().next().value ?? "");
    return true;
  }

  const isSigned = (body: Buffer, time: string, signature: string): boolean => {
    if (!/^\d{1,12}$/.test(time) || Math.abs(Date.now() / 1000 - Number(time)) > MAX_AGE) return false;
    const expected = Buffer.from(`v0=${createHmac("sha256", signingSecret).update(`v0:${time}:`).update(body).digest("hex")}`);
    const given = Buffer.from(signature);
    return given.length === expected.length && timingSafeEqual(given, expected);
  };

  /** The conversation of a thread. Its id cannot be guessed, since whoever has the token could read it. */
  function conversationOf(...thread: string[]): string {
    const hex = createHmac("sha256", signingSecret).update(thread.join("/")).digest("hex");
    return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join("-");
  }

  const askEmend = (path: string, channel: string, body: object) =>
    fetch(new URL(path, emend), {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        ...((channelTokens[channel] ?? token) && { Authorization: `Bearer ${channelTokens[channel] ?? token}` }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(MAX_WAIT),
    });

  async function answerTo(question: string, channel: string, threadId: string): Promise<Message> {
    const words = wordsFor(question);
    if (question === "") return plain(words.empty);
    if (question.length > MAX_QUESTION) return plain(words.long);
    try {
      const reply = await askEmend("api/ask", channel, { question, threadId });
      // 503 brings an answer too, which says what could not be reached.
      const answer = (await reply.json()) as Answer;
      if (!answer.segments) throw new Error(`emend replied ${reply.status}: ${JSON.stringify(answer).slice(0, 300)}`);
      return messageOf(answer, question, threadId);
    } catch (error) {
      onFault(error as Error);
      return plain(words.failed);
    }
  }

  async function post(path: string, body: object): Promise<void> {
    const reply = await fetch(`${slack}/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json; charset=utf-8", Authorization: `Bearer ${botToken}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(MAX_POST),
    });
    const said = (await reply.json()) as { ok?: boolean; error?: string };
    if (!said.ok) throw new Error(`Slack refused ${path}: ${said.error ?? reply.status}`);
  }

  /** Replies where a command was typed or a button clicked, to that user alone. */
  async function reply(address: string, message: Message): Promise<void> {
    if (URL.parse(address)?.origin !== hooks) throw new Error("A response address is not Slack's.");
    const sent = await fetch(address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ response_type: "ephemeral", replace_original: false, ...message }),
      signal: AbortSignal.timeout(MAX_POST),
    });
    if (!sent.ok) throw new Error(`Slack refused a response: ${sent.status}`);
  }

  /** Answers a mention in a channel, or a direct message, in its thread. */
  async function onEvent({ team_id, event, is_ext_shared_channel }: EventBody): Promise<void> {
    const { type, channel_type, channel, user, bot_id, subtype, text = "", ts, thread_ts = ts } = event;
    const isAsked = type === "app_mention" || (type === "message" && channel_type === "im");
    if (!isAsked || !user || bot_id || subtype) return;
    const question = questionIn(text);
    // People of another company are there. What they may see has to be decided for the channel.
    const isRefused = is_ext_shared_channel && !channelTokens[channel];
    const message = isRefused
      ? plain(wordsFor(question).shared)
      : await answerTo(question, channel, conversationOf(team_id, channel, thread_ts));
    await post("chat.postMessage", { channel, thread_ts, parse: "none", unfurl_links: false, unfurl_media: false, ...message });
  }

  async function onCommand(form: URLSearchParams): Promise<void> {
    const field = (name: string) => form.get(name) ?? "";
    const thread = conversationOf(field("team_id"), field("trigger_id"));
    await reply(field("response_url"), await answerTo(questionIn(field("text")), field("channel_id"), thread));
  }

  /** Passes on an opinion. */
  async function onClick({ actions: [action], channel, response_url }: Clicked): Promise<void> {
    if (!action?.value || !/^(?:up|down)$/.test(action.action_id)) return;
    const { question, threadId } = JSON.parse(action.value) as { question: string; threadId: string };
    const kept = await askEmend("api/feedback", channel?.id ?? "", { threadId, question, verdict: action.action_id });
    if (!kept.ok) onFault(new Error(`emend replied ${kept.status} to an opinion.`));
    await reply(response_url, plain(kept.ok ? wordsFor(question).thanks : wordsFor(question).failed));
  }

  /** Slack waits for three seconds, so the work goes on behind the reply. */
  const later = (work: Promise<void>) => void work.catch(onFault);

  return new Hono().post("/slack", bodyLimit({ maxSize: MAX_BODY }), async (c) => {
    const bytes = Buffer.from(await c.req.arrayBuffer());
    const header = (name: string) => c.req.header(name) ?? "";
    if (!isSigned(bytes, header("x-slack-request-timestamp"), header("x-slack-signature"))) return c.text("Not signed.", 401);
    if (header("content-type").startsWith("application/json")) {
      const body = JSON.parse(bytes.toString()) as EventBody;
      if (body.type === "url_verification") return c.json({ challenge: body.challenge });
      if (body.type === "event_callback" && isNew(body.event_id)) later(onEvent(body));
      return c.body(null);
    }
    const form = new URLSearchParams(bytes.toString());
    const payload = form.get("payload");
    if (payload !== null) {
      const clicked = JSON.parse(payload) as Clicked;
      if (clicked.type === "block_actions" && isNew(clicked.trigger_id)) later(onClick(clicked));
      return c.body(null);
    }
    if (form.has("command") && isNew(form.get("trigger_id") ?? "")) later(onCommand(form));
    return c.json({ response_type: "ephemeral", text: wordsFor(form.get("text") ?? "").looking });
  });
}

/** In seconds, as Slack advises; in milliseconds; in bytes; in characters. */
const MAX_AGE = 300;
const MAX_WAIT = 180_000;
const MAX_POST = 15_000;
const MAX_BODY = 1_000_000;
const MAX_QUESTION = 20_000;
const MAX_TAKEN = 10_000;

interface EventBody {
  type: string;
  challenge?: string;
  team_id: string;
  event_id: string;
  is_ext_shared_channel?: boolean;
  event: {
    type: string;
    channel_type?: string;
    channel: string;
    user?: string;
    bot_id?: string;
    subtype?: string;
    text?: string;
    ts: string;
    thread_ts?: string;
  };
}

interface Clicked {
  type: string;
  trigger_id: string;
  response_url: string;
  channel?: { id: string };
  actions: { action_id: string; value?: string }[];
}

/** What the bot reads of emend's answers. */
interface Answer {
  status: string;
  segments?: { kind: string; pieces: { text: string; reference?: number }[] }[];
  claims: { citations: { reference: number; quote: string }[] }[];
  references: { number: number; title: string; uri: string; section: string }[];
}

interface Message {
  text: string;
  blocks?: object[];
}

const plain = (text: string): Message => ({ text });

/** The words of a message, without mentions; links and channels by their names. */
export const questionIn = (text: string): string =>
  text
    .replace(/<[@!][^>]*>/g, " ")
    .replace(/<(?:[^|>]*\|)?([^>]*)>/g, "$1")
    .replace(/&(lt|gt|amp);/g, (_, name: "lt" | "gt" | "amp") => ({ lt: "<", gt: ">", amp: "&" })[name])
    .replace(/\s+/g, " ")
    .trim();

/** An answer in blocks, with its sources below it, and buttons for an opinion. */
function messageOf(answer: Answer, question: string, threadId: string): Message {
  const { segments = [], claims, references, status } = answer;
  const links = new Map(references.map(({ number, uri }) => [number, addressOf(uri)]));
  let step = 0;
  const lines = segments.map(({ kind, pieces }) => {
    step = kind === "step" ? step + 1 : 0;
    const mark = kind === "bullet" ? "• " : kind === "step" ? `${step}. ` : "";
    return mark + pieces.map(({ text, reference = 0 }) => linked(text, links.get(reference))).join("");
  });
  const sources = references.flatMap(({ number, title, section, uri }) => {
    const quotes = claims.flatMap(({ citations }) => citations.filter(({ reference }) => reference === number));
    const place = [title || uri, section !== title && section].filter(Boolean).join(" › ");
    const shown = [...new Set(quotes.map(({ quote }) => quote))].slice(0, MAX_QUOTES);
    return [`*${number}.* ${linked(place, links.get(number))}`, ...shown.map((quote) => `> ${escaped(inLine(quote))}`)];
  });
  const value = JSON.stringify({ question, threadId });
  const isJudged = status !== "needs_clarification" && claims.length > 0 && value.length <= MAX_VALUE;
  const blocks = [...sections(lines), ...sections(sources), ...(isJudged ? [opinion(value)] : [])];
  return { text: cut(lines.join("\n"), MAX_SECTION), blocks };
}

/** `<`, `>` and `&` are all that can begin a link or a mention, such as `<!channel>`. */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Text as a link. The space before a marker stays outside. */
function linked(text: string, address: string | undefined): string {
  if (!address) return escaped(text);
  const words = escaped(inLine(text)).replaceAll("|", "¦");
  return `${/^\s*/.exec(text)?.[0] ?? ""}<${address}|${words}>`;
}

const inLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, MAX_LINE).toWellFormed();

/** The address of a web page; undefined for a path, and for anything else that Slack should not link. */
function addressOf(uri: string): string | undefined {
  const url = URL.parse(uri);
  return url && /^https?:$/.test(url.protocol) ? escaped(url.href).replaceAll("|", "%7C") : undefined;
}

/** Lines as blocks, which Slack limits in length and number. `verbatim` keeps `@channel` and addresses plain text. */
function sections(lines: readonly string[]): object[] {
  const texts: string[] = [];
  for (const line of lines.map((line) => cut(line, MAX_SECTION))) {
    const last = texts.at(-1);
    if (last !== undefined && last.length + 1 + line.length <= MAX_SECTION) texts[texts.length - 1] = `${last}\n${line}`;
    else texts.push(line);
  }
  return texts.slice(0, MAX_SECTIONS).map((text) => ({ type: "section", text: { type: "mrkdwn", text, verbatim: true } }));
}

/** Shortens mrkdwn, but not within a link, an entity or a letter. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).replace(/(?:<[^>]*|&[^;]*|[\ud800-\udbff])$/, "")}…`;

const opinion = (value: string) => ({
  type: "actions",
  elements: [
    { type: "button", action_id: "up", value, text: { type: "plain_text", text: "👍", emoji: true } },
    { type: "button", action_id: "down", value, text: { type: "plain_text", text: "👎", emoji: true } },
  ],
});

/** In characters, all but the numbers of blocks and quotes. */
const MAX_SECTION = 3_000;
const MAX_VALUE = 2_000;
const MAX_LINE = 300;
const MAX_SECTIONS = 20;
const MAX_QUOTES = 3;

const EN = {
  looking: "Looking it up …",
  empty: "Ask me a question, such as “How many days of leave do we have?”",
  long: "This is too long for a question. Ask in fewer words.",
  failed: "This could not be looked up just now. Please try again later.",
  shared: "This channel is shared with another company, so I answer only once somebody decides what it may see.",
  thanks: "Thanks! Your opinion is saved with the answer.",
};

const ZH: typeof EN = {
  looking: "正在查找……",
  empty: "请向我提问，例如“我们有几天年假？”",
  long: "问题太长了，请缩短后再问。",
  failed: "现在无法查找，请稍后再试。",
  shared: "此频道与其他公司共享。须先决定它可以看到什么，我才能在此回答。",
  thanks: "谢谢！你的意见已与答案一起保存。",
};

const wordsFor = (question: string) => (/\p{Script=Han}/u.test(question) ? ZH : EN);
