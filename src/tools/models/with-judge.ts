import { JudgeBusyError } from "../../errors.js";
import { KEEP_AT } from "../../text/strips.js";
import type { Call } from "../../types/call.js";
import type { Evidence, Verdict } from "../../types/evidence.js";
import type { Reasoners } from "./fallback.js";
import type { Generator, Grade, Grader } from "./port.js";

type Judging = Pick<Reasoners, "grader" | "generator">;

/**
 * Divides the work between a model and reasoners with a judge, which cost no call. The judge grades. The model words
 * what the judge finds, and its draft decides if the judge cannot. In the thorough form, and in languages that the
 * judge was not trained on, the model grades what the judge is not sure of. If the judge is busy with other questions,
 * the model works without it: it drafts from what the search ranked first, and its draft decides.
 * @param own the reasoners with a judge. If their grader returns no probability, the model grades.
 * @param byWords grades while the judge is busy.
 */
export const withJudge = (model: Judging, own: Judging, byWords: Grader): Judging => ({
  grader: {
    async grade(task, call) {
      const mayGrade = call.thorough === true || task.language === "other";
      const judged = await unlessBusy(call, () => own.grader.grade(task, call));
      if (!judged && !mayGrade) return unjudged(await byWords.grade(task, call), task.evidence);
      const { probability } = judged ?? {};
      if (!judged || probability === undefined) return model.grader.grade(task, call);
      if (isHopeless(probability) || isSure(judged)) return judged;
      if (mayGrade) return bothGrades(judged, task.evidence, model.grader, task, call);
      return judged.answerability === "full" ? judged : undecided(judged);
    },
  },
  generator: draftedWithQuotes(model.generator, own.generator),
});

/** Returns what the judge finds; undefined if it is busy, which is reported to `call.fault`. */
async function unlessBusy<T>(call: Call, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof JudgeBusyError)) throw error;
    call.fault(error);
    return undefined;
  }
}

/** True if the judge is sure that the evidence does not answer, so that the model need not read it. */
const isHopeless = (probability: number) => probability <= SURE_NO;

/** True if the judge is sure that the evidence answers. */
export const isSure = ({ probability = 0, answerability }: Pick<Verdict, "probability" | "answerability">) =>
  probability >= SURE_YES && answerability === "full";

/** Lets a draft decide. It reads the best strips even if the judge finds them less relevant than is usually read. */
function undecided(judged: Grade): Grade {
  const least = judged.relevance.flat().toSorted((a, b) => b - a)[READ - 1] ?? 0;
  const read = (value: number) => (value >= least && value >= HOPELESS_STRIP ? Math.max(value, KEEP_AT) : value);
  return { ...judged, undecided: true, relevance: judged.relevance.map((row) => row.map(read)) };
}

/** The number of strips that a draft reads at least if the judge cannot decide. */
const READ = 3;

/** Lets a draft decide. It reads the first of the passages that were not graded before, whatever words they share. */
function unjudged(graded: Grade, evidence: readonly Evidence[]): Grade {
  if (graded.clarification !== "") return graded;
  const first = evidence.filter(({ strips }) => strips.length === 0).slice(0, READ_UNJUDGED);
  const read = (row: number[], i: number) =>
    first.some((piece) => piece === evidence[i]) ? row.map((value) => Math.max(value, KEEP_AT)) : row;
  return { ...graded, undecided: true, answerability: "unknown", relevance: graded.relevance.map(read) };
}

/**
 * The search puts a passage that answers among the first 4 for 121 of 148 questions, and among the first 8 for 134
 * (docs/evaluation.md).
 */
const READ_UNJUDGED = 4;

/**
 * Has the model grade the pieces that the judge does not find hopeless. Its "full" counts as "partial" if the judge
 * doubts it.
 */
async function bothGrades(
  judged: Grade,
  evidence: readonly Evidence[],
  model: Grader,
  task: Parameters<Grader["grade"]>[0],
  call: Parameters<Grader["grade"]>[1],
): Promise<Grade> {
  const { probability = 0 } = judged;
  const isRead = judged.relevance.map((row) => row.some((value) => value >= HOPELESS_STRIP));
  const read = evidence.filter((_, i) => isRead[i]);
  if (read.length === 0) return judged;
  const said = await model.grade({ ...task, evidence: read }, call);
  const rows = said.relevance.values();
  return {
    ...said,
    probability,
    answerability: said.answerability === "full" && probability < DOUBTFUL ? "partial" : said.answerability,
    relevance: judged.relevance.map((row, i) => (isRead[i] ? larger(row, rows.next().value ?? []) : row)),
  };
}

/**
 * Adds to a model's draft the sentences that the judge would quote, in case the draft's own claims do not hold or do
 * not answer. A rejected draft is replaced by these sentences without a call, except in the thorough form.
 */
const draftedWithQuotes = (model: Generator, own: Generator): Generator => ({
  async generate(task, call, onClaim) {
    const { probability } = task.verdict ?? {};
    if (probability === undefined) return model.generate(task, call, onClaim);
    const { repair: _, ...fresh } = task;
    const { claims: quotes = [] } = (await unlessBusy(call, () => own.generate(fresh, call))) ?? {};
    const draft =
      task.repair && !call.thorough ? { claims: [], missing: "" } : await model.generate(task, call, onClaim);
    return quotes.length > 0 ? { ...draft, quotes } : draft;
  },
});

/**
 * Thresholds on the calibrated probability that the evidence answers the question. Of 144 questions that can be
 * answered and 85 that cannot, 3 and 18 are at or below `SURE_NO`, and 12 and 54 below `DOUBTFUL` (docs/evaluation.md).
 */
export const SURE_YES = 0.85;
export const SURE_NO = 0.1;
export const DOUBTFUL = 0.3;

/** Of 184 strips with the answer to a question, the judge rated one below this (docs/evaluation.md). */
export const HOPELESS_STRIP = 0.05;

/** The larger relevance of each strip, except that a strip that the judge finds hopeless keeps the judge's value. */
const larger = (own: readonly number[], said: readonly number[]) =>
  own.map((value, i) => (value < HOPELESS_STRIP ? value : Math.max(value, said[i] ?? 0)));
