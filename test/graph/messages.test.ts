import { Command, MemorySaver } from "@langchain/langgraph";
import { describe, expect, test } from "vitest";
import { createGraph } from "../../src/graph/build.js";
import type { ContextInput } from "../../src/state/context.js";
import type { State } from "../../src/state/state.js";
import type { Tools } from "../../src/state/tools.js";
import { fakeGrader, fakePassage, fakeTools } from "../../src/testing/index.js";

const thread = { configurable: { thread_id: "t" } };
const ASKED = "When does the office open?";
const BACK = "Which office do you mean?";
const ANSWER = "The Lisbon office opens at eight [1].";
const passages = [fakePassage("lisbon", "The Lisbon office opens at eight. It closes at six.")];

/** A conversation whose grader asks which office is meant until the question names Lisbon. */
function conversation(parts: Partial<Tools> = {}, keeps = true) {
  const grader: Tools["grader"] = {
    grade: (task, call) =>
      fakeGrader(
        task.question.includes("Lisbon") ? {} : { relevance: 0.4, answerability: "none", clarification: BACK },
      ).grade(task, call),
  };
  const tools = fakeTools({ passages, grader, ...parts });
  const graph = createGraph(tools, keeps ? { checkpointer: new MemorySaver() } : {});
  /** Returns the state, or the output without a thread. LangGraph's types require every value of a context. */
  const invoke = async (input: unknown, context?: ContextInput, config: object = thread) => {
    const output = await graph.invoke(input as never, { ...config, ...(context && { context: context as never }) });
    return (keeps ? (await graph.getState(thread)).values : output) as State;
  };
  const ask = (text: string, context?: ContextInput) =>
    invoke({ messages: [{ type: "human", content: text }] }, context);
  const said = async () =>
    ((await graph.getState(thread)).values as State).messages.map(({ text }) => text.split("\n")[0]);
  /** The state before a step, newest first. */
  const stateBefore = async (step: string) => {
    for await (const { next, config } of graph.getStateHistory(thread)) if (next.includes(step)) return config;
    throw new Error(`no ${step}`);
  };
  return { graph, invoke, ask, said, stateBefore };
}

describe("a reply to a clarifying question", () => {
  const edit = { name: "clarify", args: { reply: "In Lisbon." } };

  test.each([
    ["a text", new Command({ resume: "In Lisbon." })],
    ["an edit", new Command({ resume: { decisions: [{ type: "edit", edited_action: edit }] } })],
    ["an edit in camel case", new Command({ resume: { decisions: [{ type: "edit", editedAction: edit }] } })],
    ["a message", { messages: [{ type: "human", content: "In Lisbon." }] }],
    ["a question", { question: "In Lisbon." }],
  ])("is stored in the thread once, between the questions and the answer, if it is %s", async (_, reply) => {
    const { ask, invoke, said } = conversation();
    await ask(ASKED);
    expect(await said()).toEqual([ASKED, BACK]);
    const { understood } = await invoke(reply);
    expect(understood?.question).toBe(`${ASKED} In Lisbon.`);
    expect(await said()).toEqual([ASKED, BACK, "In Lisbon.", ANSWER]);
  });

  test.each([
    [{ decisions: [{ type: "reject", message: "No." }] }],
    [{ decisions: [{ type: "approve" }] }],
    [{ decisions: [{ type: "edit", edited_action: { name: "clarify", args: { reply: " " } } }] }],
    [{ decisions: [] }],
    [{ decisions: "edit" }],
    [[]],
  ])("that is empty (%j) leaves the clarifying question as the answer, stored once", async (resume) => {
    const { ask, invoke, said } = conversation();
    await ask(ASKED);
    expect((await invoke(new Command({ resume }))).answer?.status).toBe("needs_clarification");
    expect(await said()).toEqual([ASKED, BACK]);
  });

  test("that never comes removes the question and the clarifying question from the thread", async () => {
    const { ask, said } = conversation();
    await ask(ASKED);
    await ask(ASKED);
    expect(await said()).toEqual([ASKED, BACK]);
  });

  test("is not expected without a thread", async () => {
    const { invoke } = conversation({}, false);
    const { messages } = await invoke({ question: ASKED }, undefined, {});
    expect(messages.map(({ text }) => text)).toEqual([ASKED, BACK]);
  });
});

