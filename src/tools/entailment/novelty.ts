import { chineseWords } from "../../text/tokens.js";
import type { Claim, Token } from "./claim.js";
import type { Ground } from "./ground.js";

/** What kind of words the claim has that its sources lack. */
export function noveltySigns(claim: Claim, ground: Ground, alike: (term: string) => number): Record<string, number> {
  const seen = new Set<string>();
  const novel = claim.tokens.filter(({ term }) => {
    if (ground.places.has(term) || seen.has(term)) return false;
    seen.add(term);
    return true;
  });
  const count = (has: (token: Token, i: number) => boolean) => Math.min(8, novel.filter(has).length);
  const size = Math.max(1, claim.tokens.length);
  const words = novel.filter(({ kind }) => kind === "word");
  return {
    novelNames: count(({ kind }) => kind === "name"),
    novelNumbers: count(({ kind }) => kind === "number"),
    novelWords: count(({ kind }) => kind === "word"),
    novelWordShare: words.length / size,
    derived: count(({ term }) => alike(term) > 0),
    novelLong: count(({ word, kind }) => kind === "word" && word.length >= 8),
    novelAdverbs: count(({ word }) => /ly$/.test(word)),
    novelAdjectives: count(
      ({ word, kind }) => kind === "word" && /(?:al|ive|ous|ful|less|able|ible|ic|ary|ent|ant)$/.test(word),
    ),
    novelVerbs: count(({ word, kind }) => kind === "word" && /(?:ed|ing|es)$/.test(word)),
    novelNouns: count(
      ({ word, kind }) => kind === "word" && /(?:tion|ment|ness|ity|ance|ence|er|or|ist|ism|ship)s?$/.test(word),
    ),
    novelChinese: novelChinese(claim, ground),
    last: novel.includes(claim.tokens.at(-1) ?? NONE) ? 1 : 0,
    neighbours: count((token) => {
      const i = claim.tokens.indexOf(token);
      return (
        !ground.places.has(claim.tokens[i + 1]?.term ?? token.term) ||
        !ground.places.has(claim.tokens[i - 1]?.term ?? token.term)
      );
    }),
  };
}

const NONE: Token = { term: "", word: "", kind: "word" };

/** The share of its Chinese words of two characters or more that the sources have nowhere. */
function novelChinese(claim: Claim, ground: Ground): number {
  const runs = claim.text.match(/\p{Script=Han}+/gu) ?? [];
  const words = new Set(runs.flatMap(chineseWords).filter((word) => word.length > 1));
  return words.size === 0 ? 0 : [...words].filter((word) => !ground.text.includes(word)).length / words.size;
}

/**
 * How like a term of the sources a term is that they lack: 0.6 for one of the same beginning that is most of both
 * ("public", "publish"), 0 for none.
 */
export function alikeIn(ground: Ground): (term: string) => number {
  const known = new Map<string, number>();
  return (term) => {
    const before = known.get(term);
    if (before !== undefined) return before;
    const value = ground.places.has(term) ? 1 : begins(term, ground) ? SAME_BEGINNING : 0;
    known.set(term, value);
    return value;
  };
}

const SAME_BEGINNING = 0.6;

function begins(term: string, ground: Ground): boolean {
  if (!/^[a-z]{4,}$/.test(term)) return false;
  return (ground.beginnings.get(term.slice(0, 4)) ?? []).some((other) => {
    let same = 4;
    while (same < term.length && term[same] === other[same]) same += 1;
    return same >= 5 ? same >= 0.6 * Math.max(term.length, other.length) : Math.max(term.length, other.length) <= 6;
  });
}
