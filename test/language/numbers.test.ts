import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { numberValue } from "../../src/language/number-words.js";
import { approached, quantities, stated } from "../../src/language/numbers.js";

const keys = (text: string) => quantities(text).map(({ key }) => key);

test.each(["是哪一年通车的？", "哪一天开会", "哪一位"])("%s asks for an amount and has none", (text) => {
  expect(quantities(text)).toEqual([]);
});

describe("quantities", () => {
  test.each([
    ["twenty-five people", "二十五人", ["number:25"]],
    ["two thousand people", "两千人", ["number:2000"]],
    ["1,200 seats", "一千二百个座位", ["number:1200"]],
    ["30% of it", "其中百分之三十", ["percent:30"]],
    ["one fifth of the staff", "五分之一的员工", ["percent:20"]],
    ["80 percent of the wages", "八成工资", ["percent:80"]],
    ["a rise of 35%", "上涨约三成半", ["percent:35"]],
    ["15,000 yuan", "1.5万元", ["money:CNY:15000"]],
    ["$1.5 million", "150万美元", ["money:USD:1500000"]],
    ["March 5, 2024", "2024年3月5日", ["date:2024-03-05"]],
    ["on 5 March", "三月五日", ["date:*-03-05"]],
    ["2024-03-05", "二〇二四年三月五日", ["date:2024-03-05"]],
    ["in March 2024", "2024年3月", ["date:2024-03"]],
    ["in 1999", "1999年", ["date:1999"]],
    ["the 1990s", "20世纪90年代", ["period:1990s"]],
    ["the 19th century", "十九世纪", ["period:c19"]],
    ["at 2:30 p.m.", "下午两点半", ["time:14:30"]],
    ["3.5 km", "3500米", ["measure:m:3500"]],
    ["two weeks", "十四天", ["measure:s:1209600"]],
    ["12 months", "一年", ["measure:month:12"]],
    ["the third floor", "第三层", ["ordinal:3"]],
    ["10 business days", "10个工作日", ["measure:working day:10"]],
    ["$8.2m", "820万美元", ["money:USD:8200000"]],
    ["in 50, 460 yuan", "共50，460元", ["number:50", "money:CNY:460"]],
  ])("reads %s as %s", (english, chinese, expected) => {
    expect(keys(english)).toEqual(expected);
    expect(keys(chinese)).toEqual(expected);
  });

  test.each([
    ["a year written short", "the 2018–19 season", ["date:2018", "date:2019"]],
    ["no year in a code", "call 2018-05", ["date:2018", "number:5"]],
    ["a lone ten before a measure word", "十个展厅十分大", ["number:10"]],
    ["a space before the scale", "3000 万英镑", ["money:GBP:30000000"]],
    [
      "old units",
      "五亩地、三里路、二两酒、六尺布",
      ["measure:亩:5", "measure:m:1500", "measure:g:100", "measure:丈:0.6"],
    ],
    ["no unit in a word", "在60里面，一两个丈夫", ["number:60", "number:2"]],
    ["more than, with its unit", "五千多平方米", ["measure:m2:5000"]],
  ])("reads %s", (_name, text, expected) => {
    expect(keys(text)).toEqual(expected);
  });

  test.each([
    "one of them",
    "统一一些规定，一定十分重要",
    "已建成，但不是一成不变",
    "ISO-27001, P-2626 and v2.3",
    "you may go",
  ])("sees no amount in %s", (text) => {
    expect(keys(text).filter((key) => !key.startsWith("number:10"))).toEqual([]);
  });

  test("points at the words it read, whatever the text", () => {
    const unit = fc.constantFrom(
      "3",
      "月",
      "5",
      "日",
      "%",
      " ",
      "twenty",
      "-",
      "million",
      "$",
      "二",
      "万",
      "点",
      "年",
      "分之",
      "of",
      "half",
      ",",
      ".",
      "May",
      "第",
      "ａ",
      "２",
      "😀",
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 25 }), (parts) => {
        const text = parts.join("");
        const found = quantities(text);
        for (const { start, end, text: words } of found) expect(text.slice(start, end)).toBe(words);
        for (const [i, { start }] of found.entries()) expect(start).toBeGreaterThanOrEqual(found[i - 1]?.end ?? 0);
      }),
    );
  });
});

describe("numberValue", () => {
  test.each([
    ["two hundred and five", 205],
    ["three million four hundred thousand", 3_400_000],
    ["三百零五", 305],
    ["十二", 12],
    ["一亿二千万", 120_000_000],
    ["三点一四", 3.14],
    ["3.5 million", 3_500_000],
  ])("%s is %d", (numeral, value) => {
    expect(numberValue(numeral)).toBe(value);
  });
});

describe("stated", () => {
  const how = (claim: string, source: string) =>
    quantities(claim).map((quantity) => stated(quantity, quantities(source)));

  test.each([
    ["the year of a full date", "in 2024", "2024年3月5日", "yes"],
    ["a day without its year", "March 5", "2024-03-05", "yes"],
    ["a date the source gives less exactly", "March 5, 2024", "in 2024", "no"],
    ["the same span in another unit", "two weeks", "14天", "yes"],
    ["a number whose unit the source leaves out", "20 days", "Leave: 20", "loosely"],
    ["another number", "21 days", "20 days", "no"],
    ["another unit", "20 days", "20 hours", "no"],
  ])("%s", (_name, claim, source, expected) => {
    expect(how(claim, source)).toEqual([expected]);
  });
});

describe("approached", () => {
  test.each([
    ["a rounded number", "8.2 million", "8,213,000", true],
    ["a table in thousands", "$8.2 million", "8,213", true],
    ["more digits than the source has", "8.21 million", "8.2 million", false],
    ["a date in two parts", "May 4, 2019", "May 4 of last year", true],
    ["another day of the month", "May 4, 2019", "May 5", false],
    ["a time as a bare number", "7 pm", "see you at 7", true],
    ["another unit", "20 miles", "20 km", false],
  ])("%s: %s of %s: %s", (_name, claim, source, expected) => {
    expect(quantities(claim).map((quantity) => approached(quantity, quantities(source)))).toEqual([expected]);
  });
});
