import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { UsageError } from "../../../src/errors.js";
import { contentTerms } from "../../../src/text/tokens.js";
import { crossEncoderEntailment } from "../../../src/tools/entailment/cross-encoder.js";
import { entailmentContract } from "../../contract/entailment.js";
import { writeOverlapModel } from "./overlap-model.js";

/** What is used of Transformers.js, with logits by a function of the two texts. */
function library(labels: readonly string[], logits: (premise: string, claim: string) => number[]) {
  const read: string[] = [];
  const tokenizer = (premises: string[], { text_pair }: { text_pair: string[] }) => ({ premises, text_pair });
  const model = ({ premises, text_pair }: ReturnType<typeof tokenizer>) => {
    read.push(...premises);
    return { logits: { tolist: () => premises.map((premise, i) => logits(premise, text_pair[i] ?? "")) } };
  };
  const config = { id2label: Object.fromEntries(labels.map((label, i) => [i, label])) };
  const loading = (part: object) => Object.assign(() => undefined, { from_pretrained: async () => part });
  const load = async () => ({
    AutoTokenizer: loading(tokenizer),
    AutoModelForSequenceClassification: loading(Object.assign(model, { config })),
  });
  return { load, read };
}

const overlap = (premise: string, claim: string) => {
  const has = new Set(contentTerms(premise));
  const wanted = contentTerms(claim);
  return (wanted.filter((term) => has.has(term)).length / (wanted.length || 1)) * 12 - 6;
};
const NLI = ["contradiction", "entailment", "neutral"];

entailmentContract("a cross-encoder", async () => {
  const { load } = library(NLI, (premise, claim) => [-overlap(premise, claim), overlap(premise, claim), 0]);
  return crossEncoderEntailment({ model: "overlap", load });
});

/** It comes with LanceDB where its own parts can be had while installing, and is left out where they cannot. */
const isInstalled = await import("@huggingface/transformers" as string).then(
  () => true,
  () => false,
);

describe.runIf(isInstalled)("with Transformers.js itself", () => {
  const MODEL = writeOverlapModel();
  entailmentContract("a cross-encoder run by ONNX", async () => crossEncoderEntailment({ model: MODEL }), 200);

  test("says that a folder holds no model", async () => {
    const entailment = crossEncoderEntailment({ model: resolve("/no/such/model") });
    await expect(entailment.score([PAIR])).rejects.toThrow(/\/no\/such\/model cannot be loaded: .+ONNX model/);
  });
});

const PAIR = { claim: "The office opens at nine.", sources: ["The office opens at nine."] };

test("says how to install Transformers.js where it is not, and only once something is to be scored", async () => {
  const missing = Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
  const entailment = crossEncoderEntailment({ model: "any", load: () => Promise.reject(missing) });
  expect(await entailment.score([])).toEqual([]);
  const failed = entailment.score([PAIR]);
  await expect(failed).rejects.toThrow(UsageError);
  await expect(failed).rejects.toThrow("npm install @huggingface/transformers");
});

test("tries to load again after it could not", async () => {
  const { load } = library(NLI, () => [0, 9, 0]);
  let tries = 0;
  const entailment = crossEncoderEntailment({
    model: "any",
    load: () => (tries++ === 0 ? Promise.reject(new Error("the disk is full")) : load()),
  });
  await expect(entailment.score([PAIR])).rejects.toThrow("the disk is full");
  expect((await entailment.score([PAIR]))[0]).toBeGreaterThan(0.99);
});

test("refuses a library that is something else", async () => {
  const entailment = crossEncoderEntailment({ model: "any", load: async () => ({ pipeline: () => undefined }) });
  await expect(entailment.score([PAIR])).rejects.toThrow(/version that cannot be used/);
});

test("names the labels there are where none says entailed", async () => {
  const { load } = library(["LABEL_0", "LABEL_1"], () => [0, 9]);
  await expect(crossEncoderEntailment({ model: "any", load }).score([PAIR])).rejects.toThrow(/LABEL_0, LABEL_1/);
  const named = crossEncoderEntailment({ model: "any", load, label: "LABEL_1" });
  expect((await named.score([PAIR]))[0]).toBeGreaterThan(0.99);
});

test("does not take not_entailment for entailment", async () => {
  const { load } = library(["not_entailment", "entailment"], () => [9, 0]);
  expect((await crossEncoderEntailment({ model: "any", load }).score([PAIR]))[0]).toBeLessThan(0.01);
});

test("reads a lone logit by the logistic function", async () => {
  const { load } = library(["consistent"], () => [0]);
  expect(await crossEncoderEntailment({ model: "any", load }).score([PAIR])).toEqual([0.5]);
});

test("gives 0 for what is no number", async () => {
  const { load } = library(NLI, () => [Number.NaN, Number.NaN, Number.NaN]);
  expect(await crossEncoderEntailment({ model: "any", load }).score([PAIR])).toEqual([0]);
});

test.each([
  { language: "English", filler: "The canteen serves soup. ", said: "The office opens at nine. " },
  { language: "Chinese", filler: "食堂今天供应热汤和米饭。", said: "办公室九点开门。" },
])(
  "finds what one place of a long $language source says, in windows that hold whole sentences",
  async ({ filler, said }) => {
    const { load, read } = library(["entailment", "neutral"], (premise) =>
      premise.includes(said.trim()) ? [9, 0] : [0, 9],
    );
    const source = filler.repeat(300) + said + filler.repeat(300);
    const [score = 0] = await crossEncoderEntailment({ model: "any", load }).score([
      { claim: said, sources: [source] },
    ]);
    expect(score).toBeGreaterThan(0.99);
    expect(read.length).toBeGreaterThan(5);
    for (const window of read) expect(window).toMatch(/[.。]$/);
  },
);
