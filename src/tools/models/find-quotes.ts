import { attacher } from "../../citing/attach.js";
import type { Named } from "../../citing/markers.js";
import { languageOf } from "../../text/language.js";
import { memoize } from "../../text/memoize.js";
import { orders } from "../../text/orders.js";
import { isKept, keptStrips, strips } from "../../text/strips.js";
import type { DraftClaim } from "../../types/answer.js";
import type { Evidence, Span } from "../../types/evidence.js";
import type { Task } from "./port.js";

/**
 * Finds the quotes that support a claim by similarity: in the sources and parts that it names, or in all evidence if
 * none are given. Only kept strips are quoted, without prompt injections. A claim in a different language from its
 * source shares no words with it. Its quote is the named part, or else the source's most relevant strip, for the checks
 * to judge. If nothing is found in the named places, the quote is empty, so that the checks can report it. A claim that
 * names only sources that do not exist gets no citation.
 */
export function quoteFinder(task: Task) {
  const finders = new Map<string, (claim: string) => DraftClaim["citations"]>();
  return (claim: string, named?: readonly Named[]): DraftClaim["citations"] => {
    const given = named?.filter(({ source }) => task.evidence[source - 1] !== undefined);
    const key = given ? given.map(({ source, part }) => `${source}.${part ?? ""}`).join(" ") : "all";
    // Memoised, since a streamed reply is read again each time it grows.
    const find = finders.get(key) ?? memoize(finderIn(task, given));
    finders.set(key, find);
    return find(claim);
  };
}

interface SourceSpan extends Span {
  evidence: Evidence;
}

function finderIn({ evidence }: Task, named: readonly Named[] | undefined) {
  const wanted = named ?? evidence.map((_, i): Named => ({ source: i + 1 }));
  const places = wanted.flatMap(({ source, part }) => placesIn(evidence[source - 1], part));
  const find = attacher(
    places.map(({ evidence: { text, title, section }, start, end }, i) => ({
      id: `${i}`,
      text: text.slice(start, end),
      title: `${title} ${section}`,
    })),
  );
  const cited = (place: SourceSpan | undefined, quote: string) =>
    place ? [{ evidenceId: place.evidence.id, quote }] : [];

  return (claim: string): DraftClaim["citations"] => {
    const found = find(claim).flatMap(({ evidenceId, quote }) => cited(places[Number(evidenceId)], quote));
    if (found.length > 0 || !named) return unique(found);
    const foreign = named.flatMap(({ source, part }) => {
      const piece = evidence[source - 1];
      if (!piece || languageOf(piece.text) === languageOf(claim)) return [];
      const best = part === undefined ? piece.strips.toSorted((a, b) => b.relevance - a.relevance)[0] : undefined;
      const place = placesIn(piece, part).find(({ start, end }) => !best || (start <= best.start && best.end <= end));
      return cited(place, piece.text.slice(best?.start ?? place?.start, best?.end ?? place?.end));
    });
    const first = evidence[(named[0]?.source ?? 0) - 1];
    return foreign.length === 0 && first ? [{ evidenceId: first.id, quote: "" }] : unique(foreign).slice(0, 2);
  };
}

/**
 * Returns the spans of a piece that may be quoted: those of the named strip if it was kept, else those of all kept
 * strips.
 */
function placesIn(evidence: Evidence | undefined, part: number | undefined): SourceSpan[] {
  if (!evidence) return [];
  const strip = part === undefined ? undefined : strips(evidence.text)[part - 1];
  const spans = strip && isKept(evidence, strip) ? [strip] : keptStrips(evidence);
  const injected = orders(evidence.text);
  return spans.flatMap((span) => without(span, injected)).map((span) => ({ ...span, evidence }));
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
