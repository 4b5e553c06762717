import { describe, expect, test } from "vitest";
import { bm25, coverage, terms } from "../../research/eval/baseline.js";
import { standsIn, standsInPage } from "../../research/eval/quotes.js";
import { isRefusal } from "../../src/evaluate/ask.js";
import { containsAnswer, overlapF1 } from "../../src/evaluate/match.js";
import { sample, shuffled } from "../../src/evaluate/statistics.js";

describe("an expected answer is found", () => {
  test.each([
    ["It was founded in the Netherlands.", "netherlands"],
    ["About 1,200 people work there.", "1200"],
    ["They met “Nikola Tesla”, the engineer.", "Nikola Tesla,"],
    ["寺庙踩踏事故造成１２人死亡。", "12人"],
    ["首都是北京 市。", "北京市"],
  ])("in %j: %j", (text, answer) => expect(containsAnswer(text, [answer])).toBe(true));

  test.each([
    ["It happened in 1914.", "14"],
    ["游戏中离14分钟内不得配对。", "4分钟"],
    ["The cartwright left.", "art"],
    ["Anything at all.", ""],
    ["It cost 3.50 dollars.", "50"],
  ])("not in %j: %j", (text, answer) => expect(containsAnswer(text, [answer])).toBe(false));

  test("the best match of several expected answers counts", () => {
    expect(containsAnswer("It opens at eight.", ["nine", "eight"])).toBe(true);
    // "opens at eight" and "eight" share 1 word of 3 and 1.
    expect(overlapF1("opens at eight", ["nine", "eight"])).toBeCloseTo(0.5, 10);
    // 3 characters are shared, of 3 and 5.
    expect(overlapF1("在八点开门", ["八点半"])).toBeCloseTo((2 * 2) / 8, 10);
  });
});

describe("a quote", () => {
  test("is found verbatim in its source, apart from white space", () => {
    expect(standsIn("The office\n  opens at eight.", "office opens at")).toBe(true);
    expect(standsIn("公司成立于\n1998年。", "成立于 1998年")).toBe(true);
  });

  test("is not found if it changes a word, skips words or is empty", () => {
    expect(standsIn("The office opens at eight.", "office opens at nine")).toBe(false);
    expect(standsIn("The office opens at eight.", "office opensat eight")).toBe(false);
    expect(standsIn("The office opens at eight.", "The office … eight")).toBe(false);
    expect(standsIn("The office opens at eight.", " ")).toBe(false);
    expect(standsIn("", "office")).toBe(false);
  });
});

describe("a quote from a page of HTML", () => {
  const page =
    "<style>p{}</style><table><tr><td>Kingfisher <b>K2</b></td><td>&#8364;1,480</td></tr></table><p>首<i>都</i>是北京。</p>";

  test("is found even if tables and lists have other marks", () => {
    expect(standsInPage(page, "| Kingfisher K2 | €1,480 |")).toBe(true);
    expect(standsInPage(page, "首都是北京。")).toBe(true);
  });

  test("is not found if a word is changed or left out", () => {
    expect(standsInPage(page, "| Kingfisher K2 | €1,490 |")).toBe(false);
    expect(standsInPage(page, "Kingfisher €1,480")).toBe(false);
    expect(standsInPage(page, "table")).toBe(false);
    expect(standsInPage(page, "||")).toBe(false);
  });
});

describe("the baselines", () => {
  test("split English into words and Chinese into pairs", () => {
    expect(terms("GPT-4 模型发布了, in 2023年")).toEqual([
      "gpt",
      "4",
      "模型",
      "型发",
      "发布",
      "布了",
      "in",
      "2023",
      "年",
    ]);
  });

  test("BM25 puts the text with the rarer words first, in both languages", () => {
    const search = bm25([
      { id: "cat", text: "the cat sat on the mat" },
      { id: "dog", text: "the dog sat on the log" },
      { id: "猫", text: "猫坐在垫子上" },
      { id: "狗", text: "狗坐在木头上" },
    ]);
    expect(search("where did the dog sit").map((hit) => hit.id)[0]).toBe("dog");
    expect(search("垫子上有谁").map((hit) => hit.id)).toEqual(["猫"]);
    expect(search("nothing shared")).toEqual([]);
  });

  test("BM25 scores by its formula", () => {
    const [hit] = bm25(
      [
        { id: "a", text: "x x y" },
        { id: "b", text: "y" },
      ],
      1,
      0.5,
    )("x");
    // idf ln(1 + 1.5/1.5) = ln 2; tf 2*2/(2 + 1*(0.5 + 0.5*3/2)) = 4/3.25.
    expect(hit?.score).toBeCloseTo((Math.LN2 * 4) / 3.25, 10);
  });

  test("coverage is the share of the question's words that the sources contain", () => {
    expect(coverage("red green blue", ["A red door.", "Green!"])).toBeCloseTo(2 / 3, 10);
    expect(coverage("", ["anything"])).toBe(0);
  });

  test("a plain model's refusal is recognised, an answer is not", () => {
    const refusals = [
      "I don't know.",
      "The context does not mention a date.",
      "不知道。",
      "上下文中没有提到这一点。",
      "",
    ];
    expect(refusals.map(isRefusal)).toEqual(refusals.map(() => true));
    const answers = ["It opens at eight.", "He did not go to Paris but to Rome.", "八点开门。", "没有人员伤亡。"];
    expect(answers.map(isRefusal)).toEqual(answers.map(() => false));
  });
});

describe("sampling", () => {
  const all = Array.from({ length: 50 }, (_, i) => i);
  test("depends only on the seed and keeps the order", () => {
    const some = sample(all, 10, 7);
    expect(some).toEqual(sample(all, 10, 7));
    expect(some).toHaveLength(10);
    expect(some).toEqual(some.toSorted((a, b) => a - b));
    expect(some).not.toEqual(sample(all, 10, 8));
  });

  test("takes all items if there are not more than asked", () => {
    expect(sample(all, 50, 1)).toEqual(all);
    expect(sample(all, undefined, 1)).toEqual(all);
  });

  test("a shuffle keeps every item once", () => {
    expect(shuffled(all, 3)).not.toEqual(all);
    expect(shuffled(all, 3).toSorted((a, b) => a - b)).toEqual(all);
  });
});
