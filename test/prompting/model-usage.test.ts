import { ChatOpenAI } from "@langchain/openai";
import { describe, expect, test } from "vitest";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { meter } from "../../src/testing/reasoners-sample.js";
import { usageOf } from "../../src/tools/chat/chat-langchain.js";
import { USAGES } from "../graph/faulty-model.js";
import { fakeServer } from "../tools/chat/fake-server.js";
import { CHECKING, CHECKS } from "./replies.js";

const asked = [
  { role: "system" as const, content: "x".repeat(39) },
  { role: "user" as const, content: "年".repeat(20) },
];

describe("the usage of a request", () => {
  test("is what the endpoint reports if that is a number of tokens", () => {
    const said = { inputTokens: 100, cachedTokens: 60, outputTokens: 0 };
    expect(usageOf(said, asked, "twenty characters ..")).toEqual(said);
  });

  test.each([
    -1,
    1.5,
    "12",
    1e308,
    Number.POSITIVE_INFINITY,
    Number.NaN,
    null,
    undefined,
    [1],
    { a: 1 },
    true,
    2 ** 60,
  ])("is estimated from the length of the text if the endpoint reports %j", (odd) => {
    const said = { inputTokens: odd, cachedTokens: odd, outputTokens: odd };
    expect(usageOf(said, asked, "twenty characters ..")).toEqual({ inputTokens: 25, cachedTokens: 0, outputTokens: 5 });
  });

  test("has at most as many cached tokens as input tokens", () => {
    expect(usageOf({ inputTokens: 5, cachedTokens: 6, outputTokens: 1 }, asked, "").cachedTokens).toBe(0);
  });

  test.each(Object.keys(USAGES))("is in whole numbers if a LangChain model reports %s", async (name) => {
    await using server = await fakeServer(USAGES[name]?.script(CHECKS) ?? (() => undefined));
    const configuration = { baseURL: server.baseURL };
    const model = new ChatOpenAI({ model: "own", apiKey: "k", configuration, maxRetries: 0 });
    const { call, spent } = meter();
    await modelReasoners({ chat: model }).checker.check(CHECKING, call);
    expect(spent).toHaveLength(1);
    for (const figure of Object.values(spent[0] ?? {})) expect(figure).toSatisfy(isCount);
  });
});

const isCount = (figure: number) => Number.isSafeInteger(figure) && figure >= 0;
