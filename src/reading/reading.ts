import { type Aliases, NO_ALIASES } from "../text/aliases.js";
import { headLine } from "../text/head-line.js";
import { intentOf } from "../text/intent.js";
import { orders } from "../text/orders.js";
import { coverage, dot, inverseFrequency } from "../text/similarity.js";
import { overlap } from "../text/spans.js";
import { contentTerms, terms } from "../text/tokens.js";
import { READING } from "../thresholds.js";
import { logistic, logOdds } from "../tools/encoder/math.js";
import type { Encoder, Judged, Pair } from "../tools/encoder/port.js";
import type { Call } from "../types/call.js";
import type { Evidence, Span } from "../types/evidence.js";
import type { Task } from "../types/reasoners.js";
import { lacks, whole } from "./lacks.js";
import { lacksKind } from "./lacks-kind.js";
import { newestFirst, withoutOlder } from "./newest.js";
import { answersTo } from "./questions.js";
import { aboutOthers } from "./rows.js";
import { aboutSibling } from "./siblings.js";
import { textInContext, type Unit, unitsOf } from "./units.js";

/** A unit of the evidence, scored against the question. */
export interface Reading extends Unit {
  /** The index of its piece of evidence. */
  piece: number;
  /** The probability that it answers the question, 0 to 1; only a score if the reader is not calibrated. */
  answers: number;
  /** How much it is about the question's subject, whether or not it answers, 0 to 1. */
  relevance: number;
  /** The words that answer, if it is read alone; else empty. */
  words: string;
  /** How likely its section is the procedure that a question about steps asks for, 0 to 1; 0 for other questions. */
  procedure: number;
  /** The features behind `answers`, in the order of `FEATURES`; empty if the reader is not calibrated. */
  features: readonly number[];
}

/** Finds and scores the sentences of the evidence that an answer may use, in order. */
export interface Reader {
  read(task: Pick<Task, "question" | "evidence">, call: Pick<Call, "signal" | "fault">): Promise<Reading[]>;
  /** True if the scores are calibrated probabilities. */
  isCalibrated: boolean;
  /** The least score of a sentence that answers, before the grader compares passages. */
  enough: number;
}

/**
 * Scores by meaning. The encoder reads each section of the best passages once, under its title and headings, and scores
 * its sentences in context (as Provence does, arXiv 2501.16214). Then it reads each of the few best sentences alone
 * under its headings, and a table row with its header. The third passage is read only if the first two leave it in doubt.
 * Code compares names and amounts: a piece that lacks one of the question's scores lower, and so does a row about
 * something else; what is about a sibling of the thing named (`aboutSibling`) is not read. If a piece uses an alias of
 * a name, the question is put to it with that alias.
 */
export function meaningReader(encoder: Encoder, aliases: Aliases = NO_ALIASES): Reader {
  return {
    isCalibrated: true,
    enough: READING.enough,
    async read({ question, evidence }, { signal }) {
      const isOfSibling = aboutSibling(question, evidence);
      const told = askedInWriting(question, evidence).filter((one) => !isOfSibling(one));
      if (told.length > 0) return told;
      const asksForSteps = intentOf(question) === "steps";
      const found = evidence.flatMap((piece, i) => readBefore(piece, i, question).filter((one) => !isOfSibling(one)));
      const unread = evidence.flatMap((piece, i) =>
        readFor(piece, question) ? [] : weighed(piece, i, aliases.inWordsOf(whole(piece), question)),
      );
      // What an earlier grade did not need to read comes last.
      const pieces = newestFirst(unread).toSorted(
        (a, b) => Number(isGraded(a.evidence)) - Number(isGraded(b.evidence)),
      );
      const [first, others] = [pieces.slice(0, READ_FIRST), pieces.slice(READ_FIRST)];
      const best = () => Math.max(0, ...found.map(({ answers }) => answers));
      found.push(...(await readSome(first.slice(0, READ_AT_ONCE))));
      if (best() >= READING.sure) return withoutOlder(found);
      found.push(...(await readSome(first.slice(READ_AT_ONCE))));
      if (best() >= READING.settled) return withoutOlder(found);
      const least = first.at(-1)?.evidence.score ?? 0;
      const rest = others.filter(({ evidence }) => !isRankedBelow(evidence, least));
      return withoutOlder([...found, ...(await readSome(rest))]);

      async function readSome(batch: readonly Weighed[]): Promise<Reading[]> {
        const parts = batch.flatMap((one) => partsOf(one.evidence, isOfSibling).map((part) => ({ ...one, ...part })));
        const sections = await encoder.judge(parts.map(pairOf), { signal });
        const procedures = new Map(
          parts.map((part, i) => [part, asksForSteps ? procedure(part, sections[i]?.answerability ?? 0) : 0]),
        );
        const units = parts.flatMap((part, i) => {
          const far = sections[i];
          return far
            ? part.units.map((unit, at) => ({
                part,
                unit,
                far,
                ...glanced(part, unit, far, far.units[at]?.answers ?? 0),
              }))
            : [];
        });
        const promising = units.toSorted((a, b) => b.glance - a.glance).slice(0, READ_CLOSELY);
        const alone = promising.map(({ part, unit }) => ({
          text: part.asked,
          as: "question" as const,
          passage: `${part.head}${textInContext(unit)}`,
        }));
        const close = await encoder.judge(alone, { signal });
        return units.map((one): Reading => {
          const at = promising.indexOf(one);
          const near = close[at];
          const { part, unit, far, inContext } = one;
          const { piece } = part;
          const shared = { ...unit, piece, procedure: procedures.get(part) ?? 0 };
          if (!near) return { ...shared, answers: 0, relevance: far.relevance * inContext, words: "", features: [] };
          const features = [
            logOdds(far.answerability),
            logOdds(near.answerability),
            one.here,
            one.shared,
            ...one.exact,
          ];
          const relevance = Math.max(far.relevance * near.relevance, near.answerability);
          const words = near.span ? (alone[at]?.passage.slice(near.span.start, near.span.end) ?? "") : "";
          return { ...shared, answers: probability(features), relevance, words, features };
        });
      }
    },
  };
}

