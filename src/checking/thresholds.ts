/**
 * The thresholds of checking. Those of the judge are calibrated probabilities of the encoder's support head, 0 to 1.
 * All but `likely` and `contradicted` were set by hand, not fitted to data.
 */
export const THRESHOLDS = {
  /** At or above, the judge is sure of a claim: supported. */
  supported: 0.9,
  /** Above, a claim that no other stage settles is likely (docs/evaluation.md). */
  likely: 0.65,
  /** Above, a window supports a claim enough to be read again, and a sentence or a quote alone supports it too. */
  even: 0.5,
  /** Below, the judge is sure that the sources do not state it: no other stage is asked. */
  unsupported: 0.1,
  /** At or above, the judge is sure that the sources say otherwise: contradicted (docs/evaluation.md). */
  contradicted: 0.9,
  /**
   * Without an encoder: the share of the claim's content terms in the nearest sentences from which `verify` finds it
   * likely.
   */
  words: 0.8,
} as const;

/**
 * The probability that the sources state a claim that exact code or the graph settled (`code`), or a chat model
 * (`model`). Assumed, not measured: `npm run eval -- support` prints how often each stage was right.
 */
export const SETTLED = {
  code: { holds: 0.99, fails: 0.02 },
  model: { holds: 0.9, fails: 0.1 },
} as const;
