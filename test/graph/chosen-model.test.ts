import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FakeListChatModel } from "@langchain/core/utils/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import type { Settings } from "../../src/config.js";
import type { ContextInput } from "../../src/state/context.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import { ANSWER, CHECKS } from "../prompting/replies.js";
import { fakeServer, refuses, saysJson } from "../tools/chat/fake-server.js";

const QUESTION = "How many days of annual leave do employees of Harbor get?";
const { documents } = fakeTools({
  passages: [fakePassage("leave", "Employees of Harbor get 25 days of annual leave. Unused days expire on 31 March.")],
});

let replyCache: string;
beforeAll(async () => {
  replyCache = await mkdtemp(join(tmpdir(), "emend-chosen-"));
});
afterAll(() => rm(replyCache, { recursive: true, force: true }));

// In other words than its source's, so that it is checked.
const DRAFT = { claims: [{ ...ANSWER.claims[0], text: "People who work at Harbor may take 25 days off." }] };

/** An endpoint that serves every model except "nowhere". */
const endpoint = () =>
  fakeServer((request, response) => {
    const { name = "" } = request.response_format?.json_schema ?? {};
    const reply = name === "check" ? CHECKS : DRAFT;
    return request.model === "nowhere"
      ? refuses(404, "no such model")(request, response)
      : saysJson(reply)(request, response);
  });

async function asked(settings: Partial<Settings>, model?: string, more: ContextInput = {}) {
  const agent = createAgent({ ...settings, encoder: "off", tools: { documents } });
  const events = await Array.fromAsync(agent.stream(QUESTION, { context: { ...more, ...(model && { model }) } }));
  await agent.close();
  const faults = events.flatMap((event) =>
    event.type === "decision" ? event.decision.faults.map(({ message }) => message) : [],
  );
  const [answer] = events.flatMap((event) => (event.type === "answer" ? event.answer : []));
  return { text: answer?.text, calls: answer?.spend.calls, faults: faults.join("\n") };
}

test("prompts in the context of a run are sent to the model", async () => {
  await using server = await endpoint();
  const prompts = { system: "You advise employees of Harbor.", answer: "Answer in rhyme" };
  await asked({ model: { model: "usual", baseURL: server.baseURL } }, undefined, { prompts });
  const told = server.requests.map(({ messages }) => JSON.stringify(messages));
  expect(told.length).toBeGreaterThan(0);
  expect(told.every((text) => text.includes(prompts.system))).toBe(true);
  expect(told.some((text) => text.includes(`${prompts.answer}\\nAfter each sentence`))).toBe(true);
});

describe("the model named in the context of a run", () => {
  test("is asked at the configured endpoint, and a separate checker model stays in use", async () => {
    await using server = await endpoint();
    const { baseURL } = server;
    const models = () => server.requests.splice(0).map(({ model }) => model);
    await asked({ model: { model: "usual", baseURL } }, "other");
    expect(new Set(models())).toEqual(new Set(["other"]));
    await asked({ model: { model: "usual", baseURL } }, " ");
    expect(new Set(models())).toEqual(new Set(["usual"]));
    await asked({ model: { model: "usual", baseURL }, checkerModel: { model: "small", baseURL } }, "other");
    expect(models()).toEqual(["other", "small"]);
  });

  test("has its own cached replies", async () => {
    await using server = await endpoint();
    const settings = { model: { model: "usual", baseURL: server.baseURL }, replyCache };
    await asked(settings, "other");
    const sent = server.requests.length;
    expect((await readdir(replyCache)).length).toBe(sent);
    await asked(settings, "other");
    expect(server.requests.length).toBe(sent);
    await asked(settings);
    expect(server.requests.length).toBe(2 * sent);
  });

  test("is replaced by the local parts if the endpoint refuses it, and the log says why", async () => {
    await using server = await endpoint();
    const { text, faults, calls } = await asked({ model: { model: "usual", baseURL: server.baseURL } }, "nowhere");
    expect(text).toContain("25 days of annual leave");
    expect(faults).toMatch(/nowhere at http.* is not found \(404\)\. Check the model's name/);
    expect(calls).toBe(server.requests.length);
  });

  test("cannot be chosen if the agent has a LangChain model", async () => {
    const { text, faults } = await asked({ model: new FakeListChatModel({ responses: ["{}"] }) }, "other");
    expect(text).toContain("25 days of annual leave");
    expect(faults).toContain("Leave context.model empty");
  });
});
