import { FUNCTION_WORDS } from "../../text/lexicon.js";
import { chineseWords, plainAsWritten } from "../../text/tokens.js";

/** A normalised word, a number with its sign and unit, or a Chinese character. */
export interface NameToken {
  text: string;
  isHan: boolean;
  /** True if punctuation before it ends a name. */
  isApart: boolean;
  isFunctionWord: boolean;
  /** The number of the Chinese word that it belongs to, by the runtime's dictionary; -1 for other tokens. */
  word: number;
  endsWord: boolean;
  /** True inside a Chinese word: a name cannot begin here. */
  opensInside: boolean;
}

/** Splits a name into normalised words. */
export const nameWords = (name: string): string[] => tokenise(name, new Map()).map(({ text }) => text);

/** Tokenises a text, and drops case, width, accents, possessives and punctuation. */
export const nameTokens = (text: string): NameToken[] => tokenise(text);

function tokenise(text: string, dictionary?: DictionaryWords): NameToken[] {
  const folded = plainAsWritten(text)
    .replace(/(?<=[\p{L}\p{N}])'s(?![\p{L}\p{N}])/gu, "")
    .replace(INITIALS, (letters) => letters.replace(/\.\s*/g, "") + (/\s$/.test(letters) ? " " : ""))
    .replaceAll("&", " and ");
  const words = dictionary ?? dictionaryWords(folded);
  let behind = 0;
  let wasHan = false;
  return [...folded.matchAll(TOKEN)].map((match) => {
    const isHan = /^\p{Script=Han}/u.test(match[0]);
    const gap = folded.slice(behind, match.index);
    const isApart = (isHan || wasHan ? HAN_BREAK : LATIN_BREAK).test(gap);
    behind = match.index + match[0].length;
    wasHan = isHan;
    const known = words.get(match.index);
    const written = match[0].replace(/\s/g, "").replace(/'/g, "");
    return {
      text: /^\P{L}+$/u.test(written) ? written.replace(/,(?=\d{3}(?!\d))/g, "") : written,
      isHan,
      isApart,
      isFunctionWord: known?.isFunctionWord ?? FUNCTION_WORDS.en.has(match[0]),
      word: known?.word ?? -1,
      endsWord: known?.endsWord ?? true,
      opensInside: known?.opensInside ?? false,
    };
  });
}

/** Matches initials such as "J. R. R." and "U.S.A.": at least two letters, each with a dot. */
const INITIALS = /(?<![\p{L}\p{N}])(?:\p{L}\.\s?){2,}/gu;

const NUMBER = "(?:[<>≤≥±≈]\\s*)?(?:(?<![\\p{L}\\p{N}])[-+])?(?:\\p{Sc}\\s?)?\\p{N}+(?:[.,]\\p{N}+)*(?:\\s?[%‰])?";
const LETTER = "(?:(?!\\p{Script=Han})[\\p{L}\\p{M}])";
const TOKEN = new RegExp(
  `\\p{Script=Han}|${NUMBER}|${LETTER}+(?:'${LETTER}+)*(?:(?:\\+\\+|#)(?!${LETTER}|\\p{N}))?`,
  "gu",
);

const HAN_BREAK = /[。．！？；，、：!?;,:\n]|\.\s/;
const LATIN_BREAK = /[。！？；!?;\n]|\.\s/;

/** The dictionary's words for each Chinese character, by its offset. */
type DictionaryWords = Map<number, Pick<NameToken, "isFunctionWord" | "word" | "endsWord" | "opensInside">>;

function dictionaryWords(text: string): DictionaryWords {
  const found: DictionaryWords = new Map();
  let number = 0;
  for (const run of text.matchAll(/\p{Script=Han}+/gu)) {
    let at = run.index;
    for (const word of chineseWords(run[0])) {
      number++;
      let before = "";
      for (const character of word) {
        const length = before.length + character.length;
        found.set(at + before.length, {
          isFunctionWord: FUNCTION_WORDS.zh.has(word),
          word: number,
          endsWord: length === word.length,
          // The dictionary may misread 和 + 平安公司 as 和平 first, so a function word in front proves nothing.
          opensInside: before !== "" && !FUNCTION_WORDS.zh.has(before),
        });
        before += character;
      }
      at += word.length;
    }
  }
  return found;
}
