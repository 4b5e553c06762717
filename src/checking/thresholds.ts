/**
 * Where checking decides. Those of the judge are probabilities of the encoder's calibrated support head, 0 to 1, where 0.5
 * is the decision. Round numbers, like the rest: no set of data chose them yet.
 */
export const THRESHOLDS = {
  /** At or above, the judge is sure of a claim: supported. */
  supported: 0.9,
  /** Above, a claim that nobody else settles is likely. */
  likely: 0.5,
  /** Below, the judge is sure that the sources do not say it: nobody else is asked. */
  unsupported: 0.1,
  /** Above, a claim that is neither supported nor likely is contradicted. */
  contradicted: 0.5,
  /** Without an encoder: the share of the claim's content terms in the nearest sentences at which it is likely in `verify`. */
  words: 0.8,
} as const;

/**
 * How probable it is that the sources state a claim that was settled otherwise than by the judge: by exact code and the graph,
 * or by a chat model. Assumed, not measured: `npm run eval -- support` prints how often each stage was right.
 */
export const SETTLED = {
  code: { holds: 0.99, fails: 0.02 },
  model: { holds: 0.9, fails: 0.1 },
} as const;
