import { chineseNames } from "../../../language/chinese-names.js";
import { languageOf } from "../../../language/language.js";
import { mentions, names } from "../../../language/names.js";
import { quantities, stated } from "../../../language/numbers.js";
import { orders } from "../../../language/orders.js";
import { sentences } from "../../../language/sentences.js";
import { coverage, inverseFrequency } from "../../../language/similarity.js";
import { underHead } from "../../../language/tables.js";
import { contentTerms, terms } from "../../../language/tokens.js";
import type { Evidence, Span } from "../../../types/evidence.js";
import type { Encoder, Judged, Pair } from "../../encoder/port.js";
import type { Call, Task } from "../port.js";
import { type Unit, unitsOf } from "./claims.js";

/** A sentence, row or item of the evidence, and how probable it is that it answers the question, 0 to 1. */
export interface Reading extends Unit {
  /** The position of its piece of evidence. */
  piece: number;
  answers: number;
  /** It is about what is asked, whether or not it answers, 0 to 1. */
  relevance: number;
  /** What `answers` was made of, in the order of `SIGNS`; empty where it is no probability. */
  signs: readonly number[];
}

/** Reads the evidence for a question: the sentences that may be said, in order. */
export interface Reader {
  read(task: Pick<Task, "question" | "evidence">, call: Pick<Call, "signal" | "fault">): Promise<Reading[]>;
  /** Whether what it says are probabilities, and not only numbers to compare. */
  isCalibrated: boolean;
}

/**
 * Reads by meaning: each section as a whole, then the sentences of the best ones, each under its headings, a row in the words
 * of its table's head. What is exact stays with code: a name or an amount of the question that a piece lacks speaks
 * against it.
 */
export function meaningReader(encoder: Encoder): Reader {
  const judge = remembering(encoder);
  const read: Reader["read"] = async ({ question, evidence }, { signal }) => {
    const parts = evidence.flatMap((piece, i) => partsOf(piece, i));
    const whole = await judge(
      parts.map((part) => ({ text: question, passage: `${part.head}${part.text}` })),
      signal,
    );
    const closest = parts
      .flatMap((part, i) => (whole[i] ? [{ part, far: whole[i], span: spanIn(part, whole[i]) }] : []))
      .sort((a, b) => b.far.answerability - a.far.answerability)
      .slice(0, READ_CLOSELY);
    const units = closest.flatMap((one) => promising(one.part, question, one.span).map((unit) => ({ ...one, unit })));
    const close = await judge(
      units.map(({ part, unit }) => ({ text: question, passage: `${part.head}${wordsOf(unit)}` })),
      signal,
    );
    const lacking = evidence.map((piece) => lacks(question, piece));
    const asked = contentTerms(question);
    return units
      .flatMap(({ part: { piece }, far, span, unit }, i): Reading[] => {
        const [near, lack] = [close[i], lacking[piece]];
        if (!near || !lack) return [];
        const here = isIn(unit, span) ? (far.span?.probability ?? 0) : 0;
        const met = coverage(asked, new Set(contentTerms(wordsOf(unit))));
        const exact = [lack.names, lack.amounts, lack.language];
        const signs = [odds(far.answerability), odds(near.answerability), here, met, ...exact];
        const relevance = Math.max(far.relevance * near.relevance, near.answerability);
        return [{ ...unit, piece, answers: probability(signs), relevance, signs }];
      })
      .sort((a, b) => a.piece - b.piece || a.start - b.start);
  };
  return { read, isCalibrated: true };
}

/** How many sections are read sentence by sentence, and how many sentences of each. */
const READ_CLOSELY = 6;
const MOST_UNITS = 8;

/**
 * What tells how probably a sentence answers: the log odds of its section and its own, and what is exact. The share of the
 * question's words that it has itself decides where a heading answers, and all sentences under it seem to.
 */
export const SIGNS = [
  "section",
  "sentence",
  "span",
  "wordsShared",
  "namesMissing",
  "amountsMissing",
  "otherLanguage",
] as const;

/**
 * Set by hand while looking at eval/company (docs/evaluation.md), not fitted: weights fitted on public sets by
 * eval/calibrate.ts refused 50 to 80 % of what the sets left out answer.
 */
const WEIGHTS = [0, 0.45, 0.45, 0.5, 0.5, -1.5, -1.5, -0.7];

const probability = (signs: readonly number[]): number =>
  logistic(signs.reduce((sum, value, i) => sum + value * (WEIGHTS[i + 1] ?? 0), WEIGHTS[0] ?? 0));

/** A section of a piece of evidence, under its title and headings. */
interface Part extends Span {
  piece: number;
  evidence: Evidence;
  head: string;
  text: string;
}

