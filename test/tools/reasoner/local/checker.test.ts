import { expect, test } from "vitest";
import { localChecker } from "../../../../src/tools/reasoner/local/index.js";
import { call, task } from "./evidence.js";

test("decides doubt against the claim, one judgement a claim, in the question's language", async () => {
  const claims = [1, 2].map((n) => ({ text: `Claim ${n}`, citations: [] }));
  const english = await localChecker().check({ ...task("What?", "Text."), claims }, call());
  const chinese = await localChecker().check({ ...task("什么是年假？", "文本。"), claims }, call());
  expect(english.map(({ verdict }) => verdict)).toEqual(["unsupported", "unsupported"]);
  expect(chinese[0]?.reason).toMatch(/引文/);
});
