import { ChatOpenAI } from "@langchain/openai";
import OpenAI from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { BudgetSpentError, EndpointError, MalformedReplyError } from "../../src/errors.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import type { Tools } from "../../src/state/tools.js";
import { fakePassage, inMemoryDocuments } from "../../src/testing/index.js";
import type { FillTask } from "../../src/types/reasoners.js";
import { fakeEncoder } from "../encoder.js";
import { listening } from "./listening.js";

const QUESTION = "How many days of paid leave do full-time staff have, and who approves travel abroad?";
const documents = inMemoryDocuments([
  fakePassage("leave", "Full-time staff have 28 days of paid leave."),
  fakePassage("travel", "Travel abroad is approved by the head of the department."),
]);
const Leave = z.object({
  days: z.number().int().nullable().describe("days of paid leave of full-time staff"),
  approver: z.string().nullable().describe("who approves travel abroad"),
  notice: z.string().nullable(),
});
const LEAVE = "Full-time staff have 28 days of paid leave.";
const FOUND = { days: 28, approver: "the head of the department", notice: null };

interface Reply {
  choices?: { message: { content: string } }[];
  error?: object;
}

/** A server whose chat model fills fields with these values. `tasks` records what it was asked. */
async function filling(values: Record<string, unknown>) {
  const tasks: FillTask[] = [];
  const filler = {
    fill: async (task: FillTask) => {
      tasks.push(task);
      return values;
    },
  };
  const { address, ...rest } = await listening({ tools: { documents, filler } });
  const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: "none", maxRetries: 0 });
  return { ...rest, address, client, tasks };
}
const messages = [{ role: "user" as const, content: QUESTION }];

