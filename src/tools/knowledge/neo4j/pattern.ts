/**
 * A pattern for Java's regular expressions with the number of steps it takes at most on a text of `length` characters, or
 * undefined for one that is not written in the small grammar below. Java lays a pattern on a text in every way it can,
 * one after the other: `.*a.*` in n² ways, `.*a.*b.*` in n³, `(a|a)` thirty times in 2³⁰. So groups are not repeated,
 * nothing refers back or looks ahead, and the ways of all that is left are multiplied.
 *
 * The usual form, words with `.*` between them, is returned in a form that means the same and tries nothing again:
 * `.*a.*b.*` as `(?>.*?a)(?>.*b).*+`. They mean the same where the whole text must match. A word between two `.*` has one
 * length and no end of a line in it: what can follow any of its occurrences can follow the first. Before the last `.*`
 * the last occurrence will do: where ends of lines stand at fixed places in a word, no other occurrence leaves fewer of
 * them behind it. And nothing comes after the last `.*` that could need a letter of it.
 */
export function boundedPattern(pattern: string, length: number): { pattern: string; steps: number } | undefined {
  const [flags = ""] = /^\(\?[imsu]+\)/.exec(pattern) ?? [];
  const read = readAlternatives(pattern, flags.length, { isAnyInLine: flags.includes("s"), length, depth: 0 });
  return read?.end === pattern.length ? { pattern: flags + read.source, steps: read.steps } : undefined;
}

const DEEPEST = 5;
const MOST_REPEATS = 1_000;

/** A part of a pattern, with upper bounds for what it does from one position of a text. */
interface Part {
  source: string;
  steps: number;
  /** In how many ways it can match. */
  ways: number;
  /** How many characters it matches, where that is always the same. */
  length: number | undefined;
  /** It matches nothing that `.` does not match: no end of a line. */
  isInLine: boolean;
  /** It matches something, and no combining mark. */
  isPlain: boolean;
  /** What is enough of it beside `.*`, which can match the rest: `a` of `a+`. */
  least?: Part;
}
interface Reading {
  /** `.` matches the ends of lines too. */
  isAnyInLine: boolean;
  /** Of the text, in characters. */
  length: number;
  /** In how many groups. */
  depth: number;
}
type Read = Part & { end: number };
type Parts = (Part | "gap")[];

function readAlternatives(pattern: string, start: number, reading: Reading): Read | undefined {
  const alternatives: Part[] = [];
  for (let at = start; ; at++) {
    const parts: Parts = [];
    while (at < pattern.length && !/[|)]/.test(pattern.charAt(at))) {
      const next = readRepeated(pattern, at, reading);
      if (!next) return undefined;
      parts.push(...next.parts);
      at = next.end;
    }
    alternatives.push(joined(parts, reading));
    if (pattern[at] !== "|") return { ...eitherOf(alternatives), end: at };
  }
}

/** A character, a set, a group or an anchor, with how often it comes. */
function readRepeated(pattern: string, at: number, reading: Reading): { parts: Parts; end: number } | undefined {
  const one = readOne(pattern, at, reading);
  if (!one) return undefined;
  REPEAT.lastIndex = one.end;
  const [repeat = "", sign = "", least = "", comma, most = "", kind] = REPEAT.exec(pattern) ?? [];
  const end = one.end + repeat.length;
  if (!repeat) return { parts: [one], end };
  if (one.length === 0) return undefined;
  const source = one.source + repeat;
  if (one.source.startsWith("(")) {
    const maybe = { ...one, source, steps: one.steps + 1, ways: one.ways + 1, length: undefined, isPlain: false };
    return repeat === "?" ? { parts: [maybe], end } : undefined;
  }
  if (one.source === "." && kind !== "+" && /[*+]/.test(sign))
    return { parts: sign === "*" ? ["gap"] : [one, "gap"], end };
  const from = Number(least || (sign === "+" ? 1 : 0));
  const to = sign === "?" ? 1 : /[*+]/.test(sign) || (comma && !most) ? reading.length : Number(most || from);
  if (from > to || Math.max(from, Number(most)) > MOST_REPEATS) return undefined;
  const ways = endsWith(pattern, end, one.source) ? 1 : to - from + 1;
  const isPlain = one.isPlain && from > 0;
  const part: Part = { ...one, source, steps: to, ways, length: from === to ? to : undefined, isPlain };
  if (from === to || kind === "+") return { parts: [part], end };
  const enough = { ...one, source: from === 1 ? one.source : `${one.source}{${from}}`, steps: from, length: from };
  return { parts: [{ ...part, least: from > 0 ? enough : NOTHING }], end };
}

