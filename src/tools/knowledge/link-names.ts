import { misspelling } from "./misspelling.js";
import { namesIn, normaliseName, possibleKeys } from "./names.js";
import type { TripleReader } from "./triples.js";

/**
 * The keys of what is named: entities as they are called, or where nothing is called so the nearest misspelling, and
 * whatever names stand in the question. At most 16.
 */
export async function linkNames(
  reader: TripleReader,
  entities: readonly string[],
  question: string,
): Promise<string[]> {
  const wanted = [...new Set(entities.map(normaliseName))].filter((key) => key !== "").slice(0, MOST);
  const possible = possibleKeys(question);
  const known = new Set(await reader.known([...new Set([...wanted, ...possible])]));
  const meant = await Promise.all(
    wanted.map(async (key) => (known.has(key) ? [key] : nearest(key, await reader.near(key)))),
  );
  const named = namesIn(
    question,
    possible.filter((key) => known.has(key)),
  );
  return [...new Set([...meant.flat(), ...named])].slice(0, MOST);
}

const MOST = 16;

/** The keys with the fewest slips; more than a few are as good as none. */
function nearest(typed: string, keys: readonly string[]): string[] {
  const slips = [...new Set(keys)].map((key) => ({ key, slips: misspelling(typed, key) ?? Number.POSITIVE_INFINITY }));
  const fewest = Math.min(...slips.map((one) => one.slips));
  if (!Number.isFinite(fewest)) return [];
  const best = slips.filter((one) => one.slips === fewest).map(({ key }) => key);
  return best.sort().slice(0, ALIKE);
}

const ALIKE = 3;
