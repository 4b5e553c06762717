/** A rectangle around a line of text: its centre, its size along and across the text, and how far it is turned. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
  /** In radians, clockwise, from -π/4 to π/4. */
  angle: number;
}

/**
 * Finds the lines of text in a map of how likely each pixel is text (DB, arXiv 1911.08947), in the map's coordinates.
 * @param map row by row, from 0 to 1.
 */
export function boxesIn(map: Float32Array, width: number, height: number): Box[] {
  const left = Uint8Array.from(map, (likely) => (likely > TEXT ? 1 : 0));
  const boxes: Box[] = [];
  for (let start = 0; start < left.length && boxes.length < MOST; start++) {
    if (left[start] !== 1) continue;
    const tight = rectangleAround(edgesOf(left, width, start));
    if (Math.min(tight.width, tight.height) < THINNEST || meanIn(map, width, height, tight) < LEAST) continue;
    // The network marks the core of a line only.
    const margin = (GROWN * tight.width * tight.height) / (2 * (tight.width + tight.height));
    boxes.push({ ...tight, width: tight.width + 2 * margin, height: tight.height + 2 * margin });
  }
  return boxes;
}

const TEXT = 0.3;
/** The least mean likelihood within a box. */
const LEAST = 0.5;
/** In pixels. */
const THINNEST = 3;
const GROWN = 1.6;
const MOST = 3_000;

type Point = readonly [x: number, y: number];

/** Takes the pixels that are connected with a start out of the mask. Returns the middles of the first and last of each row. */
function edgesOf(mask: Uint8Array, width: number, start: number): Point[] {
  const rows = new Map<number, [first: number, last: number]>();
  const open = [start];
  mask[start] = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const x = at % width;
    const y = (at - x) / width;
    const row = rows.get(y);
    if (row) [row[0], row[1]] = [Math.min(row[0], x), Math.max(row[1], x)];
    else rows.set(y, [x, x]);
    for (let dy = -1; dy <= 1; dy++)
      for (let dx = Math.max(-1, -x); dx <= Math.min(1, width - 1 - x); dx++) {
        const next = at + dy * width + dx;
        if (mask[next] !== 1) continue;
        mask[next] = 0;
        open.push(next);
      }
  }
  return [...rows].flatMap(([y, [first, last]]): Point[] => [
    [first + 0.5, y + 0.5],
    [last + 0.5, y + 0.5],
  ]);
}

/** Returns the smallest rectangle around points: one of its sides lies on their hull. */
function rectangleAround(points: readonly Point[]): Box {
  const hull = hullOf(points);
  let best: Box | undefined;
  for (const [i, [x, y]] of hull.entries()) {
    const [nextX, nextY] = hull[(i + 1) % hull.length] ?? [x, y];
    const quarter = Math.PI / 2;
    const direction = Math.atan2(nextY - y, nextX - x);
    const angle = direction - Math.round(direction / quarter) * quarter;
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
    const along = rangeOf(hull.map(([px, py]) => px * cos + py * sin));
    const across = rangeOf(hull.map(([px, py]) => py * cos - px * sin));
    const [width, height] = [along.size, across.size];
    if (best && best.width * best.height <= width * height) continue;
    best = {
      x: along.middle * cos - across.middle * sin,
      y: along.middle * sin + across.middle * cos,
      width,
      height,
      angle,
    };
  }
  return best ?? { x: 0, y: 0, width: 0, height: 0, angle: 0 };
}

function rangeOf(values: readonly number[]): { middle: number; size: number } {
  const least = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  return { middle: (least + most) / 2, size: most - least };
}

/** The convex hull of points (monotone chain, Andrew 1979). */
function hullOf(points: readonly Point[]): Point[] {
  const sorted = points.toSorted(([ax, ay], [bx, by]) => ax - bx || ay - by);
  return [...halfHull(sorted), ...halfHull(sorted.toReversed())];
}

function halfHull(points: readonly Point[]): Point[] {
  const hull: Point[] = [];
  for (const point of points) {
    for (;;) {
      const [before, last] = [hull.at(-2), hull.at(-1)];
      if (!before || !last || turn(before, last, point) > 0) break;
      hull.pop();
    }
    hull.push(point);
  }
  return hull.slice(0, -1);
}

const turn = ([ax, ay]: Point, [bx, by]: Point, [cx, cy]: Point) => (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);

/** The mean of the map within a rectangle. */
function meanIn(map: Float32Array, width: number, height: number, box: Box): number {
  const [cos, sin] = [Math.cos(box.angle), Math.sin(box.angle)];
  const reachX = (box.width * Math.abs(cos) + box.height * Math.abs(sin)) / 2;
  const reachY = (box.width * Math.abs(sin) + box.height * Math.abs(cos)) / 2;
  let [sum, count] = [0, 0];
  for (let y = Math.max(0, Math.floor(box.y - reachY)); y < Math.min(height, box.y + reachY); y++)
    for (let x = Math.max(0, Math.floor(box.x - reachX)); x < Math.min(width, box.x + reachX); x++) {
      const [dx, dy] = [x + 0.5 - box.x, y + 0.5 - box.y];
      if (Math.abs(dx * cos + dy * sin) > box.width / 2 || Math.abs(dy * cos - dx * sin) > box.height / 2) continue;
      sum += map[y * width + x] ?? 0;
      count += 1;
    }
  return count === 0 ? 0 : sum / count;
}
