import type { Page, Rule, Word } from "../../text/layout/words.js";

/** What the letters of an operator share. */
export interface LetterLine {
  /** Its direction, clockwise. */
  degrees: number;
  height: number;
  isVertical: boolean;
  isBold: boolean;
}

/** Joins the letters of a page to words, for each direction in a frame of its own. */
export function lettersOf(width: number, height: number) {
  const frames = new Map<number, { words: Word[]; length: number }>();
  let open: { degrees: number; word: Word } | undefined;

  const isSeen = (x: number, y: number, length: number, line: LetterLine) => {
    const angle = (line.degrees * Math.PI) / 180;
    const [endX, endY] = [x + length * Math.cos(angle), y + length * Math.sin(angle)];
    return (
      Math.max(x, endX) >= 0 &&
      Math.min(x, endX) <= width &&
      Math.max(y, endY) >= 0 &&
      Math.min(y, endY) - line.height <= height &&
      line.height * 1_000 >= height
    );
  };

  return {
    /**
     * Adds a letter. Empty text ends a word.
     * @param pageX where it begins on its baseline; in vertical text, on the middle of its column.
     * @param length how far it goes along its line.
     */
    add(text: string, pageX: number, pageY: number, length: number, line: LetterLine): void {
      const { degrees, isVertical, isBold } = line;
      const size = line.height;
      if (text === "" || !isSeen(pageX, pageY, length, line)) {
        open = undefined;
        return;
      }
      const [x, baseline] = turn(pageX, pageY, degrees);
      const y = isVertical ? baseline - size / 2 : baseline - BASELINE * size;
      const frame = frames.get(degrees) ?? { words: [], length: 0 };
      frames.set(degrees, frame);
      frame.length += text.length;
      const word = open?.degrees === degrees ? open.word : undefined;
      const gap = word ? x - (word.x + word.width) : 0;
      const goesOn =
        word !== undefined &&
        gap < WORD_GAP * size &&
        gap > -0.3 * size &&
        Math.abs(word.height - size) < 0.02 * size &&
        Math.abs(word.y - y) < 0.05 * size &&
        word.isBold === isBold &&
        !ALONE.test(text) &&
        !ALONE.test(word.text);
      if (goesOn) {
        word.text += text;
        word.width = x + length - word.x;
      } else {
        const begun = { text, x, y, width: length, height: size, isBold };
        frame.words.push(begun);
        open = { degrees, word: begun };
      }
    },

    /** Returns the page turned to each direction that it has words in, the one with most letters first. */
    turned: (): { page: Page; turn: (rule: Rule) => Rule }[] =>
      [...frames]
        .sort(([, a], [, b]) => b.length - a.length)
        .map(([degrees, { words }]) => {
          const frame = turnedRule({ x1: 0, y1: 0, x2: width, y2: height }, degrees);
          const moved = words.map((word) => ({ ...word, x: word.x - frame.x1, y: word.y - frame.y1 }));
          return {
            page: {
              width: frame.x2 - frame.x1,
              height: frame.y2 - frame.y1,
              words: drawnOnce(moved),
              ...(degrees !== 0 && { degrees }),
            },
            turn: (rule) => {
              const { x1, y1, x2, y2 } = turnedRule(rule, degrees);
              return { x1: x1 - frame.x1, y1: y1 - frame.y1, x2: x2 - frame.x1, y2: y2 - frame.y1 };
            },
          };
        }),
  };
}

function turnedRule({ x1, y1, x2, y2 }: Rule, degrees: number): Rule {
  const corners = [turn(x1, y1, degrees), turn(x2, y1, degrees), turn(x1, y2, degrees), turn(x2, y2, degrees)];
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return { x1: Math.min(...xs), y1: Math.min(...ys), x2: Math.max(...xs), y2: Math.max(...ys) };
}

/** Chinese characters and check boxes are words of their own, so that a line or a border may part them. */
const ALONE = /[\p{Script=Han}\u3000-\u30ff\uff01-\uff60]|^\[[ x]\]$/u;

/** How far below the top of a letter its baseline lies, in sizes. */
const BASELINE = 0.8;
/** The least space between two words, in sizes. */
const WORD_GAP = 0.15;

/** Leaves out words that are drawn again at their place, as programs do for a bold look or a shadow. */
function drawnOnce(words: readonly Word[]): Word[] {
  const before = new Map<string, Word[]>();
  return words.filter((word) => {
    const same = before.get(word.text);
    if (!same) before.set(word.text, [word]);
    const near = Math.min(0.2 * word.height, (0.8 * word.width) / word.text.length);
    if (same?.slice(-LATEST).some(({ x, y }) => Math.abs(x - word.x) < near && Math.abs(y - word.y) < near))
      return false;
    same?.push(word);
    return true;
  });
}

/** How many words of one text are compared. */
const LATEST = 100;

/** Returns an angle in whole degrees. Scans are turned by a degree or two, which is left out. */
export function nearDegrees(angle: number): number {
  const degrees = Math.round((angle * 180) / Math.PI);
  const straight = Math.round(degrees / 90) * 90;
  return (((Math.abs(degrees - straight) <= 5 ? straight : degrees) % 360) + 360) % 360;
}

function turn(x: number, y: number, degrees: number): [x: number, y: number] {
  if (degrees === 0) return [x, y];
  const angle = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return [x * cos + y * sin, y * cos - x * sin];
}