const REPEAT = /([*+?]|\{(\d{1,5})(,?)(\d{0,5})\})([?+]?)/y;

/**
 * Whether a sign comes next that the character or set before does not match, so that only its longest run can be
 * followed by it. No letter, which might match in another case.
 */
function endsWith(pattern: string, at: number, before: string): boolean {
  const [, escaped, plain = escaped] = SIGN.exec(pattern.slice(at, at + 3)) ?? [];
  return plain !== undefined && !mayMatch(before, plain.charCodeAt(0));
}

const SIGN = /^(?:\\([ -/:-@[-`{-~])|([ !"#%&',/0-9:;<=>@_`~-]))(?![*?{])/;

function readOne(pattern: string, at: number, reading: Reading): Read | undefined {
  if (pattern[at] === "(") {
    const inside = at + (pattern.startsWith("(?:", at) ? 3 : 1);
    const group =
      reading.depth < DEEPEST ? readAlternatives(pattern, inside, { ...reading, depth: reading.depth + 1 }) : undefined;
    if (!group || pattern[group.end] !== ")") return undefined;
    return { ...group, source: `${pattern.slice(at, inside)}${group.source})`, end: group.end + 1 };
  }
  const [source] = /^(?:[$^]|\\[bBAzZ])/.exec(pattern.slice(at, at + 2)) ?? [];
  const steps = BOUNDARY.test(source ?? "") ? reading.length : 1;
  if (source) return { ...NOTHING, source, steps, end: at + source.length };
  const [one] = CHARACTER.exec(pattern.slice(at)) ?? SET.exec(pattern.slice(at)) ?? [];
  if (!one) return undefined;
  const isInLine = reading.isAnyInLine || one === "." || !ENDS_OF_LINES.some((code) => mayMatch(one, code));
  return { source: one, steps: 1, ways: 1, length: 1, isInLine, isPlain: PLAIN.test(one), end: at + one.length };
}

/** What stands for characters of a kind, and for one character. */
const KIND = String.raw`\\(?:[dDwWsS]|p\{(?:L[lu]?|Nd?|IsHan)\})`;
const KIND_ALONE = new RegExp(`^${KIND}$`);
const LETTER = String.raw`\\(?:[^\p{L}\p{N}]|[tnrf]|u[0-9a-fA-F]{4})`;
const CHARACTER = new RegExp(String.raw`^(?:[^\\[\](){}|^$*+?]|${LETTER}|${KIND})`, "u");
const IN_SET = String.raw`(?:[^\\[\]^&-]|${LETTER})`;
const SET = new RegExp(String.raw`^\[\^?-?(?:${KIND}|${IN_SET}(?:-${IN_SET})?)+-?\]`, "u");
const MEMBERS = new RegExp(`(${KIND})|(-$|^-|${IN_SET})(?:-(${IN_SET}))?`, "gu");

const ENDS_OF_LINES = [..."\n\r\u0085\u2028\u2029"].map((end) => end.charCodeAt(0));

/** Some that match no combining mark; one of these is a Greek letter in another case. */
const PLAIN = /^(?:[ -~]|(?!\p{Script=Greek})\p{L}|\\[^\p{L}]|\\[dw]|\[(?!\^)(?:(?!\\[DWSu])[ -~])*\])$/u;
const BOUNDARY = /^\\[bB]$/;

/** Whether a character that has no case may be matched by what stands for one character. */
function mayMatch(one: string, code: number): boolean {
  if (one === ".") return !ENDS_OF_LINES.includes(code);
  const [, not, members] = /^\[(\^?)(.*)\]$/su.exec(one) ?? [];
  if (members === undefined) return KIND_ALONE.test(one) ? isOfKind(one, code) : codeOf(one) === code;
  const found = [...members.matchAll(MEMBERS)].some(([, kind, from = "", to = from]) =>
    kind ? isOfKind(kind, code) : codeOf(from) <= code && code <= codeOf(to),
  );
  return found !== (not === "^");
}

function isOfKind(kind: string, code: number): boolean {
  const letter = kind.charAt(1).toLowerCase();
  const ofKind = new RegExp(KINDS[letter] ?? kind.replace("IsHan", "Script=Han"), "u");
  return ofKind.test(String.fromCharCode(code)) === (letter === "p" || letter === kind.charAt(1));
}

/** As Java has them: ASCII only. */
const KINDS: Record<string, string> = { d: "[0-9]", w: "[0-9A-Za-z_]", s: "[ \\t\\n\\v\\f\\r]" };

function codeOf(letter: string): number {
  const [, control, code] = /^\\(?:([tnrf])|u(.{4}))/.exec(letter) ?? [];
  if (code) return Number.parseInt(code, 16);
  return { t: 9, n: 10, f: 12, r: 13 }[control ?? ""] ?? letter.codePointAt(letter.startsWith("\\") ? 1 : 0) ?? 0;
}

function eitherOf(parts: readonly Part[]): Part {
  const lengths = new Set(parts.map(({ length }) => length));
  return {
    source: parts.map(({ source }) => source).join("|"),
    steps: sum(parts.map(({ steps }) => steps + 1)),
    ways: sum(parts.map(({ ways }) => ways)),
    length: lengths.size === 1 ? parts[0]?.length : undefined,
    isInLine: parts.every(({ isInLine }) => isInLine),
    isPlain: parts.every(({ isPlain }) => isPlain),
  };
}

/** One part after the other: each is tried once for every way in which those before it match. */
function inOrder(parts: readonly Part[]): Part {
  const whole = { ...NOTHING, isPlain: parts.some(({ isPlain }) => isPlain) };
  for (const [at, part] of parts.entries()) {
    const { source, steps } = BOUNDARY.test(part.source) ? boundary(part, parts[at - 1], parts[at + 1]) : part;
    whole.source += source;
    whole.steps += whole.ways * steps;
    whole.ways *= part.ways;
    whole.length = whole.length === undefined || part.length === undefined ? undefined : whole.length + part.length;
    whole.isInLine &&= part.isInLine;
    whole.isPlain &&= part.isPlain || part.length === 0;
  }
  return whole;
}

/**
 * For `\b` Java goes back over all combining marks. There are none behind a plain part; before one, they are gone over
 * once only if that part is looked for first.
 */
function boundary(part: Part, before: Part | undefined, after: Part | undefined): Part {
  if (before?.isPlain) return { ...part, steps: 1 };
  return after?.isPlain ? { ...part, source: `(?=${after.source})${part.source}`, steps: 1 + after.steps } : part;
}

const NOTHING: Part = { source: "", steps: 0, ways: 1, length: 0, isInLine: true, isPlain: false };

/** Parts with gaps between them; of what is not in a group, the gaps as told above. */
function joined(parts: Parts, { depth, length }: Reading): Part {
  const gap: Part = {
    source: ".*",
    steps: length,
    ways: length + 1,
    length: undefined,
    isInLine: true,
    isPlain: false,
  };
  const words: Part[][] = [[]];
  for (const part of parts) {
    if (part === "gap") words.push([]);
    else words.at(-1)?.push(part);
  }
  words.forEach((word, at) => {
    if (at > 0) shorten(word, 0);
    if (at < words.length - 1) shorten(word, -1);
  });
  const [start = NOTHING, ...rest] = words.map(inOrder);
  const end = rest.at(-1);
  const between = rest.slice(0, -1);
  const isTold = between.every(({ length, isInLine }, at) =>
    end?.source === "" && at === between.length - 1
      ? endsLinesAtFixedPlaces(words[at + 1])
      : length !== undefined && isInLine,
  );
  if (!end || between.length === 0 || depth > 0 || !isTold)
    return inOrder([start, ...rest.flatMap((word) => [gap, word])]);
  const found = between.map(
    ({ source, steps }, at): Part => ({
      ...{ ...gap, steps: length * (steps + 2), ways: 1 },
      source: end.source === "" && at === between.length - 1 ? `(?>.*${source})` : `(?>.*?${source})`,
    }),
  );
  return inOrder([start, ...found, end.source === "" ? { ...gap, source: ".*+", ways: 1 } : gap, end]);
}

const endsLinesAtFixedPlaces = (word: readonly Part[] = []) =>
  word.every(({ isInLine }, at) => isInLine || word.slice(0, at + 1).every(({ length }) => length !== undefined));

/** Takes from a word what the gap beside it can match. */
function shorten(word: Part[], at: 0 | -1): void {
  for (let part = word.at(at); part?.least && part.isInLine; part = word.at(at)) {
    const { least } = part;
    word.splice(at, 1, ...(least.length === 0 ? [] : [least]));
  }
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
