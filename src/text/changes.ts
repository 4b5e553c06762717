import { type Difference, type Token, tokensOf, weightOf } from "./alignment.js";
import { chineseNames } from "./chinese-names.js";
import { languageOf } from "./language.js";
import { mentions, mentionsVariant, names } from "./names.js";
import type { Near, Source } from "./near.js";
import { exactlyOpposed, negations, opposed } from "./negation.js";
import { approached, conflicts, type Quantity, quantities, stated } from "./numbers.js";

/** One sentence of a claim beside the sentence of its source that it follows best. */
export interface Pair {
  claim: string;
  tokens: readonly Token[];
  near: Near | undefined;
  source: Source;
}

/** A fault of the claim. It is sure where the claim otherwise agrees with its source so well that only the fault is left. */
export interface Fault {
  verdict: "unsupported" | "contradicted";
  sure: boolean;
  reason: string;
}

export type FindFault = (pair: Pair) => Fault | undefined;

/** Amounts that no quote has. */
export const otherAmounts: FindFault = ({ claim, tokens, near, source }) => {
  const all = quantities(claim).map((quantity) => ({ ...quantity, how: stated(quantity, source.quantities) }));
  const missing = all.filter(({ how }) => how === "no");
  if (missing.length === 0) {
    const loose = all.find(({ how }) => how === "loosely");
    if (!loose) return undefined;
    const sure = hasRival(loose, near) && agreement(near, [loose], tokens) >= MISSING;
    return fault("unsupported", sure, `The quotes have the number of ${loose.text}, not the unit.`);
  }
  const rest = agreement(near, missing, tokens);
  const sure = missing.some((quantity) => {
    const rival = hasRival(quantity, near);
    // What comes near elsewhere counts less than what stands in the very place.
    if (approached(quantity, source.quantities)) return rival && rest >= SAME_PLACE;
    return rest >= (rival ? RIVAL_AMOUNT : MISSING);
  });
  return fault("unsupported", sure, `No quote has ${missing.map(({ text }) => text).join(", ")}.`);
};

/** Amounts that the quotes have elsewhere, while the sentence that the claim follows has another one in the very place. */
export const strayAmounts: FindFault = ({ claim, tokens, near }) => {
  const own = quantities(near?.text ?? "");
  const stray = quantities(claim).filter((quantity) => stated(quantity, own) === "no" && hasRival(quantity, near));
  if (stray.length === 0) return undefined;
  const sure = agreement(near, stray, tokens) >= SAME_PLACE;
  return fault(
    "unsupported",
    sure,
    `The sentence it follows has another amount than ${stray.map(({ text }) => text).join(", ")}.`,
  );
};

/** The source has another amount of that kind in the same place. */
const hasRival = (quantity: Quantity, near: Near | undefined) =>
  near !== undefined &&
  quantities(near.text).some(
    (other) =>
      conflicts(quantity, other) &&
      !approached(quantity, [other]) &&
      differenceAt(quantity, near)?.source.some((token) => overlap(token, other)),
  );

/** Names that no quote has. */
export const otherNames: FindFault = ({ claim, tokens, near, source }) => {
  if (languageOf(claim) !== languageOf(source.text)) return undefined;
  const latin = names(claim)
    .filter((name) => !mentions(source.text, name))
    .map((name) => ({ name, start: claim.indexOf(name), end: claim.indexOf(name) + name.length }));
  const chinese = chineseNames(claim).filter(({ name }) => !source.text.includes(name));
  const missing = [...latin, ...chinese];
  if (missing.length === 0) return undefined;
  const rest = agreement(near, missing, tokens);
  const sure =
    latin.slice(0, MOST_NAMES).some(({ name, ...place }) => {
      if (rest < RIVAL_NAME || mentionsVariant(source.text, name)) return false;
      const there = near ? differenceAt(place, near)?.source : undefined;
      const rival = near && there?.some(({ start }) => /^\p{Lu}/u.test(near.text.slice(start, start + 2)));
      return rest >= (rival ? RIVAL_NAME : MISSING);
    }) || chinese.some((place) => rest >= MISSING && near && differenceAt(place, near)?.source.length);
  return fault("unsupported", sure, `No quote names ${missing.map(({ name }) => name).join(", ")}.`);
};

