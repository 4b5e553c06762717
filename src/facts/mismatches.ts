import { languageOf } from "../text/language.js";
import { anyOf, CHINESE_CONJUNCTIONS, DIRECTED, FUNCTION_WORDS, SYMMETRIC } from "../text/lexicon.js";
import { outlineOf } from "../text/outline.js";
import { asks } from "../text/prose.js";
import { coverage } from "../text/similarity.js";
import { simplified } from "../text/simplified.js";
import { contentTerms } from "../text/tokens.js";
import { AGREEMENT } from "../thresholds.js";
import type { ClaimReason } from "../types/claim-reason.js";
import type { Span } from "../types/evidence.js";
import { chineseNames } from "./chinese-names.js";
import { mentions, mentionsVariant, names } from "./names.js";
import { denials, denied } from "./negation.js";
import { type Quantity, quantities } from "./numbers.js";
import { opposed } from "./opposites.js";
import { approached, conflicts, stated } from "./stated.js";
import { INTENDED } from "./strength.js";
import { type Word, wordsOf } from "./words.js";

/** Something that is certainly wrong: the rest of the claim agrees with its source. */
export interface Mismatch {
  verdict: "unsupported" | "contradicted";
  reason: ClaimReason;
  /** The wrong words, as spans of the claim. */
  wrong: readonly Span[];
}

/** One sentence of a claim, and the sentence of its quotes that has most of its words. */
interface Pair {
  claim: string;
  near: string;
  quotes: readonly string[];
}

/**
 * Finds what is certainly wrong with one sentence of a claim: an amount, a name, a denial, an opposite or an order. The
 * last three depend on English and Chinese words, so other languages are left to the judge.
 */
export function mismatchOf(claim: string, quotes: readonly string[]): Mismatch | undefined {
  const pair = { claim, near: nearestSentence(claim, quotes), quotes };
  return (languageOf(claim) === "other" ? FIRM : ALL)
    .values()
    .map((find) => find(pair))
    .find((mismatch) => mismatch !== undefined);
}

/** Returns the sentence of these texts that has most of the claim's content terms; empty if none has one. */
export const nearestSentence = (claim: string, texts: readonly string[]): string =>
  texts
    .flatMap(outlineOf)
    .map(({ text }) => ({ text, covered: agreement(claim, text) }))
    .reduce((a, b) => (b.covered > a.covered ? b : a), { text: "", covered: 0 }).text;

type FindMismatch = (pair: Pair) => Mismatch | undefined;

/**
 * Finds amounts that no quote has in that unit, and amounts of another sentence if the nearest one has a conflicting
 * amount.
 */
const otherAmounts: FindMismatch = ({ claim, near, quotes }) => {
  const [own, there, all] = [quantities(claim), quantities(near), quotes.flatMap(quantities)];
  // The 4 in "4Q" is not an amount.
  const others = own.filter((amount) => stated(amount, there) !== "yes" && !/^[A-Z]\b/.test(claim.slice(amount.end)));
  const rest = agreement(claim, near, others);
  const isOther = (amount: Quantity) => {
    const hasRival = there.some(
      (other) => conflicts(amount, other) && !approached(amount, [other]) && stated(other, own) === "no",
    );
    const known = stated(amount, all);
    if (known === "no" && !approached(amount, all))
      return rest >= (hasRival ? AGREEMENT.rivalAmount : AGREEMENT.missing);
    // If a claim has several amounts, this one may come from another sentence.
    return hasRival && rest >= AGREEMENT.samePlace && (known !== "yes" || own.length === 1);
  };
  const wrong = others.filter(isOther);
  const missing = wrong.map(({ text }) => text);
  return wrong.length > 0 ? mismatch("unsupported", { code: "not_mentioned", missing }, wrong) : undefined;
};

