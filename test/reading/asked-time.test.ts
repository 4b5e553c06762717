import { expect, test } from "vitest";
import { askedTime, dayBefore, periodOf } from "../../src/reading/asked-time.js";

const asked = (question: string) => {
  const time = askedTime(question, "2026-11-22");
  return time && { days: `${time.from}..${time.until}`, isCertain: time.isCertain };
};

test.each([
  ["What was the travel limit in 2023?", "2023-01-01..2023-12-31"],
  ["As of March 2024, who approves travel abroad?", "2024-03-01..2024-03-31"],
  ["Who approves travel abroad as of 15 March 2024?", "2024-03-15..2024-03-15"],
  ["In 2022, how many days of leave did new employees get?", "2022-01-01..2022-12-31"],
  ["How much did a night in Tokyo cost at most in May 2023?", "2023-05-01..2023-05-31"],
  ["What was the limit before March 2024?", "2024-02-29..2024-02-29"],
  ["What does the 2023 travel policy say about hotels?", "2023-01-01..2023-12-31"],
  ["Who was the data protection officer at the end of 2023?", "2023-12-31..2023-12-31"],
  ["What was the per diem last year?", "2025-01-01..2025-12-31"],
  ["What will the mileage rate be in 2027?", "2027-01-01..2027-12-31"],
  ["During 2021, were dogs allowed in the office?", "2021-01-01..2021-12-31"],
  ["What was the VPN gateway on 1 June 2023?", "2023-06-01..2023-06-01"],
  ["2023年时差旅住宿上限是多少？", "2023-01-01..2023-12-31"],
  ["截至2024年3月，出国差旅由谁审批？", "2024-03-01..2024-03-31"],
  ["2023年的住宿上限是多少？", "2023-01-01..2023-12-31"],
  ["2022年每晚住宿上限是多少？", "2022-01-01..2022-12-31"],
  ["在2021年，可以带狗上班吗？", "2021-01-01..2021-12-31"],
  ["去年的里程补贴是多少？", "2025-01-01..2025-12-31"],
  ["2024年3月之前的住宿上限是多少？", "2024-02-29..2024-02-29"],
  ["2023年版差旅政策对酒店是怎么规定的？", "2023-01-01..2023-12-31"],
  ["住宿上限在2023年是多少？", "2023-01-01..2023-12-31"],
  ["2023年底谁是数据保护官？", "2023-12-31..2023-12-31"],
  ["截止到2023年6月1日，年假有几天？", "2023-06-01..2023-06-01"],
  ["2027年的里程补贴将是多少？", "2027-01-01..2027-12-31"],
  ["How many vacation days did we have in 2020?", "2020-01-01..2020-12-31"],
  ["What was the notice period as of January 2022?", "2022-01-01..2022-01-31"],
  ["Back in 2019, who signed purchase orders?", "2019-01-01..2019-12-31"],
  ["Which browser was supported in October 2021?", "2021-10-01..2021-10-31"],
  ["What were the opening hours on 24 December 2024?", "2024-12-24..2024-12-24"],
  ["Who was allowed to use the company car prior to 2023?", "2022-12-31..2022-12-31"],
  ["According to the 2022 handbook, when is the salary paid?", "2022-01-01..2022-12-31"],
  ["What was the gym subsidy at the beginning of 2024?", "2024-01-01..2024-01-01"],
  ["Who had to approve overtime last year?", "2025-01-01..2025-12-31"],
  ["How long will parental leave be in 2028?", "2028-01-01..2028-12-31"],
  ["As at 2023-11-30, what is the password length?", "2023-11-30..2023-11-30"],
  ["What were guests required to sign during July 2022?", "2022-07-01..2022-07-31"],
  ["2020年我们有多少天年假？", "2020-01-01..2020-12-31"],
  ["截至2022年1月，辞职要提前多久通知？", "2022-01-01..2022-01-31"],
  ["2019年的时候谁签采购单？", "2019-01-01..2019-12-31"],
  ["2021年10月支持哪种浏览器？", "2021-10-01..2021-10-31"],
  ["2024年12月24日的营业时间是几点到几点？", "2024-12-24..2024-12-24"],
  ["2023年以前谁可以使用公司车辆？", "2022-12-31..2022-12-31"],
  ["根据2022年版的员工手册，工资什么时候发？", "2022-01-01..2022-12-31"],
  ["2024年初健身补贴是多少？", "2024-01-01..2024-01-01"],
  ["去年加班由谁审批？", "2025-01-01..2025-12-31"],
  ["陪产假在2028年是几天？", "2028-01-01..2028-12-31"],
  ["2022年7月期间访客要签什么？", "2022-07-01..2022-07-31"],
  ["前年的年会在哪里举行？", "2024-01-01..2024-12-31"],
  ["2023年底有多少人？", "2023-12-31..2023-12-31"],
  ["2023年末的库存是多少？", "2023-12-31..2023-12-31"],
  ["2024年初的预算是多少？", "2024-01-01..2024-01-01"],
  ["2024年3月底的库存是多少？", "2024-03-31..2024-03-31"],
  ["2023年前入职要签什么？", "2022-12-31..2022-12-31"],
  ["2023年前由谁审批加班？", "2022-12-31..2022-12-31"],
  ["2023年底部门有多少人？", "2023-12-31..2023-12-31"],
  ["2024年3月1日前提交报销单要谁签字？", "2024-02-29..2024-02-29"],
])("%j asks about a time in the past", (question, days) => {
  expect(asked(question)).toEqual({ days, isCertain: true });
});

