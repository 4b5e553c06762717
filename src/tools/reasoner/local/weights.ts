import { FEATURES, type Feature } from "./match.js";

/** Log odds that a sentence answers, 0 where answering and refusing are told apart best. Fitted by eval/calibrate.ts. */
const WEIGHTS: Record<Feature | "bias", number> = {
  bias: -4.7,
  covered: 3.86,
  rareNear: 1.19,
  amountsMissing: -0.92,
  kindMissing: -0.9,
  turned: -0.27,
  long: 2.72,
};

/** Even odds are a relevance of 0.6, from which an answer is drafted. */
const AT_EVEN_ODDS = 0.6;

/** How far a sentence with these log odds bears on the question, 0 to 1. */
export const relevanceAt = (odds: number): number => 1 / (1 + Math.exp(-odds) * ((1 - AT_EVEN_ODDS) / AT_EVEN_ODDS));

export const logOdds = (features: Record<Feature, number>): number =>
  FEATURES.reduce((sum, name) => sum + WEIGHTS[name] * features[name], WEIGHTS.bias);
