import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { listening } from "./listening.js";

const { address } = await listening();
const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: "none", maxRetries: 0 });
const QUESTION = "How many days of paid leave do full-time staff have?";
const asked = (input: string) => ({ model: "emend", input });

describe("OpenAI's own client, by the Responses API,", () => {
  test("gets an answer with its citations as annotations", async () => {
    const reply = await client.responses.create(asked(QUESTION));
    expect(reply).toMatchObject({ object: "response", status: "completed", error: null, store: false });
    expect(reply.output_text).toMatch(
      /^Full-time staff have 28 days of paid leave \[1\]\.\n\n\*\*Sources\*\*\n\n\[1\] \[leave\]\(http:[^)]+\) \(`leave\.md`\)/,
    );
    const [message] = reply.output;
    const [part] = message?.type === "message" ? message.content : [];
    if (part?.type !== "output_text") throw new Error("There is no text.");
    const [cited] = part.annotations;
    if (cited?.type !== "url_citation") throw new Error("There is no citation.");
    expect(part.text.slice(cited.start_index, cited.end_index)).toBe("[1]");
    expect(cited.title).toMatch(/^leave/);
    expect(reply.usage).toMatchObject({ total_tokens: 0, input_tokens_details: { cached_tokens: 0 } });
  });

  test("gets the same answer as a stream of events", async () => {
    const stream = client.responses.stream(asked(QUESTION));
    const types: string[] = [];
    let text = "";
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "response.output_text.delta") text += event.delta;
    }
    const whole = await client.responses.create(asked(QUESTION));
    const final = await stream.finalResponse();
    expect(text).toBe(whole.output_text);
    expect(final.output_text).toBe(whole.output_text);
    expect(final.output).toMatchObject(whole.output.map((item) => ({ ...item, id: expect.any(String) })));
    expect(types[0]).toBe("response.created");
    expect(types).toContain("response.output_text.annotation.added");
    expect(types.at(-1)).toBe("response.completed");
  });

  test("can ask follow-ups with the whole conversation, in Chinese too, and its tools are ignored", async () => {
    const first = await client.responses.create({ ...asked(QUESTION), instructions: "Be brief." });
    const reply = await client.responses.create({
      model: "emend",
      input: [
        { role: "user", content: QUESTION },
        ...first.output.flatMap((item) => (item.type === "message" ? [item] : [])),
        { type: "function_call_output", call_id: "1", output: "nothing" },
        { role: "user", content: [{ type: "input_text", text: "出国差旅由谁审批？" }] },
      ],
      tools: [{ type: "function", name: "search", parameters: {}, strict: false }],
    });
    expect(reply.output_text).toContain("出国差旅由部门负责人审批[1]。");
  });

  test("gets at most the tokens that it wants, and the status incomplete", async () => {
    const request = { ...asked(QUESTION), max_output_tokens: 20, metadata: { ticket: "7" } };
    const reply = await client.responses.create(request);
    expect(reply).toMatchObject({
      status: "incomplete",
      incomplete_details: { reason: "max_output_tokens" },
      max_output_tokens: 20,
      metadata: { ticket: "7" },
      output_text: "Full-time staff have 28 days of paid leave [1].",
    });
    const stream = client.responses.stream(request);
    const types = await Array.fromAsync(stream, ({ type }) => type);
    expect(types.at(-1)).toBe("response.incomplete");
    expect((await stream.finalResponse()).output_text).toBe(reply.output_text);
  });

  test.each([
    [
      "a response that would be kept",
      { ...asked("Hi?"), previous_response_id: "resp_1" },
      400,
      "previous_response_id",
      "unsupported_value",
      /keeps no responses/,
    ],
    [
      "an item that would be kept",
      { model: "emend", input: [{ type: "item_reference", id: "1" }] },
      400,
      "input",
      "unsupported_value",
      /keeps no items/,
    ],
    [
      "data that is wanted",
      { ...asked("Hi?"), text: { format: { type: "json_object" } } },
      400,
      "text.format.type",
      "unsupported_value",
      /answers in text/,
    ],
    [
      "logprobs",
      { ...asked("Hi?"), include: ["message.output_text.logprobs"] },
      400,
      "include",
      "unsupported_value",
      /no probabilities/,
    ],
    ["no input", { model: "emend" }, 400, "input", "missing_required_parameter", /a text, or a list of messages/],
    ["no question", { model: "emend", input: [] }, 400, "input", "invalid_value", /input/],
  ])("gets an error for %s that names the parameter", async (_, request, status, param, code, message) => {
    const wrong = client.responses.create(request as unknown as OpenAI.Responses.ResponseCreateParamsNonStreaming);
    const error = { status, type: "invalid_request_error", param, code, message: expect.stringMatching(message) };
    await expect(wrong).rejects.toMatchObject(error);
  });
});
