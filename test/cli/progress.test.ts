import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { progress } from "../../src/cli/progress.js";

/** A stream that remembers what was written, as a terminal or as a pipe. */
function stream(isTTY: boolean, columns = 80) {
  const writes: string[] = [];
  const writable = new Writable({
    write(chunk, _encoding, done) {
      writes.push(String(chunk));
      done();
    },
  });
  const terminal = { isTTY, columns, clearLine: () => writes.push("clear"), cursorTo: () => writes.push("start") };
  return { writes, terminal: Object.assign(writable, terminal) as unknown as NodeJS.WriteStream };
}

test("progress shows its line on a terminal, and clears it only once, so that later output stays", () => {
  const { writes, terminal } = stream(true);
  const line = progress(terminal);
  line.say("Searching");
  line.stop();
  expect(writes.join("")).toContain("Searching");
  const before = writes.length;
  line.stop();
  expect(writes.length).toBe(before);
});

test.each([
  ["a pipe", false, 80],
  ["a terminal without columns", true, 0],
])("progress writes nothing to %s", (_, isTTY, columns) => {
  const { writes, terminal } = stream(isTTY, columns);
  const line = progress(terminal);
  line.say("Searching");
  line.say("Judging");
  line.stop();
  expect(writes).toEqual([]);
});
