import { expect, test } from "vitest";
import { aboutOthers } from "../../src/reading/rows.js";
import { unitsOf } from "../../src/reading/units.js";
import { task } from "./local-evidence.js";

const LEADS =
  "| Area | Lead | Since |\n|-|-|-|\n| Firmware | Joost van Rees | 2021 |\n| Procurement | Daan Hoekstra | 2023 |";
const STAFF = "| 姓名 | 分机 |\n|-|-|\n| 秦子轩 | 7151 |\n| 许志强 | 7154 |";
const SCANNERS = "| | Lynx 200 | Lynx 400 |\n|-|-|-|\n| Weight | 1.4 kg | 2.1 kg |";
const METERS = "| | 海鸥一号 | 海鸥二号 |\n|-|-|-|\n| 重量 | 820克 | 1.3公斤 |";

/** The share of names and amounts that each row lacks. */
function lacking(question: string, text: string) {
  const [evidence] = task(question, text).evidence;
  if (!evidence) throw new Error("no evidence");
  const lacks = aboutOthers(question);
  return unitsOf(evidence)
    .filter(({ head }) => head)
    .map((unit) => Object.values(lacks(unit)).join(" "));
}

test("a row lacks a name or amount that is only in another row of its passage", () => {
  const changes = "\n\nJoost van Rees took over in 2021.";
  expect(lacking("Since when has Joost van Rees been a lead?", LEADS + changes)).toEqual(["0 0", "1 0"]);
  expect(lacking("Since when has Joost van Rees led procurement?", LEADS)).toEqual(["1 0", "1 0"]);
  expect(lacking("秦子轩的分机是多少？", STAFF)).toEqual(["0 0", "1 0"]);
  expect(lacking("Who leads since 2023?", LEADS)).toEqual(["0 1", "0 0"]);
  expect(lacking("谁的分机是7154？", STAFF)).toEqual(["0 1", "0 0"]);
});

test("a name whose parts are in different rows is in none of them", () => {
  expect(lacking("Who is Joost Hoekstra?", LEADS)).toEqual(["1 0", "1 0"]);
});

test("a row with one of several names of the question lacks none", () => {
  expect(lacking("Who leads longer, Joost van Rees or Daan Hoekstra?", LEADS)).toEqual(["0 0", "0 0"]);
  expect(lacking("Who leads?", LEADS)).toEqual(["0 0", "0 0"]);
});

test("a table of numbered things lacks a thing with another number", () => {
  expect(lacking("What does the Lynx 600 weigh?", SCANNERS)).toEqual(["1 1"]);
  expect(lacking("What does the Lynx 400 weigh?", SCANNERS)).toEqual(["0 0"]);
  expect(lacking("海鸥三号有多重？", METERS)).toEqual(["1 1"]);
  expect(lacking("海鸥二号有多重？", METERS)).toEqual(["0 0"]);
  expect(lacking("What does it weigh?", SCANNERS)).toEqual(["0 0"]);
});

test("a row with limits is about the amounts within them", () => {
  const leave = "| 司龄 | 天数 |\n|-|-|\n| 不满3年 | 12天 |\n| 满3年不满6年 | 15天 |\n| 满6年 | 18天 |";
  expect(lacking("我在公司干了四年，能休几天？", leave)).toEqual(["0 1", "0 0", "0 1"]);
  expect(lacking("我在公司干了六年，能休几天？", leave)).toEqual(["0 1", "0 1", "0 0"]);
  const approval =
    "| Purchase | Approved by |\n|-|-|\n| up to 500 euros | lead |\n| 500 to 5,000 euros | head |\n| over 5,000 euros | board |";
  expect(lacking("Who approves a purchase of 1,000 euros?", approval)).toEqual(["0 1", "0 0", "0 1"]);
  expect(lacking("Who approves a purchase of 9,000 euros?", approval)).toEqual(["0 1", "0 1", "0 0"]);
  const notice = "| Role | Notice |\n|-|-|\n| engineer | at least 2 weeks |\n| intern | none |";
  expect(lacking("What is the notice of an engineer after 4 years?", notice)).toEqual(["0 0", "1 0"]);
  expect(lacking("Who approves a trip of 4 days?", approval)).toEqual(["0 0", "0 0", "0 0"]);
});

test("a table lacks somebody of whom it only has namesakes", () => {
  const people = "| 姓名 | 小组 |\n|-|-|\n| 周建国 | 化验组 |\n| 孙海燕 | 销售组 |";
  expect(lacking("王建国在哪个小组？", people)).toEqual(["1 1", "1 1"]);
  expect(lacking("王建国在哪个小组？", `${people}\n\n王建国没有小组。`)).toEqual(["0 0", "0 0"]);
  expect(lacking("周建国在哪个小组？", people)).toEqual(["0 0", "1 0"]);
  expect(lacking("谁的名字叫建国？", people)).toEqual(["0 0", "0 0"]);
});

test("special characters of patterns in names are matched literally", () => {
  expect(lacking("Is (a+)1 free?", "| Part | Price |\n|-|-|\n| (a+)2 | 1 |\n| [x-2 | 3 |")).toEqual(["1 1", "1 1"]);
});