test.each([
  "2023年前端团队有多少人？",
  "2023年前台有几个人？",
  "2023年前台接待由谁负责？",
  "2023年前期投入是多少？",
  "2023年底薪是多少？",
  "2023年初中招生人数是多少？",
  "2023年初级工程师有多少人？",
  "2023年末位淘汰怎么算？",
  "2023年前三季度营收是多少？",
  "2023年前6个月营收是多少？",
  "2023年前几个月卖了多少？",
  "2023年前半年营收是多少？",
])("%j asks about the whole year: 前, 底, 末 and 初 are part of a word or of a number of months", (question) => {
  expect(asked(question)).toEqual({ days: "2023-01-01..2023-12-31", isCertain: true });
});

test.each([
  ["How many days do employees who joined in 2023 get?", "2023-01-01..2023-12-31"],
  ["Which rules apply to contracts signed in 2022?", "2022-01-01..2022-12-31"],
  ["What has the limit been since March 2024?", "2024-03-01..2024-03-31"],
  ["What is the travel limit for trips in 2025?", "2025-01-01..2025-12-31"],
  ["How did the limit change between 2022 and 2024?", "2022-01-01..2024-12-31"],
  ["What did the audit of 2023 find?", "2023-01-01..2023-12-31"],
  ["2023年入职的员工有多少天年假？", "2023-01-01..2023-12-31"],
  ["哪些规定适用于2022年签订的合同？", "2022-01-01..2022-12-31"],
  ["2024年3月以来住宿上限是多少？", "2024-03-01..2024-03-31"],
  ["2022年和2024年的住宿上限有什么不同？", "2022-01-01..2024-12-31"],
  ["从2024年3月起差旅由谁审批？", "2024-03-01..2024-03-31"],
  ["What warranty do pumps sold in 2021 have?", "2021-01-01..2021-12-31"],
  ["Who looks after invoices from 2023?", "2023-01-01..2023-12-31"],
  ["What may I expense after 1 April 2024?", "2024-04-01..2024-04-01"],
  ["Do laptops bought in 2020 still get updates?", "2020-01-01..2020-12-31"],
  ["What changed from 2021 to 2023?", "2021-01-01..2023-12-31"],
  ["Until 2022, which tool was used for tickets?", "2022-01-01..2022-12-31"],
  ["2021年出售的水泵保修多久？", "2021-01-01..2021-12-31"],
  ["谁负责2023年开出的发票？", "2023-01-01..2023-12-31"],
  ["2024年4月1日之后可以报销什么？", "2024-04-01..2024-04-01"],
  ["从2021年到2023年有哪些变化？", "2021-01-01..2023-12-31"],
  ["自2022年以来用什么工具提工单？", "2022-01-01..2022-12-31"],
  ["2023年前三季度的营收是多少？", "2023-01-01..2023-12-31"],
  ["2023年前端团队的负责人是谁？", "2023-01-01..2023-12-31"],
])("%j names a time that may belong to something else", (question, days) => {
  expect(asked(question)).toEqual({ days, isCertain: false });
});

test.each([
  ["What is the travel limit?"],
  ["How many days may I work from home in August?"],
  ["Who approves travel above 2000 euros?"],
  ["What was the root cause of the outage?"],
  ["Does ISO 27001 apply to contractors?"],
  ["What is the current hotel limit?"],
  ["Is the limit of 1800 kilometres still right?"],
  ["住宿上限是多少？"],
  ["八月可以在家办公几天？"],
  ["超过2000元的差旅由谁审批？"],
  ["现在的里程补贴是多少？"],
  ["工作满两年有多少天年假？"],
  ["今年的住宿上限是多少？"],
  ["病假需要提前几天申请？"],
  ["Who may use the company car?"],
  ["When does the canteen close on Fridays?"],
  ["Can I carry over vacation to March?"],
  ["What was agreed with the works council?"],
  ["What is the password length now?"],
  ["Are 1500 euros enough for a laptop?"],
  ["谁可以使用公司车辆？"],
  ["食堂星期五几点关门？"],
  ["年假可以结转到三月吗？"],
  ["目前密码最少几位？"],
  ["1500元够买笔记本电脑吗？"],
])("%j asks about the present", (question) => {
  expect(asked(question)).toBeUndefined();
});

test("in other languages no time is certain", () => {
  expect(asked("Wie hoch war die Obergrenze für ein Hotel im Jahr 2023?")).toMatchObject({ isCertain: false });
});

test.each([
  ["What was the limit in 2023?", "in 2023"],
  ["What was the limit before March 2024?", "before March 2024"],
  ["截至2022年底，加班由谁审批？", "2022年底"],
  ["截至2022年底，加班由誰審批？", "2022年底"],
  ["2024年底薪是多少？", "2024年"],
  ["2024年 年底薪是多少？", "2024年"],
])("the words of the time are found in the question: %j", (question, words) => {
  expect(askedTime(question, "2026-11-22")?.words).toBe(words);
});

test("a year, a month and a day have a first and a last day, and an invalid date has none", () => {
  expect(periodOf("2024")).toEqual({ from: "2024-01-01", until: "2024-12-31" });
  expect(periodOf("2024", "2")).toEqual({ from: "2024-02-01", until: "2024-02-29" });
  expect(periodOf("2024", "02", "3")).toEqual({ from: "2024-02-03", until: "2024-02-03" });
  for (const [year, month, day] of [
    ["2024", "13"],
    ["2024", "00"],
    ["2023", "02", "29"],
  ])
    expect(periodOf(year ?? "", month, day)).toBeUndefined();
  expect(dayBefore("2024-03-01")).toBe("2024-02-29");
});
