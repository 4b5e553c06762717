import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

test.each([
  ["slack-bot", /Set SLACK_SIGNING_SECRET and SLACK_BOT_TOKEN\./],
  ["teams-bot", /Set TEAMS_APP_ID, TEAMS_APP_PASSWORD and TEAMS_TENANT\./],
])("%s runs without a build, and says which settings it lacks", async (name, says) => {
  const env = { PATH: process.env.PATH };
  const started = promisify(execFile)(process.execPath, [`examples/${name}/main.ts`], { env });
  await expect(started).rejects.toMatchObject({ stderr: expect.stringMatching(says) });
});
