import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const Line = z.object({ scale: z.number(), shift: z.number() });

/** What lies beside the networks in model.json. `calibration` maps raw scores to probabilities (Platt, 1999). */
export const ModelFile = z.object({
  identity: z.string(),
  width: z.number().int().positive(),
  /** How many pieces of a text are embedded; what follows is not looked at. */
  longest: z.number().int().min(64),
  /** How many pieces the judge reads at once, both texts together: as many as it was trained on. */
  window: z.number().int().min(64),
  calibration: z.object({ relevance: Line, answerability: Line, support: Line, span: Line, wrong: Line }),
});
export type ModelFile = z.infer<typeof ModelFile>;

/** Reads it alone: who only has to know the model's identity loads neither the tokenizer nor a runtime. */
export const readModelFile = (folder: string): ModelFile =>
  ModelFile.parse(JSON.parse(readFileSync(join(folder, "model.json"), "utf8")));
