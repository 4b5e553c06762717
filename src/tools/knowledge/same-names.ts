import type { TripleReader } from "./triples.js";

/**
 * Which keys name the same entity: those that some source calls a name and its alias, and what follows from it. This is
 * found when it is asked and stored nowhere, so that it does not depend on the order in which sources came, and a source
 * that goes takes with it what only it said.
 */
export function sameNames(reader: Pick<TripleReader, "aliases">) {
  const groups = new Map<string, Group>();
  const asked = new Set<string>();

  const groupOf = (key: string): Group => groups.get(key) ?? { first: key, keys: new Set([key]) };

  function join(a: string, b: string): void {
    const [one, other] = [groupOf(a), groupOf(b)];
    if (one === other) return;
    const keys = one.keys.union(other.keys);
    const [first = a] = [one.first, other.first].sort();
    const joined = { first, keys };
    for (const key of keys) groups.set(key, joined);
  }

  return {
    /** Finds out about more keys. */
    async learn(keys: Iterable<string>): Promise<void> {
      let fresh = [...new Set(keys)].filter((key) => !asked.has(key)).slice(0, MOST_KEYS);
      for (let round = 0; fresh.length > 0 && round < MOST_ROUNDS; round++) {
        for (const key of fresh) asked.add(key);
        const pairs = await reader.aliases(fresh);
        for (const [a, b] of pairs) join(a, b);
        fresh = [...new Set(pairs.flat())].filter((key) => !asked.has(key));
      }
    },

    /** All keys of the entity, in an order of their own. */
    keysOf: (key: string): string[] => [...groupOf(key).keys].sort(),

    /** One key for the entity, whichever of its keys is given. */
    entityOf: (key: string): string => groups.get(key)?.first ?? key,
  };
}

interface Group {
  first: string;
  keys: ReadonlySet<string>;
}

export type SameNames = ReturnType<typeof sameNames>;

/** What is at the other end of one look-up, at most. */
const MOST_KEYS = 2_000;
/** A name's alias that is another's name, whose alias is a third one's: chains are short. */
const MOST_ROUNDS = 10;
