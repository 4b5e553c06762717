import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { numberValue } from "../../src/facts/number-words.js";
import { quantities } from "../../src/facts/numbers.js";
import { approached, stated } from "../../src/facts/stated.js";

const keys = (text: string) => quantities(text).map(({ key, also = key }) => also);

test.each(["是哪一年通车的？", "哪一天开会", "哪一位"])("“%s” asks for an amount and contains none", (text) => {
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
    ["-18 °C", "-18℃", ["measure:°C:-18"]],
    ["minus five percent", "变化为−5%", ["percent:-5"]],
    ["a loss of -$5 million", "亏损-500万美元", ["money:USD:-5000000"]],
    ["minus 5 °C", "气温为零下五摄氏度", ["measure:°C:-5"]],
    ["5–10%", "5%至10%", ["percent:5", "percent:10"]],
    ["10-20 km", "10到20公里", ["measure:m:10000", "measure:m:20000"]],
    ["$5-10", "5～10美元", ["money:USD:5", "money:USD:10"]],
    ["3 to 5 business days", "3到5个工作日", ["measure:working day:3", "measure:working day:5"]],
    ["2 to 3 million yuan", "200-300万元", ["money:CNY:2000000", "money:CNY:3000000"]],
    ["-20 to -10 °C", "-20~-10℃", ["measure:°C:-20", "measure:°C:-10"]],
    ["1000-1500 yuan", "1000至1500元", ["money:CNY:1000", "money:CNY:1500"]],
    ["5 to 10 March", "3月5日至10日", ["date:*-03-05", "date:*-03-10"]],
    ["March 5–10", "3月5-10日", ["date:*-03-05", "date:*-03-10"]],
    ["5th–10th March 2024", "2024年3月5日起至10日止", ["date:2024-03-05", "date:2024-03-10"]],
    ["15,000", "一万五", ["number:15000"]],
    ["¥3.6k", "三千六元", ["money:CNY:3600"]],
    ["125k yuan", "12万5千元", ["money:CNY:125000"]],
    ["32,000 yuan", "3万2000元", ["money:CNY:32000"]],
    ["$1.5bn", "15亿美元", ["money:USD:1500000000"]],
    ["50 m² and 50 m2", "50㎡、50平方米", ["measure:m2:50", "measure:m2:50"]],
    ["24 h", "24小时", ["measure:s:86400"]],
    ["7 d", "7天", ["measure:s:604800"]],
    ["2 t and 3 ha", "2吨、3公顷", ["measure:g:2000000", "measure:m2:30000"]],
    ["5 L", "5升", ["measure:l:5"]],
    ["half an hour", "半小时", ["measure:s:1800"]],
    ["half a month", "半个月", ["measure:month:0.5"]],
    ["two and a half hours", "两个半小时", ["measure:s:9000"]],
    ["three and one-half hours", "三个半小时", ["measure:s:12600"]],
    ["two and a half months", "两个半月", ["measure:month:2.5"]],
    ["one year and a half", "一年半", ["measure:month:18"]],
    ["2½ hours", "2.5小时", ["measure:s:9000"]],
    ["half a million people", "50万人", ["number:500000"]],
    ["two dozen eggs", "二十四个鸡蛋", ["number:24"]],
    ["half a dozen eggs", "六个鸡蛋", ["number:6"]],
    ["two point five million people", "二百五十万人", ["number:2500000"]],
    ["thirty-five thousand people", "三点五万人", ["number:35000"]],
    ["three point five trillion yuan", "三点五万亿元", ["money:CNY:3500000000000"]],
    ["23.5 percent of it", "其中百分之二十三点五", ["percent:23.5"]],
    ["0.35% of it", "其中千分之三点五", ["percent:0.35"]],
    ["three point five km", "三点五公里", ["measure:m:3500"]],
    ["founded in nineteen ninety-five", "1995年成立", ["date:1995"]],
    ["founded in twenty ten", "2010年成立", ["date:2010"]],
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
    [
      "the hyphen of a range as no minus",
      "5人-10人, 5°-6°, p-3, 7-8, (0)-9 and +/-4",
      [5, 10, 5, 6, 7, 8, 0, 9, 4].map((n) => `number:${n}`),
    ],
    [
      "a subtraction as two amounts",
      "10 minus 5, 3胜2负1平",
      ["number:10", "number:5", "number:3", "number:2", "number:1"],
    ],
    ["负 as a part of a word and as a sign", "负责3个项目，负4", ["number:3", "number:-4"]],
    ["digits that begin with a point", "(.5%, $.50, -.5 km)", ["percent:0.5", "money:USD:0.5", "measure:m:-500"]],
    ["no such digits behind a full stop or a point", "It ended.5 of 1..5 in No.5", ["number:1", "number:5"]],
    [
      "a range that says the scale once",
      "3-5万元, 8000-1万元",
      ["money:CNY:30000", "money:CNY:50000", "number:8000", "money:CNY:10000"],
    ],
    [
      "two numbers joined by and",
      "between three and five of two hundred and five",
      ["number:3", "number:5", "number:205"],
    ],
    ["a range of words in Chinese", "三到五天", ["measure:s:259200", "measure:s:432000"]],
    ["a year and an amount as no range", "in 2020 – 5% more", ["date:2020", "percent:5"]],
    [
      "what is paid to how many",
      "$5 to 10 people and 5 kg to 20 others",
      ["money:USD:5", "number:10", "measure:g:5000", "number:20"],
    ],
    ["days that no month has", "3月5日至40日", ["date:*-03-05", "measure:s:3456000"]],
    ["the yen sign in full width", "￥500", ["money:CNY:500"]],
    [
      "a last digit that counts tenths of the scale",
      "一百五, 两万三, 1万5, 3千5",
      ["number:150", "number:23000", "number:15000", "number:3500"],
    ],
    ["zeros before the last digit", "一百零五, 一万零五, 三百六十五", ["number:105", "number:10005", "number:365"]],
    ["no last digit that belongs to a word", "10万5G基站", ["number:100000", "number:5"]],
    ["thousands in short", "€60k, 60k and 3k users", ["money:EUR:60000", "number:60000", "number:3000"]],
    [
      "one-letter prefixes by their case",
      "5 mW, 5 MW and 5 mw",
      ["measure:W:0.005", "measure:W:5000000", "measure:W:5000000"],
    ],
    ["one square and another", "5 km², 5 cm2, 5 cm³", ["measure:m2:5000000", "measure:m2:0.0005", "measure:l:0.005"]],
    ["square forms of units", "5㎏、30㎝、3㎞", ["measure:g:5000", "measure:m:0.3", "measure:m:3000"]],
    [
      "no unit in a letter of another meaning",
      "3d prints, a 2-d map, 4 H, 5 T, 6 t-shirts, 7 d'ici, 8  h",
      [3, 2, 4, 5, 6, 7, 8].map((n) => `number:${n}`),
    ],
    ["no sign in a name", "波旁-两西西里, 白垩纪-第三纪, 歼-20", ["number:2", "ordinal:3", "number:20"]],
    ["the sign of a list", "225.86 -12.99 -5.44%", ["number:225.86", "number:-12.99", "percent:-5.44"]],
    [
      "no day that does not touch the other",
      "Round 9 - August 20, March 5, 2024 – 10",
      ["number:9", "date:*-08-20", "date:2024-03-05", "number:10"],
    ],
    [
      "no unit in an identifier or a longer word",
      "4400c10d, 25 Ländern, 92d",
      ["number:4400", "number:25", "number:92"],
    ],
    ["a time of day before a number", "下午三点五千人到场", ["time:15:00", "number:5000"]],
    ["a time of day with its minutes", "三点五分到三点五十分", ["time:03:05", "time:03:50"]],
    ["a range that says the dozen once", "two to three dozen kg of flour", ["measure:g:24000", "measure:g:36000"]],
    ["no sum of numerals side by side", "It starts at seven forty-five or at ten thirty.", []],
    ["no year in two amounts", "She had fifteen twenty-dollar bills in her bag.", []],
    ["a point that is no decimal mark", "At that point five people were left.", ["number:5"]],
    ["half of a year as no length of time", "上半年、下半年、2024年半年报", ["date:2024"]],
  ])("reads %s", (_name, text, expected) => {
    expect(keys(text)).toEqual(expected);
  });

  test.each([
    "one of them",
    "统一一些规定，一定十分重要",
    "已建成，但不是一成不变",
    "ISO-27001, P-2626 and v2.3",
    "you may go",
  ])("finds no amount in %s", (text) => {
    expect(keys(text).filter((key) => !key.startsWith("number:10"))).toEqual([]);
  });

  test("gives the offsets of the words that it read, in random texts", () => {
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
    [".5", 0.5],
    ["5bn", 5e9],
    ["一亿五", 150_000_000],
    ["二百五十", 250],
    ["two and a half million", 2_500_000],
    ["two dozen", 24],
    ["two point five million", 2_500_000],
    ["twenty-two point zero five", 22.05],
    ["nineteen hundred", 1900],
    ["三点五万", 35_000],
    ["三点五千万", 35_000_000],
  ])("%s is %d", (numeral, value) => {
    expect(numberValue(numeral)).toBe(value);
  });
});

