import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { EndpointError } from "../../src/errors.js";
import { trialKey, trialsIn, trustIn } from "../../src/prompting/trust.js";
import { fakePassage } from "../../src/testing/index.js";
import { meter } from "../../src/testing/reasoners-sample.js";
import type { Chat } from "../../src/tools/chat/port.js";
import type { ModelUse } from "../../src/tools/chat/settings.js";
import { sqlDocuments } from "../../src/tools/documents/sql.js";
import { openDatabase } from "../../src/tools/store/open.js";
import type { Database } from "../../src/tools/store/port.js";
import { type Skill, trialModel } from "../trial-model.js";

async function storeWithDocuments() {
  const database = openDatabase(":memory:");
  await sqlDocuments(database).upsert([fakePassage("a", "Text.")]);
  return database;
}

const trusting = (chat: Chat, database: Database, use?: ModelUse) =>
  trustIn({ chat, checkerChat: chat }, { database, use });

const ALL = { answers: true, checks: true };
const NOTHING = { answers: false, checks: false };

describe("a model that nobody has tried", () => {
  test("is tried once, however many questions ask at the same time, and spends no calls of a run", async () => {
    const { chat, asked } = trialModel();
    const trust = trusting(chat, await storeWithDocuments());
    const { call, spent, faults } = meter();
    expect(await Promise.all([trust(call), trust(call)])).toEqual([ALL, ALL]);
    const { requests } = asked;
    expect(await trust(call)).toEqual(ALL);
    expect(asked.requests).toBe(requests);
    expect({ spent, faults }).toEqual({ spent: [], faults: [] });
  });

  test("has its result in the store, for the next program", async () => {
    const { chat, asked } = trialModel({ judges: () => "supported" });
    const database = await storeWithDocuments();
    await trusting(chat, database)(meter().call);
    const { requests } = asked;
    expect(await trialsIn(database).read(trialKey(chat, chat))).toMatchObject({ checks: { right: 8, all: 16 } });
    expect(await trusting(chat, database)(meter().call)).toEqual({ answers: true, checks: false });
    expect(asked.requests).toBe(requests);
  });

  test("makes no store, if there is none", async () => {
    const database = openDatabase(join(tmpdir(), "emend-no-store", crypto.randomUUID()));
    expect(await trusting(trialModel().chat, database)(meter().call)).toEqual(ALL);
    expect(await database.exists()).toBe(false);
  });

  test("that fails is reported once, with its result", async () => {
    const trust = trusting(trialModel({ refuses: false }).chat, await storeWithDocuments());
    const { call, faults } = meter();
    for (const _ of "12") expect(await trust(call)).toEqual(NOTHING);
    expect(faults.map(({ name }) => name)).toEqual(["ModelNotTrustedError"]);
    expect(faults[0]?.message).toMatch(/^pupil failed its trial, so answers are quotes: .* 0 of \d+ refused/);
  });
});

describe("a model that cannot be tried", () => {
  const down = (fails: Skill["fails"] = () => new EndpointError("Nobody answers.")) => trialModel({ fails });

  test("is an EndpointError, keeps nothing in the store, and is tried again, but not in the same run", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    let isDown = true;
    const { chat } = down(() => (isDown ? new EndpointError("Nobody answers.") : undefined));
    const database = await storeWithDocuments();
    const trust = trusting(chat, database);
    await expect(trust(meter().call)).rejects.toThrow(new EndpointError("Nobody answers."));
    expect(await trialsIn(database).read(trialKey(chat, chat))).toBeUndefined();
    isDown = false;
    await expect(trust(meter().call)).rejects.toThrow("Nobody answers.");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await trust(meter().call)).toEqual(ALL);
  });

  test("in the time of a question is an EndpointError; the trial goes on, and no other question waits for it", async () => {
    const { chat } = trialModel();
    const answer = Promise.withResolvers<void>();
    const send: Chat["send"] = async (request) => {
      await answer.promise;
      return chat.send(request);
    };
    const trust = trusting({ ...chat, send }, await storeWithDocuments());
    const modelSignal = AbortSignal.abort(new DOMException("The time is up.", "TimeoutError"));
    await expect(trust(meter({ modelSignal }).call)).rejects.toThrow(EndpointError);
    await expect(trust(meter().call)).rejects.toThrow("pupil is still being tried");
    answer.resolve();
    await expect.poll(() => trust(meter().call).catch(() => undefined)).toEqual(ALL);
  });

  test("because the user left rejects with the user's reason", async () => {
    const reason = new Error("the user left");
    const trust = trusting(trialModel().chat, await storeWithDocuments());
    await expect(trust(meter({ signal: AbortSignal.abort(reason) }).call)).rejects.toBe(reason);
  });
});

describe("each model", () => {
  test("has a trial of its own, also one that a run chooses", async () => {
    const [good, weak] = [trialModel(), trialModel({ refuses: false })];
    const chat: Chat = { ...good.chat, withModel: (name) => (name === "weak" ? weak.chat : good.chat) };
    const trust = trusting(chat, await storeWithDocuments());
    expect(await trust(meter().call)).toEqual(ALL);
    expect(await trust({ ...meter().call, model: "weak" })).toEqual(NOTHING);
    expect(await trust({ ...meter().call, model: "other" })).toEqual(ALL);
  });

  test("that checks is tried with claims alone", async () => {
    const [writer, checker] = [trialModel({ judges: () => "supported" }), trialModel({ refuses: false })];
    const database = await storeWithDocuments();
    const trust = trustIn({ chat: writer.chat, checkerChat: checker.chat }, { database });
    expect(await trust(meter().call)).toEqual(ALL);
    expect([writer.asked.requests, checker.asked.requests]).toEqual([24, 4]);
  });

  test("has a key that reveals neither its address nor its name", () => {
    const { chat } = trialModel();
    expect(trialKey({ ...chat, identity: "gpt at http://internal.host" }, chat)).toMatch(/^[0-9a-f]{64}$/);
  });
});

test.each([
  ["all", ALL],
  ["answers", { answers: true, checks: false }],
  ["none", NOTHING],
] as const)("the setting %s is obeyed without a trial", async (use, expected) => {
  const { chat, asked } = trialModel({ refuses: use === "none" });
  expect(await trusting(chat, await storeWithDocuments(), use)(meter().call)).toEqual(expected);
  expect(asked.requests).toBe(0);
});

test("a result in the store that cannot be read is as good as none", async () => {
  const { chat } = trialModel();
  const database = await storeWithDocuments();
  const row = { key: trialKey(chat, chat), result: '{"answers": 7}' };
  await database.write((to) => to.insert("emend.trials", [row]));
  expect(await trusting(chat, database)(meter().call)).toEqual(ALL);
});
