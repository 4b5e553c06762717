import { negations } from "../../../language/negation.js";
import { contentTerms, wordsAsWritten } from "../../../language/tokens.js";
import type { Rewriter } from "../port.js";
import { acceptableRewrite } from "../rewrite.js";
import { standalone } from "./standalone.js";

/** Rewrites without a model: the query consists of the question's own words that are worth searching for. */
export function localRewriter(): Rewriter {
  return {
    standalone: async (question, history) => standalone(question, history),

    async rewrite({ question }) {
      const query = searchWords(question).join(" ");
      return acceptableRewrite(question, query) ? query : question;
    },
  };
}

/** Returns the content words and negations of a question, as it writes them. */
const searchWords = (question: string): string[] =>
  wordsAsWritten(question).filter((word) => negations(word) > 0 || contentTerms(word).length > 0);
