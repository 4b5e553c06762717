import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { folder } from "./emend.js";

const run = promisify(execFile);

/** Imports `main.js` of these files with `importFaster`. Returns what it exports, and what Node.js had to look up. */
async function imported(files: Record<string, string>) {
  await using made = await folder({ "package.json": `{"type":"module"}`, ...files });
  const program = `
    import { registerHooks } from "node:module";
    const asked = [];
    registerHooks({ resolve: (specifier, context, next) => (asked.push(specifier), next(specifier, context)) });
    const { importFaster } = await import(${JSON.stringify(`file://${resolve("dist/cli/import-faster.js")}`)});
    importFaster();
    asked.length = 0;
    const all = await import(${JSON.stringify(`file://${made.path}/main.js`)});
    console.log(JSON.stringify({ exported: { ...all }, asked }));
  `;
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", program]);
  return JSON.parse(stdout) as { exported: Record<string, unknown>; asked: string[] };
}

test("Node.js looks up one module of a directory, and its neighbours are loaded without it", async () => {
  const { exported, asked } = await imported({
    "main.js": `export * from "./a.js"; export * from "./deep/b.js";`,
    "a.js": `export const a = 1;`,
    "deep/b.js": `export const b = 2; export * from "./c.js"; export * from "../d.js";`,
    "deep/c.js": `export const c = 3;`,
    "d.js": `export const d = 4;`,
  });
  expect(exported).toEqual({ a: 1, b: 2, c: 3, d: 4 });
  expect(asked.slice(1)).toEqual(["./deep/b.js"]);
});

test("a directory of CommonJS modules inside is loaded as what it is", async () => {
  const { exported } = await imported({
    "main.js": `export * from "./a.js"; export { default as old } from "./old/b.js"; export { default as other } from "./old/c.js";`,
    "a.js": `export const a = 1;`,
    "old/package.json": `{"type":"commonjs"}`,
    "old/b.js": `module.exports = require("./c.js") + 1;`,
    "old/c.js": `module.exports = 2;`,
  });
  expect(exported).toMatchObject({ a: 1, old: 3, other: 2 });
});
