import { mentions, names } from "../../../text/names.js";
import { quantities, stated } from "../../../text/numbers.js";
import { orders } from "../../../text/orders.js";
import { jaccard } from "../../../text/similarity.js";
import { contentTerms } from "../../../text/tokens.js";
import { type DraftClaim, holds, type Intent } from "../../../types/answer.js";
import type { Generator, Task } from "../port.js";
import { keptStrips } from "../strips.js";
import { aspects } from "./aspects.js";
import { claimOf, type Unit, unitsOf } from "./claims.js";
import { type Match, matches } from "./match.js";
import { absentWords } from "./missing.js";
import type { Question } from "./question.js";
import { unframed } from "./unframed.js";
import { logOdds, relevanceAt } from "./weights.js";

/** Answers with sentences of the evidence, word for word; with none where no sentence comes near the question. */
export function localGenerator(): Generator {
  return {
    async generate(task, _call, onClaim) {
      const rejected = task.repair?.claims.filter((claim) => !holds(claim)).map(({ text }) => text) ?? [];
      const units = candidates(aspects(task), task);
      const chosen = choose(units, task.intent).map(claimOf);
      const claims = chosen.filter(({ text }) => text !== "" && !rejected.includes(text));
      for (const claim of claims) onClaim?.(claim);
      return { claims, missing: claims.length === 0 ? "" : stillOpen(task, claims) };
    },
  };
}

interface Candidate extends Unit {
  /** How well it answers each side of the question; a question that compares nothing has one. */
  sides: number[];
  relevance: number;
  terms: ReadonlySet<string>;
}

/** What may be said: the sentences of the kept strips, with how well each answers. */
function candidates(asked: readonly Question[], { evidence }: Task): Candidate[] {
  const met = asked.map((question) => matches(question, evidence));
  return evidence.flatMap((piece, index) => {
    const kept = keptStrips(piece);
    const ordered = orders(piece.text);
    return unitsOf(piece)
      .filter(({ start, end }) => kept.some((strip) => start >= strip.start && end <= strip.end))
      .filter(({ from, end }) => !ordered.some((order) => order.start < end && order.end > from))
      .map((unit) => {
        const sides = met.map((side) => answersBy(side.find((m) => m.piece === index && m.start === unit.start)));
        const terms = new Set(contentTerms(piece.text.slice(unit.start, unit.end)));
        return { ...unit, sides, relevance: Math.max(...sides), terms };
      });
  });
}

/** A sentence that cannot be the answer is the last to be said. */
const answersBy = (match: Match | undefined) =>
  match && !match.silent ? relevanceAt(logOdds(match.features)) * (match.besides ? 0.5 : 1) : 0;

/**
 * The best sentences, no two alike, each piece's in its own order, the piece with the best one first. Code is no sentence: it
 * is said only with the one that introduces it.
 */
function choose(units: readonly Candidate[], intent: Intent): Candidate[] {
  const sayable = units.filter((unit) => unit.kind !== "heading" && unit.kind !== "code" && !unit.isHeader);
  const best = Math.max(0, ...sayable.map(({ relevance }) => relevance));
  if (best < SPEAK_AT) return [];
  const ranked = sayable
    .filter(
      ({ relevance, kind }) => relevance >= Math.max(SPEAK_AT, best * (kind === "row" ? ROW_AS_GOOD : NEARLY_AS_GOOD)),
    )
    .toSorted((a, b) => b.relevance - a.relevance);
  const chosen: Candidate[] = [];
  for (const unit of everySideFirst(ranked)) {
    if (chosen.length === MOST[intent]) break;
    if (chosen.every((other) => jaccard(unit.terms, other.terms) < ALIKE)) chosen.push(unit);
  }
  const whole = intent === "steps" || chosen.some(introduces) ? withLists(chosen, units) : chosen;
  return inReadingOrder(whole);
}

/** Grading keeps a strip from 0.3; a sentence that is said should do as well. */
const SPEAK_AT = 0.3;
const NEARLY_AS_GOOD = 0.75;
/** Rows of one table share their headings and much of their words, so the right one stands out by less. */
const ROW_AS_GOOD = 0.9;
const ALIKE = 0.7;
const MOST: Record<Intent, number> = { definition: 2, other: 3, comparison: 6, steps: 4 };
const LIST_ITEMS = 12;

/** For each side its best sentence, then the rest. */
function everySideFirst(ranked: readonly Candidate[]): Candidate[] {
  const sides = ranked[0]?.sides ?? [];
  const firsts = sides.flatMap((_, side) =>
    ranked.toSorted((a, b) => (b.sides[side] ?? 0) - (a.sides[side] ?? 0)).slice(0, 1),
  );
  return [...new Set([...firsts, ...ranked])];
}

const introduces = (unit: Unit) => /[:：]\s*$/.test(unit.evidence.text.slice(unit.start, unit.end));

/** A list, or code, is taken whole with the sentence that introduces it, or with one of its items that was chosen. */
function withLists(chosen: readonly Candidate[], units: readonly Candidate[]): Candidate[] {
  const taken = new Set(chosen);
  for (const unit of chosen) {
    const at = units.indexOf(unit);
    const listed = (i: number) =>
      units[i]?.evidence === unit.evidence && (units[i]?.kind === "item" || units[i]?.kind === "code");
    let from = at;
    if (listed(at)) while (listed(from - 1)) from -= 1;
    else from = at + 1;
    for (let i = from; listed(i) && i < from + LIST_ITEMS; i++) {
      const item = units[i];
      if (item) taken.add(item);
    }
  }
  return [...taken];
}

function inReadingOrder(chosen: readonly Candidate[]): Candidate[] {
  const groups = [...Map.groupBy(chosen, ({ evidence }) => evidence.id).values()];
  const best = (group: readonly Candidate[]) => Math.max(...group.map(({ relevance }) => relevance));
  return groups.toSorted((a, b) => best(b) - best(a)).flatMap((group) => group.toSorted((a, b) => a.start - b.start));
}

/** The names and amounts of the question that no sentence of the answer has, nor the document it is from. */
function stillOpen(task: Task, claims: readonly DraftClaim[]): string {
  const cited = task.evidence.filter(({ id }) =>
    claims.some((claim) => claim.citations.some(({ evidenceId }) => evidenceId === id)),
  );
  const all = [
    ...claims.map(({ text }) => text),
    ...cited.map(({ title, section, text }) => `${title} ${section} ${text}`),
  ].join("\n");
  const amounts = quantities(all);
  const question = unframed(task.question, task.evidence);
  return absentWords(task.language, [
    ...names(question).filter((name) => !mentions(all, name)),
    ...quantities(question)
      .filter((amount) => stated(amount, amounts) === "no")
      .map(({ text }) => text),
  ]);
}
