import { FEATURES, type Feature } from "./match.js";

/** Log odds that a sentence answers; fitted by eval/calibrate.ts, see there. */
const WEIGHTS: Record<Feature | "bias", number> = {
  bias: -5.66,
  covered: 5.44,
  coveredNear: 0.43,
  rareNear: 1.87,
  amountsMissing: -0.84,
  kindMissing: -1.07,
  turned: -1.2,
};

/** The log odds at which answering and refusing are told apart best; becomes relevance 0.6, where an answer is drafted. */
const DECIDES_AT = -0.85;

/** How far a sentence with these log odds bears on the question, 0 to 1. */
export const relevanceAt = (odds: number): number => 1 / (1 + Math.exp(DECIDES_AT - odds) * (0.4 / 0.6));

export const logOdds = (features: Record<Feature, number>): number =>
  FEATURES.reduce((sum, name) => sum + WEIGHTS[name] * features[name], WEIGHTS.bias);