test.each(["nineteen ninety", "seven eleven", "ten five"])("“%s” is not one number", (numerals) => {
  expect(numberValue(numerals)).toBeUndefined();
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
    ["a negative amount by a positive one", "-18 °C", "18 °C", "no"],
    ["a positive amount by a negative one", "18", "-18", "no"],
    ["one end of a range", "at least 3 days", "3 to 5 days", "yes"],
    ["the last day of several", "on May 14", "May 12–14", "yes"],
    ["a day as its source writes it", "截至10日", "3月5日至10日", "yes"],
    ["an area by a length", "50 m", "50 m²", "no"],
  ])("%s", (_name, claim, source, expected) => {
    expect(how(claim, source)).toEqual([expected]);
  });
});

test("a range is stated if the unit is at one end, at both ends, or beside another number", () => {
  for (const source of [
    "It takes three to five days.",
    "It takes three days to five days.",
    "It takes between three and five days.",
  ])
    expect(quantities("三到五天").map((one) => stated(one, quantities(source)))).toEqual(["yes", "yes"]);
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
    ["a fall in words for a minus", "fell by 5%", "-5%", true],
    ["a minus for a fall in words", "-5%", "fell by 5%", true],
    ["a minus before another unit", "-5 km", "5 miles", false],
  ])("%s: %s of %s: %s", (_name, claim, source, expected) => {
    expect(quantities(claim).map((quantity) => approached(quantity, quantities(source)))).toEqual([expected]);
  });
});
