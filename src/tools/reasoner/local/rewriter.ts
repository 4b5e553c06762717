import { negations } from "../../../language/negation.js";
import { chineseWords, contentTerms } from "../../../language/tokens.js";
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
function searchWords(question: string): string[] {
  const pieces = question.match(/\p{Script=Han}+|[^\s\p{Script=Han}]+/gu) ?? [];
  const words = pieces.flatMap((piece) =>
    /\p{Script=Han}/u.test(piece) ? chineseWords(piece) : [piece.replace(/^[^\p{L}\p{N}$€£¥]+|[^\p{L}\p{N}%]+$/gu, "")],
  );
  return [...new Set(words.filter((word) => negations(word) > 0 || contentTerms(word).length > 0))];
}
