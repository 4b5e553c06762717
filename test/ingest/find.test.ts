import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findFiles } from "../../src/ingest/find.js";
import { ingestFiles } from "../../src/ingest/ingest.js";
import { inMemoryDocuments } from "../../src/testing/documents.js";

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), "found-"));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function files(...paths: string[]) {
  for (const path of paths) await file(path, `# ${path}\n\nWords of ${path}.`);
}
async function file(path: string, content: string) {
  await mkdir(dirname(join(cwd, path)), { recursive: true });
  await writeFile(join(cwd, path), content);
}
const found = async (...given: string[]) => (await findFiles(given, cwd)).files.map(({ documentId }) => documentId);
const byRule = async (...given: string[]) => {
  const { ignored } = await findFiles(given, cwd);
  return [...ignored].map(([path, rule]) => [path.slice(cwd.length + 1), rule]).sort();
};

describe("globs of files", () => {
  test.each([
    [["docs/**/*.md"], ["docs/a.md", "docs/sub/b.md", "docs/sub/年假.md"]],
    [["docs/*.md"], ["docs/a.md"]],
    [["docs/*/*"], ["docs/sub/b.md", "docs/sub/c.txt", "docs/sub/年假.md"]],
    [["**/年*.md"], ["docs/sub/年假.md"]],
    [["./docs/{a,sub/b}.md"], ["docs/a.md", "docs/sub/b.md"]],
    [["docs/sub/[bc].*"], ["docs/sub/b.md", "docs/sub/c.txt"]],
    [
      ["*.md", "docs/a.md"],
      ["docs/a.md", "top.md"],
    ],
  ])("%j matches %j", async (given, expected) => {
    await files("top.md", "docs/a.md", "docs/sub/b.md", "docs/sub/c.txt", "docs/sub/年假.md", "docs/.hidden/x.md");
    await files("docs/node_modules/p/readme.md");
    expect(await found(...given)).toEqual(expected);
  });

  test("do not hide a file whose name looks like a glob, and do not match outside their folder", async () => {
    await files("docs/[x] (1)/a.md", "docs/x/a.md", "elsewhere/a.md");
    expect(await found("docs/[x] (1)")).toEqual(["docs/[x] (1)/a.md"]);
    expect((await findFiles(["../elsewhere/*.md"], cwd, join(cwd, "docs"))).files).toHaveLength(1);
  });

  test("that match nothing are reported, and only files that they match are taken for deleted", async () => {
    await files("docs/a.md", "docs/b.txt", "docs/c.txt");
    const documents = inMemoryDocuments();
    await ingestFiles(["docs"], { documents, cwd });
    await rm(join(cwd, "docs/a.md"));
    await rm(join(cwd, "docs/b.txt"));
    const summary = await ingestFiles(["docs/*.md"], { documents, cwd });
    expect(summary).toMatchObject({ removed: 1, failures: [{ path: "docs/*.md", reason: "No file matches it." }] });
    expect((await documents.list()).map(({ documentId }) => documentId).sort()).toEqual(["docs/b.txt", "docs/c.txt"]);
  });
});

const RULES = `*.md x.md /x.md build build/ /build/ a/x.md a/* a/** **/a **/x.md a/**/x.md * */ !*/ !x.md !build/ !a/
  !a/x.md [x] \\[x\\] \\!z.md \\#h.md # x?md [a-c]* !*.md 年 年/ ** /* !/a a/b/ !/b/** b/*/x.md`.split(/\s+/);

