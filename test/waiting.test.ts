import { expect, test } from "vitest";
import { yieldToEventLoop } from "../src/waiting.js";

test("tasks that wait for their turn continue in order, one per round of the event loop", async () => {
  let rounds = 0;
  let isOver = false;
  const count = () => {
    rounds += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const went: { who: number; round: number }[] = [];
  await Promise.all(
    Array.from({ length: 20 }, async (_, who) => {
      await yieldToEventLoop();
      went.push({ who, round: rounds });
    }),
  );
  isOver = true;
  expect(went.map(({ who }) => who)).toEqual(Array.from({ length: 20 }, (_, who) => who));
  expect(new Set(went.map(({ round }) => round)).size).toBe(20);
});
