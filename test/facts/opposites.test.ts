import { expect, test } from "vitest";
import { opposed } from "../../src/facts/opposites.js";

test.each([
  ["Sales increased.", "Sales decreased.", ["increased", "decreased"]],
  ["Users view unencrypted content.", "Users view encrypted content.", ["unencrypted", "encrypted"]],
  ["销售额增加", "销售额减少", ["增加", "减少"]],
  ["该河位于城北郊区。", "该河位于城南郊区。", ["北", "南"]],
  ["It opens and closes.", "It closes.", undefined],
  ["Sales increased.", "Sales rose.", undefined],
  ["The early bird sang.", "The king died late.", undefined],
  ["大约两小时", "约两小时", undefined],
])("opposed: %s / %s", (a, b, expected) => {
  const said = (one: string, other: string) => {
    const [own, theirs] = opposed(one, other) ?? [];
    return own && theirs && [one.slice(own.start, own.end), other.slice(theirs.start, theirs.end)];
  };
  expect(said(a, b)).toEqual(expected);
  expect(said(b, a)).toEqual(expected?.toReversed());
});
