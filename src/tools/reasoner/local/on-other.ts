import { chineseNames } from "../../../text/chinese-names.js";
import { mentions, names } from "../../../text/names.js";
import { plain } from "../../../text/tokens.js";
import type { Question } from "./question.js";

/**
 * Whether a sentence is about somebody or something else than the question names: it has the AR-9 and not the AR-7, or it
 * begins with another name and has none of the question's. Where a name is asked for the answer may begin with it.
 */
export function isOnOther({ whole, names: asked, type }: Question, sentence: string): boolean {
  if (isOnOtherModel(whole, sentence)) return true;
  if (type === "person" || type === "place" || type === "list" || type === "unknown") return false;
  const named = [...asked, ...chineseNames(whole).map(({ name }) => name)];
  if (named.length === 0 || named.some((name) => mentions(sentence, name))) return false;
  const first = [...names(sentence), ...chineseNames(sentence).map(({ name }) => name)].find((name) =>
    sentence.startsWith(name),
  );
  return first !== undefined && !named.some((name) => sharesWord(name, first));
}

const sharesWord = (name: string, other: string) =>
  plain(name)
    .split(/[\s·・]+/)
    .some((word) => mentions(other, word));

/** The same letters with other digits. */
function isOnOtherModel(question: string, sentence: string): boolean {
  const asked = models(question);
  const found = models(sentence);
  if (asked.length === 0 || found.some(({ whole }) => asked.some((model) => model.whole === whole))) return false;
  return found.some(({ letters }) => asked.some((model) => model.letters === letters));
}

const models = (text: string) =>
  [
    ...plain(text).matchAll(
      /(?<![\p{L}\p{N}])(?<letters>(?:(?!\p{Script=Han})\p{L}){1,8})-?\p{N}[\p{N}.]*(?:-?(?:(?!\p{Script=Han})[\p{L}\p{N}])+)*/gu,
    ),
  ].map((match) => ({ whole: match[0].replaceAll("-", ""), letters: match.groups?.letters ?? "" }));
