import { createHash } from "node:crypto";
import { FUNCTION_WORDS } from "../../text/lexicon.js";
import { chineseWords, plainAsWritten } from "../../text/tokens.js";

/**
 * Returns the key of a name: names with the same key mean the same entity. The key ignores case, width, accents,
 * punctuation, spaces, possessives and a leading "the", but not "An", which may be a first name. It keeps Chinese and
 * signs that change a value ("5%", "-5", "C++"). Empty for blank text. Has at most 200 characters: a longer key is cut
 * and ends with its hash.
 */
export function normaliseName(name: string): string {
  const folded = plainAsWritten(name).trim();
  const turned = folded.replace(/^(.+),\s*(the|an?)$/s, "$2 $1");
  const key = joinNameWords(withoutArticle(nameWords(turned))) || folded.replace(/\s+/g, " ");
  if (key.length <= MAX_KEY_LENGTH) return key;
  return `${key.slice(0, MAX_KEY_LENGTH - 33)}…${createHash("sha256").update(key).digest("hex").slice(0, 32)}`;
}

/** Returns `normaliseName` with a cache, for many names that repeat. */
export function cachedKeys(): (name: string) => string {
  const known = new Map<string, string>();
  return (name) => {
    const key = known.get(name) ?? normaliseName(name);
    known.set(name, key);
    return key;
  };
}

/** In characters. Indexes have limits, and nobody types a longer name. */
const MAX_KEY_LENGTH = 200;

/**
 * Finds the names that occur in a text, in any spelling with the same key. Returns each once, as given. Latin names
 * match whole words. A Chinese name must neither begin inside a word of the runtime's dictionary ("京东" in "北京东路") nor
 * be only the beginning of one ("太平" in "太平洋"). Of overlapping names, the longest counts.
 */
export function namesIn(text: string, names: readonly string[]): string[] {
  const byKey = Map.groupBy(new Set(names), normaliseName);
  const standing = spans(text)
    .filter(({ key }) => byKey.has(key))
    .sort((a, b) => b.key.length - a.key.length || a.start - b.start);
  const taken: Span[] = [];
  for (const span of standing)
    if (taken.every((other) => span.end <= other.start || span.start >= other.end)) taken.push(span);
  return [...new Set(taken.sort((a, b) => a.start - b.start).flatMap(({ key }) => byKey.get(key) ?? []))];
}

/** Lists the keys of everything in a text that may be a name, at most 1,500. Callers look up which of them exist. */
export const possibleKeys = (text: string): string[] =>
  [...new Set(spans(text).map(({ key }) => key))].slice(0, MAX_KEYS);

const MAX_TEXT_LENGTH = 2_000;
const MAX_KEYS = 1_500;

/** In tokens: words, or Chinese characters. */
const MAX_SPAN = 10;
const MAX_HAN_SPAN = 20;

interface Span {
  /** The indexes of the first token and the one after the last. */
  start: number;
  end: number;
  key: string;
}

/** Lists everything in a text that may be a name. */
function spans(text: string): Span[] {
  const beginning = text.slice(0, MAX_TEXT_LENGTH);
  const tokens = nameTokens(beginning);
  const capitals = capitalsInside(beginning);
  const found: Span[] = [];
  for (const [start, first] of tokens.entries()) {
    if (first.isHan && first.opensInside) continue;
    for (let end = start + 1; end <= tokens.length; end++) {
      const last = tokens[end - 1];
      if (!last || (end > start + 1 && last.isApart)) break;
      const length = end - start;
      if (length > (first.isHan || last.isHan ? MAX_HAN_SPAN : MAX_SPAN)) break;
      if (last.isHan && first.isHan && last.word === first.word && !last.endsWord) continue;
      const inside = tokens.slice(start, end);
      if (length === 1 && !standsAlone(first, capitals)) continue;
      if (first.text === "the" && length > 1) continue;
      found.push({ start, end, key: joinNameWords(inside.map((token) => token.text)) });
    }
  }
  return found;
}

/** True if a single token can be a name. A function word can be one only if capitalised inside a sentence: "Her". */
function standsAlone(token: NameToken, capitals: ReadonlySet<string>): boolean {
  if (token.isHan) return token.endsWord && !token.isFunctionWord;
  if (/^[\d.,]+$/.test(token.text)) return token.text.length > 2;
  return !token.isFunctionWord || capitals.has(token.text);
}

const capitalsInside = (text: string) => new Set([...text.matchAll(CAPITAL)].map(([word]) => word.toLowerCase()));

const CAPITAL = /(?<=[\p{L}\p{N},"“]\s{0,2}["“]?)(?<![\p{L}\p{N}])\p{Lu}\p{Ll}+(?![\p{L}\p{N}])/gu;

const withoutArticle = (words: readonly string[]) => (words.length > 1 && words[0] === "the" ? words.slice(1) : words);

/** Joins words with spaces, but not next to Chinese. */
const joinNameWords = (words: readonly string[]) =>
  words.reduce(
    (key, word) => (key === "" || HAN_AT_END.test(key) || HAN_AT_START.test(word) ? key + word : `${key} ${word}`),
    "",
  );

