import { names } from "../facts/names.js";
import { type Quantity, quantities } from "../facts/numbers.js";
import { stated } from "../facts/stated.js";
import { languageOf } from "../text/language.js";
import { type OutlineUnit, outlineOf } from "../text/outline.js";
import { inverseFrequency, invertedIndex, type Weight } from "../text/similarity.js";
import { contentTerms } from "../text/tokens.js";
import { ATTACHING } from "../thresholds.js";
import type { Span } from "../types/evidence.js";
import type { Language } from "../types/language.js";
import { atOnce } from "../waiting.js";

/** Something that can be cited: a document, a passage, a piece of evidence. */
export interface Citable {
  id: string;
  text: string;
  /** Names the subject, which the text itself may not. */
  title?: string;
}

/** Words of a source that support a claim: `source.text.slice(start, end) === quote`. */
export interface Attached extends Span {
  evidenceId: string;
  quote: string;
}

/**
 * Finds the sentences of these sources that support a claim best, best first: one, or up to three if each adds a good
 * part; none if nothing comes close. Adjacent sentences become one quote, and a table's row comes with its head.
 * Sentences are ranked by the words that they share with the claim; rare words, numbers and names weigh most. Across
 * languages, only numbers and names count. Whether the sentences state the claim is not judged here.
 */
export const attach = (claim: string, sources: readonly Citable[]): Attached[] => attacher(sources)(claim);

/** Finds the sentences that support a claim, in all sources or only in these spans. */
export type Find = (claim: string, within?: readonly Omit<Attached, "quote">[]) => Attached[];

/**
 * The same for many claims; the sources are read once.
 * @param always returns the nearest sentence even if none comes close.
 */
export const attacher = (sources: readonly Citable[], options?: { always?: boolean }): Find =>
  atOnce(attaching(sources, options));

/** The same, with pauses while the sources are read. */
export function* attaching(
  sources: readonly Citable[],
  { always = false }: { always?: boolean } = {},
): Generator<void, Find> {
  const units = yield* unitsOf(sources);
  const rarity = inverseFrequency(units.map(({ terms }) => terms));
  const holders = invertedIndex(units.map((unit) => [unit, unit.terms]));
  const titles = sources.map(({ title = "" }) => new Set(contentTerms(title)));

  return (claim, within) => {
    const traits = traitsOf(claim, rarity, Math.log(units.length + 1));
    const inside = ({ source, start, end }: Unit) =>
      within?.some((span) => span.evidenceId === sources[source]?.id && span.start <= start && end <= span.end);
    const near = within ? units.filter(inside) : nearest(traits, holders);
    const candidates = near.map((unit): Candidate => {
      const own = traits.map(({ term, amount }) =>
        amount ? stated(amount, quantities(unit.text)) !== "no" : unit.terms.has(term),
      );
      const title = titles[unit.source];
      return { ...unit, own, titled: traits.map(({ term, amount }, i) => !own[i] && !amount && !!title?.has(term)) };
    });
    const language = languageOf(claim);
    let chosen = choose(traits, candidates, language);
    if (chosen.length === 0) chosen = acrossLanguages(traits, candidates, language);
    return quotesOf(chosen.length > 0 || !always || within ? chosen : candidates.slice(0, 1), units, sources);
  };
}

/** A sentence of a source, prepared for comparison. */
interface Unit extends OutlineUnit {
  /** Its index among the sentences of all sources. */
  at: number;
  /** The index of its source. */
  source: number;
  language: Language;
  terms: ReadonlySet<string>;
}

function* unitsOf(sources: readonly Citable[]): Generator<void, Unit[]> {
  const units: Unit[] = [];
  for (const [source, { text }] of sources.entries()) {
    yield;
    for (const unit of outlineOf(text)) {
      if (units.length % AT_ONCE === 0) yield;
      const terms = new Set(contentTerms(unit.text));
      units.push({ ...unit, at: units.length, source, language: languageOf(unit.text), terms });
    }
  }
  return units;
}

/** Sentences read between two pauses. */
const AT_ONCE = 100;

interface Candidate extends Unit {
  /** For each trait, true if the sentence has it. */
  own: boolean[];
  /** For each trait, true if only the title of its source has it. */
  titled: boolean[];
}

