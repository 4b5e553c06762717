import { JudgeBusyError, toError } from "../errors.js";
import type { Aliases } from "../text/aliases.js";
import { questionParts } from "../text/question-parts.js";
import type { Encoder } from "../tools/encoder/port.js";
import type { DraftClaim } from "../types/answer.js";
import type { Generator, Grade, Grader, Reasoners, Rewriter, Task } from "../types/reasoners.js";
import { localGenerator } from "./local-generator.js";
import { localGrader } from "./local-grader.js";
import { meaningReader, type Reader, wordReader } from "./reading.js";
import { standalone } from "./standalone.js";

/**
 * The reasoners that need no chat model and no network. They spend no calls and throw only when aborted.
 * @param options.encoder judges by meaning. Default: words alone.
 * @param options.aliases names that count as the same. Default: none.
 */
export function localReasoners({ encoder, aliases }: { encoder?: Encoder; aliases?: Aliases } = {}): Reasoners {
  const byWords = wordReader(aliases);
  const reader = encoder ? eitherReader(meaningReader(encoder, aliases), byWords) : byWords;
  const grader = localGrader(reader, aliases);
  return {
    grader: gradePartByPart(grader),
    rewriter: localRewriter(),
    generator: generatePartByPart(localGenerator(reader, aliases), grader),
  };
}

/**
 * Uses the second reader if the first one fails, and reports the failure.
 * @throws JudgeBusyError if the first one does: the caller has another way to judge.
 */
export function eitherReader(first: Reader, second: Reader): Reader {
  return {
    ...first,
    async read(task, call) {
      try {
        return await first.read(task, call);
      } catch (error) {
        if (call.signal.aborted || error instanceof JudgeBusyError) throw error;
        call.fault(toError(error), "encoder");
        return second.read(task, call);
      }
    },
  };
}

/**
 * Makes follow-ups stand alone. It does not rephrase questions: a second query of the content words alone gave a right
 * answer to only 1 of 51 questions that needed one (160 questions over four sets) and doubled their time.
 */
export const localRewriter = (): Rewriter => ({
  standalone: async (question, history) => standalone(question, history),
  rewrite: async ({ question }) => question,
});

/** Grades a compound question part by part: full if every part is answered, partial if only some are. */
const gradePartByPart = (grader: Grader): Grader => ({
  async grade(task, call) {
    const parts = partsOf(task);
    const [first, ...others] = await Promise.all(parts.map((part) => grader.grade(part, call)));
    if (!first || others.length === 0) return first ?? grader.grade(task, call);
    const grades = [first, ...others];
    const open = parts.filter((_, i) => grades[i]?.answerability !== "full");
    const probabilities = grades.flatMap(({ probability }) => probability ?? []);
    const mean = probabilities.reduce((sum, p) => sum + p, 0) / probabilities.length;
    const probability = open.length === 0 ? Math.min(...probabilities) : mean;
    return {
      ...first,
      relevance: task.evidence.map((_, piece) => highest(grades.map(({ relevance }) => relevance[piece] ?? []))),
      read: task.evidence.map((_, piece) => grades.flatMap(({ read }) => read?.[piece] ?? [])),
      answerability: open.length === 0 ? "full" : leastOf(grades),
      ...(probabilities.length > 0 && { probability }),
      missing: open.length < parts.length ? openParts(open) : first.missing,
      entities: [...new Set(grades.flatMap(({ entities }) => entities))],
    };
  },
});

/** Returns the answerability of parts that are not all answered. */
function leastOf(grades: readonly Grade[]): Grade["answerability"] {
  const has = (some: Grade["answerability"]) => grades.some(({ answerability }) => answerability === some);
  return has("full") ? "partial" : has("unknown") ? "unknown" : has("partial") ? "partial" : "none";
}

const highest = (rows: readonly (readonly number[])[]): number[] =>
  Array.from({ length: Math.max(0, ...rows.map(({ length }) => length)) }, (_, i) =>
    Math.max(...rows.map((row) => row[i] ?? 0)),
  );

/**
 * Answers a compound question part by part, with each claim once, and says which parts are missing. If one part is
 * answered, claims that only may answer another part are left out.
 */
export const generatePartByPart = (generator: Generator, grader: Grader): Generator => ({
  async generate(task, call, onClaim) {
    const parts = partsOf(task);
    // Of a long text, the one part is its question.
    if (parts.length === 1) return generator.generate({ ...task, ...parts[0] }, call, onClaim);
    const claims = new Map<string, DraftClaim>();
    const missing: string[] = [];
    const grades = await Promise.all(parts.map((part) => grader.grade(part, call)));
    const isFull = grades.map(({ answerability }) => answerability === "full");
    for (const [i, part] of parts.entries()) {
      const isOpen = isFull.includes(true) && !isFull[i];
      const { probability, answerability = "none" } = grades[i] ?? {};
      const verdict = task.verdict && probability !== undefined && { ...task.verdict, probability, answerability };
      const draft = isOpen
        ? { claims: [], missing: "" }
        : await generator.generate({ ...task, ...part, ...(verdict && { verdict }) }, call);
      missing.push(draft.claims.length === 0 ? openParts([part]) : draft.missing);
      const blocks = Math.max(0, ...claims.values().map(({ form }) => 1 + (form?.block ?? 0)));
      for (const { form, ...drafted } of draft.claims) {
        if (claims.has(drafted.text)) continue;
        const claim = { ...drafted, ...(form && { form: { ...form, block: blocks + form.block } }) };
        claims.set(claim.text, claim);
        onClaim?.(claim);
      }
    }
    return {
      quoted: true,
      claims: [...claims.values()],
      missing: claims.size > 0 ? missing.filter((text) => text !== "").join(", ") : "",
    };
  },
});

const partsOf = (task: Task): Task[] => questionParts(task.question).map((question) => ({ ...task, question }));

const openParts = (open: readonly Task[]) => open.map(({ question }) => `“${question}”`).join(", ");
