import { mentions, names } from "../../../text/names.js";
import { quantities, stated } from "../../../text/numbers.js";
import { orders } from "../../../text/orders.js";
import { coverage, inverseFrequency } from "../../../text/similarity.js";
import { underHead } from "../../../text/tables.js";
import { contentTerms, terms } from "../../../text/tokens.js";
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
 * Reads by meaning: each piece as a whole, then the sentences of the best ones, each under its headings, a row in the words
 * of its table's head. What is exact stays with code: a name or an amount of the question that a piece lacks speaks
 * against it.
 */
export function meaningReader(encoder: Encoder): Reader {
  const judge = remembering(encoder);
  const read: Reader["read"] = async ({ question, evidence }, { signal }) => {
    const whole = await judge(
      evidence.map((piece) => ({ text: question, passage: `${headOf(piece)}${piece.text}` })),
      signal,
    );
    const lacking = evidence.map((piece) => lacks(question, piece));
    const closest = evidence
      .map((_, i) => i)
      .sort((a, b) => (whole[b]?.answerability ?? 0) - (whole[a]?.answerability ?? 0))
      .slice(0, READ_CLOSELY);
    const units = evidence.map((piece, i) =>
      closest.includes(i) ? promising(piece, question, spanIn(piece, whole[i])) : [],
    );
    const flat = units.flatMap((some, piece) => some.map((unit) => ({ unit, piece })));
    const close = await judge(
      flat.map(({ unit }) => ({ text: question, passage: `${headOf(unit.evidence)}${wordsOf(unit)}` })),
      signal,
    );
    return flat.map(({ unit, piece }, i): Reading => {
      const [far, near] = [whole[piece], close[i]];
      if (!far || !near) return { ...unit, piece, answers: 0, relevance: 0, signs: [] };
      const signs = signsOf({ far, near, unit, ...(lacking[piece] ?? { names: 0, amounts: 0 }) });
      return {
        ...unit,
        piece,
        answers: probability(signs),
        signs,
        relevance: Math.max(far.relevance * near.relevance, near.answerability),
      };
    });
  };
  return { read, isCalibrated: true };
}

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

/** How many pieces are read sentence by sentence, and how many sentences of each. */
const READ_CLOSELY = 4;
const MOST_UNITS = 10;

/** The sentences of a piece worth a closer look, in order: that of its span, and those that share most with the question. */
function promising(piece: Evidence, question: string, span: Span | undefined): Unit[] {
  const units = sayable(piece);
  const asked = contentTerms(question);
  const shares = units.map((unit) =>
    isIn(unit, span) ? 2 : coverage(asked, new Set(contentTerms(`${wordsOf(unit)}`))),
  );
  const least = shares.toSorted((a, b) => b - a)[MOST_UNITS - 1] ?? 0;
  return units.filter((_, i) => (shares[i] ?? 0) >= least).slice(0, 2 * MOST_UNITS);
}

/** Where the judge sees the answer, in the piece's own text. */
function spanIn(piece: Evidence, judged: Judged | undefined): Span | undefined {
  const shift = headOf(piece).length;
  const { start = 0, end = 0 } = judged?.span ?? {};
  return end > shift ? { start: Math.max(0, start - shift), end: end - shift } : undefined;
}

const isIn = (unit: Unit, span: Span | undefined) =>
  span !== undefined && span.start < unit.end && span.end > unit.start;

/** What tells how probably a sentence answers. */
export const SIGNS = ["passage", "sentence", "span", "spanElsewhere", "namesMissing", "amountsMissing"] as const;

/** Fitted by eval/calibrate.ts, on what the encoder was not trained on. */
const WEIGHTS = [-0.5, 0.5, 0.5, 0.5, -0.3, -1, -1];

const probability = (signs: readonly number[]): number =>
  logistic(signs.reduce((sum, value, i) => sum + value * (WEIGHTS[i + 1] ?? 0), WEIGHTS[0] ?? 0));

interface Seen {
  /** The whole piece, and the sentence alone, beside the question. */
  far: Judged;
  near: Judged;
  unit: Unit;
  /** The shares of the question's names and amounts that the piece lacks. */
  names: number;
  amounts: number;
}

function signsOf({ far, near, unit, names: withoutNames, amounts }: Seen): number[] {
  const isHere = isIn(unit, spanIn(unit.evidence, far));
  const span = far.span?.probability ?? 0;
  return [
    odds(far.answerability),
    odds(near.answerability),
    isHere ? span : 0,
    isHere ? 0 : span,
    withoutNames,
    amounts,
  ];
}

/** Title and headings, on a line of their own. */
const headOf = ({ title, section }: Pick<Evidence, "title" | "section">): string => {
  const head = [title, section].filter((part) => part !== "").join(" › ");
  return head === "" ? "" : `${head}\n`;
};

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

/** The shares of the question's names and amounts that a piece in the question's language does not have. */
function lacks(question: string, { title, section, text, language }: Evidence): { names: number; amounts: number } {
  const all = `${title} ${section}\n${text}`;
  const isForeign = (/\p{Script=Han}/u.test(question) ? "zh" : "en") !== language;
  const [asked, found] = [quantities(question), quantities(all)];
  return {
    names: isForeign ? 0 : share(names(question), (name) => !mentions(all, name)),
    amounts: share(asked, (amount) => stated(amount, found) === "no"),
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
