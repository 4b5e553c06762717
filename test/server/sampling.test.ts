import { expect, test } from "vitest";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { fakeServer, refuses, says } from "../tools/chat/fake-server.js";
import { listening } from "./listening.js";

const QUESTION = "How many days of paid leave do full-time staff have?";
const DAYS = "Full-time staff have 28 days of paid leave [1].";
const messages = [{ role: "user", content: QUESTION }];

/** A server whose answers are written by a chat model at this endpoint. */
const writing = (baseURL: string) =>
  listening({ tools: { generator: modelReasoners({ chat: { model: "fake", baseURL } }).generator } });

test.each([
  ["/v1/chat/completions", { model: "emend", messages, temperature: 0.7, top_p: 0.5 }],
  ["/v1/responses", { model: "emend", input: QUESTION, temperature: 0.7, top_p: 0.5 }],
  ["/api/ask", { question: QUESTION, context: { temperature: 0.7, topP: 0.5 } }],
])("a client of %s chooses the temperature and top_p of the model that writes", async (path, body) => {
  await using endpoint = await fakeServer(says(DAYS));
  const { post } = await writing(endpoint.baseURL);
  const reply = await post(path, body);
  expect(await reply.text()).toContain("28 days of paid leave [1]");
  expect(endpoint.requests.map(({ temperature, top_p }) => [temperature, top_p])).toEqual([[0.7, 0.5]]);
});

test("a client that chooses nothing, or null, gets the likeliest words", async () => {
  await using endpoint = await fakeServer(says(DAYS));
  const { post } = await writing(endpoint.baseURL);
  for (const sampling of [{}, { temperature: null, top_p: null }])
    await post("/v1/chat/completions", { model: "emend", messages, ...sampling });
  expect(endpoint.requests.map(({ temperature, top_p }) => [temperature, top_p])).toEqual([
    [0, undefined],
    [0, undefined],
  ]);
});

test("a model that accepts no top_p keeps the temperature that the client chose", async () => {
  const refusal = "temperature and top_p cannot both be specified for this model";
  await using endpoint = await fakeServer(refuses(400, refusal), says(DAYS));
  const { post } = await writing(endpoint.baseURL);
  const reply = await post("/v1/chat/completions", { model: "emend", messages, temperature: 0.7, top_p: 0.5 });
  expect(await reply.text()).toContain("28 days of paid leave [1]");
  expect(endpoint.requests.map(({ temperature, top_p }) => [temperature, top_p])).toEqual([
    [0.7, 0.5],
    [0.7, undefined],
  ]);
});
