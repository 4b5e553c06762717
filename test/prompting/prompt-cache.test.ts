import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { ENGLISH, meter } from "../../src/testing/reasoners-sample.js";
import { openaiChat } from "../../src/tools/chat/chat-openai.js";
import { openChat } from "../../src/tools/chat/open-chat.js";
import { fakeServer, refuses, saysJson } from "../tools/chat/fake-server.js";
import { ANSWER, CHECKING, CHECKS } from "./replies.js";

let cache: string;
beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), "emend-replies-"));
});
afterEach(async () => {
  await rm(cache, { recursive: true, force: true });
});

const asking = (baseURL: string, model = "fake") =>
  modelReasoners({ chat: openChat(openaiChat({ model, baseURL, apiKey: "sk-secret" }), { cache }) });

test("a repeated request is sent once, and its usage counts each time", async () => {
  await using server = await fakeServer(saysJson(CHECKS));
  const [first, second] = [meter(), meter()];
  const judged = await asking(server.baseURL).checker.check(CHECKING, first.call);
  expect(await asking(server.baseURL).checker.check(CHECKING, second.call)).toEqual(judged);
  expect(server.requests.length).toBe(1);
  expect(second.spent).toEqual(first.spent);
  expect(second.spent[0]?.inputTokens).toBe(1000);
});

test("a cached draft emits its claims too", async () => {
  await using server = await fakeServer(saysJson(ANSWER));
  const told: string[] = [];
  const drafting = { ...ENGLISH, intent: "other" as const };
  await asking(server.baseURL).generator.generate(drafting, meter().call);
  await asking(server.baseURL).generator.generate(drafting, meter().call, (claim) => told.push(claim.text));
  expect(server.requests.length).toBe(1);
  expect(told).toEqual(ANSWER.claims.map((claim) => claim.text));
});

test("another model or another question is not served from the cache", async () => {
  await using server = await fakeServer(saysJson(CHECKS));
  await asking(server.baseURL).checker.check(CHECKING, meter().call);
  await asking(server.baseURL, "other").checker.check(CHECKING, meter().call);
  await asking(server.baseURL).checker.check({ ...CHECKING, question: "Why Harbor?" }, meter().call);
  expect(server.requests.length).toBe(3);
});

test("failures are not cached, and a broken file is a miss", async () => {
  await using server = await fakeServer(refuses(500, "no"), saysJson(CHECKS));
  await expect(asking(server.baseURL).checker.check(CHECKING, meter().call)).rejects.toThrow();
  expect(await readdir(cache)).toEqual([]);
  await asking(server.baseURL).checker.check(CHECKING, meter().call);
  const [file] = await readdir(cache);
  await writeFile(join(cache, file ?? ""), '{"text": "half');
  await asking(server.baseURL).checker.check(CHECKING, meter().call);
  expect(server.requests.length).toBe(3);
  expect(await readdir(cache)).toEqual([file]);
});

test("an unwritable cache folder does not stop the run", async () => {
  await using server = await fakeServer(saysJson(CHECKS));
  const file = join(cache, "a-file");
  await writeFile(file, "");
  const { checker } = modelReasoners({
    chat: openChat(openaiChat({ model: "fake", baseURL: server.baseURL }), { cache: file }),
  });
  expect(await checker.check(CHECKING, meter().call)).toHaveLength(2);
});
