import type { Page, Rule, Word } from "../../text/layout/words.js";
import { symbol } from "./pdf-symbols.js";

/** What a page shows as drawn. */
export interface Drawn extends Omit<Page, "comments"> {
  rules: Rule[];
  /** Small areas that may be check boxes, or the marks in them. */
  shapes: Shape[];
}

/** A small area, with its edges. */
export interface Shape extends Rule {
  /** True if it is only outlined, or white inside. */
  isOpen: boolean;
}

/** The operators of a page, as pdf.js lists them. */
export interface Operators {
  fnArray: readonly number[];
  argsArray: readonly unknown[];
}

export interface Font {
  name?: string;
  vertical?: boolean;
  bold?: boolean;
  black?: boolean;
  isType3Font?: boolean;
  fontMatrix?: readonly number[];
  defaultVMetrics?: readonly number[];
}

interface Glyph {
  unicode: string;
  /** In thousandths of the size of the letters, or in the units of a font that is drawn (type 3). */
  width: number;
  isSpace: boolean;
  vmetric?: readonly number[] | null;
}

type Matrix = readonly [number, number, number, number, number, number];

/** The part of a graphics state that places text and lines. */
interface State {
  matrix: Matrix;
  font: Font;
  size: number;
  letterSpacing: number;
  wordSpacing: number;
  stretch: number;
  leading: number;
  rise: number;
  text: Matrix;
  x: number;
  y: number;
  lineX: number;
  lineY: number;
  fill: string;
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/**
 * Places the words and lines that a page draws. Leaves out text outside of the page, and text smaller than a thousandth
 * of its height, which nobody sees.
 * @param view from the file's coordinates to those of the page as it is shown, whose origin is at the top left.
 * @param op the number of each operator by its name.
 */
export function placed(
  { fnArray, argsArray }: Operators,
  op: Numbers,
  fontOf: (name: string) => Font,
  { view, width, height }: { view: Matrix; width: number; height: number },
): Drawn {
  const names = Object.entries(op).reduce<string[]>((all, [name, number]) => {
    all[number] = name;
    return all;
  }, []);
  const words = new Placing(width, height);
  const rules: Rule[] = [];
  const shapes: Shape[] = [];
  const stack: State[] = [];
  let now: State = {
    matrix: view,
    font: {},
    size: 0,
    letterSpacing: 0,
    wordSpacing: 0,
    stretch: 1,
    leading: 0,
    rise: 0,
    text: IDENTITY,
    x: 0,
    y: 0,
    lineX: 0,
    lineY: 0,
    fill: "",
  };
  const move = (x: number, y: number) => {
    now.x = now.lineX += x;
    now.y = now.lineY += y;
  };
  const startText = (matrix: Matrix) => {
    now.text = matrix;
    now.x = now.y = now.lineX = now.lineY = 0;
  };
  for (const [i, fn] of fnArray.entries()) {
    const given = argsArray[i];
    const args: readonly unknown[] = Array.isArray(given) ? given : [];
    const [first, second] = args as [number, number];
    switch (names[fn]) {
      case "save":
      case "beginGroup":
        stack.push({ ...now });
        break;
      case "restore":
      case "endGroup":
      case "paintFormXObjectEnd":
        now = stack.pop() ?? now;
        break;
      case "paintFormXObjectBegin":
        stack.push({ ...now });
        if (first) now.matrix = times(first as unknown as Matrix, now.matrix);
        break;
      case "transform":
        now.matrix = times(args as unknown as Matrix, now.matrix);
        break;
      case "beginText":
        startText(IDENTITY);
        break;
      case "setFont":
        now.font = fontOf(String(first));
        now.size = second;
        break;
      case "setGState":
        for (const [key, value] of (args[0] ?? []) as [string, [string, number]][])
          if (key === "Font") {
            now.font = fontOf(value[0]);
            now.size = value[1];
          }
        break;
      case "setCharSpacing":
        now.letterSpacing = first;
        break;
      case "setWordSpacing":
        now.wordSpacing = first;
        break;
      case "setHScale":
        now.stretch = first / 100;
        break;
      case "setLeading":
        now.leading = -first;
        break;
      case "setTextRise":
        now.rise = first;
        break;
      case "setTextMatrix":
        startText((args[0] ?? IDENTITY) as Matrix);
        break;
      case "setLeadingMoveText":
        now.leading = second;
        move(first, second);
        break;
      case "moveText":
        move(first, second);
        break;
      case "nextLine":
        move(0, now.leading);
        break;
      case "showText":
        show(now, (args[0] ?? []) as readonly (Glyph | number)[], words);
        break;
      case "setFillRGBColor":
        now.fill = String(first);
        break;
      case "constructPath":
        {
          const path = (args[1] as [ArrayLike<number> | null] | null)?.[0] ?? [];
          rules.push(...rulesOf(op, first, path, now));
          const shape = shapeOf(op, first, args[2] as ArrayLike<number> | null, now);
          if (shape && shapes.length < MOST_RULES) shapes.push(shape);
        }
        break;
      default:
    }
  }
  const frames = words.turned();
  const [main] = frames;
  if (!main) return { width, height, words: [], rules: [], shapes: [] };
  const [turnedRules, turnedShapes] = [
    rules.map((rule) => main.turn(rule)),
    shapes.map((shape) => ({ ...shape, ...main.turn(shape) })),
  ];
  return { ...main.page, rules: turnedRules, shapes: turnedShapes, turned: frames.slice(1).map(({ page }) => page) };
}

function times(a: Matrix, b: Matrix): Matrix {
  return [
    a[0] * b[0] + a[1] * b[2],
    a[0] * b[1] + a[1] * b[3],
    a[2] * b[0] + a[3] * b[2],
    a[2] * b[1] + a[3] * b[3],
    a[4] * b[0] + a[5] * b[2] + b[4],
    a[4] * b[1] + a[5] * b[3] + b[5],
  ];
}

/** Adds the letters of an operator to the words, and moves to their end. */
function show(now: State, glyphs: readonly (Glyph | number)[], words: Placing): void {
  const { font, wordSpacing, letterSpacing, rise } = now;
  const isVertical = font.vertical === true;
  const direction = now.size < 0 ? -1 : 1;
  const size = Math.abs(now.size);
  const stretch = now.stretch * direction;
  const unit = (font.fontMatrix?.[0] || 0.001) * size;
  const matrix = times(now.text, now.matrix);
  const [a, b, c, d, e, f] = matrix;
  const along = isVertical ? [-c, -d] : [a * stretch, b * stretch];
  const height = size * (isVertical ? Math.hypot(a, b) : Math.hypot(c, d));
  const isBold = font.bold === true || font.black === true || /bold|black|heavy/i.test(font.name ?? "");
  const [dx = 0, dy = 0] = along;
  const line = { degrees: nearDegrees(Math.atan2(dy, dx)), height, isVertical, isBold };
  const scale = Math.hypot(dx, dy);
  let at = 0;
  for (const glyph of glyphs) {
    if (typeof glyph === "number") {
      at += ((isVertical ? 1 : -1) * glyph * size) / 1000;
      continue;
    }
    const spacing = (glyph.isSpace ? wordSpacing : 0) + letterSpacing;
    const vertical = isVertical ? (glyph.vmetric ?? font.defaultVMetrics) : undefined;
    const width = vertical ? -(vertical[0] ?? -1000) * unit : glyph.width * unit;
    const [x, y] = isVertical ? [now.x, now.y - at] : [now.x + at * stretch, now.y + rise];
    words.add(words.textOf(font, glyph.unicode), a * x + c * y + e, b * x + d * y + f, Math.abs(width) * scale, line);
    at += width + (isVertical ? -spacing * direction : spacing * direction);
  }
  if (isVertical) now.y -= at;
  else now.x += at * stretch;
}

/** What the letters of an operator share. */
interface LetterLine {
  /** Its direction, clockwise. */
  degrees: number;
  height: number;
  isVertical: boolean;
  isBold: boolean;
}

/** Joins letters to words, for each direction in a frame of its own. */
class Placing {
  readonly #frames = new Map<number, { words: Word[]; length: number }>();
  readonly #texts = new Map<Font, Map<string, string>>();
  #open: { degrees: number; word: Word } | undefined;
  constructor(
    readonly width: number,
    readonly height: number,
  ) {}

