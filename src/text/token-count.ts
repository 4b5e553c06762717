/**
 * Estimates the number of tokens without a tokenizer: 1.3 per word, 0.8 per Chinese, Japanese or Korean character. A
 * run of more than 12 letters (addresses, keys) counts as one more word for every 4, and white space as one for every
 * 12. 400 tokens are about 300 English words or 500 Chinese characters.
 */
export const tokensIn = (text: string, start = 0, end = text.length): number =>
  measureTokens(text, start, end, Number.POSITIVE_INFINITY).size;

const PER_WORD = 1.3;
const PER_CHARACTER = 0.8;
const LONGEST_RUN = 12;

/**
 * Estimates the number of tokens of a text of any kind, base64, code and symbols too: a token has at most four small
 * Latin letters with a capital before them, or three digits; any other character is one. The encoder's tokenizer makes
 * 0.6 to 1.4 times as many, or fewer.
 */
export const piecesIn = (text: string): number => text.match(PIECE)?.length ?? 0;

const PIECE = /(?:(?=\p{Lu})\p{Script=Latin})?(?:(?!\p{Lu})\p{Script=Latin}){1,4}|\p{N}{1,3}|\S/gu;

/**
 * Returns the offset at which the text from `start` reaches `limit` tokens, at most `end`, and its size up to there.
 */
export function measureTokens(text: string, start: number, end: number, limit: number): { size: number; at: number } {
  let size = 0;
  let run = 0;
  let gap = 0;
  let at = start;
  for (; at < end && size < limit; at++) {
    const unit = text.charCodeAt(at);
    if (isSpace(unit)) {
      run = 0;
      gap += 1;
      if (gap % LONGEST_RUN === 0) size += PER_WORD;
      continue;
    }
    gap = 0;
    if (isWide(unit)) {
      size += PER_CHARACTER;
      run = 0;
    } else {
      if (run === 0 || (run >= LONGEST_RUN && run % 4 === 0)) size += PER_WORD;
      run += 1;
    }
  }
  return { size, at };
}

const isSpace = (unit: number) =>
  unit <= 0x20 || unit === 0xa0 || unit === 0x3000 || (unit >= 0x2000 && unit <= 0x200a);

/** Scripts written without spaces, their punctuation, and low surrogates. */
const isWide = (unit: number) =>
  unit >= 0x2e80 && (unit <= 0xa4cf || (unit >= 0xac00 && unit <= 0xd7af) || (unit >= 0xdc00 && unit <= 0xffef));
