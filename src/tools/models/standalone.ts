import { names } from "../../checking/facts/names.js";
import { quantities } from "../../checking/facts/numbers.js";
import { languageOf } from "../../text/language.js";
import { AUXILIARIES, among, QUESTION_WORDS } from "../../text/lexicon.js";
import { contentTerms, terms } from "../../text/tokens.js";
import type { Turn } from "./port.js";

/**
 * Appends the whole previous question to a follow-up that depends on it: "Can it be split?" becomes "Can it be split
 * (How long is parental leave)?", 要加多少钱？ becomes 要加多少钱（校准可以加急吗）？ A follow-up that only names one other thing or
 * amount, or one of each ("And in Oslo in 2023?", 那2023年呢？) becomes the previous question with them instead. A question
 * that stands on its own, or is neither English nor Chinese, is returned unchanged.
 */
export function standalone(question: string, history: readonly Turn[]): string {
  const text = question.trim();
  const before = questionBefore(text, history);
  if (before === undefined) return text;
  const exchanged = withOther(before, text);
  if (exchanged !== undefined) return exchanged;
  const [open, close] = languageOf(text) === "zh" ? ["（", "）？"] : [" (", ")?"];
  return `${bare(text.replace(OPENING, ""))}${open}${bare(before)}${close}`;
}

/**
 * Returns the newest question that stands on its own, with the names and amounts that follow-ups have exchanged since,
 * or else the newest one; undefined if the follow-up depends on none.
 */
function questionBefore(text: string, history: readonly Turn[]): string | undefined {
  if (!leansOn(text)) return undefined;
  const asked = history.map(({ question }) => question.trim()).filter((question) => question !== "");
  const at = asked.findLastIndex((question) => !leansOn(question));
  if (at < 0) return asked.at(-1);
  return asked.slice(at).reduce((before, followUp) => withOther(before, followUp) ?? before);
}

/**
 * Puts the name of a follow-up that says nothing new besides in the place of the last name of a question, its amount in the
 * place of the only one of its kind, or both, if the question has one name of this form or the same one.
 */
function withOther(question: string, followUp: string): string | undefined {
  const said = bare(followUp.replace(OPENING, "").replace(/^(?:what|how) about\s+|呢[？?]?$/gi, ""));
  // A capital at the beginning of a fragment or of a Chinese question is not that of a question word.
  const [other, old] = [partsOf(`, ${said}`), partsOf(languageOf(question) === "zh" ? `, ${question}` : question)];
  const says = new Set(terms(question));
  const isMore =
    other.names.length > 1 || other.amounts.length > 1 || contentTerms(other.rest).some((term) => !says.has(term));
  // What has no place in the question would be lost.
  if (isMore || ASKS.test(said)) return undefined;
  const [[name], [amount]] = [other.names, other.amounts];
  if (!amount) return exchanged(question, old.names.at(-1), name);
  const oldAmount = only(old.amounts.filter(({ kind }) => kind === amount.kind));
  const withAmount = exchanged(question, oldAmount?.text, amount.text);
  if (name === undefined || has(question, name)) return withAmount;
  // "Q1" of another year does not stand for a company.
  const oldName = only(old.names.filter((one) => /\d/.test(one) === /\d/.test(name)));
  return exchanged(withAmount, oldName, name);
}

/** Finds the names and the amounts of a text, and what else it says. The month of a date is not a name. */
function partsOf(text: string) {
  const amounts = quantities(text);
  const undated = amounts.reduce(
    (rest, { start, end }) => rest.slice(0, start) + " ".repeat(end - start) + rest.slice(end),
    text,
  );
  const found = names(undated);
  return { names: found, amounts, rest: found.reduce((rest, name) => rest.replaceAll(name, " "), undated) };
}

const exchanged = (text: string | undefined, old: string | undefined, other: string | undefined) =>
  old === undefined || other === undefined ? undefined : text?.replace(old, () => other);

/** Returns the one element of a list; undefined if there are none or several. */
const only = <T>(all: readonly T[]): T | undefined => (all.length === 1 ? all[0] : undefined);

/** True if a text has the words of a name, also at its beginning, where a capital is no sign of one. */
const has = (text: string, name: string) => terms(name).every((term) => terms(text).includes(term));

const ASKS = new RegExp(`\\b(?:${among(QUESTION_WORDS.en)}|${among(AUXILIARIES)})\\b|${among(QUESTION_WORDS.zh)}`, "i");

const bare = (question: string) => question.replace(/[\s?？。.!！]+$/u, "");
const OPENING =
  /^(?:(?:and|but|so|then|also|ok(?:ay)?)[\s,]+)+|^(?:那么|那(?![天年月里儿些个位])|还有|至于|另外|而)[，,\s]*/i;

/**
 * True for a question that begins like a reply, has a pronoun for something outside it, or hardly says what it is
 * about.
 */
function leansOn(question: string): boolean {
  const language = languageOf(question);
  if (language === "other") return false;
  const { reply, pronoun } = language === "zh" ? CHINESE : ENGLISH;
  if (reply.test(question)) return true;
  const at = pronoun.exec(question)?.index ?? -1;
  if (at >= 0 && !namesThing(question.slice(0, at))) return true;
  return names(question).length === 0 && contentTerms(question).length <= FEW;
}

/** True if a text names something that a pronoun after it may stand for. */
const namesThing = (text: string) =>
  names(text).length > 0 ||
  /\b(?:the|an?|our|my|your)\s+\p{L}/iu.test(text) ||
  (languageOf(text) === "zh" && contentTerms(text).length > FEW);

/** In content words. */
const FEW = 2;

const ENGLISH = {
  reply: /^(?:and|but|or|so|then|also|ok(?:ay)?)[\s,]|^(?:what|how) about\b|\b(?:then|since when)\s*[?.!]*$/i,
  /** Not the expletive "it" of "How long does it take to …" and "is it possible to …", nor "that" before a clause. */
  pronoun: new RegExp(
    `\\b(?:it(?!\\s+(?:(?:take|takes|took|cost|costs|possible|necessary|true|better|legal|safe|common|important|mean)\\s+(?:\\w+\\s+){0,3}?(?:to|that|for|if)\\b|rain|snow))|they|them|he|him|she|hers?|theirs?|its|their|his|(?:this|that|these|those)(?=\\s+(?:ones?|${among(AUXILIARIES)})\\b|\\s*[?.!,]|$))\\b`,
    "i",
  ),
};
const CHINESE = {
  reply: /^(?:那么|那(?![天年月里儿些个位])|还有|至于|另外|而(?!且))|(?:呢|又如何|又怎样)[？?。]*$/u,
  pronoun:
    /[它他她]们?(?<!其[他它])|[这那](?!么|样)|(?<=^|[，,。；\s和与对在把被由为于从向给])其(?=\p{Script=Han})(?![他它中实余次])|(?<![应不活本])该(?=\p{Script=Han}{2})(?!不该|怎么|如何)/u,
};