const readFor = ({ read }: Evidence, question: string) => read?.find((known) => known.question === question);

/** Returns what grading has read in a piece for this question. */
function readBefore(evidence: Evidence, piece: number, question: string): Reading[] {
  const read = readFor(evidence, question);
  if (!read) return [];
  const scored = new Map(read.units.map((unit) => [unit.start, unit]));
  return sayable(unitsOf(evidence)).flatMap((unit): Reading[] => {
    const known = scored.get(unit.start);
    return known ? [{ ...unit, piece, ...known, features: [] }] : [];
  });
}

/** Returns the first sentences below a question that the documents put in the words of the user. They answer it, whatever they say. */
const askedInWriting = (question: string, evidence: readonly Evidence[]): Reading[] =>
  evidence.flatMap((evidence, piece) =>
    sayable(answersTo(question, unitsOf(evidence))).map((unit) => ({
      ...unit,
      piece,
      answers: READING.inWriting,
      relevance: 1,
      words: "",
      procedure: READING.inWriting,
      features: [],
    })),
  );

/**
 * How likely a section tells the steps that a question asks for: by the judge, and by the words of the question that its
 * last heading, all of its headings and the whole of it have. Most have a list.
 */
function procedure({ asked, head, evidence, start, end, units }: Weighed & Part, answerability: number): number {
  const wanted = contentTerms(asked);
  const heading = head.trim().split(" - ").at(-1) ?? "";
  const { judge, heading: byHeading, headings, words, list, bias } = READING.procedure;
  const hasList = units.filter(({ kind }) => kind === "item").length > 1;
  return logistic(
    bias +
      (hasList ? list : 0) +
      judge * logOdds(answerability) +
      byHeading * coverage(contentTerms(heading), new Set(wanted)) +
      headings * coverage(wanted, new Set(contentTerms(head))) +
      words * coverage(wanted, new Set(contentTerms(head + evidence.text.slice(start, end)))),
  );
}

/** How many passages are read before the others, and how many of their sentences alone (research/RESULTS.md). */
const READ_AT_ONCE = 2;
const READ_FIRST = 3;
const READ_CLOSELY = 3;

/** Facts and pages are not ranked by the search, and neither is evidence with equal scores. */
const isRankedBelow = ({ source, score }: Evidence, least: number) => source === "document" && score < least;

/** True for evidence that a grade has cut into strips. */
const isGraded = ({ strips }: Evidence) => strips.length > 0;

/** A piece of evidence, the question worded with the piece's aliases, and what the piece lacks of the question. */
interface Weighed {
  piece: number;
  evidence: Evidence;
  asked: string;
  lack: ReturnType<typeof lacks>;
  rowLacks: ReturnType<typeof aboutOthers>;
}

const weighed = (evidence: Evidence, piece: number, asked: string): Weighed => ({
  piece,
  evidence,
  asked,
  lack: lacks(asked, evidence),
  rowLacks: aboutOthers(asked),
});

