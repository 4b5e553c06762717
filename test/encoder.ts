import type { Encoder, Judged, Pair } from "../src/tools/encoder/port.js";

/** An encoder that says of a pair what it is told to; everything else is as unlikely as can be. */
export function fakeEncoder(say: (pair: Pair) => Partial<Judged> = () => ({})): Encoder & { asked: Pair[] } {
  const asked: Pair[] = [];
  return {
    identity: "fake",
    asked,
    embed: async (texts) => texts.map((text) => [text.length % 2, 1 - (text.length % 2)]),
    judge: async (pairs, { signal } = {}) => {
      signal?.throwIfAborted();
      asked.push(...pairs);
      return pairs.map((pair) => ({ ...NO, ...say(pair) }));
    },
    close: async () => {},
  };
}

const NO: Judged = {
  relevance: 0.02,
  answerability: 0.02,
  supported: 0.02,
  contradicted: 0.02,
  neither: 0.96,
  wrong: [],
};
