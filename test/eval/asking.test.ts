import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { openCorpus } from "../../research/eval/corpus.js";
import type { QaItem } from "../../research/eval/data.js";
import { qa } from "../../research/eval/qa.js";
import { createAgent } from "../../src/agent.js";
import { EndpointError } from "../../src/errors.js";
import { askEmend } from "../../src/evaluate/ask-emend.js";
import { askPlain } from "../../src/evaluate/ask-plain.js";
import { fakeGrader, fakeTools, inMemoryDocuments } from "../../src/testing/index.js";
import type { Chat, ChatRequest } from "../../src/tools/models/chat.js";

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
