import { describe, expect, test } from "vitest";
import { createAgent } from "../../src/agent.js";
import { StoreUnavailableError } from "../../src/errors.js";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { Context, type ContextInput, mostCalls, mostRounds } from "../../src/state/context.js";
import type { Tools } from "../../src/state/tools.js";
import { fakePassage, fakeTools, inMemoryDocuments } from "../../src/testing/index.js";
import { scriptedChat } from "../scripted-chat.js";
import { trusting } from "../trusting.js";

const passages = [
  fakePassage("offices", "The Lisbon office has blue doors."),
  fakePassage("shifts", "In Portugal, colleagues start at eight."),
  fakePassage("办公室", "里斯本办公室的门是蓝色的。", { language: "zh" }),
  fakePassage("班次", "葡萄牙的同事八点上班。", { language: "zh" }),
];

async function asked(
  question: string,
  replies: readonly string[],
  context: ContextInput = {},
  parts: Partial<Tools> = {},
) {
  const { chat, names, prompts } = scriptedChat(...replies);
  const tools = { ...fakeTools({ passages }), ...trusting(modelReasoners({ chat }), localReasoners()), ...parts };
  const events = await Array.fromAsync(createAgent({ tools, context }).stream(question));
  const decisions = events.flatMap((event) => (event.type === "decision" ? event.decision : []));
  const [answer] = events.flatMap((event) => (event.type === "answer" ? event.answer : []));
  if (!answer) throw new Error("no answer");
  return { answer, names, prompts, decisions, steps: decisions.map(({ step }) => step) };
}

const QUESTION = "When may people come to the Lisbon office?";

describe("a model that asks to look for more", () => {
  test.each([
    [QUESTION, "Search: when colleagues start in Portugal", "In Portugal, colleagues start at eight", "."],
    ["里斯本办公室可以来人吗？", "Find: 八点*上班", "葡萄牙的同事八点上班", "。"],
  ])("gets it in the next round, and answers with it: %s", async (question, reply, found, stop) => {
    const { answer, names, prompts, steps } = await asked(question, [reply, `${found}[2]${stop}`]);
    expect(names).toEqual(["answer", "answer"]);
    expect(prompts[0]).not.toContain(found);
    expect(prompts[1]).toContain(found);
    expect(prompts[1]).toMatch(/^- \w+ ".*": sources 2\./m);
    expect(steps.filter((step) => step === "retrieve")).toHaveLength(2);
    expect(answer).toMatchObject({ status: "answered", claims: [{ text: `${found}${stop}` }] });
  });

  test("names its queries in the answer and in the log", async () => {
    const query = "when colleagues start in Portugal";
    const { answer, decisions } = await asked(QUESTION, [
      `Search: ${query}`,
      "In Portugal, colleagues start at eight [2].",
    ]);
    expect(answer.queries).toEqual([
      { text: QUESTION, reason: { code: "asked" } },
      { text: query, reason: { code: "asked_by_model" } },
    ]);
    expect(decisions.find(({ step }) => step === "generate")).toMatchObject({
      to: "retrieve",
      reason: { code: "model_asks", queries: [`search: ${query}`] },
    });
  });

  test("again and again is stopped by the rounds, and ends with a refusal", async () => {
    const { answer, steps } = await asked(
      QUESTION,
      Array.from({ length: 20 }, (_, i) => `Search: opening hours ${i}`),
      { budget: { calls: 50 } },
    );
    expect(answer.status).toBe("refused");
    expect(steps.at(-1)).toBe("respond");
    expect(steps.filter((step) => step === "retrieve")).toHaveLength(mostRounds(Context.parse({})));
  });

  test("is not told how to ask in its last round, and its answer is shown", async () => {
    const asks = Array.from({ length: 20 }, (_, i) => `Search: opening hours ${i}`);
    const { answer, prompts } = await asked(QUESTION, [asks[0] ?? "", "The Lisbon office has blue doors [1]."], {
      budget: { rounds: 2, calls: 50 },
    });
    expect(prompts.map((text) => text.includes("\nSearch: "))).toEqual([true, false]);
    expect(answer).toMatchObject({ status: "answered", text: "The Lisbon office has blue doors [1]." });
  });

  test("for the same again is not asked a third time", async () => {
    const { answer, names } = await asked(QUESTION, ["Search: opening hours"], {
      sources: { tables: false, graph: false, web: false },
    });
    expect(names).toEqual(["answer", "answer"]);
    expect(answer.status).toBe("refused");
  });

  test("in a store that fails gets nothing, and the run still ends within its rounds", async () => {
    const documents = inMemoryDocuments(passages);
    let searches = 0;
    const failing = {
      ...documents,
      search: (...[query, ...rest]: Parameters<typeof documents.search>) => {
        if (searches++ > 0) throw new StoreUnavailableError("The store is gone.");
        return documents.search(query, ...rest);
      },
    };
    const { answer, decisions, steps } = await asked(QUESTION, ["Search: opening hours"], {}, { documents: failing });
    expect(decisions.flatMap(({ faults }) => faults.map(({ name }) => name))).toContain("StoreUnavailableError");
    expect(answer.status).toBe("unavailable");
    expect(answer.stopReason).not.toBe("steps_spent");
    expect(steps.filter((step) => step === "retrieve").length).toBeLessThanOrEqual(mostRounds(Context.parse({})));
  });

  test("takes at most the calls of the budget", async () => {
    const asks = Array.from({ length: 20 }, (_, i) => `Search: opening hours ${i}`);
    for (const context of [
      Context.parse({ budget: { rounds: 10 } }),
      Context.parse({ budget: { rounds: 10, calls: 2 } }),
    ]) {
      const { answer, names } = await asked(QUESTION, asks, context);
      expect(names.length).toBeLessThanOrEqual(mostCalls(context));
      expect(answer.status).toBe("refused");
    }
  });
});
