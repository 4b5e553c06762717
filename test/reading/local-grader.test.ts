import { describe, expect, test } from "vitest";
import { localGrader } from "../../src/reading/local-grader.js";
import { localReasoners } from "../../src/reading/local-reasoners.js";
import { wordReader } from "../../src/reading/reading.js";
import { strips } from "../../src/text/strips.js";
import type { Evidence } from "../../src/types/evidence.js";
import { fakeEncoder } from "../encoder.js";
import { call, task } from "./local-evidence.js";

const grade = (question: string, ...texts: string[]) =>
  localGrader(wordReader()).grade(task(question, ...texts), call());

const LEAVE =
  "Employees of Northwind get 25 days of annual leave a year. Unused annual leave expires at the end of March.";
const OFFICE = "The Oslo office opens at eight. Lunch is served in the canteen from noon.";
const 年假 = "北风公司的员工每年有二十五天年假。未使用的年假在三月底作废。";
const 办公室 = "上海办公室早上八点开门。食堂从中午开始供应午餐。";

describe("answerability", () => {
  test.each([
    ["full", "How many days of annual leave do employees get?", LEAVE, OFFICE],
    ["full", "员工每年有多少天年假？", 年假, 办公室],
    ["full", "When does unused annual leave expire?", OFFICE, LEAVE],
    ["full", "上海办公室几点开门？", 年假, 办公室],
    ["none", "What is the melting point of copper?", LEAVE, OFFICE],
    ["none", "铜的熔点是多少？", 年假, 办公室],
    ["none", "How many days of annual leave do employees get?"],
  ])("is %s: %s", async (expected, question, ...texts) => {
    expect((await grade(question, ...texts)).answerability).toBe(expected);
  });

  test.each([
    ["another name", "How many days of annual leave do employees of Southwind get?", LEAVE],
    ["another year", "When did annual leave expire in 1999?", LEAVE],
    ["an opposite", "When does the Oslo office close?", OFFICE],
    ["另一年份", "1999年未使用的年假何时作废？", 年假],
  ])("is not full for %s", async (_name, question, text) => {
    expect((await grade(question, text)).answerability).not.toBe("full");
  });

  test("of a yes-no question does not require the same word twice", async () => {
    expect(
      (await grade("Is smoking allowed in the office?", "Smoking is not allowed in the office.")).answerability,
    ).toBe("full");
    expect((await grade("办公室可以吸烟吗？", "办公室不可以吸烟。")).answerability).toBe("full");
  });
});

describe("the probability of an answer", () => {
  const KEPT = "Unused leave expires in March.";
  /** Judges a first passage with an answer beside a second one that answers a little less. */
  const beside = async (second: string, scores = [0.9, 0.5], sources: Evidence["source"][] = []) => {
    const encoder = fakeEncoder({
      judge: ({ passage }) => {
        const at = passage.indexOf("March");
        const answerability = passage.includes(KEPT) ? 0.9 : 0.85;
        return { answerability, relevance: 0.9, ...(at >= 0 && { span: { start: at, end: at + 5, probability: 0 } }) };
      },
    });
    const given = task("When does unused leave expire?", KEPT, second);
    const evidence = given.evidence.map((piece, i) => ({
      ...piece,
      score: scores[i] ?? 0,
      source: sources[i] ?? ("document" as const),
    }));
    return (await localReasoners({ encoder }).grader.grade({ ...given, evidence }, call())).probability ?? 0;
  };

  test("is low if another passage answers nearly as probably but says something else", async () => {
    expect(await beside("# Nothing")).toBeGreaterThan(0.9);
    expect(await beside("Contracts end after the trial period.")).toBeLessThan(0.6);
  });

  test.each([
    ["says the same", "Leave that you did not take by March is gone."],
    ["disagrees in an amount alone, which the answer shows", "Unused leave expires in April."],
    ["says something in another language", "合同在试用期后终止。"],
  ])("is not lowered if it %s", async (_name, second) => {
    expect(await beside(second)).toBeGreaterThan(0.9);
  });

  test("is not lowered by a page of the web, nor of a page by another page", async () => {
    const OTHER = "Contracts end after the trial period.";
    expect(await beside(OTHER, [0.5, 0.9], ["document", "web"])).toBeGreaterThan(0.9);
    expect(await beside(OTHER, [0.5, 0.9], ["web", "web"])).toBe(await beside("# Nothing", [0.5, 0.9], ["web"]));
  });

  test("is lower if the search ranked another passage first", async () => {
    expect(await beside("# Nothing", [0.5, 0.9])).toBeLessThan(await beside("# Nothing"));
  });
});

