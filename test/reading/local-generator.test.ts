import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { settle } from "../../src/facts/support.js";
import { localGenerator } from "../../src/reading/local-generator.js";
import { localGrader } from "../../src/reading/local-grader.js";
import { type Reader, wordReader } from "../../src/reading/reading.js";
import type { DraftClaim, Intent, Report } from "../../src/types/answer.js";
import type { Verdict } from "../../src/types/evidence.js";
import { call, graded, task } from "./local-evidence.js";

async function answer(question: string, texts: readonly string[], intent: Intent = "other", repair?: Report) {
  const given = await graded(task(question, ...texts));
  return localGenerator(wordReader()).generate({ ...given, intent, ...(repair && { repair }) }, call());
}
const said = async (...given: Parameters<typeof answer>) => (await answer(...given)).claims.map(({ text }) => text);

const LEAVE = "Welcome to the handbook. Employees get 25 days of annual leave a year. Lunch is served at noon.";
const 年假 = "欢迎阅读手册。员工每年有二十五天年假。午餐在中午供应。";

describe("the local generator", () => {
  test.each([
    ["How many days of annual leave do employees get?", LEAVE, "Employees get 25 days of annual leave a year."],
    ["员工每年有多少天年假？", 年假, "员工每年有二十五天年假。"],
  ])("answers with the sentence that answers: %s", async (question, text, expected) => {
    expect(await said(question, [text])).toEqual([expected]);
  });

  test.each([
    ["What is the melting point of copper?", LEAVE],
    ["铜的熔点是多少？", 年假],
  ])("says nothing if nothing answers: %s", async (question, text) => {
    expect(await answer(question, [text])).toEqual({ quoted: true, claims: [], missing: "" });
  });

  test("says a sentence once, even if the next one depends on it", async () => {
    const hours = "The Lisbon office opens at eight. It closes at six.";
    expect(await said("When does the Lisbon office open?", [hours])).toEqual([hours]);
  });

  test("says only one of two similar sentences", async () => {
    const twice = [
      "Employees get 25 days of annual leave a year.",
      "All employees get 25 days of annual leave a year.",
    ];
    expect(await said("How many days of annual leave do employees get?", twice)).toHaveLength(1);
  });

  test.each([
    ["is left out beside an answer", { best: 0.9, next: 0.89 }, 1],
    ["is quoted beside a guess, though it is worse", { best: 0.5, next: 0.42 }, 2],
  ])("a sentence of another section %s", async (_, { best, next }, count) => {
    const given = await graded(
      task("When is lunch?", "Lunch is served at noon.", "On Fridays there is lunch from eleven."),
    );
    const words = wordReader();
    const scored: Reader = {
      ...words,
      enough: 0.65,
      read: async (...some) =>
        (await words.read(...some)).map((one) => ({ ...one, answers: one.piece === 0 ? best : next })),
    };
    const { claims } = await localGenerator(scored).generate({ ...given, intent: "other" }, call());
    expect(claims).toHaveLength(count);
  });

  test.each([
    ["that the grader let through is quoted", 0.32, "unknown", 1],
    ["that the grader found hopeless is not quoted", 0.28, "none", 0],
    ["of a passage on the topic is quoted", 0.28, "unknown", 1],
    ["is not quoted without a grade by the judge", undefined, "unknown", 0],
  ] as const)("a sentence with a low score %s", async (_, probability, answerability, count) => {
    const given = await graded(task("When is lunch?", "Lunch is served at noon."));
    const words = wordReader();
    const scored: Reader = {
      ...words,
      read: async (...some) => (await words.read(...some)).map((one) => ({ ...one, answers: 0.29 })),
    };
    const verdict: Verdict = {
      grade: "ambiguous",
      relevance: 0.5,
      answerability,
      missing: "",
      entities: [],
      clarification: "",
      probability,
    };
    const { claims } = await localGenerator(scored).generate({ ...given, intent: "other", verdict }, call());
    expect(claims).toHaveLength(count);
  });

  test.each([
    [
      "Where is the Oslo office?",
      "The Oslo office moved in 2020. It is in Karl Johan street, near the Oslo office park.",
      /^The Oslo office moved/,
    ],
    ["上海办公室在哪里？", "上海办公室于2020年搬迁。它位于南京路的上海办公室大楼。", /^上海办公室于2020年搬迁。它位于/],
  ])("includes the sentence before one that begins with a pronoun: %s", async (question, text, expected) => {
    expect((await said(question, [text])).at(-1)).toMatch(expected);
  });

  test.each([
    [
      "How much notice for a long holiday?",
      "Notice for a holiday:\n\n- short holiday: a week's notice\n- long holiday: a month's notice\n- very long: more",
    ],
    ["提前多久申请休假？", "申请休假：\n\n- 短休假提前一周申请\n- 长休假提前一月申请\n- 其他另议"],
  ])("quotes a whole list if two of its items answer equally: %s", async (question, text) => {
    expect((await said(question, [text])).length).toBe(4);
  });

  test.each([
    [
      "Which flag hides the tools?",
      "Set **the flag** `__TOOLS__` to hide the tools.",
      "Set the flag `__TOOLS__` to hide the tools.",
    ],
    ["哪个标志隐藏工具？", "用**标志** `__TOOLS__` 隐藏工具。", "用标志 `__TOOLS__` 隐藏工具。"],
    ["Which tag hides the tools?", "```html\n<Hide tools>\n</Hide>\n```", "`<Hide tools> </Hide>`"],
    ["Which hooks run?", "The hooks `mounted``onMounted` run.", "The hooks `mounted` `onMounted` run."],
  ])("keeps code as written: %s", async (question, text, expected) => {
    expect(await said(question, [text])).toEqual([expected]);
  });

  const LIST = "Every borrower provides:\n\n- proof of insurance\n- a report on the climate. Nobody else writes it.";
  const 清单 = "借方应提供下列材料：\n\n1. 保险单原件\n2. 温湿度记录。由他人填写无效。";

  test.each([
    [
      "Who writes the climate report?",
      LIST,
      ["Every borrower provides:", "a report on the climate. Nobody else writes it."],
    ],
    ["谁不能填写温湿度记录？", 清单, ["借方应提供下列材料：", "温湿度记录。由他人填写无效。"]],
  ])("puts the introduction of a list above the entry that a question names: %s", async (question, text, expected) => {
    const { claims } = await answer(question, [text]);
    expect(claims.map((claim) => claim.text)).toEqual(expected);
    expect(claims.map(({ form }) => form?.kind)).toEqual(["lead", "bullet"]);
    for (const claim of claims) expect(settle(claim.text, [claim.citations[0]?.quote ?? ""]).verdict).toBe("supported");
  });

  test.each([
    [
      "Does Sourcegraph match my 401k?",
      "# Benefits\n\n## Does Sourcegraph match my 401k?\n\nNot at this time.",
      "Not at this time.",
    ],
    ["可以带宠物吗？", "常见问题\n\n问：可以带宠物吗？\n\n答：周五可以。", "周五可以。"],
  ])("answers a question that the documents ask in the same words: %s", async (question, text, expected) => {
    const { answerability } = await localGrader(wordReader()).grade(task(question, LEAVE, text), call());
    expect(answerability).toBe("full");
    expect(await said(question, [LEAVE, text])).toEqual([expected]);
  });

  test.each([
    ["What does a borrower provide?", LIST, ["Every borrower provides:", "proof of insurance"]],
    ["借方应提供什么？", 清单, ["借方应提供下列材料：", "保险单原件"]],
  ])("says the whole list if the question asks for its items: %s", async (question, text, expected) => {
    const claims = await said(question, [text]);
    expect(claims.slice(0, 2)).toEqual(expected);
    expect(claims).toHaveLength(3);
  });

  test("does not go on with the list below the next heading", async () => {
    const text =
      "# Failover\n\n1. Tell the channel\n2. Stop the writes\n\n# Mail relay\n\n- Log in to mx1\n- Restart it";
    expect(await said("How do I stop the writes?", [text], "steps")).toEqual([
      "Failover",
      "Tell the channel",
      "Stop the writes",
    ]);
  });

  test.each([
    ["Which note is needed?", ["Bring:", "if you are ill:", "a note"]],
    ["Is a passport needed?", ["Bring:", "a passport"]],
  ])("quotes an entry with the entries below it: %s", async (question, expected) => {
    const text = "Bring:\n\n- if you are ill:\n  - a note\n- a passport";
    expect(await said(question, [text])).toEqual(expected);
  });

  test.each([
    ["a list in a list", "Bring:\n\n- if you are ill:\n  - a note\n- a passport", "Bring: a note"],
    ["another paragraph", "Bring:\n\n- a passport\n\nSome stay at home.\n\n- your dog", "Bring: your dog"],
    ["another list", "Bring:\n\n- a passport\n\nLeave at home:\n\n- your dog", "Bring: your dog"],
  ])("never combines an item with the introduction of %s", (_name, text, claim) => {
    expect(settle(claim, [text]).verdict).not.toBe("supported");
  });

  test.each([
    [
      "How long are the pieces that the dryer holds?",
      "The dryer was a gift. It arrived in May. It holds pieces of two metres.",
    ],
    ["烘干机能放多长的木料？", "烘干机是捐赠的。它五月到货。它能放两米长的木料。"],
  ])("includes the naming sentence before a run of sentences that begin with pronouns: %s", async (question, text) => {
    expect(await said(question, [text])).toContain(text);
  });

  test.each([
    [
      "How do I reset my password?",
      "## Reset a password\n\nTo reset your password:\n\n1. Open the portal.\n2. Choose Forgotten.\n3. Check your mail.",
      ["Open the portal.", "Choose Forgotten.", "Check your mail."],
    ],
    [
      "怎么重置密码？",
      "## 重置密码\n\n重置密码的步骤如下：\n\n1. 打开门户。\n2. 选择忘记密码。\n3. 查收邮件。",
      ["打开门户。", "选择忘记密码。", "查收邮件。"],
    ],
  ])("keeps steps together and in order: %s", async (question, text, steps) => {
    const claims = await said(question, [text], "steps");
    expect(claims.slice(-3)).toEqual(steps);
  });

  test.each([
    [
      "What is the price of the Pro plan?",
      "| Plan | Price |\n|---|---|\n| Free plan | $0 |\n| Pro plan | $20 |",
      "Plan: Pro plan; Price: $20",
    ],
    [
      "专业版的价格是多少？",
      "| 套餐 | 价格 |\n|---|---|\n| 基础版 | 0元 |\n| 专业版 | 20元 |",
      "套餐：专业版；价格：20元",
    ],
  ])("reads a table row with its header, and quotes both: %s", async (question, table, expected) => {
    const { claims } = await answer(question, [table]);
    expect(claims[0]?.text).toBe(expected);
    expect(claims[0]?.citations.map(({ quote }) => quote)).toEqual([table.split("\n").at(-1), table.split("\n")[0]]);
  });

  test("removes Markdown and line breaks from claims and not from quotes", async () => {
    const text = "Employees get **25 days** of\n[annual leave](leave.md) a year.";
    const { claims } = await answer("How many days of annual leave do employees get?", [text]);
    expect(claims).toEqual([
      {
        text: "Employees get 25 days of annual leave a year.",
        form: { kind: "text", block: 0 },
        citations: [{ evidenceId: "0", quote: text, start: 0 }],
      },
    ]);
  });

  test("does not repeat a claim that a check rejected", async () => {
    const rejected = "Employees get 25 days of annual leave a year.";
    const repair: Report = {
      hallucinationDetected: true,
      claims: [{ text: rejected, verdict: "unsupported", reason: { code: "unchecked" }, quotes: [] }],
      stages: [],
      contextSufficiency: "insufficient",
      correctionSuggestion: "",
      missing: "",
    };
    expect(await said("How many days of annual leave do employees get?", [LEAVE], "other", repair)).not.toContain(
      rejected,
    );
  });

  test("emits each claim that it returns", async () => {
    const told: DraftClaim[] = [];
    const given = await graded(task("How many days of annual leave do employees get?", LEAVE));
    const draft = await localGenerator(wordReader()).generate({ ...given, intent: "other" }, call(), (claim) =>
      told.push(claim),
    );
    expect(told).toEqual(draft.claims);
  });

  test("quotes random texts verbatim, and makes no claim that exact code refutes", async () => {
    const piece = fc.constantFrom(
      "annual leave ",
      "is 25 days. ",
      "It ",
      "\n- ",
      "\n\n",
      "**",
      "[a](b)",
      "| a | b |\n",
      "# ",
      "年假",
      "有二十五天。",
      "它",
      "> ",
      "`",
      "…",
      "Not ",
      "if ",
      "\n1. ",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(piece, { minLength: 1, maxLength: 30 }),
        fc.constantFrom<Intent>("other", "steps"),
        async (parts, intent) => {
          const text = parts.join("");
          for (const question of ["How many days is annual leave?", "年假有几天？"]) {
            const { claims } = await answer(question, [text], intent);
            for (const claim of claims) {
              for (const { quote } of claim.citations) expect(text).toContain(quote);
              expect(
                settle(
                  claim.text,
                  claim.citations.map(({ quote }) => quote),
                ).verdict,
              ).toMatch(/^(?:supported|doubtful)$/);
            }
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
