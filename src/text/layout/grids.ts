import { inRows, right } from "./rows.js";
import { hasHeader, type Table, wordsOf } from "./tables.js";
import type { Rule, Word } from "./words.js";

/** Returns the tables whose cells have borders, and the words outside of them. */
export function gridsIn(words: readonly Word[], rules: readonly Rule[]): { tables: Table[]; rest: Word[] } {
  const tables: Table[] = [];
  let rest = [...words];
  for (const grid of gridsOf(rules)) {
    const { xs, ys } = grid;
    const [left = 0, end = 0, top = 0, bottom = 0] = [xs[0], xs.at(-1), ys[0], ys.at(-1)];
    const isInside = (word: Word) => {
      const [x, y] = [word.x + word.width / 2, word.y + word.height / 2];
      return x > left && x < end && y > top && y < bottom;
    };
    const inside = rest.filter(isInside);
    const table = inside.length > 1 ? tableOf(grid, inside) : undefined;
    if (!table) continue;
    tables.push(table);
    const taken = new Set(inside);
    rest = rest.filter((word) => !taken.has(word));
  }
  return { tables, rest };
}

/** Lines that cross each other, and the places of their columns and rows. */
interface Grid {
  xs: number[];
  ys: number[];
  across: Rule[];
  down: Rule[];
}

function gridsOf(rules: readonly Rule[]): Grid[] {
  const across = merged(rules.filter(({ x1, x2, y1, y2 }) => y2 - y1 <= 1 && x2 - x1 > 4));
  const down = merged(rules.filter(({ x1, x2, y1, y2 }) => x2 - x1 <= 1 && y2 - y1 > 4).map(swapped)).map(swapped);
  if (across.length * down.length > MOST_CROSSINGS) return [];
  const parent = new Map<Rule, Rule>();
  const root = (rule: Rule): Rule => {
    let at = rule;
    for (let up = parent.get(at); up; up = parent.get(at)) at = up;
    return at;
  };
  for (const h of across)
    for (const v of down) {
      const isCrossing = v.x1 >= h.x1 - NEAR && v.x1 <= h.x2 + NEAR && h.y1 >= v.y1 - NEAR && h.y1 <= v.y2 + NEAR;
      const [a, b] = isCrossing ? [root(h), root(v)] : [h, h];
      if (a !== b) parent.set(a, b);
    }
  const groups = Map.groupBy([...across, ...down], root);
  return [...groups.values()].flatMap((group) => {
    const own = { across: group.filter(isAcross), down: group.filter((rule) => !isAcross(rule)) };
    const xs = places(
      own.down.map(({ x1 }) => x1),
      own.across.map(({ x1 }) => x1),
      own.across.map(({ x2 }) => x2),
    );
    const ys = places(
      own.across.map(({ y1 }) => y1),
      own.down.map(({ y1 }) => y1),
      own.down.map(({ y2 }) => y2),
    );
    return xs.length >= 3 && ys.length >= 3 && xs.length * ys.length <= MOST_CELLS ? [{ ...own, xs, ys }] : [];
  });
}

/** In points. */
const NEAR = 3;
const MOST_CROSSINGS = 4_000_000;
const MOST_CELLS = 20_000;

const isAcross = ({ x1, x2, y1, y2 }: Rule) => x2 - x1 > y2 - y1;
const swapped = ({ x1, y1, x2, y2 }: Rule): Rule => ({ x1: y1, y1: x1, x2: y2, y2: x2 });

/** Joins horizontal lines that continue or cover each other. */
function merged(rules: readonly Rule[]): Rule[] {
  const found: Rule[] = [];
  const levels: Rule[][] = [];
  for (const rule of [...rules].sort((a, b) => a.y1 - b.y1)) {
    const level = levels.at(-1);
    if (level?.[0] && rule.y1 - level[0].y1 <= 1.5) level.push(rule);
    else levels.push([rule]);
  }
  for (const level of levels) {
    let open: Rule | undefined;
    for (const { x1, x2, y1 } of level.sort((a, b) => a.x1 - b.x1))
      if (open && x1 <= open.x2 + NEAR) open.x2 = Math.max(open.x2, x2);
      else {
        open = { x1, x2, y1, y2: y1 };
        found.push(open);
      }
  }
  return found;
}

/** Returns where lines lie, and where those that cross them end beyond the last: a table may be open at its sides. */
function places(lines: readonly number[], starts: readonly number[], ends: readonly number[]): number[] {
  const found: number[] = [];
  for (const place of [...lines].sort((a, b) => a - b))
    if (place - (found.at(-1) ?? -NEAR * 2) > NEAR) found.push(place);
  const [first = 0, last = 0] = [Math.min(...starts), Math.max(...ends)];
  if (first < (found[0] ?? 0) - OPEN) found.unshift(first);
  if (last > (found.at(-1) ?? 0) + OPEN) found.push(last);
  return found;
}

/** The least width of a column that is open at the side of a table, in points. */
const OPEN = 12;

