import { contentTerms, plain } from "../../../text/tokens.js";

/**
 * The terms of a text in a coarser form, so that a question meets other forms of its words: English stems without what
 * makes a noun of a verb ("founder", "founded"), single Chinese characters. Without repeats.
 */
export function looseTerms(text: string): string[] {
  const found = contentTerms(plain(text));
  return [...new Set(found.flatMap((term) => (/^\p{Script=Han}+$/u.test(term) ? [...term] : [root(term)])))];
}

function root(term: string): string {
  if (!/^[a-z]{6,}$/.test(term)) return term;
  return term.replace(ENDINGS, "").slice(0, ROOT_LETTERS);
}

const ENDINGS = /(?:ation|ition|ment|ness|ance|ence|ical|ion|ist|ism|ity|ive|ing|ous|al|er|or|ed|ly|t|i|e)$/;
const ROOT_LETTERS = 8;
