import { expect, test } from "vitest";
import { chineseNames, unlistedWords } from "../../src/facts/chinese-names.js";

test.each([
  ["画家列奥纳多·达·芬奇的作品", "列奥纳多·达·芬奇"],
  ["球员谭望嵩被换下", "谭望嵩"],
  ["他出生于加拿大", "加拿大"],
  ["总统华盛顿的演讲", "华盛顿"],
  ["他在清华大学任教", "清华大学"],
])("%s names %s", (text, name) => {
  expect(chineseNames(text).map((found) => found.name)).toContain(name);
});

test.each(["员工的年假为二十天，可以累计。", "城市和地区的火山很多。", "我们今天开会讨论新的计划。"])(
  "%s contains no name of a person",
  (text) => {
    expect(chineseNames(text)).toEqual([]);
  },
);

test.each([
  ["蓝线裸顶鲷的体长约是多少公分？", ["蓝线裸顶鲷"]],
  ["黄鳍紫鱼主要分布在哪些地区？", ["黄鳍紫鱼"]],
  ["员工每年有多少天年假？", []],
  ["我想请假，要问谁？", []],
  ["就業規則はどこにありますか", []],
  ["When does the office open?", []],
])("the words of %s that no dictionary lists are %j", (text, words) => {
  expect(unlistedWords(text)).toEqual(words);
});
