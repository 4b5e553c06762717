/**
 * What random texts begin with: the same in every run, so that a failure is one everywhere. To look for new ones, set
 * EMEND_TEST_SEED to any other whole number.
 */
export const SEED = Number(process.env.EMEND_TEST_SEED ?? 20_240_607);
if (!Number.isInteger(SEED)) throw new Error("EMEND_TEST_SEED is no whole number.");
