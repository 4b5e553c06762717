import { describe, expect, test } from "vitest";
import { MalformedReplyError } from "../../../src/errors.js";
import { CHINESE, ENGLISH, gradedEvidence, meter } from "../../../src/testing/reasoners-sample.js";
import type { Chat } from "../../../src/tools/models/chat.js";
import { modelReasoners } from "../../../src/tools/models/model-reasoners.js";
import { ANSWER, GRADE } from "./replies.js";

/** Reasoners over a model that always replies with this. */
const replying = (reply: unknown) => modelReasoners({ chat: chatReplying(JSON.stringify(reply)) });

let chats = 0;
function chatReplying(text: string): Chat {
  chats += 1;
  return {
    name: "scripted",
    identity: `scripted ${chats}`,
    formats: ["prompt"],
    timeoutMs: 1000,
    send: async ({ onText }) => {
      onText?.(text);
      return { text, cut: false, usage: { inputTokens: 1, cachedTokens: 0, outputTokens: 1 } };
    },
  };
}

describe("a grade", () => {
  const graded = (reply: object) => replying({ ...GRADE, ...reply }).grader.grade(ENGLISH, meter().call);

  test("separates parts that state the answer from parts that help, and ignores unknown parts", async () => {
    expect((await graded({ states: ["[1.1]", "9.1"], helps: ["2.1"] })).relevance).toEqual([[1], [0.5]]);
    const nowhere = ["1.99", "0.0", "-1.1e9", "1.1.1", "all", "", "part 1", "99999999999999999999.1"];
    expect((await graded({ states: nowhere, found: "made up" })).relevance).toEqual([[0], [0]]);
  });

  test("applies a whole source to all its strips", async () => {
    expect((await graded({ states: ["2"], found: "at eight" })).relevance).toEqual([[0], [1]]);
  });

  test("finds the part that contains the answer, even if the label is wrong", async () => {
    expect((await graded({ states: ["2.1"], found: "25 days" })).relevance).toEqual([[1], [1]]);
    expect((await graded({ states: [], found: "25 days" })).relevance).toEqual([[1], [0]]);
  });

  test("without the words of the answer is partial, and unknown if it names no part either", async () => {
    for (const found of ["", "nothing", "not stated", "do employees get leave"]) {
      expect(await graded({ found })).toMatchObject({ answerability: "partial", relevance: [[0.5], [0]] });
      expect(await graded({ found, states: [] })).toMatchObject({ answerability: "unknown" });
    }
    const { grader } = replying({ ...GRADE, found: "多少天年假" });
    expect(await grader.grade(CHINESE, meter().call)).toMatchObject({ answerability: "partial" });
  });

  test("of a yes-no question may repeat the question in the words of the source", async () => {
    const { grader } = replying({ ...GRADE, found: "The office opens at eight" });
    const grade = await grader.grade(
      { ...ENGLISH, question: "Is it true that the office opens at eight?" },
      meter().call,
    );
    expect(grade.answerability).toBe("full");
  });

  test("that finds no answer has no part that states it", async () => {
    const { answerability, relevance } = await graded({ answerable: "none", states: ["1.1"] });
    expect(answerability).toBe("none");
    expect(relevance).toEqual([[0.5], [0]]);
  });

  test("returns only entities that the question names", async () => {
    expect((await graded({ entities: ["Harbor", "Atlantis", ""] })).entities).toEqual(["Harbor"]);
  });

  test("names the missing part in the language of the question or not at all", async () => {
    const none = { answerable: "none", found: "", states: [] };
    expect((await graded({ ...none, missing: "the number of days" })).missing).toBe("the number of days");
    expect((await graded({ ...none, missing: "年假的天数没有说明" })).missing).toBe("");
    const { grader } = replying({ ...GRADE, ...none, missing: "the number of days", clarification: "Which one?" });
    expect(await grader.grade(CHINESE, meter().call)).toMatchObject({ missing: "", clarification: "" });
  });

  test("asks for clarification only if nothing answers, and only with a question", async () => {
    const none = { answerable: "none", found: "", states: [] };
    expect(await graded({ ...none, clarification: "Which company?" })).toMatchObject({
      clarification: "Which company?",
    });
    const remark = "The question asks about leave, but the sources do not say.";
    expect(await graded({ ...none, clarification: remark })).toMatchObject({ clarification: "" });
  });

  test("that answers asks for no clarification", async () => {
    expect(await graded({ clarification: "Which company?" })).toMatchObject({ clarification: "" });
  });
});

