import { describe, expect, test } from "vitest";
import { overstated } from "../../src/facts/strength.js";

describe("a claim that goes further than its source is recognised by", () => {
  test.each([
    ["all", "All unused days can be carried over.", "Up to five unused days can be carried over."],
    ["always", "The company always pays for taxis.", "The company pays for taxis at night."],
    ["only", "Guests may only come on Fridays.", "Guests may come on Fridays."],
    ["must", "Staff must take the course.", "Staff may take the course."],
    ["because", "The pump stopped because the fuse blew.", "The pump stopped. The fuse blew."],
    ["until", "The desk is open until nine.", "The desk opens at nine."],
    ["所有", "所有员工每周可以在家办公一天。", "办公区员工每周可以在家办公一天。"],
    ["只", "访客只能周五来。", "访客可以周五来。"],
    ["必须", "员工必须参加培训。", "员工可以参加培训。"],
    ["因为", "水泵因为断电停了。", "水泵停了。下午断电。"],
  ])("%s", (word, claim, source) => expect(overstated(claim, source)).toEqual({ code: "overstated", words: word }));

  test("another frequency", () =>
    expect(overstated("仓库每周盘点一次。", "仓库每月盘点一次。")).toEqual({
      code: "says_otherwise",
      source: "每月",
      claim: "每周",
    }));

  test.each([
    ["The results were published in 2021.", "The team hoped to publish the results in 2021."],
    ["公司已经订购了六十台。", "公司有意订购六十台。"],
  ])("a claim about a plan as if it were a fact is recognised: %s", (claim, source) =>
    expect(overstated(claim, source)).toEqual({ code: "only_planned" }),
  );
});

test.each([
  ["Up to five unused days can be carried over.", "All unused days can be carried over."],
  ["Staff may take the course.", "Staff must take the course."],
  ["Every visitor wears a badge.", "All visitors wear a badge."],
  ["Staff have 27 days every year.", "Staff have 27 days a year."],
  ["The pump stopped because the fuse blew.", "Cause: the fuse of the pump blew, and it stopped."],
  ["The team hoped to publish in 2021.", "The team planned to publish in 2021."],
  ["The results were published.", "The team hoped to publish in May. They published the results in June."],
  ["公司打算订购六十台。", "公司有意订购六十台。"],
  ["每周可以在家办公一天。", "一周可以在家办公一天。"],
])("a weaker or equal claim is accepted: %s", (claim, source) => expect(overstated(claim, source)).toBeUndefined());
