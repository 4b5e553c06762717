import { expect, test } from "vitest";
import { askedTime, dayBefore, periodOf } from "../../src/language/asked-time.js";

const asked = (question: string) => {
  const time = askedTime(question, "2026-11-22");
  return time && { days: `${time.from}..${time.until}`, isCertain: time.isCertain };
};

test.each([
  ["What was the travel limit in 2023?", "2023-01-01..2023-12-31"],
  ["As of March 2024, who approves travel abroad?", "2024-03-01..2024-03-31"],
  ["Who approves travel abroad as of 15 March 2024?", "2024-03-15..2024-03-15"],
  ["What was the limit before March 2024?", "2024-02-29..2024-02-29"],
  ["What does the 2023 travel policy say about hotels?", "2023-01-01..2023-12-31"],
  ["Who was the data protection officer at the end of 2023?", "2023-12-31..2023-12-31"],
  ["What was the per diem last year?", "2025-01-01..2025-12-31"],
  ["What will the mileage rate be in 2027?", "2027-01-01..2027-12-31"],
  ["2023年时差旅住宿上限是多少？", "2023-01-01..2023-12-31"],
  ["截至2024年3月，出国差旅由谁审批？", "2024-03-01..2024-03-31"],
  ["2022年每晚住宿上限是多少？", "2022-01-01..2022-12-31"],
  ["去年的里程补贴是多少？", "2025-01-01..2025-12-31"],
  ["2024年3月之前的住宿上限是多少？", "2024-02-29..2024-02-29"],
  ["2023年版差旅政策对酒店是怎么规定的？", "2023-01-01..2023-12-31"],
  ["住宿上限在2023年是多少？", "2023-01-01..2023-12-31"],
  ["2023年底谁是数据保护官？", "2023-12-31..2023-12-31"],
  ["截止到2023年6月1日，年假有几天？", "2023-06-01..2023-06-01"],
  ["Back in 2019, who signed purchase orders?", "2019-01-01..2019-12-31"],
])("%j asks what was so at a time", (question, days) => {
  expect(asked(question)).toEqual({ days, isCertain: true });
});

test.each([
  ["How many days do employees who joined in 2023 get?", "2023-01-01..2023-12-31"],
  ["What has the limit been since March 2024?", "2024-03-01..2024-03-31"],
  ["How did the limit change between 2022 and 2024?", "2022-01-01..2024-12-31"],
  ["2023年入职的员工有多少天年假？", "2023-01-01..2023-12-31"],
  ["2024年3月以来住宿上限是多少？", "2024-03-01..2024-03-31"],
  ["2022年和2024年的住宿上限有什么不同？", "2022-01-01..2024-12-31"],
])("%j names a time that may belong to something else", (question, days) => {
  expect(asked(question)).toEqual({ days, isCertain: false });
});

test.each([
  ["What is the travel limit?"],
  ["How many days may I work from home in August?"],
  ["Who approves travel above 2000 euros?"],
  ["住宿上限是多少？"],
  ["八月可以在家办公几天？"],
  ["今年的住宿上限是多少？"],
])("%j asks about the present", (question) => {
  expect(asked(question)).toBeUndefined();
});

test.each([
  ["What was the limit in 2023?", "in 2023"],
  ["What was the limit before March 2024?", "before March 2024"],
  ["截至2022年底，加班由谁审批？", "2022年底"],
  ["截至2022年底，加班由誰審批？", "2022年底"],
])("the words of the time are those of the question: %j", (question, words) => {
  expect(askedTime(question, "2026-11-22")?.words).toBe(words);
});

test("a year, a month and a day have a first and a last day, and what is no date has none", () => {
  expect(periodOf("2024")).toEqual({ from: "2024-01-01", until: "2024-12-31" });
  expect(periodOf("2024", "2")).toEqual({ from: "2024-02-01", until: "2024-02-29" });
  expect(periodOf("2024", "02", "3")).toEqual({ from: "2024-02-03", until: "2024-02-03" });
  for (const date of [
    ["2024", "13"],
    ["2024", "00"],
    ["2023", "02", "29"],
  ] as const)
    expect(periodOf(...date)).toBeUndefined();
  expect(dayBefore("2024-03-01")).toBe("2024-02-29");
});
