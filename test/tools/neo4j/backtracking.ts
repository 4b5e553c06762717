/**
 * Matches a whole text by backtracking, as Java does, and counts its steps: characters compared and parts entered.
 * Supports the patterns that the guard accepts and writes, and those that the tests expect to explode.
 */
export function backtracking(pattern: string, text: string, most = Number.POSITIVE_INFINITY) {
  const [flags = ""] = /^\(\?[imsu]+\)/.exec(pattern) ?? [];
  const ignoresCase = flags.includes("i") ? "i" : "";
  const anyInLine = flags.includes("s") ? "s" : "";
  const characters = [...text];
  let steps = 0;
  let at = flags.length;
  const whole = alternatives();
  const matches = !whole((end) => end !== characters.length)(0);
  return { matches, steps };

  /** Parses a part into a matcher that calls `next` with each possible end until `next` returns false. */
  function alternatives(): Matcher {
    const all: Matcher[] = [];
    for (;;) {
      const parts: Matcher[] = [];
      while (at < pattern.length && !"|)".includes(pattern.charAt(at))) parts.push(repeated());
      all.push((next) => parts.reduceRight((rest, part) => part(rest), next));
      if (pattern[at] !== "|") return (next) => (from) => all.every((one) => one(next)(from));
      at++;
    }
  }

  function repeated(): Matcher {
    const one = single();
    const rest = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})([?+]?)/.exec(pattern.slice(at));
    if (!rest) return one;
    at += rest[0].length;
    const [, sign, low, comma, high, kind] = rest;
    const least = sign ? (sign === "+" ? 1 : 0) : Number(low);
    const largest = sign === "?" ? 1 : sign || (comma && !high) ? Number.POSITIVE_INFINITY : Number(high || low);
    const times =
      (count: number, next: Next): Next =>
      (from) => {
        const more = () => count >= largest || one((end) => (end === from ? true : times(count + 1, next)(end)))(from);
        const enough = () => count < least || next(from);
        return kind === "?" ? enough() && more() : more() && enough();
      };
    return kind === "+" ? atomic((next) => times(0, next)) : (next) => times(0, next);
  }

  function single(): Matcher {
    const [source = ""] =
      /^(?:\((?:\?>|\?:|\?=)?|\\[pP]\{\w+\}|\\u[\da-f]{4}|\\.|\[(?:\\.|[^\\\]])*\]|.)/su.exec(pattern.slice(at)) ?? [];
    at += source.length;
    if (source.startsWith("(")) {
      const inside = alternatives();
      at++;
      if (source === "(?=") return (next) => (from) => (!atomic(inside)(() => false)(from) ? next(from) : true);
      return source === "(?>" ? atomic(inside) : inside;
    }
    if (/^[$^]$/.test(source))
      return (next) => (from) => {
        steps++;
        return from !== (source === "^" ? 0 : characters.length) || next(from);
      };
    if (/^\\[bB]$/.test(source))
      return (next) => (from) => (isInWord(from - 1) !== isInWord(from)) !== (source === "\\b") || next(from);
    const test = new RegExp(`^${source.replace("\\p{IsHan}", "\\p{Script=Han}")}$`, `u${ignoresCase}${anyInLine}`);
    return (next) => (from) => {
      steps++;
      if (steps > most) throw new Error(`more than ${most} steps`);
      const character = characters[from];
      return character === undefined || !test.test(character) || next(from + 1);
    };
  }

  /** A combining mark is part of a word if the letter before it is. */
  function isInWord(index: number): boolean {
    let letter = index;
    for (; /\p{Mn}/u.test(characters[letter] ?? ""); letter--) steps++;
    steps++;
    return /[\p{L}\p{Nd}_]/u.test(characters[letter] ?? "");
  }

  /** A matcher that keeps only the first end. */
  function atomic(part: Matcher): Matcher {
    return (next) => (from) => {
      let first: number | undefined;
      part((end) => {
        first = end;
        return false;
      })(from);
      return first === undefined || next(first);
    };
  }
}

type Next = (from: number) => boolean;
type Matcher = (next: Next) => Next;