  /** Returns a character of a font as text. Empty for what is not shown. */
  textOf(font: Font, character: string): string {
    let known = this.#texts.get(font);
    if (!known) this.#texts.set(font, (known = new Map()));
    let text = known.get(character);
    if (text === undefined) {
      text = symbol(font.name ?? "", character)
        .replace(COMPATIBLE, (each) => UPRIGHT.get(each) ?? each.normalize("NFKC"))
        .replace("\u00ad", "-")
        .replace(UNSHOWN, "")
        .trim();
      known.set(character, text);
    }
    return text;
  }

  /**
   * @param pageX where the letter begins on its baseline; in vertical text, on the middle of its column.
   * @param length how far it goes along its line.
   */
  add(text: string, pageX: number, pageY: number, length: number, line: LetterLine): void {
    const { degrees, height, isVertical, isBold } = line;
    if (text === "" || !this.#isSeen(pageX, pageY, length, degrees, height)) {
      this.#open = undefined;
      return;
    }
    const [x, baseline] = turn(pageX, pageY, degrees);
    const y = isVertical ? baseline - height / 2 : baseline - BASELINE * height;
    let frame = this.#frames.get(degrees);
    if (!frame) this.#frames.set(degrees, (frame = { words: [], length: 0 }));
    frame.length += text.length;
    const { word } = this.#open?.degrees === degrees ? this.#open : {};
    const gap = word ? x - (word.x + word.width) : 0;
    const goesOn =
      word !== undefined &&
      gap < WORD_GAP * height &&
      gap > -0.3 * height &&
      Math.abs(word.height - height) < 0.02 * height &&
      Math.abs(word.y - y) < 0.05 * height &&
      word.isBold === isBold &&
      !ALONE.test(text) &&
      !ALONE.test(word.text);
    if (goesOn) {
      word.text += text;
      word.width = x + length - word.x;
    } else {
      const begun = { text, x, y, width: length, height, isBold };
      frame.words.push(begun);
      this.#open = { degrees, word: begun };
    }
  }

