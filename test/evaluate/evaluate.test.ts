import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { Ask } from "../../src/evaluate/ask.js";
import { evaluate, openSaved, readSaved } from "../../src/evaluate/evaluate.js";
import type { Question } from "../../src/evaluate/questions.js";
import type { ScoredRow } from "../../src/evaluate/score.js";
import { inMemoryDocuments } from "../../src/testing/index.js";
import { answered } from "./rows.js";

const folder = mkdtempSync(join(tmpdir(), "emend-evaluate-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const file = () => join(folder, `${++files}.jsonl`);

const about = {
  ...{ emend: "1", store: ".emend", documents: 2, content: "c", model: "none", judge: "words" },
  ...{ where: "[]", context: "{}" },
};
const questions = ["a", "b", "c"].map(
  (id): Question => ({
    id,
    question: id,
    answers: ["x"],
    also: [],
    answerable: true,
    passages: [],
    tags: [],
    history: [],
  }),
);

/** A system that answers each question and records what it was asked. */
function system(asked: string[], usage = { calls: 1, inputTokens: 1_000_000, cachedTokens: 0, outputTokens: 0 }): Ask {
  return async ({ question }) => {
    asked.push(question);
    return {
      ...{ text: "x", failed: false, refused: false, statements: [], contexts: [], notes: {} },
      ...{ firstStatementSeconds: null, confidence: null, cost: { usage, faults: [], seconds: 1 } },
    };
  };
}

const run = (asked: string[], given: Partial<Parameters<typeof evaluate>[1]> = {}, some = questions) =>
  evaluate(some, {
    ...{ systems: { emend: system(asked) }, documents: inMemoryDocuments([]), parallel: 1, before: [] },
    onRow: async () => {},
    ...given,
  });

describe("a run", () => {
  test("asks every system every question, and keeps their order even with concurrency", async () => {
    const rows = await run([], { parallel: 3, systems: { emend: system([]), plain: system([]) } });
    expect(rows.map(({ id, system }) => `${id} ${system}`)).toEqual([
      "a emend",
      "a plain",
      "b emend",
      "b plain",
      "c emend",
      "c plain",
    ]);
  });

  test("asks no further question once the budget is spent", async () => {
    const asked: string[] = [];
    const rows = await run(asked, { price: { input: 1, output: 1 }, most: 1.5 });
    expect(asked).toEqual(["a", "b"]);
    expect(rows).toHaveLength(2);
  });

  test("counts the cost of its earlier part", async () => {
    const asked: string[] = [];
    await run(asked, { price: { input: 1, output: 1 }, most: 1.5, before: [answered({ id: "z", cost: 1 })] });
    expect(asked).toEqual(["a"]);
  });
});

test("ends after a failure with the concurrent questions that had begun, and asks no further one", async () => {
  const asked: string[] = [];
  const ask = system(asked);
  const fails: Ask = async (question) => {
    const reply = await ask(question);
    if (question.question === "a") throw new Error("The store is gone.");
    return reply;
  };
  const seen: string[] = [];
  const onRow = async ({ id }: ScoredRow) => void seen.push(id);
  await expect(run([], { systems: { emend: fails }, parallel: 2, onRow })).rejects.toThrow("The store is gone.");
  expect({ asked, seen }).toEqual({ asked: ["a", "b"], seen: ["b"] });
});

describe("a saved run", () => {
  test("that was stopped continues with the remaining questions, and asks a changed question again", async () => {
    const path = file();
    const { save } = await openSaved(path, about);
    const stop = new AbortController();
    const first: string[] = [];
    const stopped = run(first, {
      signal: stop.signal,
      onRow: async (row: ScoredRow, done) => {
        await save(row);
        if (done === 2) stop.abort();
      },
    });
    await expect(stopped).rejects.toThrow();
    // A kill truncated the last line.
    appendFileSync(path, '{"system":"emend","id":"c"');

    const again = await openSaved(path, about);
    const asked: string[] = [];
    const changed = questions.map((one) => (one.id === "b" ? { ...one, answers: ["y"] } : one));
    const rows = await run(asked, { before: again.before, onRow: (row) => again.save(row) }, changed);
    expect({ first, asked }).toEqual({ first: ["a", "b"], asked: ["b", "c"] });
    expect(rows.map(({ id, outcome }) => [id, outcome])).toEqual([
      ["a", "right"],
      ["b", "wrong"],
      ["c", "right"],
    ]);
    const { rows: kept } = await readSaved(path);
    expect(kept.at(-1)).toEqual(rows[2]);
  });

  test("is read back as it was written", async () => {
    const path = file();
    const { save } = await openSaved(path, about);
    const rows = await run([], { onRow: (row) => save(row) });
    expect(await readSaved(path)).toEqual({ about, rows });
  });

  test("of other documents or another model is not continued", async () => {
    const path = file();
    await openSaved(path, about);
    const before = readFileSync(path, "utf8");
    await expect(openSaved(path, { ...about, model: "gpt" })).rejects.toThrow(
      /another model \(none, now gpt\).*eval diff/,
    );
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test("with invalid rows is refused as a whole", async () => {
    const path = file();
    await openSaved(path, about);
    appendFileSync(path, `${JSON.stringify({ ...answered({}), scores: {} })}\n`);
    await expect(readSaved(path)).rejects.toThrow(/rows of another version/);
  });

  test("does not overwrite a file that is not a saved run", async () => {
    const path = file();
    writeFileSync(path, "my notes\n");
    await expect(openSaved(path, about)).rejects.toThrow(/is not a saved evaluation/);
    await expect(readSaved(path)).rejects.toThrow(/is not a saved evaluation/);
    truncateSync(path, 0);
    await expect(readSaved(path)).rejects.toThrow(/is not a saved evaluation/);
    await expect(readSaved(join(folder, "nowhere"))).rejects.toThrow(/cannot be read/);
    await expect(openSaved(join(folder, "no", "folder"), about)).rejects.toThrow(/cannot be written/);
  });
});
