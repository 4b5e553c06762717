import type { Encoder, Judged, Pair } from "../src/tools/encoder/port.js";

/**
 * An encoder that judges a pair with `judge`. Values that `judge` leaves out are 0, and by default all texts have the
 * same embedding. `asked` records the pairs.
 */
export function fakeEncoder({
  judge = () => ({}),
  embed = () => [1, 0],
}: {
  judge?: (pair: Pair) => Partial<Judged>;
  embed?: (text: string) => number[];
} = {}): Encoder & { asked: Pair[] } {
  const asked: Pair[] = [];
  return {
    identity: "fake",
    asked,
    embed: async (texts) => texts.map(embed),
    judge: async (pairs, { signal } = {}) => {
      signal?.throwIfAborted();
      asked.push(...pairs);
      return pairs.map((pair) => {
        const { supported = 0, contradicted = 0, ...rest } = judge(pair);
        const neither = 1 - supported - contradicted;
        return {
          relevance: 0,
          answerability: 0,
          supported,
          contradicted,
          neither,
          wrong: [],
          units: (pair.units ?? []).map(() => ({ answers: rest.answerability ?? 0, states: supported })),
          ...rest,
        };
      });
    },
    close: async () => {},
  };
}
