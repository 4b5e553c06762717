/**
 * The seed of random tests: the same in every run, so that failures are reproducible. To look for new failures, set
 * EMEND_TEST_SEED to another whole number.
 */
export const SEED = Number(process.env.EMEND_TEST_SEED ?? 20_240_607);
if (!Number.isInteger(SEED)) throw new Error("EMEND_TEST_SEED is no whole number.");