describe("Data by a schema", () => {
  test("comes only from the checked claims, to OpenAI's client in both APIs", async () => {
    const { client, tasks } = await filling({ ...FOUND, notice: "two weeks" });
    const completion = await client.chat.completions.parse({
      model: "emend",
      messages,
      response_format: zodResponseFormat(Leave, "leave"),
    });
    expect(completion.choices[0]?.message.parsed).toEqual(FOUND);
    expect(completion).toMatchObject({ emend: { claims: [{ citations: [{}] }, {}] } });
    const response = await client.responses.parse({
      model: "emend",
      input: QUESTION,
      text: { format: zodTextFormat(Leave, "leave") },
    });
    expect(response.output_parsed).toEqual(FOUND);
    expect(tasks[0]?.statements.toSorted()).toEqual([
      "Full-time staff have 28 days of paid leave.",
      "Travel abroad is approved by the head of the department.",
    ]);
  });

  test("comes as a stream too", async () => {
    const { client } = await filling(FOUND);
    const stream = client.chat.completions.stream({
      model: "emend",
      messages,
      response_format: zodResponseFormat(Leave, "leave"),
    });
    expect((await stream.finalChatCompletion()).choices[0]?.message.parsed).toEqual(FOUND);
  });

  test("comes to LangChain's withStructuredOutput", async () => {
    const { address } = await filling(FOUND);
    const model = new ChatOpenAI({ model: "emend", apiKey: "none", configuration: { baseURL: `${address}/v1` } });
    expect(await model.withStructuredOutput(Leave).invoke(QUESTION)).toEqual(FOUND);
  });

  const ask = async (values: Record<string, unknown>, properties: object, content = QUESTION) => {
    const { post, tasks } = await filling(values);
    const response_format = { type: "json_schema", json_schema: { name: "x", schema: { type: "object", properties } } };
    const body = { model: "emend", messages: [{ role: "user", content }], response_format };
    const reply = (await (await post("/v1/chat/completions", body)).json()) as Reply;
    const [choice] = reply.choices ?? [];
    return { error: reply.error, tasks, values: choice && JSON.parse(choice.message.content) };
  };

  test.each([
    ["a number that no claim has", { type: "number" }, 30, null],
    ["a part of a number", { type: "integer" }, 2, null],
    ["a number out of the schema's range", { type: "integer", maximum: 20 }, 28, null],
    ["a number for a text", { type: "string" }, 28, null],
    ["a part of a word", { type: "string" }, "part", null],
    ["another case", { type: "string" }, "PAID LEAVE", "PAID LEAVE"],
    [
      "a sentence that a claim supports",
      { type: "string" },
      "Full-time staff have 28 days of paid leave.",
      "Full-time staff have 28 days of paid leave.",
    ],
    ["a sentence that no claim supports", { type: "string" }, "Full-time staff have 30 days of paid leave.", null],
    ["a picture", { type: "string" }, `${LEAVE} <img src=http://evil.example/x>`, null],
    ["an address", { type: "string" }, `${LEAVE} See evil.example/login.`, null],
    ["a heading beside a claim", { type: "string" }, `# Staff resign\n\n${LEAVE}`, null],
    ["a question beside a claim", { type: "string" }, `${LEAVE} Have you confirmed your password?`, null],
    ["an option", { type: ["string", "null"], enum: ["department", "board"] }, "department", "department"],
    ["no option", { type: "string", enum: ["board"] }, "department", null],
    ["a list", { type: "array", items: { type: "string" } }, ["paid leave", "sick leave"], ["paid leave"]],
    [
      "a group",
      { type: "object", properties: { days: { type: "number" }, hours: { type: "number" } } },
      { days: 28, hours: 8 },
      { days: 28, hours: null },
    ],
  ])("of %s keeps only what the claims contain", async (_, schema, given, kept) => {
    expect((await ask({ it: given }, { it: schema })).values).toEqual({ it: kept });
  });

  test.each([
    ["Also say, if the sources do: days of paid leave of full-time staff; who approves travel abroad; notice."],
    ["Who approves travel abroad."],
  ])("does not come from %s, which a small model copies from its instructions", async (echo) => {
    const days = "Full-time staff have 28 days of paid leave.";
    const generator: Tools["generator"] = {
      generate: async ({ evidence }) => ({
        claims: [days, echo].map((text, i) => {
          const { id = "", text: quote = "" } = evidence.find((one) => one.id === (i ? "travel" : "leave")) ?? {};
          return { text, citations: [{ evidenceId: id, quote }] };
        }),
        missing: "",
      }),
    };
    // As sure of the echo as the package's encoder is.
    const encoder = fakeEncoder({
      judge: ({ text }) => ({ relevance: 0.9, answerability: 0.9, supported: text === days ? 0.95 : 0.83 }),
    });
    const asked: FillTask[] = [];
    const filler: Tools["filler"] = {
      fill: async (task) => {
        asked.push(task);
        return { days: 28, approver: "who approves travel abroad" };
      },
    };
    const { post } = await listening({ tools: { documents, generator, filler, encoder } });
    const response_format = zodResponseFormat(Leave, "leave");
    const reply = await post("/v1/chat/completions", { model: "emend", messages, response_format });
    const { choices = [], emend } = (await reply.json()) as Reply & { emend: { claims: { text: string }[] } };
    expect(asked.map(({ statements }) => statements)).toEqual([[days]]);
    expect(JSON.parse(choices[0]?.message.content ?? "")).toEqual({ days: 28, approver: null, notice: null });
    expect(emend.claims.map(({ text }) => text)).toEqual([days]);
  });

  test("is null, without a call, if nothing answers", async () => {
    const { values, tasks } = await ask({ it: "Michelangelo" }, { it: { type: "string" } }, "Who painted the ceiling?");
    expect([values, tasks]).toEqual([{ it: null }, []]);
  });

  test.each([
    ["yes or no", { it: { type: "boolean" } }, ".properties.it", /yes or no/],
    ["a reference", { it: { $ref: "#" } }, ".properties.it", /\$ref/],
    ["a pattern", { it: { type: "string", pattern: "(a+)+$" } }, ".properties.it", /pattern/],
    ["several types", { it: { type: ["string", "number"] } }, ".properties.it", /several types/],
    ["a list of anything", { it: { type: "array" } }, ".properties.it.items", /schema/],
    ["a strange name", { "a b": { type: "string" } }, ".properties.a b", /name/],
  ])("is refused for %s, with the place in the schema", async (_, properties, place, message) => {
    const { error } = await ask({}, properties);
    const param = `response_format.json_schema.schema${place}`;
    expect(error).toMatchObject({ param, code: "unsupported_value", message: expect.stringMatching(message) });
  });

  test("is refused without a chat model, with the setting to change", async () => {
    const { address } = await listening();
    const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: "none", maxRetries: 0 });
    const asked = client.responses.create({
      model: "emend",
      input: QUESTION,
      text: { format: zodTextFormat(Leave, "leave") },
    });
    const message = expect.stringContaining("EMEND_MODEL");
    await expect(asked).rejects.toMatchObject({ status: 400, param: "text.format.schema", message });
  });

  test("has one call reserved, whatever the question spends", async () => {
    const calls: number[] = [];
    const { grader } = localReasoners();
    const server = await listening({
      tools: {
        documents,
        grader: {
          grade: (task, call) => {
            calls.push(call.calls);
            return grader.grade(task, call);
          },
        },
        filler: {
          fill: async (_task, call) => {
            calls.push(call.calls);
            call.spent({ calls: 1, inputTokens: 20, cachedTokens: 0, outputTokens: 5 });
            return FOUND;
          },
        },
      },
      context: { budget: { calls: 1 } },
    });
    const response_format = zodResponseFormat(Leave, "leave");
    const reply = await server.post("/v1/chat/completions", { model: "emend", messages, response_format });
    expect(await reply.json()).toMatchObject({ usage: { total_tokens: 25 } });
    expect([...new Set(calls)]).toEqual([0, 1]);
  });

  test.each([
    [new EndpointError("secret address"), /does not answer/],
    [new MalformedReplyError("secret"), /no usable data/],
    [new BudgetSpentError("secret"), /budget\.calls/],
  ])("fails with a message if the model fails", async (error, message) => {
    const server = await listening({ tools: { documents, filler: { fill: () => Promise.reject(error) } } });
    const response_format = zodResponseFormat(Leave, "leave");
    const reply = await server.post("/v1/chat/completions", { model: "emend", messages, response_format });
    expect(reply.status).toBe(503);
    const told = { code: "service_unavailable", message: expect.stringMatching(message) };
    expect(await reply.json()).toMatchObject({ error: told });
  });

  test("is complete or missing if its tokens are limited", async () => {
    const { client } = await filling(FOUND);
    const limited = await client.chat.completions.create({
      model: "emend",
      messages,
      max_tokens: 3,
      response_format: zodResponseFormat(Leave, "leave"),
    });
    expect(limited.choices[0]).toMatchObject({ finish_reason: "length", message: { content: "" } });
  });
});
