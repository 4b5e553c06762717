import { execFile, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { nodeFileTrace } from "@vercel/nft";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fakeServer, saysJson } from "./tools/chat/fake-server.js";
import { pdfByMap } from "./tools/web/pdfs.js";
import { webServer } from "./tools/web/servers.js";

/** Packs what would be published and installs it in an empty folder, as users do. */
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "emend-package-"));
const inFolder = (program: string, ...words: string[]) => run(program, words, { cwd: folder, encoding: "utf8" });
let installed: { bytes: number; seconds: number };
let packed: { filename: string; size: number; files: { path: string }[] };

async function sizeOf(path: string): Promise<number> {
  const files = await readdir(path, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    files.filter((one) => one.isFile()).map(async (one) => (await stat(join(one.parentPath, one.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

beforeAll(async () => {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder]);
  [packed] = JSON.parse(stdout.slice(stdout.indexOf("[")));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
  const began = performance.now();
  await inFolder("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", packed.filename);
  installed = { bytes: await sizeOf(join(folder, "node_modules")), seconds: (performance.now() - began) / 1000 };
  // Then the dependencies of the LangChain example, and the types of Node.js.
  const example = resolve("examples/langchain");
  for (const name of [".npmrc", "ask.js", "parts.js", "prices.csv"]) await cp(join(example, name), join(folder, name));
  const wanted = await readFile(join(example, "package.json"), "utf8");
  await writeFile(join(folder, "package.json"), wanted.replace("file:../..", `file:${packed.filename}`));
  await inFolder("npm", "install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", "@types/node@24");
  await mkdir(join(folder, "docs"));
  await writeFile(join(folder, "docs/office.md"), "# Office\n\nThe Lisbon office opens at eight.\n");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("the package contains only the built program, the models, PDF character maps, the pages and the licence", () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(["README.md", "LICENSE", "dist/index.js", "dist/index.d.ts"]));
  expect(
    paths.filter(
      (path) =>
        !/^(?:README\.md|LICENSE|package\.json|docs\/(?:decisions\/)?[\w-]+\.(?:md|webp)|model\/(?:ocr\/)?[\w.]+|dist\/cmaps\/(?:LICENSE|.+\.bcmap)|dist\/page\/(?:LICENSE|(?:index|widget)\.html|(?:page|quality|widget-frame)\.css|icon\.svg)|dist\/.+(?:\.js|\.d\.ts))$/.test(
          path,
        ),
    ),
  ).toEqual([]);
  expect(packed.size).toBeLessThan(65_000_000);
});

test("the installed package takes less than 400 MB with its peers, and runs no install script", async () => {
  process.stdout.write(`${Math.round(installed.bytes / 1e6)} MB in ${installed.seconds.toFixed(0)} s\n`);
  expect(installed.bytes).toBeLessThan(400_000_000);
  const { packages } = JSON.parse(await readFile(join(folder, "node_modules/.package-lock.json"), "utf8"));
  const withScripts = Object.entries<{ hasInstallScript?: boolean }>(packages).filter(([, it]) => it.hasInstallScript);
  // Dependencies of the example are not listed here yet.
  expect(withScripts.map(([path]) => path)).toEqual([]);
});

test("the package contains every file that its README links to", async () => {
  const readme = await readFile("README.md", "utf8");
  const linked = [...readme.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => path);
  expect(linked).toContain("docs/checking.md");
  expect(packed.files.map(({ path }) => path)).toEqual(expect.arrayContaining(linked));
});

test("the installed command line ingests and answers", async () => {
  const ingested = await inFolder("npx", "--no", "emend", "ingest", "docs");
  expect(ingested.stdout).toMatch(/^1 added/);
  const asked = await inFolder("npx", "--no", "emend", "ask", "When does the Lisbon office open?");
  expect(asked.stdout).toContain("The Lisbon office opens at eight [1].");
});

test("file tracing, as Next.js uses it for bundling, finds all files that the package loads", async () => {
  const program = join(folder, "traced.js");
  await writeFile(program, 'import { createAgent } from "emend";\nexport const agent = createAgent();\n');
  const { fileList } = await nodeFileTrace([program], { base: folder });
  const emend = join("node_modules", "emend");
  const packages = ["@opentelemetry/api", "eld", "neo4j-driver", "@langchain/openai", "pg"];
  expect(packages.filter((name) => !fileList.has(join("node_modules", name, "package.json")))).toEqual([]);
  const needed = [
    "dist/tools/store/sqlite-worker.js",
    "dist/tools/encoder/child.js",
    "dist/tools/process/child.js",
    "dist/tools/process/watch.js",
    "dist/tools/tables/query-child.js",
    "model/judge.onnx",
    "dist/cmaps/UniGB-UTF16-H.bcmap",
  ];
  expect(needed.filter((path) => !fileList.has(join(emend, path)))).toEqual([]);
});

test("the installed command line reads a Chinese PDF", async () => {
  await writeFile(
    join(folder, "timetable.pdf"),
    pdfByMap("GBK-EUC-H", "GB1", "b5dad2bbb0e0b6c9c2d6c1f9b5e3bfaab3f6a1a3"),
  );
  const { stdout } = await inFolder("npx", "--no", "emend", "read", "timetable.pdf");
  expect(stdout).toContain("第一班渡轮六点开出。");
});

const PROGRAM = `
import { HumanMessage } from "@langchain/core/messages";
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { agentNode, type Answer, createAgent } from "emend";
import { fakePassage, fakeTools } from "emend/testing";

const tools = fakeTools({ passages: [fakePassage("office", "The Lisbon office opens at eight.")] });
const question = "When does the Lisbon office open?";
const agent = createAgent({ tools, checkpointer: new MemorySaver() });
const answer: Answer = await agent.ask(question, { threadId: "t" });
const parent = new StateGraph(MessagesAnnotation)
  .addNode("emend", agentNode(createAgent({ tools })))
  .addEdge(START, "emend")
  .addEdge("emend", END)
  .compile();
const { messages } = await parent.invoke({ messages: [new HumanMessage(question)] });
process.stdout.write([answer.text, ...messages.map(({ text }) => text.split("\\n")[0])].join("|"));
`;

test.concurrent("the package is a typed library with fakes for tests, and works with the newest LangGraph that it allows", async () => {
  await writeFile(join(folder, "program.ts"), PROGRAM);
  await cp("test/package/types.ts", join(folder, "types.ts"));
  for (const name of EXTENDING) await cp(`examples/extending/${name}.ts`, join(folder, `${name}.ts`));
  const programs = await readdir("examples/recipes");
  for (const name of programs) await cp(`examples/recipes/${name}`, join(folder, name));
  await cp("test/package/recipes.d.ts", join(folder, "recipes.d.ts"));
  const pages = await Promise.all(["README.md", "docs/extending.md"].map((page) => readFile(page, "utf8")));
  const recipes = pages.join("\n").matchAll(/```ts\n([\s\S]*?)```/g);
  const written = [...recipes].map(async ([, recipe], i) => {
    await writeFile(join(folder, `recipe-${i}.ts`), `${recipe}\nexport {};\n`);
    return `recipe-${i}.ts`;
  });
  const examples = EXTENDING.map((name) => `${name}.ts`);
  const files = ["program.ts", "types.ts", "recipes.d.ts", ...programs, ...examples, ...(await Promise.all(written))];
  expect(written.length).toBeGreaterThan(4);
  const usual = { target: "es2024", types: ["node"], strict: true, noEmit: true, skipLibCheck: false };
  const compiled = async (options: object) => {
    const compilerOptions = { ...usual, ...options };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    const ended = inFolder(process.execPath, resolve("node_modules/typescript/bin/tsc"), "--pretty", "false");
    const { stdout } = await ended.catch((failed: { stdout: string }) => failed);
    return stdout.split("\n").filter((line) => /^\S/.test(line));
  };
  // The declarations of LangChain and LangSmith fail with these options.
  const exact = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  const faults = await compiled({ module: "esnext", moduleResolution: "bundler", ...exact });
  expect(faults.filter((fault) => !/^node_modules\/(?:@langchain|langsmith)\//.test(fault))).toEqual([]);
  expect(await compiled({ module: "nodenext", noEmit: false })).toEqual([]);
  const { stdout } = await inFolder(process.execPath, "program.js");
  const answer = "The Lisbon office opens at eight [1].";
  expect(stdout).toBe(`${answer}|When does the Lisbon office open?|${answer}`);

  // The README's, whose store is empty here.
  expect((await inFolder(process.execPath, "recipe-0.js")).stdout).toContain("There are no documents to search.");

  const opens = "When does the Lisbon office open?";
  const said = async (example: string, question: string) =>
    (await inFolder(process.execPath, `${example}.js`, question)).stdout.split("\n").slice(0, 2);
  const place = expect.stringMatching(/^\[1\] .*docs.office\.md$/);
  expect(await said("rerank", opens)).toEqual([answer, place]);
  const order = "Order A-1001 was shipped to Lisbon on 2026-03-02 [1].";
  expect(await said("orders", "When was order A-1001 shipped to Lisbon?")).toEqual([
    order,
    "[1] https://orders.example/A-1001",
  ]);
  expect(await said("orders", opens)).toEqual([answer, place]);
  expect(await said("grader", opens)).toEqual([`answered: ${answer}`, ""]);
});

/** The examples that extend the graph. */
const EXTENDING = ["rerank", "orders", "grader"];

// The built app is run where only its own files are. Other bundlers trace files as the test before does.
test("inside Next.js, built as standalone, nothing is left out, and what is missing is a fault", async () => {
  const app = await nextApp();
  const env = { ...inNext(), NEXT_TELEMETRY_DISABLED: "1" };
  const next = join(folder, "node_modules/next/dist/bin/next");
  await run(process.execPath, [next, "build", "--turbopack"], { cwd: app, env });
  const built = mkdtempSync(join(tmpdir(), "emend-next-"));
  await cp(join(app, ".next/standalone"), built, { recursive: true, verbatimSymlinks: true });
  try {
    // No word of these is in the document, which takes the encoder; a Portuguese question takes the detector of languages.
    expect(await asked(built, "里斯本办公室几点开门？", "A que horas abre o escritório em Portugal?")).toMatchObject([
      { status: "answered", faults: [] },
      { language: "other", faults: [] },
    ]);
    await rm(join(built, "node_modules/emend/model/words.q4"));
    const [answer] = await asked(built, "里斯本办公室几点开门？");
    expect(answer).toMatchObject({ status: "unavailable", faults: [{ part: "embeddings", name: "UsageError" }] });
    expect(JSON.stringify(answer)).not.toContain(built);
  } finally {
    await rm(built, { recursive: true });
  }
});

/** Starts the app on a free port, asks it each question, and stops it. */
async function asked(built: string, ...questions: string[]): Promise<unknown[]> {
  const port = await freePort();
  const env = { ...inNext(), PORT: `${port}`, HOSTNAME: "127.0.0.1" };
  const server = spawn(process.execPath, ["server.js"], { cwd: join(built, "next"), env, stdio: "ignore" });
  try {
    const answers: unknown[] = [];
    for (const question of questions) {
      const body = JSON.stringify({ question });
      const ask = () => fetch(`http://127.0.0.1:${port}/ask`, { method: "POST", body });
      answers.push(await (await vi.waitFor(ask, { timeout: 60_000, interval: 100 })).json());
    }
    return answers;
  } finally {
    server.kill();
  }
}

/** With the encoder, which most tests turn off, and a store of its own. */
function inNext() {
  const { EMEND_ENCODER: _, ...usual } = process.env;
  return { ...usual, EMEND_STORE: join(folder, "next-store") };
}

/** The app of docs/runtimes.md. */
async function nextApp(): Promise<string> {
  await inFolder("npm", "install", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error", ...NEXT);
  await run("npx", ["--no", "emend", "ingest", "docs"], { cwd: folder, env: inNext() });
  const page = await readFile("docs/runtimes.md", "utf8");
  const [config = "", route = ""] = [...page.matchAll(/```js\n\/\/ (?:next|app).*\n([\s\S]*?)```/g)].map(
    ([, code]) => code,
  );
  const app = join(folder, "next");
  await mkdir(join(app, "app/ask"), { recursive: true });
  await writeFile(join(app, "package.json"), "{}");
  const own = 'outputFileTracingRoot: new URL("..", import.meta.url).pathname,';
  await writeFile(join(app, "next.config.mjs"), config.replace("output:", `${own}\n  output:`));
  await writeFile(join(app, "app/ask/route.js"), route);
  await writeFile(join(app, "app/layout.js"), "export default ({ children }) => children;\n");
  return app;
}
const NEXT = ["next@16.4.6", "react@19", "react-dom@19"];

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  return port;
}

describe("the example of LangChain parts", () => {
  // With the encoder, which most tests turn off.
  const { EMEND_ENCODER: _, ...usual } = process.env;
  const node = async (words: string[], environment: Record<string, string>) =>
    (await run(process.execPath, words, { cwd: folder, env: { ...usual, ...environment } })).stdout;

  test.concurrent("answers from files with a vector store and a chat model", async () => {
    const quote = "The Lisbon office opens at eight.";
    const nothing = { helps: [], missing: "", entities: [], clarification: "" };
    const replies: Record<string, unknown> = {
      grade: { found: quote, answerable: "full", states: ["1.1"], ...nothing },
      answer: { claims: [{ text: "The office in Lisbon opens at eight.", source: 1, quote }], missing: "" },
      check: { 1: { reason: "stated", verdict: "supported" } },
    };
    await using server = await fakeServer((request, response) =>
      saysJson(replies[request.response_format?.json_schema?.name ?? "answer"])(request, response),
    );
    const endpoint = { OPENAI_BASE_URL: server.baseURL, OPENAI_API_KEY: "none", EMEND_MODEL: "fake" };
    expect(await node(["ask.js", "When does the Lisbon office open?", "docs"], endpoint)).toBe(
      "The office in Lisbon opens at eight [1].\n[1] docs/office.md \n",
    );
  });

  test.concurrent("uses one of each LangChain part, as input and as output", async () => {
    const web = await webServer(({ url = "" }, response, { url: base }) => {
      const results = [{ url: `${base}/ferries`, title: "Ferries", content: "To Texel" }];
      if (url.startsWith("/search"))
        response.setHeader("content-type", "application/json").end(JSON.stringify({ results }));
      else if (url === "/ferries") response.setHeader("content-type", "text/html").end(FERRIES);
      else response.writeHead(404).end();
    });
    const said = await node(["parts.js", "parts"], { SEARXNG_URL: web.url, EMEND_ALLOW_PRIVATE_HOSTS: web.allowed });
    const firstLines = said.split("\n").filter((line) => /^a [a-z, ]+: /i.test(line));
    expect(firstLines).toEqual([
      "a vector store: A full-time employee has 25 days of paid leave a year [1].",
      "a vector store, in Chinese: 丢失的工牌可在前台补办，每张15欧元[1]。",
      "a retriever: A lost badge is replaced at the front desk for 15 euros [1].",
      "a search tool: The ferry to Texel leaves at half past every hour [1].",
      "a loader: item: lost key price: 40 euros where: front desk [1]",
      "a tool: A lost badge is replaced at the front desk for 15 euros [1].",
      "a retriever of evidence: A full-time employee has 25 days of paid leave a year. (leave.md)",
    ]);
  });
});

const FERRIES = "<h1>Ferries</h1><p>The ferry to Texel leaves at half past every hour.</p>";

test("the package shares one copy of LangChain with the program that uses it", async () => {
  const { stdout } = await inFolder("npm", "ls", "@langchain/core", "@langchain/langgraph", "--all", "--parseable");
  expect(new Set(stdout.trim().split("\n")).size).toBe(2);
});
