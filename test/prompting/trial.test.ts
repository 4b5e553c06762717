import { describe, expect, test } from "vitest";
import { EndpointError } from "../../src/errors.js";
import { modelReasoners } from "../../src/prompting/model-reasoners.js";
import { isConclusive, type Trial, trustFrom, tryModel } from "../../src/prompting/trial.js";
import { TRIAL } from "../../src/prompting/trial-rows.js";
import { languageOf } from "../../src/text/language.js";
import { type Skill, trialModel } from "../trial-model.js";

async function tried(skill: Skill, signal = new AbortController().signal) {
  const { chat, asked } = trialModel(skill);
  const trial = await tryModel(modelReasoners({ chat }), signal);
  return { trial, trust: trustFrom(trial), ...asked };
}

describe("the rows of the trial", () => {
  test("are half Chinese, and half of its claims are wrong", () => {
    const languages = TRIAL.map(({ sources }) => languageOf(sources.map(({ text }) => text).join("\n")));
    expect(languages.filter((language) => language === "zh")).toHaveLength(TRIAL.length / 2);
    for (const { claims } of TRIAL) expect(claims.filter(({ isTrue }) => isTrue)).toHaveLength(claims.length / 2);
  });

  test("have the words of an answer in the source that answers", () => {
    for (const { sources, answers } of TRIAL)
      for (const { words, source } of answers)
        expect(words.some((word) => sources[source - 1]?.text.toLowerCase().includes(word))).toBe(true);
  });
});

describe("a model that", () => {
  test("answers, refuses and judges rightly is trusted with everything, in at most 28 calls", async () => {
    const { trial, trust, requests } = await tried({});
    expect(trial).toEqual({
      answers: { right: 12, all: 12 },
      refusals: { right: 12, all: 12 },
      checks: { right: 16, all: 16 },
      failed: "",
    });
    expect(trust).toEqual({ answers: true, checks: true });
    expect(requests).toBeLessThanOrEqual(28);
  });

  test("answers near misses is trusted with nothing, and is not asked further", async () => {
    const { trial, trust, requests } = await tried({ refuses: false });
    expect(trust).toEqual({ answers: false, checks: false });
    expect(trial.refusals.right).toBe(0);
    expect(requests).toBeLessThan(20);
  });

  test.each([
    ["approves of every claim", () => "supported"],
    ["rejects every claim", () => "unsupported"],
  ])("%s is trusted with answers, not with checks", async (_, judges) => {
    expect((await tried({ judges })).trust).toEqual({ answers: true, checks: false });
  });

  test("fails now and then is asked once more", async () => {
    const busy = new EndpointError("The endpoint is busy.");
    const { trial, trust } = await tried({ fails: (i) => (i === 5 || i === 12 ? busy : undefined) });
    expect(trial.answers.all + trial.refusals.all).toBe(24);
    expect(trial.failed).toBe("");
    expect(trust).toEqual({ answers: true, checks: true });
  });

  test("fails for good before the end is not judged by the rows that were done", async () => {
    const { trial, trust } = await tried({ fails: (i) => (i > 9 ? new EndpointError("down") : undefined) });
    expect(trial.answers.right).toBeGreaterThan(0);
    expect(isConclusive(trial)).toBe(false);
    expect(trust).toEqual({ answers: false, checks: false });
  });

  test("fails at most rows is not trusted, though nothing counts against it", async () => {
    const { trial, trust } = await tried({ fails: () => new EndpointError("down") });
    expect(trial).toMatchObject({ answers: { right: 0, all: 0 }, checks: { right: 0, all: 0 }, failed: "down" });
    expect(trust).toEqual({ answers: false, checks: false });
  });
});

test("a trial that is aborted before its first row throws the reason", async () => {
  await expect(tried({}, AbortSignal.abort(new Error("the user left")))).rejects.toThrow("the user left");
});

test("a trial that is aborted later keeps what was done", async () => {
  const controller = new AbortController();
  const { trial } = await tried(
    {
      fails: (i) => {
        if (i === 12) controller.abort(new Error("the user left"));
        return undefined;
      },
    },
    controller.signal,
  );
  expect(trial.answers.all + trial.refusals.all).toBeGreaterThan(0);
  expect(trial.answers.all + trial.refusals.all).toBeLessThan(24);
  expect(trial.failed).toBe("");
});

test("one mistake of a kind is forgiven, two are not", () => {
  const trial = (wrong: Partial<Record<"answers" | "refusals" | "checks", number>>): Trial => {
    const count = (all: number, mistakes = 0) => ({ right: all - mistakes, all });
    const { answers, refusals, checks } = wrong;
    return {
      answers: count(12, answers),
      refusals: count(12, refusals),
      checks: count(16, checks),
      failed: "",
    };
  };
  expect(trustFrom(trial({ answers: 1, refusals: 1, checks: 1 }))).toEqual({ answers: true, checks: true });
  expect(trustFrom(trial({ answers: 2 })).answers).toBe(false);
  expect(trustFrom(trial({ refusals: 2 })).answers).toBe(false);
  expect(trustFrom(trial({ checks: 2 }))).toEqual({ answers: true, checks: false });
});
