import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { politeTurns } from "../../../src/tools/web/safe-fetch.js";
import { fetchFrom, html, webServer } from "./servers.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Work that ends when told, and the names of what has begun, in order. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((end) => ends.set(name, end));
  };
  return { begun, work, end: (name: string) => ends.get(name)?.() };
}
const never = new AbortController().signal;
const settle = () => vi.advanceTimersByTimeAsync(0);

test("a host is asked by two at a time, the others in the order they came", async () => {
  const takeTurn = politeTurns({ perHost: 2, everywhere: 6, delayMs: 0 });
  const { begun, work, end } = works();
  for (const name of ["a", "b", "c", "d"]) void takeTurn("host", 0, never, work(name));
  await settle();
  expect(begun).toEqual(["a", "b"]);
  end("b");
  await settle();
  expect(begun).toEqual(["a", "b", "c"]);
});

test("all hosts together are asked by so many at a time", async () => {
  const takeTurn = politeTurns({ perHost: 2, everywhere: 3, delayMs: 0 });
  const { begun, work, end } = works();
  for (const name of ["a", "b", "c", "d"]) void takeTurn(name, 0, never, work(name));
  await settle();
  expect(begun).toEqual(["a", "b", "c"]);
  end("a");
  await settle();
  expect(begun).toEqual(["a", "b", "c", "d"]);
});

test("whoever waits for a busy host keeps nobody from another", async () => {
  const takeTurn = politeTurns({ perHost: 1, everywhere: 2, delayMs: 0 });
  const { begun, work } = works();
  for (const name of ["a", "b", "c"]) void takeTurn("busy", 0, never, work(name));
  void takeTurn("idle", 0, never, work("d"));
  await settle();
  expect(begun).toEqual(["a", "d"]);
});

test("a host is given time between two requests, and more where it asks for more", async () => {
  const takeTurn = politeTurns({ perHost: 2, everywhere: 6, delayMs: 200 });
  const { begun, work } = works();
  void takeTurn("host", 1_000, never, work("a"));
  void takeTurn("host", 0, never, work("b"));
  await vi.advanceTimersByTimeAsync(990);
  expect(begun).toEqual(["a"]);
  await vi.advanceTimersByTimeAsync(20);
  expect(begun).toEqual(["a", "b"]);
});

test("whoever leaves the queue is not waited for", async () => {
  const takeTurn = politeTurns({ perHost: 1, everywhere: 1, delayMs: 0 });
  const { begun, work, end } = works();
  const stop = new AbortController();
  void takeTurn("host", 0, never, work("a"));
  const left = takeTurn("host", 0, stop.signal, work("b"));
  void takeTurn("host", 0, never, work("c"));
  stop.abort(new Error("enough"));
  await expect(left).rejects.toThrow("enough");
  end("a");
  await settle();
  expect(begun).toEqual(["a", "c"]);
});

test("work that fails makes room like work that succeeds", async () => {
  const takeTurn = politeTurns({ perHost: 1, everywhere: 1, delayMs: 0 });
  await expect(takeTurn("host", 0, never, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await takeTurn("host", 0, never, async () => "next")).toBe("next");
});

test("a real server sees no more than two at a time", async () => {
  vi.useRealTimers();
  let now = 0;
  let most = 0;
  const server = await webServer((_, response) => {
    most = Math.max(most, ++now);
    setTimeout(() => {
      now -= 1;
      html(response, "");
    }, 10);
  });
  const fetching = fetchFrom([server]);
  await Promise.all(Array.from({ length: 12 }, (_, i) => fetching.fetch(`${server.url}/${i}`)));
  expect(server.asked).toHaveLength(12);
  expect(most).toBe(2);
});
