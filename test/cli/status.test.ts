import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { settingsShown } from "../../src/cli/status.js";
import { loadSettings } from "../../src/config.js";
import { fakeEndpoint } from "../tools/encoder/endpoint.js";
import { folder, OFFICES } from "./emend.js";

test("status counts documents, passages by language, vectors and triples, and gives the size and the last write", async () => {
  await using here = await folder({ ...OFFICES, "facts.csv": "subject,predicate,object\nLisbon,part of,Portugal\n" });
  await using endpoint = await fakeEndpoint();
  const fake = { EMEND_EMBEDDINGS_MODEL: "fake", EMEND_EMBEDDINGS_BASE_URL: endpoint.baseURL };
  await here.run(["ingest", "docs"], fake);
  await here.run(["graph", "load", "facts.csv"], fake);
  const report = JSON.parse((await here.run(["status", "--json"], fake)).stdout);
  expect(report).toMatchObject({
    store: { folder: ".emend", writtenAt: expect.stringMatching(/^20\d\d-\d\d-\d\dT/) },
    documents: 2,
    passages: 2,
    languages: { en: 1, zh: 1, other: 0 },
    tables: 0,
    vectors: { current: 2, ofOtherModels: 0 },
    graph: { sources: 2, triples: 2 },
    settings: { embeddings: `fake at ${endpoint.baseURL}`, model: null, graphStore: "in the store" },
  });
  expect(report.store.bytes).toBeGreaterThan(1_000);
  const { code, stdout, stderr } = await here.run(["status"], { ...fake, EMEND_EMBEDDINGS_MODEL: "other" });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^documents +2\npassages +2: 1 English, 1 Chinese\n/m);
  expect(stdout).toMatch(/^embedded +0 of 2, 2 by another model: emend ingest replaces them\n/m);
});

test.each([
  ["refuses", false],
  ["accepts and says nothing", true],
])(
  "status shows the rest if the server of the graph %s",
  async (_name, isSilent) => {
    await using here = await folder(OFFICES);
    await here.run(["ingest", "docs"]);
    const server = createServer(() => {}).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    if (!isSilent) server.close();
    try {
      const graph = { NEO4J_URI: `bolt://127.0.0.1:${port}`, NEO4J_PASSWORD: "x" };
      const { code, stdout, stderr } = await here.run(["status"], graph);
      expect(code).toBe(1);
      expect(stdout).toMatch(
        /^documents +2\npassages +2: 1 English, 1 Chinese\nembedded .*\ntables +0\ngraph +.*Neo4j.*$/m,
      );
      expect(stdout).toMatch(/^runs +on, 90 days$/m);
      expect(stderr).toMatch(/^emend: [^\n]*Neo4j[^\n]*\n$/);
      const report = JSON.parse((await here.run(["status", "--json"], graph)).stdout);
      expect(report).toMatchObject({ documents: 2, graph: null, faults: [expect.stringContaining("Neo4j")] });
    } finally {
      server.close();
    }
  },
  60_000,
);

test("status shows the settings if the store cannot be read", async () => {
  await using here = await folder({ "file.md": "# A file\n" });
  const { code, stdout } = await here.run(["status", "--store", "file.md"]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^store +file\.md, .*is a file, not a store/m);
  expect(stdout).toMatch(/^runs +on, 90 days$/m);
});

test("status of a missing store reports zeros, is not an error, and does not create the store", async () => {
  await using here = await folder();
  const { code, stdout } = await here.run(["status"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^documents +0$/m);
  expect(stdout).toMatch(/^store +\.emend, 0\.0 MB$/m);
  expect(JSON.parse((await here.run(["status", "--json"])).stdout).store).toEqual({
    folder: ".emend",
    bytes: 0,
    writtenAt: "",
  });
});

test("status shows the settings in force without keys and passwords", () => {
  const settings = loadSettings(
    {},
    {
      EMEND_MODEL: "gpt",
      OPENAI_API_KEY: "secret-key",
      EMEND_MODEL_HEADERS: '{"x-api-key": "secret-header"}',
      EMEND_MODEL_BODY: '{"user": "secret-user"}',
      OPENAI_BASE_URL: "https://user:secret-word@models.example.org/v1?token=secret-token",
      NEO4J_URI: "neo4j://graph.example.org",
      NEO4J_PASSWORD: "secret-neo4j",
      EMEND_WEB: "brave",
      BRAVE_API_KEY: "secret-brave",
    },
  );
  const shown = settingsShown(settings, undefined);
  expect(shown).toMatchObject({
    model: "gpt at https://models.example.org/v1",
    graphStore: "neo4j://graph.example.org as neo4j",
    web: "brave",
    embeddings: null,
  });
  expect(JSON.stringify(shown)).not.toContain("secret");
});
