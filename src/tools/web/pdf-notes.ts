import type { Comment, Rule } from "../../text/layout/words.js";

/** A form field, comment or mark on a page, as pdf.js reads it. */
export interface Annotation {
  subtype?: string;
  /** Left, bottom, right and top in the file's coordinates. */
  rect?: readonly number[];
  quadPoints?: ArrayLike<number> | null;
  annotationFlags?: number;
  hidden?: boolean;
  contentsObj?: { str?: string };
  titleObj?: { str?: string };
  fieldName?: string;
  fieldType?: string | null;
  fieldValue?: unknown;
  alternativeText?: string;
  checkBox?: boolean;
  radioButton?: boolean;
  pushButton?: boolean;
  password?: boolean;
  exportValue?: string;
  buttonValue?: string | null;
  options?: readonly { exportValue?: unknown; displayValue?: unknown }[];
}

/** Turns a rectangle of the file (left, bottom, right, top) into one on the page. */
export type ToPage = (rect: readonly number[]) => Rule;

/** Returns the comments of readers, and a line through the middle of each text that a reader struck out. */
export function notesOf(annotations: readonly Annotation[], toPage: ToPage): { comments: Comment[]; strikes: Rule[] } {
  const shown = annotations.filter(isShown);
  const strikes = shown
    .filter(({ subtype }) => subtype === "StrikeOut")
    .flatMap(({ quadPoints, rect = [] }) => quads(quadPoints, rect).map(toPage))
    .map(({ x1, x2, y1, y2 }) => ({ x1, x2, y1: (y1 + y2) / 2, y2: (y1 + y2) / 2 }));
  const comments = shown.flatMap(({ subtype = "", rect = [], contentsObj, titleObj }) => {
    const text = contentsObj?.str?.trim() ?? "";
    if (!COMMENTS.has(subtype) || text === "") return [];
    const { x1, y1, y2 } = toPage(rect);
    return [{ x: x1, y: (y1 + y2) / 2, author: titleObj?.str?.trim() ?? "", text }];
  });
  return { comments, strikes };
}

const COMMENTS = new Set(
  "Text FreeText Highlight Underline Squiggly StrikeOut Caret Ink Square Circle Line Polygon PolyLine Stamp FileAttachment".split(
    " ",
  ),
);

/** Flags of what is not shown on a screen. */
const HIDDEN = 2;
const NO_VIEW = 32;
export const isShown = ({ annotationFlags = 0, hidden }: Annotation) =>
  hidden !== true && (annotationFlags & (HIDDEN | NO_VIEW)) === 0;

function quads(points: ArrayLike<number> | null | undefined, rect: readonly number[]): (readonly number[])[] {
  const found: (readonly number[])[] = [];
  for (let i = 0; points && i + 7 < points.length; i += 8) {
    const [xs, ys] = [0, 1].map((d) => [0, 2, 4, 6].map((k) => points[i + k + d] ?? 0)) as [number[], number[]];
    found.push([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]);
  }
  return found.length > 0 ? found : [rect];
}
