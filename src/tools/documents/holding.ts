import type { Period } from "./asked-time.js";
import type { DocumentHead, DocumentQuery, Documents, ScoredPassage } from "./port.js";
import { holdsIn, type Validity, validityOf } from "./validity.js";

/** A passage with the time in which its document holds, if that is known. */
export type DatedPassage = ScoredPassage & { validity?: Validity | undefined };

/**
 * Searches as `documents.search` does, among the documents that hold on a day of one of these periods. What does not hold is
 * returned apart: `leftOut` would have been found in its place.
 * @param options.today an ISO date.
 * @throws as `documents.search`.
 */
export async function searchHolding(
  documents: Pick<Documents, "search" | "heads">,
  query: DocumentQuery,
  limit: number,
  { periods, today, signal }: { periods: readonly Period[]; today: string; signal?: AbortSignal },
): Promise<{ found: DatedPassage[]; leftOut: DatedPassage[] }> {
  const heads = await documents.heads?.();
  for (let wanted = limit; ; wanted = Math.min(MOST_FOUND, 4 * wanted)) {
    const all = await documents.search(query, wanted, signal && { signal });
    const known = validityAmong(heads ?? all);
    const dated = all.map((passage) => ({ ...passage, validity: known.get(passage.documentId) }));
    const found = dated.filter(({ validity }) => holdsIn(periods, validity, today)).slice(0, limit);
    if (found.length < limit && all.length === wanted && wanted < MOST_FOUND) continue;
    return { found, leftOut: dated.slice(0, limit).filter((passage) => !found.includes(passage)) };
  }
}

/** Returns a function that tells of a document, by its id, if it holds on a day of one of these periods. */
export async function holdingIn(
  documents: Pick<Documents, "heads">,
  { periods, today }: { periods: readonly Period[]; today: string },
): Promise<(documentId: string) => boolean> {
  const known = validityAmong((await documents.heads?.()) ?? []);
  return (id) => holdsIn(periods, known.get(id), today);
}

/** A search returns no more. */
const MOST_FOUND = 200;

/** Works it out once as long as the store returns the same heads. */
function validityAmong(heads: readonly DocumentHead[]): ReadonlyMap<string, Validity> {
  const known = worked.get(heads) ?? validityOf(heads);
  worked.set(heads, known);
  return known;
}

const worked = new WeakMap<readonly DocumentHead[], ReadonlyMap<string, Validity>>();
