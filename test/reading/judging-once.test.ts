import { expect, test } from "vitest";
import { judgingOnce } from "../../src/reading/judging-once.js";
import { fakeEncoder } from "../encoder.js";

test("a pair is judged once even if a call repeats it, and the same pair with units is judged separately", async () => {
  const encoder = fakeEncoder({ judge: ({ passage }) => ({ answerability: passage === "b" ? 0.9 : 0.1 }) });
  const once = judgingOnce(encoder);
  const [a, b] = ["a", "b"].map((passage) => ({ text: "When?", passage }));
  if (!a || !b) throw new Error("There are two.");
  await once.judge([a, a]);
  const again = await once.judge([b, a, { ...a, units: [{ start: 0, end: 1 }] }]);
  expect(again.map(({ answerability }) => answerability)).toEqual([0.9, 0.1, 0.1]);
  expect(again[2]?.units).toEqual([{ answers: 0.1, states: 0 }]);
  expect(encoder.asked).toHaveLength(3);
});

test("the newest judgements are kept, and a call gets all of its own", async () => {
  const encoder = fakeEncoder({ judge: () => ({ answerability: 0.5 }) });
  const once = judgingOnce(encoder, 2);
  const pairs = ["a", "b", "c"].map((passage) => ({ text: "When?", passage }));
  expect(await once.judge(pairs)).toHaveLength(3);
  await once.judge(pairs.slice(1));
  expect(encoder.asked).toHaveLength(3);
  await once.judge(pairs.slice(0, 1));
  expect(encoder.asked).toHaveLength(4);
});