/** One denies what the other says, or says the opposite of one of its words. */
export const turned: FindFault = ({ claim, near }) => {
  if (!near || (near.covered < NEAR && near.alignment.share < NEAR)) return undefined;
  const { share, differences } = near.alignment;
  const pair =
    differences
      .map(
        (gap) =>
          exactlyOpposed(textOf(claim, gap.claim), textOf(near.text, gap.source)) ??
          opposed(wordsOf(claim, gap.claim), wordsOf(near.text, gap.source)),
      )
      .find((found) => found) ?? opposed(claim, near.text);
  if (pair) return fault("contradicted", share >= OPPOSITE, `The claim says "${pair[0]}", the quote "${pair[1]}".`);
  const [here, there] = [negations(claim), negations(near.text)];
  if (here % 2 === there % 2) return undefined;
  // A denial of its own, not one inside a clause or a bracket that the claim leaves out, or in what stands around it.
  const own = differences.some(
    (gap) =>
      !/[(（]\s*$/.test(near.text.slice(0, gap.source[0]?.start ?? 0)) &&
      negations(wordsOf(claim, gap.claim)) !== negations(wordsOf(near.text, gap.source)) &&
      Math.max(weightOf(gap.claim), weightOf(gap.source)) <= DENIAL,
  );
  const reason = here > there ? "The claim denies what the quote says." : "The quote denies it.";
  return fault("contradicted", own && share >= DENIED, reason);
};

/** Two parts of the sentence have changed places around words that do not hold both ways. */
export const exchanged: FindFault = ({ claim, near }) => {
  if (!near || near.covered < NEAR) return undefined;
  const { differences, share, weight } = near.alignment;
  for (const [i, one] of differences.entries()) {
    if (weightOf(one.claim) < 0.5 || weightOf(one.source) < 0.5) continue;
    const other = differences
      .slice(i + 1)
      .find((gap) => within(gap.claim, one.source) && within(gap.source, one.claim));
    if (!other) continue;
    const [from, to] = [one.claim.at(-1)?.end ?? 0, other.claim[0]?.start ?? 0];
    if (BOTH_WAYS.test(claim.slice(from, to)) || from >= to) return undefined;
    const sure = share + (2 * weightOf(one.claim)) / weight >= EXCHANGED;
    return fault(
      "contradicted",
      sure,
      `The quote has "${textOf(claim, one.claim)}" and "${textOf(claim, other.claim)}" the other way round.`,
    );
  }
  return undefined;
};

/** The same for any two words or names with the same words between them, wherever the rest stands. */
export const exchangedWords: FindFault = ({ claim, tokens, near, source }) => {
  if (!near || near.covered < NEAR || languageOf(claim) !== languageOf(source.text)) return undefined;
  const words = tokens
    .filter(({ kind, weight }) => kind !== "han" && weight === 1)
    .map(({ start, end }) => claim.slice(start, end));
  const spots = [...new Set([...names(claim), ...chineseNames(claim).map(({ name }) => name), ...words])]
    .filter((name) => once(claim, name) && once(near.text, name))
    .map((name) => ({ name, here: claim.indexOf(name), there: near.text.indexOf(name) }))
    .toSorted((a, b) => a.here - b.here)
    .slice(0, MOST_NAMES);
  for (const [i, one] of spots.entries()) {
    for (const other of spots.slice(i + 1)) {
      const [from, to] = [one.here + one.name.length, other.here];
      const [start, end] = [other.there + other.name.length, one.there];
      if (from >= to || start >= end || BOTH_WAYS.test(claim.slice(from, to))) continue;
      const between = tokensOf(claim.slice(from, to));
      // "in Rome in May" and "in May in Rome" say the same; "of" and "to" have a direction.
      if (!between.some(({ weight, key }) => weight >= 0.5 || DIRECTED.has(key))) continue;
      if (keys(between, 0) !== keys(tokensOf(near.text.slice(start, end)), 0)) continue;
      return fault("contradicted", true, `The quote has "${one.name}" and "${other.name}" the other way round.`);
    }
  }
  return undefined;
};

const DIRECTED: ReadonlySet<string> = new Set(["of", "to", "than", "by", "over", "的", "被", "把", "比", "由", "对"]);
const MOST_NAMES = 30;
const once = (text: string, name: string) => text.includes(name) && text.indexOf(name) === text.lastIndexOf(name);

/** A Chinese name of the sentence that the claim writes with one character changed. */
export const misspelled: FindFault = ({ claim, tokens, near }) => {
  if (!near) return undefined;
  for (const { name, start, end } of chineseNames(near.text)) {
    if (name.length < 3 || claim.includes(name)) continue;
    const gap = near.alignment.differences.find(
      ({ claim: here, source: there }) =>
        here.length === 1 && there.length === 1 && there.some((token) => overlap(token, { start, end })),
    );
    const [here, there] = [gap?.claim[0], gap?.source[0]];
    if (!here || !there || here.kind !== "han" || there.kind !== "han") continue;
    const at = here.start - (there.start - start);
    const written = claim.slice(at, at + name.length);
    if (
      at < 0 ||
      written.slice(0, there.start - start) +
        name.charAt(there.start - start) +
        written.slice(there.start - start + 1) !==
        name
    )
      continue;
    return fault("unsupported", agreement(near, [here], tokens) >= MISSING, `The quote names ${name}, not ${written}.`);
  }
  return undefined;
};

/** One is the other, or its end: "小李" and "小王" share a character that stays in its place. */
const within = (a: readonly Token[], b: readonly Token[]) => {
  const [one, other] = [keys(a), keys(b)];
  return one !== "" && other !== "" && (one.endsWith(other) || other.endsWith(one));
};

const keys = (tokens: readonly Token[], least = 0.5) =>
  tokens
    .filter(({ weight }) => weight >= least)
    .map(({ key }) => key)
    .join(" ");
/** A list, or a relation in which either side may stand first. */
const BOTH_WAYS =
  /^[\s,]*(?:and|or|&)?[\s,]*$|^\s*(?:、|和|与|及|以及|或|跟|同)\s*$|\b(?:married|met|equals?|borders?|between|resembles?|differs?|same)\b|结婚|相邻|相同|不同|之间|等于/u;

export const fault = (verdict: Fault["verdict"], sure: boolean, reason: string): Fault => ({ verdict, sure, reason });

export const textOf = (text: string, tokens: readonly Token[]) =>
  text.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0);

