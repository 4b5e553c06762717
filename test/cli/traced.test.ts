import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { fakeServer, saysJson, USAGE } from "../tools/chat/fake-server.js";
import { ended, folder, OFFICES } from "./emend.js";

test("`emend ask` sends LangSmith its nodes, searches and model calls before it exits", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  const quote = "The Lisbon office opens at eight in the morning.";
  const nothing = { missing: "", entities: [], clarification: "", helps: [] };
  const claims = [{ text: quote, source: 1, quote }];
  await using model = await fakeServer(
    saysJson({ claims, found: quote, answerable: "full", states: ["1.1"], ...nothing }),
  );
  await using langsmith = await collector();
  const { code, stderr } = await ended(
    here.start(["ask", "When does the Lisbon office open?"], {
      EMEND_MODEL: "small",
      OPENAI_BASE_URL: model.baseURL,
      OPENAI_API_KEY: "sk-secret",
      LANGSMITH_TRACING: "true",
      LANGSMITH_ENDPOINT: langsmith.url,
      LANGSMITH_API_KEY: "none",
    }),
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });

  const { runs } = langsmith;
  const parentOf = ({ parent_run_id }: Run) => runs.find(({ id }) => id === parent_run_id)?.name;
  const chats = runs.filter((run) => run.run_type === "llm");
  expect(chats).toHaveLength(model.requests.length);
  const written = chats.find((run) => parentOf(run) === "generate claims");
  expect(written?.extra.metadata).toMatchObject({ ls_model_name: "small" });
  expect(JSON.stringify(written?.inputs)).toContain(quote);
  expect(JSON.stringify(written?.outputs)).toContain(`"total_tokens":${USAGE.total_tokens}`);
  const search = runs.find((run) => run.run_type === "retriever");
  expect(search).toMatchObject({ name: "search documents", inputs: { query: "When does the Lisbon office open?" } });
  expect(JSON.stringify(search?.outputs)).toContain(quote);
  expect(runs.map(({ name }) => name)).toEqual(expect.arrayContaining(["emend", "retrieve", "after grade"]));
  expect(JSON.stringify(runs)).not.toContain("sk-secret");
});

test("`emend ask` answers if LangSmith cannot be reached", async () => {
  await using here = await folder(OFFICES);
  await here.run(["ingest", "docs"]);
  const { code, stdout } = await ended(
    here.start(["ask", "When does the Lisbon office open?"], {
      LANGSMITH_TRACING: "true",
      LANGSMITH_ENDPOINT: "http://127.0.0.1:9",
      LANGSMITH_API_KEY: "none",
    }),
  );
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining("opens at eight") });
});

interface Run {
  id: string;
  name: string;
  run_type: string;
  parent_run_id?: string;
  inputs: unknown;
  outputs?: unknown;
  extra: { metadata: unknown };
}

/** A server that records what it receives over LangSmith's HTTP interface. */
async function collector() {
  const kept = new Map<string, Run>();
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts);
    response.setHeader("content-type", "application/json");
    if (request.url === "/info") return response.end(JSON.stringify({ batch_ingest_config: BATCHES }));
    const sent = JSON.parse(`${request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body}`);
    for (const run of [...(sent.post ?? []), ...(sent.patch ?? [])]) kept.set(run.id, { ...kept.get(run.id), ...run });
    return response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get runs() {
      return [...kept.values()];
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Makes the client send runs as JSON, not as multipart forms. */
const BATCHES = { use_multipart_endpoint: false, size_limit: 100, size_limit_bytes: 20_000_000 };
