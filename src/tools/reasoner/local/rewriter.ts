import { names } from "../../../language/names.js";
import { negations } from "../../../language/negation.js";
import { chineseWords, contentTerms } from "../../../language/tokens.js";
import type { Rewriter } from "../port.js";
import { acceptableRewrite } from "../rewrite.js";
import { standalone } from "./standalone.js";

export interface LocalRewriterOptions {
  /** How many passages of the corpus hold a term; words that none holds are dropped. Default: nothing is known. */
  vocabulary?: (term: string) => Promise<number>;
}

/** Says a question differently without a model: in the words of it that are worth searching for. */
export function localRewriter({ vocabulary }: LocalRewriterOptions = {}): Rewriter {
  return {
    standalone: async (question, history) => standalone(question, history),

    async rewrite(task) {
      const words = searchWords(task.question);
      const known = vocabulary ? await Promise.all(words.map((word) => isKnown(word, vocabulary))) : undefined;
      const kept = words.filter((word, i) => known?.[i] !== false || mustStay(word));
      const query = kept.join(" ");
      return acceptableRewrite(task.question, query) ? query : task.question;
    },
  };
}

const mustStay = (word: string) => /\p{N}/u.test(word) || negations(word) > 0 || names(`, ${word}`).length > 0;

async function isKnown(word: string, vocabulary: (term: string) => Promise<number>): Promise<boolean> {
  const counts = await Promise.all(contentTerms(word).map(vocabulary));
  return counts.length === 0 || counts.some((count) => count > 0);
}

/** The words of a question that are worth searching for, as it writes them. */
function searchWords(question: string): string[] {
  const pieces = question.match(/\p{Script=Han}+|[^\s\p{Script=Han}]+/gu) ?? [];
  const words = pieces.flatMap((piece) =>
    /\p{Script=Han}/u.test(piece) ? chineseWords(piece) : [piece.replace(/^[^\p{L}\p{N}$€£¥]+|[^\p{L}\p{N}%]+$/gu, "")],
  );
  return [...new Set(words.filter((word) => negations(word) > 0 || contentTerms(word).length > 0))];
}
