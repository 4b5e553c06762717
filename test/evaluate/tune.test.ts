import { expect, test } from "vitest";
import type { Question } from "../../src/evaluate/questions.js";
import type { ScoredRow } from "../../src/evaluate/score.js";
import { type Tuned, tune } from "../../src/evaluate/tune.js";
import { answered } from "./rows.js";

const questions = Array.from({ length: 120 }, (_, i): Question => {
  const answerable = i % 3 !== 0;
  const [id, answers] = [`q${i}`, answerable ? ["x"] : []];
  return { id, question: id, answers, answerable, also: [], passages: [], tags: [], history: [] };
});

type Outcome = ScoredRow["outcome"];

/** A system whose outcome for a question and settings is given by `outcome`. */
const system = (outcome: (question: Question, settings: Tuned) => Outcome) => {
  const asked: { settings: Tuned; ids: string[] }[] = [];
  const ask = async (some: readonly Question[], settings: Tuned) => {
    asked.push({ settings, ids: some.map(({ id }) => id) });
    return some.map((one) => {
      const it = outcome(one, settings);
      const answered_wrongly = Number(it === "wrong" || it === "answeredUnanswerable");
      return answered({ id: one.id, answerable: one.answerable, outcome: it, scores: { answered_wrongly } });
    });
  };
  return { ask, asked };
};

test("a threshold that prevents wrong answers is chosen on one half and measured on the other", async () => {
  const { ask, asked } = system(({ answerable }, { generateAt = 0.6 }) => {
    if (answerable) return generateAt > 0.8 ? "refusedWrongly" : "right";
    return generateAt >= 0.75 ? "refusedRightly" : "answeredUnanswerable";
  });
  const found = await tune(questions, { ask, hasModel: false });
  expect(found.best).toEqual({ generateAt: 0.75, minRelevant: 1 });
  expect(found.isBetter).toBe(true);
  expect(found.training.after).toBeGreaterThan(found.training.before);
  expect(found.figures.map(({ name }) => name).slice(0, 2)).toEqual(["right − 2 × wrong", "answered_wrongly"]);
  const halves = [asked[0]?.ids ?? [], asked.at(-1)?.ids ?? []];
  expect(halves.flat().toSorted()).toEqual(questions.map(({ id }) => id).toSorted());
  // Only the current settings and the chosen ones are measured on the held-out half.
  expect(asked.slice(-2).map(({ settings }) => settings)).toEqual([{}, found.best]);
  expect(asked.slice(0, -2).every(({ ids }) => ids.join() === halves[0]?.join())).toBe(true);
});

test("a wrong answer outweighs two right ones", async () => {
  const of = (share: number) =>
    system(({ id, answerable }, { generateAt = 0.6 }) => {
      if (generateAt !== 0.5) return answerable ? "refusedWrongly" : "refusedRightly";
      return Number(id.slice(1)) % 10 < share * 10 ? "wrong" : "right";
    });
  expect((await tune(questions, { ask: of(0.2).ask, hasModel: false })).best).toEqual({
    ...{ generateAt: 0.5, minRelevant: 1 },
  });
  expect((await tune(questions, { ask: of(0.4).ask, hasModel: false })).best).toEqual({});
});

test("if all settings score the same, the current ones stay and the held-out half is asked once", async () => {
  const { ask, asked } = system(() => "right");
  const found = await tune(questions, { ask, hasModel: false });
  expect(found).toMatchObject({ best: {}, isBetter: false });
  expect(found.after).toBe(found.before);
  expect(asked.filter(({ ids }) => ids.join() !== asked[0]?.ids.join())).toHaveLength(1);
});

test("settings that helped one half by chance are not reported as better", async () => {
  const first = system(() => "right");
  await tune(questions, { ask: first.ask, hasModel: false });
  const [training = [], heldOut = []] = [first.asked[0]?.ids, first.asked.at(-1)?.ids];
  const helped = [...training, ...heldOut.slice(0, 1)];
  const { ask } = system(({ id }, { passages }) => {
    return passages === 4 && helped.includes(id) ? "right" : "refusedWrongly";
  });
  const found = await tune(questions, { ask, hasModel: false });
  expect(found.figures[0]?.difference).toBeGreaterThan(0);
  expect(found).toMatchObject({ best: { passages: 4 }, isBetter: false });
});

test("the threshold for rewriting a query is tuned only with a chat model", async () => {
  const tried = async (hasModel: boolean) => {
    const { ask, asked } = system(() => "right");
    await tune(questions, { ask, hasModel });
    return asked.some(({ settings }) => settings.rewriteBelow !== undefined);
  };
  expect([await tried(true), await tried(false)]).toEqual([true, false]);
});
