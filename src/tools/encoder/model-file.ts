import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const Line = z.object({ scale: z.number(), shift: z.number() });

/** The contents of model.json. `calibration` maps raw scores to probabilities (Platt, 1999). */
export const ModelFile = z.object({
  identity: z.string(),
  width: z.number().int().positive(),
  /** The number of tokens of a text that are embedded; the rest is ignored. */
  longest: z.number().int().min(64),
  /** The number of tokens of a pair that the judge reads at once, as in training. */
  window: z.number().int().min(64),
  /** The weight of the answer span's log odds, beside those of the answerability head, in answerability. */
  spanShare: z.number(),
  calibration: z.object({
    relevance: Line,
    answerability: Line,
    support: Line,
    span: Line,
    wrong: Line,
    answers: Line,
    states: Line,
  }),
});
export type ModelFile = z.infer<typeof ModelFile>;

/** Reads model.json alone, without loading the tokenizer or a runtime. */
export const readModelFile = (folder: string): ModelFile =>
  ModelFile.parse(JSON.parse(readFileSync(join(folder, "model.json"), "utf8")));
