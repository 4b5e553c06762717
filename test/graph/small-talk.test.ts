import { expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { gapsIn } from "../../src/answer/gaps.js";
import { StoreUnavailableError } from "../../src/errors.js";
import { fakePassage, fakeTools, inMemoryDocuments } from "../../src/testing/index.js";
import { openDatabase } from "../../src/tools/store/open.js";
import { sqlThreads } from "../../src/tools/threads/sql.js";

const passage = (documentId: string, text: string, rest: Parameters<typeof fakePassage>[2]) =>
  fakePassage(`${documentId}#0`, text, { documentId, ...rest });
const passages = [
  passage("house", "Pets are the animals of guests. Dogs may stay.", {
    title: "House rules",
    section: "House rules › Pets",
  }),
  passage("leave", "## Days\n\n## How many days of leave are there?\n\nTwenty.", { title: "Leave", section: "Leave" }),
  passage("plan", "Year two.", { title: "Plan", section: "Why is this important?" }),
  passage("规定", "访客在门口登记。", { title: "办公室规定", section: "三、如何登记访客", language: "zh" }),
];
const refusing = async () => {
  throw new Error("This must not be called.");
};

/** An agent that throws if it searches or rewrites. */
function agentOf(given: Parameters<typeof createAgent>[0] = {}) {
  const documents = { ...inMemoryDocuments(passages), search: refusing };
  const tools = { ...fakeTools({ passages }), documents, ...given.tools };
  return createAgent({ ...given, tools: { ...tools, rewriter: { standalone: refusing, rewrite: refusing } } });
}

test("small talk is answered with suggested questions, without a search or a model", async () => {
  const answer = await agentOf().ask("Hello!");
  expect(answer).toMatchObject({ status: "answered", stopReason: "small_talk", references: [], missing: "" });
  expect([answer.failures, answer.spend.calls]).toEqual([[], 0]);
  expect(answer.text).toBe(
    [
      "Hello! Ask me anything about your documents.",
      "There are 4 documents, such as “House rules”, “Leave”, and “Plan”.",
      "You could ask, for example:",
      "- What are Pets?\n- How many days of leave are there?\n- 如何登记访客？",
    ].join("\n\n"),
  );
});

test("small talk is answered in its own language", async () => {
  const { text, language } = await agentOf().ask("你好");
  expect(language).toBe("zh");
  expect(text).toMatch(
    /^你好！.*\n\n目前有4篇文档，例如《办公室规定》《House rules》《Leave》。\n\n比如可以这样问：\n\n- 如何登记访客？/,
  );
});

test.each([
  ["Thanks!", "You're welcome."],
  ["OK 👍", "All right. Ask me whenever you have another question."],
  ["再见", "再见！"],
])("small talk is answered without a list of documents for %s", async (said, text) => {
  expect((await agentOf().ask(said)).text).toBe(text);
});

test("small talk is the reason in the decision log", async () => {
  const decisions = [];
  for await (const event of agentOf().stream("who are you?"))
    if (event.type === "decision") decisions.push(event.decision);
  expect(decisions.map(({ step, to }) => [step, to])).toEqual([
    ["understand", "respond"],
    ["respond", "END"],
  ]);
  expect(decisions[0]).toMatchObject({ reason: { code: "small_talk" }, stop: "small_talk" });
});

test("small talk is answered without a list of documents if the store fails or the caller has a scope", async () => {
  const list = async () => {
    throw new StoreUnavailableError("It is gone.");
  };
  const gone = agentOf({ tools: { documents: { ...inMemoryDocuments(passages), list } } });
  expect((await gone.ask("hi")).text).toBe("Hello! Ask me anything about your documents.");
  const scoped = agentOf({ scope: () => [{ key: "team", values: ["a"] }] });
  expect((await scoped.ask("hi")).text).toBe("Hello! Ask me anything about your documents.");
});

test("small talk is ignored when a follow-up is rewritten", async () => {
  const asked: string[] = [];
  const standalone = async (question: string) => {
    asked.push(question);
    return question;
  };
  const rewriter = { standalone, rewrite: async ({ question }: { question: string }) => question };
  const agent = createAgent({
    checkpointer: sqlThreads(openDatabase(":memory:")),
    tools: { ...fakeTools({ passages }), rewriter },
  });
  const threadId = crypto.randomUUID();
  await agent.ask("hello", { threadId });
  await agent.ask("May dogs stay?", { threadId });
  await agent.ask("thanks", { threadId });
  expect(asked).toEqual([]);
  await agent.ask("And cats?", { threadId });
  expect(asked).toEqual(["And cats?"]);
  await agent.close();
});

test("small talk is no gap, even in logs of versions that searched for it", async () => {
  const refused = { status: "refused", missing: "", failures: [{ tag: "NO_RECALL" }] } as const;
  const logged = (text: string) => ({ ...refused, failures: [...refused.failures], queries: [{ text }] });
  const gaps = await gapsIn([logged("hello"), logged("谢谢"), logged("May cats stay?")]);
  expect(gaps.map(({ questions }) => questions)).toEqual([["May cats stay?"]]);
});

test("the answer to small talk contains no active link or tag", async () => {
  const hostile = passage("x", "Text.", {
    title: "[Click](http://evil.test) <b>me</b>",
    section: "![why](http://evil.test/p.png)?",
  });
  const { text } = await agentOf({ tools: { documents: inMemoryDocuments([hostile]) } }).ask("hello");
  expect(text.replace(/`[^`]*`/g, "")).not.toMatch(/\]\(|<b>|http/);
});
