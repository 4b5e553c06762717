import { onnxEncoder } from "../../src/tools/encoder/onnx.js";

/**
 * Measures the encoder, natively and in WebAssembly, in the same run: `npx tsx research/bench/encoder.ts`. The first
 * answer includes starting its process and loading the network.
 */
const QUESTION = "How long are invoices kept by the finance department?";
const SENTENCE = "Invoices of the finance department are kept for ten years, and minutes of meetings for ninety days. ";

for (const runtime of ["native", "wasm"] as const) {
  const encoder = onnxEncoder({ runtime });
  const judge = (sentences: number, n: number) =>
    encoder.judge(
      Array.from({ length: n }, (_, i) => ({ text: `${QUESTION} ${i}`, passage: SENTENCE.repeat(sentences) })),
    );
  const embed = (n: number) =>
    encoder.embed(
      Array.from({ length: n }, (_, i) => `${i} ${SENTENCE.repeat(8)}`),
      { as: "passage" },
    );
  const rows: Record<string, string> = { "first answer": `${await taken(() => judge(1, 1))} ms` };
  for (const [name, sentences] of [
    ["35 pieces", 1],
    ["120 pieces", 5],
    ["210 pieces", 9],
  ] as const) {
    await judge(sentences, 1);
    rows[`a pair of ${name}`] = `${((await taken(() => judge(sentences, 10))) / 10).toFixed(0)} ms`;
  }
  await embed(1);
  rows["a passage of 180 pieces embedded"] = `${((await taken(() => embed(10))) / 10).toFixed(0)} ms`;
  await encoder.close();
  process.stdout.write(
    `${runtime}\n${Object.entries(rows)
      .map(([name, value]) => `  ${name.padEnd(34)} ${value}\n`)
      .join("")}`,
  );
}

async function taken(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return Math.round(performance.now() - began);
}
