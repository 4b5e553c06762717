import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { modelGenerator } from "../../src/prompting/model-generator.js";
import { fakeChecker, fakePassage, fakeTools } from "../../src/testing/index.js";
import type { Chat } from "../../src/tools/chat/port.js";
import { Citing } from "../../src/types/answer.js";
import type { AgentEvent } from "../../src/types/events.js";

const passages = [
  fakePassage("hours", "The Lisbon office opens at eight. It closes at six."),
  fakePassage("leave", "Everybody has twenty-two days of leave. Leave is planned in March."),
];

/** The same answer in the format of each style, each with one claim that no source supports. */
const text = (marks: readonly string[]) =>
  `Leave is planned in March${marks[0]}. The Lisbon office opens at eight${marks[1]}. Whales sing${marks[0]}.`;
const said = (citations: (source: number, quote: string) => object) => [
  { text: "Leave is planned in March.", ...citations(2, "Leave is planned in March.") },
  { text: "The Lisbon office opens at eight.", ...citations(1, "The Lisbon office opens at eight.") },
  { text: "Whales sing.", ...citations(1, "Whales sing.") },
];
const REPLIES: Record<Citing, (order: readonly string[]) => object[]> = {
  quote: ([a, b]) => [{ claims: said((source, quote) => ({ source: source === 1 ? a : b, quote })), missing: "" }],
  document: ([a, b]) => [{ claims: said((source) => ({ sources: [source === 1 ? a : b] })), missing: "" }],
  compress: ([a, b]) => [{ claims: said((source) => ({ sources: [`${source === 1 ? a : b}.1`] })), missing: "" }],
  inline: ([a, b]) => [{ text: text([` [${b}]`, ` [${a}]`]), missing: "" }],
  sources: ([a, b]) => [{ text: text(["", ""]), sources: [a, b], missing: "" }],
  annotate: ([a, b]) => [
    { text: text(["", ""]), missing: "" },
    { 1: [`${b}.1`], 2: [`${a}.1`], 3: [] },
  ],
};

/** A model that finds the number of each source in the prompt. */
function model(citing: Citing): Chat {
  let calls = 0;
  return {
    name: "scripted",
    identity: `agent citing ${citing}`,
    formats: ["prompt"],
    timeoutMs: 1000,
    send: async ({ messages, onText }) => {
      const prompt = messages.at(-1)?.content ?? "";
      const numberOf = (words: string) =>
        prompt
          .slice(0, prompt.indexOf(words))
          .match(/<source \d+/g)
          ?.at(-1)
          ?.slice(8) ?? "";
      const replies = REPLIES[citing]([numberOf("The Lisbon office opens"), numberOf("Everybody has")]);
      const reply = JSON.stringify(replies[Math.min(calls++, replies.length - 1)]);
      onText?.(reply);
      return { text: reply, cut: false, usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 1 } };
    },
  };
}

describe.each(Citing.options)("an answer in the style %s", (citing) => {
  test("shows only supported claims, with dense references", async () => {
    const events: AgentEvent[] = [];
    const checker = fakeChecker("unsupported");
    const tools = fakeTools({ passages, generator: modelGenerator(model(citing)), checker });
    const question = "When is leave planned, and when does the Lisbon office open?";
    for await (const event of createAgent({ tools }).stream(question, { context: { citing, repairs: 0 } }))
      events.push(event);
    const answer = events.flatMap((event) => (event.type === "answer" ? [event.answer] : []))[0];
    const body = answer?.text.split("\n\n")[0];
    expect(body).toBe(
      citing === "sources"
        ? "Leave is planned in March. The Lisbon office opens at eight."
        : "Leave is planned in March [1]. The Lisbon office opens at eight [2].",
    );
    expect(answer?.references.map(({ number, evidenceId }) => [number, evidenceId])).toEqual([
      [1, "leave"],
      [2, "hours"],
    ]);
    for (const { citations } of answer?.claims ?? []) expect(citations).toHaveLength(1);
  });
});
