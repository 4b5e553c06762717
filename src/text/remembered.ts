/**
 * A reading of texts that keeps the last ones: many claims are held against the same few sentences, and reading one of
 * them may cost milliseconds. What it returns is shared and must not be changed. Long texts are read anew each time.
 */
export function remembered<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    if (text.length > LONGEST) return read(text);
    const before = known.get(text);
    const found = before ?? read(text);
    known.delete(text);
    known.set(text, found);
    if (known.size > MOST) known.delete(known.keys().next().value ?? "");
    return found;
  };
}

/** Characters; no sentence is longer, and three of them with their neighbours hardly. */
const LONGEST = 8000;
const MOST = 400;
