import type { Rule, Word } from "../../text/layout/words.js";
import { checkBox } from "../../text/marks.js";
import type { Shape } from "./pdf-paths.js";

/**
 * Adds check boxes that are drawn as lines: small squares on a line of text, checked if something is drawn or written in
 * them.
 * @param fields the places of form fields, which know whether they are checked.
 */
export function withDrawnBoxes(words: readonly Word[], shapes: readonly Shape[], fields: readonly Rule[]): Word[] {
  const isIn = (inner: Rule, { x1, x2, y1, y2 }: Rule) => {
    const [x, y] = [(inner.x1 + inner.x2) / 2, (inner.y1 + inner.y2) / 2];
    return x > x1 && x < x2 && y > y1 && y < y2;
  };
  const squares = shapes.filter(
    (shape) => isSquare(shape) && !fields.some((field) => isIn(shape, field) || isIn(field, shape)),
  );
  // A chart or a map has many.
  if (squares.length === 0 || squares.length > MOST) return [...words];
  const boxes: Shape[] = [];
  for (const square of squares) if (!boxes.some((box) => isIn(square, box))) boxes.push(square);
  const written = new Set<Word>();
  const found = boxes.flatMap((box): Word[] => {
    const inside = words.filter((word) => isIn(edges(word), box));
    if (inside.some(({ text }) => !/^[xX×✓✔✗✘•●]$/.test(text))) return [];
    const isMarked =
      inside.length > 0 || shapes.some((shape) => shape !== box && isIn(shape, box) && isSmaller(shape, box));
    const isOpen = shapes.some((shape) => shape.isOpen && isSquare(shape) && isIn(shape, box));
    if (!isMarked && !isOpen) return [];
    const middle = (box.y1 + box.y2) / 2;
    const beside = words
      .filter((word) => !inside.includes(word) && middle > word.y - 1 && middle < word.y + word.height + 1)
      .sort((a, b) => distance(a, box) - distance(b, box))[0];
    if (!beside || distance(beside, box) > FAR) return [];
    for (const word of inside) written.add(word);
    const { y, height } = beside;
    return [{ text: checkBox(isMarked), x: box.x1, y, width: box.x2 - box.x1, height }];
  });
  return [...words.filter((word) => !written.has(word)), ...found];
}

const MOST = 200;
/** In points. */
const FAR = 300;

const edges = ({ x, y, width, height }: Word): Rule => ({ x1: x, x2: x + width, y1: y, y2: y + height });
const isSquare = ({ x1, x2, y1, y2 }: Rule) => x2 - x1 >= 5.5 && Math.abs(x2 - x1 - (y2 - y1)) <= 0.15 * (x2 - x1);
const isSmaller = (a: Rule, b: Rule) => a.x2 - a.x1 < 0.85 * (b.x2 - b.x1) && a.y2 - a.y1 < 0.85 * (b.y2 - b.y1);
const distance = ({ x, width }: Word, { x1, x2 }: Rule) => Math.max(x - x2, x1 - x - width, 0);
