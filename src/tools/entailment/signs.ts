import { languageOf } from "../../text/language.js";
import type { Claim } from "./claim.js";
import { contextSigns } from "./context.js";
import { coverageSigns } from "./coverage.js";
import { factSigns } from "./facts.js";
import type { Ground } from "./ground.js";
import { alikeIn, noveltySigns } from "./novelty.js";
import { orderSigns } from "./order.js";
import { stanceSigns } from "./stance.js";

/** What can be counted about a claim and its sources, in groups; always the same names in the same order. */
export function signsOf(claim: Claim, ground: Ground): Record<string, Record<string, number>> {
  const match = alikeIn(ground);
  return {
    coverage: coverageSigns(claim, ground, match),
    order: orderSigns(claim, ground),
    context: contextSigns(claim, ground),
    novelty: noveltySigns(claim, ground, match),
    facts: factSigns(claim, ground),
    stance: stanceSigns(claim, ground),
    size: {
      // What an unknown pair of characters means is another thing than what an unknown word does.
      chinese: languageOf(claim.text) === "zh" ? 1 : 0,
      tokens: Math.log1p(claim.tokens.length),
      clauses: Math.min(12, claim.clauses.length),
      sourceTerms: Math.log1p(ground.terms.length),
      sourceSentences: Math.log1p(ground.sentences.length),
    },
  };
}
