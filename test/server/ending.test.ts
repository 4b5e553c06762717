import { expect, test } from "vitest";
import type { Asking } from "../../src/server/asking.js";
import { cutAtEnding, endingOf, NO_ENDING } from "../../src/server/ending.js";
import { replying } from "../../src/server/reply.js";
import { tokensIn } from "../../src/text/token-count.js";
import type { AgentEvent } from "../../src/types/events.js";
import { listening } from "./listening.js";

const TEXT = "出国差旅由部门负责人审批[1]。报销由财务部门审批[2]。";

test.each([
  ["tokens", endingOf(null, 20), "length", "出国差旅由部门负责人审批[1]。"],
  ["a stop word", endingOf("财务", null), "stop", "出国差旅由部门负责人审批[1]。"],
  ["nothing", NO_ENDING, "stop", TEXT],
])("a Chinese text that is limited by %s ends after a complete sentence", (_, ending, finish, text) => {
  expect(cutAtEnding(TEXT, TEXT.length, ending)).toEqual({ finish, text });
});

test("a list of sources that does not fit is omitted as a whole", () => {
  const text = `${TEXT}\n\n**来源**\n\n[1] 差旅。\n\n[2] 报销。`;
  expect(cutAtEnding(text, TEXT.length, endingOf(null, tokensIn(text) - 1)).text).toBe(TEXT);
  expect(cutAtEnding(text, TEXT.length, endingOf("[2] 报", null)).text).toBe(TEXT);
});

test("the withdrawal of a streamed sentence is sent even if the limit of tokens is reached", async () => {
  const { agent } = await listening();
  const question = "How many days of paid leave do full-time staff have?";
  const answer = await agent.ask(question);
  const [claim] = answer.claims;
  if (!claim) throw new Error("There is no claim.");
  const wrong = { ...claim, text: "Full-time staff have 30 days of paid leave." };
  const events: AgentEvent[] = [
    { type: "claim", claim: wrong, references: answer.references },
    { type: "retracted", text: wrong.text, reason: { code: "says_otherwise", source: "28", claim: "30" } },
    { type: "answer", answer },
  ];
  const asking = {
    async *events() {
      yield* events;
    },
  } as unknown as Asking;
  const messages = [{ role: "user", content: question }];
  const reply = replying(asking, {
    messages,
    param: "messages",
    sampling: {},
    ending: endingOf(null, 15),
    configurable: {},
    chosen: { shown: [], named: undefined },
  });
  const parts = await Array.fromAsync(reply.growing(new AbortController().signal));
  expect(parts.slice(0, 1)).toEqual(["Full-time staff have 30 days of paid leave [1]."]);
  expect(parts.join("")).toContain("Full-time staff have 28 days of paid leave [1].");
  expect(parts.join("")).toContain("The source says “28”, not “30”.");
});
