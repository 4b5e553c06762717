import { toError } from "../../../errors.js";
import { type Aliases, NO_ALIASES } from "../../../language/aliases.js";
import { chineseNames } from "../../../language/chinese-names.js";
import { languageOf } from "../../../language/language.js";
import { underLead } from "../../../language/lists.js";
import { mentions, names } from "../../../language/names.js";
import { quantities } from "../../../language/numbers.js";
import { orders } from "../../../language/orders.js";
import { depthOf, sentences } from "../../../language/sentences.js";
import { coverage, dot, inverseFrequency } from "../../../language/similarity.js";
import { overlap } from "../../../language/spans.js";
import { stated } from "../../../language/stated.js";
import { underHead } from "../../../language/tables.js";
import { contentTerms, terms } from "../../../language/tokens.js";
import type { Evidence, Span } from "../../../types/evidence.js";
import { logistic, logOdds } from "../../encoder/odds.js";
import type { Encoder, Judged, Pair } from "../../encoder/port.js";
import type { Call, Task } from "../port.js";
import { type Unit, unitsOf } from "./claims.js";
import { aboutOthers } from "./rows.js";

/** A unit of the evidence, scored against the question. */
export interface Reading extends Unit {
  /** The index of its piece of evidence. */
  piece: number;
  /** The probability that it answers the question, 0 to 1; only a score where the reader is not calibrated. */
  answers: number;
  /** How much it is about the question's subject, whether or not it answers, 0 to 1. */
  relevance: number;
  /** The features behind `answers`, in the order of `FEATURES`; empty where the reader is not calibrated. */
  features: readonly number[];
}

/** Finds and scores the sentences of the evidence that an answer may use, in order. */
export interface Reader {
  read(task: Pick<Task, "question" | "evidence">, call: Pick<Call, "signal" | "fault">): Promise<Reading[]>;
  /** True if the scores are calibrated probabilities. */
  isCalibrated: boolean;
}

/**
 * Scores by meaning: the encoder judges each section as a whole, then the sentences of the best sections, each with its
 * headings, a table row with its header. Names and amounts are compared by code: a piece that lacks one that the
 * question has scores lower, and so does a row about something else. A piece with another name for the same is asked in
 * its own words.
 */
export function meaningReader(encoder: Encoder, aliases: Aliases = NO_ALIASES): Reader {
  const judge = remembering(encoder);
  return {
    isCalibrated: true,
    async read({ question, evidence }, { signal }) {
      const parts = evidence.flatMap(partsOf);
      const questions = evidence.map((piece) => aliases.inWordsOf(whole(piece), question));
      const askedOf = (piece: number) => questions[piece] ?? question;
      const sections = await judge(
        parts.map(({ piece, evidence: { text }, start, end, head }) => ({
          text: askedOf(piece),
          passage: `${head}${text.slice(start, end)}`,
        })),
        signal,
      );
      const closest = parts
        .flatMap((part, i) => (sections[i] ? [{ part, far: sections[i], span: spanIn(part, sections[i]) }] : []))
        .sort((a, b) => b.far.answerability - a.far.answerability)
        .filter(({ far }, i, [best]) => i < READ_CLOSELY && best && oddsGap(best.far, far) < FAR_BEHIND);
      const units = closest.flatMap((one) =>
        promising(one.part, askedOf(one.part.piece), one.span).map((unit) => ({ ...one, unit })),
      );
      const close = await judge(
        units.map(({ part, unit }) => ({ text: askedOf(part.piece), passage: `${part.head}${wordsOf(unit)}` })),
        signal,
      );
      const lacking = evidence.map((piece, i) => lacks(askedOf(i), piece));
      const rowLacks = evidence.map((_, i) => aboutOthers(askedOf(i)));
      return units
        .flatMap(({ part: { piece }, far, span, unit }, i): Reading[] => {
          const [near, lack] = [close[i], lacking[piece]];
          if (!near || !lack) return [];
          const here = isIn(unit, span) ? (far.span?.probability ?? 0) : 0;
          const shared = coverage(contentTerms(askedOf(piece)), new Set(contentTerms(wordsOf(unit))));
          const row = rowLacks[piece]?.(unit) ?? { names: 0, amounts: 0 };
          const exact = [Math.max(lack.names, row.names), Math.max(lack.amounts, row.amounts), lack.language];
          const features = [logOdds(far.answerability), logOdds(near.answerability), here, shared, ...exact];
          const relevance = Math.max(far.relevance * near.relevance, near.answerability);
          return [{ ...unit, piece, answers: probability(features), relevance, features }];
        })
        .sort((a, b) => a.piece - b.piece || a.start - b.start);
    },
  };
}

