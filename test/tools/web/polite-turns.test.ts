import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { politeTurns } from "../../../src/tools/web/safe-fetch.js";
import { fetchFrom, html, webServer } from "./servers.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Jobs that end on demand, and the names of the started jobs in order. */
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

test("a host gets two requests at a time, in order", async () => {
  const takeTurn = politeTurns({ perHost: 2, everywhere: 6, delayMs: 0 });
  const { begun, work, end } = works();
  for (const name of ["a", "b", "c", "d"]) void takeTurn("host", 0, never, work(name));
  await settle();
  expect(begun).toEqual(["a", "b"]);
  end("b");
  await settle();
  expect(begun).toEqual(["a", "b", "c"]);
});

test("the number of concurrent requests to all hosts is limited", async () => {
  const takeTurn = politeTurns({ perHost: 2, everywhere: 3, delayMs: 0 });
  const { begun, work, end } = works();
  for (const name of ["a", "b", "c", "d"]) void takeTurn(name, 0, never, work(name));
  await settle();
  expect(begun).toEqual(["a", "b", "c"]);
  end("a");
  await settle();
  expect(begun).toEqual(["a", "b", "c", "d"]);
});

test("a request that waits for a busy host does not block requests to others", async () => {
  const takeTurn = politeTurns({ perHost: 1, everywhere: 2, delayMs: 0 });
  const { begun, work } = works();
  for (const name of ["a", "b", "c"]) void takeTurn("busy", 0, never, work(name));
  void takeTurn("idle", 0, never, work("d"));
  await settle();
  expect(begun).toEqual(["a", "d"]);
});

test("there is a delay between two requests to a host, and a longer one if the host asks for it", async () => {
  const takeTurn = politeTurns({ perHost: 2, everywhere: 6, delayMs: 200 });
  const { begun, work } = works();
  void takeTurn("host", 1_000, never, work("a"));
  void takeTurn("host", 0, never, work("b"));
  await vi.advanceTimersByTimeAsync(990);
  expect(begun).toEqual(["a"]);
  await vi.advanceTimersByTimeAsync(20);
  expect(begun).toEqual(["a", "b"]);
});

test("an aborted request does not hold up the queue", async () => {
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

test("a failed request frees its place like a successful one", async () => {
  const takeTurn = politeTurns({ perHost: 1, everywhere: 1, delayMs: 0 });
  await expect(takeTurn("host", 0, never, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(await takeTurn("host", 0, never, async () => "next")).toBe("next");
});

test("a real server gets at most two requests at a time", async () => {
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