/** Pairs the question with a section under its headings, and with the section's units. */
function pairOf({ asked, evidence: { text }, head, start, end, units }: Weighed & Part): Pair {
  const at = head.length - start;
  return {
    text: asked,
    as: "question",
    passage: `${head}${text.slice(start, end)}`,
    units: units.map((unit) => ({ start: at + unit.start, end: at + unit.end })),
  };
}

/** Scores one unit by the reading of its whole section. The units with the highest `glance` are read alone. */
function glanced(part: Weighed & Part, unit: Unit, far: Judged, inContext: number) {
  const here = isIn(unit, spanIn(part, far)) ? (far.span?.probability ?? 0) : 0;
  const shared = coverage(contentTerms(part.asked), new Set(contentTerms(textInContext(unit))));
  const row = part.rowLacks(unit);
  const exact = [
    Math.max(part.lack.names, row.names),
    Math.max(part.lack.amounts, row.amounts),
    lacksKind(part.asked, textInContext(unit)) ? 1 : 0,
    part.lack.language,
  ];
  const glance = dot(
    [logOdds(far.answerability), logOdds(inContext), here, shared, ...exact],
    Object.values(READING.weights),
  );
  return { inContext, here, shared, exact, glance };
}

export const FEATURES = Object.keys(READING.weights);

const probability = (features: readonly number[]) =>
  logistic(READING.bias + dot(features, Object.values(READING.weights)));

/** A section of a piece of evidence, with its title and headings as `head`, and the units that an answer may use. */
interface Part extends Span {
  head: string;
  units: readonly Unit[];
}

/** Cuts a piece at its headings; consecutive headings open one section. Leaves out what is about a sibling. */
function partsOf(evidence: Evidence, isOfSibling: (unit: Unit) => boolean): Part[] {
  const said = unitsOf(evidence).filter(({ kind }) => kind !== "heading");
  return [...Map.groupBy(said, ({ headings }) => headings)].flatMap(([headings, units]) => {
    const [first, last] = [units[0], units.at(-1)];
    const head = headOf(evidence, headings);
    if (!first || !last || units.every(isOfSibling)) return [];
    return [{ start: first.start, end: last.end, head, units: sayable(units).filter((unit) => !isOfSibling(unit)) }];
  });
}

/** Converts the encoder's answer span to offsets in the text of the piece. */
function spanIn({ head, start: at }: Part, { span }: Judged): Span | undefined {
  if (!span || span.end <= head.length) return undefined;
  return { start: at + Math.max(0, span.start - head.length), end: at + span.end - head.length };
}

const isIn = (unit: Unit, span: Span | undefined) => span !== undefined && overlap(span, unit);

const headOf = (evidence: Evidence, headings: readonly string[]): string => {
  const head = headLine(evidence, headings);
  return head === "" ? "" : `${head}\n`;
};

/** Returns the units that an answer may use: those that state something and are not prompt injections. */
export const sayable = (units: readonly Unit[]): Unit[] =>
  units.filter(
    ({ states, from, end, evidence }) =>
      states && !orders(evidence.text).some((order) => overlap(order, { start: from, end })),
  );

/** Scores by words alone: the share of the question's words in a sentence and its headings, rare words weighing more. */
export function wordReader(aliases: Aliases = NO_ALIASES): Reader {
  return {
    isCalibrated: false,
    enough: READING.enoughByWords,
    async read({ question, evidence }) {
      const questions = evidence.map((piece) => aliases.inWordsOf(whole(piece), question));
      const isOfSibling = aboutSibling(question, evidence);
      const told = askedInWriting(question, evidence).filter((one) => !isOfSibling(one));
      if (told.length > 0) return told;
      const units = evidence.flatMap((piece, i) =>
        sayable(unitsOf(piece))
          .filter((unit) => !isOfSibling(unit))
          .map((unit) => ({ ...unit, piece: i })),
      );
      const found = units.map(
        (unit) => new Set(terms(`${headOf(unit.evidence, unit.headings)}${textInContext(unit)}`)),
      );
      const rarity = inverseFrequency(found);
      const read = units.map((unit, i): Reading => {
        const asked = questions[unit.piece] ?? question;
        const { names: withoutNames, amounts } = lacks(asked, unit.evidence);
        const met = coverage(contentTerms(asked), found[i] ?? new Set(), (term) => 0.2 + rarity(term));
        const relevance = met * (1 - withoutNames / 2) * (1 - amounts / 2);
        return { ...unit, relevance, answers: relevance, words: "", procedure: relevance, features: [] };
      });
      return withoutOlder(read);
    },
  };
}
