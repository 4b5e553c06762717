import type { Encoder, Judged, Pair } from "../../src/tools/encoder/port.js";

/** An encoder that says what it is told to; unless told otherwise all texts mean the same, and no claim is supported. */
export const fakeEncoder = ({
  judge = () => ({}),
  embed = () => [1, 0],
}: {
  judge?: (pair: Pair) => Partial<Judged>;
  embed?: (text: string) => number[];
} = {}): Encoder => ({
  identity: "fake",
  embed: async (texts) => texts.map(embed),
  judge: async (pairs) =>
    pairs.map((pair) => {
      const { supported = 0, contradicted = 0, ...rest } = judge(pair);
      const neither = 1 - supported - contradicted;
      return { relevance: 0, answerability: 0, wrong: [], supported, contradicted, neither, ...rest };
    }),
  close: async () => {},
});
