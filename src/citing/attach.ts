import { languageOf } from "../language/language.js";
import { names } from "../language/names.js";
import { type Quantity, quantities, stated } from "../language/numbers.js";
import { inverseFrequency, type Weight } from "../language/similarity.js";
import { contentTerms } from "../language/tokens.js";
import type { Language, Span } from "../types/evidence.js";
import { type Citable, holdersOf, type Unit, unitsOf } from "./units.js";

/** Words of a source that carry a claim: `source.text.slice(start, end) === quote`. */
export interface Attached extends Span {
  evidenceId: string;
  quote: string;
}

/**
 * The sentences of these sources that carry a claim best, as citations, the best first: one, or up to three where each
 * adds a good part; neighbours make one quote, and a table's row comes with its head. None where nothing comes near.
 * Sentences are compared by the words they share with the claim, rare words, numbers and names above all; across
 * languages by numbers and names alone. Whether they say the same is not judged: that is for the checks.
 */
export const attach = (claim: string, sources: readonly Citable[]): Attached[] => attacher(sources)(claim);

/** Finds the sentences that carry a claim; where spans are given, in these alone. */
export type Find = (claim: string, within?: readonly Omit<Attached, "quote">[]) => Attached[];

/** `attach` for many claims on the same sources, which are read once. @param always the nearest sentence where none comes near. */
export function attacher(sources: readonly Citable[], { always = false }: { always?: boolean } = {}): Find {
  const units = unitsOf(sources);
  const rarity = inverseFrequency(units.map(({ terms }) => terms));
  const holders = holdersOf(units);
  const titles = sources.map(({ title = "" }) => new Set(contentTerms(title)));

  return (claim, within) => {
    const traits = traitsOf(claim, rarity, Math.log(units.length + 1));
    const inside = ({ source, start, end }: Unit) =>
      within?.some((span) => span.evidenceId === sources[source]?.id && span.start <= start && end <= span.end);
    const near = within ? units.filter(inside) : nearest(traits, holders);
    const candidates = near.map((unit): Candidate => {
      const own = traits.map((trait) => has(unit, trait));
      return { ...unit, own, titled: traits.map((trait, i) => !own[i] && isIn(titles[unit.source], trait)) };
    });
    const language = languageOf(claim);
    const own = choose(traits, candidates, language);
    const chosen =
      own.length > 0
        ? own
        : acrossLanguages(
            traits,
            candidates.filter((unit) => unit.language !== language),
          );
    return quotesOf(chosen.length > 0 || !always || within ? chosen : candidates.slice(0, 1), units, sources);
  };
}

interface Candidate extends Unit {
  /** For each trait, whether the sentence has it; or only the title of its source. */
  own: boolean[];
  titled: boolean[];
}

/** The sentences that share most with the claim, by their words. */
function nearest(traits: readonly Trait[], holders: ReadonlyMap<string, readonly Unit[]>): Unit[] {
  const wanted = traits.flatMap(({ term, amount, weight }) =>
    [...(amount ? new Set(contentTerms(amount.text)) : [term])].map((word) => ({
      word,
      weight,
      units: holders.get(word) ?? [],
    })),
  );
  // Rare words first. Of a word that stands in thousands of sentences those count that have a rarer one too, and the first.
  const shared = new Map<Unit, number>();
  let room = LOOKED_AT;
  for (const { word, weight, units } of wanted.toSorted((a, b) => a.units.length - b.units.length)) {
    const taken = units.length <= room ? units : units.slice(0, room);
    const known = units.length <= room ? [] : [...shared.keys()].filter(({ terms }) => terms.has(word));
    for (const unit of new Set([...known, ...taken])) shared.set(unit, (shared.get(unit) ?? 0) + weight);
    room -= taken.length;
  }
  return [...shared]
    .toSorted(([a, x], [b, y]) => y - x || a.at - b.at)
    .slice(0, CANDIDATES)
    .map(([unit]) => unit);
}

const CANDIDATES = 40;
/** Sentences a claim is compared with by the words they share, so that a claim costs the same however long its sources are. */
const LOOKED_AT = 4000;

