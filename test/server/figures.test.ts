import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { expect, test } from "vitest";
import type { Agent } from "../../src/agent.js";
import type { Asking } from "../../src/server/asking.js";
import { mcpServer } from "../../src/server/mcp.js";
import { answerDetails, placesOf } from "../../src/server/reply.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import type { Answer } from "../../src/types/answer.js";
import { OPEN_JOBS } from "../computed.js";

const QUOTE = "counted: 4 of 12 rows";
const place = { title: "jobs", uri: "https://example.org/jobs", section: "", date: "2026-05-12" };
const answer = {
  status: "answered",
  stopReason: "supported",
  text: "4 jobs are open [1].",
  language: "en",
  claims: [
    {
      text: "4 jobs are open.",
      support: "supported",
      citations: [{ reference: 1, quote: QUOTE, start: 0, end: QUOTE.length }],
    },
  ],
  references: [{ number: 1, evidenceId: "table:1", source: "table", ...place, computed: OPEN_JOBS }],
  missing: "",
  faults: [],
  confidence: { averageSimilarity: 1, maxSimilarity: 1, coverage: 1, score: 1 },
} satisfies Partial<Answer> as unknown as Answer;

test("OpenAI's clients get the query and the rows of a figure, and its address without the words of a quote", () => {
  expect(answerDetails(answer).references[0]?.computed).toEqual(OPEN_JOBS);
  expect(placesOf(answer).get(1)?.url).toBe(place.uri);
});

test("an MCP client gets the query and the rows of a figure, and a link to the passage of its first row", async () => {
  const documents = inMemoryDocuments([fakePassage("docs/jobs.csv#0", "| Job | State |")]);
  const agent = { toolsFor: async () => ({ documents }) } as unknown as Agent;
  const asking = {
    admit() {},
    async *events() {
      yield { type: "answer", answer };
    },
  } as unknown as Asking;
  const [here, there] = InMemoryTransport.createLinkedPair();
  await mcpServer(agent, asking).connect(there);
  const client = new Client({ name: "test", version: "1" });
  await client.connect(here);
  const { content, structuredContent } = await client.callTool({ name: "ask", arguments: { question: "How many?" } });
  expect(structuredContent).toMatchObject({ references: [{ computed: OPEN_JOBS }] });
  const [text, link] = content as { text?: string; uri?: string }[];
  expect(text?.text).toContain("> 3: Roof · Open · 1.204,50 EUR");
  expect((await client.readResource({ uri: link?.uri ?? "" })).contents).toMatchObject([{ text: "| Job | State |" }]);
  await client.close();
});
