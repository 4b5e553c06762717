import { afterAll, describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import type { ContextInput } from "../../src/state/context.js";
import type { Tools } from "../../src/state/tools.js";
import { fakePassage, fakeTools } from "../../src/testing/index.js";
import { onnxEncoder } from "../../src/tools/encoder/onnx.js";
import { searxng } from "../../src/tools/web/search-engines.js";
import { webPageReader } from "../../src/tools/web/web-reader.js";
import type { AgentEvent } from "../../src/types/events.js";
import { rawServer } from "../tools/web/servers.js";

const encoder = onnxEncoder();
afterAll(() => encoder.close());

/** The whole agent without a model, on a real search server with real pages: what users get when something fails. */
const baseURL = process.env.EMEND_TEST_SEARXNG_URL ?? "";
const asked = "How much did Coty pay for a majority stake in Kylie Jenner's company?";
const results = await searxng({ baseURL }).search({ text: asked, language: "en", region: "", recency: "any" }, 10);
const hosts = [...new Set(results.map(({ url }) => new URL(url).host))];

async function ask(question: string, parts: Partial<Tools> = {}, context: ContextInput = {}) {
  const tools = {
    ...fakeTools({ passages: [fakePassage("hours", "The Lisbon office opens at eight.")] }),
    ...localReasoners({ encoder }),
    webSearch: searxng({ baseURL }),
    pageReader: webPageReader({ allowPrivateHosts: hosts }),
    ...parts,
  };
  const agent = createAgent({ tools, context });
  const events: AgentEvent[] = [];
  for await (const event of agent.stream(question)) events.push(event);
  await agent.close();
  const decisions = events.flatMap((event) => (event.type === "decision" ? [event.decision] : []));
  const answer = events.flatMap((event) => (event.type === "answer" ? [event.answer] : []))[0];
  const at = (step: string) => decisions.find((decision) => decision.step === step);
  return { answer, decisions, at };
}

describe("a question that only the web answers", () => {
  test.each([
    ["For how much did Coty acquire a majority stake in Kylie Jenner's company?", "$600 million", "supported"],
    ["How many 787-9 aircraft will Emirates buy?", "30", "supported"],
    ["Wer profitiert von der Digitalisierung im Healthcare Bereich?", "Healthcare", "unsure"],
  ])("is answered with a quote of a page and its date: %s", async (question, says, stopReason) => {
    const { answer } = await ask(question);
    expect(answer?.stopReason).toBe(stopReason);
    expect(answer?.text).toContain(says);
    expect(answer?.references[0]).toMatchObject({ source: "web", date: expect.stringMatching(/^20\d\d-\d\d-\d\d$/) });
  });

  test.each(["What is the capital of Mongolia?", "蒙古国的首都是哪里？"])(
    "is refused if the found pages do not answer: %s",
    async (question) => {
      const { answer, at } = await ask(question);
      expect(answer).toMatchObject({ status: "refused", claims: [] });
      expect(at("searchWeb")).toBeDefined();
    },
  );
});

test("a search server that is down is a fault in the log, without its address, and the run ends with a refusal", async () => {
  const { answer, at } = await ask(asked, { webSearch: searxng({ baseURL: "http://127.0.0.1:1" }) });
  expect(at("searchWeb")).toMatchObject({
    reason: { code: "web_failed" },
    faults: [{ name: "EndpointError", message: "SearXNG does not answer at http://… Is it running?" }],
  });
  expect(answer).toMatchObject({ status: "refused", claims: [] });
});

test("a page that does not respond is named by its address in the log, and another page answers", async () => {
  const silent = await rawServer(() => {});
  const search = searxng({ baseURL });
  const { answer, at } = await ask(asked, {
    webSearch: {
      search: async (...given) => {
        const found = await search.search(...given);
        return [{ url: `${silent.url}/page`, title: "", snippet: "", published: "" }, ...found];
      },
    },
    pageReader: webPageReader({
      allowPrivateHosts: [...hosts, silent.allowed],
      robots: false,
      limits: { headersMs: 2_000 },
    }),
  });
  expect(at("readPages")?.faults).toEqual([
    {
      part: "page_reader",
      name: "PageUnavailableError",
      message: `${silent.url}/page could not be had: the server did not answer within 2000 ms.`,
    },
  ]);
  expect(answer?.text).toContain("$600 million");
});

test("if no page may be read, only complete sentences of the snippets are used, marked as a preview", async () => {
  const { answer, at } = await ask(asked, { pageReader: webPageReader() });
  expect(at("readPages")?.faults).toHaveLength(4);
  for (const reference of answer?.references ?? []) expect(reference).toMatchObject({ source: "web", preview: true });
  // The server truncates its snippet after "worth $6".
  expect(answer?.text).not.toMatch(/\$6(?!00)/);
});
