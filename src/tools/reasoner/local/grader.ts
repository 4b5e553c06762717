import { names } from "../../../text/names.js";
import { strips } from "../../../text/sentences.js";
import type { Embeddings } from "../../embeddings/port.js";
import type { Grade, Grader, Task } from "../port.js";
import { alike } from "./alike.js";
import { aspects } from "./aspects.js";
import { type Match, matches } from "./match.js";
import { missingFrom } from "./missing.js";
import type { Question } from "./question.js";
import { logOdds, relevanceAt } from "./weights.js";

/**
 * Grades by words: how many of the question's a sentence and its surroundings have, and whether it denies, contradicts or
 * lacks what the question turns on. No model and no network, unless embeddings are given; they only shift what the words say.
 */
export function localGrader({ embeddings }: { embeddings?: Embeddings } = {}): Grader {
  return {
    async grade(task, call) {
      const asked = aspects(task);
      const cut = task.evidence.map((piece) => strips(piece.text));
      const shift = embeddings ? await alike(task, cut, embeddings, call) : undefined;
      const relevance = cut.map((spans) => spans.map(() => 0));
      const judgements = asked.map((question) => {
        const met = matches(question, task.evidence).map((match) => {
          const strip = cut[match.piece]?.findIndex(({ start, end }) => match.start >= start && match.end <= end) ?? -1;
          const odds = logOdds(match.features) + (shift?.[match.piece]?.[strip] ?? 0);
          return { ...match, strip, relevance: relevanceAt(odds) };
        });
        const telling = met.filter((match) => !match.silent);
        for (const { piece, strip, relevance: found } of telling) {
          const row = relevance[piece];
          if (row?.[strip] !== undefined) row[strip] = Math.max(row[strip], found);
        }
        return judged(question, task, telling, met);
      });
      return {
        relevance,
        ...together(judgements),
        entities: names(task.question),
        clarification: clarification(asked),
      };
    },
  };
}

const ENOUGH = 0.6;
const SOMETHING = 0.3;

type Judged = Pick<Grade, "answerability" | "missing" | "reason">;

function judged(question: Question, task: Task, met: readonly Graded[], all: readonly Graded[]): Judged {
  const best = highest(met);
  const direct = highest(met.filter((match) => !match.besides));
  const answerability =
    (direct?.relevance ?? 0) >= ENOUGH ? "full" : (best?.relevance ?? 0) >= SOMETHING ? "partial" : "none";
  const missing = answerability === "full" ? "" : missingFrom(question, task.evidence, best ?? highest(all));
  return { answerability, missing, reason: reasonOf(best, direct) };
}

/** All sides answered, some, or none. */
function together(judgements: readonly Judged[]): Judged {
  const said = new Set(judgements.map(({ answerability }) => answerability));
  return {
    answerability: said.size === 1 ? (judgements[0]?.answerability ?? "none") : "partial",
    missing: joined(judgements.map(({ missing }) => missing)),
    reason: joined(judgements.map(({ reason }) => reason)),
  };
}

const joined = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== "").join(" / ");

type Graded = Match & { relevance: number };

const highest = (met: readonly Graded[]): Graded | undefined =>
  met.reduce<Graded | undefined>((best, next) => (best && best.relevance >= next.relevance ? best : next), undefined);

function reasonOf(best: Graded | undefined, direct: Graded | undefined): string {
  if (!best) return "There is no evidence.";
  const share = `The best sentence and its neighbours have ${Math.round(100 * best.near)}% of the question's words`;
  if (best === direct || best.relevance < SOMETHING) return `${share}.`;
  return best.features.turned > 0
    ? `${share}, but say the opposite.`
    : `${share}, but not a name or an amount it turns on.`;
}

/** Asked back only where the question holds nothing to look for. */
const clarification = ([{ terms, language }]: readonly [Question, ...Question[]]): string =>
  terms.length > 0 ? "" : ASK[language];

const ASK = { en: "What is your question about? Please name it.", zh: "您想问的是什么？请说出具体的对象或名称。" };
