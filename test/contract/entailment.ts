import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Entailment, Pair } from "../../src/tools/entailment/port.js";

/** Every adapter of Entailment keeps these promises, whatever scores behind it. `runs` is how many random pairs it is given. */
export function entailmentContract(name: string, open: () => Promise<Entailment>, runs = 2_000) {
  describe(`${name} keeps the promises of Entailment`, () => {
    test("says what it is, and where its scores are cut", async () => {
      const { identity, thresholds } = await open();
      expect(identity).not.toBe("");
      const { rejectBelow, decideAt, acceptAt } = thresholds;
      expect([0, rejectBelow, decideAt, acceptAt, 1].toSorted((a, b) => a - b)).toEqual([
        0,
        rejectBelow,
        decideAt,
        acceptAt,
        1,
      ]);
    });

    test("gives no scores for no pairs", async () => {
      expect(await (await open()).score([])).toEqual([]);
    });

    test.each(PAIRS)(
      "scores what a source says above what is foreign to it: $claim",
      async ({ claim, source, foreign }) => {
        const [said = 0, unsaid = 1] = await (await open()).score([
          { claim, sources: [source] },
          { claim: foreign, sources: [source] },
        ]);
        expect(said).toBeGreaterThan(unsaid);
      },
    );

    test("gives nothing to a claim without words, without a source, or with sources that say nothing", async () => {
      const pairs: Pair[] = [
        { claim: "", sources: ["The office opens at nine."] },
        { claim: "—!", sources: ["The office opens at nine."] },
        { claim: "办公室九点开门。", sources: [] },
        { claim: "办公室九点开门。", sources: ["", " \n", "…"] },
      ];
      expect(await (await open()).score(pairs)).toEqual([0, 0, 0, 0]);
    });

    test("scores a pair alone as it does among others, in order, and the same each time", async () => {
      const entailment = await open();
      const pairs = Array.from({ length: 20 }, (_, i) => ({
        claim: `Room ${i} is on floor ${i % 4}.`,
        sources: [`Room 3 is on floor 3. The canteen is on floor 1.`, `房间 ${i} 在 ${i % 4} 层。`],
      }));
      const together = await entailment.score(pairs);
      for (const i of [0, 7, 19]) {
        const [alone = -1] = await entailment.score(pairs.slice(i, i + 1));
        expect(alone).toBeCloseTo(together[i] ?? -2, 5);
      }
      expect(await entailment.score(pairs)).toEqual(together);
    });

    test("stops when told to", async () => {
      const signal = AbortSignal.abort(new Error("the user left"));
      const pairs = [{ claim: "The office opens.", sources: ["The office opens."] }];
      await expect((await open()).score(pairs, { signal })).rejects.toThrow("the user left");
    });

    test(`gives one number from 0 to 1 a pair for ${runs} random pairs`, { timeout: 120_000 }, async () => {
      const entailment = await open();
      const text = fc.oneof(
        fc.string({ unit: "binary", maxLength: 80 }),
        fc.array(fc.constantFrom(...WORDS), { maxLength: 30 }).map((words) => words.join("")),
      );
      const random = fc.array(fc.record({ claim: text, sources: fc.array(text, { maxLength: 3 }) }), { maxLength: 20 });
      const property = fc.asyncProperty(random, async (pairs) => {
        const scores = await entailment.score(pairs);
        expect(scores).toHaveLength(pairs.length);
        for (const score of scores) expect(score >= 0 && score <= 1).toBe(true);
      });
      await fc.assert(property, { numRuns: Math.ceil(runs / 10), seed: 7 });
    });
  });
}

const PAIRS = [
  {
    claim: "The office opens at nine.",
    source: "The office opens at nine. The canteen is on the first floor, beside the library.",
    foreign: "Bananas are rich in potassium.",
  },
  {
    claim: "办公室九点开门。",
    source: "办公室九点开门。食堂在一楼，就在图书馆旁边。",
    foreign: "香蕉富含钾元素。",
  },
];

const WORDS =
  "The office opens at nine . not , 办公室 九点 开门 。 没有 12 % 3.5 2024年 “ ” 《 \n # | - ( ） \ud800 \u0000 🙂 Anna's é 第三 because all 所有"
    .split(" ")
    .flatMap((word) => [word, `${word} `]);
