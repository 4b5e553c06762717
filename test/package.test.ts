import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pdfByMap } from "./tools/web/page/pdfs.js";

/** Packs what would be published and installs it where nothing else is, as its users do. */
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), "emend-package-"));
const inFolder = (program: string, ...words: string[]) => run(program, words, { cwd: folder, encoding: "utf8" });
let packed: { filename: string; size: number; files: { path: string }[] };

beforeAll(async () => {
  const { stdout } = await run("npm", ["pack", "--json", "--pack-destination", folder]);
  [packed] = JSON.parse(stdout.slice(stdout.indexOf("[")));
  await writeFile(join(folder, "package.json"), '{ "type": "module" }\n');
  await inFolder("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", packed.filename);
  await mkdir(join(folder, "docs"));
  await writeFile(join(folder, "docs/office.md"), "# Office\n\nThe Lisbon office opens at eight.\n");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("holds the built program, its model, the character maps of PDFs, its README and its licence, and nothing else", () => {
  const paths = packed.files.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(["README.md", "LICENSE", "dist/index.js", "dist/index.d.ts"]));
  expect(
    paths.filter(
      (path) =>
        !/^(?:README\.md|LICENSE|package\.json|model\/[\w.]+|dist\/cmaps\/(?:LICENSE|.+\.bcmap)|dist\/.+(?:\.js|\.d\.ts))$/.test(
          path,
        ),
    ),
  ).toEqual([]);
  expect(packed.size).toBeLessThan(62_000_000);
});

test("ingests and answers from the command line", async () => {
  const ingested = await inFolder("npx", "--no", "emend", "ingest", "docs");
  expect(ingested.stdout).toMatch(/^1 added/);
  const asked = await inFolder("npx", "--no", "emend", "ask", "When does the Lisbon office open?");
  expect(asked.stdout).toContain("The Lisbon office opens at eight [1].");
});

test("reads a Chinese PDF", async () => {
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

test("is a library with types, and fakes for its users' own tests, beside the newest LangGraph that it allows", async () => {
  await writeFile(join(folder, "program.ts"), PROGRAM);
  await inFolder("npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "@types/node@24");
  const usual = { target: "es2024", strict: true, skipLibCheck: false, types: ["node"] };
  for (const options of [
    { ...usual, module: "esnext", moduleResolution: "bundler", noEmit: true },
    { ...usual, module: "nodenext" },
  ]) {
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["program.ts"] }));
    await inFolder(process.execPath, resolve("node_modules/typescript/bin/tsc"));
  }
  const { stdout } = await inFolder(process.execPath, "program.js");
  const answer = "The Lisbon office opens at eight [1].";
  expect(stdout).toBe(`${answer}|When does the Lisbon office open?|${answer}`);
});

test("shares one copy of LangChain with its user", async () => {
  const { stdout } = await inFolder("npm", "ls", "@langchain/core", "@langchain/langgraph", "--all", "--parseable");
  expect(new Set(stdout.trim().split("\n")).size).toBe(2);
});
