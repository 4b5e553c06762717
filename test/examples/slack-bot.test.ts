import { createHmac } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { questionIn, type SlackBotOptions, slackBot } from "../../examples/slack-bot/bot.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { listening } from "../server/listening.js";
import { LONG_ANSWER, recorder } from "./recorder.js";

// The bot between a Slack that sends what Slack sends, and a real emend.

const SECRET = "8f742231b10e8888abcd99yyyzzz85a5";
const TOKEN = "a-token-of-the-company";
const HR = "a-token-of-the-hr-team";
const ASKED = "How many days of paid leave do full-time staff have?";

const documents = inMemoryDocuments([
  fakePassage("leave", "Full-time staff have 28 days of paid leave.", {
    title: "Leave & <!channel> pay",
    uri: "https://wiki.example.org/leave|now?a=1&b=2",
  }),
  fakePassage("gate", "The harbour gate is closed at <!here> eleven & <@U0HOSTILE> at night @channel.", {
    uri: "docs/gate.md",
  }),
  fakePassage("差旅", "出国差旅由部门负责人审批。", { uri: "https://wiki.example.org/差旅" }),
]);
const runs = sqlRuns(openDatabase(":memory:"));
const emend = await listening({ tools: { documents }, tokens: [TOKEN, HR], runs });
const slack = await recorder(() => ({ ok: true }));
const faults: string[] = [];
const options: SlackBotOptions = {
  signingSecret: SECRET,
  botToken: "xoxb-1",
  emend: emend.address,
  token: TOKEN,
  channelTokens: { C0HR: HR },
  slack: `${slack.address}/api`,
  hooks: slack.address,
  onFault: ({ message }) => faults.push(message),
};
const bot = slackBot(options);
beforeEach(() => {
  slack.seen.length = 0;
  faults.length = 0;
});

const now = () => `${Math.floor(Date.now() / 1000)}`;
const signed = (body: string, time: string, secret = SECRET) =>
  `v0=${createHmac("sha256", secret).update(`v0:${time}:${body}`).digest("hex")}`;

/** Sends the bot a request as Slack does. */
const send = (body: object | URLSearchParams, headers: Record<string, string> = {}, to = bot) => {
  const text = body instanceof URLSearchParams ? `${body}` : JSON.stringify(body);
  const time = headers["X-Slack-Request-Timestamp"] ?? now();
  return to.request("/slack", {
    method: "POST",
    headers: {
      "Content-Type": body instanceof URLSearchParams ? "application/x-www-form-urlencoded" : "application/json",
      "X-Slack-Request-Timestamp": time,
      "X-Slack-Signature": signed(text, time),
      ...headers,
    },
    body: text,
  });
};

let count = 0;
/** An event as Slack sends it. */
const event = (rest: object, outer: object = {}) => ({
  token: "XXYYZZ",
  team_id: "T0TEAM",
  api_app_id: "A0APP",
  event: {
    type: "app_mention",
    user: "U0ADA",
    text: `<@U0BOT> ${ASKED}`,
    ts: `1515449522.${count}`,
    channel: "C0ALL",
    event_ts: "1515449522000016",
    ...rest,
  },
  type: "event_callback",
  event_id: `Ev${count++}`,
  event_time: 1515449522,
  authed_users: ["U0BOT"],
  ...outer,
});

const command = (text: string, rest: Record<string, string> = {}) =>
  new URLSearchParams({
    token: "XXYYZZ",
    team_id: "T0TEAM",
    team_domain: "example",
    channel_id: "C0ALL",
    channel_name: "general",
    user_id: "U0ADA",
    user_name: "ada",
    command: "/ask",
    text,
    api_app_id: "A0APP",
    response_url: `${slack.address}/commands/T0TEAM/1/x`,
    trigger_id: `13345224609.${count++}`,
    ...rest,
  });

/** The texts of the blocks of a message. */
const textsOf = (message: unknown) =>
  (message as { blocks: { text?: { text: string } }[] }).blocks.flatMap(({ text }) => text?.text ?? []);

