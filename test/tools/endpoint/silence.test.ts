import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EndpointError } from "../../../src/errors.js";
import { unlessSilent } from "../../../src/tools/endpoint/silence.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MINUTE = 60_000;
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** An endpoint, and how many requests reached it. */
function endpoint(timeoutMs = 300_000) {
  const sending = unlessSilent("The model", timeoutMs);
  const sent = { requests: 0 };
  /** A request that ends with an error after a while, unless it is heard of before. */
  const fails = (ms: number, { heardAt, status = 0 }: { heardAt?: number; status?: number } = {}) => {
    const request = sending(async (heard) => {
      sent.requests += 1;
      if (heardAt !== undefined) setTimeout(heard, heardAt);
      await new Promise((done) => setTimeout(done, ms));
      throw new EndpointError("It failed.", status);
    });
    return request.catch((error: Error) => error.message);
  };
  const answers = (ms = 0) =>
    sending(async () => {
      sent.requests += 1;
      await new Promise((done) => setTimeout(done, ms));
      return "ok";
    }).catch((error: Error) => error.message);
  const over = async <T>(request: Promise<T>) => {
    await later(10 * MINUTE);
    return request;
  };
  return { sent, fails, answers, over };
}

const LEFT_ALONE = /^The model said nothing for 54 s, so it is left alone and asked again in (\d) min/;

/** One that was silent for a whole question, just now. */
async function silent() {
  const one = endpoint();
  const request = one.fails(54_000);
  await later(54_000);
  expect(await request).toBe("It failed.");
  return one;
}

describe("an endpoint that was silent for too long", () => {
  test("is not asked for five minutes, and the error says why and for how long", async () => {
    const { answers, sent } = await silent();
    expect(await answers()).toMatch(LEFT_ALONE);
    await later(3.5 * MINUTE);
    expect(LEFT_ALONE.exec(await answers())?.[1]).toBe("2");
    expect(sent.requests).toBe(1);
  });

  test("is then tried by one request, and the others go on without it until that is answered", async () => {
    const { answers, sent } = await silent();
    await later(5 * MINUTE);
    const first = answers(10_000);
    expect(await answers()).toMatch("left alone");
    await later(10_000);
    expect(await first).toBe("ok");
    const next = answers();
    await later(0);
    expect(await next).toBe("ok");
    expect(sent.requests).toBe(3);
  });

  test("is left alone again if it is silent again", async () => {
    const { answers, fails } = await silent();
    await later(5 * MINUTE);
    const trying = fails(54_000);
    await later(54_000);
    expect(await trying).toBe("It failed.");
    await later(4 * MINUTE);
    expect(await answers()).toMatch(LEFT_ALONE);
  });

  test("is tried by another request if the first was given up early", async () => {
    const { answers, fails } = await silent();
    await later(5 * MINUTE);
    void fails(1_000);
    await later(46_000);
    const next = answers();
    await later(0);
    expect(await next).toBe("ok");
  });
});

describe("an endpoint is asked again at once", () => {
  test.each([
    ["that refuses a connection", {}, 5],
    ["for which a short question had no time", {}, 20_000],
    ["that refuses a request after a long time", { status: 504 }, 60_000],
    ["that broke off while it spoke", { heardAt: 50_000 }, 60_000],
  ])("%s", async (_, how, ms) => {
    const { fails, answers, over } = endpoint();
    await over(fails(ms, how));
    expect(await over(answers())).toBe("ok");
  });

  test("that has answered after a longer silence: it is slow, and the question was short", async () => {
    const { fails, answers, over } = endpoint();
    expect(await over(answers(80_000))).toBe("ok");
    await over(fails(54_000));
    expect(await over(answers())).toBe("ok");
  });
});

test("a request that goes on is heard even while its endpoint is left alone", async () => {
  const { fails, answers } = endpoint();
  const slow = answers(70_000);
  const given = fails(54_000);
  await later(54_000);
  await given;
  expect(await answers()).toMatch("left alone");
  await later(16_000);
  expect(await slow).toBe("ok");
  const next = answers();
  await later(0);
  expect(await next).toBe("ok");
});

test("a shorter limit of its own is what counts as too long", async () => {
  const { fails, answers } = endpoint(10_000);
  void fails(10_000);
  await later(10_000);
  expect(await answers()).toMatch("said nothing for 10 s");
});
