import { describe, expect, test } from "vitest";
import { approvedQueries, isVerdict } from "../../src/conversation/review.js";

const queries = ["head of procurement", "Procurement van Rees", "采购主管"];

describe("a reply to queries that wait for approval", () => {
  test.each([true, "yes", " Yes. ", "y", "ok", "是", "好。", "同意"])("approves all with %j", (reply) =>
    expect(approvedQueries(queries, reply)).toEqual(queries),
  );
  test.each([false, undefined, null, "", "no", "N", "不要", "否。", 3, {}, { queries: 3 }])(
    "approves none with %j",
    (reply) => expect(approvedQueries(queries, reply)).toEqual([]),
  );
  test.each([
    "no, thanks",
    "No. Keep it inside.",
    "no thanks",
    "don't",
    "Never mind, do not ask anybody",
    "no\nPonte Vasco da Gama",
    "who buys\nno\nwho signs",
    "不，谢谢",
    "不用了",
    "不同意",
    ["no"],
    [" 否 ", "不要"],
    { queries: ["no"] },
    { queries: "no" },
    { type: "reject" },
  ])("approves none with a refusal in other words or another form: %j", (reply) =>
    expect(approvedQueries(queries, reply)).toEqual([]),
  );
  test.each([
    ["2", [queries[1]]],
    ["1 3", [queries[0], queries[2]]],
    ["1、3", [queries[0], queries[2]]],
    ["3, 1", [queries[0], queries[2]]],
    ["9", []],
  ])("approves those whose numbers it gives: %j", (reply, kept) =>
    expect(approvedQueries(queries, reply)).toEqual(kept),
  );
  test.each([
    ["who buys\nwho signs", ["who buys", "who signs"]],
    [
      ["谁签字", 3, "who signs"],
      ["谁签字", "who signs"],
    ],
    [{ queries: ["谁签字"] }, ["谁签字"]],
    ["2026", ["2026"]],
    ["procurement without van Rees", ["procurement without van Rees"]],
    [".NET procurement", [".NET procurement"]],
    ["不属于采购的主管", ["不属于采购的主管"]],
  ])("replaces them with other queries: %j", (reply, sent) => expect(approvedQueries(queries, reply)).toEqual(sent));
});

test("is complete after one line of yes, no or numbers, but not after a query", () => {
  expect(["yes", "否", "1 2", "no."].map(isVerdict)).toEqual([true, true, true, true]);
  expect(["yes we can", "采购主管", "2026 budget"].map(isVerdict)).toEqual([false, false, false]);
});
