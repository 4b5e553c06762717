import type { Claim, Token } from "./claim.js";
import { distances, type Ground } from "./ground.js";

/**
 * Whether words that stand together in the claim stand together in the sources: in the same sentence, how near, in the
 * same order; and what a word that the sources lack has been put in the place of.
 */
export function orderSigns(claim: Claim, ground: Ground): Record<string, number> {
  const distance = distances(ground);
  const pairs = claim.clauses.flatMap((clause) => neighbours(clause, 1));
  const wide = claim.clauses.flatMap((clause) => neighbours(clause, 2));
  const known = pairs.filter(([a, b]) => ground.places.has(a.term) && ground.places.has(b.term));
  const reach = known.map(([a, b]) => distance(a.term, b.term));
  const wideReach = wide.map(([a, b]) => distance(a.term, b.term));
  const part = <T>(all: readonly T[], has: (one: T) => boolean) =>
    all.length === 0 ? 0 : all.filter(has).length / all.length;
  const placed = framesOf(claim, ground, distance);
  return {
    adjacent: part(reach, (by) => by === 1),
    near: part(reach, (by) => by !== undefined && Math.abs(by) <= 4),
    together: part(reach, (by) => by !== undefined),
    apart: reach.filter((by) => by === undefined).length,
    turned: part(reach, (by) => by !== undefined && by < 0 && by >= -4),
    allAdjacent: reach.filter((by) => by === 1).length / Math.max(1, pairs.length),
    allNear: reach.filter((by) => by !== undefined && Math.abs(by) <= 4).length / Math.max(1, pairs.length),
    wideNear: part(wideReach, (by) => by !== undefined && by > 0 && by <= 5),
    inserted: placed.inserted,
    substituted: placed.substituted,
    free: placed.free,
    longestRun: longestRun(claim, ground, distance) / Math.max(1, claim.tokens.length),
    breaks: breaks(claim, distance),
  };
}

type Distance = ReturnType<typeof distances>;

const neighbours = (clause: readonly Token[], by: number) =>
  clause.slice(by).flatMap((token, i): [Token, Token][] => {
    const before = clause[i];
    return before && before.term !== token.term ? [[before, token]] : [];
  });

/** Stretches of words that the sources lack: between two that stand side by side there, in others' place, or elsewhere. */
function framesOf({ tokens }: Claim, ground: Ground, distance: Distance) {
  const placed = { inserted: 0, substituted: 0, free: 0 };
  for (let i = 0; i < tokens.length; i++) {
    if (ground.places.has(tokens[i]?.term ?? "")) continue;
    const before = tokens[i - 1];
    const from = i;
    while (i + 1 < tokens.length && !ground.places.has(tokens[i + 1]?.term ?? "")) i += 1;
    const after = tokens[i + 1];
    const by = before && after && distance(before.term, after.term);
    if (by === 1) placed.inserted += 1;
    else if (by !== undefined && by > 1 && by <= i - from + 4) placed.substituted += 1;
    else placed.free += 1;
  }
  return placed;
}

/** How many terms in a row stand so in the sources. */
function longestRun({ tokens }: Claim, ground: Ground, distance: Distance): number {
  let best = 0;
  let run = 0;
  for (const [i, token] of tokens.entries()) {
    const before = tokens[i - 1];
    run = !ground.places.has(token.term)
      ? 0
      : before && run > 0 && distance(before.term, token.term) === 1
        ? run + 1
        : 1;
    best = Math.max(best, run);
  }
  return best;
}

/** How many stretches of neighbours the claim is patched together from, a stretch being terms that stand near each other in order. */
function breaks({ tokens }: Claim, distance: Distance): number {
  let count = 0;
  for (const [i, token] of tokens.slice(1).entries()) {
    const before = tokens[i];
    const by = before && distance(before.term, token.term);
    if (by === undefined || by < 1 || by > 3) count += 1;
  }
  return count / Math.max(1, tokens.length);
}
