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
  return { writes, terminal: Object.assign(writable, { isTTY, columns }) as unknown as NodeJS.WriteStream };
}

/** What a line of a terminal shows after this: each character stands in its own column, or in two. */
function shownBy(writes: readonly string[]): string {
  const line: string[] = [];
  let at = 0;
  for (const character of writes.join("")) {
    if (character === "\r") at = 0;
    else {
      const isWide = /\p{Script=Han}/u.test(character);
      line.splice(at, isWide ? 2 : 1, ...(isWide ? [character, ""] : [character]));
      at += isWide ? 2 : 1;
    }
  }
  return line.join("").trimEnd();
}

test("progress shows its last line on a terminal, and clears it once, so that later output stays", () => {
  const { writes, terminal } = stream(true);
  const line = progress(terminal);
  line.say("读取员工手册和差旅规定");
  line.say("Searching");
  expect(shownBy(writes)).toBe("Searching");
  line.stop();
  expect(shownBy(writes)).toBe("");
  expect(writes.at(-1)).toBe("\r");
  const before = writes.length;
  line.stop();
  expect(writes.length).toBe(before);
});

test("a progress line is cut to the width of the terminal, so that it never wraps", () => {
  const { writes, terminal } = stream(true, 20);
  progress(terminal).say("读取员工手册和差旅规定.md");
  expect(shownBy(writes)).toBe("读取员工手册和差旅…");
});

test("control sequences in a name are not written to the terminal", () => {
  const { writes, terminal } = stream(true);
  progress(terminal).say("a\u001b[2Jb");
  expect(shownBy(writes)).toBe("ab");
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
