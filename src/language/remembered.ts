/**
 * A pure function of a text that keeps what it last found: every stage of a question reads the same passages, and so do
 * questions that are asked at once. What is found is shared, so nobody may change it.
 * @param characters how much text is remembered, 500,000 by default; what was asked for longest ago goes first. A longer
 *   text never is.
 */
export function remembered<T extends object>(find: (text: string) => T, characters = 500_000): (text: string) => T {
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
