import { expect, test } from "vitest";
import { redacted } from "../src/faults.js";

test.each([
  ["connect ECONNREFUSED postgres://user:hunter2@db:5432/docs?ssl=1", "connect ECONNREFUSED postgres://…"],
  ["redis://:hunter2@cache is down", "redis://… is down"],
  ["https://api.x.com/v1?key=hunter2 failed", "https://api.x.com/v1 failed"],
  [
    "No endpoint answers at http://127.0.0.1:9/v1. Is it running?",
    "No endpoint answers at http://127.0.0.1:9/v1. Is it running?",
  ],
  ["ENOENT: no such file, open '/home/anna/My Docs/a.txt'", "ENOENT: no such file, open '…'"],
  ["open 'C:\\Users\\anna b\\a.txt'", "open '…'"],
  ["open C:\\Users\\anna\\a.txt", "open …"],
  ["Cannot find package 'eld' imported from /app/node_modules/x.js", "Cannot find package 'eld' imported from …"],
  ["Incorrect API key provided: sk-live-abc.", "Incorrect API key provided: …"],
  ["Authorization: Bearer abc.def rejected", "Authorization: Bearer … rejected"],
  ['{"password": "hunter 2"} is wrong', '{"password": …} is wrong'],
  ["x-api-key: 12345", "x-api-key: …"],
  ["密码：hunter2，请重试", "密码：…，请重试"],
  ["key AKIAIOSFODNN7EXAMPLE is revoked", "key … is revoked"],
  ["ask anna@example.com", "ask …"],
  [
    "The model text-embedding-3-small is gone\n at x (/app/y.js:1:2)",
    "The model text-embedding-3-small is gone at x (…)",
  ],
])("a message is shown without what may be secret: %s", (text, shown) => expect(redacted(text)).toBe(shown));

test("a message is cut to a length that fits on a line, whatever it is made of", () => {
  for (const part of ["word ", "'/", "password ", "bearer ", "a-key ", "\\", "@"])
    expect(redacted(part.repeat(100_000)).length).toBeLessThanOrEqual(300);
});
