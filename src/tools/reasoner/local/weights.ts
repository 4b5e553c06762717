import { FEATURES, type Feature } from "./match.js";

/** Provisional weights, set by hand. */
export const SENTENCE: { bias: number } & Record<Feature, number> = {
  bias: -4,
  covered: 2,
  coveredRare: 2,
  coveredNear: 1,
  coveredRareNear: 1.5,
  coveredPiece: 1,
  adjacent: 0.5,
  close: 0.5,
  namesMissing: -0.5,
  namesMissingPiece: -1,
  amountsMissing: -0.5,
  amountsMissingPiece: -1,
  kindFound: 0.5,
  kindMissing: -1,
  turned: -0.5,
  short: 0,
};

/** How far a sentence bears on the question, 0 to 1. */
export function relevanceOf(features: Record<Feature, number>): number {
  const logit = FEATURES.reduce((sum, name) => sum + SENTENCE[name] * features[name], SENTENCE.bias);
  return 1 / (1 + Math.exp(-logit));
}
