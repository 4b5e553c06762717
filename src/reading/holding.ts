import type { DocumentHead, DocumentQuery, Documents, ScoredPassage } from "../tools/documents/port.js";
import type { Period } from "./asked-time.js";
import { holdsIn, type Validity, validityOf } from "./validity.js";

/** A passage, and when its document is valid, if known. */
export type DatedPassage = ScoredPassage & { validity?: Validity | undefined };

/**
 * Searches only the documents that hold on some day of these periods. `leftOut` has the passages that a search of all
 * documents would have returned instead.
 * @param options.today an ISO date.
 * @throws what `documents.search` throws.
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

/** Returns a function that takes a document's id and tells whether it holds on some day of these periods. */
export async function holdingIn(
  documents: Pick<Documents, "heads">,
  { periods, today }: { periods: readonly Period[]; today: string },
): Promise<(documentId: string) => boolean> {
  const known = validityAmong((await documents.heads?.()) ?? []);
  return (id) => holdsIn(periods, known.get(id), today);
}

/** Returns the documents that held before this day and no longer do, those without a successor first. */
export async function expiredAt(
  documents: Pick<Documents, "heads">,
  today: string,
): Promise<{ document: string; until: string; successor: string }[]> {
  const known = validityAmong((await documents.heads?.()) ?? []);
  const periods = [{ from: today, until: "9999-12-31" }];
  return [...known]
    .filter(([, validity]) => !holdsIn(periods, validity, today))
    .map(([document, { until, successor }]) => ({ document, until, successor }))
    .toSorted((a, b) => Number(a.successor !== "") - Number(b.successor !== "") || compare(a.document, b.document));
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));

/** In passages: the largest limit of a search. */
const MOST_FOUND = 200;

/** Computes the validity once for each array of heads, which a store returns again until it changes. */
function validityAmong(heads: readonly DocumentHead[]): ReadonlyMap<string, Validity> {
  const known = worked.get(heads) ?? validityOf(heads);
  worked.set(heads, known);
  return known;
}

const worked = new WeakMap<readonly DocumentHead[], ReadonlyMap<string, Validity>>();