/** A piece is cut at its headings, those that stand together as one. */
function partsOf(evidence: Evidence, piece: number): Part[] {
  const found: (Span & { headings: string[]; isOpen: boolean })[] = [];
  for (const { start, end, kind } of sentences(evidence.text)) {
    const last = found.at(-1);
    if (kind === "heading") {
      const heading = evidence.text.slice(start, end).replace(/^#+\s*/, "");
      if (last?.isOpen) last.headings.push(heading);
      else found.push({ start: end, end, headings: [heading], isOpen: true });
    } else if (last) {
      if (last.isOpen) last.start = start;
      last.end = end;
      last.isOpen = false;
    } else found.push({ start, end, headings: [], isOpen: false });
  }
  return found
    .filter(({ isOpen }) => !isOpen)
    .map(({ start, end, headings }) => {
      const head = headOf(evidence, headings);
      return { piece, evidence, start, end, head, text: evidence.text.slice(start, end) };
    });
}

/** The sentences of a section worth a closer look: that of its span, and those that share most with the question. */
function promising({ evidence, start, end }: Part, question: string, span: Span | undefined): Unit[] {
  const units = sayable(evidence).filter((unit) => unit.start >= start && unit.end <= end);
  const asked = contentTerms(question);
  const shares = units.map((unit) => (isIn(unit, span) ? 2 : coverage(asked, new Set(contentTerms(wordsOf(unit))))));
  const least = shares.toSorted((a, b) => b - a)[MOST_UNITS - 1] ?? 0;
  return units.filter((_, i) => (shares[i] ?? 0) >= least).slice(0, 2 * MOST_UNITS);
}

/** Where the judge sees the answer, in the text of the piece. */
function spanIn({ head, start: at }: Part, { span }: Judged): Span | undefined {
  const { start, end } = span ?? { start: 0, end: 0 };
  return end > head.length ? { start: at + Math.max(0, start - head.length), end: at + end - head.length } : undefined;
}

const isIn = (unit: Unit, span: Span | undefined) =>
  span !== undefined && span.start < unit.end && span.end > unit.start;

/** Title and headings, on a line of their own. */
const headOf = ({ title, section }: Pick<Evidence, "title" | "section">, headings: readonly string[] = []): string => {
  const known = [title, ...section.split(" › ")].filter((part) => part !== "");
  const head = [...new Set([...known, ...headings])].join(" › ");
  return head === "" ? "" : `${head}\n`;
};

/** Reads as the first reader does; where that fails, which is told, as the second. */
export function eitherReader(first: Reader, second: Reader): Reader {
  return {
    ...first,
    async read(task, call) {
      try {
        return await first.read(task, call);
      } catch (error) {
        if (call.signal.aborted) throw error;
        call.fault(error instanceof Error ? error : new Error(String(error)));
        return second.read(task, call);
      }
    },
  };
}

/** A row says little without its head, an item without what introduces it, a sentence without the one it leans on. */
function wordsOf({ evidence: { text }, from, end, start, header, lead }: Unit): string {
  if (lead) return `${text.slice(lead.start, lead.end)} ${text.slice(start, end)}`;
  if (!header) return text.slice(from, end);
  return underHead(text.slice(header.start, header.end), text.slice(start, end));
}

/** What can be said: it states something, and gives its reader no orders. */
export function sayable(piece: Evidence): Unit[] {
  const ordered = orders(piece.text);
  return unitsOf(piece).filter(
    ({ states, from, end }) => states && !ordered.some((order) => order.start < end && order.end > from),
  );
}

/** The shares of the question's names and amounts that a piece does not have, and whether its language is another one. */
function lacks(question: string, { title, section, text, language }: Evidence) {
  const all = `${title} ${section}\n${text}`;
  const other = languageOf(question) === language ? 0 : 1;
  const [asked, found] = [quantities(question), quantities(all)];
  const named = [...names(question), ...chineseNames(question).map(({ name }) => name)];
  return {
    // In another language a name may be written otherwise.
    names: (1 - 0.3 * other) * share(named, (name) => !mentions(all, name)),
    amounts: share(asked, (amount) => stated(amount, found) === "no"),
    language: other,
  };
}

const share = <T>(items: readonly T[], is: (item: T) => boolean) =>
  items.length === 0 ? 0 : items.filter(is).length / items.length;

/** Reads by words alone: how many of the question's words a sentence and its headings have, rare ones counting for more. */
export function wordReader(): Reader {
  const read: Reader["read"] = async ({ question, evidence }) => {
    const asked = new Set(contentTerms(question));
    const units = evidence.flatMap((piece, i) => sayable(piece).map((unit) => ({ ...unit, piece: i })));
    const found = units.map((unit) => new Set(terms(`${headOf(unit.evidence)}${wordsOf(unit)}`)));
    const rarity = inverseFrequency(found);
    return units.map((unit, i): Reading => {
      const { names: withoutNames, amounts } = lacks(question, unit.evidence);
      const met = coverage(asked, found[i] ?? new Set(), (term) => 0.2 + rarity(term));
      const relevance = met * (1 - withoutNames / 2) * (1 - amounts / 2);
      return { ...unit, relevance, answers: relevance, signs: [] };
    });
  };
  return { read, isCalibrated: false };
}

/** What was judged once a run is not judged again: generating asks for what grading has read. */
function remembering(encoder: Encoder): (pairs: readonly Pair[], signal: AbortSignal) => Promise<Judged[]> {
  const known = new Map<string, Judged>();
  const key = ({ text, passage }: Pair) => `${text}\n\n${passage}`;
  return async (pairs, signal) => {
    const fresh = [...new Map(pairs.map((pair) => [key(pair), pair])).values()].filter((pair) => !known.has(key(pair)));
    const judged = await encoder.judge(fresh, { signal });
    const found = new Map(fresh.map((pair, i) => [key(pair), judged[i]]));
    const result = pairs.map((pair) => known.get(key(pair)) ?? found.get(key(pair)));
    for (const [name, value] of found) if (value) known.set(name, value);
    for (const name of known.keys()) {
      if (known.size <= REMEMBERED) break;
      known.delete(name);
    }
    return result.flatMap((one) => one ?? []);
  };
}
const REMEMBERED = 2_000;

const odds = (p: number) => Math.log(Math.max(1e-4, p) / Math.max(1e-4, 1 - p));
const logistic = (x: number) => 1 / (1 + Math.exp(-x));
