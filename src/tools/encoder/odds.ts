/** Returns the log odds of a probability, which is kept away from 0 and 1. */
export const logOdds = (p: number): number => Math.log(Math.max(1e-4, p) / Math.max(1e-4, 1 - p));

/** Returns the probability of log odds. */
export const logistic = (x: number): number => 1 / (1 + Math.exp(-x));
