import { attacher } from "../citing/attach.js";
import type { Named } from "../citing/markers.js";
import { memoize } from "../text/memoize.js";
import { orders } from "../text/orders.js";
import { outlineOf } from "../text/outline.js";
import { coverage } from "../text/similarity.js";
import { strips } from "../text/strips.js";
import { contentTerms } from "../text/tokens.js";
import type { DraftClaim } from "../types/answer.js";
import type { Evidence, Span } from "../types/evidence.js";
import type { Task } from "../types/reasoners.js";

/** Finds quotes for a claim in the sources and parts that are named, or in all evidence if none are. */
export interface QuoteFinder {
  /** The quotes that share enough words with the claim; empty if nothing comes close. */
  find(claim: string, named?: readonly Named[]): DraftClaim["citations"];
  /**
   * A quote from each of the named places, for the checks to judge: those of `find`; else the named part, the sentence
   * that shares most words with the claim, or, in another language, the most relevant strip. Sources that do not exist
   * are left out.
   */
  findInEach(claim: string, named: readonly Named[]): DraftClaim["citations"];
}

/** Finds quotes by similarity, never in prompt injections. */
export function quoteFinder({ evidence }: Task): QuoteFinder {
  const finders = new Map<string, (claim: string) => DraftClaim["citations"]>();
  const find: QuoteFinder["find"] = (claim, named) => {
    const given = named?.filter(({ source }) => evidence[source - 1] !== undefined);
    if (given?.length === 0) return [];
    const key = given ? given.map(({ source, part }) => `${source}.${part ?? ""}`).join(" ") : "all";
    // Memoised, since a streamed reply is read again each time it grows.
    const finder =
      finders.get(key) ?? memoize(finderIn(evidence, given ?? evidence.map((_, i) => ({ source: i + 1 }))));
    finders.set(key, finder);
    return finder(claim);
  };
  return {
    find,
    findInEach(claim, named) {
      const found = find(claim, named);
      const known = new Set(found.map(({ evidenceId }) => evidenceId));
      const others = named.filter(({ source }) => !known.has(evidence[source - 1]?.id ?? ""));
      return unique([...found, ...others.flatMap((one) => nearestOf(claim, one))]);
    },
  };

  function nearestOf(claim: string, { source, part }: Named): DraftClaim["citations"] {
    const piece = evidence[source - 1];
    if (!piece) return [];
    const own = placesIn(piece, part);
    const best = part === undefined ? (nearestIn(piece, claim, own) ?? piece.strips.toSorted(byRelevance)[0]) : own[0];
    const place = own.find(({ start, end }) => !best || (start <= best.start && best.end <= end));
    if (!place) return [];
    return [{ evidenceId: piece.id, quote: piece.text.slice(best?.start ?? place.start, best?.end ?? place.end) }];
  }
}

interface SourceSpan extends Span {
  evidence: Evidence;
}

function finderIn(evidence: readonly Evidence[], wanted: readonly Named[]) {
  const places = wanted.flatMap(({ source, part }) => placesIn(evidence[source - 1], part));
  const find = attacher(
    places.map(({ evidence: { text, title, section }, start, end }, i) => ({
      id: `${i}`,
      text: text.slice(start, end),
      title: `${title} ${section}`,
    })),
  );
  return (claim: string): DraftClaim["citations"] =>
    unique(
      find(claim).flatMap(({ evidenceId, quote }) => {
        const place = places[Number(evidenceId)];
        return place ? [{ evidenceId: place.evidence.id, quote }] : [];
      }),
    );
}

/** Returns the sentence of these places that shares most words with a claim; undefined if none shares any. */
function nearestIn({ text }: Evidence, claim: string, places: readonly Span[]): Span | undefined {
  const wanted = contentTerms(claim);
  const sentences = outlineOf(text).filter(
    (unit) => unit.kind !== "heading" && places.some(({ start, end }) => start <= unit.start && unit.end <= end),
  );
  const shared = sentences.map((unit) => coverage(wanted, new Set(contentTerms(unit.text))));
  const most = Math.max(0, ...shared);
  return most > 0 ? sentences[shared.indexOf(most)] : undefined;
}

const byRelevance = (a: Evidence["strips"][number], b: Evidence["strips"][number]) => b.relevance - a.relevance;

/** Returns the spans of a piece that may be quoted: that of the named part, else the whole text. */
function placesIn(evidence: Evidence | undefined, part: number | undefined): SourceSpan[] {
  if (!evidence) return [];
  const span = part === undefined ? undefined : strips(evidence.text)[part - 1];
  const injected = orders(evidence.text);
  return without(span ?? { start: 0, end: evidence.text.length }, injected).map((one) => ({ ...one, evidence }));
}

function without(span: Span, holes: readonly Span[]): Span[] {
  const parts: Span[] = [];
  let { start } = span;
  for (const hole of holes) {
    if (hole.end <= start || hole.start >= span.end) continue;
    if (hole.start > start) parts.push({ start, end: hole.start });
    start = hole.end;
  }
  return start < span.end ? [...parts, { start, end: span.end }] : parts;
}

const unique = (citations: DraftClaim["citations"]) => [
  ...new Map(citations.map((citation) => [JSON.stringify(citation), citation])).values(),
];