const HAN_AT_END = /\p{Script=Han}$/u;
const HAN_AT_START = /^\p{Script=Han}/u;

/** A normalised word, a number with its sign and unit, or a Chinese character. */
interface NameToken {
  text: string;
  isHan: boolean;
  /** True if punctuation before it ends a name. */
  isApart: boolean;
  isFunctionWord: boolean;
  /** The number of the Chinese word that it belongs to, by the runtime's dictionary; -1 for other tokens. */
  word: number;
  endsWord: boolean;
  /** True inside a Chinese word: a name cannot begin here. */
  opensInside: boolean;
}

/** Splits a name into normalised words. */
const nameWords = (name: string): string[] => tokenise(name, new Map()).map(({ text }) => text);

/** Tokenises a text, and drops case, width, accents, possessives and punctuation. */
const nameTokens = (text: string): NameToken[] => tokenise(text);

function tokenise(text: string, dictionary?: DictionaryWords): NameToken[] {
  const folded = plainAsWritten(text)
    .replace(/(?<=[\p{L}\p{N}])'s(?![\p{L}\p{N}])/gu, "")
    .replace(INITIALS, (letters) => letters.replace(/\.\s*/g, "") + (/\s$/.test(letters) ? " " : ""))
    .replaceAll("&", " and ");
  const words = dictionary ?? dictionaryWords(folded);
  let behind = 0;
  let wasHan = false;
  return [...folded.matchAll(TOKEN)].map((match) => {
    const isHan = /^\p{Script=Han}/u.test(match[0]);
    const gap = folded.slice(behind, match.index);
    const isApart = (isHan || wasHan ? HAN_BREAK : LATIN_BREAK).test(gap);
    behind = match.index + match[0].length;
    wasHan = isHan;
    const known = words.get(match.index);
    const written = match[0].replace(/\s/g, "").replace(/'/g, "");
    return {
      text: /^\P{L}+$/u.test(written) ? written.replace(/,(?=\d{3}(?!\d))/g, "") : written,
      isHan,
      isApart,
      isFunctionWord: known?.isFunctionWord ?? FUNCTION_WORDS.en.has(match[0]),
      word: known?.word ?? -1,
      endsWord: known?.endsWord ?? true,
      opensInside: known?.opensInside ?? false,
    };
  });
}

/** Matches initials such as "J. R. R." and "U.S.A.": at least two letters, each with a dot. */
const INITIALS = /(?<![\p{L}\p{N}])(?:\p{L}\.\s?){2,}/gu;

const NUMBER = "(?:[<>≤≥±≈]\\s*)?(?:(?<![\\p{L}\\p{N}])[-+])?(?:\\p{Sc}\\s?)?\\p{N}+(?:[.,]\\p{N}+)*(?:\\s?[%‰])?";
const LETTER = "(?:(?!\\p{Script=Han})[\\p{L}\\p{M}])";
const TOKEN = new RegExp(
  `\\p{Script=Han}|${NUMBER}|${LETTER}+(?:'${LETTER}+)*(?:(?:\\+\\+|#)(?!${LETTER}|\\p{N}))?`,
  "gu",
);

const HAN_BREAK = /[。．！？；，、：!?;,:\n]|\.\s/;
const LATIN_BREAK = /[。！？；!?;\n]|\.\s/;

/** The dictionary's words for each Chinese character, by its offset. */
type DictionaryWords = Map<number, Pick<NameToken, "isFunctionWord" | "word" | "endsWord" | "opensInside">>;

function dictionaryWords(text: string): DictionaryWords {
  const found: DictionaryWords = new Map();
  let number = 0;
  for (const run of text.matchAll(/\p{Script=Han}+/gu)) {
    let at = run.index;
    for (const word of chineseWords(run[0])) {
      number++;
      let before = "";
      for (const character of word) {
        const length = before.length + character.length;
        found.set(at + before.length, {
          isFunctionWord: FUNCTION_WORDS.zh.has(word),
          word: number,
          endsWord: length === word.length,
          // The dictionary may wrongly read 和 + 平安公司 as 和平 + 安公司, so a function word in front is ignored.
          opensInside: before !== "" && !FUNCTION_WORDS.zh.has(before),
        });
        before += character;
      }
      at += word.length;
    }
  }
  return found;
}

/** Groups of keys that mean the same entity, directly or through other keys (disjoint sets). */
export function keyGroups() {
  const groups = new Map<string, { root: string; readonly keys: Set<string> }>();
  const groupOf = (key: string) => groups.get(key) ?? { root: key, keys: new Set([key]) };

  return {
    /** Merges the groups of these keys. */
    join(keys: readonly string[]): void {
      // The largest group absorbs the others, so that many joins stay fast.
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

    /** Every key that was joined, in the order of the calls. */
    keys: (): string[] => [...groups.keys()],

    /** The smallest key of the group. */
    rootOf: (key: string): string => groupOf(key).root,

    /** All keys of the group, sorted. */
    keysOf: (key: string): string[] => [...groupOf(key).keys].sort(),
  };
}