describe("queries that need approval", () => {
  const web: Partial<Tools> = {
    grader: {
      grade: (task, call) =>
        fakeGrader(task.question.includes("Porto") ? { answerability: "none", relevance: 0 } : {}).grade(task, call),
    },
    webSearch: { search: async () => [] },
    pageReader: { read: () => Promise.reject(new Error("no page")), close: async () => {} },
    rewriter: { standalone: async (question) => question, rewrite: async () => "" },
  };
  const question = "When does the Porto office open?";
  const approve = { web: { approve: true } };

  test("are shown in a message that stays in the thread, above the answer", async () => {
    const { ask, invoke, said } = conversation(web);
    await ask(question, approve);
    const asking = await said();
    expect(asking).toEqual([question, expect.stringContaining("Nothing has been sent")]);
    await invoke(new Command({ resume: { decisions: [{ type: "approve" }] } }));
    expect(await said()).toEqual([...asking, expect.stringContaining("Not found")]);
  });

  test("are not shown without a thread, and leave no message", async () => {
    const { invoke } = conversation(web, false);
    const { messages, answer } = await invoke({ question }, approve, {});
    expect(answer?.status).toBe("refused");
    expect(messages.map(({ text }) => text)).toEqual([question, expect.stringContaining("Not found")]);
  });

  test("are removed from the thread with their question if another message comes instead of a reply", async () => {
    const { ask, said } = conversation(web);
    await ask(question, approve);
    await ask("When does the Lisbon office open?", approve);
    expect(await said()).toEqual(["When does the Lisbon office open?", ANSWER]);
  });
});

describe("a question that is stopped", () => {
  const stopped = async (graph: ReturnType<typeof conversation>["graph"], text: string, context?: ContextInput) => {
    const stop = new AbortController();
    const config = { ...thread, signal: stop.signal, ...(context && { context: context as never }) };
    const run = graph.invoke({ messages: [{ type: "human", content: text }] } as never, config);
    const end = async () => {
      stop.abort(new Error("stopped"));
      await expect(run).rejects.toThrow("stopped");
    };
    return { end };
  };

  test("while it is rewritten is not part of the history of the next", async () => {
    const histories: string[][] = [];
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const { ask, graph } = conversation({
      rewriter: {
        standalone: async (question, history) => {
          histories.push(history.map((turn) => turn.question));
          if (histories.length > 1) return question;
          resolve();
          return new Promise(() => {});
        },
        rewrite: async () => "",
      },
    });
    await ask("When does the Lisbon office open?");
    const { end } = await stopped(graph, "Is Ana Sousa being dismissed?");
    await begun;
    await end();
    await ask("When does the Lisbon office close?");
    expect(histories.at(-1)).toEqual(["When does the Lisbon office open?"]);
  });

  test("during a web search does not pass its permissions to the next question", async () => {
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    const { ask, graph } = conversation({
      grader: fakeGrader({ answerability: "none", relevance: 0 }),
      webSearch: {
        search: () => {
          resolve();
          return new Promise(() => {});
        },
      },
      pageReader: { read: () => Promise.reject(new Error("no page")), close: async () => {} },
    });
    const { end } = await stopped(graph, "Where is the dragon?", { budget: { rounds: 1 }, staleAfter: 7 });
    await begun;
    await end();
    const { allowed } = await ask("Who opens the office?", { sources: { web: false } });
    expect(allowed).toMatchObject({ budget: { rounds: 3 }, staleAfter: 730 });
  });
});

describe("a fork right before the answer", () => {
  const steps = ({ decisions }: State) => decisions.map(({ step }) => step);
  const all = ["understand", "retrieve", "grade", "generate", "checkAnswer", "respond"];

  test("answers the question again from the start, with the reply that was given", async () => {
    const { ask, invoke, said, stateBefore } = conversation();
    await ask(ASKED);
    await invoke(new Command({ resume: "In Lisbon." }));
    const answers = new Set((await said()).slice(-1));
    for (let times = 0; times < 2; times++) {
      const again = await invoke(null, undefined, await stateBefore("respond"));
      expect(steps(again)).toEqual(all);
      expect(again.understood?.question).toBe(`${ASKED} In Lisbon.`);
      expect(await said()).toEqual([ASKED, BACK, "In Lisbon.", ANSWER]);
      answers.add(again.messages.at(-1)?.id);
    }
    expect(answers.size).toBe(3);
  });

  test("keeps the permissions of the run", async () => {
    const { ask, invoke, stateBefore } = conversation();
    await ask("When does the Lisbon office open?", { staleAfter: 7, sources: { web: false } });
    const { allowed } = await invoke(null, undefined, await stateBefore("respond"));
    expect(allowed).toMatchObject({ staleAfter: 7, sources: { web: false } });
  });

  test("is not assumed when an interrupted run with an edited state continues there", async () => {
    const { invoke, graph } = conversation();
    await invoke({ question: "When does the Lisbon office open?" }, undefined, {
      ...thread,
      interruptBefore: ["respond"],
    });
    expect((await graph.getState(thread)).next).toEqual(["respond"]);
    await graph.updateState(thread, { question: "edited" } as never, "checkAnswer");
    const { question, ...state } = await invoke(null);
    expect(question).toBe("edited");
    expect(steps(state as State)).toEqual(all);
  });
});

test("the list of sources under an answer is not part of the conversation history", async () => {
  const histories: string[] = [];
  const { ask } = conversation({
    rewriter: {
      standalone: async (question, history) => {
        histories.push(...history.map(({ answer }) => answer));
        return question;
      },
      rewrite: async () => "",
    },
  });
  await ask("When does the Lisbon office open?");
  await ask("And the one in Lisbon?");
  expect(histories).toEqual([ANSWER]);
});
