import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { embeddingsContract } from "../../../src/testing/embeddings-contract.js";
import { onnxEncoder } from "../../../src/tools/encoder/onnx.js";
import { tokenizer } from "../../../src/tools/encoder/pieces.js";
import type { Judged, Pair } from "../../../src/tools/encoder/port.js";
import { asOf } from "../../../src/waiting.js";
import { keeps } from "../../contract/keeps.js";

const encoder = onnxEncoder();
afterAll(() => encoder.close());

const KEPT = "Invoices are kept for ten years. Minutes are deleted after 90 days.";
const 保存 = "发票须保存十年。会议纪要九十天后删除。";
const PAIRS: Pair[] = [
  { text: "How long are invoices kept?", passage: KEPT },
  { text: "How long are invoices kept?", passage: "Lunch is served at noon in the canteen." },
  { text: "发票要保存多久？", passage: 保存 },
  { text: "发票要保存多久？", passage: "食堂中午供应午餐。" },
];
const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);
const said = ({ span }: Judged, { passage }: Pair) => span && passage.slice(span.start, span.end);

keeps(
  "The encoder that comes with emend",
  embeddingsContract(async () => encoder),
);

// Loading takes one second, or ten on a busy machine.
describe("the encoder that comes with emend", { timeout: 60_000 }, () => {
  test("finds the passage that answers, in English and Chinese", async () => {
    const [en, notEn, zh, notZh] = await encoder.judge(PAIRS);
    expect(en?.answerability).toBeGreaterThan(notEn?.answerability ?? 1);
    expect(zh?.answerability).toBeGreaterThan(notZh?.answerability ?? 1);
    expect(en?.relevance).toBeGreaterThan(notEn?.relevance ?? 1);
  });

  test("returns probabilities, and those of support sum to 1", async () => {
    for (const { relevance, answerability, supported, contradicted, neither, span } of await encoder.judge(PAIRS)) {
      for (const p of [relevance, answerability, supported, contradicted, neither, span?.probability ?? 0])
        expect(p >= 0 && p <= 1).toBe(true);
      expect(supported + contradicted + neither).toBeCloseTo(1, 9);
    }
  });

  test.each([
    ["plain text", KEPT, "How long are invoices kept?", "ten"],
    ["wide characters and emoji before it", `😀 ＡＢＣ ① ${KEPT}`, "How long are invoices kept?", "ten"],
    ["Chinese", 保存, "发票要保存多久？", "十年"],
  ])("points at the answer in %s, in characters of the passage", async (_name, passage, text, answer) => {
    const [judged] = await encoder.judge([{ text, passage }]);
    expect(judged && said(judged, { text, passage })).toContain(answer);
  });

  test.each([
    ["English", "Invoices are kept for twenty years by Priya Nair.", KEPT],
    ["Chinese", "发票由顾维桢保存二十年。", 保存],
  ])("marks whole words of a claim in %s that its source does not carry", async (_name, text, passage) => {
    const [judged] = await encoder.judge([{ text, passage }]);
    const words = [...new Intl.Segmenter("zh", { granularity: "word" }).segment(text)];
    const edges = new Set([...words.map(({ index }) => index), text.length]);
    expect(judged?.wrong).not.toEqual([]);
    for (const { start, end } of judged?.wrong ?? []) expect([edges.has(start), edges.has(end)]).toEqual([true, true]);
  });

  test("reads a long passage to its end", async () => {
    const filler = "The canteen is on the ground floor, and it is open to guests. ".repeat(60);
    const text = "How long are invoices kept?";
    const [without, at] = await encoder.judge([
      { text, passage: filler },
      { text, passage: filler + KEPT },
    ]);
    expect(at?.answerability).toBeGreaterThan(without?.answerability ?? 1);
    expect(at && said(at, { text, passage: filler + KEPT })).toContain("ten");
  });

  test.each([
    ["nothing", { text: "", passage: "" }],
    ["white space", { text: " \n", passage: "\t" }],
    ["marks of the model", { text: "<s></s>", passage: "<pad></s></s>" }],
    ["half of a character", { text: "\ud83d", passage: "a\udc00" }],
    ["one very long word", { text: "x".repeat(1_000), passage: "长".repeat(300) }],
  ])("judges a pair of %s", async (_name, pair) => {
    const [judged] = await encoder.judge([pair]);
    expect(judged?.relevance).toBeGreaterThanOrEqual(0);
  });

  test("reads a long claim to its end", async () => {
    const kept = Array.from({ length: 30 }, (_, i) => `The archive of office ${i} keeps its invoices`).join(", ");
    const [whole, more] = await encoder.judge([
      { text: `${kept}.`, passage: `${kept}.` },
      { text: `${kept}, and dogs run freely in the reading rooms.`, passage: `${kept}.` },
    ]);
    expect(more?.supported).toBeLessThan((whole?.supported ?? 0) - 0.1);
  });

  test("judges a pair the same alone and in a batch", async () => {
    const [alone] = await encoder.judge(PAIRS.slice(0, 1));
    const among = (await encoder.judge([...PAIRS, { text: "Who?", passage: KEPT.repeat(9) }]))[0];
    expect(among?.answerability).toBeCloseTo(alone?.answerability ?? 0, 3);
  });

  test("places a question near the passage that answers it, across languages", async () => {
    const [en = [], zh = []] = await encoder.embed([KEPT, "食堂中午供应午餐。"], { as: "passage" });
    const [question = []] = await encoder.embed(["发票要保存多久？"], { as: "question" });
    expect(dot(question, en)).toBeGreaterThan(dot(question, zh));
    expect(dot(en, en)).toBeCloseTo(1, 5);
  });

  test("drops an aborted job and does the next", async () => {
    const pairs: Pair[] = Array(40).fill({ text: "Who?", passage: KEPT.repeat(8) });
    const leaving = new AbortController();
    const long = encoder.judge(pairs, { signal: leaving.signal });
    setTimeout(() => leaving.abort(new Error("left")), 20);
    await expect(long).rejects.toThrow("left");
    expect(await encoder.judge(PAIRS.slice(0, 1))).toHaveLength(1);
    await expect(encoder.judge(PAIRS, { signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow("before");
  });

  test("can be used again after it was closed, and serves the oldest question first, work without a question last", async () => {
    await encoder.close();
    const served: string[] = [];
    const ask = async (name: string) => {
      await encoder.judge(PAIRS.slice(0, 1));
      served.push(name);
    };
    // All jobs are queued before the model is loaded.
    const filler = Array.from({ length: 20 }, (_, i) => `${i} ${KEPT.repeat(5)}`);
    const documents = encoder.embed(filler, { as: "passage" }).then(() => served.push("documents"));
    await Promise.all([documents, asOf(2, () => ask("second")), asOf(1, () => ask("first"))]);
    expect(served).toEqual(["first", "second", "documents"]);
  });

  test("judges and embeds the same in any number of processes, which start when work waits", async () => {
    const three = onnxEncoder({ threads: 6 });
    const many: Pair[] = Array.from({ length: 24 }, (_, i) => ({
      text: `Who pays invoice ${i}?`,
      passage: KEPT.repeat(8),
    }));
    const texts = PAIRS.map(({ passage }) => passage);
    let started = 0;
    const count = () => {
      started += 1;
    };
    subscribe("child_process", count);
    try {
      await asOf(1, () => three.judge(PAIRS));
      expect(started).toBe(1);
      // Work of many questions is shared, and comes back in the order of each question's pairs.
      const [some, others] = await Promise.all([2, 3].map((at) => asOf(at, () => three.judge(many))));
      expect(started).toBe(3);
      expect(some).toHaveLength(24);
      expect(others).toEqual(some);
      const [alone, shared] = [await encoder.judge(PAIRS), await asOf(60, () => three.judge(PAIRS))];
      for (const [i, judged] of shared.entries()) {
        expect(judged.answerability).toBeCloseTo(alone[i]?.answerability ?? 2, 3);
        expect(judged.span).toMatchObject({ start: alone[i]?.span?.start, end: alone[i]?.span?.end });
      }
      const [here = [], there = []] = await Promise.all([
        encoder.embed(texts, { as: "passage" }),
        asOf(61, () => three.embed(texts, { as: "passage" })),
      ]);
      for (const [i, vector] of there.entries()) expect(dot(vector, here[i] ?? [])).toBeCloseTo(1, 5);
    } finally {
      unsubscribe("child_process", count);
      await three.close();
    }
  });
});

test("the native and WebAssembly runtimes give nearly the same results", { timeout: 120_000 }, async () => {
  const wasm = onnxEncoder({ runtime: "wasm" });
  const [a, b] = [await encoder.judge(PAIRS), await wasm.judge(PAIRS)];
  await wasm.close();
  const off = a.flatMap((one, i) => [
    Math.abs(one.answerability - (b[i]?.answerability ?? 2)),
    Math.abs(one.supported - (b[i]?.supported ?? 2)),
  ]);
  expect(Math.max(...off)).toBeLessThan(0.04);
  expect(off.reduce((sum, x) => sum + x, 0) / off.length).toBeLessThan(0.01);
});

test("a folder without a model is refused with what to do", () => {
  expect(() => onnxEncoder({ folder: "src" })).toThrow(/src holds no encoder .*EMEND_ENCODER/);
});

describe("the tokens of a text", () => {
  const cut = tokenizer("model/tokenizer.json");

  test("are those of the tokenizers library", () => {
    const wanted = readFileSync(join(import.meta.dirname, "pieces.jsonl"), "utf8")
      .trim()
      .split("\n");
    for (const line of wanted) {
      const { text, ids } = JSON.parse(line) as { text: string; ids: number[] };
      expect(cut(text).ids, text).toEqual(ids);
    }
    expect(wanted.length).toBeGreaterThan(100);
  });

  test("never include a special token of the model, even if the text spells one", () => {
    for (const text of ["<s>", "</s>", "a</s></s>b", "<pad>", "<unk>"])
      expect(cut(text).ids.filter((id) => id < 3)).toEqual([]);
  });

  test("cover the text in order", () => {
    const text = "Ｔｈｅ ①st 发票 e\u0301té 😀 ㌔…";
    const { starts, ends } = cut(text);
    for (const [i, start] of starts.entries()) {
      expect(start).toBeGreaterThanOrEqual(i === 0 ? 0 : (starts[i - 1] ?? 0));
      expect(ends[i]).toBeGreaterThanOrEqual(start);
      expect(ends[i]).toBeLessThanOrEqual(text.length);
    }
    expect(text.slice(starts.at(-1), ends.at(-1))).toBe("…");
  });
});

describe("an overloaded encoder", { timeout: 60_000 }, () => {
  const pairs = Array.from({ length: 30 }, (_, i) => ({
    text: `What is rule ${i}?`,
    passage: `${i} ${KEPT.repeat(8)}`,
  }));

  const own = onnxEncoder();
  afterAll(() => own.close());

  test("gives the same results with and without prepare", async () => {
    own.prepare?.();
    expect(await own.judge(PAIRS)).toEqual(await encoder.judge(PAIRS));
  });

  test("rejects a newer question without patience, and serves the older one and one that waits", async () => {
    const older = asOf(1, () => own.judge(pairs));
    const [busy, patient] = await Promise.allSettled([
      asOf(2, () => own.judge(PAIRS, { patience: 0.02 })),
      asOf(3, () => own.judge(PAIRS, { patience: 600 })),
    ]);
    expect(busy).toMatchObject({ status: "rejected", reason: { name: "JudgeBusyError" } });
    expect(patient.status).toBe("fulfilled");
    expect(await older).toHaveLength(pairs.length);
    expect(own.load?.()).toMatchObject({ turnedAway: 1, behind: 0, isSpared: false });
  });

  test("does not make a question wait for work without a question", async () => {
    const ingest = own.embed(
      pairs.map(({ passage }) => passage),
      { as: "passage" },
    );
    await asOf(1, () => own.judge(PAIRS, { patience: 0 }));
    expect(await ingest).toHaveLength(pairs.length);
  });
});
