import { strips } from "../../src/text/strips.js";
import type { Reasoners } from "../../src/types/reasoners.js";

/** The simplest reasoners that keep the promises of their ports. */
export const fakeReasoners = (): Reasoners => ({
  grader: {
    async grade({ evidence }, { signal }) {
      signal.throwIfAborted();
      return {
        relevance: evidence.map(({ text }) => strips(text).map(() => 0.5)),
        answerability: evidence.length > 0 ? "full" : "none",
        missing: "",
        entities: [],
        clarification: "",
      };
    },
  },
  rewriter: {
    async standalone(question, _history, { signal }) {
      signal.throwIfAborted();
      return question;
    },
    async rewrite({ question }, { signal }) {
      signal.throwIfAborted();
      return question;
    },
  },
  generator: {
    async generate({ evidence }, { signal }, onClaim) {
      signal.throwIfAborted();
      const claims = evidence.map(({ id, text }) => ({ text, citations: [{ evidenceId: id, quote: text }] }));
      for (const claim of claims) onClaim?.(claim);
      return { claims, missing: "" };
    },
  },
  checker: {
    async check({ claims }, { signal }) {
      signal.throwIfAborted();
      return claims.map(() => ({ verdict: "supported", reason: { code: "own", words: "scripted" } }));
    },
  },
});
