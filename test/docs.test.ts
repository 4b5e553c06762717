import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import MarkdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { apiReference } from "../scripts/api.js";
import { diagram } from "../src/cli/diagram.js";
import { emend } from "../src/cli/program.js";
import { variables } from "../src/config.js";
import { EXTENSIONS } from "../src/ingest/formats/registry.js";
import { Context } from "../src/state/context.js";

/**
 * Checks that the documentation matches the program. In ```sh blocks, every command of `emend` and npm must exist, with
 * its options and environment variables. `.ci/run` runs the first two commands of the README verbatim.
 */
const PAGES = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", ...globSync("docs/**/*.md").sort()];

test("the diagram of the architecture is what `emend diagram` prints with a search engine for the web", async () => {
  const [, shown] = /<!-- diagram -->\n([\s\S]*?)<!-- \/diagram -->/.exec(read("docs/architecture.md")) ?? [];
  expect(shown).toBe(`\`\`\`mermaid\n${await diagram({ web: { engine: "duckduckgo" } })}\n\`\`\`\n`);
});

test("the diagram of the additions is the part around them of what the graph with them draws", async () => {
  const [, shown] = /<!-- diagram -->\n([\s\S]*?)<!-- \/diagram -->/.exec(read("docs/extending.md")) ?? [];
  const node = () => () => ({});
  const rungs = { askOrders: { node, label: "ask the order system", before: "rewriteQuery" } } as const;
  const [head, ...edges] = (await diagram({ graph: { after: { retrieve: { newestFirst: node } }, rungs } })).split(
    "\n",
  );
  const around = edges.filter((edge) => /newestFirst|askOrders/.test(edge));
  expect(shown).toBe(`\`\`\`mermaid\n${[head, ...around].join("\n")}\n\`\`\`\n`);
});

test("docs/extending.md says how many lines its programs have", () => {
  const listed = [...read("docs/extending.md").matchAll(/\(\.\.\/(examples\/[^)]+)\), (\d+) lines/g)];
  expect(listed).toHaveLength(9);
  for (const [, path = "", lines] of listed)
    expect([path, read(path).trim().split("\n").length]).toEqual([path, +`${lines}`]);
});

test("docs/api.md is what `npm run api` writes", { timeout: 90_000 }, () => {
  expect(read("docs/api.md")).toBe(apiReference());
});

test("the README begins with the commands that try emend and test it", () => {
  const [first, second] = fences(read("README.md")).filter(({ info }) => info === "sh");
  expect(first?.content).toMatch(/^npm ci && npx emend ingest .+ && npx emend ask "[^"]+"\n$/);
  expect(second?.content).toBe("npm test\n");
});

test("the README names the Node.js that emend needs before its first command", () => {
  const [, needed] = />=(\S+)/.exec(JSON.parse(read("package.json")).engines.node) ?? [];
  const [before = ""] = read("README.md").split("```sh");
  expect(before.match(/Node(?:\.js)? [\d.]+\d/g)).toEqual([`Node ${needed}`]);
});

test("no other page contains the README's question, since a search would find it instead of the answer", () => {
  const [, question = ""] = /emend ask "([^"]+)"/.exec(read("README.md")) ?? [];
  expect(question).not.toBe("");
  expect(PAGES.slice(1).filter((page) => read(page).includes(question))).toEqual([]);
});

test.each([
  ["every variable", "variable", variables({}).known],
  ["every field of the context", "field", Object.keys(Context.shape)],
])("docs/configuration.md lists %s once", (_, head, names) => {
  const [, table = ""] =
    new RegExp(`^\\| ${head} \\|.*\\n.*\\n((?:\\|.*\\n)+)`, "m").exec(read("docs/configuration.md")) ?? [];
  const listed = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = ""]) => name);
  expect(listed.sort()).toEqual([...names].sort());
});

test("docs/documents.md lists every extension of the files that are read once", () => {
  const [, table = ""] = /^\| files \|.*\n.*\n((?:\|.*\n)+)/m.exec(read("docs/documents.md")) ?? [];
  const listed = table.split("\n").flatMap((row) => (row.split(" | ")[1] ?? "").match(/(?<=`\.)\w+(?=`)/g) ?? []);
  expect(listed.sort()).toEqual([...EXTENSIONS].sort());
});