/** Finds names that no quote has. */
const otherNames: FindMismatch = ({ claim, near, quotes }) => {
  const source = quotes.join("\n");
  if (languageOf(claim) !== languageOf(source)) return undefined;
  const latin = names(claim)
    .filter((name) => !mentions(source, name) && !mentionsVariant(source, name) && quantities(name).length === 0)
    .map((name) => spanOf(claim, name));
  const written = simplified(source);
  const chinese = chineseNames(claim).filter(({ name }) => !written.includes(simplified(name)));
  const missing = [...latin, ...chinese];
  const hasRival = latin.length > 0 && names(near).some((name) => !mentions(claim, name));
  if (missing.length === 0 || agreement(claim, near, missing) < (hasRival ? AGREEMENT.rivalName : AGREEMENT.missing))
    return undefined;
  return mismatch("unsupported", { code: "not_mentioned", missing: missing.map(({ name }) => name) }, missing);
};

/**
 * Finds a denial, in the claim or the sentence, of what the other one says. A text that both says and denies a word is
 * about two things: "K3 has Bluetooth, K2 has none".
 */
const denies: FindMismatch = ({ claim, near }) => {
  if (agreement(claim, near) < AGREEMENT.near || asks(near) || EXCEPTION.test(claim)) return undefined;
  const excepted = EXCEPTION.exec(near);
  if (excepted) {
    const except = contentTerms(excepted[1] ?? excepted[2] ?? excepted[3] ?? "").slice(0, 2);
    const own = new Set(contentTerms(claim));
    const isExcepted = except.length > 0 && except.every((term) => own.has(term));
    const isTold = denied(claim).length > 0 === denied(near).length > 0;
    return isExcepted && isTold ? mismatch("unsupported", { code: "excepted" }, []) : undefined;
  }
  if (agreement(claim, near) < AGREEMENT.denied) return undefined;
  // An unticked box denies its label as a whole, and the claim may deny any word of it.
  if (UNTICKED.test(near) && denied(claim).length > 0) return undefined;
  // What is planned is not done yet.
  if (isDeniedTwice(claim, near) || INTENDED.test(near)) return undefined;
  const times = (groups: readonly string[][], term: string) => groups.filter((terms) => terms.includes(term)).length;
  const turns = (text: string, other: string) => {
    const [here, there] = [denied(text), denied(other)];
    const [own, said] = [contentTerms(text), new Set(contentTerms(other))];
    const isTurned = (term: string) =>
      said.has(term) &&
      times(here, term) > times(there, term) &&
      own.filter((one) => one === term).length <= times(here, term);
    return here.some((terms) => terms.every(isTurned));
  };
  const verdict = sureness(claim, near);
  if (turns(claim, near)) return mismatch(verdict, { code: "denies_source" }, []);
  return turns(near, claim) ? mismatch(verdict, { code: "source_denies" }, []) : undefined;
};

/** "Nobody gets in without a ticket" means that ticket holders get in. */
const isDeniedTwice = (claim: string, near: string) => Math.abs(denials(claim) - denials(near)) > 1;

/** Finds a word that replaces its opposite. */
const opposes: FindMismatch = ({ claim, near }) => {
  if (isDeniedTwice(claim, near)) return undefined;
  const [own, theirs] = (agreement(claim, near) >= AGREEMENT.opposite && opposed(claim, near)) || [];
  if (!own || !theirs) return undefined;
  const [here, there] = [claim.slice(own.start, own.end), near.slice(theirs.start, theirs.end)];
  return mismatch(
    sureness(claim, near, [
      /\p{Script=Han}/u.test(here) ? { start: Math.max(0, own.start - 1), end: own.end + 1 } : own,
    ]),
    { code: "says_otherwise", source: there, claim: here },
    [own],
  );
};

