import { differInAmount } from "../facts/disagree.js";
import { names } from "../facts/names.js";
import { type Aliases, NO_ALIASES } from "../text/aliases.js";
import { ownLanguage } from "../text/language.js";
import { AUXILIARIES, anyOf, QUESTION_WORDS } from "../text/lexicon.js";
import { strips } from "../text/strips.js";
import { contentTerms } from "../text/tokens.js";
import { READING } from "../thresholds.js";
import { logistic, logOdds } from "../tools/encoder/math.js";
import type { Evidence, Read } from "../types/evidence.js";
import type { Language } from "../types/language.js";
import type { Grade, Grader, Task } from "../types/reasoners.js";
import { answerShare, whole } from "./lacks.js";
import { lacksKind } from "./lacks-kind.js";
import { missingFrom } from "./missing.js";
import type { Reader, Reading } from "./reading.js";
import { textInContext } from "./units.js";

/**
 * Grades by the scores of a reader: a strip is as relevant as its best sentence. Makes no model call. The result of a query
 * answers: without a model, it is run only if the question's own words name it.
 */
export function localGrader(reader: Reader, aliases: Aliases = NO_ALIASES): Grader {
  return {
    async grade(task, call) {
      if (task.evidence.some(({ computed }) => computed)) return computedGrade(task);
      const asksNothing = isNonsense(task.question, task.language, task.evidence.map(whole));
      const read = asksNothing ? [] : await reader.read(task, call);
      const foremost = read.reduce<Reading | undefined>((a, b) => (a && a.answers >= b.answers ? a : b), undefined);
      // Pages on one subject repeat each other in other words, and the search does not rank them.
      const isRanked = reader.isCalibrated && foremost !== undefined && isOfDocument(foremost.evidence);
      const found = isRanked ? besideRivals(read, foremost, task) : read;
      const relevance = task.evidence.map((piece, i) =>
        strips(piece.text).map(({ start, end }) =>
          Math.max(
            0,
            ...found.filter((one) => one.piece === i && one.start >= start && one.end <= end).map(toRelevance),
          ),
        ),
      );
      const best = Math.max(0, ...found.map(({ answers }) => answers));
      const most = Math.max(0, ...relevance.flat());
      const onTopic = found.some(isOnTopic);
      const answerability =
        best >= reader.enough
          ? "full"
          : reader.isCalibrated && (best >= READING.speak || onTopic)
            ? "unknown"
            : most >= READING.something
              ? "partial"
              : "none";
      return {
        relevance,
        ...(reader.isCalibrated && { read: task.evidence.map((piece, i) => readIn(read, piece, i, task.question)) }),
        answerability,
        ...(reader.isCalibrated && { probability: best }),
        missing: answerability === "full" ? "" : missingFrom(task, aliases, most >= READING.something),
        entities: names(task.question),
        clarification: asksNothing ? ASK[ownLanguage(task.language)] : "",
      };
    },
  };
}

const computedGrade = ({ question, evidence }: Task): Grade => ({
  relevance: evidence.map(({ text, computed }) => strips(text).map(() => (computed ? 1 : 0))),
  answerability: "full",
  probability: READING.computed,
  missing: "",
  entities: names(question),
  clarification: "",
});

/** Returns what was read in a piece, unless an earlier grade read it. */
function readIn(found: readonly Reading[], { read }: Evidence, piece: number, question: string): Read[] {
  if (read?.some((known) => known.question === question)) return [];
  const units = found
    .filter((one) => one.piece === piece)
    .map(({ start, end, answers, relevance, words, procedure }) => ({
      ...{ start, end, answers, relevance, words, procedure },
    }));
  return units.length > 0 ? [{ question, units }] : [];
}

/**
 * Corrects the probability of the best sentence, which is a document's, by what else was found in documents, and changes the log odds
 * of the others by as much. If a sentence of another passage answers nearly as probably but says something else,
 * the judge has found the subject rather than the answer. What the search ranked first is right more often.
 */
function besideRivals(found: readonly Reading[], best: Reading, { question, evidence }: Task): Reading[] {
  const rivals = found.filter(
    (one) => isOfDocument(one.evidence) && one.piece !== best.piece && !saysTheSame(one, best, question),
  );
  // A sentence without the kind of thing asked for cannot answer, but is no weaker a sign that the judge found the subject.
  const asRival = (one: Reading) =>
    lacksKind(question, textInContext(one))
      ? logistic(logOdds(one.answers) - READING.weights.kindMissing)
      : one.answers;
  const rival = Math.max(0, ...rivals.map(asRival));
  const isFirst = evidence.filter(isOfDocument).every(({ score }) => score <= best.evidence.score);
  const change =
    (READING.certainty.best - 1) * logOdds(best.answers) +
    READING.certainty.rival * rival +
    (isFirst ? READING.certainty.rankedFirst : 0) +
    READING.certainty.bias;
  return found.map((one) => ({ ...one, answers: logistic(logOdds(one.answers) + change) }));
}

const isOfDocument = ({ source }: Evidence) => source === "document";

/**
 * True if a sentence may say the same as the best one: it has half of the words that answer there, differs in an amount
 * alone, or is in another language.
 */
function saysTheSame(one: Reading, best: Reading, question: string): boolean {
  if (one.evidence.language !== best.evidence.language || differInAmount(one.text, best.text)) return true;
  return (answerShare(best.words, one.text, question) ?? 0) >= READING.sameWords;
}

/**
 * Maps a probability to a relevance: even odds become 0.6, from which an answer is drafted. Text that is merely about the
 * question stays below that.
 */
const toRelevance = (one: Reading) =>
  Math.max(
    one.answers / (one.answers + ((1 - one.answers) * (1 - READING.atEvenOdds)) / READING.atEvenOdds),
    READING.about * one.relevance,
    // Another source does not take its place.
    isOnTopic(one) ? READING.something : 0,
  );

/** True if it is about what is asked, or of the procedure that is asked for, so that its passage may answer. */
const isOnTopic = ({ relevance, procedure }: Reading) => relevance >= READING.onTopic || procedure >= READING.mayBe;

const ASK = { en: "What is your question about? Please be specific.", zh: "你想问的是什么？请说得具体一些。" };

/**
 * True for a text that asks nothing: one word or character repeated, a few words over and over without a question, or
 * words that form no question and appear in no text that was found for them ("asdf", "ok"). False in languages without
 * word lists.
 */
export function isNonsense(question: string, language: Language, texts: readonly string[]): boolean {
  if (language === "other") return false;
  const all = contentTerms(question);
  const asked = new Set(all);
  if (asked.size === 0 || (asked.size === 1 && (all.length > 1 || REPEATED.test(all[0] ?? "")))) return true;
  // "When's payday?" is a question even if no text mentions payday; a name alone is one too.
  if (ASKING.test(question)) return false;
  if (all.length >= TOO_OFTEN * asked.size) return true;
  if (names(question).length > 0) return false;
  return asked.isDisjointFrom(new Set(texts.flatMap(contentTerms)));
}

const REPEATED = /^(.)\1+$/u;
/** How often each word stands in a text that only repeats them. In one of 9,000 characters that does not, it is 2.4 times. */
const TOO_OFTEN = 5;
const ASKING = anyOf({ en: `${QUESTION_WORDS.en} ${AUXILIARIES}`, zh: `${QUESTION_WORDS.zh} 几 哪 多` });
