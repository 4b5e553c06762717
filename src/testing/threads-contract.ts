import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Tools } from "../state/tools.js";
import type { Threads } from "../tools/threads/port.js";
import { type ContractTest, contractOf, type Promises } from "./contract.js";
import { fakeTools } from "./fakes.js";
import { fakePassage } from "./passage.js";

/** Opens the same store each time: what one instance writes, the others read. */
export type OpenThreads = () => Threads;

/** An empty store, with a first instance of it. */
export interface EmptyThreads {
  open: OpenThreads;
  threads: Threads;
}

/**
 * What every adapter of Threads promises, beside what LangGraph expects of a checkpointer. `newStore` prepares a
 * separate empty store for each test.
 */
export const threadsContract = (newStore: () => Promise<OpenThreads>): ContractTest[] =>
  threadsTests(newStore, PROMISES);

/** Tests of promises, each over a store of its own. */
export const threadsTests = (newStore: () => Promise<OpenThreads>, promises: Promises<EmptyThreads>): ContractTest[] =>
  contractOf(promises, async (promise) => {
    const store = await newStore();
    const opened: Threads[] = [];
    const open = () => {
      const one = store();
      opened.push(one);
      return one;
    };
    try {
      await promise({ open, threads: open() });
    } finally {
      for (const one of opened) await one.close();
    }
  });

export const QUESTION = "How many days of paid leave do staff have?";
const CHINESE = "员工有多少天带薪假？";
export const DAYS = "Staff have 28 days of paid leave.";
export const TAGE = "员工有28天带薪假。";

export const at = (thread: string) => ({ configurable: { thread_id: thread } });
export const texts = (messages: readonly { text: string }[]) => messages.map(({ text }) => text);
const questions = (said: readonly string[]) => said.filter((_, i) => i % 2 === 0);

/** Loads LangGraph, which other contracts do not need. */
export async function agentOver(checkpointer: Threads, tools: Partial<Tools> = {}) {
  const { createAgent } = await import("../agent.js");
  return createAgent({
    tools: fakeTools({ passages: [fakePassage("leave", `${DAYS} ${TAGE}`)], ...tools }),
    checkpointer,
  });
}

const PROMISES: Promises<EmptyThreads> = {
  "an unknown thread has no messages and no steps": async ({ threads }) => {
    assert.deepEqual(await threads.conversation("a"), []);
    assert.deepEqual(await threads.threads(), []);
    assert.deepEqual(await Array.fromAsync(threads.list(at("a"))), []);
    assert.equal(await threads.deleteBefore(new Date()), 0);
    await threads.deleteThread("a");
  },

  "another instance continues a conversation, while the first is open and after it was closed": async ({
    open,
    threads,
  }) => {
    const first = await agentOver(threads);
    await first.ask(QUESTION, { threadId: "a" });
    const second = open();
    await (await agentOver(second)).ask("And who approves it?", { threadId: "a" });
    await second.close();
    await first.ask(CHINESE, { threadId: "a" });
    await threads.close();
    const third = open();
    const { values } = await (await agentOver(third)).graph.getState(at("a"));
    const said = texts(await third.conversation("a"));
    assert.deepEqual(questions(said), [QUESTION, "And who approves it?", CHINESE]);
    assert.match(said[1] ?? "", /28 days/);
    assert.match(said[5] ?? "", /来源/);
    assert.deepEqual(texts(values.messages), said);
    assert.deepEqual(await third.threads(), ["a"]);
  },

  "threads are found by how their names begin, the newest first, until they are deleted": async ({ threads }) => {
    const agent = await agentOver(threads);
    for (const threadId of ["chat:李雷:1", "web:1", "chat:李雷:2", "chat:%:1"]) await agent.ask(QUESTION, { threadId });
    assert.deepEqual(await threads.threads("chat:李雷:"), ["chat:李雷:2", "chat:李雷:1"]);
    assert.deepEqual(await threads.threads("chat:%"), ["chat:%:1"]);
    await threads.deleteThread("web:1");
    assert.deepEqual(await threads.threads(), ["chat:%:1", "chat:李雷:2", "chat:李雷:1"]);
    assert.deepEqual(await Array.fromAsync(threads.list(at("web:1"))), []);
    assert.deepEqual(await threads.conversation("web:1"), []);
  },

  "all messages of a long conversation are kept, more than its state holds": async ({ threads }) => {
    const agent = await agentOver(threads);
    const asked = Array.from({ length: 22 }, (_, i) => (i % 2 ? `${CHINESE}${i}` : `${QUESTION} ${i}`));
    for (const question of asked) await agent.ask(question, { threadId: "a" });
    const { values } = await agent.graph.getState(at("a"));
    assert.deepEqual(questions(texts(values.messages)), asked.slice(-20));
    const said = texts(await threads.conversation("a"));
    assert.equal(said.length, 44);
    assert.deepEqual(questions(said), asked);
    assert.match(said[1] ?? "", /28 days/);
  },

  "threads that were not continued since a time are deleted, and counted": async ({ threads }) => {
    const agent = await agentOver(threads);
    await agent.ask(QUESTION, { threadId: "old" });
    await sleep(20);
    const between = new Date();
    await agent.ask(QUESTION, { threadId: "new" });
    assert.equal(await threads.deleteBefore(between), 1);
    assert.deepEqual(await threads.threads(), ["new"]);
    assert.deepEqual(await threads.conversation("old"), []);
    assert.equal(await threads.deleteBefore(between), 0);
  },

  "a withdrawn question is not part of the conversation": async ({ threads }) => {
    const agent = await agentOver(threads);
    for await (const { type } of agent.stream("Who earns what?", { threadId: "a" })) if (type === "decision") break;
    await agent.ask(QUESTION, { threadId: "a" });
    const [asked, answered = "", ...more] = texts(await threads.conversation("a"));
    assert.deepEqual([asked, more], [QUESTION, []]);
    assert.match(answered, /28 days/);
  },

  "any text is read back unchanged": async ({ threads }) => {
    const { HumanMessage } = await import("@langchain/core/messages");
    const strange = "\u0000 \ud800 \u{1f9ea} ' \" \\ $1 {} 带薪假 \u202e";
    const { graph } = await agentOver(threads);
    const said = new HumanMessage({ id: "m", content: strange });
    await graph.invoke({ messages: [said] }, { ...at("a"), metadata: { strange } });
    assert.equal((await graph.getState(at("a"))).values.messages[0]?.text, strange);
    assert.equal((await threads.conversation("a"))[0]?.text, strange);
  },
};