/**
 * How many sections are judged sentence by sentence, how far behind the best in log odds the last may be, and how many
 * sentences of each are judged. Six sections without a limit gave the same outcomes on 118 questions of three sets
 * (eval/company, SQuAD 2.0, XQuAD English) and took twice as many tokens; four sentences lost five of 38 right answers.
 */
const READ_CLOSELY = 4;
const FAR_BEHIND = 3;
const MOST_UNITS = 8;

const oddsGap = (a: Judged, b: Judged) => logOdds(a.answerability) - logOdds(b.answerability);

/**
 * The weight of each feature in the log odds that a sentence answers. `section` and `sentence` are the encoder's log odds
 * of both; `wordsShared` separates the sentences under a heading that is itself the answer. The weights were set by hand
 * on eval/company (docs/evaluation.md): those fitted on public sets by eval/calibrate.ts refused 50 to 80 % of the
 * questions that the held-out sets answer.
 */
const WEIGHTS = {
  section: 0.45,
  sentence: 0.45,
  span: 0.5,
  wordsShared: 0.5,
  namesMissing: -1.5,
  amountsMissing: -1.5,
  otherLanguage: -0.7,
};

export const FEATURES = Object.keys(WEIGHTS);

const probability = (features: readonly number[]) => logistic(BIAS + dot(features, Object.values(WEIGHTS)));

/**
 * Chosen among -.3, -.45, -.55 and -.8 on eval/company, eval/natural and SQuAD 2.0 (docs/evaluation.md): lower refuses more,
 * of right answers too.
 */
const BIAS = -0.45;

/** A section of a piece of evidence, with its title and headings as `head`. */
interface Part extends Span {
  piece: number;
  evidence: Evidence;
  head: string;
}

/** Cuts a piece at its headings; consecutive headings open one section, under the higher headings before it. */
function partsOf(evidence: Evidence, piece: number): Part[] {
  const parts: Part[] = [];
  let headings: { depth: number; words: string }[] = [];
  let isOpen = false;
  for (const { start, end, kind } of sentences(evidence.text)) {
    const last = parts.at(-1);
    if (kind === "heading") {
      const depth = depthOf(evidence.text, { start, end });
      headings = [...headings.filter((one) => one.depth < depth), { depth, words: evidence.text.slice(start, end) }];
      isOpen = false;
    } else if (last && isOpen) last.end = end;
    else {
      const head = headOf(
        evidence,
        headings.map(({ words }) => words),
      );
      parts.push({ piece, evidence, start, end, head });
      isOpen = true;
    }
  }
  return parts;
}

/** Selects the units of a section to judge: the one with the answer span, and those that share most with the question. */
function promising({ evidence, start, end }: Part, question: string, span: Span | undefined): Unit[] {
  const units = sayable(evidence).filter((unit) => unit.start >= start && unit.end <= end);
  const asked = contentTerms(question);
  const shares = units.map((unit) => (isIn(unit, span) ? 2 : coverage(asked, new Set(contentTerms(wordsOf(unit))))));
  const least = shares.toSorted((a, b) => b - a)[MOST_UNITS - 1] ?? 0;
  return units.filter((_, i) => (shares[i] ?? 0) >= least).slice(0, 2 * MOST_UNITS);
}

/** Converts the encoder's answer span to offsets in the text of the piece. */
function spanIn({ head, start: at }: Part, { span }: Judged): Span | undefined {
  if (!span || span.end <= head.length) return undefined;
  return { start: at + Math.max(0, span.start - head.length), end: at + span.end - head.length };
}

const isIn = (unit: Unit, span: Span | undefined) => span !== undefined && overlap(span, unit);

/** Joins title and headings into one line; empty where there are none. */
const headOf = ({ title, section }: Pick<Evidence, "title" | "section">, headings: readonly string[] = []): string => {
  const known = [title, ...section.split(" › ")].filter((part) => part !== "");
  const head = [...new Set([...known, ...headings])].join(" › ");
  return head === "" ? "" : `${head}\n`;
};