/** Finds two words or names that have changed places, with the same words between them. */
const exchanges: FindMismatch = ({ claim, near }) => {
  if (agreement(claim, near) < AGREEMENT.near) return undefined;
  const named = [...names(claim), ...chineseNames(claim).map(({ name }) => name)];
  const [here, there] = [withNames(claim, named), withNames(near, named)];
  const at = (words: readonly Word[], key: string) => {
    const first = words.findIndex((word) => word.key === key);
    return first === words.findLastIndex((word) => word.key === key) ? first : -1;
  };
  const spots = here.flatMap((word, i) =>
    word.kind !== "han" && !FUNCTION_WORDS.en.has(word.key) && at(here, word.key) >= 0 && at(there, word.key) >= 0
      ? [{ ...word, here: i, there: at(there, word.key) }]
      : [],
  );
  for (const [i, one] of spots.entries()) {
    for (const other of spots.slice(i + 1)) {
      const between = here.slice(one.here + 1, other.here);
      const isTurned =
        one.there - other.there === other.here - one.here &&
        between.every(({ key }, k) => key === there[other.there + 1 + k]?.key);
      // "in Rome in May" and "in May in Rome" say the same; "of" and "to" have a direction.
      const isDirected = between.some(
        ({ key }) => DIRECTED.has(key) || !(FUNCTION_WORDS.en.has(key) || CHINESE_CONJUNCTIONS.has(key)),
      );
      if (!isTurned || !isDirected || BOTH_WAYS.test(claim.slice(one.end, other.start))) continue;
      const [first, second] = [claim.slice(one.start, one.end), claim.slice(other.start, other.end)];
      return mismatch("contradicted", { code: "exchanged", first, second }, [one, other]);
    }
  }
  return undefined;
};

const FIRM: readonly FindMismatch[] = [otherAmounts, otherNames];
/** As `inForce` writes it. */
const UNTICKED = /^(?:not|未) /;

const ALL: readonly FindMismatch[] = [...FIRM, denies, opposes, exchanges];

/** Returns the words of a text, with each of these names that it has as one word. */
function withNames(text: string, named: readonly string[]): Word[] {
  const spans = named.filter((name) => text.includes(name)).map((name) => spanOf(text, name));
  const found: Word[] = [];
  for (const word of wordsOf(text)) {
    const name = spans.find(({ start, end }) => start <= word.start && word.end <= end);
    if (!name) found.push(word);
    else if (found.at(-1)?.start !== name.start)
      found.push({ key: name.name, start: name.start, end: name.end, kind: "word" });
  }
  return found;
}

/** Returns the first place of a name that the text has. */
const spanOf = (text: string, name: string) => ({
  name,
  start: text.indexOf(name),
  end: text.indexOf(name) + name.length,
});

const BOTH_WAYS = anyOf(SYMMETRIC);

const mismatch = (verdict: Mismatch["verdict"], reason: ClaimReason, wrong: readonly Span[]): Mismatch => ({
  verdict,
  reason,
  wrong: wrong.map(({ start, end }) => ({ start, end })),
});

/**
 * A contradiction requires the same subject and the same relation: nearly all words of the claim. With fewer, the claim
 * is only unsupported.
 */
const sureness = (claim: string, near: string, without: readonly Span[] = []): Mismatch["verdict"] =>
  agreement(claim, near, without) >= AGREEMENT.certain ? "contradicted" : "unsupported";

/** Words that except something from a denial: "no dogs, apart from guide dogs". */
const EXCEPTION =
  /\b(?:apart from|except(?:ing)?(?: for)?|other than|unless|aside from|save for)\b([^.;]{0,60})|除了?([^，。；]{1,20})(?:外|之外|以外)|([^，。；]{1,12})除外/iu;

/** Returns the share of the claim's content terms, without these spans, that the sentence has: 0 to 1. */
function agreement(claim: string, near: string, without: readonly Span[] = []): number {
  const rest = without.reduce(
    (text, { start, end }) => text.slice(0, start) + "\n".repeat(end - start) + text.slice(end),
    claim,
  );
  return coverage(contentTerms(rest), new Set(contentTerms(near)));
}
