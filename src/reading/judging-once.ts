import type { Encoder, Judged, Pair } from "../tools/encoder/port.js";

/**
 * An encoder that judges the same pair once: generating reads what grading has read, and other settings change how a
 * judgement is used but seldom what is judged.
 * @param most judgements that are kept, the newest ones. Default: all.
 */
export function judgingOnce(encoder: Encoder, most = Number.POSITIVE_INFINITY): Encoder {
  const known = new Map<string, Judged>();
  const keyOf = ({ text, passage, units }: Pair) => JSON.stringify([text, passage, units]);
  return {
    identity: encoder.identity,
    embed: (texts, options) => encoder.embed(texts, options),
    close: () => encoder.close(),
    async judge(pairs, options) {
      const keys = pairs.map(keyOf);
      const found = new Map(keys.map((key) => [key, known.get(key)]));
      const fresh = [...new Map(pairs.map((pair, i) => [keys[i] ?? "", pair]))].filter(([key]) => !found.get(key));
      const judged = await encoder.judge(
        fresh.map(([, pair]) => pair),
        options,
      );
      for (const [i, [key]] of fresh.entries()) found.set(key, judged[i]);
      for (const [key, one] of found) if (one) known.set(key, one);
      if (known.size > most) for (const oldest of [...known.keys()].slice(0, known.size - most)) known.delete(oldest);
      return keys.flatMap((key) => found.get(key) ?? []);
    },
  };
}
