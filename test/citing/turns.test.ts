import { expect, test } from "vitest";
import { cite, citeInTurns } from "../../src/citing/cite.js";

const text = "Staff have 28 days of paid leave. Logs are kept for 90 days. ".repeat(50);
const sources = [{ text: "Staff have 28 days of paid leave. Logs are kept for 90 days." }];

test("citing in turns gives what citing at once gives, and lets other work go on meanwhile", async () => {
  const order: string[] = [];
  const work = citeInTurns(text, sources).then((cited) => {
    order.push("cited");
    return cited;
  });
  setImmediate(() => order.push("other work"));
  expect(await work).toEqual(cite(text, sources));
  expect(order).toEqual(["other work", "cited"]);
});

test("citing in turns ends when it is told to", async () => {
  const stop = new AbortController();
  const work = citeInTurns(text, sources, stop.signal);
  stop.abort(new Error("nobody waits"));
  await expect(work).rejects.toThrow("nobody waits");
});
