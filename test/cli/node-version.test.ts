import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
/** Makes Node.js report an older version. */
const OLDER = `data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })`;
const NEEDS =
  "emend needs Node.js 22.16 or newer, and this is 20.20.2. Install it from https://nodejs.org and try again.";

test("importing emend on an old Node.js says in one sentence that it is too old", async () => {
  const doors = ["index", "graph/index", "server/app", "testing/index"].map(
    (door) => `file://${resolve(`dist/${door}.js`)}`,
  );
  const program = `for (const door of ${JSON.stringify(doors)}) await import(door).catch((e) => console.log(e.message))`;
  const { stdout } = await run(process.execPath, ["--import", OLDER, "--input-type=module", "-e", program]);
  expect(stdout).toBe(`${NEEDS}\n`.repeat(doors.length));
});

test("the command line on an old Node.js says the same", async () => {
  const ended = run(process.execPath, ["--import", OLDER, "dist/cli/main.js", "--version"]);
  await expect(ended).rejects.toMatchObject({ code: 1, stderr: `${NEEDS}\n` });
});

test("importing emend loads neither SQLite nor a parser nor the table of languages", async () => {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    await import(${JSON.stringify(`file://${resolve("dist/index.js")}`)});
    console.log(loaded.join("\\n"));
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program]);
  expect(stdout).toContain("dist/index.js");
  const unused = /node:sqlite|node_modules\/(?:eld|cheerio|parse5|csv-parse|yauzl|openai|pg|neo4j-driver|unpdf|hono)\//;
  expect(stdout.split("\n").filter((url) => unused.test(url))).toEqual([]);
});