/** The sentence that has most of the claim, then those that add a good part of what is left. */
function choose(traits: readonly Trait[], candidates: readonly Candidate[], language: Language): Candidate[] {
  const all = traits.reduce((sum, { weight }) => sum + weight, 0);
  if (all === 0) return [];
  const chosen: Candidate[] = [];
  const met = traits.map(() => false);
  const gain = (unit: Candidate) =>
    traits.reduce((sum, { weight }, i) => sum + (unit.own[i] && !met[i] ? weight : 0), 0) / all;
  const titled = (unit: Candidate) =>
    traits.reduce((sum, { weight }, i) => sum + (unit.titled[i] ? weight : 0), 0) / all;
  const worth = (unit: Candidate) => {
    const near = chosen.some((other) => other.source === unit.source && Math.abs(other.at - unit.at) === 1);
    const long = Math.log(Math.max(1, unit.terms.size / Math.max(1, traits.length)));
    const bare = unit.kind === "heading" || unit.kind === "code";
    return (
      gain(unit) + (chosen.length === 0 ? TITLED * titled(unit) : near ? NEAR : 0) - LONG * long - (bare ? BARE : 0)
    );
  };
  // One word in common is chance, unless it is much of the claim, a name or an amount.
  const tells = (unit: Candidate) => {
    const shared = traits.filter((_, i) => unit.own[i] && !met[i]);
    if (shared.length > 1 || unit.language !== language) return shared.length > 1;
    return shared.some(({ name, amount }) => name || amount) || gain(unit) >= MUCH;
  };
  while (chosen.length < MOST) {
    const rest = candidates.filter((unit) => !chosen.includes(unit));
    const best = rest.reduce<Candidate | undefined>((a, b) => (a && worth(a) >= worth(b) ? a : b), undefined);
    if (!best || worth(best) < (chosen.length === 0 ? ENOUGH : ADDS) || !tells(best)) break;
    chosen.push(best);
    best.own.forEach((own, i) => {
      met[i] ||= own;
    });
  }
  return chosen;
}

const MOST = 3;
/** Shares of the claim, by weight. */
const ENOUGH = 0.17;
const ADDS = 0.12;
const MUCH = 0.4;
const NEAR = 0.03;
const TITLED = 0.3;
const LONG = 0.03;
const BARE = 0.1;

/** Numbers and names are the same in every language: most of them in one sentence, and two at least. */
function acrossLanguages(traits: readonly Trait[], candidates: readonly Candidate[]): Candidate[] {
  const firm = traits.flatMap(({ amount, name }, i) => (amount || name ? [i] : []));
  const meets = ({ own }: Candidate) => firm.filter((i) => own[i]).length;
  const best = candidates.reduce<Candidate | undefined>((a, b) => (a && meets(a) >= meets(b) ? a : b), undefined);
  return best && meets(best) >= Math.max(2, firm.length * FIRM) ? [best] : [];
}

const FIRM = 0.6;

/** As quotes: neighbours in one, the head of a table beside its row. */
function quotesOf(chosen: readonly Candidate[], units: readonly Unit[], sources: readonly Citable[]): Attached[] {
  const spans: { source: number; first: number; last: number; start: number; end: number }[] = [];
  for (const { source, at, start, end, kind } of chosen) {
    const touching = spans.find((span) => span.source === source && (span.last === at - 1 || span.first === at + 1));
    const joins = touching && kind === "prose" && units[touching.first]?.kind === "prose";
    if (!joins) spans.push({ source, first: at, last: at, start, end });
    else {
      touching.first = Math.min(touching.first, at);
      touching.last = Math.max(touching.last, at);
      touching.start = Math.min(touching.start, start);
      touching.end = Math.max(touching.end, end);
    }
  }
  const heads = new Set(chosen.flatMap(({ head, at }) => (head === undefined || head === at ? [] : [head])));
  for (const at of heads) {
    const unit = units[at];
    if (unit && !chosen.some((other) => other.at === at))
      spans.push({ source: unit.source, first: at, last: at, start: unit.start, end: unit.end });
  }
  return spans.flatMap(({ source, start, end }): Attached[] => {
    const { id, text } = sources[source] ?? { id: "", text: "" };
    return [{ evidenceId: id, quote: text.slice(start, end), start, end }];
  });
}

/** Something of a claim that a sentence may have: a word, a name or an amount. */
interface Trait {
  term: string;
  amount?: Quantity;
  name: boolean;
  weight: number;
}

/** Its words, names heavier and rare ones too, and its amounts. @param rarest what a word weighs that no sentence has. */
function traitsOf(claim: string, rarity: Weight, rarest: number): Trait[] {
  const amounts = quantities(claim);
  const named = new Set(names(claim).flatMap(contentTerms));
  const told = new Set(amounts.flatMap(({ text }) => contentTerms(text)));
  const words = [...new Set(contentTerms(claim))]
    .filter((term) => !told.has(term))
    .map((term) => {
      const name = named.has(term);
      return { term, name, weight: (COMMON + rarity(term)) * (name ? NAME : 1) };
    });
  return [...words, ...amounts.map((amount) => ({ term: "", amount, name: false, weight: AMOUNT * rarest }))];
}

/** What a word counts that every sentence has, beside the logarithm by which rare ones count. */
const COMMON = 0.5;
const NAME = 1.2;
/** Of what a word counts that no sentence has. */
const AMOUNT = 1.2;

/** Whether a title has it; amounts are not looked for in titles. */
const isIn = (terms: ReadonlySet<string> | undefined, { term, amount }: Trait) => !amount && terms?.has(term) === true;

/** Whether a sentence has it; an amount in whatever way it is written. */
const has = (unit: Unit, trait: Trait) =>
  trait.amount ? stated(trait.amount, quantities(unit.text)) !== "no" : unit.terms.has(trait.term);
