import type { Encoder } from "./port.js";

/** Seconds that a question waits for the judge where a chat model can judge in its place. */
const PATIENCE = 0.3;

/** An encoder beside a chat model: where a question would wait long, `judge` throws JudgeBusyError and the model judges. */
export const spared = (encoder: Encoder): Encoder => ({
  identity: encoder.identity,
  embed: (texts, options) => encoder.embed(texts, options),
  judge: (pairs, options) => encoder.judge(pairs, { patience: PATIENCE, ...options }),
  ...(encoder.load && { load: () => ({ ...NO_LOAD, ...encoder.load?.(), isSpared: true }) }),
  prepare: () => encoder.prepare?.(),
  close: () => encoder.close(),
});

const NO_LOAD = { behind: 0, each: 0, turnedAway: 0 };