describe("a mention", () => {
  test("is acknowledged at once, and answered in its thread with quotes and links", async () => {
    const asked = event({ ts: "1515449522.000016" });
    const reply = await send(asked);
    expect([reply.status, await reply.text()]).toEqual([200, ""]);
    const [{ body, headers } = {}] = await slack.next("/api/chat.postMessage");
    expect(headers?.authorization).toBe("Bearer xoxb-1");
    expect(body).toMatchObject({ channel: "C0ALL", thread_ts: "1515449522.000016", unfurl_links: false });
    const link = "https://wiki.example.org/leave%7Cnow?a=1&amp;b=2";
    expect(textsOf(body)).toEqual([
      `Full-time staff have 28 days of paid leave <${link}|[1]>.`,
      `*1.* <${link}|Leave &amp; &lt;!channel&gt; pay>\n> Full-time staff have 28 days of paid leave.`,
    ]);
  });

  test("mentions nobody by the words of a document, and links no path", async () => {
    await send(event({ text: "<@U0BOT> When is the harbour gate closed?" }));
    const [{ body } = {}] = await slack.next("/api/chat.postMessage");
    const texts = textsOf(body);
    expect(texts.join("\n")).toContain("closed at &lt;!here&gt; eleven &amp; &lt;@U0HOSTILE&gt; at night @channel");
    expect(JSON.stringify(body)).not.toMatch(/<[!@#]/);
    expect(texts.at(-1)).toMatch(/^\*1\.\* gate\n/);
    expect((body as { blocks: object[] }).blocks[0]).toMatchObject({ text: { verbatim: true } });
  });

  test("in the thread of an answer is a follow-up", async () => {
    const thread = { thread_ts: "1600000000.000001", channel: "C0FOLLOW" };
    await send(event({ ...thread, text: "<@U0BOT> 差旅由谁审批？" }));
    await slack.next("/api/chat.postMessage");
    await send(event({ ...thread, text: "<@U0BOT> 那出国呢？" }));
    const [{ body } = {}] = await slack.next("/api/chat.postMessage");
    expect(body).toMatchObject({ thread_ts: "1600000000.000001" });
    expect(textsOf(body)[0]).toContain("出国差旅由部门负责人审批");
  });

  test("that nothing answers is refused in its language", async () => {
    await send(event({ text: "<@U0BOT> 谁画了西斯廷教堂的天顶？" }));
    const [{ body } = {}] = await slack.next("/api/chat.postMessage");
    expect(textsOf(body)[0]).toMatch(/^未找到|没有/);
  });

  test.each([
    ["without words", "<@U0BOT>", /^Ask me a question/],
    ["with too many words", `<@U0BOT> ${"leave ".repeat(4_000)}`, /too long/],
    ["with too many Chinese words", `<@U0BOT> ${"年假".repeat(11_000)}`, /太长/],
  ])("%s is told what to do", async (_, text, said) => {
    await send(event({ text }));
    const [{ body } = {}] = await slack.next("/api/chat.postMessage");
    expect((body as { text: string }).text).toMatch(said);
  });

  test("in a channel of two companies is refused, unless the channel has a token of its own", async () => {
    await send(event({}, { is_ext_shared_channel: true }));
    const [{ body } = {}] = await slack.next("/api/chat.postMessage");
    expect((body as { text: string }).text).toContain("shared with another company");
    await send(event({ channel: "C0HR" }, { is_ext_shared_channel: true }));
    expect(textsOf((await slack.next("/api/chat.postMessage"))[0]?.body)[0]).toContain("28 days");
  });
});

test("a direct message is answered, and messages of bots, edits and other channels are not", async () => {
  const direct = { type: "message", channel_type: "im", channel: "D0ADA", text: ASKED };
  await send(event({ ...direct, bot_id: "B0BOT" }));
  await send(event({ ...direct, subtype: "message_changed" }));
  await send(event({ ...direct, channel_type: "channel" }));
  await send(event(direct));
  const [first, ...rest] = await slack.next("/api/chat.postMessage");
  expect(first?.body).toMatchObject({ channel: "D0ADA" });
  expect(rest).toEqual([]);
});

test("a slash command is answered to the user alone", async () => {
  const reply = await send(command("出国差旅由谁审批？"));
  expect(await reply.json()).toEqual({ response_type: "ephemeral", text: "正在查找……" });
  const [{ body } = {}] = await slack.next("/commands/T0TEAM/1/x");
  expect(body).toMatchObject({ response_type: "ephemeral" });
  expect(textsOf(body)[0]).toContain("出国差旅由部门负责人审批");
});

test("a response address that is not Slack's gets nothing", async () => {
  const other = await recorder(() => ({}));
  await send(command(ASKED, { response_url: `${other.address}/commands` }));
  await expect.poll(() => faults).toEqual(["A response address is not Slack's."]);
  expect(other.seen).toEqual([]);
});

test("a click on a button is the opinion of the answer", async () => {
  await send(event({ thread_ts: "1700000000.000001" }));
  const [{ body } = {}] = await slack.next("/api/chat.postMessage");
  const { elements } = (body as { blocks: { elements: { value: string }[] }[] }).blocks.at(-1) ?? {};
  const click = {
    type: "block_actions",
    user: { id: "U0ADA", username: "ada", team_id: "T0TEAM" },
    api_app_id: "A0APP",
    container: { type: "message", message_ts: "1548261231.000200", channel_id: "C0ALL", is_ephemeral: false },
    trigger_id: "12321423423.333649436676.d8c1bb837935619ccad0f624c448ffb3",
    team: { id: "T0TEAM", domain: "example" },
    channel: { id: "C0ALL", name: "general" },
    response_url: `${slack.address}/actions/T0TEAM/1/x`,
    actions: [{ type: "button", block_id: "=qXel", action_id: "down", value: elements?.[1]?.value, action_ts: "1.2" }],
  };
  await send(new URLSearchParams({ payload: JSON.stringify(click) }));
  const [{ body: thanks } = {}] = await slack.next("/actions/");
  expect(thanks).toMatchObject({ response_type: "ephemeral", text: expect.stringContaining("Thanks!") });
  expect((await runs.feedback()).opinions).toMatchObject([{ question: ASKED, verdict: "down", status: "answered" }]);
});

describe("a request", () => {
  test("to prove the address is answered with its challenge", async () => {
    const reply = await send({
      token: "XXYYZZ",
      challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
      type: "url_verification",
    });
    expect(await reply.json()).toEqual({ challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P" });
  });

  const old = `${Number(now()) - 301}`;
  const body = JSON.stringify(event({}));
  test.each([
    ["without a signature", { "X-Slack-Signature": "" }],
    ["with another secret", { "X-Slack-Signature": signed(body, now(), "another") }],
    ["with the signature of another body", { "X-Slack-Signature": signed("{}", now()) }],
    ["of another version", { "X-Slack-Signature": signed(body, now()).replace("v0=", "v1=") }],
    ["in letters that are no hexadecimal ones", { "X-Slack-Signature": `v0=${"é".repeat(64)}` }],
    ["of more than five minutes ago", { "X-Slack-Request-Timestamp": old }],
    ["of the future", { "X-Slack-Request-Timestamp": `${Number(now()) + 400}` }],
    ["without a time", { "X-Slack-Request-Timestamp": "" }],
    ["with a time that is no number", { "X-Slack-Request-Timestamp": "NaN" }],
  ])("%s is refused", async (_, headers) => {
    const reply = await send(event({}), headers);
    expect(reply.status).toBe(401);
  });

  test("that was refused did nothing", () => expect(slack.seen).toEqual([]));

  test("that Slack tries again, or that somebody replays, is answered once", async () => {
    const asked = event({});
    const typed = command(ASKED);
    await send(asked);
    await send(typed);
    await expect.poll(() => slack.seen.length).toBe(2);
    expect((await send(asked, { "X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout" })).status).toBe(200);
    await send(typed);
    // Asked last, so a second answer to the others would be there by then.
    await send(event({ channel: "C0LAST" }));
    await expect.poll(() => JSON.stringify(slack.seen)).toContain("C0LAST");
    expect(slack.seen).toHaveLength(3);
  });

  test("with a body of more than a megabyte is refused", async () => {
    expect((await send(event({ text: "x".repeat(1_100_000) }))).status).toBe(413);
  });
});

test("a very long answer is shortened to blocks that Slack takes, but not within a link or a letter", async () => {
  const wordy = await recorder(() => LONG_ANSWER);
  await send(event({}), {}, slackBot({ ...options, emend: wordy.address }));
  const [{ body: posted } = {}] = await slack.next("/api/chat.postMessage");
  const { blocks, text } = posted as { blocks: object[]; text: string };
  expect(blocks.length).toBeLessThanOrEqual(50);
  for (const one of [text, ...textsOf(posted)]) {
    expect(one.length).toBeLessThanOrEqual(3_000);
    expect(one.isWellFormed()).toBe(true);
    expect(one.replace(/<https:[^<>|]*\|[^<>|]*>/g, "").replace(/&(?:lt|gt|amp);/g, "")).not.toMatch(/[<>&]\S|</);
  }
});

test("a token that emend refuses is told to the log alone", async () => {
  await send(event({}), {}, slackBot({ ...options, token: "another-token-of-length" }));
  const [{ body } = {}] = await slack.next("/api/chat.postMessage");
  expect((body as { text: string }).text).toBe("This could not be looked up just now. Please try again later.");
  expect(faults).toEqual([expect.stringContaining("emend replied 401")]);
});

test.each([
  ["<@U0BOT> who may see <#C0HR|hr>?", "who may see hr?"],
  ["<!here> is <https://example.org/a?b=1&amp;c=2|this page> &lt;b&gt; right?", "is this page <b> right?"],
  ["&amp;lt;", "&lt;"],
  ["<https://example.org/x>", "https://example.org/x"],
])("the question in %j is %j", (text, question) => expect(questionIn(text)).toBe(question));