/** Returns the sentences that share most words with the claim. */
function nearest(traits: readonly Trait[], holders: ReadonlyMap<string, readonly Unit[]>): Unit[] {
  const wanted = traits.flatMap(({ term, amount, weight }) =>
    [...(amount ? new Set(contentTerms(amount.text)) : [term])].map((word) => ({
      word,
      weight,
      units: holders.get(word) ?? [],
    })),
  );
  // Rare words first. For a word in thousands of sentences, only the first ones and those with a rarer word count.
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

/** Limits, so that a claim costs the same however long its sources are. */
const CANDIDATES = 40;
const LOOKED_AT = 4000;

/** Chooses the sentence that has most of the claim, then those that add a good part of the rest. */
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
      gain(unit) +
      (chosen.length === 0 ? ATTACHING.titled * titled(unit) : near ? ATTACHING.near : 0) -
      ATTACHING.long * long -
      (bare ? ATTACHING.bare : 0)
    );
  };
  // One shared word is a coincidence, unless it is a name, an amount or much of the claim.
  const tells = (unit: Candidate) => {
    const shared = traits.filter((_, i) => unit.own[i] && !met[i]);
    if (shared.length > 1 || unit.language !== language) return shared.length > 1;
    return shared.some(({ name, amount }) => name || amount) || gain(unit) >= ATTACHING.much;
  };
  while (chosen.length < MAX_QUOTES) {
    const rest = candidates.filter((unit) => !chosen.includes(unit));
    const best = rest.reduce<Candidate | undefined>((a, b) => (a && worth(a) >= worth(b) ? a : b), undefined);
    if (!best || worth(best) < (chosen.length === 0 ? ATTACHING.enough : ATTACHING.adds) || !tells(best)) break;
    chosen.push(best);
    best.own.forEach((own, i) => {
      met[i] ||= own;
    });
  }
  return chosen;
}

const MAX_QUOTES = 3;

/** Chooses a sentence of another language that has most of the claim's numbers and names, and at least two of them. */
function acrossLanguages(traits: readonly Trait[], candidates: readonly Candidate[], language: Language): Candidate[] {
  const firm = traits.flatMap(({ amount, name }, i) => (amount || name ? [i] : []));
  const meets = ({ own }: Candidate) => firm.filter((i) => own[i]).length;
  const foreign = candidates.filter((unit) => unit.language !== language);
  const best = foreign.reduce<Candidate | undefined>((a, b) => (a && meets(a) >= meets(b) ? a : b), undefined);
  return best && meets(best) >= Math.max(2, firm.length * ATTACHING.firm) ? [best] : [];
}

/** Joins adjacent sentences into one quote, and adds the head of a table to its row. */
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
  const heads = new Map(chosen.flatMap(({ source, group, head }) => (head ? [[group, { source, ...head }]] : [])));
  const missing = [...heads.values()].filter(
    (head) => !chosen.some(({ source, start }) => source === head.source && start === head.start),
  );
  return [...spans, ...missing].flatMap(({ source, start, end }): Attached[] => {
    const { id, text } = sources[source] ?? { id: "", text: "" };
    return [{ evidenceId: id, quote: text.slice(start, end), start, end }];
  });
}

/** A part of a claim that a sentence may have: a word, a name or an amount. */
interface Trait {
  term: string;
  amount?: Quantity;
  name: boolean;
  weight: number;
}

/** Returns the words of a claim, names and rare words weighted higher, and its amounts. @param rarest the highest rarity. */
function traitsOf(claim: string, rarity: Weight, rarest: number): Trait[] {
  const amounts = quantities(claim);
  const named = new Set(names(claim).flatMap(contentTerms));
  const told = new Set(amounts.flatMap(({ text }) => contentTerms(text)));
  const words = [...new Set(contentTerms(claim))]
    .filter((term) => !told.has(term))
    .map((term) => {
      const name = named.has(term);
      return { term, name, weight: (ATTACHING.common + rarity(term)) * (name ? ATTACHING.name : 1) };
    });
  return [...words, ...amounts.map((amount) => ({ term: "", amount, name: false, weight: ATTACHING.amount * rarest }))];
}
