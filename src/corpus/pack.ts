/** Something that passages are put together from, and that is never cut. */
export interface Piece {
  /** Tokens. */
  size: number;
  /** How bad it is to begin a passage here: 0 at a new block, 0.1 inside a paragraph, 1 inside a sentence. */
  cost: number;
  /** Tokens repeated in front when a passage begins here: the head of a table. */
  head?: number;
}

/** A passage has at most this many tokens, unless one piece alone has more. */
export const LARGEST = 400;
/** Below this a passage says too little on its own, and may join a neighbour of its kind. */
export const SMALL = 200;
const IDEAL = 300;

/**
 * Cuts a row of pieces into passages, as [from, to) indices: of all ways the one whose passages are nearest to 300
 * tokens for the least cost of cutting.
 */
export function pack(pieces: readonly Piece[]): [number, number][] {
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }];
  for (let to = 1; to <= pieces.length; to++) {
    let chosen = { cost: Number.POSITIVE_INFINITY, from: to - 1 };
    let size = 0;
    for (let from = to - 1; from >= 0; from--) {
      const piece = pieces[from];
      const before = best[from];
      if (!piece || !before) break;
      size += Math.max(1, piece.size);
      const whole = size + (piece.head ?? 0);
      if (whole > LARGEST && from < to - 1) break;
      const cost = before.cost + (from === 0 ? 0 : piece.cost) + ((whole - IDEAL) / IDEAL) ** 2;
      if (cost < chosen.cost) chosen = { cost, from };
    }
    best.push(chosen);
  }
  const cuts: [number, number][] = [];
  for (let to = pieces.length; to > 0; ) {
    const from = best[to]?.from ?? 0;
    cuts.push([from, to]);
    to = from;
  }
  return cuts.reverse();
}
