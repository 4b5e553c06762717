import { describe, expect, test } from "vitest";
import { settle } from "../../src/text/support.js";

const CASES: [verdict: string, name: string, claim: string, quotes: string[]][] = [
  ["supported", "the words of the quote", "The office opens at nine.", ["The office opens at nine."]],
  ["supported", "a part of the quote", "The office opens at nine.", ["The office opens at nine and has a café."]],
  ["supported", "引文原话", "年假为二十天。", ["员工的年假为二十天。"]],
  [
    "supported",
    "the same words in the same order",
    "The leave of the staff is 20 days.",
    ["Leave of staff is 20 days."],
  ],
  ["supported", "a table row under its headings", "Plan: Pro; Price: $20", ["| Plan | Price |", "| Pro | $20 |"]],
  ["supported", "表格的一行", "套餐: 专业版; 价格: 20元", ["| 套餐 | 价格 |", "| 专业版 | 20元 |"]],
  [
    "doubtful",
    "a sentence taken out of its condition",
    "You may work from home.",
    ["If your lead agrees, you may work from home."],
  ],
  ["doubtful", "被否认的说法", "公司裁员", ["公司否认公司裁员的传闻。"]],
  [
    "doubtful",
    "words picked out of a longer sentence",
    "The board approved the merger.",
    ["The board that approved budgets for ten years blocked in the spring the merger of both firms."],
  ],
  ["contradicted", "roles exchanged", "Mary paid John.", ["John paid Mary."]],
  ["contradicted", "角色对调", "小李批评了小王", ["小王批评了小李"]],
  [
    "doubtful",
    "cells of two rows mixed",
    "Plan: Free; Price: $20",
    ["| Plan | Price |", "| Pro | $20 |", "| Free | $0 |"],
  ],
  ["unsupported", "more certain than the quote", "All offices close in July.", ["Some offices close in July."]],
  ["doubtful", "other words", "Staff rest for 20 days.", ["Employees have 20 days of rest a year."]],
  ["unsupported", "another number", "Leave is 25 days.", ["Leave is 20 days."]],
  ["unsupported", "另一个数", "年假为三十天。", ["员工的年假为20天。"]],
  ["unsupported", "another date", "It opened on March 6, 2024.", ["It opened on March 5, 2024."]],
  ["unsupported", "a name no quote has", "The award went to Ada Lovelace.", ["The award went to Alan Turing."]],
  ["unsupported", "something else", "The canteen serves lunch daily.", ["Passwords expire every quarter."]],
  ["unsupported", "另一件事", "食堂每天供应午餐", ["密码每季度过期"]],
  ["unsupported", "no quote", "Leave is 20 days.", []],
  ["unsupported", "no words", "...", ["Leave is 20 days."]],
  ["contradicted", "a denied quote", "Smoking is allowed.", ["Smoking is not allowed."]],
  ["contradicted", "a denial of the quote", "Smoking is not allowed.", ["Smoking is allowed."]],
  ["contradicted", "引文否定", "员工可以吸烟。", ["员工不可以吸烟。"]],
  ["contradicted", "an opposite word", "Sales increased in 2020.", ["Sales decreased in 2020."]],
  ["contradicted", "反义词", "2020年销售额上升。", ["2020年销售额下降。"]],
  // Amounts: another value, unit or bound where the rest agrees; in doubt where it only comes near or the rest is other words.
  ["supported", "a number in words", "The house has 3 floors.", ["The house has three floors."]],
  ["supported", "汉字写的数", "全书共25章。", ["全书共二十五章。"]],
  ["supported", "a date in another order", "It closed on 5 March 2024.", ["It closed on March 5, 2024."]],
  ["supported", "年月日的另一种写法", "2024-03-05闭馆。", ["2024年3月5日闭馆。"]],
  ["supported", "a number without its commas", "The town counted 2000 people.", ["The town counted 2,000 people."]],
  ["unsupported", "a year that is another count", "The town counted 2100 people.", ["The town counted 2,000 people."]],
  ["unsupported", "another unit", "The road is 20 miles long.", ["The road is 20 kilometres long."]],
  ["unsupported", "另一个单位", "该村有耕地300亩。", ["该村有耕地300公顷。"]],
  ["unsupported", "传统单位", "每人分得五斤大米。", ["每人分得五公斤大米。"]],
  ["unsupported", "another currency", "Tickets cost 30 million euros.", ["Tickets cost 30 million pounds."]],
  ["unsupported", "another end of a range", "It takes 10–15 days to arrive.", ["It takes 10–12 days to arrive."]],
  ["doubtful", "a rounded number", "The bank earned $8.2 million.", ["The bank earned $8,213,000."]],
  ["unsupported", "a number rounded wrongly", "The bank earned $8.3 million.", ["The bank earned $8,213,000."]],
  [
    "doubtful",
    "a date put together from two places",
    "It aired on May 4, 2019.",
    ["Written in 2019. It aired on May 4."],
  ],
  ["doubtful", "a number in other words", "They will meet at 7 pm.", ["Jim: see you at 7 then"]],
  ["contradicted", "less than for more than", "More than 20 people came.", ["Fewer than 20 people came."]],
  ["contradicted", "不足不是超过", "参观者超过三万人。", ["参观者不足三万人。"]],
  ["contradicted", "at most for at least", "Members serve at most 4 years.", ["Members serve at least 4 years."]],
  ["unsupported", "a bound the quote lacks", "The bridge is over 300 metres long.", ["The bridge is 300 metres long."]],
  [
    "supported",
    "a bound that belongs to another number",
    "在两个大于2的素数之间至少有四个数。",
    ["在两个大于2的素数之间至少有4个数。"],
  ],
  // Quantifiers.
  ["unsupported", "全部不是部分", "全部员工参加了培训。", ["部分员工参加了培训。"]],
  ["unsupported", "most for some", "Most shops open on Sundays.", ["Some shops open on Sundays."]],
  ["unsupported", "must for may", "Visitors must leave a deposit.", ["Visitors may leave a deposit."]],
  [
    "unsupported",
    "only, which the quote does not say",
    "The card is valid only in Berlin.",
    ["The card is valid in Berlin."],
  ],
  ["unsupported", "引文没有说只有", "该证只在北京有效。", ["该证在北京有效。"]],
  ["doubtful", "was for is", "She was the head of sales in Berlin.", ["She is the head of sales in Berlin."]],
  // Denials and opposites.
  ["contradicted", "a denial beside another", "不满十八岁的人可以参加。", ["不满十八岁的人不可以参加。"]],
  ["contradicted", "before for after", "Guests pay before the concert.", ["Guests pay after the concert."]],
  ["contradicted", "北与南", "该河位于城市北部。", ["该河位于城市南部。"]],
  [
    "contradicted",
    "early for late",
    "It was built in the early 1950s by Ann.",
    ["It was built in the late 1950s by Ann."],
  ],
  // Parts that have changed places.
  ["contradicted", "who bought whom", "Acme bought Globex in 1990.", ["Globex bought Acme in 1990."]],
  ["doubtful", "the passive, which says the same", "Globex was bought by Acme.", ["Acme bought Globex."]],
  ["contradicted", "from and to", "The train from Paris to Rome was late.", ["The train from Rome to Paris was late."]],
  ["contradicted", "谁被谁收购", "北京公司收购了上海公司。", ["上海公司收购了北京公司。"]],
  ["doubtful", "names in a list", "Ann Lee and Bob Ray met there.", ["Bob Ray and Ann Lee met there."]],
  // Names.
  ["unsupported", "a name one letter off", "The award went to Ada Lovelice.", ["The award went to Ada Lovelace."]],
  ["unsupported", "一字之差的人名", "奖项颁给了列奥纳多·达·芬德。", ["奖项颁给了列奥纳多·达·芬奇。"]],
  ["unsupported", "一字之差的国名", "他出生于加林大的一个小镇。", ["他出生于加拿大的一个小镇。"]],
  ["unsupported", "另一个地名", "会议于五月在杭州市举行。", ["会议于五月在苏州市举行。"]],
  [
    "doubtful",
    "a people for its country",
    "He died in the Libyan war of that year.",
    ["He died that year in the war in Libya."],
  ],
  ["doubtful", "initials for a name", "The US army left the town.", ["The army of the United States left the town."]],
  [
    "doubtful",
    "a name in other words",
    "Ada Lovelace told friends about that in great joy.",
    ["She told friends how pleased she was about that."],
  ],
  // What is left out, and what is put in.
  ["supported", "brackets left out", "The tower has five bells.", ["The tower (built in 1800) has five bells."]],
  ["supported", "括号略去", "该塔有五口钟。", ["该塔（建于1800年）有五口钟。"]],
  [
    "contradicted",
    "brackets that have changed places",
    "Rome (north) and Bari (south) grew.",
    ["Rome (south) and Bari (north) grew."],
  ],
  [
    "doubtful",
    "a clause of its own",
    "The tower has five bells and was sold to a bank.",
    ["The tower has five bells."],
  ],
  [
    "doubtful",
    "two halves",
    "The tower has five bells and a café opens at nine.",
    ["The tower has five bells and a clock.", "A café opens at nine."],
  ],
  [
    "contradicted",
    "one sentence of two",
    "The shop is open. Smoking is allowed.",
    ["The shop is open. Smoking is not allowed."],
  ],
];

describe("settle", () => {
  test.each(CASES)("%s: %s", (verdict, _name, claim, quotes) => {
    const settled = settle(claim, quotes);
    expect(settled, settled.reason).toMatchObject({ verdict });
  });
});
