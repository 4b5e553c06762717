import { names } from "../text/names.js";
import { type Quantity, quantities, stated } from "../text/numbers.js";
import type { Weight } from "../text/similarity.js";
import { contentTerms } from "../text/tokens.js";
import type { Unit } from "./units.js";

/** Something of a claim that a sentence may have: a word, a name or an amount. */
export interface Trait {
  term: string;
  amount?: Quantity;
  name: boolean;
  weight: number;
}

/** Its words, names heavier and rare ones too, and its amounts. @param rarest what a word weighs that no sentence has. */
export function traitsOf(claim: string, rarity: Weight, rarest: number): Trait[] {
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
export const isIn = (terms: ReadonlySet<string> | undefined, { term, amount }: Trait) =>
  !amount && terms?.has(term) === true;

/** Whether a sentence has it; an amount in whatever way it is written. */
export const has = (unit: Unit, trait: Trait) =>
  trait.amount ? stated(trait.amount, amountsOf(unit)) !== "no" : unit.terms.has(trait.term);

/** Read when first asked for: most sentences never are. */
function amountsOf(unit: Unit): readonly Quantity[] {
  const known = read.get(unit);
  if (known) return known;
  const amounts = quantities(unit.text);
  read.set(unit, amounts);
  return amounts;
}
const read = new WeakMap<Unit, readonly Quantity[]>();
