import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { listening } from "./listening.js";

const { address } = await listening();
const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: "none", maxRetries: 0 });
const asked = (content: string) => ({ model: "emend", messages: [{ role: "user" as const, content }] });

describe("OpenAI's own client", () => {
  test("gets an answer with its citations as annotations and its sources below", async () => {
    const reply = await client.chat.completions.create(asked("How many days of paid leave do full-time staff have?"));
    const [choice] = reply.choices;
    expect(choice?.finish_reason).toBe("stop");
    const { content, annotations } = choice?.message ?? {};
    expect(content).toMatch(
      /^Full-time staff have 28 days of paid leave \[1\]\.\n\n\*\*Sources\*\*\n\n\[1\] \[leave\]\(http:[^)]+\) \(`leave\.md`\)/,
    );
    const [{ url_citation: cited } = { url_citation: undefined }] = annotations ?? [];
    expect(content?.slice(cited?.start_index, cited?.end_index)).toBe("[1]");
    expect(reply.usage).toMatchObject({ total_tokens: 0 });
  });

  test("gets the same answer as a stream, with usage if it asks for it", async () => {
    const question = "How many days of paid leave do full-time staff have?";
    const whole = await client.chat.completions.create(asked(question));
    let text = "";
    let usage: unknown;
    const stream = await client.chat.completions.create({
      ...asked(question),
      stream: true,
      stream_options: { include_usage: true },
    });
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(usage).toMatchObject({ prompt_tokens: 0 });
  });

  test("gets a refusal as a plain answer", async () => {
    const reply = await client.chat.completions.create(asked("Who painted the ceiling of the Sistine Chapel?"));
    expect(reply.choices[0]?.message.content).toMatch(/^Not found in these documents\./);
  });

  test("gets suggested questions in reply to a greeting", async () => {
    const { content, annotations } = (await client.chat.completions.create(asked("hello"))).choices[0]?.message ?? {};
    expect(content).toMatch(/^Hello! .*\n\nThere (?:is|are) /);
    expect([content?.includes("**Sources**"), annotations]).toEqual([false, []]);
  });

  test("can ask in Chinese", async () => {
    const reply = await client.chat.completions.create(asked("出国差旅由谁审批？"));
    expect(reply.choices[0]?.message.content).toContain("出国差旅由部门负责人审批[1]。");
    expect(reply.choices[0]?.message.content).toContain("**来源**");
  });

  test("can ask follow-ups with the conversation, from which emend's lists of sources are removed", async () => {
    const first = "How many days of paid leave do full-time staff have?";
    const { choices } = await client.chat.completions.create(asked(first));
    const reply = await client.chat.completions.create({
      model: "emend",
      messages: [
        { role: "system", content: "Be brief." },
        { role: "user", content: first },
        { role: "assistant", content: choices[0]?.message.content ?? "" },
        { role: "user", content: [{ type: "text", text: "And how many days do they have?" }] },
      ],
    });
    expect(reply.choices[0]?.message.content).toContain("28 days");
  });

  const user = (content: unknown) => ({ model: "emend", messages: [{ role: "user", content }] });
  const picture = [{ type: "image_url", image_url: { url: "data:," } }];
  test.each([
    ["another model", { ...asked("Hi?"), model: "gpt-4" }, 404, "model", "model_not_found", /"gpt-4".*"emend"/],
    ["no model", { messages: asked("Hi?").messages }, 400, "model", "missing_required_parameter", /model/],
    ["several answers", { ...asked("Hi?"), n: 2 }, 400, "n", "unsupported_value", /emend gives one answer/],
    ["logprobs", { ...asked("Hi?"), logprobs: true }, 400, "logprobs", "unsupported_value", /no probabilities/],
    ["weights", { ...asked("Hi?"), logit_bias: { 50: 1 } }, 400, "logit_bias", "unsupported_value", /weighs no tokens/],
    ["sound", { ...asked("Hi?"), modalities: ["text", "audio"] }, 400, "modalities[1]", "unsupported_value", /in text/],
    ["no tokens", { ...asked("Hi?"), max_tokens: 0 }, 400, "max_tokens", "invalid_value", /max_tokens/],
    ["heat", { ...asked("Hi?"), temperature: 3 }, 400, "temperature", "invalid_value", /temperature/],
    ["five stops", { ...asked("Hi?"), stop: [..."abcde"] }, 400, "stop", "invalid_value", /at most 4 texts/],
    ["a number as content", user(3), 400, "messages[0].content", "invalid_value", /a text, or a list of parts/],
    ["an empty stop", { ...asked("Hi?"), stop: "" }, 400, "stop", "invalid_value", /stop/],
    [
      "JSON",
      { ...asked("Hi?"), response_format: { type: "json_object" } },
      400,
      "response_format.type",
      "unsupported_value",
      /in text/,
    ],
    ["a picture", user(picture), 400, "messages", "unsupported_value", /reads text, not image_url/],
    ["an empty question", user(" "), 400, "messages", "invalid_value", /question is empty/],
    [
      "a role that is a number",
      { model: "emend", messages: [{ role: 3 }] },
      400,
      "messages[0].role",
      "invalid_type",
      /role/,
    ],
    [
      "no question",
      { model: "emend", messages: [{ role: "assistant", content: "Hi" }] },
      400,
      "messages",
      "invalid_value",
      /last message/,
    ],
    ["no messages", { model: "emend", messages: [] }, 400, "messages", "invalid_value", /messages/],
  ])("gets an error for %s that names the parameter", async (_, request, status, param, code, message) => {
    const wrong = client.chat.completions.create(request as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming);
    const error = { status, type: "invalid_request_error", param, code, message: expect.stringMatching(message) };
    await expect(wrong).rejects.toMatchObject(error);
  });

  test("gets errors in OpenAI's format for a wrong token, an unknown path and too many requests", async () => {
    const guarded = await listening({ tokens: ["secret"], perMinute: 1 });
    const withKey = (apiKey: string) => new OpenAI({ baseURL: `${guarded.address}/v1`, apiKey, maxRetries: 0 });
    const ask = (apiKey: string) => withKey(apiKey).chat.completions.create(asked("hello"));
    await expect(ask("other")).rejects.toMatchObject({ status: 401, code: "invalid_api_key", param: null });
    const nowhere = withKey("secret").get("/files");
    await expect(nowhere).rejects.toMatchObject({ status: 404, code: "unknown_url" });
    await ask("secret");
    await expect(ask("secret")).rejects.toMatchObject({ status: 429, code: "rate_limit_exceeded", type: "requests" });
  });

  test("gets an error in OpenAI's format in the middle of a stream", async () => {
    const broken = await listening({ scope: () => Promise.reject(new Error("secret path")) });
    const body = { ...asked("How many days?"), stream: true };
    const text = await (await broken.post("/v1/chat/completions", body)).text();
    const [last = ""] = text.trim().split("\n").slice(-1);
    expect(JSON.parse(last.replace("data: ", ""))).toEqual({
      error: {
        message: expect.stringContaining("Something failed"),
        type: "server_error",
        param: null,
        code: "server_error",
      },
    });
  });

  test.each([false, true])(
    "gets at most the tokens that it wants, in complete sentences (streamed: %s)",
    async (stream) => {
      const question = "How many days of paid leave do full-time staff have?";
      const get = async (max_tokens: number) => {
        const runner = client.chat.completions.stream({ ...asked(question), max_tokens });
        const whole = stream
          ? await runner.finalChatCompletion()
          : await client.chat.completions.create({ ...asked(question), max_tokens });
        const [choice] = whole.choices;
        return [choice?.finish_reason, choice?.message.content ?? ""] as const;
      };
      expect(await get(3)).toEqual(["length", ""]);
      expect(await get(20)).toEqual(["length", "Full-time staff have 28 days of paid leave [1]."]);
      const [reason, text] = await get(500);
      expect([reason, text.includes("**Sources**")]).toEqual(["stop", true]);
    },
  );

  test.each([false, true])("gets complete sentences up to a stop word (streamed: %s)", async (stream) => {
    const question = "How many days of paid leave do full-time staff have?";
    const get = async (stop: string | string[]) => {
      const completions = client.chat.completions;
      if (!stream) return (await completions.create({ ...asked(question), stop })).choices[0];
      return (await completions.stream({ ...asked(question), stop }).finalChatCompletion()).choices[0];
    };
    const first = { finish_reason: "stop", message: { content: "Full-time staff have 28 days of paid leave [1]." } };
    expect(await get("\n")).toMatchObject(first);
    expect(await get(["nowhere", "**Sources**"])).toMatchObject(first);
    expect(await get("days")).toMatchObject({ finish_reason: "stop", message: { content: "" } });
    // The beginning is sent before the end is known.
    expect(await get("leave [1].\n\n**S")).toMatchObject({ finish_reason: "stop", message: { content: "" } });
    expect((await get("no such words"))?.message.content).toContain("**Sources**");
  });

  test("lists the one model", async () => {
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(["emend"]);
    await expect(client.models.retrieve("gpt-4")).rejects.toMatchObject({ status: 404, code: "model_not_found" });
  });
});
