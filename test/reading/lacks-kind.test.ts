import { expect, test } from "vitest";
import { lacksKind } from "../../src/reading/lacks-kind.js";

const LACKING: readonly [question: string, text: string][] = [
  ["How much does the Sonde S4 weigh in pounds?", "The Sonde S4 weighs 850 grams without batteries."],
  ["How many pounds does it weigh?", "Weight; K2: 420 g"],
  ["How much does the plan cost in dollars?", "Plan: Bloom; Price per month: €99; Users: 40"],
  ["days of leave?", "The review date of Leave is 2026-01-19."],
  ["How many days of leave do I have?", "Requests go to your line manager."],
  ["年假有多少天？", "年假申请由直属主管批准，复审日期为2026年1月19日。"],
  ["基礎訓練要幾個小時？", "基礎訓練在台北上課。"],
  ["探头有多少磅重？", "探头重620克。"],
  ["What is the effective date of the policy?", "Employees may work from home up to three days a week."],
  ["On which day is the museum closed?", "The museum opens at ten."],
  ["福利制度的生效日期是哪天？", "公司为全体员工购买补充医疗保险。"],
  ["Which weekday do we have off in summer?", "We work 4-day weeks from May 1 through August 31."],
  ["补习安排在周几？", "学校会安排每周两节的补习。"],
];

test.each(LACKING)("%s is not answered by: %s", (question, text) => expect(lacksKind(question, text)).toBe(true));

const MEETING: readonly [question: string, text: string][] = [
  ["How much does it weigh in pounds?", "It weighs 5 lbs."],
  ["How much is the deposit in pounds?", "The deposit is £40."],
  ["How much does it weigh in pounds?", "Weight in pounds: 1.9"],
  ["How many days of leave do I have?", "Everybody has five weeks of leave."],
  ["How many days can I carry over?", "No leave can be carried over."],
  ["How many days is the office closed?", "It is closed from 24 December to 1 January."],
  ["How many people work in Ghent?", "The office in Ghent is near the station."],
  ["How much does it weigh?", "It weighs 850 grams."],
  ["What happened in years past?", "The harbour was closed."],
  ["年终奖能拿几个月？", "等级：A；月薪倍数（月）：3 - 5"],
  ["多少元一张？", "门票€12。"],
  ["这几天食堂开门吗？", "食堂正在装修。"],
  ["几年前开的店？", "店开在老城。"],
  ["On which days is she in?", "She is in on Tuesdays and Thursdays."],
  ["工资哪天发？", "工资每周五发放。"],
  ["信用卡账单几号出来？", "账单每月 26 号出。"],
  ["收據幾月開始電子化？", "預計 10 月上線。"],
  ["What is the way to bring the client up to date?", "Run the updater."],
  ["The works date from which two dynasties?", "Most works are Ming and Qing."],
  ["From the reign of which king do the vaults date back?", "The vaults were built under King Olaf."],
  ["怎么看哪些改动没生效？", "输出里带星号的还没有应用。"],
  ["每周几次例会？", "例会由组长召集。"],
];

test.each(MEETING)("%s may be answered by: %s", (question, text) => expect(lacksKind(question, text)).toBe(false));
