import { serve } from "@hono/node-server";
import { teamsBot } from "./bot.ts";

const { TEAMS_APP_ID, TEAMS_APP_PASSWORD, TEAMS_TENANT, EMEND_URL, EMEND_TOKEN, EMEND_CHANNEL_TOKENS, PORT } = process.env;
if (!TEAMS_APP_ID || !TEAMS_APP_PASSWORD || !TEAMS_TENANT)
  throw new Error("Set TEAMS_APP_ID, TEAMS_APP_PASSWORD and TEAMS_TENANT.");

const app = teamsBot({
  appId: TEAMS_APP_ID,
  appPassword: TEAMS_APP_PASSWORD,
  tenant: TEAMS_TENANT,
  emend: EMEND_URL ?? "http://127.0.0.1:8787",
  token: EMEND_TOKEN ?? "",
  channelTokens: JSON.parse(EMEND_CHANNEL_TOKENS ?? "{}"),
  onFault: ({ message }) => console.error(message),
});
serve({ fetch: app.fetch, port: Number(PORT ?? 3978) }, ({ port }) => console.log(`The bot listens on port ${port}.`));
