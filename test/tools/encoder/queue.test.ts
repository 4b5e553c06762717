import { describe, expect, test } from "vitest";
import { workQueue } from "../../../src/tools/encoder/onnx.js";

/** A queue whose judge reads one token per millisecond, and its clock. */
function measured() {
  const clock = { now: 0 };
  const queue = workQueue(() => clock.now);
  queue.enter(0, 1, 100);
  clock.now = 100;
  queue.leave(0, 100);
  return { clock, queue };
}

describe("a queue of work for the judge", () => {
  test("estimates nothing until something is measured", () => {
    const queue = workQueue(() => 0);
    queue.enter(1, 1, 1_000);
    expect(queue.behind(2)).toBe(0);
    expect(queue.each()).toBe(0);
  });

  test("estimates the time of the work of older questions", () => {
    const { queue } = measured();
    queue.enter(1, 10, 400);
    queue.enter(2, 11, 300);
    expect(queue.behind(12)).toBeCloseTo(700);
    expect(queue.behind(11)).toBeCloseTo(400);
    expect(queue.behind(10)).toBe(0);
  });

  test("subtracts the finished part of the current work", () => {
    const { clock, queue } = measured();
    queue.enter(1, 10, 400);
    clock.now += 300;
    expect(queue.behind(11)).toBeCloseTo(100);
  });

  test("forgets dropped work, and does not learn from it", () => {
    const { queue } = measured();
    queue.enter(1, 10, 400);
    queue.leave(1);
    expect(queue.behind(11)).toBe(0);
    queue.enter(2, 12, 50);
    expect(queue.behind(13)).toBeCloseTo(50);
  });

  test("adapts to a judge that became slower", () => {
    const { clock, queue } = measured();
    for (let id = 1; id < 30; id++) {
      queue.enter(id, id, 100);
      clock.now += 500;
      queue.leave(id, 500);
    }
    queue.enter(50, 50, 100);
    expect(queue.behind(51)).toBeGreaterThan(450);
  });

  test("counts the parts of one question together, and ignores work without a question", () => {
    const { queue } = measured();
    for (const [id, since, tokens] of [
      [1, 10, 200],
      [2, 10, 100],
      [3, 11, 400],
      [4, Number.POSITIVE_INFINITY, 9_000],
    ] as const) {
      queue.enter(id, since, tokens);
      queue.leave(id, tokens);
    }
    expect(queue.each()).toBeCloseTo(300);
  });

  test("expects a question of the usual size after a few large ones", () => {
    const { queue } = measured();
    for (let id = 1; id <= 50; id++) {
      const tokens = id > 30 ? 10_000 : 100;
      queue.enter(id, id, tokens);
      queue.leave(id, tokens);
    }
    expect(queue.each()).toBeCloseTo(100);
  });
});
