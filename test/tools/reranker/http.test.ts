import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rerankerContract } from "../../../src/testing/reranker-contract.js";
import { httpReranker } from "../../../src/tools/reranker/rerankers.js";
import { keeps } from "../../contract/keeps.js";
import { fakeReranker, type Ranked, refuse } from "./endpoint.js";

const QUESTION = "What is the capital of France?";
const PASSAGES = ["Reranking is fun!", "The capital of France is Paris.", "Lunch is at noon."];

/** Replies in the format of each server, with its additional fields, and sorted if the server sorts. */
const SHAPES: Record<string, (asked: Ranked) => unknown> = {
  Jina: ({ texts }) => ({
    model: "jina-reranker-v2-base-multilingual",
    usage: { total_tokens: 38 },
    results: [1, 0, 2].map((index, i) => ({
      index,
      document: { text: texts[index] },
      relevance_score: [0.9587, 0.0301, 0.0122][i],
    })),
  }),
  Voyage: () => ({
    object: "list",
    data: [
      { relevance_score: 0.4375, index: 1 },
      { relevance_score: 0.421875, index: 0 },
      { relevance_score: 0.2, index: 2 },
    ],
    model: "rerank-2-lite",
    usage: { total_tokens: 26 },
  }),
  "llama.cpp": () => ({
    model: "bge-reranker",
    object: "list",
    usage: { prompt_tokens: 74, total_tokens: 74 },
    results: [
      { index: 0, relevance_score: -2.33689022064209 },
      { index: 1, relevance_score: 7.741800308227539 },
      { index: 2, relevance_score: -11.016427993774414 },
    ],
  }),
};

const open = ({ baseURL }: { baseURL: string }, apiKey?: string) =>
  httpReranker({ model: "ranker", baseURL, ...(apiKey && { apiKey }) });

describe("over the wire", () => {
  let server: Awaited<ReturnType<typeof fakeReranker>>;
  beforeAll(async () => {
    server = await fakeReranker(({ texts }) => ({
      results: texts.map((one, index) => ({ index, relevance_score: one.includes("opens") ? 0.9 : 0.1 })),
    }));
  });
  afterAll(() => server[Symbol.asyncDispose]());
  keeps(
    "A reranker behind /rerank",
    rerankerContract(async () => open(server)),
  );
});

describe("a reranker behind /rerank", () => {
  test.each(Object.entries(SHAPES))("reads the reply of %s", async (_name, reply) => {
    await using server = await fakeReranker(reply);
    const scores = await open(server).rank(QUESTION, PASSAGES);
    expect(scores.every((score) => score >= 0 && score <= 1)).toBe(true);
    expect(scores[1]).toBeGreaterThan(scores[0] ?? 1);
    expect(scores[0]).toBeGreaterThan(scores[2] ?? 1);
    expect(server.requests).toMatchObject([
      { body: { model: "ranker", query: QUESTION, documents: PASSAGES }, authorization: "Bearer none" },
    ]);
  });

  test("switches to TEI's field names once TEI asks for them", async () => {
    await using server = await fakeReranker(({ body }, response) =>
      body.texts
        ? [
            { index: 1, score: 0.9976 },
            { index: 0, score: 0.01 },
            { index: 2, score: 0.001 },
          ]
        : refuse(
            response,
            422,
            "Failed to deserialize the JSON body into the target type: missing field `texts` at line 1 column 94",
          ),
    );
    const reranker = open(server);
    expect(await reranker.rank(QUESTION, PASSAGES)).toEqual([0.01, 0.9976, 0.001]);
    await reranker.rank(QUESTION, PASSAGES);
    expect(server.requests.map(({ body }) => Object.keys(body))).toEqual([
      ["model", "query", "documents"],
      ["query", "texts", "truncate"],
      ["query", "texts", "truncate"],
    ]);
  });

  test("sends 32 passages at a time, and keeps their order", async () => {
    await using server = await fakeReranker(({ texts }) => ({
      results: texts.map((one, index) => ({ index, relevance_score: Number(one) / 100 })).toReversed(),
    }));
    const scores = await open(server).rank(
      QUESTION,
      Array.from({ length: 70 }, (_, i) => `${i}`),
    );
    expect(scores).toEqual(Array.from({ length: 70 }, (_, i) => i / 100));
    expect(server.requests.map(({ texts }) => texts.length)).toEqual([32, 32, 6]);
  });

  test.each([
    ["413", 413, { error: { message: "input is too long" } }],
    ["llama.cpp's 500", 500, { error: { message: "input (612 tokens) is too large to process" } }],
  ])("shortens passages that are refused with %s as too long", async (_name, status, body) => {
    await using server = await fakeReranker(({ texts }, response) =>
      texts.some((one) => one.length > 2_000)
        ? refuse(response, status, body)
        : { results: texts.map((_, index) => ({ index, relevance_score: 0.5 })) },
    );
    expect(await open(server).rank(QUESTION, ["word ".repeat(2_000), "short"])).toEqual([0.5, 0.5]);
  });

  test("retries a busy endpoint once", async () => {
    await using server = await fakeReranker((_, response, count) =>
      count === 1
        ? refuse(response, 503, { error: { message: "loading" } })
        : { results: PASSAGES.map((_one, index) => ({ index, relevance_score: 0.5 })) },
    );
    expect(await open(server).rank(QUESTION, PASSAGES)).toEqual([0.5, 0.5, 0.5]);
  });

  test.each([
    ["a wrong key", 401, "EMEND_RERANKER_API_KEY"],
    ["an unknown model", 404, "EMEND_RERANKER_MODEL"],
    ["too many requests", 429, "reached its request limit"],
  ])("says what to do about %s, and not the key", async (_name, status, hint) => {
    await using server = await fakeReranker((_, response) =>
      refuse(response, status, { error: { message: "s3cret" } }),
    );
    const error = await open(server, "s3cret")
      .rank(QUESTION, PASSAGES)
      .catch((thrown: Error) => thrown);
    expect(error).toMatchObject({ name: "EndpointError", status, message: expect.stringContaining(hint) });
    expect(String(error)).not.toContain("s3cret");
  });

  test.each([
    ["no scores", { results: [] }],
    ["a score for two of three", { results: [0, 1].map((index) => ({ index, relevance_score: 0.5 })) }],
    ["words for scores", { results: PASSAGES.map((_, index) => ({ index, relevance_score: "high" })) }],
    ["something else", { choices: [] }],
  ])("refuses %s as a ranking", async (_name, reply) => {
    await using server = await fakeReranker(() => reply);
    await expect(open(server).rank(QUESTION, PASSAGES)).rejects.toThrow("did not return one score a passage");
  });

  test("reports an unreachable endpoint, and stops when aborted", async () => {
    const nobody = httpReranker({ model: "ranker", baseURL: "http://127.0.0.1:9/v1" });
    await expect(nobody.rank(QUESTION, PASSAGES)).rejects.toThrow("Check EMEND_RERANKER_BASE_URL");
    await using server = await fakeReranker(() => ({}));
    const stopped = AbortSignal.abort(new Error("enough"));
    await expect(open(server).rank(QUESTION, PASSAGES, { signal: stopped })).rejects.toThrow("enough");
    expect(server.requests).toEqual([]);
  });
});