test("docs/cli.md lists every command", () => {
  const listed = [...read("docs/cli.md").matchAll(/^\| `(\w+)/gm)].map(([, name]) => name);
  const names = emend().commands.map((command) => command.name());
  expect([...new Set(listed)].sort()).toEqual(names.sort());
});

test("the architecture links to every decision", () => {
  const linked = links(read("docs/architecture.md")).filter((link) => link.startsWith("decisions/"));
  const pages = globSync("docs/decisions/*.md").map((page) => page.split(sep).join("/").replace("docs/", ""));
  expect(linked.sort()).toEqual(pages.sort());
});

describe.each(PAGES)("%s", (page) => {
  test("its local links exist", () => {
    expect(links(read(page)).filter((link) => !leads(page, link))).toEqual([]);
  });

  test("the source files that it names exist", () => {
    expect(files(read(page)).filter((file) => !existsSync(file))).toEqual([]);
  });

  test("its commands exist", () => {
    const shell = fences(read(page)).filter(({ info }) => info === "sh");
    expect(shell.flatMap(({ content }) => commands(content)).filter((command) => !exists(command))).toEqual([]);
  });
});

const markdown = new MarkdownIt();
const read = (page: string) => readFileSync(page, "utf8");
const fences = (page: string) => markdown.parse(page, {}).filter(({ type }) => type === "fence");

const links = (page: string) =>
  markdown
    .parse(page, {})
    .flatMap(({ children }) => children ?? [])
    .flatMap((token) => token.attrGet("href") ?? token.attrGet("src") ?? [])
    .map(String)
    .filter((address) => !/^[a-z]+:/i.test(address));

/** Paths such as `src/agent.ts` in the text of a page. */
const files = (page: string) =>
  markdown
    .parse(page, {})
    .flatMap(({ children }) => children ?? [])
    .filter(({ type, content }) => type === "code_inline" && /^src\/[\w/-]+(?:\.\w+)*$/.test(content))
    .map(({ content }) => content);

function leads(page: string, link: string): boolean {
  const [path = "", anchor] = decodeURI(link).split("#");
  const target = path ? join(dirname(page), path) : page;
  return existsSync(target) && (!anchor || anchors(read(target)).includes(anchor));
}

/** Anchors as GitHub derives them from headings. */
const anchors = (page: string) =>
  markdown.parse(page, {}).flatMap(({ type }, i, all) =>
    type === "heading_open"
      ? (all[i + 1]?.content ?? "")
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, "")
          .replace(/\s/g, "-")
      : [],
  );

/** The single commands of a block, without comments, pipes and line ends. */
const commands = (block: string) =>
  block
    .replace(/\\\n/g, " ")
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/, ""))
    .flatMap((line) => line.split(/\s(?:&&|\|\|?|;)\s/))
    .map((command) => command.trim())
    .filter(Boolean);

function exists(command: string): boolean {
  const words = command.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const isValue = (i: number) => words[i - 1]?.startsWith("--");
  const variables = words.filter(
    (word, i) => /^\w+=/.test(word) && !isValue(i) && (i === 0 || words[0] === "export" || i < 8),
  );
  if (!variables.every((word) => known(word.split("=")[0] ?? ""))) return false;
  const [program, ...rest] = words.filter((word) => !variables.includes(word));
  if (program === "npx" && rest[0] === "emend") return emendTakes(rest.slice(1));
  if (program === "npx" && rest[0] === "tsx") return existsSync(rest[1] ?? "");
  if (program === "python") return existsSync(rest[0] ?? "");
  if (program === "emend") return emendTakes(rest);
  if (program === "npm") return npmTakes(rest);
  return program === undefined || ELSEWHERE.includes(program);
}

function emendTakes([name, ...rest]: string[]): boolean {
  const program = emend();
  if (name?.startsWith("-")) return ["--help", "--version"].includes(name);
  const group = program.commands.find((candidate) => candidate.name() === name);
  const command =
    group?.commands.find((one) => one.name() === rest[0]) ??
    (group?.commands.length && group.registeredArguments.length + group.options.length === 0 ? undefined : group);
  const options = [...program.options, ...(command?.options ?? [])].map(({ long }) => long);
  return command !== undefined && rest.filter((w) => w.startsWith("--")).every((w) => options.includes(w));
}

function npmTakes([verb = "", script = ""]: string[]): boolean {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  if (verb === "run") return script in scripts;
  return ["ci", "install", "test", "pack"].includes(verb);
}

/** An environment variable that the settings, Node.js or a model server read. */
const known = (variable: string) =>
  ["NODE_OPTIONS", "OLLAMA_CONTEXT_LENGTH"].includes(variable) || variables({}).known.includes(variable);

/** Programs that are not part of emend. */
const ELSEWHERE = [
  ...[".", "cd", "cp", "curl", "docker", "export", "git", "jq", "mkdir", "set"],
  ...["llama-server", "lms", "ollama", "vllm"],
];
