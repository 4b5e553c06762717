import type { Rule } from "../../text/layout/words.js";

/** A small area, with its edges. */
export interface Shape extends Rule {
  /** True if it is only outlined, or white inside. */
  isOpen: boolean;
}

/** From the coordinates in which something is drawn to those of the page. */
export type Matrix = readonly [number, number, number, number, number, number];

interface Drawing {
  matrix: Matrix;
  /** The colour of areas, such as #ff0000. */
  fill: string;
}

/**
 * Returns the straight lines of a path, and the edges of the areas that it fills with another colour than white.
 * @param op the number of each operator by its name.
 * @param path its steps, as pdf.js writes them.
 */
export function rulesOf(op: Numbers, paint: number, path: ArrayLike<number>, now: Drawing): Rule[] {
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
      start = point(1);
      at = start;
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

export type Numbers = Readonly<Record<string, number>>;
const strokes = (op: Numbers) => [op.stroke, op.closeStroke, ...strokedFills(op)];
const strokedFills = (op: Numbers) => [op.fillStroke, op.eoFillStroke, op.closeFillStroke, op.closeEOFillStroke];
const fills = (op: Numbers) => [op.fill, op.eoFill];
const isWhite = (color: string) => /^#f{6}$/i.test(color);

/**
 * Returns a small path, which may be a check box or the mark in one.
 * @param bounds left, bottom, right and top of a path.
 */
export function shapeOf(op: Numbers, paint: number, bounds: ArrayLike<number> | null, now: Drawing): Shape | undefined {
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
export const MOST_RULES = 20_000;

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
