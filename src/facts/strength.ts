import { languageOf } from "../text/language.js";
import { contentTerms, plain } from "../text/tokens.js";
import type { ClaimReason } from "../types/claim-reason.js";
import { negations } from "./negation.js";

/**
 * Says how a claim goes further than its source, however similar the rest is: "all" if the source has no such word,
 * "must" if it says "may", "published" if it says "hoped to publish". Undefined if it does not; a claim may be weaker.
 * English and Chinese only.
 * @param source the sentences that are nearest to the claim.
 */
export function overstated(claim: string, source: string): ClaimReason | undefined {
  if (languageOf(claim) === "other" || languageOf(claim) !== languageOf(source)) return undefined;
  const own: readonly string[] = plain(claim).match(HOW_OFTEN) ?? [];
  const theirs: readonly string[] = plain(source).match(HOW_OFTEN) ?? [];
  const often = own.find((one) => !theirs.includes(one));
  if (often && theirs[0]) return { code: "says_otherwise", source: theirs[0], claim: often };
  const said = plain(claim).replace(HOW_OFTEN, " ");
  const there = plain(source).replace(HOW_OFTEN, " ");
  const stronger = STRONGER.map(({ says, licence, weaker }) => {
    const found = says.exec(said)?.[0];
    return found && !licence.test(there) && (!weaker || weaker.test(there)) ? found.trim() : undefined;
  }).find(Boolean);
  if (stronger) return { code: "overstated", words: stronger };
  return isUnrealised(said, there) ? { code: "only_planned" } : undefined;
}

/** True if the source only hopes, plans or tries what the claim says is done. */
function isUnrealised(claim: string, source: string): boolean {
  if (INTENDED.test(claim) || negations(claim) > 0) return false;
  const own = new Set(contentTerms(claim));
  const sentences = source.split(/[.;!?。；！？\n]+/u);
  const plans = (sentence: string) =>
    [...sentence.matchAll(new RegExp(INTENDED, "gu"))].flatMap(({ index, 0: word }) =>
      contentTerms(sentence.slice(index + word.length, index + word.length + FAR).split(/[,，：:]/u, 1)[0] ?? "").slice(
        0,
        2,
      ),
    );
  const planned = sentences.flatMap(plans).filter((term) => own.has(term));
  return planned.some((term) => !sentences.some((one) => !INTENDED.test(one) && contentTerms(one).includes(term)));
}

/** "Every year" and 每周 say how often something happens, not that it has no exceptions. */
const HOW_OFTEN =
  /\b(?:every|each)(?: \w+)? (?:days?|weeks?|months?|quarters?|years?|hours?|minutes?|nights?|mornings?|evenings?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?)\b|\ball (?:day|night|year|week|the time)\b|每[一两三四五六半]?个?(?:周|天|日|月|年|季度|晚|次|小时|分钟|星期)/gu;

/** How far after such a word a term still counts as planned, in characters. */
const FAR = 40;

/** Words for what is only hoped, planned or tried. */
export const INTENDED =
  /\b(?:hop(?:e|es|ed|ing)|plan(?:s|ned|ning)?|intend(?:s|ed|ing)?|aim(?:s|ed|ing)?|attempt(?:s|ed)?|effort|try|tries|tried|seeks?|sought|wants?|wanted|wish(?:es|ed)?|proposed?|considers?|considered|considering|expect(?:s|ed)?|(?:is|are|was|were)) to\b|计划|预计|预期|打算|有意|希望|争取|准备|考虑|筹备|力争|旨在|试图|拟(?!定|合)|是否|按计划应|本该|本应|原定/u;

/**
 * Strong words of a claim (`says`), words of a source that justify them (`licence`), and weaker words that the source
 * must have for the claim to be overstated (`weaker`).
 */
const STRONGER: readonly { says: RegExp; licence: RegExp; weaker?: RegExp }[] = [
  {
    says: /\b(?:all|every(?:one|body|thing)?|always|any(?:one|body|thing)?|entire(?:ly)?|whole|fully|completely|regardless|however|forever|indefinitely|permanently)\b|所有|全部|一律|一切|全体|任何|人人|总是|始终|永远|完全|一直|永久|都|均|皆/u,
    licence:
      /\b(?:all|every\w*|each|always|any\w*|entire\w*|whole|fully|in full|complet\w*|regardless|however|forever|indefinite\w*|permanent\w*|whoever|whatever|whenever|wherever|no|none|never|both|nobody|nothing)\b|所有|全部|一律|一切|全体|任何|人人|总是|始终|永远|完全|一直|永久|都|均|皆|凡|各|每|无论|不论|谁|全|统一|整/u,
  },
  {
    says: /\b(?:only|solely|exclusively|nothing but|nobody but)\b|只(?!是|要)|仅|唯一|才(?:能|可|会)/u,
    licence:
      /\b(?:only|solely|exclusively|but|unless|except|sole|single|limited|just|alone|nothing|nobody|no|not|never)\b|只|仅|唯|才|限|除|不|单|须/u,
  },
  {
    says: /\b(?:must|ha(?:s|ve) to|required|obliged|mandatory|obligatory|compulsory)\b|必须|务必|强制/u,
    licence:
      /\b(?:must|ha(?:s|ve|d) to|requir\w*|oblig\w*|mandatory|compulsory|needs?|needed|never|not|no|cannot)\b|必须|须|应|务必|得|不|需|要/u,
    weaker: /\b(?:may|can|could|might|should|recommended|advised|optional|voluntary)\b|可|建议|鼓励|自愿|尽量/u,
  },
  {
    says: /\b(?:because|due to|caused?|causes|owing to|thanks to|as a result|led to|leads to)\b|因为|由于|导致|造成|引起|致使|是因/u,
    licence:
      /\b(?:because|since|due|caus\w*|owing|thanks|results?|resulted|led to|leads? to|reasons?|therefore|hence|thus|why|after)\b|因|由于|导致|造成|引起|致使|原因|所以|故|使|由|缘|得益/u,
  },
  {
    says: /\buntil\b|\btill\b|直到|为止/u,
    licence: /\b(?:until|till|to|by|through|before|end|ends|expires?|lapses?)\b|[–—-]|至|到|止|前|顺延|截/u,
  },
];