describe("a query from a model", () => {
  const rewritten = (sample: typeof ENGLISH | typeof CHINESE, query: string) =>
    replying({ query }).rewriter.rewrite({ ...sample, queries: [sample.question], missing: "" }, meter().call);

  test("is returned on one line", async () => {
    expect(await rewritten(ENGLISH, " yearly holiday days\n for employees of Harbor ")).toBe(
      "yearly holiday days for employees of Harbor",
    );
    expect(await rewritten(CHINESE, "海港公司员工年假天数多少天")).toBe("海港公司员工年假天数多少天");
  });

  test.each([
    ["an essay", `The employees of Harbor ${"enjoy many benefits and ".repeat(20)} leave`],
    ["without the name", "yearly holiday days for employees"],
    ["a translation", "海港公司的员工每年有多少天年假？"],
    ["nothing", ""],
    ["the question again", `${ENGLISH.question.toUpperCase()} ?`],
  ])("that is %s is refused", async (_, query) => {
    await expect(rewritten(ENGLISH, query)).rejects.toThrow(MalformedReplyError);
  });
});

describe("a standalone question", () => {
  const standalone = (followUp: string, question: string) =>
    replying({ question }).rewriter.standalone(
      followUp,
      [{ question: "Who runs Harbor?", answer: "Ms Ito." }],
      meter().call,
    );

  test("replaces the follow-up", async () => {
    expect(await standalone("Since when does she?", "Since when does Ms Ito run Harbor?")).toBe(
      "Since when does Ms Ito run Harbor?",
    );
    expect(await standalone("她从什么时候开始？", "伊藤女士从什么时候开始管理海港公司？")).toContain("伊藤");
  });

  test.each([
    ["loses a number", "Did she in 2019?", "Did Ms Ito run Harbor?"],
    ["loses a name", "Was that before Mr Lund?", "Was that before the previous manager?"],
    ["changes the language", "Since when does she?", "伊藤女士从什么时候开始？"],
    ["is an essay", "Since when?", "Ms Ito ".repeat(40)],
    ["is empty", "Since when?", " "],
  ])("that %s is refused", async (_, followUp, question) => {
    await expect(standalone(followUp, question)).rejects.toThrow(MalformedReplyError);
  });
});

describe("a draft", () => {
  test("costs no call if no strip was kept", async () => {
    const { call, spent } = meter();
    const evidence = [gradedEvidence("office", "The office opens at eight.", "en", 0)];
    const { generator } = replying(ANSWER);
    expect(await generator.generate({ ...ENGLISH, evidence, intent: "other" }, call)).toEqual({
      claims: [],
      missing: "",
    });
    expect(spent).toEqual([]);
  });

  test("ends with an abort and emits nothing after it, even if the model ignores the signal", async () => {
    const controller = new AbortController();
    const told: string[] = [];
    const late = Promise.withResolvers<void>();
    const heedless: Chat = {
      ...chatReplying(""),
      send: ({ onText }) => {
        controller.abort(new Error("stop"));
        setTimeout(() => {
          onText?.(JSON.stringify(ANSWER));
          late.resolve();
        }, 10);
        return new Promise(() => undefined);
      },
    };
    const { generator } = modelReasoners({ chat: heedless });
    const { call } = meter({ signal: controller.signal });
    const drafting = generator.generate({ ...ENGLISH, intent: "other" }, call, ({ text }) => told.push(text));
    await expect(drafting).rejects.toThrow("stop");
    await late.promise;
    expect(told).toEqual([]);
  });

  test("quotes the original characters of a source if the prompt had to change them", async () => {
    const evidence = [gradedEvidence("code", "Close a source with </source> always.", "en")];
    const { generator } = replying({
      claims: [{ text: "Sources are closed.", source: 1, quote: "with ＜/source> always" }],
      missing: "",
    });
    const { claims } = await generator.generate(
      { ...ENGLISH, evidence, intent: "other", citing: "quote" },
      meter().call,
    );
    expect(claims[0]?.citations).toEqual([{ evidenceId: "code", quote: "with </source> always" }]);
  });
});

test.each(["Joost van Rees studied firmware.", "Femke de Vries en Jan Kok.", "25."])(
  "a draft is not requested again because it looks like another language: %s",
  async (text) => {
    const { call, spent, faults } = meter();
    const generator = modelReasoners({ chat: chatReplying(text) }).generator;
    await generator.generate({ ...ENGLISH, intent: "other" }, call);
    expect(spent).toHaveLength(1);
    expect(faults).toEqual([]);
  },
);

describe("a check", () => {
  const claims = ["One.", "Two.", "Three."].map((text) => ({
    text,
    citations: [{ evidenceId: "leave", quote: text }],
  }));

  test("assigns judgements by number, and counts a claim without one as unsupported", async () => {
    const { checker } = replying({
      3: { reason: "says otherwise", verdict: "contradicted" },
      1: { reason: "", verdict: "supported" },
      9: { reason: "", verdict: "supported" },
    });
    const judgements = await checker?.check({ ...ENGLISH, claims }, meter().call);
    expect(judgements).toEqual([
      { verdict: "supported", reason: { code: "own", words: "" } },
      { verdict: "unsupported", reason: { code: "unchecked" } },
      { verdict: "contradicted", reason: { code: "own", words: "says otherwise" } },
    ]);
  });
});
