import { describe, expect, test } from "vitest";
import { doubtOf } from "../../src/checking/doubts.js";
import { verify } from "../../src/index.js";
import { fakeEncoder } from "../encoder.js";

const GROUPS =
  "Chidi Nwosu has led the radio group since 2015. Prof. Henrik Vass leads the optical group and came from Lund. He has two cats.";
const 小组 = "射电组由周启航负责。光学组由林若溪负责，她来自杭州。";

describe("a claim is doubted if its source says it about somebody else", () => {
  test.each([
    [
      "Prof. Henrik Vass has led the radio group since 2015.",
      GROUPS,
      { code: "of_another", source: "Chidi Nwosu", claim: "Henrik Vass" },
    ],
    ["Chidi Nwosu came from Lund.", GROUPS, { code: "of_another", source: "Henrik Vass", claim: "Chidi Nwosu" }],
    ["Chidi Nwosu has two cats.", GROUPS, { code: "of_another", source: "Henrik Vass", claim: "Chidi Nwosu" }],
    ["周启航来自杭州。", 小组, { code: "of_another", source: "林若溪", claim: "周启航" }],
    [
      "Cats may come along on Mondays.",
      "Dogs may come along on Mondays. Cats stay at home.",
      { code: "of_another", source: "Dogs", claim: "Cats" },
    ],
  ])("%s", (claim, text, told) => {
    const nearest = text.split(/(?<=[.。])\s*/).slice(0, 1);
    expect(doubtOf(claim, text, nearest)).toEqual(told);
  });
});

test.each([
  ["Chidi Nwosu has led the radio group since 2015.", GROUPS],
  ["Henrik Vass came from Lund.", GROUPS],
  ["Henrik Vass has two cats.", GROUPS],
  ["林若溪来自杭州。", 小组],
  ["Dogs may come along on Mondays.", "Dogs may come along on Mondays. Cats stay at home."],
  ["Jonas Beck was absent.", "Present: Mia Holt.\n\nAbsent: Jonas Beck."],
])("a claim is not doubted if its source says it about the one it names: %s", (claim, text) => {
  expect(doubtOf(claim, text, text.split(/(?<=[.。])\s*/))).toBeUndefined();
});

test.each([
  ["Guide dogs are not allowed in the library.", "Dogs are not allowed in the library, apart from guide dogs."],
  ["导盲犬不得进入图书馆。", "狗不得进入图书馆，导盲犬除外。"],
  ["缴清会费的会员没有表决权。", "没有缴清会费的会员没有表决权。"],
])("even a judge that believes everything cannot support: %s", async (claim, text) => {
  const credulous = { encoder: fakeEncoder({ judge: () => ({ supported: 0.99 }) }) };
  const { claims } = await verify(claim, [{ text }], { tools: credulous });
  expect(["unsupported", "contradicted"]).toContain(claims[0]?.verdict);
});

test.each([
  ["Guide dogs are allowed in the library.", "Dogs are not allowed in the library, apart from guide dogs."],
  ["Children travel free of charge.", "Children do not pay."],
  ["缴清会费的会员有表决权。", "没有缴清会费的会员没有表决权。"],
  ["The results are not published.", "The team hopes to publish the results."],
  ["展厅里不能吃东西。", "展厅里能吃东西吗？展厅内不可以。"],
])("code leaves the verdict to the judge: %s", async (claim, text) => {
  const credulous = { encoder: fakeEncoder({ judge: () => ({ supported: 0.99 }) }) };
  const { claims } = await verify(claim, [{ text }], { tools: credulous });
  expect(claims[0]?.verdict).toBe("supported");
});
