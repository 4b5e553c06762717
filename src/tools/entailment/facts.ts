import { mentioning, mentions } from "../../text/names.js";
import { quantities, stated } from "../../text/numbers.js";
import { contentTerms } from "../../text/tokens.js";
import type { Claim } from "./claim.js";
import { nearestSentence, sentencesWith } from "./coverage.js";
import type { Ground } from "./ground.js";

/** Names and amounts: whether the sources have them, and in a sentence about what the claim says of them. */
export function factSigns(claim: Claim, ground: Ground): Record<string, number> {
  const near = nearestSentence(claim.tokens, ground);
  const nearText =
    near === undefined ? "" : [near - 1, near, near + 1].map((i) => ground.sentences[i]?.text ?? "").join("\n");
  const [amounts, nearAmounts] =
    claim.quantities.length > 0 ? [ground.once(quantities), quantities(nearText)] : [[], []];
  const standing = claim.quantities.map((quantity) => stated(quantity, amounts));
  const missing = claim.names.filter((name) => !ground.once(mentioning)(name));
  return {
    names: Math.min(8, claim.names.length),
    namesMissing: Math.min(5, missing.length),
    namesMissingShare: missing.length / Math.max(1, claim.names.length),
    namesFar: Math.min(5, claim.names.filter((name) => !mentions(nearText, name)).length),
    amounts: Math.min(8, claim.quantities.length),
    amountsMissing: Math.min(5, standing.filter((value) => value === "no").length),
    amountsLoose: Math.min(5, standing.filter((value) => value === "loosely").length),
    amountsFar: Math.min(5, claim.quantities.filter((quantity) => stated(quantity, nearAmounts) === "no").length),
    amountsAlone: amountsAlone(claim, ground),
    otherAmounts: Math.min(5, nearAmounts.filter((amount) => stated(amount, claim.quantities) === "no").length),
  };
}

/** The least that any sentence with an amount of the claim has of the terms beside it there; 1 without amounts. */
function amountsAlone(claim: Claim, ground: Ground): number {
  let least = 1;
  for (const { start, end, text } of claim.quantities) {
    const beside = [
      ...contentTerms(claim.text.slice(Math.max(0, start - BESIDE), start)).slice(-3),
      ...contentTerms(claim.text.slice(end, end + BESIDE)).slice(0, 3),
    ];
    const own = contentTerms(text).find((term) => /\p{N}/u.test(term));
    if (!own || beside.length === 0) continue;
    let best = 0;
    for (const sentence of sentencesWith(ground, own)) {
      const has = ground.sentences[sentence]?.has;
      best = Math.max(best, beside.filter((term) => has?.has(term)).length / beside.length);
      if (best === 1) break;
    }
    least = Math.min(least, best);
  }
  return least;
}
const BESIDE = 60;
