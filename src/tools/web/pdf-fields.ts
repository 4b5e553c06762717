import { inRows, type Row, right } from "../../text/layout/rows.js";
import type { Rule, Word } from "../../text/layout/words.js";
import { checkBox } from "../../text/marks.js";
import { type Annotation, isShown, type ToPage } from "./pdf-notes.js";

/** A form field that is shown. */
export interface Field {
  at: Rule;
  /** Its value, or the mark of a check box. Empty if it is not filled in. */
  text: string;
  /** What the form calls it, or empty. */
  name: string;
  isBox: boolean;
}

export const fieldsOf = (annotations: readonly Annotation[], toPage: ToPage): Field[] =>
  annotations.filter(isShown).flatMap((annotation): Field[] => {
    const { subtype, rect, fieldType, fieldValue, fieldName = "", alternativeText = "", options = [] } = annotation;
    if (subtype !== "Widget" || !rect || annotation.pushButton || annotation.password) return [];
    const at = toPage(rect);
    const name = inLine(alternativeText || nameIn(fieldName));
    if (annotation.checkBox || annotation.radioButton) {
      const value = annotation.checkBox ? annotation.exportValue : annotation.buttonValue;
      const isChecked = typeof value === "string" && value !== "Off" && fieldValue === value;
      const own = annotation.radioButton && value ? `${name}: ${value}` : name;
      return [{ at, name: own, text: checkBox(isChecked), isBox: true }];
    }
    if (fieldType !== "Tx" && fieldType !== "Ch") return [];
    const values = [fieldValue].flat().filter((value) => typeof value === "string");
    const shown = values.map(
      (value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value,
    );
    return [{ at, name, text: inLine(shown.join(", ")), isBox: false }];
  });

/** Returns the words of a field's name: "form1.page[0].cost_centre" is cost centre. */
const nameIn = (field: string) => (field.split(".").at(-1) ?? "").replace(/\[\d+\]$/, "").replaceAll("_", " ");
const inLine = (text: string) => text.replace(/\s+/g, " ").trim();

/**
 * Adds the values of form fields to the words of a page: beside the words that name them, or else where they stand, with
 * the name that the form gives them.
 */
export function withFields(words: readonly Word[], rules: readonly Rule[], fields: readonly Field[]): Word[] {
  const filled = fields.filter(({ text }) => text !== "");
  if (filled.length === 0) return [...words];
  const all = words.map((word) => ({ ...word }));
  const rows = inRows(all);
  const walls = rules.filter(({ x1, x2 }) => x2 - x1 < 1);
  const places = filled.map((field): Word => ({ ...placeOf(field, rows, walls, fields), shownAt: field.at }));
  return [...all, ...places];
}

function placeOf(field: Field, rows: readonly Row[], walls: readonly Rule[], fields: readonly Field[]): Word {
  const { at, text, name, isBox } = field;
  const line = { y1: at.y1, y2: Math.min(at.y2, at.y1 + TALLEST) };
  const middle = (line.y1 + line.y2) / 2;
  const isOnLine = ({ y, height }: Row) => y + height / 2 > line.y1 - 2 && y + height / 2 < line.y2 + 2;
  const away = ({ y, height }: Row) => Math.abs(y + height / 2 - middle);
  const [row] = rows.filter(isOnLine).sort((a, b) => away(a) - away(b));
  const before = row?.words.findLast((word) => right(word) <= at.x1 + 3);
  const after = row?.words.find(({ x }) => x >= at.x2 - 3);
  const [gapBefore, gapAfter] = [before ? at.x1 - right(before) : FAR, after ? after.x - at.x2 : FAR];
  const isFree = (from: number, to: number) =>
    !walls.some(
      ({ x1, y1, y2 }) => x1 > from && x1 < to - 1 && y1 < middle && y2 > middle && y2 - y1 > at.y2 - at.y1 + 2,
    ) && !fields.some(({ at: o }) => o !== at && o.x1 >= from - 1 && o.x2 <= to + 1 && o.y1 < middle && o.y2 > middle);
  const size = row?.height ?? Math.min(10, at.y2 - at.y1);
  const place = { x: at.x1, y: row?.y ?? middle - size / 2, height: size };
  const width = Math.min(text.length * size * 0.5, Math.max(at.x2 - at.x1, size));
  if (isBox && after && gapAfter < NEAR && gapAfter <= gapBefore && isFree(at.x2, after.x)) {
    const boxWidth = Math.min(size, at.x2 - at.x1);
    return { ...place, text, x: after.x - boxWidth - 0.3 * size, width: boxWidth };
  }
  if (before && gapBefore < FAR && isFree(right(before), at.x1)) {
    if (gapAfter > 1.5 * size) endName(before);
    return { ...place, text, x: right(before) + 0.3 * size, width };
  }
  const isInTable = walls.some(({ y1, y2 }) => y1 < middle && y2 > middle && y2 - y1 > at.y2 - at.y1 + 2);
  const above = isInTable || isBox ? undefined : labelAbove(rows, at);
  if (above) {
    endName(above);
    return { text, x: right(above) + 0.3 * above.height, y: above.y, height: above.height, width };
  }
  const named = isInTable || name === "" ? text : isBox ? `${text} ${name}` : `${name}: ${text}`;
  return { ...place, text: named, width: named === text ? width : named.length * size * 0.5 };
}

/** In points: the first line of a tall field, how far its name may stand from a field, and from a check box. */
const TALLEST = 24;
const FAR = 260;
const NEAR = 40;

/** Ends a name with a colon. */
function endName(word: Word): void {
  if (/[\p{L}\p{N})）]$/u.test(word.text)) word.text += /\p{Script=Han}/u.test(word.text) ? "：" : ":";
}

/** Returns the last word of a name that stands above a field. */
function labelAbove(rows: readonly Row[], { x1, y1, x2 }: Rule): Word | undefined {
  const row = rows.findLast(({ y, height }) => y + height / 2 < y1);
  if (!row || y1 - row.y > 2 * row.height || Math.abs((row.words[0]?.x ?? 0) - x1) > NEAR) return undefined;
  const last = row.words.at(-1);
  return last && last.x < x2 ? last : undefined;
}
