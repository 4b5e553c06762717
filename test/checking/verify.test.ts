import { describe, expect, test } from "vitest";
import { verify } from "../../src/checking/verify.js";
import { fakeChecker } from "../../src/testing/index.js";

const handbook = {
  id: "handbook",
  title: "Handbook",
  uri: "handbook.md",
  text: "# Office\n\nThe Lisbon office opens at eight. It has 120 desks.\n\nAnna Berg leads the office.",
};
const 手册 = { id: "手册", title: "手册", uri: "shouce.md", text: "上海办公室早上九点开门。办公室由李雷负责。" };
const sources = [handbook, 手册];

const verdicts = async (text: string, options = {}) =>
  (await verify(text, sources, options)).claims.map(({ text: said, verdict }) => [said, verdict]);

describe("any text is held against any sources", () => {
  test("in both languages, sentence by sentence", async () => {
    const text =
      "The Lisbon office opens at eight. The Lisbon office opens at nine. 上海办公室早上九点开门。上海办公室早上八点开门。";
    expect(await verdicts(text)).toEqual([
      ["The Lisbon office opens at eight.", "supported"],
      ["The Lisbon office opens at nine.", "unsupported"],
      ["上海办公室早上九点开门。", "supported"],
      ["上海办公室早上八点开门。", "unsupported"],
    ]);
  });

  test("headings, questions and code state nothing, list items and rows do", async () => {
    const text =
      "# Opening hours\n\nWhen is it open?\n\n- The Lisbon office opens at eight.\n- It has 130 desks.\n\n```\nopens at ten\n```\n";
    expect(await verdicts(text)).toEqual([
      ["The Lisbon office opens at eight.", "supported"],
      ["It has 130 desks.", "unsupported"],
    ]);
  });

  test("offsets point into the text, and quotes into the source they name", async () => {
    const text = "As we said: **the Lisbon office opens at eight** [7]. And 上海办公室早上九点开门。";
    const { claims, references } = await verify(text, sources);
    for (const { start, end, citations } of claims) {
      expect(text.slice(start, end).length).toBeGreaterThan(5);
      for (const { reference, quote, start: from, end: to } of citations) {
        const { id } = references.find(({ number }) => number === reference) ?? {};
        expect(sources.find((source) => source.id === id)?.text.slice(from, to)).toBe(quote);
      }
    }
    expect(references.map(({ number, id }) => [number, id])).toEqual([
      [1, "handbook"],
      [2, "手册"],
    ]);
  });

  test("the report says whether all of it holds, and what does not", async () => {
    const held = await verify("The Lisbon office opens at eight.", sources);
    expect(held).toMatchObject({
      supported: true,
      report: { hallucinationDetected: false, contextSufficiency: "sufficient" },
    });
    const mixed = await verify("The Lisbon office opens at eight. It has 130 desks.", sources);
    expect(mixed).toMatchObject({
      supported: false,
      report: { hallucinationDetected: true, contextSufficiency: "partial" },
    });
    expect(mixed.report.correctionSuggestion).toContain("130");
  });

  test("what no source speaks of is unsupported, and says so", async () => {
    const { claims } = await verify("Penguins cannot fly in Antarctica.", sources);
    expect(claims).toMatchObject([{ verdict: "unsupported", reason: "No source speaks of it.", citations: [] }]);
  });

  test.each(["", "# Only a heading", "?!"])("a text that states nothing is held up by anything: %j", async (text) =>
    expect(await verify(text, sources)).toMatchObject({ supported: true, claims: [] }),
  );

  test("without sources nothing is supported", async () =>
    expect(await verify("The office opens at eight.", [])).toMatchObject({ supported: false, references: [] }));
});

test("a checker is asked about what is left in doubt, within the calls allowed, and its failure is told", async () => {
  const text = "Anna Berg is in charge of the office.";
  expect(await verdicts(text, { tools: { checker: fakeChecker("supported") } })).toEqual([[text, "supported"]]);
  expect(await verdicts(text, { tools: { checker: fakeChecker("contradicted") } })).toEqual([[text, "contradicted"]]);
  const failing = { check: () => Promise.reject(new Error("no model")) };
  const { claims, faults } = await verify(text, sources, { tools: { checker: failing } });
  expect(claims[0]?.verdict).toBe("unsupported");
  expect(faults).toEqual(["no model"]);
});

test("of a long source a checker is shown what stands around the quotes", async () => {
  const long = Array.from({ length: 600 }, (_, i) => `Room ${i} is on floor ${i % 7}.`).join(" ");
  let seen = "";
  const checker = {
    check: async ({ evidence }: { evidence: readonly { text: string }[] }) => {
      seen = evidence.map(({ text }) => text).join("");
      return [{ verdict: "supported" as const, reason: "" }];
    },
  };
  const text = `${long} Anna Berg leads the office. ${long}`;
  await verify("Anna Berg is in charge of the office.", [{ text }], { tools: { checker } });
  expect(seen).toContain("Anna Berg leads the office.");
  expect(seen.length).toBeLessThan(text.length / 10);
});

test("an abort ends it with its reason", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(verify("Anna Berg is in charge of the office.", sources, { signal })).rejects.toThrow("enough");
});
