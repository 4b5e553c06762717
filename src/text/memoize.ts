/**
 * Memoises a pure function of a text: all stages of a question read the same passages, and so do concurrent questions.
 * The least recently used result is dropped first. Results are shared and frozen.
 * @param characters the length of all remembered texts, 500,000 by default. A longer text is never remembered.
 */
export function memoize<T extends object>(find: (text: string) => T, characters = 500_000): (text: string) => T {
  const known = new Map<string, T>();
  let held = 0;
  return (text) => {
    const there = known.get(text);
    if (there) {
      known.delete(text);
      known.set(text, there);
      return there;
    }
    const found = Object.freeze(find(text));
    if (text.length > characters) return found;
    known.set(text, found);
    held += text.length;
    for (const oldest of known.keys()) {
      if (held <= characters) break;
      known.delete(oldest);
      held -= oldest.length;
    }
    return found;
  };
}
