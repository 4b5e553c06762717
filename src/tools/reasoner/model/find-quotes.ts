import { attacher, type Citable } from "../../../citing/attach.js";
import type { Named } from "../../../citing/markers.js";
import { languageOf } from "../../../language/language.js";
import { orders } from "../../../language/orders.js";
import { strips } from "../../../language/sentences.js";
import type { DraftClaim } from "../../../types/answer.js";
import type { Evidence, Span } from "../../../types/evidence.js";
import type { Task } from "../port.js";
import { keptStrips } from "../strips.js";

/**
 * Finds by code the words that a claim rests on, in the sources and parts it names (those that exist), or in all
 * evidence where it names nothing. Only what an answer may rest on is quoted: kept strips, without what speaks to the
 * assistant. A claim in another language than its source shares no words with it: then the part that it names, or the
 * source's most relevant strip, is the quote, and the checks judge it. Where nothing is found in what was named, the quote
 * is empty, so that the checks can say so; a claim that names nothing that exists has no citation.
 */
export function quoteFinder(task: Task) {
  const finders = new Map<string, (claim: string) => DraftClaim["citations"]>();
  // A reply that grows is read again and again.
  const known = new Map<string, DraftClaim["citations"]>();
  return (claim: string, named?: readonly Named[]): DraftClaim["citations"] => {
    const given = named?.filter(({ source }) => task.evidence[source - 1] !== undefined);
    const key = given ? given.map(({ source, part }) => `${source}.${part ?? ""}`).join(" ") : "all";
    const find = finders.get(key) ?? finderIn(task, given);
    finders.set(key, find);
    const asked = `${key}\n${claim}`;
    const citations = known.get(asked) ?? find(claim);
    known.set(asked, citations);
    return citations;
  };
}

interface Place extends Span {
  evidence: Evidence;
}

function finderIn({ evidence }: Task, named: readonly Named[] | undefined) {
  const wanted = named ?? evidence.map((_, i): Named => ({ source: i + 1 }));
  const places = wanted.flatMap(({ source, part }) => placesIn(evidence[source - 1], part));
  const citables = places.map(
    ({ evidence: { text, title, section }, start, end }, i): Citable => ({
      id: `${i}`,
      text: text.slice(start, end),
      title: `${title} ${section}`,
    }),
  );
  const find = attacher(citables);
  const cited = (place: Place | undefined, quote: string) => (place ? [{ evidenceId: place.evidence.id, quote }] : []);

  return (claim: string): DraftClaim["citations"] => {
    const found = find(claim).flatMap(({ evidenceId, quote }) => cited(places[Number(evidenceId)], quote));
    if (found.length > 0 || !named) return unique(found);
    const foreign = named.flatMap(({ source, part }) => {
      const piece = evidence[source - 1];
      if (!piece || languageOf(piece.text) === languageOf(claim)) return [];
      const best = part === undefined ? mostRelevant(piece) : undefined;
      const place = placesIn(piece, part).find(({ start, end }) => !best || (start <= best.start && best.end <= end));
      return cited(place, piece.text.slice(best?.start ?? place?.start, best?.end ?? place?.end));
    });
    const first = evidence[(named[0]?.source ?? 0) - 1];
    return foreign.length === 0 && first ? [{ evidenceId: first.id, quote: "" }] : unique(foreign).slice(0, 2);
  };
}

/** The stretches of a piece that may be quoted: of one strip, where it is named and was kept, else of all kept strips. */
function placesIn(evidence: Evidence | undefined, part: number | undefined): Place[] {
  if (!evidence) return [];
  const kept = keptStrips(evidence);
  const strip = part === undefined ? undefined : strips(evidence.text)[part - 1];
  const named = strip && kept.some(({ start, end }) => start <= strip.start && strip.end <= end);
  const ordered = orders(evidence.text);
  return (named ? [strip] : kept).flatMap((span) => without(span, ordered)).map((span) => ({ ...span, evidence }));
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

const mostRelevant = ({ strips: graded }: Evidence) => graded.toSorted((a, b) => b.relevance - a.relevance)[0];

const unique = (citations: DraftClaim["citations"]) =>
  citations.filter(
    ({ evidenceId, quote }, i) =>
      citations.findIndex((other) => other.evidenceId === evidenceId && other.quote === quote) === i,
  );