/** Adds the borders that a table leaves out between its rows: each of its lines is a row if all columns have a text there. */
function withRows(ys: readonly number[], xs: readonly number[], words: readonly Word[]): number[] {
  const added: number[] = [];
  for (const [r, top] of ys.entries()) {
    const bottom = ys[r + 1];
    if (bottom === undefined) break;
    const lines = inRows(words.filter(({ y, height }) => y + height / 2 > top && y + height / 2 < bottom));
    const cells = lines.map((line) =>
      xs.slice(0, -1).map((x, c) => line.words.filter((word) => isBetween(word, x, xs[c + 1] ?? x))),
    );
    const isFull = (cell: readonly Word[], c: number, next: readonly Word[]) =>
      next[0] !== undefined && (xs[c + 1] ?? 0) - Math.max(...cell.map(right)) < next[0].width + next[0].height;
    const isRow = (row: readonly Word[][]) =>
      row.filter((cell) => cell.length > 0).length > Math.max(1, 0.6 * row.length);
    const goesOn = cells.some(
      (row, i) =>
        i > 0 &&
        row.some((cell, c) => isFull(cells[i - 1]?.[c] ?? [], c, cell) && (cells[i - 1]?.[c] ?? []).length > 0),
    );
    if (lines.length < (ys.length <= 3 && r > 0 ? 2 : 3) || !cells.every(isRow) || goesOn) continue;
    added.push(...lines.slice(1).map(({ y }) => y - 1));
  }
  return [...ys, ...added].sort((a, b) => a - b);
}

const isBetween = ({ x, width }: Word, left: number, end: number) => x + width / 2 >= left && x + width / 2 < end;

function tableOf(grid: Grid, words: readonly Word[]): Table | undefined {
  const { xs, down } = grid;
  const ys = withRows(grid.ys, xs, words);
  const edge = { x1: xs[0] ?? 0, x2: xs.at(-1) ?? 0 };
  const added = ys.filter((y) => !grid.ys.includes(y)).map((y) => ({ ...edge, y1: y, y2: y }));
  const across = [...grid.across, ...added];
  const [columns, count] = [xs.length - 1, ys.length - 1];
  const middle = (places: readonly number[], i: number) => ((places[i] ?? 0) + (places[i + 1] ?? 0)) / 2;
  const isWall = (lines: readonly Rule[], at: number, mid: number) =>
    lines.some(({ x1, x2, y1, y2 }) =>
      lines === down
        ? Math.abs(x1 - at) <= NEAR && y1 <= mid && y2 >= mid
        : Math.abs(y1 - at) <= NEAR && x1 <= mid && x2 >= mid,
    );
  // Each cell belongs to the first cell, from the top left, that no line parts it from.
  const owner: number[][] = [];
  for (let r = 0; r < count; r++) {
    const row: number[] = [];
    owner.push(row);
    for (let c = 0; c < columns; c++) {
      const above = r > 0 && !isWall(across, ys[r] ?? 0, middle(xs, c)) ? owner[r - 1]?.[c] : undefined;
      const before = c > 0 && !isWall(down, xs[c] ?? 0, middle(ys, r)) ? row[c - 1] : undefined;
      row.push(above ?? before ?? r * columns + c);
    }
  }
  const contents = new Map<number, Word[]>();
  const indexOf = (places: readonly number[], at: number) => Math.max(0, places.findIndex((place) => place > at) - 1);
  for (const word of words) {
    const [r, c] = [indexOf(ys, word.y + word.height / 2), indexOf(xs, word.x + word.width / 2)];
    const cell = owner[r]?.[c] ?? 0;
    contents.set(cell, [...(contents.get(cell) ?? []), word]);
  }
  const texts = new Map([...contents].map(([cell, inside]) => [cell, wordsOf(inside)]));
  if (texts.size < 3) return undefined;
  // A merged cell is repeated in the rows below its first, as in all formats, and fills the columns beside its first.
  let rows = owner.map((row) => row.map((cell, c) => (cell % columns === c ? (texts.get(cell) ?? "") : "")));
  const box = {
    x: xs[0] ?? 0,
    y: ys[0] ?? 0,
    width: (xs.at(-1) ?? 0) - (xs[0] ?? 0),
    height: (ys.at(-1) ?? 0) - (ys[0] ?? 0),
  };
  // A first row of one cell is the title.
  const isTitle = count > 1 && new Set(owner[0]).size === 1;
  const title = isTitle ? (rows[0]?.[0] ?? "") : "";
  const top = isTitle ? 1 : 0;
  // Names over several columns are put before the names below them.
  const names = rows[top] ?? [];
  const owners = owner[top] ?? [];
  const isWide = owners.some((cell, c) => c > 0 && cell === owners[c - 1]);
  const below = owner[top + 1] ?? [];
  const isParted = owners.some((cell, c) => c > 0 && cell === owners[c - 1] && below[c] !== below[c - 1]);
  if (isWide && isParted && count > top + 2) {
    const second = rows[top + 1] ?? [];
    const head = names.map((_, c) => {
      const over = texts.get(owners[c] ?? -1) ?? "";
      return owners[c] === below[c] || over === second[c] ? over : `${over} ${second[c] ?? ""}`.trim();
    });
    rows = [head, ...rows.slice(top + 2)];
  } else rows = rows.slice(top);
  const used = names.map((_, c) => rows.some((row) => row[c] !== ""));
  rows = rows.map((row) => row.filter((_, c) => used[c])).filter((row) => row.some((cell) => cell !== ""));
  if (rows.length < 2 || used.filter(Boolean).length < 2) return undefined;
  // Where the first column is bold and the first row is not, the names stand in the column.
  const bold = (isIn: (r: number, c: number) => boolean) =>
    owner.every((row, r) =>
      row.every((cell, c) => !isIn(r, c) || (contents.get(cell) ?? []).every(({ isBold }) => isBold)),
    );
  const isNamedBySide = bold((_, c) => c === 0) && !bold((r) => r === top);
  return { ...box, title, rows, hasHeader: !isNamedBySide && hasHeader(rows, false, 2) };
}