  #isSeen(x: number, y: number, length: number, degrees: number, height: number): boolean {
    const angle = (degrees * Math.PI) / 180;
    const [endX, endY] = [x + length * Math.cos(angle), y + length * Math.sin(angle)];
    return (
      Math.max(x, endX) >= 0 &&
      Math.min(x, endX) <= this.width &&
      Math.max(y, endY) >= 0 &&
      Math.min(y, endY) - height <= this.height &&
      height * 1_000 >= this.height
    );
  }

  /** Returns the page turned to each direction that it has words in, the one with most letters first. */
  turned(): { page: Page; turn: (rule: Rule) => Rule }[] {
    const all = [...this.#frames].sort(([, a], [, b]) => b.length - a.length);
    return all.map(([degrees, { words }]) => {
      const corners = [
        [0, 0],
        [this.width, 0],
        [0, this.height],
        [this.width, this.height],
      ].map(([x = 0, y = 0]) => turn(x, y, degrees));
      const [left, top] = [Math.min(...corners.map(([x]) => x)), Math.min(...corners.map(([, y]) => y))];
      const [width, height] = [
        Math.max(...corners.map(([x]) => x)) - left,
        Math.max(...corners.map(([, y]) => y)) - top,
      ];
      for (const word of words) {
        word.x -= left;
        word.y -= top;
      }
      const turnRule = ({ x1, y1, x2, y2 }: Rule) => {
        const [[ax, ay], [bx, by]] = [turn(x1, y1, degrees), turn(x2, y2, degrees)];
        return {
          x1: Math.min(ax, bx) - left,
          y1: Math.min(ay, by) - top,
          x2: Math.max(ax, bx) - left,
          y2: Math.max(ay, by) - top,
        };
      };
      return { page: { width, height, words: drawnOnce(words) }, turn: turnRule };
    });
  }
}

/**
 * Forms of characters that stand for others: ligatures, wide spaces, radicals in place of Chinese characters, and the
 * punctuation of vertical text.
 */
const COMPATIBLE =
  /[\u00a0\u2000-\u200a\u202f\u2f00-\u2fd5\ufb00-\ufb06\ufb1d-\ufdff\ufe10-\ufe19\ufe30-\ufe44\ufe70-\ufefc]/gu;
const UPRIGHT = new Map([..."︐︑︒︓︔︕︖"].map((mark, i) => [mark, "，、。：；！？"[i] ?? mark]));
// biome-ignore lint/suspicious/noControlCharactersInRegex: fonts without a map give such characters.
const UNSHOWN = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\ufffe\uffff]/gu;

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