/** Uses the second reader where the first one fails, and reports the failure. */
export function eitherReader(first: Reader, second: Reader): Reader {
  return {
    ...first,
    async read(task, call) {
      try {
        return await first.read(task, call);
      } catch (error) {
        if (call.signal.aborted) throw error;
        call.fault(toError(error));
        return second.read(task, call);
      }
    },
  };
}

/** Returns a unit's text with its context: table header, list introduction or the sentence that it refers back to. */
function wordsOf({ evidence: { text }, from, end, start, header, lead }: Unit): string {
  if (lead) return underLead(text.slice(lead.start, lead.end), text.slice(from, end));
  if (!header) return text.slice(from, end);
  return underHead(text.slice(header.start, header.end), text.slice(start, end));
}

/** Returns the units that an answer may use: they state something, and are no prompt injection. */
export function sayable(piece: Evidence): Unit[] {
  const ordered = orders(piece.text);
  return unitsOf(piece).filter(
    ({ states, from, end }) => states && !ordered.some((order) => overlap(order, { start: from, end })),
  );
}

/** Returns the shares of the question's names and amounts that a piece lacks, and 1 if its language is another one. */
function lacks(question: string, piece: Evidence) {
  const all = whole(piece);
  const other = languageOf(question) === piece.language ? 0 : 1;
  const [asked, found] = [quantities(question), quantities(all)];
  const named = [...names(question), ...chineseNames(question).map(({ name }) => name)];
  return {
    // A name may be spelt differently in another language.
    names: (1 - 0.3 * other) * share(named, (name) => !mentions(all, name)),
    amounts: share(asked, (amount) => stated(amount, found) === "no"),
    language: other,
  };
}

export const whole = ({ title, section, text }: Evidence) => `${title} ${section}\n${text}`;

const share = <T>(items: readonly T[], is: (item: T) => boolean) =>
  items.length === 0 ? 0 : items.filter(is).length / items.length;

/** Scores by words alone: the share of the question's words in a sentence and its headings, rare words weighing more. */
export function wordReader(aliases: Aliases = NO_ALIASES): Reader {
  return {
    isCalibrated: false,
    async read({ question, evidence }) {
      const questions = evidence.map((piece) => aliases.inWordsOf(whole(piece), question));
      const units = evidence.flatMap((piece, i) => {
        const parts = partsOf(piece, i);
        const headOver = ({ start }: Unit) => parts.findLast((part) => part.start <= start)?.head ?? "";
        return sayable(piece).map((unit) => ({ ...unit, piece: i, head: headOver(unit) }));
      });
      const found = units.map((unit) => new Set(terms(`${unit.head}${wordsOf(unit)}`)));
      const rarity = inverseFrequency(found);
      return units.map(({ head: _, ...unit }, i): Reading => {
        const asked = questions[unit.piece] ?? question;
        const { names: withoutNames, amounts } = lacks(asked, unit.evidence);
        const met = coverage(contentTerms(asked), found[i] ?? new Set(), (term) => 0.2 + rarity(term));
        const relevance = met * (1 - withoutNames / 2) * (1 - amounts / 2);
        return { ...unit, relevance, answers: relevance, features: [] };
      });
    },
  };
}

/** Caches judgements, since generating reads what grading has read. */
function remembering(encoder: Encoder): (pairs: readonly Pair[], signal: AbortSignal) => Promise<Judged[]> {
  const known = new Map<string, Judged>();
  const key = ({ text, passage }: Pair) => `${text}\n\n${passage}`;
  return async (pairs, signal) => {
    const found = new Map(pairs.map((pair) => [key(pair), known.get(key(pair))]));
    const fresh = [...new Map(pairs.map((pair) => [key(pair), pair]))].filter(([name]) => !found.get(name));
    const judged = await encoder.judge(
      fresh.map(([, pair]) => pair),
      { signal },
    );
    for (const [i, [name]] of fresh.entries()) found.set(name, judged[i]);
    for (const [name, one] of found) if (one) known.set(name, one);
    for (const oldest of [...known.keys()].slice(0, -REMEMBERED)) known.delete(oldest);
    return pairs.flatMap((pair) => found.get(key(pair)) ?? []);
  };
}
const REMEMBERED = 2_000;
