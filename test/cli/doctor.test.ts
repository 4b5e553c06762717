import { stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { misspeltVariables } from "../../src/cli/doctor.js";
import { variables } from "../../src/config.js";
import { fakeServer, refuses, says } from "../tools/chat/fake-server.js";
import { fakeEndpoint } from "../tools/encoder/endpoint.js";
import { type Skill, trialModel } from "../trial-model.js";
import { folder, OFFICES } from "./emend.js";

const { known } = variables({});
const found = (...set: string[]) => misspeltVariables({ set, known }).map(({ said }) => said);

test.each([
  ["EMEND_MODLE", "EMEND_MODEL"],
  ["EMEND_STOER", "EMEND_STORE"],
])("the misspelt variable %s is recognised as %s", (name, meant) => {
  expect(found(name)).toEqual([expect.stringContaining(`Did you mean ${meant}?`)]);
});

test("a variable similar to none is reported with the list of all variables, and a known one is not reported", () => {
  expect(found("EMEND_ZEPPELIN")).toEqual([expect.stringContaining("EMEND_ENCODER")]);
  expect(found(...known, "EMEND_TEST_SEED")).toEqual([]);
});

test("settings that work are reported as working, and the check creates no files", async () => {
  await using here = await folder(OFFICES);
  await using endpoint = await fakeEndpoint();
  const fake = { EMEND_EMBEDDINGS_MODEL: "fake", EMEND_EMBEDDINGS_BASE_URL: endpoint.baseURL };
  const empty = await here.run(["doctor"]);
  expect(empty).toMatchObject({ code: 0, stderr: "" });
  expect(empty.stdout).toMatch(/^ok +store +\.emend is empty: emend ingest <folder>$/m);
  expect((await here.run(["list"])).code).toBe(1);
  await here.run(["ingest", "docs"], fake);
  const { code, stdout } = await here.run(["doctor"], fake);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ok +Node\.js +\d+\.\d+\.\d+$/m);
  expect(stdout).toMatch(/^ok +store +\.emend can be read and written, and is whole: 2 passages$/m);
  expect(stdout).toMatch(
    /^(?:ok +tables +can be queried|not set +tables +Tables cannot be queried on Node \S+\. .*)$/m,
  );
  expect(stdout).toMatch(/^ok +embeddings +fake answers with vectors of \d+ numbers$/m);
  expect(stdout).toMatch(/^not set +model$/m);
});

test("unreachable endpoints, a store that is a file and a misspelt variable are reported with remedies", async () => {
  await using here = await folder({ "file.md": "?" });
  const endpoint = await fakeEndpoint();
  await endpoint[Symbol.asyncDispose]();
  const down = endpoint.baseURL;
  const { host } = new URL(down);
  const { code, stdout } = await here.run(["doctor", "--json", "--store", "file.md"], {
    EMEND_MODEL: "gpt",
    OPENAI_BASE_URL: down,
    EMEND_EMBEDDINGS_MODEL: "e5",
    EMEND_EMBEDDINGS_BASE_URL: down,
    NEO4J_URI: `bolt://${host}`,
    NEO4J_PASSWORD: "secret",
    EMEND_WEB: "searxng",
    SEARXNG_URL: `http://${host}`,
    EMEND_MODLE: "gpt",
    EMEND_ENCODER: "/",
  });
  expect(code).toBe(1);
  const { findings } = JSON.parse(stdout) as { findings: { part: string; state: string; said: string }[] };
  const wrong = Object.fromEntries(
    findings.filter(({ state }) => state === "wrong").map(({ part, said }) => [part, said]),
  );
  expect(wrong).toEqual({
    EMEND_MODLE: expect.stringContaining("EMEND_MODEL"),
    store: expect.stringMatching(/file\.md is a file, not a store\..*--store/),
    encoder: expect.stringContaining("holds no encoder"),
    model: `gpt at ${down} cannot be reached (ECONNREFUSED). Is it running, and is OPENAI_BASE_URL right?`,
    embeddings: expect.stringContaining("Is it running?"),
    Neo4j: expect.stringContaining("No Neo4j answers"),
    "web search": expect.stringContaining(host),
  });
  expect(stdout).not.toContain("secret");
});

