import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { listening } from "./listening.js";

const { address } = await listening();
const client = new OpenAI({ baseURL: `${address}/v1`, apiKey: "none", maxRetries: 0 });
const asked = (content: string) => ({ model: "emend", messages: [{ role: "user" as const, content }] });

describe("OpenAI's own client", () => {
  test("gets an answer with its citations as annotations, and the sources below", async () => {
    const reply = await client.chat.completions.create(asked("How many days of paid leave do full-time staff have?"));
    const [choice] = reply.choices;
    expect(choice?.finish_reason).toBe("stop");
    const { content, annotations } = choice?.message ?? {};
    expect(content).toMatch(/^Full-time staff have 28 days of paid leave \[1\]\.\n\n\*\*Sources\*\*\n\n\[1\] leave/);
    const [{ url_citation: cited } = { url_citation: undefined }] = annotations ?? [];
    expect(content?.slice(cited?.start_index, cited?.end_index)).toBe("[1]");
    expect(reply.usage).toMatchObject({ total_tokens: 0 });
  });

  test("gets the same as it grows, with usage where it asks for it", async () => {
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
    expect(reply.choices[0]?.message.content).toMatch(/^I can't answer/);
  });

  test("is greeted with what can be asked", async () => {
    const { content, annotations } = (await client.chat.completions.create(asked("hello"))).choices[0]?.message ?? {};
    expect(content).toMatch(/^Hello! .*\n\nThere (?:is|are) /);
    expect([content?.includes("**Sources**"), annotations]).toEqual([false, []]);
  });

  test("asks in Chinese", async () => {
    const reply = await client.chat.completions.create(asked("出国差旅由谁审批？"));
    expect(reply.choices[0]?.message.content).toContain("出国差旅由部门负责人审批[1]。");
    expect(reply.choices[0]?.message.content).toContain("**来源**");
  });

  test("asks follow-ups with the conversation, whose own lists of sources are no part of it", async () => {
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

  test.each([
    ["another model", { ...asked("Hello?"), model: "gpt-4" }, /no model "gpt-4".*"emend"/],
    ["several answers", { ...asked("Hello?"), n: 2 }, /n: emend gives one answer/],
    [
      "a picture",
      { model: "emend", messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:," } }] }] },
      /reads text, not image_url/,
    ],
    ["no question", { model: "emend", messages: [{ role: "assistant", content: "Hi" }] }, /last message/],
    ["no messages", { model: "emend", messages: [] }, /messages/],
  ])("is told in words what is wrong with %s", async (_, request, message) => {
    const wrong = client.chat.completions.create(request as unknown as OpenAI.ChatCompletionCreateParamsNonStreaming);
    await expect(wrong).rejects.toThrow(message);
  });

  test("lists the one model", async () => {
    const { data } = await client.models.list();
    expect(data.map(({ id }) => id)).toEqual(["emend"]);
    await expect(client.models.retrieve("gpt-4")).rejects.toThrow(/no model/);
  });
});
