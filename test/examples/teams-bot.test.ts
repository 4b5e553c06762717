import { createHmac } from "node:crypto";
import { exportJWK, generateKeyPair, importJWK, type JWTHeaderParameters, SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { type TeamsBotOptions, teamsBot } from "../../examples/teams-bot/bot.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import { sqlRuns } from "../../src/tools/runs/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { listening } from "../server/listening.js";
import { LONG_ANSWER, recorder } from "./recorder.js";

// The bot between a Bot Connector that sends and signs what Microsoft's does, and a real emend.

const APP = "7d3f1b52-9c0e-4b7a-8f6d-2a4a5c3e1f00";
const TENANT = "f1c2a3b4-0000-4000-8000-123456789abc";
const TOKEN = "a-token-of-the-company";
const HR = "a-token-of-the-hr-team";
const ASKED = "How many days of paid leave do full-time staff have?";

const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
const stranger = await generateKeyPair("RS256");
const jwk = await exportJWK(publicKey);
/** Stands for Microsoft's login and its Bot Connector. */
const microsoft = await recorder(({ path }) => {
  if (path.endsWith("/openidconfiguration"))
    return {
      issuer: "https://api.botframework.com",
      authorization_endpoint: "https://invalid.botframework.com",
      jwks_uri: `${microsoft.address}/v1/.well-known/keys`,
      id_token_signing_alg_values_supported: ["RS256"],
      token_endpoint_auth_methods_supported: ["private_key_jwt"],
    };
  const key = { ...jwk, use: "sig", x5t: "kid" };
  if (path.endsWith("/keys"))
    return {
      keys: [
        { ...key, kid: "teams", endorsements: ["msteams", "webchat"] },
        { ...key, kid: "facebook", endorsements: ["facebook"] },
      ],
    };
  if (path.endsWith("/token"))
    return { token_type: "Bearer", expires_in: 3599, ext_expires_in: 3599, access_token: "own" };
  return { id: "1:0" };
});
const SERVICE = `${microsoft.address}/emea/`;
const documents = inMemoryDocuments([
  fakePassage("leave", "Full-time staff have 28 days of paid leave.", {
    title: "Leave [and](https://evil.example.org) pay",
    uri: "https://wiki.example.org/leave",
  }),
  fakePassage("gate", "The harbour gate is closed at **eleven** <at>Everybody</at> at night.", { uri: "docs/gate.md" }),
  fakePassage("差旅", "出国差旅由部门负责人审批。", { uri: "https://wiki.example.org/travel" }),
]);
const runs = sqlRuns(openDatabase(":memory:"));
const emend = await listening({ tools: { documents }, tokens: [TOKEN, HR], runs });
const faults: string[] = [];
const options: TeamsBotOptions = {
  appId: APP,
  appPassword: "a secret",
  tenant: TENANT,
  emend: emend.address,
  token: TOKEN,
  channelTokens: { "19:hr@thread.tacv2": HR },
  connectors: [microsoft.address],
  metadata: `${microsoft.address}/v1/.well-known/openidconfiguration`,
  login: microsoft.address,
  onFault: ({ message }) => faults.push(message),
};
const bot = teamsBot(options);
beforeEach(() => {
  microsoft.seen.length = 0;
  faults.length = 0;
});

let count = 0;
/** An activity as Teams sends it in a personal chat. */
const message = (text: string, rest: object = {}) => ({
  text,
  textFormat: "plain",
  attachments: [{ contentType: "text/html", content: `<p>${text}</p>` }],
  type: "message",
  timestamp: "2026-11-29T06:00:00.000Z",
  id: `148598340851${count++}`,
  channelId: "msteams",
  serviceUrl: SERVICE,
  from: { id: "29:1XJKJMvc5GBtc2JwZq0oj8tHZmzrQgmRlWq", name: "Ada", aadObjectId: "0b8a4f2c" },
  conversation: {
    conversationType: "personal",
    tenantId: TENANT,
    id: "a:17I0kl8EkpE1O9PH5TWrzrLNwnWWcfrU7QZjKRSL9aYV",
  },
  recipient: { id: "28:c9e8c047-2a34-40a1-b28a-b162d5f5327c", name: "emend" },
  entities: [{ locale: "en-US", country: "US", platform: "Windows", type: "clientInfo" }],
  channelData: { tenant: { id: TENANT } },
  locale: "en-US",
  ...rest,
});

const CHANNEL = {
  conversation: {
    isGroup: true,
    conversationType: "channel",
    tenantId: TENANT,
    id: "19:all@thread.tacv2;messageid=1481567603816",
  },
  entities: [
    {
      mentioned: { id: "28:c9e8c047-2a34-40a1-b28a-b162d5f5327c", name: "emend" },
      text: "<at>emend</at>",
      type: "mention",
    },
  ],
  channelData: { channel: { id: "19:all@thread.tacv2" }, team: { id: "19:team@thread.tacv2" }, tenant: { id: TENANT } },
};

const token = (
  claims: Record<string, unknown> = {},
  header: Partial<JWTHeaderParameters> = {},
  key: Parameters<SignJWT["sign"]>[0] = privateKey,
) => {
  const now = Math.floor(Date.now() / 1000);
  const usual = { serviceurl: SERVICE, iss: "https://api.botframework.com", aud: APP, nbf: now - 10, exp: now + 3_600 };
  return new SignJWT({ ...usual, ...claims })
    .setProtectedHeader({ alg: "RS256", kid: "teams", typ: "JWT", ...header })
    .sign(key);
};

const send = async (activity: object, bearer?: string, to = bot) =>
  to.request("/api/messages", {
    method: "POST",
    headers: {
      "Content-Type": "application/json; charset=utf-8",
      Authorization: `Bearer ${bearer ?? (await token())}`,
    },
    body: JSON.stringify(activity),
  });

interface Card {
  body: { inlines: { text: string; selectAction?: { url: string } }[] }[];
  actions: { data: object }[];
}
const cardOf = ({ body }: { body: unknown }) =>
  (body as { attachments: { content: Card }[] }).attachments[0]?.content ?? { body: [], actions: [] };
const linesOf = (card: Card) => card.body.map(({ inlines }) => inlines.map(({ text }) => text).join(""));

/** The next reply to an activity, which is behind the sign that the bot is typing. */
async function replied() {
  const [typing, reply] = await microsoft.next("/emea/v3/conversations/", 2);
  if (!typing || !reply) throw new Error("There is no reply.");
  return { typing, reply };
}

describe("a message", () => {
  test("is acknowledged at once, and answered by a card with quotes and links, with the bot's own token", async () => {
    const asked = message(ASKED);
    const acknowledged = await send(asked);
    expect([acknowledged.status, await acknowledged.text()]).toEqual([200, ""]);
    const { typing, reply } = await replied();
    const conversation = `/emea/v3/conversations/${encodeURIComponent(asked.conversation.id)}/activities`;
    expect([typing.path, typing.body]).toEqual([conversation, expect.objectContaining({ type: "typing" })]);
    expect(reply.path).toBe(`${conversation}/${asked.id}`);
    expect(reply.headers.authorization).toBe("Bearer own");
    expect(reply.body).toMatchObject({
      type: "message",
      replyToId: asked.id,
      from: asked.recipient,
      recipient: asked.from,
    });
    const card = cardOf(reply);
    expect(linesOf(card)).toEqual([
      "Full-time staff have 28 days of paid leave [1].",
      "1. Leave [and](https://evil.example.org) pay",
      "“Full-time staff have 28 days of paid leave.”",
    ]);
    const links = card.body.flatMap(({ inlines }) => inlines.flatMap(({ selectAction }) => selectAction?.url ?? []));
    expect(links).toEqual(["https://wiki.example.org/leave", "https://wiki.example.org/leave"]);
  });

  test("in a channel is answered without the mention, and goes on in its thread", async () => {
    await send(message("<at>emend</at> 差旅由谁审批？\n", CHANNEL));
    await replied();
    await send(message("<at>emend</at>&nbsp;那出国呢？", CHANNEL));
    const { reply } = await replied();
    expect(reply.path).toContain(encodeURIComponent("19:all@thread.tacv2;messageid=1481567603816"));
    expect(linesOf(cardOf(reply))[0]).toContain("出国差旅由部门负责人审批");
  });

  test("shows the words of a document as they are, and links no path", async () => {
    await send(message("When is the harbour gate closed?"));
    const { reply } = await replied();
    const card = cardOf(reply);
    expect(linesOf(card).join("\n")).toContain("closed at **eleven** <at>Everybody</at> at night");
    expect(JSON.stringify(card)).not.toMatch(/selectAction|"TextBlock"/);
    expect(reply.body).not.toHaveProperty("entities");
  });

  test("with a very long answer gets a card that Teams takes", async () => {
    const wordy = await recorder(() => LONG_ANSWER);
    await send(message(ASKED), undefined, teamsBot({ ...options, emend: wordy.address }));
    const { reply } = await replied();
    expect(Buffer.byteLength(JSON.stringify(reply.body))).toBeLessThan(28_000);
    expect(linesOf(cardOf(reply))[0]).toMatch(/^• (?:<渡轮> & 😀){100,}.*… \[1\]$/su);
  });

  test.each([
    ["without words", "<at>emend</at>", /^Ask me a question/],
    ["with too many words", "leave ".repeat(4_000), /too long/],
    ["with too many Chinese words", "年假".repeat(11_000), /太长/],
  ])("%s is told what to do", async (_, text, said) => {
    await send(message(text, CHANNEL));
    expect(((await replied()).reply.body as { text: string }).text).toMatch(said);
  });

  test("that is sent again is answered once", async () => {
    const asked = message(ASKED);
    await send(asked);
    await replied();
    expect((await send(asked)).status).toBe(200);
    // Asked last, so a second answer to the other would be there by then.
    const last = message(ASKED, CHANNEL);
    await send(last);
    await expect.poll(() => microsoft.seen.map(({ path }) => path.split("/").at(-1))).toContain(last.id);
    expect(microsoft.seen).toHaveLength(2);
  });

  test("of another kind is acknowledged, and nothing is said", async () => {
    const { text: _, ...update } = message("", { type: "conversationUpdate", membersAdded: [{ id: "28:bot" }] });
    expect((await send(update)).status).toBe(200);
    expect(microsoft.seen.filter(({ path }) => path.includes("/activities"))).toEqual([]);
  });
});

test("a click on a button is the opinion of the answer", async () => {
  await send(message(ASKED, CHANNEL));
  const { data } = cardOf((await replied()).reply).actions[1] ?? {};
  await send({ ...message("", CHANNEL), text: undefined, value: data, replyToId: "1:0" });
  await expect.poll(async () => (await runs.feedback()).opinions).toMatchObject([{ question: ASKED, verdict: "down" }]);
  await send({ ...message("", CHANNEL), value: { emend: "up", question: "Was this ever asked?" } });
  const [{ body } = {}] = await microsoft.next("/emea/v3/conversations/");
  expect((body as { text: string }).text).toContain("could not be looked up");
});

describe("a request", () => {
  const now = Math.floor(Date.now() / 1000);
  const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  const claims = { serviceurl: SERVICE, iss: "https://api.botframework.com", aud: APP, exp: now + 3_600 };
  const none = `${encoded({ alg: "none", kid: "teams" })}.${encoded(claims)}.`;
  const unsigned = `${encoded({ alg: "HS256", kid: "teams" })}.${encoded(claims)}`;
  const withPublic = `${unsigned}.${createHmac("sha256", JSON.stringify(jwk)).update(unsigned).digest("base64url")}`;

  test.each([
    ["without a token", async () => ""],
    ["with the algorithm none", async () => none],
    ["that is signed with the public key as a secret", async () => withPublic],
    ["that another key signed", () => token({}, {}, stranger.privateKey)],
    [
      "of another algorithm",
      async () => token({}, { alg: "RS512" }, await importJWK(await exportJWK(privateKey), "RS512")),
    ],
    ["with an unknown key", () => token({}, { kid: "unknown" })],
    ["with a key of another channel", () => token({}, { kid: "facebook" })],
    ["for another bot", () => token({ aud: "00000000-0000-4000-8000-000000000000" })],
    ["of another issuer", () => token({ iss: "https://sts.windows.net/evil/" })],
    ["that has expired", () => token({ exp: now - 301 })],
    ["that never expires", () => token({ exp: undefined })],
    ["that is not valid yet", () => token({ nbf: now + 400 })],
    ["for another address", () => token({ serviceurl: "https://smba.trafficmanager.net/amer/" })],
    ["without an address", () => token({ serviceurl: undefined })],
  ])("%s is refused", async (_, bearer) => {
    const reply = await send(message(ASKED), await bearer());
    expect(reply.status).toBe(401);
    expect(faults).toHaveLength(1);
  });

  test("that is verified but names another service gets no reply there", async () => {
    const evil = await recorder(() => ({}));
    const serviceUrl = `${evil.address}/emea/`;
    const reply = await send(message(ASKED, { serviceUrl }), await token({ serviceurl: serviceUrl }));
    expect(reply.status).toBe(403);
    expect(evil.seen).toEqual([]);
  });

  test.each([
    ["of another tenant", { channelData: { tenant: { id: "other" } } }],
    ["of no tenant", { channelData: {}, conversation: { id: "a:1" } }],
  ])("%s is refused", async (_, rest) => {
    expect((await send(message(ASKED, rest))).status).toBe(403);
  });

  test.each([
    ["that is no JSON", "{"],
    ["that is null", "null"],
    ["that is empty", ""],
  ])("%s is refused", async (_, body) => {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${await token()}` };
    expect((await bot.request("/api/messages", { method: "POST", headers, body })).status).toBe(401);
  });

  test("that was refused did nothing", () =>
    expect(microsoft.seen.filter(({ path }) => path.includes("/v3/"))).toEqual([]));

  test("with a body of more than a megabyte is refused", async () => {
    expect((await send(message("x".repeat(1_100_000)))).status).toBe(413);
  });
});

test("a token that emend refuses is told to the log alone, and a channel asks with its own", async () => {
  const wrong = teamsBot({ ...options, token: "another-token-of-length" });
  await send(message(ASKED), undefined, wrong);
  expect(((await replied()).reply.body as { text: string }).text).toContain("could not be looked up");
  expect(faults).toEqual([expect.stringContaining("emend replied 401")]);
  const channelData = { ...CHANNEL.channelData, channel: { id: "19:hr@thread.tacv2" } };
  await send(message(ASKED, { ...CHANNEL, channelData }), undefined, wrong);
  expect(linesOf(cardOf((await replied()).reply))[0]).toContain("28 days");
});

test("keys that could not be read are read again for the next message", async () => {
  let isDown = true;
  const flaky = await recorder(() => (isDown ? {} : { jwks_uri: `${microsoft.address}/v1/.well-known/keys` }));
  const bot = teamsBot({ ...options, metadata: flaky.address });
  expect((await send(message(ASKED), undefined, bot)).status).toBe(401);
  isDown = false;
  expect((await send(message(ASKED), undefined, bot)).status).toBe(200);
  await replied();
});