describe("a sentence without the kind of thing asked for", () => {
  const sure = (answerability: (passage: string) => number) =>
    localReasoners({
      encoder: fakeEncoder({ judge: ({ passage }) => ({ answerability: answerability(passage), relevance: 0.9 }) }),
    }).grader;

  test.each([
    ["full", "How much does the buoy weigh in grams?"],
    ["unknown", "How much does the buoy weigh in pounds?"],
    ["unknown", "On which day does the buoy weigh 850 grams?"],
  ])("does not answer: %s: %s", async (expected, question) => {
    const grade = await sure(() => 0.95).grade(task(question, "The buoy weighs 850 grams."), call());
    expect(grade.answerability).toBe(expected);
  });

  test("is as strong a rival as any", async () => {
    const [days, note] = [
      "Sick leave is paid for 13 days a year.",
      "A note of the doctor is needed when you are back.",
    ];
    const probability = async (question: string) => {
      const { evidence, ...rest } = task(question, days, note);
      const ranked = evidence.map((piece, i) => ({ ...piece, score: 0.9 - i / 10, source: "document" as const }));
      const grader = sure((passage) => (passage.includes("note") ? 0.85 : 0.9));
      return (await grader.grade({ ...rest, evidence: ranked }, call())).probability ?? 0;
    };
    const [many, asked] = ["After how many days of sick leave?", "Sick leave?"];
    expect(await probability(many)).toBeCloseTo(await probability(asked), 1);
  });
});

describe("relevance", () => {
  test("has a row for each piece of evidence and a number for each of its strips", async () => {
    const long = `${LEAVE} ${OFFICE} ${LEAVE} ${OFFICE}`;
    const { relevance } = await grade("How many days of annual leave?", long, OFFICE, "");
    expect(relevance.map((row) => row.length)).toEqual([strips(long).length, strips(OFFICE).length, 0]);
    for (const value of relevance.flat()) expect(value >= 0 && value <= 1).toBe(true);
  });

  test.each([
    ["How many days of annual leave do employees get?", LEAVE, OFFICE],
    ["员工每年有多少天年假？", 年假, 办公室],
  ])("is highest for the strip with the answer: %s", async (question, right, wrong) => {
    const [[here = 0] = [], [there = 1] = []] = (await grade(question, right, wrong)).relevance;
    expect(here).toBeGreaterThanOrEqual(0.6);
    expect(there).toBeLessThan(0.3);
  });

  test("takes the title and section of a passage into account", async () => {
    const bare = task("What is the price of the Pro plan?", "It costs 20 dollars a month.");
    const titled = {
      ...bare,
      evidence: bare.evidence.map((piece) => ({ ...piece, title: "Pro plan", section: "Price" })),
    };
    const best = async (given: typeof bare) =>
      (await localGrader(wordReader()).grade(given, call())).relevance[0]?.[0] ?? 0;
    expect(await best(titled)).toBeGreaterThan(await best(bare));
  });
});

describe("the missing part", () => {
  test.each([
    ["a name", "How many days of annual leave does Southwind give?", LEAVE, /Southwind/],
    [
      "a full answer if the amount is not in the text",
      "How many days of annual leave were there in 1999?",
      LEAVE,
      /fully answers/,
    ],
    [
      "a full answer if the words are there but no answer",
      "When is annual leave paid?",
      LEAVE,
      /none that fully answers this\.$/,
    ],
    ["everything if the text is about something else", "When is payday?", LEAVE, /^Nothing I found is about this\.$/],
    [
      "everything if the text is empty",
      "What is the melting point of copper?",
      "",
      /^Nothing I found is about this\.$/,
    ],
    ["一切", "铜的熔点是多少？", "", /与问题相关的内容。$/],
  ])("is %s, in the language of the question", async (_name, question, text, expected) => {
    expect((await grade(question, text)).missing).toMatch(expected);
  });

  test("is empty if the evidence answers", async () => {
    expect((await grade("员工每年有多少天年假？", 年假)).missing).toBe("");
  });
});

test.each(["What about it?", "How?", "是什么呢？"])(
  "the local grader asks for clarification if the question names nothing to look for: %s",
  async (question) => {
    expect((await grade(question, LEAVE, 年假)).clarification).not.toBe("");
  },
);

test.each(["What is RAG?", "年假呢？"])(
  "the local grader asks for no clarification if the question names something: %s",
  async (question) => {
    expect((await grade(question, LEAVE, 年假)).clarification).toBe("");
  },
);
