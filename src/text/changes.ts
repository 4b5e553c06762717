import type { Span } from "../types/evidence.js";
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

/** What is wrong for sure with a claim that otherwise agrees with its source so well that only the fault is left. */
export interface Fault {
  verdict: "unsupported" | "contradicted";
  reason: string;
  /** The words at fault, as places in the claim. */
  wrong: readonly Span[];
}

export type FindFault = (pair: Pair) => Fault | undefined;

/** Amounts that no quote has, or not in that unit. */
export const otherAmounts: FindFault = ({ claim, tokens, near, source }) => {
  const all = quantities(claim).map((quantity) => ({ ...quantity, how: stated(quantity, source.quantities) }));
  const missing = all.filter(({ how }) => how === "no");
  if (missing.length === 0) {
    const loose = all.find(({ how }) => how === "loosely");
    if (!loose || !hasRival(loose, near) || agreement(near, [loose], tokens) < MISSING) return undefined;
    return fault("unsupported", `The quotes have the number of ${loose.text}, not the unit.`, [loose]);
  }
  const rest = agreement(near, missing, tokens);
  const sure = missing.some((quantity) => {
    const rival = hasRival(quantity, near);
    // What comes near elsewhere counts less than what stands in the very place.
    if (approached(quantity, source.quantities)) return rival && rest >= SAME_PLACE;
    return rest >= (rival ? RIVAL_AMOUNT : MISSING);
  });
  return sure ? fault("unsupported", `No quote has ${texts(missing)}.`, missing) : undefined;
};

/** Amounts that the quotes have elsewhere, while the sentence that the claim follows has another one in the very place. */
export const strayAmounts: FindFault = ({ claim, tokens, near }) => {
  const own = quantities(near?.text ?? "");
  const stray = quantities(claim).filter((quantity) => stated(quantity, own) === "no" && hasRival(quantity, near));
  if (stray.length === 0 || agreement(near, stray, tokens) < SAME_PLACE) return undefined;
  return fault("unsupported", `The sentence it follows has another amount than ${texts(stray)}.`, stray);
};

const texts = (amounts: readonly Quantity[]) => amounts.map(({ text }) => text).join(", ");

/** The source has another amount of that kind in the same place. */
const hasRival = (quantity: Quantity, near: Near | undefined) =>
  near !== undefined &&
  quantities(near.text).some(
    (other) =>
      conflicts(quantity, other) &&
      !approached(quantity, [other]) &&
      differenceAt(quantity, near)?.source.some((token) => overlap(token, other)),
  );

/** Names that no quote has, in a claim that follows one. */
export const otherNames: FindFault = ({ claim, tokens, near, source }) => {
  if (!near || languageOf(claim) !== languageOf(source.text)) return undefined;
  const latin = names(claim)
    .filter((name) => !mentions(source.text, name))
    .map((name) => ({ name, start: claim.indexOf(name), end: claim.indexOf(name) + name.length }));
  const chinese = chineseNames(claim).filter(({ name }) => !source.text.includes(name));
  const missing = [...latin, ...chinese];
  const rest = agreement(near, missing, tokens);
  if (missing.length === 0 || rest < RIVAL_NAME) return undefined;
  const sure =
    latin.slice(0, MOST_NAMES).some(({ name, ...place }) => {
      if (mentionsVariant(source.text, name)) return false;
      const there = differenceAt(place, near)?.source;
      const rival = there?.some(({ start }) => /^\p{Lu}/u.test(near.text.slice(start, start + 2)));
      return rest >= (rival ? RIVAL_NAME : MISSING);
    }) || chinese.some((place) => rest >= MISSING && differenceAt(place, near)?.source.length);
  return sure
    ? fault("unsupported", `No quote names ${missing.map(({ name }) => name).join(", ")}.`, missing)
    : undefined;
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
  if (pair && share >= OPPOSITE) {
    const at = claim.toLowerCase().indexOf(pair[0].toLowerCase());
    const wrong = at < 0 ? [] : [{ start: at, end: at + pair[0].length }];
    return fault("contradicted", `The claim says "${pair[0]}", the quote "${pair[1]}".`, wrong);
  }
  const [here, there] = [negations(claim), negations(near.text)];
  if (here % 2 === there % 2 || share < DENIED) return undefined;
  // A denial of its own, not one inside a clause or a bracket that the claim leaves out, or in what stands around it.
  const own = differences.find(
    (gap) =>
      !/[(（]\s*$/.test(near.text.slice(0, gap.source[0]?.start ?? 0)) &&
      negations(wordsOf(claim, gap.claim)) !== negations(wordsOf(near.text, gap.source)) &&
      Math.max(weightOf(gap.claim), weightOf(gap.source)) <= DENIAL,
  );
  if (!own) return undefined;
  const reason = here > there ? "The claim denies what the quote says." : "The quote denies it.";
  const [first, last] = [own.claim[0], own.claim.at(-1)];
  return fault("contradicted", reason, first && last ? [{ start: first.start, end: last.end }] : []);
};

/** Two words or names with the same words between them stand the other way round. */
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
      if (keys(between) !== keys(tokensOf(near.text.slice(start, end)))) continue;
      return fault("contradicted", `The quote has "${one.name}" and "${other.name}" the other way round.`, [
        { start: one.here, end: from },
        { start: to, end: to + other.name.length },
      ]);
    }
  }
  return undefined;
};

const DIRECTED: ReadonlySet<string> = new Set(["of", "to", "than", "by", "over", "的", "被", "把", "比", "由", "对"]);
const MOST_NAMES = 30;
const once = (text: string, name: string) => text.includes(name) && text.indexOf(name) === text.lastIndexOf(name);
const keys = (tokens: readonly Token[]) => tokens.map(({ key }) => key).join(" ");

/** A list, or a relation in which either side may stand first. */
const BOTH_WAYS =
  /^[\s,]*(?:and|or|&)?[\s,]*$|^\s*(?:、|和|与|及|以及|或|跟|同)\s*$|\b(?:married|met|equals?|borders?|between|resembles?|differs?|same)\b|结婚|相邻|相同|不同|之间|等于/u;

export const fault = (verdict: Fault["verdict"], reason: string, wrong: readonly Span[]): Fault => ({
  verdict,
  reason,
  wrong: wrong.map(({ start, end }) => ({ start, end })),
});

const textOf = (text: string, tokens: readonly Token[]) => text.slice(tokens[0]?.start ?? 0, tokens.at(-1)?.end ?? 0);

/** The same with the character on either side, where a Chinese word may have been cut. */
function wordsOf(text: string, tokens: readonly Token[]): string {
  const [first, last] = [tokens[0], tokens.at(-1)];
  if (!first || !last) return "";
  return text.slice(
    first.start - (first.kind === "han" && first.start > 0 ? 1 : 0),
    last.end + (last.kind === "han" ? 1 : 0),
  );
}

const overlap = (a: Span, b: Span) => a.start < b.end && b.start < a.end;

const differenceAt = (place: Span, near: Near): Difference | undefined =>
  near.alignment.differences.find(({ claim }) => claim.some((token) => overlap(token, place)));

/** How well the claim follows the sentence outside of these places: 0 to 1. */
function agreement(near: Near | undefined, places: readonly Span[], tokens: readonly Token[]): number {
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
const NEAR = 0.6;
