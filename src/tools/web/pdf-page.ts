import type { Page, Rule } from "../../text/layout/words.js";
import { type Matrix, MOST_RULES, type Numbers, rulesOf, type Shape, shapeOf } from "./pdf-paths.js";
import { shownAs } from "./pdf-symbols.js";
import { lettersOf, nearDegrees } from "./pdf-words.js";

/** What a page shows as drawn. */
export interface Drawn extends Omit<Page, "comments"> {
  rules: Rule[];
  /** Small areas that may be check boxes, or the marks in them. */
  shapes: Shape[];
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
  const letters = lettersOf(width, height);
  const texts = new Map<Font, Map<string, string>>();
  const textOf = (font: Font, character: string) => {
    const known = texts.get(font) ?? new Map<string, string>();
    texts.set(font, known);
    const text = known.get(character) ?? shownAs(font.name ?? "", character);
    known.set(character, text);
    return text;
  };
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
    now.lineX += x;
    now.lineY += y;
    now.x = now.lineX;
    now.y = now.lineY;
  };
  const startText = (matrix: Matrix) => {
    now.text = matrix;
    Object.assign(now, { x: 0, y: 0, lineX: 0, lineY: 0 });
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
        show(now, (args[0] ?? []) as readonly (Glyph | number)[], letters, textOf);
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
  const frames = letters.turned();
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
function show(
  now: State,
  glyphs: readonly (Glyph | number)[],
  letters: ReturnType<typeof lettersOf>,
  textOf: (font: Font, character: string) => string,
): void {
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
    letters.add(textOf(font, glyph.unicode), a * x + c * y + e, b * x + d * y + f, Math.abs(width) * scale, line);
    at += width + (isVertical ? -spacing * direction : spacing * direction);
  }
  if (isVertical) now.y -= at;
  else now.x += at * stretch;
}
