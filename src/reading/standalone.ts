import { names } from "../facts/names.js";
import { quantities } from "../facts/numbers.js";
import { languageOf } from "../text/language.js";
import { AUXILIARIES, among, QUESTION_WORDS } from "../text/lexicon.js";
import { chineseWords, contentTerms, terms } from "../text/tokens.js";
import type { Turn } from "../types/reasoners.js";

/** Returns the likelier reading of a question of a conversation. */
export const standalone = (question: string, history: readonly Turn[]): string => readings(question, history)[0];

/**
 * Returns the question as it can be read without the conversation: in one way or in two, the likelier first.
 *
 * A follow-up is read with the whole question before it: "Can it be split?" becomes "Can it be split (How long is parental
 * leave)?", 要加多少钱？ becomes 要加多少钱（校准可以加急吗）？ If it only names one other thing or amount, or one of each ("And in
 * Oslo in 2023?", 那2023年呢？), it becomes the question before with them instead. A question that is only short, or only
 * opens like a reply, can be read as it stands too: first of all if it asks what there is. Any other question is read as it
 * stands alone.
 */
export function readings(question: string, history: readonly Turn[]): [string, string?] {
  const text = question.trim();
  const asked = history.map(({ question }) => question.trim()).filter((question) => question !== "");
  if (asked.length === 0 || !(dependsOn(text) || saysLittle(text))) return [text];
  const joined = joinedTo(questionBefore(asked), text);
  if (!dependsOn(text)) return asksWhatThereIs(text) ? [text, joined] : says(text) ? [joined, text] : [joined];
  const rest = text.replace(OPENING, "");
  return says(rest) && !pointsOutside(rest) && ASKS.test(rest.replace(ABOUT, "")) ? [joined, rest] : [joined];
}

/** True if a question has words of content. */
const says = (question: string) => contentTerms(question).length > 0;

function joinedTo(before: string, text: string): string {
  const [open, close] = languageOf(text) === "zh" ? ["（", "）？"] : [" (", ")?"];
  return withOther(before, text) ?? `${bare(text.replace(OPENING, ""))}${open}${bare(before)}${close}`;
}

/**
 * Returns the newest question that stands on its own, with the names and amounts that follow-ups have exchanged since,
 * or else the newest one.
 */
function questionBefore(asked: readonly string[]): string {
  const at = asked.findLastIndex((one) => !dependsOn(one) && (!saysLittle(one) || asksWhatThereIs(one)));
  if (at < 0) return asked.at(-1) ?? "";
  return asked.slice(at).reduce((before, followUp) => withOther(before, followUp) ?? before);
}

/**
 * Puts the name of a follow-up that says nothing new besides in the place of the last name of a question, its amount in the
 * place of the only one of its kind, or both, if the question has one name of this form or the same one.
 */
function withOther(question: string, followUp: string): string | undefined {
  const said = bare(
    followUp
      .replace(OPENING, "")
      .replace(ABOUT, "")
      .replace(/呢[？?]?$/, ""),
  );
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

const ABOUT = /^(?:what|how) about\s+/i;

const ASKS = new RegExp(`\\b(?:${among(QUESTION_WORDS.en)}|${among(AUXILIARIES)})\\b|${among(QUESTION_WORDS.zh)}`, "i");

const bare = (question: string) => question.replace(/[\s?？。.!！]+$/u, "");
const OPENING =
  /^(?:(?:and|but|so|then|also|ok(?:ay)?)[\s,]+)+|^(?:那么|那(?![天年月里儿些个位])|还有|至于|另外|而)[，,\s]*/i;

/** True for a question that begins or ends like a reply, or points outside it. */
const dependsOn = (question: string) =>
  languageOf(question) !== "other" && (formsIn(question).reply.test(question) || pointsOutside(question));

/** True for a question with a pronoun for something outside it. */
function pointsOutside(question: string): boolean {
  const at = formsIn(question).pronoun.exec(question)?.index ?? -1;
  return at >= 0 && !namesThing(question.slice(0, at));
}

const formsIn = (question: string) => (languageOf(question) === "zh" ? CHINESE : ENGLISH);

/** True for a question that hardly says what it is about. */
const saysLittle = (question: string) =>
  languageOf(question) !== "other" && names(question).length === 0 && contentTerms(question).length <= FEW;

/** True for "How many days are there?" and 有哪些产品？, where "there" stands for nothing. Needs a noun. */
const asksWhatThereIs = (question: string) =>
  says(question) &&
  (languageOf(question) === "zh"
    ? chineseWords(question).some((word) => word === "有" || word === "有没有")
    : /\b(?:is|are) there\b/i.test(question));

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
