import { negations, opposed, opposedTo } from "../../text/negation.js";
import { plain } from "../../text/tokens.js";
import type { Claim } from "./claim.js";
import { nearestSentence } from "./coverage.js";
import type { Ground } from "./ground.js";

/** How something is said: denied, in doubt, of all or of some, because of or after something else; beside the nearest sentences. */
export function stanceSigns(claim: Claim, ground: Ground): Record<string, number> {
  const near = claim.clauses.map((clause) => nearestSentence(clause, ground));
  const texts = [...new Set(near)].map((i) => (i === undefined ? "" : (ground.sentences[i]?.text ?? "")));
  const there = plain(texts.join("\n"));
  const whole = ground.once(readWhole);
  const here = plain(claim.text);
  const [denied, deniedThere, deniedAnywhere] = [negations(here), negations(there), whole.denied];
  const signs: Record<string, number> = {
    denied: Math.min(3, denied),
    deniedThere: Math.min(3, deniedThere),
    deniedMore: Math.max(-2, Math.min(2, denied - deniedThere)),
    deniedNew: denied > 0 && deniedAnywhere === 0 ? 1 : 0,
    opposed: opposed(here, there) ? 1 : 0,
    opposedAnywhere: whole.opposedBy(here) ? 1 : 0,
  };
  let added = 0;
  let addedFar = 0;
  for (const [name, words] of Object.entries(MARKS)) {
    const own = new Set(here.match(words));
    const beside = new Set(there.match(words));
    const all = whole.marks[name as keyof typeof MARKS];
    const fresh = [...own].filter((word) => !beside.has(word)).length;
    const far = [...own].filter((word) => !all.has(word)).length;
    signs[`${name}Own`] = Math.min(3, own.size);
    signs[`${name}Fresh`] = Math.min(3, fresh);
    signs[`${name}Lost`] = own.size === 0 && beside.size > 0 ? 1 : 0;
    added += fresh;
    addedFar += far;
  }
  return { ...signs, marksFresh: Math.min(6, added), marksNowhere: Math.min(6, addedFar) };
}

/** What there is to know of a whole text, whatever the claim. */
function readWhole(text: string) {
  const folded = plain(text);
  const marks = Object.fromEntries(
    Object.entries(MARKS).map(([name, words]) => [name, new Set(folded.match(words))]),
  ) as unknown as Record<keyof typeof MARKS, ReadonlySet<string>>;
  return { denied: negations(folded), marks, opposedBy: opposedTo(folded) };
}

const MARKS = {
  hedge:
    /\b(?:may|might|could|possibly|perhaps|likely|probably|potentially|reportedly|allegedly|apparently|seems?|appears?|suggests?|estimated|about|approximately|around|nearly|almost)\b|可能|也许|大概|大约|约|据称|据说|似乎|或许|估计|左右/g,
  cause:
    /\b(?:because|due to|owing to|caused?|causes|leads? to|led to|result(?:s|ed|ing)? in|as a result|therefore|thus|thanks to|so that|in order to|resulting)\b|因为|由于|导致|造成|引起|因此|所以|从而|为了/g,
  time: /\b(?:before|after|during|until|since|while|when|once|later|earlier|previously|formerly|subsequently|then|already|still|currently|recently|now|soon|annually|daily|weekly|monthly)\b|之前|之后|以前|以后|期间|直到|目前|现在|曾经|曾|已经|仍然|仍|随后|后来|最近|每年|每天/g,
  extent:
    /\b(?:all|every|each|always|any|entire(?:ly)?|whole|both|some|several|certain|sometimes|most|mostly|usually|generally|many|few|only|solely|mainly|primarily|exclusively|never|none|no|at least|at most|more than|less than|over|under|up to|half|completely|fully|partially|partly)\b|所有|全部|一切|每|总是|任何|部分|一些|有的|有时|大多|大部分|通常|一般|许多|只有|仅|主要|至少|至多|超过|不到|以上|以下|完全/g,
  force:
    /\b(?:must|shall|should|required|have to|has to|had to|needs? to|will|would|can|cannot|able to|plans? to|intends?|wants?|tries|tried|attempts?|decided?|refused?|agreed?|hopes?|expects?|promised?)\b|必须|应当|应该|须|需要|将|会|可以|能够|计划|打算|试图|尝试|决定|拒绝|同意|希望/g,
  said: /\b(?:said|says|claims?|claimed|according to|believes?|believed|argued?|argues|stated|states|reported|announced|thinks?|told|asks?|asked)\b|表示|称|认为|指出|声称|宣布|宣称|根据|报道/g,
  degree:
    /\b(?:more|less|better|worse|higher|lower|larger|smaller|greater|faster|slower|stronger|weaker|best|worst|highest|lowest|largest|smallest|first|last|very|extremely|significantly|slightly|substantially|highly|greatly|moderately|modest|strong|weak|new|old|former)\b|更|最|较|非常|极|很|明显|显著|略|稍|第一|首|末/g,
} as const;
