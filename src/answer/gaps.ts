import { z } from "zod";
import { languageOf } from "../text/language.js";
import { dot, jaccard } from "../text/similarity.js";
import { smallTalkIn } from "../text/small-talk.js";
import { contentTerms, plainWithoutMarks } from "../text/tokens.js";
import type { Embeddings } from "../tools/encoder/port.js";
import { Answer, Failure, lacksContent, Nearest, Query } from "../types/answer.js";
import { Language } from "../types/language.js";

/**
 * A line of a log: the fields of an answer that are used, with the question as it was asked and the ISO time, if
 * present.
 */
export const LoggedAnswer = z.object({
  question: z.string().optional(),
  askedAt: z.string().optional(),
  status: Answer.shape.status,
  missing: z.string(),
  failures: z.array(Failure.pick({ tag: true })),
  nearest: z.array(Nearest).optional(),
  queries: z.array(Query.pick({ text: true })),
});
export type LoggedAnswer = z.infer<typeof LoggedAnswer>;

/** Questions that ask for the same thing, which the documents do not answer. */
export interface Gap {
  /** How often it was asked since it was last answered. */
  count: number;
  /** The ISO time when it was last asked; empty if the log has none. */
  newest: string;
  /** The questions as they were asked, most frequent first. */
  questions: string[];
  /** What was missing, each once. */
  missing: string[];
  /** The passage that came nearest when it was last asked. */
  nearest?: Nearest;
}

/**
 * Finds what the documents lack, from answers in order from oldest to newest; the most wanted gap comes first. A
 * question that was answered later is not a gap, nor is one that failed because of a source or a model, nor small talk.
 * @param options.embeddings groups questions by meaning, across languages. Default: by their words.
 * @throws as the embeddings do; the signal's reason if aborted.
 */
export async function gapsIn(
  answers: readonly LoggedAnswer[],
  options: { embeddings?: Embeddings | undefined; signal?: AbortSignal | undefined } = {},
): Promise<Gap[]> {
  const open = new Map<string, LoggedAnswer[]>();
  for (const answer of answers) {
    const question = plainWithoutMarks(questionOf(answer));
    if (question === "" || smallTalkIn(questionOf(answer))) continue;
    const tags = answer.failures.map(({ tag }) => tag);
    if (lacksContent(answer.status, tags)) open.set(question, [...(open.get(question) ?? []), answer]);
    else if (answer.status === "answered") open.delete(question);
  }
  const asked = [...open.values()];
  const groups = await grouped(
    asked.map(([first]) => (first ? questionOf(first) : "")),
    options,
  );
  return groups
    .map((group) => gapOf(group.flatMap((i) => asked[i] ?? [])))
    .sort((a, b) => b.count - a.count || (a.newest < b.newest ? 1 : -1));
}

/** The question in its self-contained form, since a follow-up cannot be understood alone. */
const questionOf = ({ queries, question = "" }: LoggedAnswer) => queries[0]?.text ?? question;

function gapOf(answers: readonly LoggedAnswer[]): Gap {
  const byTime = answers.toSorted((a, b) => ((a.askedAt ?? "") < (b.askedAt ?? "") ? -1 : 1));
  const [nearest] = byTime.findLast((answer) => answer.nearest?.length)?.nearest ?? [];
  return {
    count: answers.length,
    newest: byTime.at(-1)?.askedAt ?? "",
    questions: mostFrequentFirst(answers.map(questionOf)),
    missing: mostFrequentFirst(answers.map(({ missing }) => missing)).filter((what) => what !== ""),
    ...(nearest && { nearest }),
  };
}

const mostFrequentFirst = (texts: readonly string[]): string[] =>
  [...Map.groupBy(texts, (text) => text)].toSorted(([, a], [, b]) => b.length - a.length).map(([text]) => text);

/** Puts each question into the nearest group, or into a new one if none is near. Returns the groups, as indices. */
async function grouped(questions: readonly string[], { embeddings, signal }: Parameters<typeof gapsIn>[1] & object) {
  const [likeness, enough] = embeddings
    ? [await byMeaning(questions, embeddings, signal), SAME_MEANING]
    : [byWords(questions), SAME_WORDS];
  const groups: number[][] = [];
  for (const i of questions.keys()) {
    const near = groups.map((group) => group.reduce((sum, j) => sum + likeness(i, j), 0) / group.length);
    const best = Math.max(...near);
    if (best >= enough) groups[near.indexOf(best)]?.push(i);
    else groups.push([i]);
  }
  return groups;
}

/**
 * The minimum cosine of two questions that ask for the same. On 24 subjects in 71 wordings, English and Chinese, four
 * of five pairs on one subject reach it; of 1,028 pairs on two subjects, only those about the same product do.
 */
const SAME_MEANING = 0.4;
/** The minimum Jaccard similarity of content terms. Set by hand. */
const SAME_WORDS = 0.5;

/**
 * Compares by the cosine after subtracting the mean question of each language. All questions are close to each other,
 * most of all those in one language, so their plain cosine says little.
 */
async function byMeaning(questions: readonly string[], embeddings: Embeddings, signal: AbortSignal | undefined) {
  const all = [...PLAIN_QUESTIONS.en, ...PLAIN_QUESTIONS.zh, ...questions];
  const vectors: number[][] = [];
  for (let start = 0; start < all.length; start += AT_ONCE) {
    signal?.throwIfAborted();
    vectors.push(...(await embeddings.embed(all.slice(start, start + AT_ONCE), { as: "question", signal })));
  }
  const isIn = (language: Language, i: number) => {
    const own = languageOf(all[i] ?? "");
    return own === language || (language === "other" && own === "en" && i < PLAIN_QUESTIONS.en.length);
  };
  const means = new Map(
    Language.options.map((language) => [language, meanOf(vectors.filter((_, i) => isIn(language, i)))]),
  );
  const centred = vectors.slice(-questions.length).map((vector, i) => {
    const mean = means.get(languageOf(questions[i] ?? "")) ?? [];
    const moved = vector.map((x, d) => x - (mean[d] ?? 0));
    const length = Math.hypot(...moved) || 1;
    return moved.map((x) => x / length);
  });
  return (a: number, b: number) => dot(centred[a] ?? [], centred[b] ?? []);
}

const AT_ONCE = 256;

/**
 * Questions without a subject, so that the mean of a short log is not one of its own questions. Other languages share
 * the English ones.
 */
const PLAIN_QUESTIONS = {
  en: [
    ...["What is it?", "Who did that?", "When does it begin?", "Where is it?", "How much does it cost?"],
    ...["How does it work?", "Why was it changed?", "Which one is allowed?"],
  ],
  zh: [
    ...["这是什么？", "是谁做的？", "什么时候开始？", "在哪里？", "要多少钱？", "怎么用？", "为什么改了？"],
    "哪一个可以？",
  ],
};

const meanOf = (vectors: readonly number[][]): number[] =>
  (vectors[0] ?? []).map((_, d) => vectors.reduce((sum, vector) => sum + (vector[d] ?? 0), 0) / vectors.length);

function byWords(questions: readonly string[]) {
  const terms = questions.map((question) => new Set(contentTerms(question)));
  return (a: number, b: number) => jaccard(terms[a] ?? new Set(), terms[b] ?? new Set());
}
