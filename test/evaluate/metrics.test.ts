import { describe, expect, test } from "vitest";
import { checkDemands, figures } from "../../src/evaluate/metrics.js";
import type { ScoredRow, Scores } from "../../src/evaluate/score.js";
import { bootstrap, mean, samples } from "../../src/evaluate/statistics.js";
import { changedPairs, junit, markdownSummary } from "../../src/evaluate/summary.js";
import { answered } from "./rows.js";

const rows = (n: number, scores: (i: number) => Partial<Scores>): ScoredRow[] =>
  Array.from({ length: n }, (_, i) => answered({ id: `${i}`, scores: scores(i) }));
const figure = (name: string, measured: ScoredRow[], beside?: ScoredRow[]) =>
  figures({ measured: { name: "now", rows: measured }, beside: beside && { name: "before", rows: beside } }).find(
    (one) => one.name === name,
  );

describe("a figure", () => {
  test("is the mean over the questions for which it is defined", () => {
    const some = rows(4, (i) => ({ faithfulness: i === 3 ? null : i / 2 }));
    expect(figure("faithfulness", some)).toMatchObject({ value: 0.5, beside: null, difference: null });
    expect(figure("refused_rightly", some)).toBeUndefined();
  });

  test("has an interval that narrows with more questions", () => {
    const width = (n: number) => {
      const { interval } =
        figure(
          "answer_correctness",
          rows(n, (i) => ({ answer_correctness: i % 2 })),
        ) ?? {};
      return (interval?.high ?? 1) - (interval?.low ?? 0);
    };
    // 1.96 * sqrt(.25 / n), twice.
    expect(width(100)).toBeCloseTo(0.196, 1);
    expect(width(400)).toBeCloseTo(0.098, 1);
  });

  test("is compared on the questions that both systems were asked", () => {
    // Each question improves by .1, so the paired interval is narrow although the questions differ.
    const before = rows(50, (i) => ({ faithfulness: (i % 10) / 20 }));
    const now = rows(51, (i) => ({ faithfulness: i === 50 ? 0 : (i % 10) / 20 + 0.1 }));
    const { difference, differenceInterval } = figure("faithfulness", now, before) ?? {};
    expect(difference).toBeCloseTo(0.1, 10);
    expect(differenceInterval?.low).toBeCloseTo(0.1, 10);
    expect(differenceInterval?.high).toBeCloseTo(0.1, 10);
  });

  test("shows no difference between equal systems", () => {
    const some = rows(20, (i) => ({ faithfulness: i / 20 }));
    expect(figure("faithfulness", some, some)).toMatchObject({
      difference: 0,
      differenceInterval: { low: 0, high: 0 },
    });
  });
});

test("a bootstrap interval is the same in every run, and contains the mean of a skewed sample", () => {
  const values = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
  const run = () => bootstrap(samples(values.length), (places) => mean([...places].map((i) => values[i] ?? 0)));
  expect(run()).toEqual(run());
  expect(run()).toEqual({ low: 0, high: expect.closeTo(0.3, 1) });
  expect(bootstrap(samples(0), () => null)).toBeNull();
});

test("the calibration of confidence counts answers and not refusals", () => {
  const given = [
    answered({ id: "1", confidence: 0.9, outcome: "right" }),
    answered({ id: "2", confidence: 0.9, outcome: "wrong" }),
    answered({ id: "3", confidence: 0.2, outcome: "refusedRightly" }),
  ];
  expect(figure("calibration_error", given)?.value).toBeCloseTo(0.4, 10);
});

describe("demands", () => {
  const found = figures({ measured: { name: "now", rows: rows(4, () => ({ faithfulness: 0.9 })) } });

  test("are met at exactly the demanded value, and not met by an undefined figure", () => {
    const demands = checkDemands(found, {
      minimum: { faithfulness: 0.9, refused_rightly: 0 },
      maximum: { calls: 0, seconds_p95: 0.5 },
    });
    expect(demands.map(({ name, isMet }) => [name, isMet])).toEqual([
      ["faithfulness", true],
      ["refused_rightly", false],
      ["calls", true],
      ["seconds_p95", false],
    ]);
  });

  test("become tests in JUnit XML and lines of Markdown, even if a question contains markup", () => {
    const row = answered({ question: "<b>\u0000|x|</b>\n# 谁？ & [a](b)", outcome: "wrong", why: '"]]>' });
    const compared = { measured: { name: "now", rows: [row] } };
    const demands = checkDemands(figures(compared), { minimum: { faithfulness: 0.95 }, maximum: { calls: 9 } });
    const text = junit(demands, compared);
    expect(text).toContain('tests="2" failures="1"');
    expect(text).toContain("&#60;b&#62;|x|");
    for (const raw of ["<b>", "]]>", "\0"]) expect(text).not.toContain(raw);
    const summary = markdownSummary(compared, figures(compared), demands);
    expect(summary).toContain("- ❌ faithfulness: –, at least 0.95");
    expect(summary).toContain("\\<b\\>\\|x\\|\\</b\\> \\# 谁？ & \\[a\\](b)");
  });
});

test("a list of changed outcomes begins with those that became worse", () => {
  const was = [answered({ id: "1", outcome: "wrong" }), answered({ id: "2" }), answered({ id: "3" })];
  const now = [answered({ id: "1" }), answered({ id: "2", outcome: "wrong" }), answered({ id: "3" })];
  const pairs = changedPairs({ measured: { name: "now", rows: now }, beside: { name: "before", rows: was } });
  expect(pairs.map(([{ id }]) => id)).toEqual(["2", "1"]);
});
