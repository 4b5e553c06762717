import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { askCrag, askSelfRag } from "../../research/eval/ask-notebooks.js";
import { openCorpus } from "../../research/eval/corpus.js";
import type { QaItem } from "../../research/eval/data.js";
import { qa } from "../../research/eval/qa.js";
import { createAgent } from "../../src/agent.js";
import { EndpointError } from "../../src/errors.js";
import { askEmend, askPlain } from "../../src/evaluate/ask.js";
import { fakeGrader, fakePassage, fakeTools, inMemoryDocuments } from "../../src/testing/index.js";
import type { Chat, ChatRequest } from "../../src/tools/chat/port.js";

const folder = mkdtempSync(join(tmpdir(), "emend-asking-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const corpus = join(folder, "corpus.jsonl");
writeFileSync(
  corpus,
  [
    { id: "en", text: "The office opens at eight." },
    { id: "zh", text: "办公室八点开门。" },
  ]
    .map((line) => JSON.stringify(line))
    .join("\n"),
);

const ask = (id: string, question: string, answers: string[], answerable = true): QaItem => ({
  id,
  question,
  answers,
  answerable,
  also: [],
  history: [],
});
const questions = [ask("e", "When does the office open?", ["eight"]), ask("z", "办公室几点开门？", ["八点"])];

describe("asking the graph", () => {
  test("returns answers, quotes that are in the corpus, and the path taken", async () => {
    const documents = inMemoryDocuments();
    const verify = await openCorpus(corpus, documents);
    const agent = createAgent({ store: folder, tools: fakeTools({ documents }) });
    const { metrics, items } = await qa(questions, askEmend(agent, {}), verify);
    expect(metrics).toMatchObject({
      right: 2,
      citationPrecision: 1,
      citationRecall: 1,
      unsupportedStatements: 0,
      callsPerItem: 0,
    });
    expect(metrics.citations).toBeGreaterThanOrEqual(2);
    expect(items[0]).toMatchObject({ outcome: "right", status: "answered", stopReason: "supported" });
  });

  test("reports a refusal as a refusal", async () => {
    const documents = inMemoryDocuments();
    const verify = await openCorpus(corpus, documents);
    const grader = fakeGrader({ relevance: 0.1, answerability: "none", missing: "the opening hours" });
    const agent = createAgent({ store: folder, tools: fakeTools({ documents, grader }) });
    const { metrics } = await qa([...questions, ask("n", "Who owns it?", [], false)], askEmend(agent, {}), verify);
    expect(metrics).toMatchObject({ right: 0, refusedWrongly: 2, refusedRightly: 1, citations: 0 });
  });
});

describe("asking plainly", () => {
  test("sends the found passages and the question in one prompt in the language of the question", async () => {
    const documents = inMemoryDocuments();
    const verify = await openCorpus(corpus, documents);
    const sent: ChatRequest[] = [];
    const { metrics, items } = await qa(
      [...questions, ask("n", "Who owns the office?", [], false)],
      askPlain(documents, chatThatSays(["It opens at eight.", "八点半。", "I don't know."], sent)),
      verify,
    );
    expect(sent.map((request) => request.messages.at(-1)?.content)).toMatchObject([
      expect.stringMatching(/^Answer.*The office opens at eight\..*When does the office open\?/s),
      expect.stringMatching(/^请.*办公室八点开门。.*办公室几点开门？/s),
      expect.stringMatching(/Who owns the office\?/),
    ]);
    expect(items.map((item) => item.outcome)).toEqual(["right", "right", "refusedRightly"]);
    expect(metrics).toMatchObject({ callsPerItem: 1, freshTokensPerItem: 70, cachedTokensPerItem: 30, citations: 0 });
    expect(metrics.citationPrecision).toBeNull();
  });

  test("reports an endpoint that fails as a failure, not a refusal", async () => {
    const broken: Chat = {
      ...chatThatSays([], []),
      send: () => Promise.reject(new EndpointError("It did not answer.")),
    };
    const { metrics } = await qa(questions, askPlain(inMemoryDocuments(), broken), {
      holds: () => false,
      textOf: () => "",
    });
    expect(metrics).toMatchObject({ failed: 2, refusedWrongly: 0, wrong: 0, callsPerItem: 1, faults: 2 });
  });

  test("puts earlier turns before the question", async () => {
    const sent: ChatRequest[] = [];
    const item = { ...ask("e", "And on Sunday?", ["closed"]), history: [{ question: "When?", answer: "At eight." }] };
    await askPlain(inMemoryDocuments(), chatThatSays(["Closed."], sent))(item);
    expect(sent[0]?.messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
  });
});

describe("asking as the notebooks do", () => {
  const item = ask("e", "When does the office open?", ["eight"]);
  const store = () =>
    inMemoryDocuments(
      ["The office opens at eight.", "The office does not open on Sunday."].map((t, i) => fakePassage(`${i}`, t)),
    );
  /** What each request is for, by its first words. */
  const kinds = (sent: readonly ChatRequest[]) =>
    sent.map(({ messages }) => /^(?:Is|Does|Do|Write|Answer)/.exec(messages.at(-1)?.content ?? "")?.[0]);

  test("corrective RAG grades each passage, and searches again with a better query if one is not relevant", async () => {
    const sent: ChatRequest[] = [];
    const chat = chatThatSays(["Yes.", "No.", "opening hours", "It opens at eight."], sent);
    const { text, cost } = await askCrag(store(), chat)(item);
    expect(kinds(sent)).toEqual(["Is", "Is", "Write", "Answer"]);
    expect([text, cost.usage.calls]).toEqual(["It opens at eight.", 4]);
  });

  test("self-RAG writes again what the passages do not support, and gives up after three rounds", async () => {
    const sent: ChatRequest[] = [];
    const good = chatThatSays(["yes", "no", "At nine.", "no", "At eight.", "yes"], sent);
    expect((await askSelfRag(store(), good)(item)).text).toBe("At eight.");
    expect(kinds(sent)).toEqual(["Is", "Is", "Answer", "Do", "Answer", "Does"]);
    const round = ["no", "no", "opening hours"];
    const { refused, cost } = await askSelfRag(store(), chatThatSays([...round, ...round, ...round], []))(item);
    expect([refused, cost.usage.calls]).toEqual([true, 9]);
  });

  test("an endpoint that fails is a failure, not a refusal", async () => {
    const broken = { ...chatThatSays([], []), send: () => Promise.reject(new EndpointError("It did not answer.")) };
    for (const system of [askCrag, askSelfRag]) {
      const { failed, refused } = await system(store(), broken)(item);
      expect({ failed, refused }).toEqual({ failed: true, refused: false });
    }
  });
});

function chatThatSays(replies: string[], sent: ChatRequest[]): Chat {
  return {
    name: "scripted",
    identity: "scripted",
    formats: ["prompt"],
    timeoutMs: 1000,
    send: async (request) => {
      sent.push(request);
      const usage = { inputTokens: 100, cachedTokens: 30, outputTokens: 5 };
      return { text: replies.shift() ?? "", cut: false, usage };
    },
  };
}
