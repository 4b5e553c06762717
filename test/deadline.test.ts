import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createAgent } from "../src/agent.js";
import { modelReasoners } from "../src/prompting/model-reasoners.js";
import { fakePassage, fakeTools } from "../src/testing/index.js";
import { deadline } from "../src/waiting.js";
import { fakeEncoder } from "./encoder.js";
import { fakeReasoners } from "./prompting/fake-reasoners.js";
import { ANSWER, CHECKS } from "./prompting/replies.js";
import { trusting } from "./trusting.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

test("a deadline aborts with a TimeoutError when the time is up", () => {
  const { signal, isOver } = deadline(1000);
  vi.advanceTimersByTime(999);
  expect([signal.aborted, isOver()]).toEqual([false, false]);
  vi.advanceTimersByTime(1);
  expect(isOver()).toBe(true);
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});

test("a deadline aborts with the reason of its parent signal, and does not count as over", () => {
  const caller = new AbortController();
  const { signal, isOver } = deadline(1000, caller.signal);
  caller.abort(new Error("gave up"));
  expect(signal.reason).toMatchObject({ message: "gave up" });
  expect(isOver()).toBe(false);
});

test("a cleared deadline leaves no timer", () => {
  const { clear, signal } = deadline(1000);
  clear();
  expect(vi.getTimerCount()).toBe(0);
  vi.advanceTimersByTime(2000);
  expect(signal.aborted).toBe(false);
});

test.each(["model", "local"])(
  "a run leaves no timer behind and does not use AbortSignal.timeout (%s)",
  async (kind) => {
    const timeout = vi.spyOn(AbortSignal, "timeout");
    const reply = (name: string) => JSON.stringify(name === "check" ? CHECKS : ANSWER);
    const reasoners = modelReasoners({
      chat: {
        name: "scripted",
        identity: "scripted",
        formats: ["schema"],
        timeoutMs: 300_000,
        send: async ({ schemaName }) => ({ text: reply(schemaName), cut: false, usage: NOTHING }),
      },
    });
    const passages = [
      fakePassage("leave", "Employees of Harbor get 25 days of annual leave. Unused days expire on 31 March."),
    ];
    const encoder = fakeEncoder({ judge: () => ({ answerability: 0.9, supported: 0.95 }) });
    const agent = createAgent({
      tools: { ...fakeTools({ passages }), encoder, ...(kind === "model" && trusting(reasoners, fakeReasoners())) },
    });
    expect((await agent.ask("How many days of annual leave do employees of Harbor get?")).status).toBe("answered");
    expect(vi.getTimerCount()).toBe(0);
    expect(timeout).not.toHaveBeenCalled();
    timeout.mockRestore();
  },
);

const NOTHING = { inputTokens: 0, cachedTokens: 0, outputTokens: 0 };