describe("a model", () => {
  /** An endpoint with a model that has this skill in its trial, and reads no more tokens of a request than its context has. */
  const endpointOf = (skill: Skill, context = 10_000) => {
    const { chat } = trialModel(skill);
    return fakeServer(async (request, response) => {
      const words = request.messages.map(({ content }) => content.split(" ").length);
      if (Math.max(...words) > 5000) {
        if (context === 0)
          return refuses(400, "request (8009 tokens) exceeds the available context size (4096 tokens)")(
            request,
            response,
          );
        const usage = { prompt_tokens: Math.min(context, ...words), completion_tokens: 1, total_tokens: 1 };
        return void response
          .writeHead(200, { "content-type": "text/event-stream" })
          .end(
            `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "ok" } }], usage })}\n\ndata: [DONE]\n\n`,
          );
      }
      const schemaName = request.response_format?.json_schema?.name ?? "answer";
      const messages = request.messages as Parameters<typeof chat.send>[0]["messages"];
      const { text } = await chat.send({ ...NO_REQUEST, schemaName, messages });
      return says(text || "ok")(request, response);
    });
  };
  const NO_REQUEST = { format: "prompt", schema: {}, maxTokens: 1, signal: new AbortController().signal } as const;

  test.each<[string, Skill, string, RegExp]>([
    [
      "reads, writes and checks",
      {},
      "ok",
      /12 of 12 questions answered rightly.*16 of 16 claims.*It reads, writes and checks\.$/m,
    ],
    ["is not used", { refuses: false }, "wrong", /0 of 12 refused.*It is not used: answers are quotes\./m],
  ])("that passes as one that %s is told so, and is not tried again by a question", async (_, skill, state, said) => {
    await using here = await folder(OFFICES);
    await using server = await endpointOf(skill);
    const settings = { EMEND_MODEL: "pupil", OPENAI_BASE_URL: server.baseURL, EMEND_MODEL_USE: "tried" };
    await here.run(["ingest", "docs"]);
    const { stdout, code } = await here.run(["doctor"], settings);
    expect(stdout).toMatch(new RegExp(`^${state} +model: trial +`, "m"));
    expect(stdout).toMatch(said);
    expect(code).toBe(state === "ok" ? 0 : 1);
    const { length } = server.requests;
    await here.run(["ask", "When does the Lisbon office open?"], settings);
    expect(server.requests.length - length).toBeLessThanOrEqual(6);
  });

  test.each([
    [10_000, /^ok +model: context +reads 8000 tokens at once$/m],
    [
      2050,
      /^wrong +model: context +It read 2050 of 8000 tokens, and what it was sent first is lost\. .*longer context/m,
    ],
    [0, /^wrong +model: context +It refuses 8000 tokens, so it is given fewer sources\. .*longer context/m],
  ])("is told whether its context, %i, is long enough for the longest prompts", async (context, said) => {
    await using here = await folder(OFFICES);
    await using server = await endpointOf({}, context);
    const settings = { EMEND_MODEL: "pupil", OPENAI_BASE_URL: server.baseURL, EMEND_MODEL_USE: "tried" };
    expect((await here.run(["doctor"], settings)).stdout).toMatch(said);
  });
});

test("an unreachable database is named without its password", async () => {
  await using here = await folder();
  const { code, stdout } = await here.run(["doctor"], { EMEND_STORE: "postgres://emend:secret@127.0.0.1:1/emend" });
  expect(stdout).toMatch(/^wrong +store +No store at postgres:\/\/127\.0\.0\.1:1\/emend: nothing listens there\./m);
  expect(stdout).not.toContain("secret");
  expect(code).toBe(1);
});

test("a damaged store is reported with a remedy", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  const file = join(here.path, ".emend/emend.db");
  await truncate(file, (await stat(file)).size - 20_000);
  const { code, stdout } = await here.run(["doctor"]);
  expect(stdout).toMatch(/^wrong +store +\.emend is damaged: .*Put a backup in its place.*ingest the documents again/m);
  expect(code).toBe(1);
});

test("a document with a flipped bit is named", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  const database = new DatabaseSync(join(here.path, ".emend/emend.db"));
  database.exec("UPDATE passages SET text = replace(text, 'a', 'c') WHERE n = 1");
  database.close();
  const { code, stdout } = await here.run(["doctor"]);
  expect(stdout).toMatch(/^wrong +store +\.emend is damaged in 1 document: docs\/\S+\. .*ingest it again/m);
  expect(code).toBe(1);
});

test("an invalid setting is reported like any other problem", async () => {
  await using here = await folder();
  await writeFile(join(here.path, ".env"), "EMEND_WEB=bing\nEMEND_STROE=x\n");
  const { code, stdout, stderr } = await here.run(["doctor"]);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout).toMatch(/^wrong +settings +EMEND_WEB: must be off/m);
  expect(stdout).toMatch(/^wrong +EMEND_STROE .*EMEND_STORE\?$/m);
});

test("the encoder is loaded once to check that it works", async () => {
  await using here = await folder();
  const { code, stdout } = await here.run(["doctor"], { EMEND_ENCODER: "" });
  expect(stdout).toMatch(/^ok +encoder +emend-\w+ loads and judges$/m);
  expect(code).toBe(0);
});