/** Scans are turned by a degree or two, which stays as it is. */
function nearDegrees(angle: number): number {
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

/** Returns the straight lines of a path, and the edges of the areas that it fills with another colour than white. */
function rulesOf(op: Numbers, paint: number, path: ArrayLike<number>, now: State): Rule[] {
  const isLine = strokes(op).includes(paint);
  if (!isLine && (!fills(op).includes(paint) || isWhite(now.fill))) return [];
  const found: Rule[] = [];
  const [a, b, c, d, e, f] = now.matrix;
  let start: [number, number] = [0, 0];
  let at = start;
  let corners: [number, number][] = [];
  const end = () => {
    if (!isLine) found.push(...edgesOf(corners));
    corners = [];
  };
  const lineTo = (to: [number, number]) => {
    if (isLine) found.push(...straight(at, to));
    at = to;
    corners.push(to);
  };
  for (let i = 0; i < path.length && found.length < MOST_RULES; ) {
    const kind = path[i] ?? CLOSE;
    const point = (offset: number): [number, number] => {
      const [x, y] = [path[i + offset] ?? 0, path[i + offset + 1] ?? 0];
      return [a * x + c * y + e, b * x + d * y + f];
    };
    if (kind === MOVE) {
      end();
      at = start = point(1);
      corners = [at];
      i += 3;
    } else if (kind === LINE) {
      lineTo(point(1));
      i += 3;
    } else if (kind === CURVE || kind === QUADRATIC) {
      const length = kind === CURVE ? 7 : 5;
      at = point(length - 2);
      corners.push(at);
      i += length;
    } else {
      lineTo(start);
      i += 1;
    }
  }
  end();
  return found;
}

type Numbers = Readonly<Record<string, number>>;
const strokes = (op: Numbers) => [op.stroke, op.closeStroke, ...strokedFills(op)];
const strokedFills = (op: Numbers) => [op.fillStroke, op.eoFillStroke, op.closeFillStroke, op.closeEOFillStroke];
const fills = (op: Numbers) => [op.fill, op.eoFill];
const isWhite = (color: string) => /^#f{6}$/i.test(color);

/** @param bounds left, bottom, right and top of a path. */
function shapeOf(op: Numbers, paint: number, bounds: ArrayLike<number> | null, now: State): Shape | undefined {
  const isOutlined = strokes(op).includes(paint);
  const isPainted = fills(op).includes(paint) || strokedFills(op).includes(paint);
  if (!bounds || (!isOutlined && !isPainted)) return undefined;
  const [a, b, c, d, e, f] = now.matrix;
  const [left = 0, bottom = 0, end = 0, top = 0] = Array.from(bounds);
  const [xs, ys] = [
    [a * left + c * bottom + e, a * end + c * top + e],
    [b * left + d * bottom + f, b * end + d * top + f],
  ];
  const [x1, x2, y1, y2] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  if (Math.max(x2 - x1, y2 - y1) > LARGEST_SHAPE || Math.min(x2 - x1, y2 - y1) < 2) return undefined;
  return { x1, x2, y1, y2, isOpen: isOutlined ? !isPainted || isWhite(now.fill) : isWhite(now.fill) };
}

/** In points. */
const LARGEST_SHAPE = 18;

// How pdf.js writes the steps of a path.
const MOVE = 0;
const LINE = 1;
const CURVE = 2;
const QUADRATIC = 3;
const CLOSE = 4;

/** In a path. */
const MOST_RULES = 20_000;

function straight([x1, y1]: [number, number], [x2, y2]: [number, number]): Rule[] {
  if (Math.min(Math.abs(x1 - x2), Math.abs(y1 - y2)) > 1) return [];
  return [{ x1: Math.min(x1, x2), y1: Math.min(y1, y2), x2: Math.max(x1, x2), y2: Math.max(y1, y2) }];
}

/** Returns a thin area as a line, and the edges of a larger one. */
function edgesOf(corners: readonly [number, number][]): Rule[] {
  if (corners.length < 4 || corners.length > 12) return [];
  const xs = corners.map(([x]) => x);
  const ys = corners.map(([, y]) => y);
  const [x1, x2, y1, y2] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const isBox = corners.every(([x, y]) => (near(x, x1) || near(x, x2)) && (near(y, y1) || near(y, y2)));
  if (!isBox) return [];
  if (y2 - y1 <= THIN) return [{ x1, x2, y1: (y1 + y2) / 2, y2: (y1 + y2) / 2 }];
  if (x2 - x1 <= THIN) return [{ y1, y2, x1: (x1 + x2) / 2, x2: (x1 + x2) / 2 }];
  return [
    { x1, x2, y1, y2: y1 },
    { x1, x2, y1: y2, y2 },
    { x1, x2: x1, y1, y2 },
    { x1: x2, x2, y1, y2 },
  ];
}

const near = (a: number, b: number) => Math.abs(a - b) < 0.5;
/** In points. */
const THIN = 3;
