import { afterAll, describe, expect, test } from "vitest";
import { EndpointError } from "../../../src/errors.js";
import { embeddingsContract } from "../../../src/testing/embeddings-contract.js";
import { openaiEmbeddings } from "../../../src/tools/encoder/embeddings.js";
import { keeps } from "../../contract/keeps.js";
import { type FakeEndpoint, type Fault, fakeEndpoint, refuse, send } from "./endpoint.js";

const endpoints: FakeEndpoint[] = [];
afterAll(() => Promise.all(endpoints.map((endpoint) => endpoint[Symbol.asyncDispose]())));

async function opened(fault?: Fault, { baseURL, timeoutMs }: { baseURL?: string; timeoutMs?: number } = {}) {
  const endpoint = await fakeEndpoint(fault);
  endpoints.push(endpoint);
  const settings = { model: "fake", apiKey: KEY, baseURL: baseURL ?? endpoint.baseURL };
  const embeddings = openaiEmbeddings(settings, timeoutMs);
  return { endpoint, embeddings };
}

const KEY = "sk-very-secret";

keeps(
  "An OpenAI-compatible endpoint",
  embeddingsContract(async () => (await opened()).embeddings),
);

describe("embeddings by an OpenAI-compatible endpoint", () => {
  test("are requested in batches", async () => {
    const { endpoint, embeddings } = await opened();
    await embeddings.embed(
      Array.from({ length: 70 }, (_, i) => `text ${i}`),
      { as: "passage" },
    );
    expect(endpoint.requests.map((texts) => texts.length)).toEqual([32, 32, 6]);
  });

  test.each([400, 413, 422, 500])(
    "a text that is refused as too long with %i does not affect the others",
    async (status) => {
      const { embeddings } = await opened((texts, response) =>
        texts.some((one) => one.length > 40) ? refuse(response, status, "the input has too many tokens") : undefined,
      );
      const [a, b, c] = await embeddings.embed(["one", `two ${"x".repeat(50)}`, "three"], { as: "passage" });
      const [one, two, three] = await embeddings.embed(["one", `two ${"x".repeat(23)}`, "three"], { as: "passage" });
      expect([a, b, c]).toEqual([one, two, three]);
    },
  );

  test("a request that is refused for its number of texts is split", async () => {
    const { endpoint, embeddings } = await opened((texts, response) =>
      texts.length > 3 ? refuse(response, 400, "at most 3 inputs") : undefined,
    );
    expect(await embeddings.embed(["a", "b", "c", "d", "e"], { as: "passage" })).toHaveLength(5);
    expect(endpoint.requests.filter((texts) => texts.length <= 3).flat()).toEqual(["a", "b", "c", "d", "e"]);
  });

  test.each([429, 503])("a busy endpoint (%i) is retried", async (status) => {
    const { embeddings } = await opened((_, response, count) =>
      count === 1 ? refuse(response, status, "busy") : undefined,
    );
    expect(await embeddings.embed(["a"], { as: "passage" })).toHaveLength(1);
  });

  test.each([
    ["a wrong key", 401, /refused the key.*OPENAI_API_KEY/],
    ["a key that may not use the model", 403, /refused the key/],
    ["an unknown model", 404, /no model fake.*EMEND_EMBEDDINGS_MODEL/],
    ["a spent quota", 429, /reached its request limit/],
    ["a refusal that nothing helps", 400, /failed: 400/],
    ["a fault of its own", 500, /failed: 500/],
  ])("%s (%i) is reported in one sentence with a remedy and without the key", async (_, status, sentence) => {
    const { embeddings } = await opened((_texts, response) => refuse(response, status, `no good: ${KEY}`));
    const error: unknown = await embeddings.embed(["a"], { as: "passage" }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(EndpointError);
    expect(error).toMatchObject({ status, message: expect.stringMatching(sentence) });
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain(KEY);
  });

  test("an unreachable address is named in the error", async () => {
    const { endpoint, embeddings } = await opened();
    await endpoint[Symbol.asyncDispose]();
    await expect(embeddings.embed(["a"], { as: "passage" })).rejects.toMatchObject({
      name: "EndpointError",
      status: 0,
      message: expect.stringContaining(`No embeddings endpoint answers at ${endpoint.baseURL}`),
    });
  });

  test("a password in the address is not repeated", async () => {
    const { embeddings } = await opened(undefined, { baseURL: "http://me:hunter2@127.0.0.1:1/v1" });
    const error: unknown = await embeddings.embed(["a"], { as: "passage" }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain("127.0.0.1:1/v1");
    expect(String(error)).not.toContain("hunter2");
  });

  test("a request to an endpoint that never answers times out", async () => {
    const { embeddings } = await opened(() => true, { timeoutMs: 20 });
    await expect(embeddings.embed(["a"], { as: "passage" })).rejects.toThrow(/did not answer in time/);
  });

  test("an abort ends waiting for an endpoint", async () => {
    const stop = new AbortController();
    const { embeddings } = await opened(() => {
      stop.abort(new Error("the user left"));
      return true;
    });
    await expect(embeddings.embed(["a"], { as: "passage", signal: stop.signal })).rejects.toThrow("the user left");
  });

  test.each([
    ["fewer vectors than texts", { data: [{ index: 0, embedding: [1, 2] }] }],
    [
      "vectors of different lengths",
      {
        data: [
          { index: 0, embedding: [1, 2] },
          { index: 1, embedding: [1] },
        ],
      },
    ],
    [
      "vectors of nothing",
      {
        data: [
          { index: 0, embedding: [] },
          { index: 1, embedding: [] },
        ],
      },
    ],
    [
      "vectors of zeros",
      {
        data: [
          { index: 0, embedding: [0, 0] },
          { index: 1, embedding: [0, 0] },
        ],
      },
    ],
    ["something else", { choices: [{ message: { content: "Hello!" } }] }],
    ["a page", "<html>Welcome</html>"],
  ])("a reply with %s is refused", async (_, body) => {
    const { embeddings } = await opened((_texts, response) => send(response, 200, body));
    await expect(embeddings.embed(["a", "b"], { as: "passage" })).rejects.toMatchObject({
      name: "EndpointError",
      message: expect.stringContaining("did not return one vector per text"),
    });
  });
});
