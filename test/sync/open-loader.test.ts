import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { UsageError } from "../../src/errors.js";
import { LoaderSource } from "../../src/sync/loader-source.js";
import { openLoader } from "../../src/sync/open-loader.js";

const FILES = {
  "loaders/wiki.mjs": `
    export class Wiki {
      constructor(...given) { this.given = given; }
      async load() { return [{ pageContent: JSON.stringify(this.given), metadata: { source: "a" } }]; }
    }
    class Failing { constructor() { throw new Error("Missing access token."); } async load() {} }
    export { Failing };
    export const connector = async (options) => ({
      async *list() { yield { id: options.space }; },
      read: async () => ({ text: "x" }),
    });
    export const loader = (...given) => new Wiki(...given);
    export const ready = { async *list() {}, read: async () => undefined };
    export const nothing = () => 17;
    export const text = "text";
    export default loader;`,
  "loaders/needs.mjs": 'import "not-installed-peer/deep/file.js"; export const x = 1;',
  "loaders/lazy.mjs": 'export class Lazy { async load() { await import("@not/installed"); } }',
  "loaders/broken.mjs": "export const = 1;",
  "node_modules/some-loader/package.json":
    '{"name": "some-loader", "exports": {".": "./index.js", "./esm": {"import": "./esm.mjs"}}}',
  "node_modules/some-loader/index.js": "exports.Wiki = class { async load() { return []; } };",
  "node_modules/some-loader/esm.mjs": "export class Wiki { async load() { return []; } }",
};

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "emend-open-loader-"));
  for (const [name, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const open = (given: Record<string, unknown>) => openLoader(LoaderSource.parse({ as: "test:a", ...given }), folder);
const listedBy = async (given: Record<string, unknown>) => {
  const source = await open(given);
  const call = { signal: new AbortController().signal };
  const listed = await Array.fromAsync(source.list(call));
  return Promise.all(listed.map(async (one) => ({ id: one.id, content: await source.read(one, call) })));
};

describe("a module that emend.json names", () => {
  test.each<[string, Record<string, unknown>, unknown]>([
    ["a class with options", { loader: "./loaders/wiki.mjs#Wiki", options: { space: "HR" } }, '[{"space":"HR"}]'],
    [
      "a class with several arguments",
      { loader: "./loaders/wiki.mjs#Wiki", options: ["HR", { limit: 2 }] },
      '["HR",{"limit":2}]',
    ],
    ["a class without options", { loader: "./loaders/wiki.mjs#Wiki" }, "[]"],
    ["a function that makes a loader", { loader: "./loaders/wiki.mjs#loader", options: [1] }, "[1]"],
    ["its default export", { loader: "./loaders/wiki.mjs", options: [2] }, "[2]"],
  ])("gives %s", async (_, given, text) => {
    expect(await listedBy(given)).toEqual([{ id: "a", content: { text } }]);
  });

  test("gives a function that promises a connector, a connector itself, and a class of a package", async () => {
    const connector = { loader: "./loaders/wiki.mjs#connector", options: { space: "HR" } };
    expect(await listedBy(connector)).toEqual([{ id: "HR", content: { text: "x" } }]);
    expect(await listedBy({ loader: "./loaders/wiki.mjs#ready" })).toEqual([]);
    expect(await listedBy({ loader: "some-loader#Wiki" })).toEqual([]);
    expect(await listedBy({ loader: "some-loader/esm#Wiki" })).toEqual([]);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["a missing file", { loader: "./loaders/gone.mjs#Wiki" }, "There is no module ./loaders/gone.mjs."],
    ["a missing package", { loader: "@not/here/deep/path#Wiki" }, "npm install @not/here"],
    ["a missing package of a module", { loader: "./loaders/needs.mjs#x" }, "npm install not-installed-peer"],
    ["a missing part of a package", { loader: "some-loader/gone#Wiki" }, "There is no ./gone in the package of"],
    [
      "a missing export",
      { loader: "./loaders/wiki.mjs#Wikis" },
      "does not export Wikis. It exports Failing, Wiki, connector, loader, nothing, ready, text.",
    ],
    ["no default export", { loader: "./loaders/lazy.mjs" }, "such as ./loaders/lazy.mjs#Lazy. It exports Lazy."],
    ["a file without ./", { loader: "loaders/wiki.mjs#Wiki" }, "Write ./loaders/wiki.mjs"],
    ["a missing part of emend", { loader: "emend/loader#git" }, "There is no emend/loader. Is emend/loaders meant?"],
    ["a module that cannot be read", { loader: "./loaders/broken.mjs#x" }, "./loaders/broken.mjs cannot be loaded: "],
    [
      "a class that refuses its options",
      { loader: "./loaders/wiki.mjs#Failing" },
      "cannot be opened: Missing access token.",
    ],
    [
      "a function that makes something else",
      { loader: "./loaders/wiki.mjs#nothing" },
      "is neither a loader of LangChain",
    ],
    ["a text", { loader: "./loaders/wiki.mjs#text" }, "is neither a loader of LangChain"],
    ["a connector with a mapping", { loader: "./loaders/wiki.mjs#ready", date: "a.b" }, "Leave out `date`"],
  ])("and is %s is a fault that says what to do", async (_, given, said) => {
    await expect(open(given)).rejects.toThrow(said);
    await expect(open(given)).rejects.toBeInstanceOf(UsageError);
  });

  test("that lacks a package only when it loads says so", async () => {
    await expect(listedBy({ loader: "./loaders/lazy.mjs#Lazy" })).rejects.toThrow("npm install @not/installed");
  });
});