describe("rule files", () => {
  test.each([
    ["a folder", { "": "build/" }, ["a.md", "b/c.md", "年/d.md"]],
    ["a name at any depth", { "": "c.md\nd.md" }, ["a.md", "b/build/e.md", "build/x.md"]],
    ["only here", { "": "/a.md\n/c.md" }, ["b/build/e.md", "b/c.md", "build/x.md", "年/d.md"]],
    ["all but one", { "": "*\n!*/\n!d.md" }, ["年/d.md"]],
    ["nothing below a folder left out", { "": "b/\n!b/c.md" }, ["a.md", "build/x.md", "年/d.md"]],
    ["what a deeper file takes back", { "": "*.md", b: "!c.md" }, ["b/c.md"]],
    [
      "a folder that a deeper file takes back",
      { "": "build", b: "!build/" },
      ["a.md", "b/build/e.md", "b/c.md", "年/d.md"],
    ],
    ["only below its own folder", { b: "/c.md\nx.md\nbuild/*" }, ["a.md", "build/x.md", "年/d.md"]],
    ["across folders", { "": "**/build/**\n年/**" }, ["a.md", "b/c.md"]],
    [
      "no comment, blank line or spaces",
      { "": "# a.md\n\n\\#h.md\nc.md  " },
      ["a.md", "b/build/e.md", "build/x.md", "年/d.md"],
    ],
  ] as const)("leave out %s", async (_, rules, left) => {
    await files("a.md", "b/c.md", "b/build/e.md", "build/x.md", "年/d.md");
    for (const [folder, text] of Object.entries(rules)) await file(join(folder, ".gitignore"), text ?? "");
    expect(await found(".")).toEqual(left);
  });

  const hasGit = spawnSync("git", ["--version"]).status === 0;
  test.skipIf(!hasGit)("leave out the same files as git, in random trees", async () => {
    const folder = fc.constantFrom("a", "b", "[x]", "c d", "年", "build");
    const path = fc
      .tuple(fc.array(folder, { maxLength: 3 }), fc.constantFrom("x.md", "y.md", "!z.md", "#h.md", "年.md"))
      .map(([folders, name]) => [...folders, name].join("/"));
    const rule = fc.constantFrom(...RULES);
    const tree = fc.tuple(
      fc.uniqueArray(path, { minLength: 5, maxLength: 15 }),
      fc.array(rule, { minLength: 1 }),
      rule,
    );
    await fc.assert(
      fc.asyncProperty(tree, async ([paths, above, below]) => {
        await rm(cwd, { recursive: true, force: true });
        await files(...paths);
        await file(".gitignore", above.join("\n"));
        await file(join(dirname(paths[0] ?? ""), ".gitignore"), below);
        const git = (...words: string[]) => spawnSync("git", words, { cwd, encoding: "utf8" }).stdout;
        git("init", "-q");
        const kept = git("-c", "core.excludesFile=", "ls-files", "-oz", "--exclude-standard").split("\0");
        const listed = kept.filter((one) => one.endsWith(".md")).sort();
        expect((await found(".")).sort()).toEqual(listed);
      }),
      { numRuns: 15 },
    );
  });

  test("of emend take precedence over those of git at every depth", async () => {
    await files("a.md", "drafts/b.md", "notes/c.md", "notes/d.md", "keep/node.log.md");
    await file(".gitignore", "drafts/\n*.log.md\nnotes/d.md");
    await file(".emendignore", "!drafts/\nc.md\n!*.log.md");
    await file("notes/.gitignore", "!c.md");
    expect(await found(".")).toEqual(["a.md", "drafts/b.md", "keep/node.log.md"]);
    expect(await byRule(".")).toEqual([
      ["notes/c.md", ".emendignore"],
      ["notes/d.md", ".gitignore"],
    ]);
  });

  test("with unusual folder names match those folders", async () => {
    await files("[a] !b #c/x.md", "[a] !b #c/y.md", "a/x.md");
    await file("[a] !b #c/.gitignore", "x.md\n/y.md");
    expect(await found(".")).toEqual(["a/x.md"]);
  });

  test("apply to globs, and not to a file that is named directly", async () => {
    await files("docs/a.md", "docs/b.md", "docs/tmp/c.md");
    await file("docs/.emendignore", "b.md\ntmp\n*.txt");
    expect(await found("docs/**/*.md")).toEqual(["docs/a.md"]);
    expect(await found("docs/b.md", "docs/tmp")).toEqual(["docs/b.md", "docs/tmp/c.md"]);
  });

  test("that are unusable stop their folder from being read, and its stored documents stay", async () => {
    await files("docs/a.md", "docs/secret/b.md", "docs/slow/c.md");
    const documents = inMemoryDocuments();
    await ingestFiles(["docs"], { documents, cwd });
    await file("docs/secret/.gitignore", `${"x".repeat(200_000)}\nb.md`);
    await file("docs/slow/.emendignore", "a/**/b/**/c/**/d");
    expect(await ingestFiles(["docs"], { documents, cwd })).toMatchObject({
      unchanged: 1,
      removed: 0,
      failures: [
        { path: "docs/secret", reason: "docs/secret/.gitignore is larger than 100 kB, so its folder is not read." },
        { path: "docs/slow", reason: expect.stringContaining("Write it as several rules: a/**/b/**/c/**/d") },
      ],
    });
    expect(await documents.list()).toHaveLength(3);
  });

  test("that are new remove their documents from the store, and are counted by file", async () => {
    await files("docs/a.md", "docs/草稿/b.md", "docs/草稿/c.md", "docs/d.md");
    const documents = inMemoryDocuments();
    await ingestFiles(["docs"], { documents, cwd });
    await file("docs/.gitignore", "草稿/");
    await file("docs/.emendignore", "d.md");
    const outcomes: string[] = [];
    const onOutcome = (outcome: string, id: string) => outcomes.push(`${outcome} ${id}`);
    expect(await ingestFiles(["docs"], { documents, cwd, onOutcome })).toMatchObject({
      unchanged: 1,
      removed: 3,
      removedAsIgnored: 3,
      ignored: { "docs/.gitignore": 1, "docs/.emendignore": 1 },
      failures: [],
    });
    expect(outcomes.sort()).toEqual([
      "ignored docs/d.md",
      "ignored docs/草稿",
      "removed docs/d.md",
      "removed docs/草稿/b.md",
      "removed docs/草稿/c.md",
      "unchanged docs/a.md",
    ]);
    expect(await ingestFiles(["docs"], { documents, cwd })).toMatchObject({ removed: 0, removedAsIgnored: 0 });
  });
});
