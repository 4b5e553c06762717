/** Groups of keys that mean the same entity, directly or through other keys (disjoint sets). */
export function keyGroups() {
  const groups = new Map<string, { root: string; readonly keys: Set<string> }>();
  const groupOf = (key: string) => groups.get(key) ?? { root: key, keys: new Set([key]) };

  return {
    /** Merges the groups of these keys. */
    join(keys: readonly string[]): void {
      // The largest takes in the others, so that many joins stay quick.
      const [largest, ...others] = [...new Set(keys.map(groupOf))].sort((a, b) => b.keys.size - a.keys.size);
      if (!largest) return;
      for (const key of largest.keys.size === 1 ? largest.keys : []) groups.set(key, largest);
      for (const { root, keys: taken } of others) {
        if (root < largest.root) largest.root = root;
        for (const key of taken) {
          largest.keys.add(key);
          groups.set(key, largest);
        }
      }
    },

    /** Every key that was joined, in the order in which they came. */
    keys: (): string[] => [...groups.keys()],

    /** The smallest key of the group. */
    rootOf: (key: string): string => groupOf(key).root,

    /** All keys of the group, sorted. */
    keysOf: (key: string): string[] => [...groupOf(key).keys].sort(),
  };
}
