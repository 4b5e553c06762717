import { headingsAbove } from "../answer/compose.js";
import { UntrustedTextError } from "../errors.js";
import type { Context } from "../state/context.js";
import type { Node } from "../state/node.js";
import type { State } from "../state/state.js";
import type { Tools } from "../state/tools.js";
import { withoutLinks } from "../text/markup.js";
import { orders } from "../text/orders.js";
import { type OutlineUnit, outlineOf } from "../text/outline.js";
import { overlap } from "../text/spans.js";
import { strips } from "../text/strips.js";
import { contentTerms } from "../text/tokens.js";
import { wasSearched } from "../types/events.js";
import type { Evidence, Span, Verdict } from "../types/evidence.js";
import type { Grade } from "../types/reasoners.js";

/**
 * Judges every strip and the evidence as a whole in one call, always against the user's own question (CRAG, arXiv
 * 2401.15884; sufficiency of the context: arXiv 2411.06037). Evidence that did not change keeps its grade. If another
 * source added nothing, the run goes on as if it had not been asked.
 */
export const grade =
  ({ grader }: Pick<Tools, "grader">): Node =>
  async (state, { context, call }) => {
    const { understood, evidence, verdict } = state;
    if (!understood) return {};
    const ids = evidence.map((e) => e.id);
    const last = state.attempts.at(-1);
    if (verdict && last && ids.length === last.evidenceIds.length && ids.every((id) => last.evidenceIds.includes(id)))
      return wasSearched(state.decisions) ? attempted(state, evidence, verdict) : {};

    const { question, language } = understood;
    const graded = await grader.grade({ question, language, evidence }, call);
    const judged = evidence.map((piece, i) => {
      const read = [...(piece.read ?? []), ...(graded.read?.[i] ?? [])];
      return { ...withStrips(piece, graded.relevance[i] ?? []), ...(read.length > 0 && { read }) };
    });
    for (const { id, title, uri, text } of evidence)
      if (!state.attempts.some((attempt) => attempt.evidenceIds.includes(id)) && orders(text).length > 0)
        call.fault(new UntrustedTextError(title, uri));
    return attempted(state, judged, verdictOf(graded, judged, context));
  };

const attempted = (state: State, evidence: Evidence[], verdict: Verdict) => ({
  evidence,
  verdict,
  nearest: nearestOf(state.nearest ?? [], evidence, state.understood?.question ?? state.question),
  draft: undefined,
  report: undefined,
  attempts: [
    ...state.attempts,
    {
      query: state.queries.at(-1)?.text ?? "",
      evidenceIds: evidence.map((e) => e.id),
      verdict,
      repair: false,
      spend: state.spend,
    },
  ],
});

/** A strip that gives orders to its reader has relevance 0, whatever else it says. */
function withStrips(piece: Evidence, relevance: readonly number[]): Evidence {
  const ordered = orders(piece.text);
  const isOrdered = (span: Span) => ordered.some((order) => overlap(order, span));
  const judged = strips(piece.text).map((span, i) => ({
    ...span,
    relevance: isOrdered(span) ? 0 : unit(relevance[i]),
  }));
  return { ...piece, strips: judged, relevance: Math.max(0, ...judged.map((strip) => strip.relevance)) };
}

/** CRAG's three verdicts, from relevance and answerability together: relevant passages that do not answer are not enough. */
function verdictOf(graded: Grade, evidence: readonly Evidence[], context: Context): Verdict {
  const { relevance: _, read: __, ...rest } = graded;
  const relevance = Math.max(0, ...evidence.map((e) => e.relevance));
  const relevant = evidence.filter((e) => e.relevance >= context.generateAt).length;
  const answers =
    graded.answerability === "full" || (graded.answerability === "unknown" && relevant >= context.minRelevant);
  const ambiguous = relevance >= context.rewriteBelow ? "ambiguous" : "incorrect";
  return { ...rest, relevance, grade: answers && relevance >= context.generateAt ? "correct" : ambiguous };
}

const unit = (value: number | undefined) => (value && value > 0 ? Math.min(1, value) : 0);

type Passages = NonNullable<State["nearest"]>;

/** Returns the passages that were read so far, most relevant first, each with its most relevant words. */
function nearestOf(before: Passages, evidence: readonly Evidence[], question: string): Passages {
  // The grader reads until it is sure, or until what is left is unlikely to answer.
  const read = evidence.filter(({ id, relevance }) => relevance > 0 && !before.some((known) => known.id === id));
  return [...before, ...read.flatMap((piece) => near(piece, question))].toSorted((a, b) => b.relevance - a.relevance);
}

/** How much a quote has, in characters: whole sentences up to the first number, or one up to the second. */
const QUOTED = 120;
const LONGEST = 300;

/** Strips with orders to the assistant are left out, and so is a stub, or a figure that nobody wrote. */
function near(piece: Evidence, question: string): Passages {
  if (piece.computed || isStub(piece, question)) return [];
  const { id, title, uri, text, strips } = piece;
  const ordered = orders(text);
  const best = strips
    .filter((strip) => !ordered.some((order) => overlap(order, strip)))
    .reduce<Evidence["strips"][number] | undefined>((a, b) => (a && a.relevance >= b.relevance ? a : b), undefined);
  if (!best) return [];
  const span = nearestIn(piece, best);
  const quote = text.slice(span.start, span.end);
  return [{ id, title, uri, section: headingsAbove(piece, [span]), quote, relevance: best.relevance }];
}

/**
 * True for a passage of a few words besides its title, none of which the question has: "This page has moved." It is found
 * by its title alone.
 */
function isStub({ title, section, text }: Evidence, question: string): boolean {
  const named = new Set(contentTerms(`${title} ${section}`));
  const own = new Set(contentTerms(withoutLinks(text))).difference(named);
  return own.size < FEW && own.isDisjointFrom(new Set(contentTerms(question)));
}

/** In terms. */
const FEW = 6;

/**
 * Returns the most relevant sentence, entry or row of a strip, and the sentences after it if there is room; of one that is
 * too long, its first words.
 */
function nearestIn({ text, read = [] }: Evidence, { start: from, end: to }: Span): Span {
  const all = outlineOf(text).filter(({ kind, start, end }) => kind !== "heading" && start >= from && end <= to);
  const known = read.flatMap(({ units }) => units);
  const relevanceOf = ({ start }: Span) => known.find((unit) => unit.start === start)?.relevance ?? 0;
  const best = all.reduce<OutlineUnit | undefined>(
    (a, b) => (a && relevanceOf(a) >= relevanceOf(b) ? a : b),
    undefined,
  );
  if (!best) return { start: from, end: to };
  const start = Math.max(from, best.from);
  const isNext = (unit: OutlineUnit) =>
    unit.kind === best.kind && unit.start > best.start && unit.end - start <= QUOTED;
  const stop = (best.kind === "row" ? undefined : all.findLast(isNext)) ?? best;
  const words = text.slice(start, stop.end);
  if (words.length <= LONGEST) return { start, end: stop.end };
  const room = words.slice(0, LONGEST).toWellFormed();
  // Chinese has no spaces, and ends a clause with a mark.
  const whole = (/^[\s\S]*(?:\s|[，；：、])/u.exec(room)?.[0] ?? room).trimEnd();
  return { start, end: start + whole.length };
}
