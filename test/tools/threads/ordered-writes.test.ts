import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { orderedWrites } from "../../../src/tools/threads/port.js";

test("a quick write waits for a slow one of its thread, and not for those of other threads", async () => {
  const writes = orderedWrites();
  const done: string[] = [];
  const write = (name: string, ms: number) => async () => {
    await sleep(ms);
    done.push(name);
  };
  const all = [writes.add("a", write("slow", 30)), writes.add("a", write("quick", 0)), writes.add("b", write("b", 0))];
  await writes.settled("a");
  expect(done).toEqual(["b", "slow", "quick"]);
  await Promise.all(all);
});

test("the first failed write of a thread is thrown once, and the remaining writes of that run are skipped", async () => {
  const writes = orderedWrites();
  const done: string[] = [];
  await writes.add("a", () => Promise.reject(new Error("The disk is full.")));
  await writes.add("a", async () => done.push("later"));
  await expect(writes.settled("a")).rejects.toThrow("The disk is full.");
  await writes.add("a", async () => done.push("next"));
  await writes.settled("a");
  expect(done).toEqual(["next"]);
});
