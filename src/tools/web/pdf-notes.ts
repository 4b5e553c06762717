import { inRows, right } from "../../text/layout/rows.js";
import type { Comment, Rule, Word } from "../../text/layout/words.js";
import { checkBox } from "../../text/marks.js";

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

/** Turns a rectangle of the file into one on the page: left, top, right, bottom. */
export type ToPage = (rect: readonly number[]) => readonly [x1: number, y1: number, x2: number, y2: number];

/** Returns the comments of readers, and a line through the middle of each text that a reader struck out. */
export function notesOf(annotations: readonly Annotation[], toPage: ToPage): { comments: Comment[]; strikes: Rule[] } {
  const shown = annotations.filter(isShown);
  const strikes = shown
    .filter(({ subtype }) => subtype === "StrikeOut")
    .flatMap(({ quadPoints, rect = [] }) => quads(quadPoints, rect).map(toPage))
    .map(([x1, y1, x2, y2]) => ({ x1, x2, y1: (y1 + y2) / 2, y2: (y1 + y2) / 2 }));
  const comments = shown.flatMap(({ subtype = "", rect = [], contentsObj, titleObj }) => {
    const text = contentsObj?.str?.trim() ?? "";
    if (!COMMENTS.has(subtype) || text === "") return [];
    const [x, y1, , y2] = toPage(rect);
    return [{ x, y: (y1 + y2) / 2, author: titleObj?.str?.trim() ?? "", text }];
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
const isShown = ({ annotationFlags = 0, hidden }: Annotation) =>
  hidden !== true && (annotationFlags & (HIDDEN | NO_VIEW)) === 0;

function quads(points: ArrayLike<number> | null | undefined, rect: readonly number[]): (readonly number[])[] {
  const found: (readonly number[])[] = [];
  for (let i = 0; points && i + 7 < points.length; i += 8) {
    const [xs, ys] = [0, 1].map((d) => [0, 2, 4, 6].map((k) => points[i + k + d] ?? 0)) as [number[], number[]];
    found.push([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]);
  }
  return found.length > 0 ? found : [rect];
}

interface Field {
  /** Left, top, right and bottom on the page. */
  rect: readonly [number, number, number, number];
  text: string;
  name: string;
  isBox: boolean;
}

/**
 * Adds the values of form fields to the words of a page: beside the words that name them, or else where they stand, with
 * the name that the form gives them.
 */
export function withFields(
  words: readonly Word[],
  rules: readonly Rule[],
  annotations: readonly Annotation[],
  toPage: ToPage,
): Word[] {
  const fields = annotations.filter(isShown).flatMap((annotation) => fieldOf(annotation, toPage));
  if (fields.length === 0) return [...words];
  const rows = inRows(words);
  const all = words.map((word) => ({ ...word }));
  const named = new Map(words.map((word, i) => [word, all[i] as Word]));
  const added = fields.map(({ rect, text, name, isBox }): Word => {
    const [x1, y1, x2, y2] = rect;
    const firstLine = Math.min(y2, y1 + TALLEST);
    const row = rows
      .filter(({ y, height }) => y + height / 2 > y1 - 2 && y + height / 2 < firstLine + 2)
      .sort((a, b) => Math.abs(a.y + a.height / 2 - (y1 + firstLine) / 2) - Math.abs(b.y + b.height / 2 - (y1 + firstLine) / 2))[0];
    const isFree = (from: number, to: number, y: number) =>
      !rules.some((rule) => rule.x1 === rule.x2 && rule.x1 > from && rule.x1 < to - 1 && rule.y1 < y && rule.y2 > y && rule.y2 - rule.y1 > y2 - y1 + 2) &&
      !fields.some(({ rect: other }) => other !== rect && other[0] >= from - 1 && other[2] <= to + 1 && other[1] < y && other[3] > y);
    const before = row?.words.findLast((word) => right(word) <= x1 + 3);
    const after = row?.words.find(({ x }) => x >= x2 - 3);
    const [gapBefore, gapAfter] = [before ? x1 - right(before) : FAR, after ? after.x - x2 : FAR];
    const middle = (y1 + y2) / 2;
    const size = row?.height ?? Math.min(10, y2 - y1);
    const at = { x: x1, y: row?.y ?? (y1 + firstLine) / 2 - size / 2, height: size };
    const widthOf = (value: string) => Math.min(value.length * size * 0.5, Math.max(x2 - x1, size));
    if (isBox && after && gapAfter < 40 && gapAfter <= gapBefore && isFree(x2, after.x, middle)) {
      const width = Math.min(size, x2 - x1);
      return { ...at, text, x: after.x - width - 0.3 * size, width };
    }
    if (before && gapBefore < FAR && isFree(right(before), x1, middle)) {
      const label = named.get(before);
      const isName = label && gapAfter > 1.5 * size && /[\p{L}\p{N})）]$/u.test(label.text);
      if (label && isName) label.text += /\p{Script=Han}/u.test(label.text) ? "：" : ":";
      return { ...at, text, x: right(before) + 0.3 * size, width: widthOf(text) };
    }
    const isInTable = rules.some((rule) => rule.x1 === rule.x2 && rule.y2 - rule.y1 > y2 - y1 + 2 && rule.y1 < middle && rule.y2 > middle);
    const above = isInTable || isBox ? undefined : labelAbove(rows, rect);
    const value = above || isInTable || name === "" ? text : isBox ? `${text} ${name}` : `${name}: ${text}`;
    if (above) {
      const label = named.get(above);
      if (label && /[\p{L}\p{N})）]$/u.test(label.text)) label.text += /\p{Script=Han}/u.test(label.text) ? "：" : ":";
      return { text, x: right(above) + 0.3 * above.height, y: above.y, height: above.height, width: widthOf(text) };
    }
    return { ...at, text: value, width: widthOf(value) };
  });
  return [...all, ...added];
}

/** In points. */
const TALLEST = 24;
const FAR = 260;

/** Returns the last word of a name that stands above a field. */
function labelAbove(rows: ReturnType<typeof inRows>, [x1, y1, x2]: Field["rect"]): Word | undefined {
  const row = rows.findLast(({ y, height }) => y + height / 2 < y1);
  if (!row || y1 - row.y > 2 * row.height || Math.abs((row.words[0]?.x ?? 0) - x1) > 40) return undefined;
  const last = row.words.at(-1);
  return last && last.x < x2 ? last : undefined;
}

function fieldOf(annotation: Annotation, toPage: ToPage): Field[] {
  const { subtype, rect, fieldType, fieldValue, fieldName = "", alternativeText = "", options = [] } = annotation;
  if (subtype !== "Widget" || !rect || annotation.pushButton || annotation.password) return [];
  const name = (alternativeText || nameIn(fieldName)).replace(/\s+/g, " ").trim();
  const at = { rect: toPage(rect), name };
  if (annotation.checkBox || annotation.radioButton) {
    const value = annotation.checkBox ? annotation.exportValue : annotation.buttonValue;
    const isChecked = fieldValue !== undefined && fieldValue !== null && fieldValue !== "Off" && fieldValue === value;
    const own = annotation.radioButton && value ? `${name}: ${value}` : name;
    return [{ ...at, name: own, text: checkBox(isChecked), isBox: true }];
  }
  if (fieldType !== "Tx" && fieldType !== "Ch") return [];
  const values = (Array.isArray(fieldValue) ? fieldValue : [fieldValue]).filter((value) => typeof value === "string");
  const shown = values.map((value) => String(options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value));
  const text = shown.join(", ").replace(/\s+/g, " ").trim();
  return text === "" ? [] : [{ ...at, text, isBox: false }];
}

/** Returns the words of a field's name: "form1.page[0].cost_centre" is cost centre. */
const nameIn = (field: string) =>
  (field.split(".").at(-1) ?? "").replace(/\[\d+\]$/, "").replace(/_/g, " ");
