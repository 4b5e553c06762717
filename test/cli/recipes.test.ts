import { execFile } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeServer, saysJson } from "../tools/chat/fake-server.js";
import { folder, OFFICES } from "./emend.js";

/** The programs in examples/recipes, which import the package as it is built. */
const QUESTION = "When does the Lisbon office open?";
let offices: Awaited<ReturnType<typeof folder>>;
beforeAll(async () => {
  offices = await folder(OFFICES);
  await offices.run(["ingest", "docs"]);
}, 60_000);
afterAll(() => offices[Symbol.asyncDispose]());

async function recipe(name: string, ...words: string[]): Promise<string> {
  const program = resolve(`examples/recipes/${name}.ts`);
  const env = { PATH: process.env.PATH, EMEND_ENCODER: name === "check" ? "" : "off" };
  return (await promisify(execFile)(process.execPath, [program, ...words], { cwd: offices.path, env })).stdout;
}

test("the recipe of a stream shows decisions, checked claims and the answer", async () => {
  const lines = (await recipe("stream", QUESTION)).trim().split("\n");
  expect(lines[0]).toMatch(/^understand: /);
  expect(lines).toContain("checked: The Lisbon office opens at eight in the morning.");
  expect(lines.at(-1)).toBe("The Lisbon office opens at eight in the morning [1].");
});

test("the recipe of a node answers in another graph", async () => {
  expect(await recipe("node", QUESTION)).toContain("The Lisbon office opens at eight in the morning [1].");
});

test("the recipe of a check finds the sentence that no source supports, and cites the other one", async () => {
  const [supported, first, second, cited] = (await recipe("check")).split("\n");
  expect([supported, first]).toEqual(["false", "supported: Full-time staff have 28 days of paid leave."]);
  expect(second).toBe("unsupported: Unused days lapse in June.");
  expect(cited).toContain("28 days of paid leave [1].");
});

test("the recipes of clients get the answer from `emend serve`: OpenAI's, MCP, and structured output of claims alone", async () => {
  const quote = "The Lisbon office opens at eight in the morning.";
  const replies: Record<string, unknown> = {
    answer: { claims: [{ text: quote, source: 1, quote }], missing: "" },
    check: { 1: { reason: "stated", verdict: "supported" } },
    fill: { time: "eight", closes: "at ten" },
  };
  await using model = await fakeServer((request, response) =>
    saysJson(replies[request.response_format?.json_schema?.name ?? "answer"])(request, response),
  );
  const settings = { OPENAI_BASE_URL: model.baseURL, OPENAI_API_KEY: "none", EMEND_MODEL: "fake" };
  const server = offices.start(["serve", "--port", "0"], settings);
  try {
    const [line] = await once(createInterface({ input: server.stdout }), "line");
    const address = /http:\S+/.exec(line)?.[0];
    expect(await recipe("openai", `${address}/v1`, QUESTION)).toContain(`${quote.slice(0, -1)} [1].`);
    expect(await recipe("mcp", `${address}/mcp`, QUESTION)).toContain("The Lisbon office opens at eight");
    expect(JSON.parse(await recipe("structured", `${address}/v1`, QUESTION))).toEqual({ time: "eight", closes: null });
  } finally {
    server.kill("SIGTERM");
  }
});
