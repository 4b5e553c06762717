import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { ended, folder, MAIN, OFFICES } from "./emend.js";

/** Every error is one line on stderr that says what to do. */
const USAGE = 2;
const FAULT = 1;

const KEY = { EMEND_MODEL: "gpt" };
const NO_STORE = /No store can be made in.*--store or EMEND_STORE/;
const A_FILE = /file\.md is a file, not a store\. Name another folder with --store or EMEND_STORE\./;
const ADDRESS = { OPENAI_BASE_URL: "localhost" };

test.each<[string, string[], Record<string, string>, number, RegExp]>([
  ["no question", ["ask"], {}, USAGE, /question.*--help/],
  ["an empty question", ["ask", " "], {}, FAULT, /No documents/],
  ["an option that does not exist", ["ask", "Why?", "--jsn"], {}, USAGE, /--jsn.*--json.*--help/],
  ["a command that does not exist", ["aks", "Why?"], {}, USAGE, /aks.*ask.*--help/],
  ["no path", ["ingest"], {}, USAGE, /source.*--help/],
  ["a path that does not exist", ["ingest", "nowhere"], {}, USAGE, /nowhere/],
  ["a part of none", ["ingest", "file.md", "--shard", "9/8"], {}, USAGE, /shard.*1\/8/],
  ["a store in a database that is not known", ["list", "--store", "mysql://h/d"], {}, USAGE, /postgres:\/\/user/],
  ["a store without a name", ["ask", "Why?", "--store", ""], {}, USAGE, /folder/],
  ["a store that is not there", ["ask", "Why?", "--store", "nowhere"], {}, FAULT, /nowhere.*emend ingest/],
  ["an empty store, in a conversation", ["chat"], {}, FAULT, /\.emend.*emend ingest/],
  ["a store that is a file", ["ask", "Why?", "--store", "file.md"], {}, FAULT, A_FILE],
  ["a store that is a file, to write to", ["ingest", "file.md", "--store", "file.md"], {}, FAULT, A_FILE],
  ["a store where none can be made", ["ingest", "file.md", "--store", "/proc/emend"], {}, FAULT, NO_STORE],
  ["a store below a file", ["ingest", "file.md", "--store", "file.md/store"], {}, FAULT, A_FILE],
  [
    "a store with too long a name",
    ["ingest", "file.md", "--store", "n".repeat(300)],
    {},
    FAULT,
    /cannot be read.*--store/,
  ],
  ["nothing to remove", ["remove", "nowhere"], {}, USAGE, /nowhere.*emend list/],
  ["nothing to list", ["list"], {}, FAULT, /\.emend.*emend ingest/],
  ["a model without a key", ["ask", "Why?"], KEY, USAGE, /OPENAI_API_KEY/],
  ["an address that is none", ["ingest", "file.md"], ADDRESS, USAGE, /OPENAI_BASE_URL/],
])("%s", async (_name, words, environment, code, line) => {
  await using here = await folder({ "file.md": "# A file\n\nOne sentence.\n" });
  const result = await here.run(words, environment);
  expect(result.stderr).toMatch(/^emend: [^\n]+\n$/);
  expect(result.stderr).toMatch(line);
  expect(result.code).toBe(code);
});

test("a separate process ends with the same line and exit code", async () => {
  await using here = await folder();
  const { code, stdout, stderr } = await ended(here.start(["ask", "Why?"]));
  expect({ code, stdout }).toEqual({ code: FAULT, stdout: "" });
  expect(stderr).toMatch(/^emend: [^\n]*\.emend[^\n]*emend ingest[^\n]*\n$/);
});

test.skipIf(!existsSync("/dev/full")).each([
  ["has no room", "exec node main list > /dev/full", /ENOSPC/],
  ["has room for a part", "trap '' XFSZ; ulimit -f 1; exec node main list --json > out", /EFBIG/],
])("a disk that %s for the output is an error", async (_name, line, reason) => {
  const more = Array.from({ length: 40 }, (_, i) => [`docs/more/${i}.md`, `# Page ${i}\n\nOne sentence.\n`]);
  await using here = await folder({ ...OFFICES, ...Object.fromEntries(more) });
  await here.run(["ingest", "docs"]);
  const shell = line.replace("node main", '"$0" "$1"');
  const env = { PATH: process.env.PATH, EMEND_ENCODER: "off" };
  const child = spawn("sh", ["-c", shell, process.execPath, MAIN], { cwd: here.path, env });
  const { code, stderr } = await ended(child);
  expect(stderr).toMatch(/^emend: stdout cannot be written[^\n]+\n$/);
  expect(stderr).toMatch(reason);
  expect(code).toBe(FAULT);
});
