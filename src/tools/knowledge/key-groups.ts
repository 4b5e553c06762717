/** Groups of keys that mean the same entity, directly or through other keys (disjoint sets). */
export function keyGroups() {
  const groups = new Map<string, Readonly<{ root: string; keys: ReadonlySet<string> }>>();
  const groupOf = (key: string) => groups.get(key) ?? { root: key, keys: new Set([key]) };

  return {
    /** Merges the groups of these keys. */
    join(keys: readonly string[]): void {
      const all = [...new Set(keys.map(groupOf))];
      const [root = ""] = all.map((group) => group.root).sort();
      if (all.length === 1 && groups.has(root)) return;
      const joined = { root, keys: new Set(all.flatMap((group) => [...group.keys])) };
      for (const key of joined.keys) groups.set(key, joined);
    },

    /** Every key that was joined, in the order in which they came. */
    keys: (): string[] => [...groups.keys()],

    /** The smallest key of the group. */
    rootOf: (key: string): string => groupOf(key).root,

    /** All keys of the group, sorted. */
    keysOf: (key: string): string[] => [...groupOf(key).keys].sort(),
  };
}
