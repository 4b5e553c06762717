import type { Tools } from "../state/tools.js";
import { outlineOf } from "../text/outline.js";
import { strips } from "../text/strips.js";
import type { Passage } from "../types/evidence.js";
import type { Checker, Generator, Grade, Grader, Rewriter } from "../types/reasoners.js";
import { inMemoryDocuments } from "./documents.js";
import { inMemoryKnowledge } from "./knowledge.js";

/**
 * The simplest parts, for tests of a graph: documents and an empty knowledge graph in memory, a grader that finds all
 * evidence relevant and sufficient, a generator that quotes the first sentence of each passage, and a checker that supports
 * every claim. Replace the part under test.
 */
export function fakeTools(parts: Partial<Tools> & { passages?: readonly Passage[] } = {}): Tools {
  const { passages = [], ...given } = parts;
  return {
    documents: inMemoryDocuments(passages),
    knowledge: inMemoryKnowledge(),
    grader: fakeGrader({}),
    rewriter: fakeRewriter,
    generator: fakeGenerator,
    checker: fakeChecker("supported"),
    ...given,
  };
}

/** Gives all evidence the same grade, by default relevant and sufficient. */
export const fakeGrader = (grade: Partial<Omit<Grade, "relevance">> & { relevance?: number }): Grader => ({
  grade: async ({ evidence }) => ({
    answerability: evidence.length > 0 ? "full" : "none",
    missing: "",
    entities: [],
    clarification: "",
    ...grade,
    relevance: evidence.map(({ text }) => strips(text).map(() => grade.relevance ?? 0.9)),
  }),
});

/** Gives every claim the same verdict. */
export const fakeChecker = (verdict: "supported" | "contradicted" | "unsupported"): Checker => ({
  check: async ({ claims }) => claims.map(() => ({ verdict, reason: { code: "own", words: "scripted" } })),
});

const fakeRewriter: Rewriter = {
  standalone: async (question, history) => `${history.at(-1)?.question ?? ""} ${question}`.trim(),
  rewrite: async ({ question, queries }) => `${question} ${queries.length}`,
};

const fakeGenerator: Generator = {
  generate: async ({ evidence }, _call, onClaim) => {
    const claims = evidence.flatMap(({ id, text }) => {
      const quote = outlineOf(text)[0]?.text ?? "";
      return quote ? [{ text: quote, citations: [{ evidenceId: id, quote }] }] : [];
    });
    for (const claim of claims) onClaim?.(claim);
    return { quoted: true, claims, missing: "" };
  },
};