/** The same with the character on either side, where a Chinese word may have been cut. */
export const wordsOf = (text: string, tokens: readonly Token[]) => {
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (!first || !last) return "";
  return text.slice(
    first.start - (first.kind === "han" && first.start > 0 ? 1 : 0),
    last.end + (last.kind === "han" ? 1 : 0),
  );
};

interface Place {
  start: number;
  end: number;
}

const overlap = (a: Place, b: Place) => a.start < b.end && b.start < a.end;

const differenceAt = (place: Place, near: Near): Difference | undefined =>
  near.alignment.differences.find(({ claim }) => claim.some((token) => overlap(token, place)));

/** What a claim says in place of something else, where it is otherwise a sentence of the source, word for word. */
export function replacement({ claim, tokens, near }: Pair): { here: string; there: string } | undefined {
  if (!near) return undefined;
  const changed = near.alignment.differences.filter(
    (gap) => weightOf(gap.claim) >= A_WORD && weightOf(gap.source) >= A_WORD,
  );
  const [first] = changed;
  const places = changed.flatMap((gap) => gap.claim);
  const follows = near.alignment.share >= MOSTLY && agreement(near, places, tokens) >= SAME_PLACE;
  if (!first || !follows) return undefined;
  return { here: textOf(claim, first.claim), there: textOf(near.text, first.source) };
}

/** How well the claim follows the sentence outside of these places: 0 to 1. */
export function agreement(near: Near | undefined, places: readonly Place[], tokens: readonly Token[]): number {
  const outside = weightOf(tokens.filter((token) => !places.some((place) => overlap(token, place))));
  return !near || outside === 0 ? 0 : Math.min(1, near.alignment.aligned / outside);
}

/**
 * How well the rest must agree before a fault is sure, chosen on SummEdits and WiCE, where people and models say in other
 * words what their sources say.
 */
const RIVAL_AMOUNT = 0.4;
const RIVAL_NAME = 0.55;
const MISSING = 0.75;
const SAME_PLACE = 0.85;
const OPPOSITE = 0.5;
const DENIED = 0.6;
/** The weight of "did not like", a little more than a verb and its denial. */
const DENIAL = 3;
/** The weight of one word that counts. */
const A_WORD = 1;
const EXCHANGED = 0.75;
const NEAR = 0.6;
const MOSTLY = 0.7;
