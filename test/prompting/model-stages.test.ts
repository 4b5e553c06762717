import { describe, expect, test } from "vitest";
import { MalformedReplyError } from "../../src/errors.js";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { CHINESE, ENGLISH, gradedEvidence, meter } from "../../src/testing/reasoners-sample.js";
import type { Chat } from "../../src/tools/chat/port.js";
import { ANSWER } from "./replies.js";

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
      return { text, cut: false, usage: { inputTokens: 0, cachedTokens: 0, outputTokens: 1 } };
    },
  };
}

describe("a standalone question", () => {
  const standalone = (followUp: string, question: string) =>
    replying({ question }).standalone(followUp, [{ question: "Who runs Harbor?", answer: "Ms Ito." }], meter().call);

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

test.each([
  [ENGLISH, "Joost van Rees studied firmware."],
  [ENGLISH, "Femke de Vries en Jan Kok."],
  [ENGLISH, "25."],
  [CHINESE, "Janet Leverling 住在 Kirkland。"],
  [CHINESE, "Dirk Luchte."],
])("a draft is not requested again because it looks like another language: $1", async (task, text) => {
  const { call, spent, faults } = meter();
  const generator = modelReasoners({ chat: chatReplying(`${text.slice(0, -1)} [1].`) }).generator;
  await generator.generate({ ...task, intent: "other" }, call);
  expect(spent).toHaveLength(1);
  expect(faults).toEqual([]);
});

describe("a check", () => {
  const claims = ["One.", "Two.", "Three."].map((text) => ({
    text,
    citations: [{ evidenceId: "leave", quote: text }],
  }));

  test("assigns judgements by number, and counts a claim without one as unsupported", async () => {
    const { checker } = replying({
      3: { words: ["25 days"], verdict: "contradicted", reason: "says otherwise" },
      1: { words: [], verdict: "supported", reason: "" },
      9: { words: [], verdict: "supported", reason: "" },
    });
    expect(await checker.check({ ...ENGLISH, claims }, meter().call)).toEqual([
      { verdict: "supported", reason: { code: "stated" } },
      { verdict: "unsupported", reason: { code: "unchecked" } },
      { verdict: "contradicted", reason: { code: "own", words: "says otherwise" }, words: ["25 days"] },
    ]);
  });

  test("costs one call for every thirty claims, and none without claims", async () => {
    const { checker } = replying({ 1: { words: [], verdict: "supported", reason: "" } });
    const many = Array.from({ length: 31 }, () => claims[0] ?? fail());
    const { call, spent } = meter();
    const judged = await checker.check({ ...ENGLISH, claims: many }, call);
    expect(judged.flatMap(({ verdict }, i) => (verdict === "supported" ? [i] : []))).toEqual([0, 30]);
    expect(spent).toHaveLength(2);
    expect(await checker.check({ ...ENGLISH, claims: [] }, call)).toEqual([]);
    expect(spent).toHaveLength(2);
  });

  test("that judges no claim is asked for again, with the reason", async () => {
    const { checker } = replying({ verdict: "supported" });
    const { call, spent, faults } = meter();
    const judged = await checker.check({ ...ENGLISH, claims }, call);
    expect(judged.map(({ verdict }) => verdict)).toEqual(["unsupported", "unsupported", "unsupported"]);
    expect(spent).toHaveLength(2);
    expect(faults[0]?.message).toContain("it judged none of the claims");
  });
});

const fail = (): never => {
  throw new Error("no claim");
};
