import { serve } from "@hono/node-server";
import { slackBot } from "./bot.ts";

const { SLACK_SIGNING_SECRET, SLACK_BOT_TOKEN, EMEND_URL, EMEND_TOKEN, EMEND_CHANNEL_TOKENS, PORT } = process.env;
if (!SLACK_SIGNING_SECRET || !SLACK_BOT_TOKEN) throw new Error("Set SLACK_SIGNING_SECRET and SLACK_BOT_TOKEN.");

const app = slackBot({
  signingSecret: SLACK_SIGNING_SECRET,
  botToken: SLACK_BOT_TOKEN,
  emend: EMEND_URL ?? "http://127.0.0.1:8787",
  token: EMEND_TOKEN ?? "",
  channelTokens: JSON.parse(EMEND_CHANNEL_TOKENS ?? "{}"),
  onFault: ({ message }) => console.error(message),
});
serve({ fetch: app.fetch, port: Number(PORT ?? 3000) }, ({ port }) => console.log(`The bot listens on port ${port}.`));
